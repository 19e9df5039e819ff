//! The records of a trajectory: a header, and one record for each step.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    action::{BrowserTool, Effect, Key, ParameterName},
    base::{Error, ErrorKind, Result, RunId},
    memory::{Aim, Change, Record},
    page::{Collection, Locator, PageTemplate, Role},
    secret::SecretName,
};

/// Maximum size of a step's record. Unit: bytes. Source: chosen; with it, 20 trajectories of 50 steps fit on a shelf.
pub const MAX_STEP_BYTES: usize = 512;
/// Number of digits in a step's key.
const DIGITS: usize = 2;

/// The way in which a run reached its goal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trajectory {
    /// The task and the results of the trajectory.
    pub header: Header,
    /// The steps, in order.
    pub steps: Vec<TrajectoryStep>,
}

/// The header of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Header {
    /// The goal of the run, in the user's words.
    pub goal: String,
    /// The values of the goal that steps use, as ranges of bytes of the goal. A step refers to a value by its position
    /// here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<(usize, usize)>,
    /// The run that the steps come from.
    pub run: RunId,
    /// All runs that reached their goal in this way, newest last, at most [`MAX_RUNS`].
    pub runs: Vec<RunId>,
    /// The time when the last of these runs ended.
    pub timestamp: DateTime<Utc>,
    /// Number of steps.
    pub steps: usize,
    /// Number of replies of the model in the run that the steps come from.
    pub turns: u32,
    /// Duration of that run. Unit: milliseconds.
    pub duration_ms: u64,
    /// True if another person's export contained the trajectory and nobody here has accepted it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// What became of the last runs that were shown the trajectory, oldest first, at most [`MAX_RESULTS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<(RunId, Use)>,
}

/// Maximum number of runs that a header names. Source: chosen.
pub const MAX_RUNS: usize = 8;
/// Maximum number of results that a header keeps. Source: chosen.
pub const MAX_RESULTS: usize = 12;

/// The result of a run that was shown a trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Use {
    /// The run took at least half of the steps and reached its goal.
    Helped,
    /// The run reached its goal in another way.
    Ignored,
    /// The run did not reach its goal.
    Failed,
}

impl Use {
    /// Returns the result as the fields of a note.
    pub(super) fn told(self) -> Value {
        let (helped, harmed) = (self == Self::Helped, self == Self::Failed);
        json!({ "result": self, "used": helped, "followed": helped, "helped": helped, "harmed": harmed })
    }
}

/// One step of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TrajectoryStep {
    /// The tool.
    pub tool: BrowserTool,
    /// The kind of page on which the step was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// The kind of page to which the step led; `None` if it stayed on its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<PageTemplate>,
    /// The target; `None` if the step has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The text that was typed or chosen; `None` if the step has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Given>,
    /// The key that was pressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// True if Enter followed the text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub submit: bool,
    /// The possible effect of the step, judged before it was taken.
    pub effect: Effect,
    /// True if the page showed that the step had an effect.
    pub verified: bool,
}

/// The target of a step of a trajectory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Target {
    /// The role.
    pub role: Role,
    /// What identifies the target; `None` if its name is a value of the task, or was chosen from a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The value of the goal that is the target's name, as a position in [`Header::slots`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
    /// The landmark around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
    /// Its position among similar siblings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// The durable locator; `None` if the driver gave none, or if it contains a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// True in a trajectory that is read for another goal, if the name of the target says a value of its own goal.
    #[serde(skip)]
    pub(super) is_of_goal: bool,
}

/// The source of a text that a step typed or chose. The text itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Given {
    /// A value of the goal, as a position in [`Header::slots`].
    Slot(usize),
    /// A parameter of the task.
    Parameter(ParameterName),
    /// A secret of the task.
    Secret(SecretName),
    /// A text that is not in the goal.
    Other {
        /// Its length. Unit: characters.
        chars: usize,
    },
}

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

    /// Returns the record of the header.
    ///
    /// # Errors
    /// `Corrupt` if it cannot be written as JSON.
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
    /// `Corrupt` if it cannot be written as JSON.
    pub fn to_records(&self, key: &str) -> Result<Vec<Record>> {
        let failed = |error| Error::new(ErrorKind::Corrupt, "trajectory.write").with_source(error);
        let mut records = vec![self.header.to_record(key)?];
        for (step, n) in self.steps.iter().zip(0..) {
            let body = serde_json::to_value(step).map_err(failed)?;
            let record = Record::new(step_key(key, n), &body);
            records.push(record);
        }
        Ok(records)
    }

    /// Reads all trajectories of a shelf, each with its key. A trajectory with missing or unreadable records is left
    /// out.
    pub fn all(records: &[Record]) -> Vec<(String, Self)> {
        let headers = records.iter().filter(|record| !record.key.contains('.'));
        headers
            .filter_map(|record| {
                let header = Header::from_record(record).ok()?;
                let steps = (0..header.steps).map(|n| {
                    let key = step_key(&record.key, n);
                    let at = records
                        .binary_search_by(|record| record.key.cmp(&key))
                        .ok()?;
                    serde_json::from_value(records[at].body.clone()).ok()
                });
                let steps = steps.collect::<Option<Vec<TrajectoryStep>>>()?;
                let of_goal = |(from, to): &(usize, usize)| header.goal.get(*from..*to).is_some();
                let refers = |slot: usize| slot < header.slots.len();
                let is_sound = header.slots.iter().all(of_goal)
                    && steps.iter().flat_map(TrajectoryStep::slots).all(refers);
                is_sound.then(|| (record.key.clone(), Self { header, steps }))
            })
            .collect()
    }

    /// Returns the share of the steps whose effect was seen. Range: 0 to 1.
    pub fn verified_share(&self) -> f64 {
        let seen = self.steps.iter().filter(|step| step.verified).count();
        #[expect(clippy::cast_precision_loss, reason = "at most 50 steps")]
        let share = seen as f64 / self.steps.len().max(1) as f64;
        share
    }

    /// Returns the changes that remove everything under a key.
    pub(super) fn removal(records: &[Record], key: &str) -> Vec<Change> {
        let is_of = |record: &&Record| owner(&record.key) == key;
        let own = records.iter().filter(is_of);
        own.map(|record| Change::Remove(record.key.clone()))
            .collect()
    }
}

impl TrajectoryStep {
    /// Returns the values of the goal that the step uses.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> + use<> {
        let text = match self.text {
            Some(Given::Slot(slot)) => Some(slot),
            _ => None,
        };
        let name = self.target.as_ref().and_then(|target| target.slot);
        text.into_iter().chain(name)
    }
}

/// Returns the key of the trajectory that a record belongs to.
pub(super) fn owner(key: &str) -> &str {
    key.split_once('.').map_or(key, |(owner, _)| owner)
}

/// Returns the key of a step. Keys are in the order of the steps.
fn step_key(key: &str, n: usize) -> String {
    format!("{key}.{n:0DIGITS$}")
}
