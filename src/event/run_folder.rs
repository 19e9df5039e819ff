//! Runs as folders: what was seen, said and done, file by file.
//!
//! Here is the sink and which run an event belongs to. `folder` writes one run, `retention` forgets old ones.

mod folder;
mod retention;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

pub use self::retention::Retention;
use self::{folder::Folder, retention::prune};
use super::{Event, EventKind, EventSink, jsonl::Writer};
use crate::base::{Error, Result, RunId};

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
/// | `memory_events.jsonl` | what memory was asked, said and stored |
/// | `steps/NNNN-N.png` | pictures by step and in order, when they were asked for |
///
/// Every line but those of `reasoning.jsonl` is an [`Event`] and reads back as one.
///
/// A run's folder appears with its first event, so a run that never starts leaves nothing behind. It is closed when the
/// run ends; one sink serves any number of runs, also at the same time. A folder that is there already is not touched:
/// that run is not recorded, and [`close`](Self::close) says so.
///
/// # Retention
/// When a run's folder is made, old ones are removed: see [`Retention`].
///
/// # Loss policy
/// As [`Jsonl`](super::Jsonl); lines are written at the end of each step, so a killed process loses those of its last
/// step. A run that cannot be written does not stop the recording of others; its report says so, as far as it was known
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
    writer: Writer<Arc<Event>>,
    parent: PathBuf,
    failures: Failures,
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
        }
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
        self.writer.send(Arc::new(event.clone()));
    }

    fn failure(&self, run: &RunId) -> Option<String> {
        self.failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(run)
            .cloned()
    }
}

/// Builds a [`RunFolder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct RunFolderBuilder {
    parent: PathBuf,
    retention: Retention,
}

impl RunFolderBuilder {
    /// How long runs are kept; 30 days and 100 runs unless said otherwise.
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// Starts the thread that writes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`](crate::ErrorKind::Io) if it cannot be started.
    pub fn build(self) -> Result<RunFolder> {
        let failures = Failures::default();
        let mut runs = Runs::new(self.parent.clone(), self.retention, Arc::clone(&failures));
        let writer = Writer::start(move |events: &mut dyn Iterator<Item = Arc<Event>>| {
            for event in events {
                runs.take(&event);
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
    /// `None` for a run that cannot be written: the rest of it is dropped.
    open: BTreeMap<RunId, Option<Folder>>,
    first_error: Option<Error>,
    /// The first failure to remove an old run: no new one is incomplete for it.
    first_kept: Option<Error>,
    failures: Failures,
}

impl Runs {
    const fn new(parent: PathBuf, retention: Retention, failures: Failures) -> Self {
        Self {
            parent,
            retention,
            open: BTreeMap::new(),
            first_error: None,
            first_kept: None,
            failures,
        }
    }

    fn take(&mut self, event: &Event) {
        if !self.open.contains_key(&event.run) {
            match self.start(event) {
                Ok(folder) => _ = self.open.insert(event.run.clone(), Some(folder)),
                Err(error) => self.fail(&event.run, error),
            }
        }
        if let Some(Some(folder)) = self.open.get_mut(&event.run)
            && let Err(error) = folder.write(event)
        {
            self.fail(&event.run, error);
        }
        if matches!(event.kind, EventKind::RunEnded { .. }) {
            self.open.remove(&event.run);
        }
    }

    /// Makes the folder of a run, and room for it.
    fn start(&mut self, first: &Event) -> Result<Folder> {
        let folder = Folder::create(&self.parent, first)?;
        let is_open = |run: &RunId| self.open.contains_key(run) || *run == first.run;
        let pruned = prune(&self.parent, &self.retention, first.at, is_open);
        self.not_removed(pruned);
        Ok(folder)
    }

    /// Gives a run up; what was written of it stays.
    fn fail(&mut self, run: &RunId, error: Error) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_FAILURES {
            failures.pop_first();
        }
        failures.insert(run.clone(), format!("{error:?}"));
        drop(failures);
        self.first_error.get_or_insert(error);
        self.open.insert(run.clone(), None);
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
