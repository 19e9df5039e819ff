//! The shelf that is written and killed: what it must hold follows from its generation alone.

use std::{
    future::Future,
    path::Path,
    sync::{Arc, LazyLock},
};

use serde_json::json;
use tokio::runtime::Runtime;
use webwise::{
    Result,
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfState},
    store::{Fs, JsonFiles},
};

/// Records beside the counter; each update writes one of them anew.
const SLOTS: u64 = 8;
/// Words in such a record, so that a file has several blocks. Unit: words of 20 bytes.
const WORDS: usize = 40;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be started")
});

/// Waits for what a store does.
pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}

/// A new handle of a store on the disk, as another process has it.
pub(crate) fn open(root: &Path) -> JsonFiles {
    JsonFiles::open(root)
}

/// A new handle of a store on another file system.
pub(crate) fn mount(fs: Arc<dyn Fs>) -> JsonFiles {
    JsonFiles::with_fs(fs)
}

pub(crate) fn shelf() -> Shelf {
    Shelf::global(&Namespace::default(), "counted")
}

fn slot(nth: u64) -> Record {
    let text = format!("written as {nth:09};").repeat(WORDS);
    Record::new(
        format!("slot-{}", nth % SLOTS),
        &json!({ "nth": nth, "text": text }),
    )
}

/// Counts one more and writes the next record.
pub(crate) fn count() -> Edit {
    Edit::new(|now| {
        let nth = counted(now) + 1;
        Ok(vec![
            Change::Put(Record::new("counter", &json!({ "n": nth }))),
            Change::Put(slot(nth)),
        ])
    })
}

/// Writes what belongs to a copy that was read before, whatever is stored now: what nobody should do.
pub(crate) fn stale(copy: &[Record]) -> Edit {
    let changes = count().changes(copy);
    Edit::new(move |_| match &changes {
        Ok(changes) => Ok(changes.clone()),
        Err(_) => Ok(Vec::new()),
    })
}

fn counted(records: &[Record]) -> u64 {
    records
        .iter()
        .find(|record| record.key == "counter")
        .and_then(|record| record.body["n"].as_u64())
        .unwrap_or(0)
}

/// What the shelf holds after so many updates.
pub(crate) fn expected(nth: u64) -> Vec<Record> {
    if nth == 0 {
        return Vec::new();
    }
    let counter = Record::new("counter", &json!({ "n": nth }));
    let mut slots: Vec<Record> = (nth.saturating_sub(SLOTS - 1).max(1)..=nth)
        .map(slot)
        .collect();
    slots.sort_by(|a, b| a.key.cmp(&b.key));
    [counter].into_iter().chain(slots).collect()
}

/// Whether the shelf is as some number of updates in this range left it; says how it is if not.
pub(crate) fn is_one_of(
    state: &Result<ShelfState>,
    least: u64,
    most: u64,
) -> std::result::Result<u64, String> {
    let state = state
        .as_ref()
        .map_err(|error| format!("it cannot be loaded: {error:?}"))?;
    let nth = counted(&state.records);
    if state.records != expected(nth) {
        return Err(format!(
            "at {nth} it holds other records: {:?}",
            state.records
        ));
    }
    // A file that was lost counts, too.
    if state.generation < nth {
        return Err(format!(
            "it counts {nth} and its generation is {}",
            state.generation
        ));
    }
    if nth < least || nth > most {
        return Err(format!(
            "it is at {nth}, and {least} to {most} were expected"
        ));
    }
    Ok(nth)
}
