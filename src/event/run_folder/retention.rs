//! Deletion of old runs: only of folders that this crate certainly created, and only of runs that have ended. A run
//! without a recorded end is taken to have ended if it has written nothing for a day.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::folder::{META, NEW, VERSION};
use crate::base::{Error, ErrorKind, Result, RunId};

/// The name of the operation in the error for an old run that could not be deleted. By this name, the error is
/// distinguished from a failure to write a new run.
pub(super) const PRUNE: &str = "event.prune";

/// Default of [`Retention::max_age`]: 30 days. Source: chosen.
const MAX_AGE: Duration = Duration::from_hours(30 * 24);
/// Default of [`Retention::max_runs`]. Source: chosen.
const MAX_RUNS: usize = 100;
/// Time without writing after which a run without a recorded end counts as crashed: one day. Source: chosen; a run that
/// waits for a person writes nothing either.
const MAX_SILENCE: Duration = Duration::from_hours(24);

/// The limits above which stored runs are deleted.
///
/// When a run's folder is created, these limits are applied to all folders beside it that contain a `run_meta.json` of
/// this crate. A run is deleted if it ended longer than `max_age` ago. While there are more than `max_runs` runs, the
/// oldest ended run is deleted. A run without a recorded end counts as ended if it started more than a day ago and
/// nothing has been written for a day.
///
/// ```
/// use webwise::event::Retention;
///
/// assert_eq!(Retention::default().max_runs, Some(100));
/// assert_eq!(Retention::forever().with_max_runs(Some(10)).max_age, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// Maximum time for which a run is kept after its end; `None` for no limit. Default: 30 days.
    pub max_age: Option<Duration>,
    /// Maximum number of runs that are kept, including the new run and runs in progress; `None` for no limit. Default: 100.
    pub max_runs: Option<usize>,
}

impl Retention {
    /// Returns limits with which no run is deleted.
    pub const fn forever() -> Self {
        Self {
            max_age: None,
            max_runs: None,
        }
    }

    /// Sets the maximum time for which a run is kept after its end; `None` for no limit.
    pub const fn with_max_age(self, max_age: Option<Duration>) -> Self {
        Self { max_age, ..self }
    }

    /// Sets the maximum number of runs that are kept; `None` for no limit.
    pub const fn with_max_runs(self, max_runs: Option<usize>) -> Self {
        Self { max_runs, ..self }
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            max_age: Some(MAX_AGE),
            max_runs: Some(MAX_RUNS),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Meta {
    version: u32,
    run: RunId,
    started_at: DateTime<Utc>,
    #[serde(default)]
    ended_at: Option<DateTime<Utc>>,
}

#[derive(Debug)]
struct Stored {
    path: PathBuf,
    /// The time at which the run ended, or at which it started if it has ended without a record of its end; `None` if
    /// it may still be in progress.
    over: Option<DateTime<Utc>>,
}

/// Deletes the runs in `parent` that exceed the limits. `is_open` returns true for a run that is being written now.
///
/// # Errors
/// [`ErrorKind::Io`](crate::ErrorKind::Io) if a run could not be deleted. The other runs that exceed the limits are
/// still deleted. If several runs could not be deleted, the last failure is returned.
pub(super) fn prune(
    parent: &Path,
    retention: &Retention,
    now: DateTime<Utc>,
    is_open: impl Fn(&RunId) -> bool,
) -> Result<()> {
    if *retention == Retention::forever() {
        return Ok(());
    }
    let mut runs = Vec::new();
    for entry in fs::read_dir(parent).map_err(|e| kept(parent, e))? {
        let entry = entry.map_err(|e| kept(parent, e))?;
        // A symbolic link does not count as a folder, so nothing outside `parent` is ever deleted.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            if entry.file_name().to_string_lossy().starts_with(NEW) && is_silent(&entry.path(), now)
            {
                // The process that created this folder was killed before it could rename it. If the removal fails,
                // another process may have removed the folder.
                let _ = fs::remove_dir_all(entry.path());
                continue;
            }
            runs.extend(stored(entry.path(), now, &is_open));
        }
    }
    let mut count = runs.len();
    let mut over: Vec<_> = runs
        .into_iter()
        .filter_map(|run| Some((run.over?, run.path)))
        .collect();
    over.sort();
    let mut result = Ok(());
    for (at, path) in over {
        let is_old = retention.max_age.is_some_and(|max| is_past(at, max, now));
        if is_old || retention.max_runs.is_some_and(|max| count > max) {
            match remove(&path) {
                // A run that cannot be deleted does not stop the deletion of the other runs.
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    result = Err(kept(&path, error));
                }
                // This or another process has deleted the run.
                _ => count -= 1,
            }
        }
    }
    result
}

fn kept(path: &Path, source: io::Error) -> Error {
    Error::new(ErrorKind::Io, PRUNE)
        .with("path", path.display())
        .with_source(source)
}

/// Returns the run in a folder; `None` if it is not certain that this crate created the folder. A run that is being
/// written now counts as not ended.
fn stored(path: PathBuf, now: DateTime<Utc>, is_open: impl Fn(&RunId) -> bool) -> Option<Stored> {
    let name = RunId::parse(path.file_name()?.to_str()?).ok()?;
    if is_open(&name) {
        return Some(Stored { path, over: None });
    }
    let meta: Meta = serde_json::from_slice(&fs::read(path.join(META)).ok()?).ok()?;
    if !(1..=VERSION).contains(&meta.version) || meta.run != name {
        return None;
    }
    let crashed = || is_past(meta.started_at, MAX_SILENCE, now) && is_silent(&path, now);
    let over = meta
        .ended_at
        .or_else(|| crashed().then_some(meta.started_at));
    Some(Stored { path, over })
}

/// Returns true if nothing in the folder was written for [`MAX_SILENCE`]. For an empty folder, its own age counts, because
/// another process may have just made it.
fn is_silent(path: &Path, now: DateTime<Utc>) -> bool {
    let is_old = |data: io::Result<fs::Metadata>| {
        let written = data.and_then(|data| data.modified());
        written.is_ok_and(|at| is_past(at.into(), MAX_SILENCE, now))
    };
    let Ok(entries) = fs::read_dir(path) else {
        return false;
    };
    let mut entries = entries.peekable();
    match entries.peek() {
        None => is_old(fs::metadata(path)),
        Some(_) => entries.all(|entry| is_old(entry.and_then(|at| at.metadata()))),
    }
}

fn is_past(at: DateTime<Utc>, max: Duration, now: DateTime<Utc>) -> bool {
    now.signed_duration_since(at)
        .to_std()
        .is_ok_and(|age| age > max)
}

/// Deletes a run's folder. `run_meta.json` is deleted last, so that a later call can finish an interrupted deletion.
fn remove(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != OsStr::new(META) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(path)
}
