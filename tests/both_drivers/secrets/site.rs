//! Pages for a real browser that repeat what is typed into them, served on loopback.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// A field that repeats its value in title, address, console, attributes and text, in every encoding; and on a click in a
/// dialog and in the next page.
const MIRROR: &str = r"<!doctype html><meta charset=utf-8><title>Sign in</title><h1>Sign in</h1>
<label>Word <input id=word autocomplete=off></label><button id=send>Send</button><div id=out></div>
<script>
const forms = v => {
  const bytes = [...new TextEncoder().encode(v)], text = String.fromCharCode(...bytes);
  const entities = f => [...v].map(f).join('');
  return [v, JSON.stringify(v).slice(1, -1), encodeURIComponent(v), encodeURIComponent(v).toLowerCase(),
    bytes.map(b => '%' + b.toString(16).padStart(2, '0')).join(''),
    entities(c => '&#' + c.codePointAt(0) + ';'), entities(c => '&#x' + c.codePointAt(0).toString(16) + ';'),
    btoa(text), v.length < 6 ? '' : btoa('u' + text), v.length < 6 ? '' : btoa('u:' + text),
    btoa(text).replaceAll('+', '-').replaceAll('/', '_'), bytes.map(b => b.toString(16).padStart(2, '0')).join(''),
    v.toUpperCase(), v.toLowerCase(), [...v].join(' '), [...v].join('-')];
};
const add = (name, text, attributes = {}) => {
  const element = Object.assign(document.createElement(name), { textContent: text });
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  out.append(element);
};
word.oninput = () => {
  const v = word.value, coded = encodeURIComponent(v);
  document.title = 'Account: ' + v;
  history.replaceState(null, '', '/login?q=' + coded + '#v=' + coded);
  console.log('typed: ' + v); console.error(v);
  out.replaceChildren();
  forms(v).filter(text => text).forEach(text => add('p', text));
  add('button', '', { 'aria-label': v, id: v, title: v });
  add('a', v, { href: '/u/' + (v.length > 5 ? coded : '') + '?q=' + coded });
  add('img', '', { alt: v });
  add('input', '', { placeholder: v, value: v, 'aria-label': 'Again' });
  if (v.length > 5) { add('span', [...v].slice(0, 5).join('')); add('span', [...v].slice(5).join('')); }
  add('hr', '');
  [...v].forEach(c => add('button', c));
  add('p', 'the end');
};
send.onclick = () => { const v = word.value; alert('Saved: ' + v); location = '/echo?v=' + encodeURIComponent(v); };
</script>";

const FIELD: &str = "<!doctype html><meta charset=utf-8><label>Word <input></label>";

/// A small web server; it ends when it is dropped.
pub(crate) struct Site {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let serve = move || {
            for stream in listener
                .incoming()
                .take_while(|_| !stopped.load(Ordering::Relaxed))
                .flatten()
            {
                // A thread a request: browsers open connections that they never use.
                thread::spawn(move || answer(stream, address.port()));
            }
        };
        Self {
            address,
            stop,
            thread: Some(thread::spawn(serve)),
        }
    }

    /// A page, where the secret belongs.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// The same page elsewhere.
    pub(crate) fn foreign(&self, path: &str) -> String {
        format!("http://localhost:{}/{path}", self.address.port())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The listener looks at the flag when the next client comes.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, port: u16) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    let mut reader = BufReader::new(stream.try_clone().ok()?.take(64 << 10));
    let (mut first, mut line) = (String::new(), String::new());
    reader.read_line(&mut first).ok()?;
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    let path = first.split(' ').nth(1)?.to_owned();
    let (head, body) = page(&path, port);
    let length = body.len();
    let kind = "Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nConnection: close\r\n";
    write!(
        stream,
        "HTTP/1.1 {head}\r\n{kind}Content-Length: {length}\r\n\r\n{body}"
    )
    .ok()
}

fn page(path: &str, port: u16) -> (String, String) {
    let ok = |body: String| ("200 OK".to_owned(), body);
    let frame = |attributes: &str| {
        ok(format!(
            "<!doctype html><title>Frame</title><iframe {attributes}></iframe>"
        ))
    };
    let here = |page: &str| format!("http://127.0.0.1:{port}/{page}");
    let there = |page: &str| format!("http://localhost:{port}/{page}");
    match path
        .trim_start_matches('/')
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
    {
        "login" => ok(MIRROR.to_owned()),
        "field" => ok(FIELD.to_owned()),
        "echo" => {
            let url = url::Url::parse(&here(path.trim_start_matches('/'))).unwrap();
            let value = url
                .query_pairs()
                .next()
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default();
            let text = value.replace('&', "&amp;").replace('<', "&lt;");
            ok(format!(
                "<!doctype html><meta charset=utf-8><title>Account: {text}</title><h1>Welcome back</h1><p>{text}</p>\
                 <p role=alert>wrong value: {text}</p>"
            ))
        }
        "redirect" => (
            format!("302 Found\r\nLocation: {}", there("field")),
            String::new(),
        ),
        "moves" => ok(format!(
            "{FIELD}<script>setTimeout(() => {{ location = '{}' }}, 1500)</script>",
            there("field")
        )),
        "foreign-frame" => frame(&format!("src='{}'", there("field"))),
        "right-frame" => frame(&format!("src='{}'", here("field"))),
        "sandbox" => frame("sandbox='allow-scripts allow-forms' src='/field'"),
        "sandbox-without-scripts" => frame("sandbox src='/field'"),
        "sandboxed" => (
            "200 OK\r\nContent-Security-Policy: sandbox allow-scripts allow-forms".to_owned(),
            FIELD.into(),
        ),
        // It says of itself that it has an origin.
        "sandboxed-liar" => (
            "200 OK\r\nContent-Security-Policy: sandbox allow-scripts allow-forms".to_owned(),
            format!(
                "{FIELD}<script>window.origin = location.protocol + '//' + location.host</script>"
            ),
        ),
        "srcdoc" => frame("srcdoc='<label>Word <input></label>'"),
        "data" => frame("src='data:text/html,<label>Word <input></label>'"),
        "blank" => ok("<!doctype html><iframe id=f></iframe><script>\
            f.contentDocument.body.innerHTML = '<label>Word <input></label>'</script>"
            .to_owned()),
        _ => ("404 Not Found".to_owned(), "<title>404</title>".to_owned()),
    }
}
