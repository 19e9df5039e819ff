//! A server that keeps every byte it gets, and serves the pages of `leaving`.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Builds one form after the other in one document, as `make` is told to; `go` lets a script send the value.
const BED: &str = include_str!("bed.html");

/// How workers send a value: by a request, or in the address of a WebSocket.
const SENT: &str = "const sent = ({ to, value }) => to.startsWith('http') ? fetch(to, { method: 'POST', body: value })\
                    : new Promise((end, fail) => { const made = new WebSocket(`${to}?w=${value}`);\
                    made.onopen = end; made.onerror = fail; });";

/// The server; it ends when it is dropped.
pub(crate) struct Ear {
    port: u16,
    heard: Arc<Mutex<Vec<u8>>>,
    ended: Arc<AtomicBool>,
}

impl Ear {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (heard, ended) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::default());
        let (all, stop) = (Arc::clone(&heard), Arc::clone(&ended));
        thread::spawn(move || {
            let stop: Arc<AtomicBool> = stop;
            let clients = listener.incoming();
            for stream in clients
                .take_while(|_| !stop.load(Ordering::Relaxed))
                .flatten()
            {
                let heard = Arc::clone(&all);
                // A thread a client: browsers open connections that they never use.
                thread::spawn(move || serve(stream, &heard));
            }
        });
        Self { port, heard, ended }
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The same server as another site.
    pub(crate) fn other_site(&self) -> String {
        format!("http://localhost:{}", self.port)
    }

    /// How often a text came.
    pub(crate) fn heard(&self, text: &str) -> usize {
        let heard = self.heard.lock().unwrap();
        heard
            .windows(text.len())
            .filter(|window| *window == text.as_bytes())
            .count()
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // The listener looks at the flag when the next client comes.
        let _ = TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)));
    }
}

fn serve(mut stream: TcpStream, heard: &Mutex<Vec<u8>>) -> Option<()> {
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .ok()?;
    let (mut request, mut part) = (Vec::new(), [0; 4096]);
    let length = loop {
        let count = stream.read(&mut part).ok().filter(|count| *count > 0)?;
        heard.lock().unwrap().extend_from_slice(&part[..count]);
        request.extend_from_slice(&part[..count]);
        let end = request.windows(4).position(|w| w == b"\r\n\r\n");
        let Some(end) = end else { continue };
        let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"))
            .map_or(0, |length| length.trim().parse::<usize>().unwrap_or(0));
        if request.len() >= end + 4 + length {
            break length;
        }
    };
    let first = String::from_utf8_lossy(&request).into_owned();
    let path = first.split(' ').nth(1)?.to_owned();
    let body = first[first.len() - length..].to_owned();
    let (status, headers, body) = answer(&path, &body);
    write!(
        stream,
        "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\
         Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n{headers}\r\n{body}",
        body.len()
    )
    .ok()
}

fn answer(path: &str, body: &str) -> (u16, String, String) {
    let kind = |kind: &str| format!("Content-Type: {kind}; charset=utf-8\r\n");
    let html = kind("text/html");
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    // Sends whoever comes to the rest of the path.
    let elsewhere = |rest: &str| format!("Location: http://{rest}?{query}\r\n");
    match path {
        "/bed" => (200, html, BED.to_owned()),
        "/worker.js" => {
            let script = "onmessage = ({ data }) => sent(data)\
                          .then(() => postMessage('sent'), () => postMessage('failed'));";
            (200, kind("text/javascript"), format!("{SENT}{script}"))
        }
        "/shared.js" => {
            let script = "onconnect = ({ ports: [port] }) => port.onmessage = ({ data }) =>\
                          sent(data)\
                          .then(() => port.postMessage('sent'), () => port.postMessage('failed'));";
            (200, kind("text/javascript"), format!("{SENT}{script}"))
        }
        "/service.js" => {
            let script = "onmessage = ({ data, source }) => sent(data)\
                          .then(() => source.postMessage('sent'), () => source.postMessage('failed'));\
                          onactivate = event => event.waitUntil(clients.claim());";
            (200, kind("text/javascript"), format!("{SENT}{script}"))
        }
        _ => match (path.strip_prefix("/found/"), path.strip_prefix("/again/")) {
            (Some(rest), _) => (302, elsewhere(rest) + &html, String::new()),
            (_, Some(rest)) => (307, elsewhere(rest) + &html, body.to_owned()),
            _ => (
                200,
                html,
                "<!doctype html><title>Got it</title>ok".to_owned(),
            ),
        },
    }
}
