//! Changes to a run's manifest during the life of the run: when the run starts, gives a sign of life (heartbeat), ends,
//! or is resumed by another process.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use url::Url;

use super::{RunManifest, RunStatus};
use crate::{
    base::{Error, ErrorKind, Result, RunId, SessionId, text},
    memory::{Change, Committed, Record},
};

/// Time between two heartbeats of a run. Source: chosen.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Time without a heartbeat after which a run counts as abandoned. Source: chosen.
pub const ABANDONED_AFTER: Duration = Duration::from_mins(1);
/// Maximum number of runs in the register, apart from old runs that are still running. Starting a run removes every run
/// that would not be among the newest `MAX_RUNS`, unless it is still running. Source: chosen, equal to the default
/// maximum number of run folders.
pub const MAX_RUNS: usize = 100;
/// Maximum time since the last write of a run's manifest. A run whose last write is longer ago is removed when another
/// run starts. Unit: days. Source: chosen, equal to the default maximum age of run folders.
pub const MAX_AGE_DAYS: i64 = 30;
/// Maximum length of the goal, and of the answer, in the line that describes an earlier run. Unit: characters. Source:
/// chosen.
const MAX_SAID: usize = 100;

/// A heartbeat of a run: a sign that the run's process is alive, with the progress of the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// The address of the page, if it is known.
    pub current_url: Option<String>,
    /// Number of calls of the model so far, including failed ones.
    pub turns: u32,
    /// Number of the step in which an irreversible action is about to be carried out. `None` leaves the number that the
    /// manifest has.
    pub irreversible_step: Option<u32>,
}

impl Heartbeat {
    /// Creates a heartbeat.
    pub const fn new(current_url: Option<String>, turns: u32) -> Self {
        Self {
            current_url,
            turns,
            irreversible_step: None,
        }
    }
}

/// The end of a run, as it is written to the run's manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// True if the run ended with the model's report that the goal is reached. False if the model gave up, even with an
    /// answer.
    pub completed: bool,
    /// True if a page showed that the goal is reached.
    pub success: bool,
    /// The address of the last page.
    pub final_url: Option<String>,
    /// Number of calls of the model, including failed ones.
    pub turns: u32,
    /// The cost of the run, in one line.
    pub summary: Option<String>,
    /// The answer. A run that gave up can have one too.
    pub result: Option<String>,
    /// The claims of the answer that no page of the run supports, as a list in one line.
    pub unverified: Option<String>,
    /// The reason why the run ended.
    pub reason: Option<String>,
}

impl End {
    /// Creates an end with these values. All other fields are empty.
    pub const fn new(completed: bool, success: bool) -> Self {
        Self {
            completed,
            success,
            final_url: None,
            turns: 0,
            summary: None,
            result: None,
            unverified: None,
            reason: None,
        }
    }
}

/// The parts of an earlier run that a new run takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Continuation {
    /// The id of the earlier run.
    pub parent: RunId,
    /// The session of the new run.
    pub session: Option<SessionId>,
    /// The page on which the earlier run ended.
    pub start_url: Url,
    /// A description of the earlier run in one line: its status, its goal and its answer. The answer is text of a
    /// model.
    pub history: String,
}

impl Continuation {
    /// Returns the parts of an earlier run that a new run takes over. `session` is the session of the new run.
    ///
    /// # Errors
    /// The errors of [`RunManifest::resume_url`]. `Busy` if the earlier run is still running.
    pub fn of(
        parent: &RunManifest,
        session: Option<SessionId>,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        refuse_running(parent, now)?;
        let said = |words: &str| text::truncate(words, MAX_SAID);
        let claims = parent.unverified.as_ref();
        let claims = claims.map_or_else(String::new, |claims| format!(" (unverified: {claims})"));
        let answer = parent.result.as_ref();
        let answer = answer.map_or_else(String::new, |answer| {
            format!("; answer{claims}: {}", said(answer))
        });
        Ok(Self {
            parent: parent.run.clone(),
            session,
            start_url: parent.resume_url()?,
            history: format!("{}: {}{answer}", parent.status_at(now), said(&parent.goal)),
        })
    }
}

impl RunManifest {
    /// Checks that another process may resume the run at the time `now`.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if the run ended with an answer, or if
    /// [`resume_url`](Self::resume_url) refuses its last page. `Busy` if the run is still running.
    pub fn may_resume(&self, now: DateTime<Utc>) -> Result<()> {
        refuse_running(self, now)?;
        if self.status == RunStatus::Completed {
            let why = "it has ended with an answer: a new run can go on from its last page";
            return Err(Error::new(ErrorKind::InvalidInput, "run.take")
                .with("run", &self.run)
                .with("why", why));
        }
        self.resume_url().map(drop)
    }
}

fn refuse_running(run: &RunManifest, now: DateTime<Utc>) -> Result<()> {
    if run.status_at(now) != RunStatus::Running {
        return Ok(());
    }
    let silent = (now - run.updated_at).num_seconds().max(0);
    let wait = i64::try_from(ABANDONED_AFTER.as_secs()).unwrap_or(i64::MAX) - silent;
    let why = format!(
        "it is going on: its last sign of life is {silent} s old; if its process is gone, try again in {} s",
        wait.max(0) + 1
    );
    Err(Error::new(ErrorKind::Busy, "run.take")
        .with("run", &run.run)
        .with("why", why))
}

