//! Runs as folders: what was seen, said and done, file by file.
//!
//! Here is the sink and which run an event belongs to. `folder` writes one run, `trees` says how pages are kept, `reader` reads
//! them back, `retention` forgets old runs.

mod folder;
mod intents;
mod reader;
mod retention;
#[cfg(test)]
mod tests;
mod trees;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use self::{folder::Folder, retention::prune};
pub use self::{reader::RunLines, retention::Retention};
use super::{Event, EventKind, EventSink, Intent, Journal, jsonl::Writer};
use crate::base::{Error, ErrorKind, Result, RunId};

/// What a run may take, its `run_meta.json` and the line of its end apart. Unit: bytes. Source: chosen; a hundred runs, which is
/// how many are kept, then stay below 26 GB whatever pages and models say.
const MAX_BYTES: u64 = 256 * 1_024 * 1_024;
/// Most failures remembered for their runs to ask. Source: chosen; a full disk fails every run from then on.
const MAX_FAILURES: usize = 1_000;

/// Writes each run into a folder of its own, readable by its owner only.
///
/// | file | holds |
/// | --- | --- |
/// | `run_meta.json` | goal, driver, model, start, end, stop reason, figures; rewritten whole when the run ends |
/// | `actions.jsonl` | start, actions, refusals, approvals, warnings, extractions, end |
/// | `model.jsonl` | requests and responses |
/// | `observations.jsonl`, `interpretations.jsonl` | pages as seen and as understood |
/// | `reasoning.jsonl` | text and reasoning beside the calls |
/// | `intents.jsonl` | actions that are about to be done, where it is the loop's journal too: an [`Intent`] a line, with a version |
/// | `memory_events.jsonl` | what memory was asked, said and stored |
/// | `steps/NNNN-N.png` | pictures by step and in order, when they were asked for |
///
/// Every line but those of `reasoning.jsonl` and `intents.jsonl` is an [`Event`]; [`read`](Self::read) gives them back. In
/// `observations.jsonl` the tree of a page is whole once and then told by what differs from the line before, so that a page that
/// stays the same costs nothing.
///
/// A run's folder appears with its first event, so a run that never starts leaves nothing behind. It is closed when the
/// run ends; one sink serves any number of runs, also at the same time. A folder that is there already is not touched:
/// that run is not recorded, and [`close`](Self::close) says so.
///
/// # Retention
/// When a run's folder is made, old ones are removed: see [`Retention`].
///
/// # Cap
/// A run that takes more than 256 MiB, or what the builder says, is kept up to there. A `recording_failed` line at the end of
/// `actions.jsonl` and `nothing_kept_from_step` in `run_meta.json` name the step, and the run's report says so; the end of the
/// run is written all the same.
///
/// # Loss policy
/// As [`Jsonl`](super::Jsonl); lines are written at the end of each step, so a killed process loses those of its last
/// step. As a journal it loses nothing: an intent is awaited until it is written, an irreversible one until the disk has it.
/// A run that cannot be written does not stop the recording of others; its report says so, as far as it was known
/// when the run ended, and [`close`](Self::close) does in any case.
///
/// ```
/// # fn main() -> webwise::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("webwise-doc-{}", std::process::id()));
/// use webwise::{RunId, event::{Retention, RunFolder}};
///
/// let runs = RunFolder::builder(&dir).with_retention(Retention::forever()).build()?;
/// assert_eq!(runs.path_of(&RunId::parse("run_1")?), dir.join("run_1"));
/// runs.close()
/// # }
/// ```
#[derive(Debug)]
pub struct RunFolder {
    writer: Writer<Message>,
    parent: PathBuf,
    failures: Failures,
}

/// What the thread that writes is told, in order.
#[derive(Debug)]
enum Message {
    Event(Arc<Event>),
    /// An intent, and who waits until it is kept.
    Intent(Box<Intent>, oneshot::Sender<Result<()>>),
}

/// Runs that could not be written, and why: told by the thread that writes.
type Failures = Arc<Mutex<BTreeMap<RunId, String>>>;

impl RunFolder {
    /// The [operation](Error::operation) of a failure to remove an old run; no new run is incomplete for it.
    pub const PRUNE: &str = retention::PRUNE;

    /// Records every run under `parent/<run id>`, with the usual [`Retention`].
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the thread that writes cannot be started.
    pub fn new(parent: impl Into<PathBuf>) -> Result<Self> {
        Self::builder(parent).build()
    }

    /// Starts to build a sink with other options.
    pub fn builder(parent: impl Into<PathBuf>) -> RunFolderBuilder {
        RunFolderBuilder {
            parent: parent.into(),
            retention: Retention::default(),
            max_bytes: MAX_BYTES,
        }
    }

    /// The events in a file of a run's folder, in the order in which they were written. Of one that is still written or was cut
    /// off, those that are there.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be opened. Each event can fail on its own:
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for a line that is none, or whose page refers to a line that is not
    /// there.
    pub fn read(file: impl Into<PathBuf>) -> Result<RunLines> {
        RunLines::open(file.into())
    }

    /// Where a run is written.
    pub fn path_of(&self, run: &RunId) -> PathBuf {
        self.parent.join(run.as_str())
    }

    /// Writes what is waiting and says whether all of it was written.
    ///
    /// # Errors
    /// The first failure: [`ErrorKind::Io`](crate::ErrorKind::Io), or
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) for a run whose folder was there already. If every run
    /// was written and an old one could not be removed, [`ErrorKind::Io`](crate::ErrorKind::Io) with the operation
    /// [`PRUNE`](Self::PRUNE): nothing that was sent here is lost.
    pub fn close(&self) -> Result<()> {
        self.writer.close()
    }
}

