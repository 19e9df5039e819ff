//! Edits of a shelf: pure functions from the stored records to a list of changes.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{MAX_RECORD_BYTES, MAX_RECORD_DEPTH, Record, is_too_deep};
use crate::base::{Error, ErrorKind, Result, text};

/// Maximum number of characters of a key that an error shows. Source: chosen.
const MAX_SHOWN_KEY: usize = 80;

/// A change of one record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Adds the record, or replaces the record with the same key.
    Put(Record),
    /// Removes the record with this key, if there is one.
    Remove(String),
}

impl Change {
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Put(record) => &record.key,
            Self::Remove(key) => key,
        }
    }
}

type Decide = dyn Fn(&[Record]) -> Result<Vec<Change>> + Send + Sync;

/// A change of a [shelf](super::Shelf) (a group of records), computed from the records that the shelf has when the edit
/// runs.
///
/// The function that computes the changes must be pure, because a store may call it more than once for one edit. An
/// edit that adds what memory learned from a run may also be applied twice for the same run. The second time, it must
/// change nothing.
///
/// ```
/// use serde_json::json;
/// use webwise::memory::{Change, Edit, Record, apply};
///
/// let count = Edit::new(|now: &[Record]| {
///     let n = now.first().and_then(|r| r.body["n"].as_u64()).unwrap_or(0);
///     Ok(vec![Change::Put(Record::new("counter", &json!({ "n": n + 1 })))])
/// });
/// let once = apply(&[], &count.changes(&[])?);
/// assert_eq!(apply(&once, &count.changes(&once)?)[0].body["n"], 2);
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Edit(Arc<Decide>);

impl Edit {
    /// Creates an edit. `decide` computes the changes from the records that the shelf has when the edit runs.
    pub fn new(decide: impl Fn(&[Record]) -> Result<Vec<Change>> + Send + Sync + 'static) -> Self {
        Self(Arc::new(decide))
    }

    /// Combines edits into one that runs them in order and returns only the last change of each record. It fails if one
    /// of the edits fails.
    pub(crate) fn together(edits: Vec<Self>) -> Self {
        Self::new(move |records| {
            let (mut now, mut last) = (records.to_vec(), BTreeMap::new());
            for edit in &edits {
                let changes = edit.changes(&now)?;
                now = apply(&now, &changes);
                for change in changes {
                    last.insert(change.key().to_owned(), change);
                }
            }
            Ok(last.into_values().collect())
        })
    }

    /// Returns the changes that the edit makes to the records `now`.
    ///
    /// No change may make a record larger than [`MAX_RECORD_BYTES`] or nested more deeply than [`MAX_RECORD_DEPTH`].
    /// There is one exception: a stored record that is already too large may be replaced by a smaller version.
    ///
    /// # Errors
    /// The error of the function that computes the changes, or [`ErrorKind::TooLarge`] with the key of the record that
    /// is too large. After an error, the shelf stays unchanged.
    pub fn changes(&self, now: &[Record]) -> Result<Vec<Change>> {
        let changes = (self.0)(now)?;
        for change in &changes {
            if let Change::Put(record) = change {
                within_caps(record, now)?;
            }
        }
        Ok(changes)
    }
}

fn within_caps(record: &Record, now: &[Record]) -> Result<()> {
    let too_large = || {
        Error::new(ErrorKind::TooLarge, "memory.edit")
            .with("record", text::truncate(&record.key, MAX_SHOWN_KEY))
    };
    // The earlier version is looked up only for records that are too large, which are few. A lookup for every record
    // would be slow on a large shelf.
    let before = || now.iter().find(|before| before.key == record.key);
    let bytes = record.size();
    if bytes > MAX_RECORD_BYTES && bytes >= before().map_or(0, Record::size) {
        return Err(too_large()
            .with("bytes", bytes)
            .with("max", MAX_RECORD_BYTES));
    }
    if is_too_deep(&record.body) {
        return Err(too_large().with("max_depth", MAX_RECORD_DEPTH));
    }
    Ok(())
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Edit")
    }
}

/// Returns `records` after the changes, ordered by key.
pub fn apply(records: &[Record], changes: &[Change]) -> Vec<Record> {
    let mut map: BTreeMap<String, Record> =
        records.iter().map(|r| (r.key.clone(), r.clone())).collect();
    for change in changes {
        match change {
            Change::Put(record) => {
                map.insert(
                    record.key.clone(),
                    Record::new(record.key.clone(), &record.body),
                );
            }
            Change::Remove(key) => {
                map.remove(key);
            }
        }
    }
    map.into_values().collect()
}

/// The durability of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durable {
    /// The change survives a power cut.
    Yes,
    /// The change lasts only as long as this process.
    InProcess,
}

/// A store's acknowledgement that a shelf was updated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Committed {
    /// The generation of the shelf after this update: a number that grows with each update that changes the shelf.
    pub generation: u64,
    /// The durability of the update.
    pub durable: Durable,
    /// The changes that were applied.
    pub changes: Vec<Change>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn edits_together_do_what_they_do_one_after_the_other() {
        let put = |key: &'static str| {
            Edit::new(move |now: &[Record]| {
                let known = now.iter().find(|record| record.key == key);
                let n = known.map_or(0, |record| record.body["n"].as_u64().unwrap_or(0));
                Ok(vec![Change::Put(Record::new(key, &json!({ "n": n + 1 })))])
            })
        };
        let remove = Edit::new(|_| Ok(vec![Change::Remove("b".to_owned())]));
        let edits = vec![put("b"), put("a"), put("a"), remove, put("c")];
        let mut one_by_one = Vec::new();
        for edit in &edits {
            one_by_one = apply(&one_by_one, &edit.changes(&one_by_one).unwrap());
        }
        let changes = Edit::together(edits).changes(&[]).unwrap();
        assert_eq!(apply(&[], &changes), one_by_one);
        assert_eq!(changes.len(), 3);
        let fails = Edit::new(|_| Err(Error::new(ErrorKind::Corrupt, "test")));
        assert!(Edit::together(vec![put("a"), fails]).changes(&[]).is_err());
    }
}
