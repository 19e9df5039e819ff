//! A sink that writes each run as a folder, with pages, model calls and actions in separate files.
//!
//! This file contains the sink, which assigns each event to its run. `folder` writes one run, `trees` encodes the trees
//! of pages, `reader` reads the events of a run back, and `retention` deletes old runs.
//!
//! # Decisions
//!
//! - One thread writes both events and intents. So a run's folder exists before the run's first intent, and events keep
//!   their order.
//! - A run's folder is created under a temporary name and then renamed, so that a run's folder always contains its
//!   `run_meta.json`.
//! - One sink serves many runs and keeps them apart.
//! - By default, a run is deleted after 30 days. If there are more than 100 runs, the oldest are deleted earlier. Only
//!   runs that this crate recorded are deleted, and only if they have ended or nothing was written for a day. The age
//!   of a run is computed from the times of its events.

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

/// Default maximum size of a run's folder. Unit: bytes. Not counted are `run_meta.json`, `intents.jsonl`, the line that
/// says that the folder is full, and the line that says how the run ended. Source: chosen; the hundred runs that are
/// kept by default then take at most about 27 GB, however large pages and replies are.
const MAX_BYTES: u64 = 256 * 1_024 * 1_024;
/// Maximum number of runs for which the sink remembers why they could not be recorded completely. Source: chosen; without
/// a limit, the list would grow with every further run while the disk is full.
const MAX_FAILURES: usize = 1_000;

/// An [`EventSink`] and [`Journal`] that writes each run into a folder of its own. On Unix, only the owner can read it.
///
/// | file | holds |
/// | --- | --- |
/// | `run_meta.json` | status, start, end, and the fields of `run_started` and `run_ended`; rewritten at the end |
/// | `actions.jsonl` | events about the run's start and end, actions, refusals, approvals, warnings and extractions |
/// | `model.jsonl` | requests to the model and its responses |
/// | `observations.jsonl`, `interpretations.jsonl` | pages as observed and as interpreted |
/// | `reasoning.jsonl` | text and reasoning of the model, without its calls |
/// | `intents.jsonl` | one [`Intent`] a line, with a version; only if the sink is also the agent's [`Journal`] |
/// | `memory_events.jsonl` | events about memory: queries, advice and updates |
/// | `steps/NNNN-N.png` | pictures: picture `N` of step `NNNN`, taken for the model, by an action or on request |
///
/// Each line of a `.jsonl` file is an [`Event`], which [`read`](Self::read) reads back. There are two exceptions:
/// `reasoning.jsonl` and `intents.jsonl`. In `observations.jsonl`, the first line contains a whole page tree. A later
/// line contains only the differences from the line before if these are smaller, so a page that stays the same takes
/// almost no space. The first line after the run was resumed contains a whole tree again.
///
/// A run's folder is created at the run's first event, so a run that never starts leaves nothing behind. When the run
/// ends, the files of the folder are closed. A run that is resumed continues in its folder. One sink serves any number
/// of runs, even at the same time. If a folder exists already for a new run, the folder stays unchanged and the new run
/// is not recorded. [`close`](Self::close) returns an error for such a run.
///
/// # Retention
/// When a run's folder is created, old runs are deleted (see [`Retention`]).
///
/// # Cap
/// A run's folder has a maximum size: 256 MiB, or the limit set in the builder. From the first event that does not fit, only
/// intents and the end of the run are still written. A `recording_failed` line at the end of `actions.jsonl` and the field
/// `nothing_kept_from_step` in `run_meta.json` name the step at which recording stopped. The run's report says so too.
///
/// # Loss policy
/// The policy of [`Jsonl`](super::Jsonl) also holds here, for each run. The lines of a step are written when the first
/// event of the next step arrives. So a killed process loses the lines of the step in progress, and those of the step
/// before if there was no event since. Intents are not lost: the loop waits until an intent is written, and
/// for an irreversible action until the intent is on the disk. If one run cannot be written, other runs are still
/// recorded. [`close`](Self::close) reports the failure. The run's report also gives the failure, if it was known when
/// the run ended.
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

#[derive(Debug)]
enum Message {
    Event(Arc<Event>),
    /// An intent, and the channel that tells the waiting task when the intent is written.
    Intent(Box<Intent>, oneshot::Sender<Result<()>>),
    LastIrreversible(RunId, oneshot::Sender<Result<Option<Intent>>>),
}

/// The runs that could not be written completely, each with the reason. Only the writer thread adds entries.
type Failures = Arc<Mutex<BTreeMap<RunId, String>>>;

impl RunFolder {
    /// The [operation](Error::operation) in the error for an old run that could not be deleted. Such an error does not
    /// mean that a new run is incomplete.
    pub const PRUNE: &str = retention::PRUNE;

    /// Creates a sink that records each run in the folder `parent/<run id>`, with the default [`Retention`].
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the thread that writes cannot be started.
    pub fn new(parent: impl Into<PathBuf>) -> Result<Self> {
        Self::builder(parent).build()
    }

    /// Returns a builder for a sink with other options.
    pub fn builder(parent: impl Into<PathBuf>) -> RunFolderBuilder {
        RunFolderBuilder {
            parent: parent.into(),
            retention: Retention::default(),
            max_bytes: MAX_BYTES,
        }
    }

    /// Reads the events in a file of a run's folder, in the order in which they were written. From a file that is still
    /// being written or was cut off, it reads the events that the file contains so far.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be opened. An item of the iterator is
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the file cannot be read. It is
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if its line is not a whole event, such as the last line of a
    /// file that was cut off, or if the line gives differences from a line that is missing.
    pub fn read(file: impl Into<PathBuf>) -> Result<RunLines> {
        RunLines::open(file.into())
    }

