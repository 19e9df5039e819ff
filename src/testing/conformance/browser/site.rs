//! A web server for the pages of the conformance suite. It runs in a thread and can be reached only from this machine.

use std::{
    io::{BufRead, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::pages;
use crate::base::{Error, ErrorKind, Result};

/// Longest time that the server waits for a client to send its request. Source: chosen.
const PATIENCE: Duration = Duration::from_secs(5);

/// A small web server on `127.0.0.1` that serves the pages of the conformance suite. It stops when it is dropped.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    /// Starts the server on a free port.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if no socket can be opened.
    pub fn start() -> Result<Self> {
        let failed =
            |error: std::io::Error| Error::new(ErrorKind::Io, "site.start").with_source(error);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let serve = move || {
            for stream in listener
                .incoming()
                .take_while(|_| !stopped.load(Ordering::Relaxed))
                .flatten()
            {
                // One thread for each request, because browsers open connections that they never use.
                let _ = thread::Builder::new().spawn(move || {
                    let _ = answer(stream);
                });
            }
        };
        let thread = thread::Builder::new()
            .name("conformance-site".into())
            .spawn(serve)
            .map_err(failed)?;
        Ok(Self {
            address,
            stop,
            thread: Some(thread),
        })
    }

    /// Returns the address of the page at this path, on `127.0.0.1`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    /// Returns the address of the page at this path on `localhost`, which is another origin than `127.0.0.1`.
    pub fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}/{path}", self.address.port())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The listener checks the flag only when a client connects, so connect to it here.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(64 << 10));
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut cookie = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) = line
            .split_once(':')
            .filter(|(name, _)| name.eq_ignore_ascii_case("cookie"))
        {
            value.trim().clone_into(&mut cookie);
        }
    }
    let path = first
        .split(' ')
        .nth(1)
        .unwrap_or("/")
        .trim_start_matches('/');
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (status, headers, body) = match path {
        "redirect" => (
            "302 Found",
            "Location: /article\r\n".to_owned(),
            String::new(),
        ),
        "download" => {
            let name = "Content-Disposition: attachment; filename=\"report ### x.csv\"\r\n";
            ("200 OK", name.to_owned(), "a,b\n".to_owned())
        }
        "cookie" => (
            "200 OK",
            String::new(),
            pages::document("Cookie", &format!("<p>cookie: [{}]</p>", escape(&cookie))),
        ),
        "set-cookie" => (
            "200 OK",
            "Set-Cookie: visit=yes; Path=/\r\n".to_owned(),
            pages::document("Set", "<p>set</p>"),
        ),
        "clear-cookie" => (
            "200 OK",
            "Set-Cookie: visit=; Path=/; Max-Age=0\r\n".to_owned(),
            pages::document("Clear", "<p>clear</p>"),
        ),
        path => match pages::page(path) {
            Some(body) => ("200 OK", String::new(), body),
            None => (
                "404 Not Found",
                String::new(),
                pages::document("Not found", "<h1>404</h1>"),
            ),
        },
    };
    let kind = if path == "download" {
        "text/csv"
    } else {
        "text/html; charset=utf-8"
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    )?;
    stream.flush()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
