//! Pages on loopback with as many elements as are asked for.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
};

/// Pages on loopback: `/N` has N elements (a field, a button, and links in turn) and a password field.
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
    let elements = first.split(['/', ' ']).nth(2).and_then(|number| number.parse().ok()).unwrap_or(0);
    let element = |at: usize| match at % 10 {
        0 => format!("<p><label>Field {at} <input></label>"),
        1 => format!("<p><button type=button>Button {at}</button>"),
        _ => format!("<p><a href=#{at}>Link {at}</a>"),
    };
    let body: String = (0..elements).map(element).collect();
    let body =
        format!("<!doctype html><title>{elements}</title>{body}<p><label>Password <input type=password></label>");
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
