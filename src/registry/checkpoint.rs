//! The shelf of one run: the records in the store that hold the run's lease and its checkpoint. The lease is a number
//! that grows each time another process takes over the run. The checkpoint is split into several records.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    base::{Error, ErrorKind, Result, RunId, short_hash},
    memory::{Change, Namespace, Record, Shelf, waiting},
};

/// Maximum size of a checkpoint. Unit: bytes of JSON. Source: chosen; at this size, a hundred runs take less than a
/// tenth of the maximum size of a store.
pub const MAX_CHECKPOINT: usize = 128 * 1_024;
/// Name of the collection that holds the manifests (the descriptions of the runs).
const MANIFESTS: &str = "agent-runs";
/// Prefix of the name of the collection that holds a run's lease and checkpoint.
const RUN: &str = "agent-run-";
const LEASE: &str = "lease";
/// The part that all keys of a checkpoint's records have in common.
const PARTS: &str = "checkpoint";

/// The data that another process needs to resume a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// The state of the run, as the run's process wrote it.
    pub state: Value,
    /// The action that was about to be carried out in this state; `None` if there was none.
    pub intent: Option<Value>,
}

impl Checkpoint {
    /// Creates a checkpoint.
    pub const fn new(state: Value, intent: Option<Value>) -> Self {
        Self { state, intent }
    }
}

pub(crate) fn manifest_shelf(namespace: &Namespace) -> Shelf {
    Shelf::global(namespace, MANIFESTS)
}

pub(crate) fn checkpoint_shelf(namespace: &Namespace, run: &RunId) -> Shelf {
    Shelf::global(namespace, &own(run.as_str()))
}

/// Returns the name of the collection that holds a run's lease and checkpoint.
fn own(run: &str) -> String {
    format!("{RUN}{}", short_hash(run))
}

/// Returns true if the shelf holds the manifests of all runs, or the lease and checkpoint of one run.
pub(crate) fn is_registry(shelf: &Shelf) -> bool {
    shelf.collection == MANIFESTS || shelf.collection.starts_with(RUN)
}

/// Returns those of the shelves that belong to runs without a manifest. `manifests` are the records of all manifests.
pub(crate) fn orphans(shelves: Vec<Shelf>, manifests: &[Record]) -> Vec<Shelf> {
    let known: BTreeSet<String> = manifests.iter().map(|record| own(&record.key)).collect();
    let mut orphans = shelves;
    orphans.retain(|shelf| shelf.collection.starts_with(RUN) && !known.contains(&shelf.collection));
    orphans
}

/// Returns the changes that write a checkpoint. `records` are the records of the run's shelf, and `lease` is the lease of
/// the writing process. Returns no changes if the shelf belongs to a later lease, or if it is missing and `is_first` is
/// false.
///
/// # Errors
/// `TooLarge` if the checkpoint is larger than [`MAX_CHECKPOINT`].
pub(crate) fn write(
    records: &[Record],
    run: &RunId,
    lease: u32,
    is_first: bool,
    checkpoint: &Checkpoint,
) -> Result<Vec<Change>> {
    let held = lease_of(records);
    if held.is_none_or(|held| held > lease) && !(held.is_none() && is_first) {
        return Ok(Vec::new());
    }
    let said = json!({ "state": checkpoint.state, "intent": checkpoint.intent });
    let size = said.to_string().len();
    if size > MAX_CHECKPOINT {
        return Err(Error::new(ErrorKind::TooLarge, "run.checkpoint")
            .with("bytes", size)
            .with("max", MAX_CHECKPOINT));
    }
    let parts = waiting::parts(PARTS, run, &said);
    let is_over =
        |record: &&Record| record.key != LEASE && !parts.iter().any(|part| part.key == record.key);
    let over = records.iter().filter(is_over);
    let mut changes: Vec<Change> = over
        .map(|record| Change::Remove(record.key.clone()))
        .collect();
    changes.push(leased(run, lease));
    changes.extend(parts.into_iter().map(Change::Put));
    Ok(changes)
}

/// Returns the changes that give a run's shelf to the lease `lease`, so that processes with earlier leases can no longer
/// write to the shelf. Returns no changes if the shelf already belongs to a later lease.
pub(crate) fn fence(records: &[Record], run: &RunId, lease: u32) -> Vec<Change> {
    match lease_of(records) {
        Some(held) if held > lease => Vec::new(),
        _ => vec![leased(run, lease)],
    }
}

/// Reads the checkpoint of a run; `None` if there is none.
///
/// # Errors
/// `Corrupt` if parts are missing or unreadable.
pub(crate) fn read(records: &[Record], run: &RunId) -> Result<Option<Checkpoint>> {
    let parts: Vec<Record> = records
        .iter()
        .filter(|record| record.key != LEASE)
        .cloned()
        .collect();
    let Some(found) = waiting::all(&parts).into_iter().next() else {
        return Ok(None);
    };
    let whole = found.said.ok().filter(|(of, _)| of == run);
    let (_, mut said) = whole.ok_or_else(|| {
        Error::new(ErrorKind::Corrupt, "run.checkpoint")
            .with("run", run)
            .with("why", "parts of its checkpoint are missing or damaged")
    })?;
    let intent = said["intent"].take();
    Ok(Some(Checkpoint {
        state: said["state"].take(),
        intent: Some(intent).filter(|intent| !intent.is_null()),
    }))
}

fn leased(run: &RunId, lease: u32) -> Change {
    Change::Put(Record::new(LEASE, &json!({ "run": run, "lease": lease })))
}

fn lease_of(records: &[Record]) -> Option<u32> {
    let lease = records.iter().find(|record| record.key == LEASE)?;
    // A lease that cannot be read counts as the latest possible one, so that nobody overwrites the shelf.
    let held = lease.body["lease"].as_u64();
    Some(
        held.and_then(|held| u32::try_from(held).ok())
            .unwrap_or(u32::MAX),
    )
}
