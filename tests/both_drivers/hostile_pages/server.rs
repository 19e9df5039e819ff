//! A web server on loopback that answers well, badly, slowly or not at all.

use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::hostile_pages::pages;

/// How long a client may take to say what it wants. Unit: time. Source: chosen.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a slow answer is held open, unless the browser goes first. Unit: time. Source: chosen, longer than any test.
const FOREVER: Duration = Duration::from_mins(10);

/// One answer.
pub(crate) enum Answer {
    /// A whole page with this status line.
    Page(&'static str, String),
    /// Somewhere else.
    Redirect(String),
    /// These bytes and the end of the connection.
    Raw(Vec<u8>),
    /// These bytes, then nothing more, with the connection held open.
    Stall(Vec<u8>),
    /// The connection is reset after these bytes.
    Reset(Vec<u8>),
    /// A file of this many bytes; its length is told or not.
    File {
        name: &'static str,
        bytes: u64,
        told: bool,
    },
    /// A page that comes when the gate of this name is opened.
    Gate(String),
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    gates: Mutex<HashSet<String>>,
    opened: Condvar,
    sent: AtomicU64,
}

/// The server; it ends when it is dropped.
pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Opens gates of a site; clones share it.
#[derive(Clone)]
pub(crate) struct Gates(Arc<Shared>);

impl std::fmt::Debug for Gates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gates").finish_non_exhaustive()
    }
}

impl Gates {
    /// Lets the answers behind this gate go.
    pub(crate) fn open(&self, name: &str) {
        self.0
            .gates
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.to_owned());
        self.0.opened.notify_all();
    }
}

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let mine = Arc::clone(&shared);
        let serve = move || {
            for stream in listener
                .incoming()
                .take_while(|_| !mine.stop.load(Ordering::Relaxed))
                .flatten()
            {
                let mine = Arc::clone(&mine);
                // A thread a request: browsers open connections that they never use. What it cannot send, nobody reads.
                let _ = thread::Builder::new().spawn(move || answer(stream, &mine));
            }
        };
        Self {
            address,
            shared,
            thread: Some(thread::spawn(serve)),
        }
    }

    /// The address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://here.localhost:{}/{path}", self.address.port())
    }

    pub(crate) fn gates(&self) -> Gates {
        Gates(Arc::clone(&self.shared))
    }

    /// Bytes of files that were sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Relaxed)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.opened.notify_all();
        // The listener looks at the flag when the next client comes.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(64 << 10));
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut host = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) = line
            .split_once(':')
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            value.trim().clone_into(&mut host);
        }
    }
    let path = first
        .split(' ')
        .nth(1)
        .unwrap_or("/")
        .trim_start_matches('/')
        .to_owned();
    match pages::answer(&path, &host) {
        Answer::Page(status, body) => page(&mut stream, status, &body),
        Answer::Redirect(to) => {
            write!(
                stream,
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        }
        Answer::Raw(bytes) => stream.write_all(&bytes),
        Answer::Stall(bytes) => {
            stream.write_all(&bytes)?;
            stall(&stream, shared)
        }
        Answer::Reset(bytes) => {
            stream.write_all(&bytes)?;
            // A reset discards what the browser has not read by then, so it is given time to read.
            if !bytes.is_empty() {
                thread::sleep(Duration::from_millis(500));
            }
            reset(&stream)
        }
        Answer::File { name, bytes, told } => file(&mut stream, shared, name, bytes, told),
        Answer::Gate(name) => {
            await_gate(&name, shared);
            page(&mut stream, "200 OK", "open")
        }
    }
}

fn page(stream: &mut TcpStream, status: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let kind = "Content-Type: text/html; charset=utf-8\r\nAccess-Control-Allow-Origin: *\r\nCache-Control: no-store";
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Holds the connection until the browser closes it.
fn stall(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(200)))?;
    let begin = Instant::now();
    let mut stream = stream;
    while begin.elapsed() < FOREVER && !shared.stop.load(Ordering::Relaxed) {
        match stream.read(&mut [0; 64]) {
            Ok(0) => break,
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                break;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Makes the end of the connection a reset: with no time to linger, what was not sent is thrown away.
fn reset(stream: &TcpStream) -> io::Result<()> {
    tokio::net::TcpSocket::from_std_stream(stream.try_clone()?).set_zero_linger()
}

fn await_gate(name: &str, shared: &Shared) {
    let begin = Instant::now();
    let mut gates = shared.gates.lock().unwrap_or_else(PoisonError::into_inner);
    while !gates.contains(name) && begin.elapsed() < FOREVER && !shared.stop.load(Ordering::Relaxed)
    {
        let wait = shared.opened.wait_timeout(gates, Duration::from_secs(1));
        gates = wait.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Streams zeros; what the browser does not want it stops reading.
fn file(
    stream: &mut TcpStream,
    shared: &Shared,
    name: &str,
    bytes: u64,
    told: bool,
) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let length = if told {
        format!("Content-Length: {bytes}\r\n")
    } else {
        String::new()
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"{name}\"\r\n\
         {length}Connection: close\r\n\r\n"
    )?;
    let piece = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 && !shared.stop.load(Ordering::Relaxed) {
        let now = usize::try_from(left.min(1 << 20)).unwrap_or(1 << 20);
        stream.write_all(&piece[..now])?;
        left -= now as u64;
        shared.sent.fetch_add(now as u64, Ordering::Relaxed);
    }
    Ok(())
}