    /// Returns the path of a run's folder, whether the folder exists or not.
    pub fn path_of(&self, run: &RunId) -> PathBuf {
        self.parent.join(run.as_str())
    }

    /// Writes all waiting events and intents, and ends the thread. Events and intents that come later are not written.
    ///
    /// # Errors
    /// Returns the first failure: [`ErrorKind::Io`](crate::ErrorKind::Io), or
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) for a run whose folder existed already. If every run
    /// was written but an old one could not be deleted, returns [`ErrorKind::Io`](crate::ErrorKind::Io) with the
    /// operation [`PRUNE`](Self::PRUNE). In this case, no event is lost. A full folder is no error here. Only the first
    /// call returns an error.
    pub fn close(&self) -> Result<()> {
        self.writer.close()
    }

    /// Sends a message to the thread that writes, and waits for the answer.
    async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<Result<T>>) -> Message,
    ) -> Result<T> {
        let (done, answer) = oneshot::channel();
        self.writer.send(message(done));
        answer.await.unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Io, "event.intent").with("why", "the run folder is closed"))
        })
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
    /// Writes the intent on the thread that writes events. That thread handles all earlier events first, so the run's
    /// folder exists by then. Lines of these events may still wait in memory.
    async fn intent(&self, intent: &Intent) -> Result<()> {
        let intent = Box::new(intent.clone());
        self.ask(|done| Message::Intent(intent, done)).await
    }

    async fn last_irreversible(&self, run: &RunId) -> Result<Option<Intent>> {
        let run = run.clone();
        self.ask(|done| Message::LastIrreversible(run, done)).await
    }
}

/// A builder of a [`RunFolder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct RunFolderBuilder {
    parent: PathBuf,
    retention: Retention,
    max_bytes: u64,
}

impl RunFolderBuilder {
    /// Sets how long runs are kept. Default: 30 days and 100 runs.
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// Sets the maximum size of the folder of one run. Unit: bytes. Default: 256 MiB.
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Builds the sink and starts the thread that writes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if the thread cannot be started.
    pub fn build(self) -> Result<RunFolder> {
        let failures = Failures::default();
        let mut runs = Runs::new(&self, Arc::clone(&failures));
        let writer = Writer::start(move |messages: &mut dyn Iterator<Item = Message>| {
            for message in messages {
                match message {
                    Message::Event(event) => runs.take(&event),
                    // The waiting task has given up: it will not carry out the action, or has reported that the action
                    // is not recorded. So the intent is not written.
                    Message::Intent(_, done) if done.is_closed() => {}
                    Message::Intent(intent, done) => _ = done.send(runs.keep(&intent)),
                    Message::LastIrreversible(run, done) => {
                        let folder = runs.parent.join(run.as_str());
                        let _ = done.send(intents::last_irreversible(&folder));
                    }
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

#[derive(Debug)]
struct Runs {
    parent: PathBuf,
    retention: Retention,
    max_bytes: u64,
    /// The folder of each run that has not ended; `None` for a run that cannot be written and whose further events are
    /// dropped.
    open: BTreeMap<RunId, Option<Folder>>,
    first_error: Option<Error>,
    /// The first failure to delete an old run. This failure does not make any new run incomplete.
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
        let is_resumed = matches!(event.kind, EventKind::RunResumed {});
        self.open(&event.run, event.step, event.at, is_resumed);
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

    fn keep(&mut self, intent: &Intent) -> Result<()> {
        self.open(&intent.run, intent.step, intent.at, false);
        match self.open.get_mut(&intent.run) {
            Some(Some(folder)) => folder.write_intent(intent),
            _ => {
                Err(Error::new(ErrorKind::Io, "event.intent")
                    .with("why", "the run is not recorded"))
            }
        }
    }

    /// Opens the folder of a run, unless it is open already. Only a resumed run may use a folder that exists.
    fn open(&mut self, run: &RunId, step: u32, at: DateTime<Utc>, is_resumed: bool) {
        if !self.open.contains_key(run) {
            let left = if is_resumed {
                Folder::reopen(&self.parent, run, step, self.max_bytes)
            } else {
                Ok(None)
            };
            let folder = left.and_then(|left| left.map_or_else(|| self.start(run, step, at), Ok));
            match folder {
                Ok(folder) => _ = self.open.insert(run.clone(), Some(folder)),
                Err(error) => self.fail(run, error),
            }
        }
    }

    fn start(&mut self, run: &RunId, step: u32, at: DateTime<Utc>) -> Result<Folder> {
        let folder = Folder::create(&self.parent, (run, step, at), self.max_bytes)?;
        let is_open = |other: &RunId| self.open.contains_key(other) || other == run;
        let pruned = prune(&self.parent, &self.retention, at, is_open);
        self.not_removed(pruned);
        Ok(folder)
    }

    /// Stops recording a run. The lines that are already written stay.
    fn fail(&mut self, run: &RunId, error: Error) {
        self.note(run, format!("{error:?}"));
        self.first_error.get_or_insert(error);
        self.open.insert(run.clone(), None);
    }

    /// Records why a run is not written completely, for [`EventSink::failure`].
    fn note(&self, run: &RunId, why: String) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_FAILURES {
            failures.pop_first();
        }
        failures.insert(run.clone(), why);
    }

    /// Keeps the error if old runs could not be deleted. The error is returned when the sink is closed, because it must
    /// not affect the new run.
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
