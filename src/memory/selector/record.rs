//! The record of an element that runs used.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::learn::Used;
use crate::{
    base::{Error, ErrorKind, Result, RunId, canonical, short_hash, text},
    memory::{MAX_RECORD_BYTES, PageName, Record},
    page::{KnownElement, Role},
};

/// Maximum number of names kept of one element. The newest are kept. Source: chosen.
pub const MAX_NAMES: usize = 3;
/// Maximum number of runs listed for one element. The latest are kept. Source: chosen.
pub const MAX_RUNS: usize = 8;
/// Number of consecutive failures after which the attributes of an element are no longer used. Only actions whose target was
/// found by these attributes count. Source: chosen, as for lessons.
pub const FAILED_IN_A_ROW: usize = 3;

/// An attribute by which an element can be found again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The name of the attribute.
    pub attribute: String,
    /// The value of the attribute. The page wrote this text, so it is untrusted.
    pub value: String,
    /// Number of runs that used the element successfully while the attribute had this value.
    pub succeeded: u64,
}

/// A run that used an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The id of the run.
    pub run: RunId,
    /// True if the target could not be found as the model named it, and the element was found by its attributes instead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub healed: bool,
    /// True if the action on the element succeeded.
    pub done: bool,
    /// Hashes of the name and the attributes that the element had in this run, so that [`Selectors`](super::Selectors)
    /// can undo the run. Empty if the action failed, if an older version of this crate stored the run, or if the record
    /// would be too large with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub saw: Vec<String>,
}