fn manifest(records: &[Record], run: &RunId) -> Option<Result<RunManifest>> {
    let record = records.iter().find(|record| record.key == run.as_str())?;
    Some(RunManifest::from_record(record))
}

/// Returns the changes that add a run to the register. These changes also remove runs that were last updated more than
/// [`MAX_AGE_DAYS`] ago, and runs that would not be among the newest [`MAX_RUNS`]. A run that is still running is never
/// removed, and no other run is removed in its place.
///
/// # Errors
/// `InvalidInput` if there already is a run with this id.
pub(crate) fn start(records: &[Record], run: &RunManifest) -> Result<Vec<Change>> {
    if manifest(records, &run.run).is_some() {
        return Err(Error::new(ErrorKind::InvalidInput, "run.start")
            .with("run", &run.run)
            .with("why", "a run with this id is known"));
    }
    let now = run.started_at;
    let mut known: Vec<RunManifest> = records
        .iter()
        .filter_map(|record| RunManifest::from_record(record).ok())
        .collect();
    known.sort_by(|one, other| (other.started_at, &other.run).cmp(&(one.started_at, &one.run)));
    let is_old = |run: &RunManifest| now - run.updated_at > TimeDelta::days(MAX_AGE_DAYS);
    let over = known.iter().enumerate().filter(|(nth, run)| {
        (*nth + 1 >= MAX_RUNS || is_old(run)) && run.status_at(now) != RunStatus::Running
    });
    let mut changes: Vec<Change> = over
        .map(|(_, run)| Change::Remove(run.run.to_string()))
        .collect();
    changes.push(Change::Put(run.to_record()?));
    Ok(changes)
}

/// Returns true if the committed changes of [`start`] removed other runs.
pub(crate) fn is_pruned(committed: &Committed) -> bool {
    let mut changes = committed.changes.iter();
    changes.any(|change| matches!(change, Change::Remove(_)))
}

/// Returns the changes that write a heartbeat (a sign of life) into a run's manifest. Returns no changes if the run was
/// removed, or if another process holds the run's lease.
pub(crate) fn beat(
    records: &[Record],
    run: &RunId,
    lease: u32,
    sign: &Heartbeat,
    now: DateTime<Utc>,
) -> Result<Vec<Change>> {
    change(records, run, lease, |run| {
        run.updated_at = now;
        run.turn_count = sign.turns;
        run.irreversible_step = sign.irreversible_step.or(run.irreversible_step);
        if let Some(url) = &sign.current_url {
            if run.domain.is_none() {
                run.domain = run.clone().starting_at(url).domain;
            }
            run.current_url = Some(url.clone());
        }
    })
}

/// Returns the changes that write the end of a run into its manifest. Returns no changes if the run was removed, or if
/// another process holds the run's lease.
pub(crate) fn end(
    records: &[Record],
    run: &RunId,
    lease: u32,
    end: &End,
    now: DateTime<Utc>,
) -> Result<Vec<Change>> {
    change(records, run, lease, |run| {
        run.status = if end.completed {
            RunStatus::Completed
        } else {
            RunStatus::Failed
        };
        run.updated_at = now;
        run.completed_at = Some(now);
        run.success = Some(end.success);
        run.turn_count = end.turns;
        if end.final_url.is_some() {
            run.final_url.clone_from(&end.final_url);
            run.current_url = None;
        }
        run.summary.clone_from(&end.summary);
        run.result.clone_from(&end.result);
        run.unverified.clone_from(&end.unverified);
        run.reason.clone_from(&end.reason);
    })
}

fn change(
    records: &[Record],
    run: &RunId,
    lease: u32,
    change: impl FnOnce(&mut RunManifest),
) -> Result<Vec<Change>> {
    let Some(known) = manifest(records, run) else {
        return Ok(Vec::new());
    };
    let mut known = known?;
    if known.lease != lease {
        return Ok(Vec::new());
    }
    change(&mut known);
    Ok(vec![Change::Put(known.to_record()?)])
}

/// Returns the changes to the register that let the calling process take over a run, in order to resume it.
///
/// # Errors
/// `InvalidInput`, with the reason as `why`, if there is no such run, if it ended with an answer, or if
/// [`RunManifest::resume_url`] refuses its last page. `Busy` if the run is still running. `Corrupt` if its manifest
/// cannot be read.
pub(crate) fn take(records: &[Record], run: &RunId, now: DateTime<Utc>) -> Result<Vec<Change>> {
    let known = manifest(records, run);
    let mut known = known.ok_or_else(|| {
        Error::new(ErrorKind::InvalidInput, "run.take")
            .with("run", run)
            .with("why", "there is no such run")
    })??;
    known.may_resume(now)?;
    known.lease = known.lease.saturating_add(1);
    known.status = RunStatus::Running;
    known.updated_at = now;
    known.current_url = known.final_url.take().or(known.current_url);
    (known.completed_at, known.success) = (None, None);
    (known.summary, known.result, known.reason) = (None, None, None);
    known.unverified = None;
    Ok(vec![Change::Put(known.to_record()?)])
}