impl EventSink for RunFolder {
    fn emit(&self, event: &Event) {
        self.writer.send(Message::Event(Arc::new(event.clone())));
    }

    fn failure(&self, run: &RunId) -> Option<String> {
        self.failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(run)
            .cloned()
    }
}

#[async_trait]
impl Journal for RunFolder {
    /// Written after all events that were emitted before it, by the thread that writes them: the folder is there by then.
    async fn intent(&self, intent: &Intent) -> Result<()> {
        let (done, kept) = oneshot::channel();
        self.writer
            .send(Message::Intent(Box::new(intent.clone()), done));
        kept.await.unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Io, "event.intent").with("why", "the run folder is closed"))
        })
    }
}

/// Builds a [`RunFolder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct RunFolderBuilder {
    parent: PathBuf,
    retention: Retention,
    max_bytes: u64,
}

impl RunFolderBuilder {
    /// How long runs are kept; 30 days and 100 runs unless said otherwise.
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// What one run may take. Unit: bytes; 256 MiB unless said otherwise.
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Starts the thread that writes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if it cannot be started.
    pub fn build(self) -> Result<RunFolder> {
        let failures = Failures::default();
        let mut runs = Runs::new(&self, Arc::clone(&failures));
        let writer = Writer::start(move |messages: &mut dyn Iterator<Item = Message>| {
            for message in messages {
                match message {
                    Message::Event(event) => runs.take(&event),
                    // Whoever has given up waiting does not do the action either, or told that it is not recorded.
                    Message::Intent(_, done) if done.is_closed() => {}
                    Message::Intent(intent, done) => _ = done.send(runs.keep(&intent)),
                }
            }
            runs.finish()
        })?;
        Ok(RunFolder {
            writer,
            parent: self.parent,
            failures,
        })
    }
}

/// The runs under way.
#[derive(Debug)]
struct Runs {
    parent: PathBuf,
    retention: Retention,
    max_bytes: u64,
    /// `None` for a run that cannot be written: the rest of it is dropped.
    open: BTreeMap<RunId, Option<Folder>>,
    first_error: Option<Error>,
    /// The first failure to remove an old run: no new one is incomplete for it.
    first_kept: Option<Error>,
    failures: Failures,
}

impl Runs {
    fn new(options: &RunFolderBuilder, failures: Failures) -> Self {
        Self {
            parent: options.parent.clone(),
            retention: options.retention,
            max_bytes: options.max_bytes,
            open: BTreeMap::new(),
            first_error: None,
            first_kept: None,
            failures,
        }
    }

    fn take(&mut self, event: &Event) {
        self.open(&event.run, event.step, event.at);
        if let Some(Some(folder)) = self.open.get_mut(&event.run) {
            let was_full = folder.full().is_some();
            match folder.write(event) {
                Err(error) => self.fail(&event.run, error),
                Ok(()) => {
                    if let Some(why) = folder.full().filter(|_| !was_full) {
                        let why = why.to_owned();
                        self.note(&event.run, why);
                    }
                }
            }
        }
        if matches!(event.kind, EventKind::RunEnded { .. }) {
            self.open.remove(&event.run);
        }
    }

    /// Keeps an intent in the folder of its run.
    fn keep(&mut self, intent: &Intent) -> Result<()> {
        self.open(&intent.run, intent.step, intent.at);
        match self.open.get_mut(&intent.run) {
            Some(Some(folder)) => folder.write_intent(intent),
            _ => {
                Err(Error::new(ErrorKind::Io, "event.intent")
                    .with("why", "the run is not recorded"))
            }
        }
    }

    /// Makes the folder of a run that is not known yet.
    fn open(&mut self, run: &RunId, step: u32, at: DateTime<Utc>) {
        if !self.open.contains_key(run) {
            match self.start(run, step, at) {
                Ok(folder) => _ = self.open.insert(run.clone(), Some(folder)),
                Err(error) => self.fail(run, error),
            }
        }
    }

    /// Makes the folder of a run, and room for it.
    fn start(&mut self, run: &RunId, step: u32, at: DateTime<Utc>) -> Result<Folder> {
        let folder = Folder::create(&self.parent, (run, step, at), self.max_bytes)?;
        let is_open = |other: &RunId| self.open.contains_key(other) || other == run;
        let pruned = prune(&self.parent, &self.retention, at, is_open);
        self.not_removed(pruned);
        Ok(folder)
    }

    /// Gives a run up; what was written of it stays.
    fn fail(&mut self, run: &RunId, error: Error) {
        self.note(run, format!("{error:?}"));
        self.first_error.get_or_insert(error);
        self.open.insert(run.clone(), None);
    }

    /// Remembers why a run is not complete, for who asks.
    fn note(&self, run: &RunId, why: String) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_FAILURES {
            failures.pop_first();
        }
        failures.insert(run.clone(), why);
    }

    /// Keeps a failure to remove old runs, which is no reason to lose the new one.
    fn not_removed(&mut self, pruned: Result<()>) {
        if let Err(error) = pruned {
            self.first_kept.get_or_insert(error);
        }
    }

    fn finish(&mut self) -> Result<()> {
        for (run, folder) in std::mem::take(&mut self.open) {
            if let Some(Err(error)) = folder.map(|mut folder| folder.flush()) {
                self.fail(&run, error);
            }
        }
        self.first_error
            .take()
            .or_else(|| self.first_kept.take())
            .map_or(Ok(()), Err)
    }
}