/// An element that runs used on the pages of a host, with the attributes by which it is found again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Selector {
    /// The role of the element.
    pub role: Role,
    /// The names that the element had, newest first, at most [`MAX_NAMES`]. The page wrote these texts, so they are
    /// untrusted.
    pub names: Vec<String>,
    /// The attributes by which the element is found again. The first attribute is part of the record's key.
    pub marks: Vec<Mark>,
    /// The last runs that used the element, oldest first, at most [`MAX_RUNS`].
    pub uses: Vec<Use>,
    /// Number of runs in which an action on the element succeeded.
    pub succeeded: u64,
    /// Number of runs in which the element was found by its attributes and the action on it failed. The count starts
    /// again from 0 when a person makes the retired element active again.
    pub failed: u64,
    /// The end of the last run that used the element.
    pub last_used: DateTime<Utc>,
    /// True if the element was imported from a source that the importing person did not trust, and no person has
    /// accepted it since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
    /// Unknown fields, written by a newer version and kept unchanged.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Selector {
    /// Creates an element with the role of `used`. [`add`](Self::add) adds its names, attributes and uses.
    pub(super) fn new(used: &Used, now: DateTime<Utc>) -> Self {
        Self {
            role: used.role.clone(),
            names: Vec::new(),
            marks: Vec::new(),
            uses: Vec::new(),
            succeeded: 0,
            failed: 0,
            last_used: now,
            imported: false,
            extra: Map::new(),
        }
    }

    /// Counts a run that used the element, unless it has been counted before. If the action succeeded, the element's name
    /// and attributes are stored too.
    pub(super) fn add(&mut self, used: &Used, run: &RunId, now: DateTime<Utc>) {
        if self.uses.iter().any(|known| known.run == *run) {
            return;
        }
        self.uses.push(Use {
            run: run.clone(),
            healed: used.healed,
            done: used.done,
            saw: if used.done { saw(used) } else { Vec::new() },
        });
        let excess = self.uses.len().saturating_sub(MAX_RUNS);
        self.uses.drain(..excess);
        self.last_used = self.last_used.max(now);
        if !used.done {
            self.failed += 1;
            return;
        }
        self.succeeded += 1;
        if !used.name.is_empty() {
            self.names.retain(|name| *name != used.name);
            self.names.insert(0, used.name.clone());
            self.names.truncate(MAX_NAMES);
        }
        for (attribute, value) in &used.marks {
            let known = self
                .marks
                .iter_mut()
                .find(|mark| mark.attribute == *attribute);
            match known {
                Some(mark) if mark.value == *value => mark.succeeded += 1,
                // This is never the first attribute: with another first attribute, it would be another element.
                Some(mark) => (mark.value, mark.succeeded) = (value.clone(), 1),
                None => self.marks.push(Mark {
                    attribute: attribute.clone(),
                    value: value.clone(),
                    succeeded: 1,
                }),
            }
        }
    }

    /// Removes a run from the uses and the counts, and the name and attribute values that no other run saw. All of them
    /// stay if it is unknown what some other run saw. The first attribute stays, because it is part of the key. A name or
    /// value that the run replaced is not restored. Returns true if the run had used the element successfully.
    pub(super) fn remove(&mut self, run: &RunId) -> bool {
        let (gone, kept): (Vec<Use>, Vec<Use>) =
            self.uses.drain(..).partition(|one| one.run == *run);
        self.uses = kept;
        for one in &gone {
            let count = if one.done {
                &mut self.succeeded
            } else {
                &mut self.failed
            };
            *count = count.saturating_sub(1);
        }
        let saw = |uses: &[Use], hash: &String| uses.iter().any(|one| one.saw.contains(hash));
        let told = self.uses.iter().filter(|one| !one.saw.is_empty()).count() as u64;
        let is_lost =
            |hash: &String| self.succeeded <= told && saw(&gone, hash) && !saw(&self.uses, hash);
        self.names.retain(|name| !is_lost(&hash("", name)));
        let first = self.marks.first().map(|mark| mark.attribute.clone());
        self.marks.retain_mut(|mark| {
            let hash = hash(&mark.attribute, &mark.value);
            if saw(&gone, &hash) {
                mark.succeeded = mark.succeeded.saturating_sub(1);
            }
            first.as_ref() == Some(&mark.attribute) || !is_lost(&hash)
        });
        gone.iter().any(|one| one.done)
    }

    /// Returns true if the element's attributes are no longer used to find it, because the last [`FAILED_IN_A_ROW`] actions
    /// whose target was found by these attributes failed.
    pub fn is_retired(&self) -> bool {
        let healed = self.uses.iter().rev().filter(|one| one.healed);
        healed.take_while(|one| !one.done).count() >= FAILED_IN_A_ROW
    }

    pub(super) fn bring_back(&mut self) {
        self.uses.retain(|one| one.done);
        self.failed = 0;
    }

    /// Returns the element as the executor looks for it on a page. The first stored attribute stays first; the others are
    /// in descending order of their successes.
    pub(super) fn known(&self) -> KnownElement {
        let first = self.marks.first();
        let mut others: Vec<&Mark> = self.marks.iter().skip(1).collect();
        others.sort_by_key(|mark| std::cmp::Reverse(mark.succeeded));
        let marks = first.into_iter().chain(others);
        KnownElement {
            role: self.role.clone(),
            names: self.names.clone(),
            marks: marks
                .map(|mark| (mark.attribute.clone(), mark.value.clone()))
                .collect(),
        }
    }

    /// Returns the element in words for a person. Texts of the page are written as JSON strings.
    pub(super) fn words(&self) -> String {
        let name = self.names.first().map_or("", String::as_str);
        let mut words = PageName::new(&self.role, name, None).to_string();
        for mark in &self.marks {
            let value = Value::from(text::clean(&mark.value));
            words = format!("{words}, {} {value}", mark.attribute);
        }
        for name in self.names.iter().skip(1) {
            words = format!("{words}, once {}", Value::from(text::clean(name)));
        }
        words
    }

    /// Reads an element from its record.
    ///
    /// # Errors
    /// `Corrupt` if the record does not describe an element.
    pub fn from_record(record: &Record) -> Result<Self> {
        serde_json::from_value(record.body.clone()).map_err(|error| {
            Error::new(ErrorKind::Corrupt, "selector.read")
                .with("key", &record.key)
                .with_source(error)
        })
    }

    /// Returns the record of the element. If it would be too large, first what the oldest runs saw is left out, then the
    /// oldest names, then attributes from the end of the list, then the oldest runs.
    ///
    /// # Errors
    /// `Corrupt` if the element cannot be written as JSON.
    pub fn to_record(&self) -> Result<Record> {
        let mut one = self.clone();
        loop {
            let body = serde_json::to_value(&one).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "selector.write").with_source(error)
            })?;
            let record = Record::new(one.key(), &body);
            if record.size() <= MAX_RECORD_BYTES {
                return Ok(record);
            }
            if let Some(told) = one.uses.iter_mut().find(|known| !known.saw.is_empty()) {
                told.saw.clear();
            } else if one.names.len() > 1 {
                one.names.pop();
            } else if one.marks.len() > 1 {
                one.marks.pop();
            } else if one.uses.len() > 1 {
                one.uses.remove(0);
            } else {
                return Ok(record);
            }
        }
    }

    /// Returns the key of the element's record, computed from the role and the first attribute.
    pub fn key(&self) -> String {
        let first = self.marks.first();
        key(
            &self.role,
            first.map(|mark| (&*mark.attribute, &*mark.value)),
        )
    }
}

/// Returns the hashes of the name and the attributes of an element, as [`Use::saw`] lists them.
fn saw(used: &Used) -> Vec<String> {
    let name = std::iter::once(hash("", &used.name));
    let marks = used.marks.iter().map(|(name, value)| hash(name, value));
    name.chain(marks).collect()
}

/// Returns a hash of an attribute, or of the element's name if `attribute` is empty.
fn hash(attribute: &str, value: &str) -> String {
    let named = json!([attribute, value]);
    short_hash(canonical(&named))
}

pub(super) fn key(role: &Role, first: Option<(&str, &str)>) -> String {
    let named = json!([role, first]);
    format!("element-{}", short_hash(canonical(&named)))
}
