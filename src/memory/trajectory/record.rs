//! The records of a trajectory: a header, and one record for each step.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    base::{Error, ErrorKind, Result, RunId, text},
    memory::{
        Advice, Record, StoredStep, Use,
        step_records::{steps_of, with_steps},
    },
};

/// The recorded steps by which a run reached its goal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trajectory {
    /// The data of the trajectory besides its steps.
    pub header: Header,
    /// The steps, in order.
    pub steps: Vec<StoredStep>,
}

/// The data of a trajectory besides its steps: the goal, the runs that took the steps, and the results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The goal of the run that the steps come from, in the user's words. Undoing that run does not change this goal.
    pub goal: String,
    /// The values of the goal that the steps use, each as a range of bytes in `goal`. A step refers to a value by its
    /// position in this list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<(usize, usize)>,
    /// The run that the steps come from, or, if that run was undone, another run that took the same steps.
    pub run: RunId,
    /// The runs that reached their goal by these steps, newest last, at most [`MAX_RUNS`].
    pub runs: Vec<RunId>,
    /// The end of the last run that reached its goal by these steps. This may be a run that took some of them from
    /// memory, which `runs` does not list.
    pub timestamp: DateTime<Utc>,
    /// Number of steps of the trajectory.
    pub steps: usize,
    /// Number of the model's replies in the run that the steps come from.
    pub turns: u32,
    /// Duration of the run that the steps come from. Unit: milliseconds.
    pub duration_ms: u64,
    /// True if the trajectory was imported from a source that the importing person did not trust, and no person has
    /// accepted it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// True if a run of this program recorded these steps in a form from which they can be repeated without a model.
    /// Single steps may still need the model. If this is false, the steps are only shown to models. An import sets it
    /// to false unless the importing person trusts the source.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeatable: bool,
    /// The results of the latest runs that were shown the trajectory, oldest first, at most [`MAX_RESULTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(RunId, Use)>,
}

/// Maximum number of runs that a header lists. Source: chosen.
pub const MAX_RUNS: usize = 8;
/// Maximum number of results that a header keeps. Source: chosen.
pub const MAX_RESULTS: usize = 12;

impl Header {
    /// Reads a header from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record is not the header of a trajectory.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "trajectory.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns a value of the goal; `None` if the goal has no value at this position of [`slots`](Self::slots).
    pub(super) fn value(&self, slot: usize) -> Option<&str> {
        let (start, end) = *self.slots.get(slot)?;
        self.goal.get(start..end)
    }

    /// Returns the goal as lists show it. While the trajectory waits for review, it is not cut, because a person must see
    /// all of it to accept it.
    pub(super) fn words(&self) -> String {
        if self.imported {
            text::squeeze(&text::clean(&self.goal))
        } else {
            Advice::shown(&self.goal)
        }
    }

    /// Returns the record of the header.
    ///
    /// # Errors
    /// `Corrupt` if the header cannot be written as JSON.
    pub fn to_record(&self, key: &str) -> Result<Record> {
        let body = serde_json::to_value(self).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "trajectory.write").with_source(error)
        })?;
        Ok(Record::new(key, &body))
    }
}

impl Trajectory {
    /// Returns the records of the trajectory under this key.
    ///
    /// # Errors
    /// `Corrupt` if the trajectory cannot be written as JSON.
    pub fn to_records(&self, key: &str) -> Result<Vec<Record>> {
        with_steps(self.header.to_record(key)?, &self.steps)
    }

    /// Reads all trajectories of a shelf, each with its key. `records` must be ordered by key. Trajectories with
    /// missing or unreadable records are left out, and so are those with a slot that does not exist in the goal.
    pub fn all(records: &[Record]) -> Vec<(String, Self)> {
        let headers = records.iter().filter(|record| !record.key.contains('.'));
        headers
            .filter_map(|record| {
                let header = Header::from_record(record).ok()?;
                let steps = steps_of(records, &record.key, header.steps)?;
                let of_goal = |(from, to): &(usize, usize)| header.goal.get(*from..*to).is_some();
                let refers = |slot: usize| slot < header.slots.len();
                let is_sound = header.slots.iter().all(of_goal)
                    && steps.iter().flat_map(StoredStep::slots).all(refers);
                is_sound.then(|| (record.key.clone(), Self { header, steps }))
            })
            .collect()
    }

    /// Returns the share of the steps that had a visible effect on the page. Range: 0 to 1.
    pub fn verified_share(&self) -> f64 {
        let seen = self.steps.iter().filter(|step| step.verified).count();
        #[expect(clippy::cast_precision_loss, reason = "at most 50 steps")]
        let share = seen as f64 / self.steps.len().max(1) as f64;
        share
    }
}
