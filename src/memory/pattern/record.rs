//! The records for the patterns of a host: the patterns with their steps, and the last runs with hashes of their steps.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    FAILED_IN_A_ROW, MAX_STEPS, MIN_STEPS,
    common::{can_begin, signature},
};
use crate::{
    base::{Error, ErrorKind, Result, RunId, short_hash},
    memory::{
        MAX_RECORD_BYTES, Record, StoredStep, Use, Uses,
        step_records::{steps_of, with_steps},
    },
};

/// Maximum number of runs that a pattern lists as evidence. Source: chosen.
pub const MAX_EVIDENCE: usize = 8;
/// Maximum number of runs whose results a pattern keeps. Source: chosen; as for trajectories.
pub const MAX_RESULTS: usize = 12;

/// Prefix of the keys of records that hold the hashes of a run's steps. Lists for people do not show these records.
pub(super) const RECENT: &str = "recent.";

/// The purpose of the steps of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PatternType {
    /// The steps type a secret or a password.
    LoginFlow,
    /// The steps show another page or another part of the page.
    Navigation,
    /// The steps fill in fields.
    FormFill,
    /// The steps type into search fields only.
    Search,
    /// Any other steps.
    Other,
}

impl PatternType {
    /// Returns the word that stored records use for the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LoginFlow => "login_flow",
            Self::Navigation => "navigation",
            Self::FormFill => "form_fill",
            Self::Search => "search",
            Self::Other => "other",
        }
    }

    const fn describes(self) -> &'static str {
        match self {
            Self::LoginFlow => "How earlier tasks logged in here",
            Self::Navigation => "How earlier tasks went on from here",
            Self::FormFill => "How earlier tasks filled in a form here",
            Self::Search => "How earlier tasks searched here",
            Self::Other => "Steps that earlier tasks took here",
        }
    }
}

/// The origin of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PatternSource {
    /// Runs with different goals took the steps of the pattern.
    Learned,
    /// A person or a program gave the pattern, or a person accepted it.
    User,
    /// Another person's export contained the pattern. No person has accepted it since the import.
    Imported,
}

/// A run that reached its goal and took the steps of a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The id of the run.
    pub run: RunId,
    /// A hash of the run's goal. Goals that differ only in typed or chosen values have the same hash.
    pub goal: String,
}

/// The data of a pattern besides its steps, such as its type, origin, description and counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The type of the pattern.
    #[serde(rename = "type")]
    pub kind: PatternType,
    /// The origin of the pattern.
    pub source: PatternSource,
    /// The description that a person or program gave the pattern; `None` for a learned pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Number of steps of the pattern.
    pub steps: usize,
    /// Runs that reached their goal and took the steps, oldest first, at most [`MAX_EVIDENCE`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The pattern's results: one for each run to which the pattern was shown, and one for each use that
    /// [`credit`](super::credit) counted. Oldest first, at most [`MAX_RESULTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(RunId, Use)>,
    /// Number of runs that were shown the pattern, plus the number of uses that [`credit`](super::credit) counted.
    #[serde(default)]
    pub shown: u64,
    /// Number of runs and uses, among those counted in `shown`, in which all steps were taken.
    #[serde(default)]
    pub succeeded: u64,
    /// Number of those runs and uses counted in `shown` in which a step failed.
    #[serde(default)]
    pub failed: u64,
    /// The time when the pattern was learned or given.
    pub created: DateTime<Utc>,
    /// The end of the last run or use that took all steps. If there was none, the time when the pattern was given.
    pub last_used: DateTime<Utc>,
}

/// A sequence of steps that tasks with different goals share on a host.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Pattern {
    /// The data of the pattern besides its steps, such as its type, origin, description and counts.
    pub header: Header,
    /// The steps, in order.
    pub steps: Vec<StoredStep>,
}

