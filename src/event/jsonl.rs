//! A sink that writes events as lines of JSON into one file.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError, mpsc},
    thread::JoinHandle,
};

use super::{Event, EventSink};
use crate::base::{Error, ErrorKind, Result, RunId};

/// Maximum total size of the lines that wait to be written. When they exceed this size, they are written to the file. Unit:
/// bytes. Source: chosen; the size of the buffers in the standard library.
const MAX_WAITING: usize = 8 * 1_024;

/// An [`EventSink`] that writes each event as one line of JSON into one file, on its own thread.
///
/// # Loss policy
/// Emitted events are written at the latest when the sink is closed or dropped. If the process is killed, events that
/// the thread had not written yet are lost. If the disk is full, writing ends after the last whole line that fits, and
/// the run goes on. [`close`](Self::close) reports the failure.
#[derive(Debug)]
pub struct Jsonl {
    writer: Writer<Arc<Event>>,
    failure: Arc<OnceLock<String>>,
}

impl Jsonl {
    /// Creates a sink that writes to a file. On Unix, a new file is readable by its owner only. An existing file is
    /// emptied.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the file cannot be opened. The error names the path.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let mut file = create_private(&path)?;
        let mut write = move |next: &mut dyn Iterator<Item = Arc<Event>>| {
            let mut lines = Vec::new();
            for event in next {
                write_line(&mut lines, &event, &path)?;
                if lines.len() > MAX_WAITING {
                    write_lines(&mut file, &mut lines).map_err(|e| io_error(&path, e))?;
                }
            }
            write_lines(&mut file, &mut lines).map_err(|e| io_error(&path, e))
        };
        let failure = Arc::new(OnceLock::new());
        let told = Arc::clone(&failure);
        let writer = Writer::start(move |next: &mut dyn Iterator<Item = Arc<Event>>| {
            write(next).inspect_err(|error| _ = told.set(format!("{error:?}")))
        })?;
        Ok(Self { writer, failure })
    }

    /// Writes all waiting events and ends the thread. Events that are emitted later are dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] with the first failure to write. Only the first call returns it.
    pub fn close(&self) -> Result<()> {
        self.writer.close()
    }
}

impl EventSink for Jsonl {
    fn emit(&self, event: &Event) {
        self.writer.send(Arc::new(event.clone()));
    }

    fn failure(&self, _: &RunId) -> Option<String> {
        self.failure.get().cloned()
    }
}

/// Creates a file that, on Unix, only its owner can read, or empties an existing file.
pub(super) fn create_private(path: &Path) -> Result<File> {
    open_private(
        path,
        OpenOptions::new().write(true).create(true).truncate(true),
    )
}

/// Opens a file with these options. On Unix, a new file is readable by its owner only.
pub(crate) fn open_private(path: &Path, options: &mut OpenOptions) -> Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path).map_err(|e| io_error(path, e))
}

/// Appends the value as a line of JSON to `to`, the bytes that wait to be written. `path` is used only in the error.
pub(super) fn write_line(
    to: &mut Vec<u8>,
    value: &impl serde::Serialize,
    path: &Path,
) -> Result<()> {
    let before = to.len();
    serde_json::to_writer(&mut *to, value).map_err(|e| {
        to.truncate(before);
        io_error(path, e.into())
    })?;
    to.push(b'\n');
    Ok(())
}

/// Appends `lines`, the lines that wait to be written, to a file, and empties `lines`. The file must have no other writer.
/// If only a part of `lines` can be written, the file keeps only the whole lines of that part, so that a reader finds
/// no partial line.
pub(super) fn write_lines(file: &mut File, lines: &mut Vec<u8>) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    let before = file.metadata()?.len();
    let result = file.write_all(lines);
    if result.is_err() {
        let written = file
            .metadata()
            .map_or(0, |now| now.len().saturating_sub(before));
        let written = usize::try_from(written)
            .unwrap_or(lines.len())
            .min(lines.len());
        let whole = lines[..written]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        // If this fails too, nothing else can be done.
        let _ = file.set_len(before + whole as u64);
    }
    lines.clear();
    result
}

pub(super) fn io_error(path: &Path, source: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "event.write")
        .with("path", path.display())
        .with_source(source)
}

/// A handle to a thread that writes the items sent to it, in order.
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
        Ok(Self {
            inner: Mutex::new(Inner {
                sender: Some(sender),
                thread: Some(thread),
            }),
        })
    }

    pub(super) fn send(&self, item: T) {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = &inner.sender {
            // Sending fails only if the thread has ended because writing failed; `close` reports that failure.
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
            Some(Err(_)) => {
                Err(Error::new(ErrorKind::Io, "event.write")
                    .with("why", "the writing thread panicked"))
            }
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
