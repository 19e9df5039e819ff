//! The records of an item that consists of steps, such as a trajectory: one record for the item, and one for each step.

use super::{Change, Record, StoredStep};
use crate::base::{Error, ErrorKind, Result};

const DIGITS: usize = 2;

/// Returns the key of the item to which the record with this key belongs: the item's own record, or that of a step.
pub(super) fn owner(key: &str) -> &str {
    key.split_once('.').map_or(key, |(owner, _)| owner)
}

/// Returns the key of the record of step `n` of the item `key`. The keys sort in the order of the steps.
fn step_key(key: &str, n: usize) -> String {
    format!("{key}.{n:0DIGITS$}")
}

/// Returns the record of an item, followed by the records of the item's steps.
///
/// # Errors
/// `Corrupt` if a step cannot be written as JSON.
pub(super) fn with_steps(item: Record, steps: &[StoredStep]) -> Result<Vec<Record>> {
    let key = item.key.clone();
    let mut records = vec![item];
    for (step, n) in steps.iter().zip(0..) {
        let body = serde_json::to_value(step)
            .map_err(|error| Error::new(ErrorKind::Corrupt, "memory.write").with_source(error))?;
        records.push(Record::new(step_key(&key, n), &body));
    }
    Ok(records)
}

/// Returns the steps of an item from the records of a shelf, which must be ordered by key. Returns `None` if a step is
/// missing or cannot be read.
pub(super) fn steps_of(records: &[Record], key: &str, count: usize) -> Option<Vec<StoredStep>> {
    let step = |n| {
        let key = step_key(key, n);
        let at = records
            .binary_search_by(|record| record.key.cmp(&key))
            .ok()?;
        serde_json::from_value(records[at].body.clone()).ok()
    };
    (0..count).map(step).collect()
}

pub(super) fn removal(records: &[Record], key: &str) -> Vec<Change> {
    let own = records.iter().filter(|record| owner(&record.key) == key);
    own.map(|record| Change::Remove(record.key.clone()))
        .collect()
}

pub(super) fn replacing(records: &[Record], key: &str, new: Vec<Record>) -> Vec<Change> {
    let is_gone = |change: &Change| match change {
        Change::Remove(key) => new.iter().all(|record| record.key != *key),
        Change::Put(_) => true,
    };
    let mut changes = removal(records, key);
    changes.retain(is_gone);
    let new = new.into_iter().filter(|record| !records.contains(record));
    changes.extend(new.map(Change::Put));
    changes
}