impl Header {
    /// Reads a header from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not the header of a pattern.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "pattern.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the header. If the record would be too large, the oldest results and runs are left out.
    ///
    /// # Errors
    /// `Corrupt` if the header cannot be written as JSON.
    pub fn to_record(&self, key: &str) -> Result<Record> {
        let mut header = self.clone();
        loop {
            let body = serde_json::to_value(&header).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "pattern.write").with_source(error)
            })?;
            let record = Record::new(key, &body);
            if record.size() <= MAX_RECORD_BYTES {
                return Ok(record);
            }
            if header.results.len() > FAILED_IN_A_ROW {
                header.results.remove(0);
            } else if header.evidence.len() > 2 {
                header.drop_oldest();
            } else {
                return Ok(record);
            }
        }
    }

    /// Returns the description that a person or program gave the pattern. If there is none, returns this crate's
    /// sentence for the type of the pattern.
    pub fn description(&self) -> &str {
        self.words.as_deref().unwrap_or(self.kind.describes())
    }

    /// Returns the number of different goals of the runs in `evidence`.
    pub fn goals(&self) -> usize {
        let goals: BTreeSet<&str> = self.evidence.iter().map(|one| &*one.goal).collect();
        goals.len()
    }

    /// Returns true if the pattern is no longer shown, because at least the last [`FAILED_IN_A_ROW`] runs that tried its
    /// steps failed.
    pub fn is_retired(&self) -> bool {
        let tried = self.results.iter().rev().map(|(_, result)| *result);
        let tried = tried.filter(|result| *result != Use::Ignored);
        tried.take_while(|result| *result == Use::Failed).count() >= FAILED_IN_A_ROW
    }

    pub(super) fn is_retired_by(&self, run: &RunId) -> bool {
        let failed = |(last, result): &(RunId, Use)| last == run && *result == Use::Failed;
        self.is_retired() && self.results.last().is_some_and(failed)
    }

    pub(super) fn bring_back(&mut self) {
        self.results.retain(|(_, result)| *result != Use::Failed);
        self.failed = 0;
    }

    /// Returns how often the pattern was shown and used, with the results.
    pub const fn uses(&self) -> Uses {
        Uses {
            shown: self.shown,
            used: self.succeeded.saturating_add(self.failed),
            helped: self.succeeded,
            harmed: self.failed,
        }
    }

    /// Counts the result of the pattern in a run, unless the run is in `results`.
    pub(super) fn count(&mut self, run: &RunId, result: Use, now: DateTime<Utc>) {
        if self.results.iter().any(|(known, _)| known == run) {
            return;
        }
        self.results.push((run.clone(), result));
        let excess = self.results.len().saturating_sub(MAX_RESULTS);
        self.results.drain(..excess);
        self.shown += 1;
        match result {
            Use::Helped => {
                self.succeeded += 1;
                self.last_used = self.last_used.max(now);
            }
            Use::Failed => self.failed += 1,
            _ => {}
        }
    }

    /// Adds a run to the evidence, unless the evidence contains it. The run took the pattern's steps, so a retired
    /// pattern becomes active again.
    pub(super) fn add(&mut self, run: &RunId, goal: &str, now: DateTime<Utc>) {
        if self.evidence.iter().any(|known| known.run == *run) {
            return;
        }
        if self.is_retired() {
            // The steps work again.
            self.results.clear();
        }
        self.evidence.push(Evidence {
            run: run.clone(),
            goal: goal.to_owned(),
        });
        self.last_used = self.last_used.max(now);
        while self.evidence.len() > MAX_EVIDENCE {
            self.drop_oldest();
        }
    }

    /// Removes one run from the evidence: the oldest run whose goal another run shares, or else the oldest run.
    fn drop_oldest(&mut self) {
        let all = &self.evidence;
        let is_spare = |one: &Evidence| all.iter().filter(|of| of.goal == one.goal).count() > 1;
        let at = all.iter().position(is_spare).unwrap_or(0);
        self.evidence.remove(at);
    }

    /// Removes a run from the evidence and the results. Returns true if it was in either.
    pub(super) fn remove(&mut self, run: &RunId) -> bool {
        let before = self.evidence.len() + self.results.len();
        self.evidence.retain(|known| known.run != *run);
        if let Some(at) = self.results.iter().position(|(known, _)| known == run) {
            let (_, result) = self.results.remove(at);
            self.shown = self.shown.saturating_sub(1);
            let count = match result {
                Use::Helped => &mut self.succeeded,
                Use::Failed => &mut self.failed,
                _ => return true,
            };
            *count = count.saturating_sub(1);
        }
        self.evidence.len() + self.results.len() < before
    }
}

impl Pattern {
    /// Returns the key of the pattern, a hash of its steps.
    pub fn key(&self) -> String {
        key(&self.signatures())
    }

    pub(super) fn signatures(&self) -> Vec<Option<String>> {
        self.steps.iter().map(signature).collect()
    }

    /// Returns the records of the pattern.
    ///
    /// # Errors
    /// `Corrupt` if the pattern cannot be written as JSON.
    pub fn to_records(&self) -> Result<Vec<Record>> {
        with_steps(self.header.to_record(&self.key())?, &self.steps)
    }

    /// Reads all patterns of a shelf, each with its key. `records` must be ordered by key, as stores return them. A
    /// pattern is left out if one of its records is missing or unreadable, if its key is not the hash of its steps, or
    /// if no pattern can have these steps.
    pub fn all(records: &[Record]) -> Vec<(String, Self)> {
        let headers = records.iter().filter(|record| !record.key.contains('.'));
        let read = headers.filter_map(|record| {
            let header = Header::from_record(record).ok()?;
            if !(MIN_STEPS..=MAX_STEPS).contains(&header.steps) {
                return None;
            }
            let steps = steps_of(records, &record.key, header.steps)?;
            let pattern = Self { header, steps };
            let is_sound = can_begin(&pattern.steps[0])
                && pattern.signatures().iter().all(Option::is_some)
                && pattern.key() == record.key;
            is_sound.then(|| (record.key.clone(), pattern))
        });
        read.collect()
    }
}

pub(super) fn key(signatures: &[Option<String>]) -> String {
    let all: Vec<&str> = signatures.iter().flatten().map(String::as_str).collect();
    format!("p-{}", short_hash(all.join(" ")))
}

/// A run that reached its goal, with the hashes of its steps. Later runs are compared with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recent {
    pub(super) run: RunId,
    /// A hash of the run's goal.
    pub(super) goal: String,
    /// The time when the run ended.
    pub(super) at: DateTime<Utc>,
    /// The hashes of the run's steps; `None` for a step that cannot be part of a pattern.
    pub(super) steps: Vec<Option<String>>,
}

impl Recent {
    pub(super) fn from_record(record: &Record) -> Option<Self> {
        if !record.key.starts_with(RECENT) {
            return None;
        }
        serde_json::from_value(record.body.clone()).ok()
    }

    pub(super) fn to_record(&self) -> Result<Record> {
        let body = serde_json::to_value(self)
            .map_err(|error| Error::new(ErrorKind::Corrupt, "pattern.write").with_source(error))?;
        Ok(Record::new(self.key(), &body))
    }

    pub(super) fn key(&self) -> String {
        format!("{RECENT}{}", self.run)
    }
}
