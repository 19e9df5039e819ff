//! A daemon's socket that records each line and says what the tool would say.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

use super::{
    fake,
    tool::{self, Mood},
};

/// The socket; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Daemon {
    path: PathBuf,
    lines: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Daemon {
    /// Listens beside the fake program of this folder, and has its mood.
    pub(crate) fn start(home: &Path) -> Self {
        let path = home.join(fake::SOCKET);
        let listener = UnixListener::bind(&path).expect("a socket in a short folder");
        let (lines, ended) = (
            Arc::<Mutex<Vec<String>>>::default(),
            Arc::<AtomicBool>::default(),
        );
        let (told, stop, home) = (Arc::clone(&lines), Arc::clone(&ended), home.to_owned());
        let serve = move || {
            for stream in listener
                .incoming()
                .take_while(|_| !stop.load(Ordering::Relaxed))
                .flatten()
            {
                let mood = if home.join(fake::MOOD).exists() {
                    Mood::Help
                } else {
                    Mood::Fine
                };
                answer(stream, &told, mood);
            }
        };
        Self {
            path,
            lines,
            ended,
            thread: Some(thread::spawn(serve)),
        }
    }

    /// The lines since they were last taken.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().expect("nobody panics with it"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        let _ = UnixStream::connect(&self.path);
        self.thread.take().map(JoinHandle::join);
    }
}

fn answer(stream: UnixStream, lines: &Mutex<Vec<String>>, mood: Mood) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line).is_err() || line.is_empty() {
        return;
    }
    let request: Value = serde_json::from_str(&line).unwrap_or_default();
    lines.lock().expect("nobody panics with it").push(line);
    let text = match request["method"].as_str() {
        Some("run") => tool::answer(&tool::line_of(&request["params"]["args"]), mood),
        _ => String::new(),
    };
    let reply = json!({ "id": request["id"], "result": { "text": text, "isError": text.starts_with("### Error") } });
    // A driver that is gone needs no answer.
    let _ = writeln!(reader.get_mut(), "{reply}");
}
