//! Events as JSON lines in one file.

use std::{
    fs::{File, OpenOptions},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
};

use super::{Event, EventSink};
use crate::base::{Error, ErrorKind, Result};

/// Writes each event as one line of JSON, on a thread of its own.
///
/// # Loss policy
/// What was emitted is written when the sink is closed or dropped. A killed process loses what its thread had not
/// written yet. A full disk ends the writing; [`close`](Self::close) says so, the run goes on.
#[derive(Debug)]
pub struct Jsonl {
    writer: Writer<Arc<Event>>,
}

impl Jsonl {
    /// Creates or truncates the file, readable by its owner only.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] naming the path.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let mut file = BufWriter::new(create_private(&path)?);
        let writer = Writer::start(move |next: &mut dyn Iterator<Item = Arc<Event>>| {
            for event in next {
                write_line(&mut file, &event, &path)?;
            }
            file.flush().map_err(|e| io_error(&path, e))
        })?;
        Ok(Self { writer })
    }

    /// Writes what is waiting and says whether all of it was written.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] with the first failure.
    pub fn close(&self) -> Result<()> {
        self.writer.close()
    }
}

impl EventSink for Jsonl {
    fn emit(&self, event: &Event) {
        self.writer.send(Arc::new(event.clone()));
    }
}

/// An empty file that only its owner can read, in the place of one that may be there.
pub(super) fn create_private(path: &Path) -> Result<File> {
    open_private(path, OpenOptions::new().write(true).create(true).truncate(true))
}

/// The same, made anew or continued as the options say.
pub(super) fn open_private(path: &Path, options: &mut OpenOptions) -> Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path).map_err(|e| io_error(path, e))
}

pub(super) fn write_line(to: &mut impl Write, value: &impl serde::Serialize, path: &Path) -> Result<()> {
    serde_json::to_writer(&mut *to, value)
        .map_err(std::io::Error::from)
        .and_then(|()| to.write_all(b"\n"))
        .map_err(|e| io_error(path, e))
}

pub(super) fn io_error(path: &Path, source: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "event.write").with("path", path.display()).with_source(source)
}

/// A thread that writes what is sent to it, in order.
#[derive(Debug)]
pub(super) struct Writer<T> {
    inner: Mutex<Inner<T>>,
}

#[derive(Debug)]
struct Inner<T> {
    sender: Option<mpsc::Sender<T>>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl<T: Send + 'static> Writer<T> {
    pub(super) fn start(
        mut work: impl FnMut(&mut dyn Iterator<Item = T>) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (sender, receiver) = mpsc::channel::<T>();
        let thread = std::thread::Builder::new()
            .name("webwise-events".to_owned())
            .spawn(move || work(&mut receiver.into_iter()))
            .map_err(|e| Error::new(ErrorKind::Io, "event.start").with_source(e))?;
        Ok(Self { inner: Mutex::new(Inner { sender: Some(sender), thread: Some(thread) }) })
    }

    pub(super) fn send(&self, item: T) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &inner.sender {
            // The thread has ended only if writing failed; `close` tells.
            let _ = sender.send(item);
        }
    }

    pub(super) fn close(&self) -> Result<()> {
        let thread = {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            inner.sender = None;
            inner.thread.take()
        };
        match thread.map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(Error::new(ErrorKind::Io, "event.write").with("why", "the writing thread panicked")),
        }
    }
}

impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        inner.sender = None;
        if let Some(thread) = inner.thread.take() {
            let _ = thread.join();
        }
    }
}
