//! A small web server on loopback for tests: a function answers, every request is counted. Include it with `#[path]`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How long a client may take to say what it wants. Unit: time. Source: chosen.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a client asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The `Host` header, without its port.
    pub(crate) host: String,
    /// The path with the query.
    pub(crate) path: String,
    /// Lines of the form `name: value`, the names in small letters.
    pub(crate) headers: Vec<String>,
}

/// What it gets.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Lines without line ends.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Answer {
    /// An HTML page.
    pub(crate) fn page(body: impl Into<String>) -> Self {
        Self {
            status: 200,
            headers: vec!["Content-Type: text/html; charset=utf-8".to_owned()],
            body: body.into(),
        }
    }
}

/// The server; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Web {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
    ended: Arc<AtomicBool>,
}

impl Web {
    /// Starts it on a free port of both loopback addresses (of the first alone where there is no IPv6).
    pub(crate) fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let second = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).ok();
        let (asked, ended) = (
            Arc::<Mutex<Vec<Asked>>>::default(),
            Arc::<AtomicBool>::default(),
        );
        let answer = Arc::new(answer);
        for listener in [Some(listener), second].into_iter().flatten() {
            let (asked, ended, answer) =
                (Arc::clone(&asked), Arc::clone(&ended), Arc::clone(&answer));
            thread::spawn(move || {
                for stream in listener
                    .incoming()
                    .take_while(|_| !ended.load(Ordering::Relaxed))
                    .flatten()
                {
                    let (asked, answer) = (Arc::clone(&asked), Arc::clone(&answer));
                    // A thread a client: browsers open connections that they never use.
                    thread::spawn(move || serve(stream, &asked, &*answer));
                }
            });
        }
        Self { port, asked, ended }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The address of a path under one of the names of this machine.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// The requests so far, those for icons left out: browsers ask for them by themselves.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let asked = self.asked.lock().expect("nobody panics with it");
        asked
            .iter()
            .filter(|asked| asked.path != "/favicon.ico")
            .cloned()
            .collect()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        for address in [
            SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)),
            SocketAddr::from((Ipv6Addr::LOCALHOST, self.port)),
        ] {
            // The listener looks at the flag when the next client comes.
            let _ = TcpStream::connect_timeout(&address, PATIENCE);
        }
    }
}

fn serve(
    mut stream: TcpStream,
    asked: &Mutex<Vec<Asked>>,
    answer: &(dyn Fn(&Asked) -> Answer + Send + Sync),
) {
    let Some(request) = read(&stream) else { return };
    asked
        .lock()
        .expect("nobody panics with it")
        .push(request.clone());
    let Answer {
        status,
        headers,
        body,
    } = answer(&request);
    let headers: String = headers
        .iter()
        .flat_map(|line| [line.as_str(), "\r\n"])
        .collect();
    let is_kept = headers.contains("Cache-Control: ");
    let cache = if is_kept {
        ""
    } else {
        "Cache-Control: no-store\r\n"
    };
    let head = format!(
        "HTTP/1.1 {status} x\r\nContent-Length: {}\r\n{cache}Connection: close\r\n",
        body.len()
    );
    // A browser that went away needs no answer.
    let _ = stream.write_all(format!("{head}{headers}\r\n{body}").as_bytes());
}

fn read(stream: &TcpStream) -> Option<Asked> {
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = BufReader::new(stream.take(2 << 20));
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let (mut host, mut length) = (String::new(), 0);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push(format!("{}: {}", name.to_ascii_lowercase(), value.trim()));
        match name.to_ascii_lowercase().as_str() {
            "host" => value
                .trim()
                .rsplit_once(':')
                .map_or(value.trim(), |(host, _)| host)
                .clone_into(&mut host),
            "content-length" => length = value.trim().parse().ok()?,
            _ => {}
        }
    }
    let mut body = vec![0; usize::min(length, 1 << 20)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked {
        host,
        path,
        headers,
    })
}
