//! Pages on loopback whose documents have as many elements as are asked for.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
};

/// Pages on loopback: the document of `/N` has N elements, every one counted that the page's own
/// `document.querySelectorAll('*')` finds, the fewest being 12.
///
/// They are a field with its label, a button and eight links in turn, each in a paragraph, after them a password field, and at
/// most two rules that make up the number. Of 10,000 elements an observation makes 10,474 nodes: texts are nodes too.
/// The document of `/buttons/N` is a form with a field and N buttons.
pub(crate) fn serve() -> std::io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let site = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A thread a request: browsers open connections that they never use.
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(site)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut first = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    reader.read_line(&mut first)?;
    while reader.read_line(&mut String::new())? > 2 {}
    let mut parts = first.split(['/', ' ']).skip(2);
    let number = |part: Option<&str>| part.and_then(|number| number.parse().ok()).unwrap_or(0);
    let body = match parts.next() {
        Some("buttons") => buttons(number(parts.next())),
        part => page(number(part)),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// A form of a field and so many buttons; each says something more when it is clicked.
fn buttons(count: usize) -> String {
    let mut body = "<!doctype html><title>buttons</title><form onclick=\"event.target.type === 'button' && event.target.append('!')\">\
        <label>Note <input></label>"
        .to_owned();
    for at in 0..count {
        let part = format!("<button type=button>Button {at}</button>");
        body.push_str(&part);
    }
    body + "</form>"
}

/// Elements that no tag of the page names: `html`, `head` and `body`.
const UNNAMED: usize = 3;

fn page(elements: usize) -> String {
    let title = format!("<!doctype html><title>{elements}</title>");
    let end = "<p><label>Password <input type=password></label>";
    let mut left = elements.saturating_sub(UNNAMED + tags(&title) + tags(end));
    let mut body = title;
    for at in 0.. {
        let part = match at % 10 {
            0 => format!("<p><label>Field {at} <input></label>"),
            1 => format!("<p><button type=button>Button {at}</button>"),
            _ => format!("<p><a href=#{at}>Link {at}</a>"),
        };
        let Some(rest) = left.checked_sub(tags(&part)) else {
            break;
        };
        left = rest;
        body.push_str(&part);
    }
    body + end + &"<hr>".repeat(left)
}

/// How many elements a text begins.
fn tags(html: &str) -> usize {
    html.split('<')
        .skip(1)
        .filter(|tag| tag.starts_with(|first: char| first.is_ascii_lowercase()))
        .count()
}
