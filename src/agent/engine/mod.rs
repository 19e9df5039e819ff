//! The memory engine of the loop. It reads and writes the store; the kinds of memory decide what to write and what to
//! advise. A run never fails because the store fails.
//!
//! This file recalls advice. `learning` learns from the run at its end. `backlog` learns from earlier runs whose
//! digests wait in the store.
//!
//! # Decisions
//!
//! - After the run's time is up, all answers of the store together may take 1.5 s, so that a silent store cannot
//!   prolong a run.
//! - A recall is not repeated if it fails, because the model waits for it. Learning is repeated, because runs that end
//!   at the same time have to write the same shelves (parts of the store) one after the other.

mod backlog;
mod learning;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::emit::{Emitter, elapsed_ms};
use crate::{
    base::{Error, ErrorKind, Result, RunId},
    event::EventKind,
    memory::{
        Advice, AdviceId, Committed, Edit, Index, MemoryKind, Moment, Namespace, Occasion, Record,
        RunLog, Shelf, ShelfState, Suggested, apply,
    },
    page::KnownElement,
    secret::Redactor,
    store::MemoryBackend,
};

/// Maximum total time for answers of the store after the run's time is up. In this time, the lessons of the run can
/// still be stored. Source: chosen; less than the 2 s that a run may take beyond its time.
const AFTER_TIME: Duration = Duration::from_millis(1_500);

/// The records of a shelf (a part of the store), as the run last read or changed them, and their indexes.
#[derive(Debug)]
struct CachedShelf {
    state: ShelfState,
    /// The indexes of the shelf's records, by the name of the memory kind that made them. Empty before the first query
    /// and after each change.
    indexes: BTreeMap<&'static str, Arc<dyn Index>>,
}

/// The part of a run that reads and updates memory, with the shelves (parts of the store) that the run has read.
/// Changes that the store refuses are kept here until the run ends.
#[derive(Debug)]
pub(super) struct Engine {
    kinds: Vec<Arc<dyn MemoryKind>>,
    namespace: Namespace,
    shelves: BTreeMap<Shelf, CachedShelf>,
    timeout: Duration,
    /// The time at which the engine stops waiting for the store: the end of the run's time plus [`AFTER_TIME`]; `None`
    /// if the run's time is unlimited.
    end: Option<Instant>,
    failures: Vec<String>,
    /// Number of records on a shelf after the last update that the store accepted.
    remaining: Arc<AtomicUsize>,
}

/// The parts that report events: the emitter, and the redactor, which replaces secrets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) emitter: &'a Emitter,
    pub(super) redactor: &'a Redactor,
}

impl Engine {
    pub(super) fn new(
        kinds: Vec<Arc<dyn MemoryKind>>,
        namespace: Namespace,
        timeout: Duration,
    ) -> Self {
        Self {
            kinds,
            namespace,
            shelves: BTreeMap::new(),
            timeout,
            end: None,
            failures: Vec::new(),
            remaining: Arc::default(),
        }
    }

    /// Returns the same engine, for a run whose time is up at `deadline`. With `None`, the run's time is unlimited.
    pub(super) fn with_deadline(self, deadline: Option<Instant>) -> Self {
        Self {
            end: deadline.and_then(|deadline| deadline.checked_add(AFTER_TIME)),
            ..self
        }
    }

    /// Waits for an answer of the store and returns it. Returns a timeout error if the answer takes longer than the
    /// time limit for one answer, or does not arrive before the engine's end.
    async fn within<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        self.until(self.end, answer).await
    }

    /// Waits for an answer of the store like [`within`](Self::within), but at most until the time `end`.
    async fn until<T>(
        &self,
        end: Option<Instant>,
        answer: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let limit = left.map_or(self.timeout, |left| left.min(self.timeout));
        match tokio::time::timeout(limit, answer).await {
            Ok(result) => result,
            Err(_) => {
                Err(Error::new(ErrorKind::Timeout, "agent.memory")
                    .with("waited", format!("{limit:?}")))
            }
        }
    }

    /// Returns the advice of every memory kind for the current moment of the run, in the order of the kinds.
    pub(super) async fn recall(
        &mut self,
        store: &impl MemoryBackend,
        moment: &Moment<'_>,
        asking: Asking<'_>,
    ) -> Vec<Advice> {
        let mut advice = Vec::new();
        for kind in self.kinds.clone() {
            let mut said = Vec::new();
            for shelf in kind.wants(&self.namespace, moment) {
                let index = self.index(store, &*kind, &shelf, asking).await;
                said.extend(index.advise(moment, moment.is_above(&shelf)));
            }
            said.retain(|own| kind.adds(own, &advice));
            said.truncate(kind.limit(moment));
            advice.extend(said);
        }
        tell_notices(store, asking);
        advice
    }

    /// Returns the elements that memory knows on the page's host, each with the id of the record that contains it, in
    /// the order of the memory kinds.
    pub(super) async fn elements(
        &mut self,
        store: &impl MemoryBackend,
        moment: &Moment<'_>,
        asking: Asking<'_>,
    ) -> Vec<(AdviceId, KnownElement)> {
        let mut known = Vec::new();
        for kind in self.kinds.clone() {
            let shelves = kind.wants(&self.namespace, moment);
            // Elements belong to the pages of one host, so the shelf of the domain above it is skipped.
            for shelf in shelves.iter().filter(|shelf| !moment.is_above(shelf)) {
                let index = self.index(store, &*kind, shelf, asking).await;
                known.extend(index.elements(moment));
            }
        }
        known
    }

    /// Returns the recipes of the page's site, in the order of the memory kinds.
    pub(super) async fn recipes(
        &mut self,
        store: &impl MemoryBackend,
        moment: &Moment<'_>,
        asking: Asking<'_>,
    ) -> Vec<Suggested> {
        let mut found = Vec::new();
        for kind in self.kinds.clone() {
            for shelf in kind.wants(&self.namespace, moment) {
                let index = self.index(store, &*kind, &shelf, asking).await;
                found.extend(index.recipes(moment));
            }
        }
        found
    }

    /// Returns what the kinds of memory do not keep of the run, and why.
    pub(super) fn unlearned(&self, log: &RunLog) -> Vec<String> {
        let kinds = self.kinds.iter();
        kinds.filter_map(|kind| kind.unlearned(log)).collect()
    }

    /// Returns the memory kind's index of the records of a shelf. Makes the index if there is none yet.
    async fn index(
        &mut self,
        store: &impl MemoryBackend,
        kind: &dyn MemoryKind,
        shelf: &Shelf,
        asking: Asking<'_>,
    ) -> Arc<dyn Index> {
        self.read(store, shelf, asking).await;
        let make = |records: &[Record]| kind.index(shelf, records);
        match self.shelves.get_mut(shelf) {
            Some(known) => Arc::clone(
                known
                    .indexes
                    .entry(kind.name())
                    .or_insert_with(|| make(&known.state.records)),
            ),
            None => make(&[]),
        }
    }

    /// Reads a shelf and applies the [`upkeep`](MemoryKind::upkeep) of the memory kind that owns it. Does nothing if
    /// the shelf was already read.
    async fn read(&mut self, store: &impl MemoryBackend, shelf: &Shelf, asking: Asking<'_>) {
        if self.shelves.contains_key(shelf) {
            return;
        }
        let loaded = self.within(store.load(shelf)).await;
        let is_known = loaded.is_ok();
        let mut state = loaded.unwrap_or_else(|error| {
            self.tell(error, asking);
            ShelfState::default()
        });
        let mut kinds = self.kinds.iter();
        let owner = kinds.find(|kind| kind.name() == shelf.collection).cloned();
        let now = asking.emitter.clock.now();
        let upkeep = owner.and_then(|kind| {
            let edit = kind.upkeep(shelf, &state.records, now)?;
            Some((kind, edit))
        });
        if let Some((kind, edit)) = upkeep {
            let started = Instant::now();
            match self.within(store.update(shelf, edit.clone())).await {
                Ok(committed) if is_known => {
                    let elapsed_ms = elapsed_ms(started);
                    state.records = apply(&state.records, &committed.changes);
                    let is_next = committed.generation
                        == state.generation + u64::from(!committed.changes.is_empty());
                    state.generation = committed.generation;
                    if !is_next {
                        // Another run has written to the shelf since it was read. For example, several runs may start
                        // for the first time and each write the first lessons.
                        match self.within(store.load(shelf)).await {
                            Ok(now) => state = now,
                            Err(error) => self.tell(error, asking),
                        }
                    }
                    tell_of(
                        (&*kind, Occasion::Upkeep),
                        shelf,
                        &[&asking.emitter.run],
                        (committed, elapsed_ms),
                        state.records.len(),
                        asking,
                    );
                }
                // The state of the shelf in the store is unknown, so changes computed there may not fit. Apply the
                // upkeep to the records that were read.
                done => {
                    match done {
                        // Other runs keep the shelf busy. If none of them has done the upkeep, the next start does it.
                        Err(error) if is_known && error.kind() == ErrorKind::Busy => {
                            state = self.within(store.load(shelf)).await.unwrap_or(state);
                        }
                        done => done.map_or_else(|error| self.tell(error, asking), drop),
                    }
                    let changes = edit.changes(&state.records).unwrap_or_default();
                    state.records = apply(&state.records, &changes);
                }
            }
        }
        self.shelves.insert(
            shelf.clone(),
            CachedShelf {
                state,
                indexes: BTreeMap::new(),
            },
        );
    }

    /// Applies an edit to the cached records of a shelf and not to the store, for the rest of this run.
    async fn keep_here(
        &mut self,
        store: &impl MemoryBackend,
        shelf: &Shelf,
        edit: &Edit,
        asking: Asking<'_>,
    ) {
        self.read(store, shelf, asking).await;
        if let Some(known) = self.shelves.get_mut(shelf) {
            let changes = edit.changes(&known.state.records).unwrap_or_default();
            known.state.records = apply(&known.state.records, &changes);
            known.indexes.clear();
        }
    }

    /// Returns an edit that makes the same changes and counts the records of the shelf after them. If the store runs
    /// the edit several times, the last count is that of the changes that it accepts.
    fn counting(&self, edit: Edit) -> Edit {
        let remaining = Arc::clone(&self.remaining);
        Edit::new(move |records| {
            let changes = edit.changes(records)?;
            remaining.store(apply(records, &changes).len(), Ordering::Relaxed);
            Ok(changes)
        })
    }

    /// Emits the events about the change that the store has just accepted as an edit of [`counting`](Self::counting),
    /// and removes the shelf from the cache. `runs` are the runs from which the change was learned.
    fn committed(
        &mut self,
        kind: &dyn MemoryKind,
        shelf: &Shelf,
        runs: &[&RunId],
        (committed, elapsed_ms): (Committed, u64),
        asking: Asking<'_>,
    ) {
        if committed.changes.is_empty() {
            return;
        }
        self.shelves.remove(shelf);
        tell_of(
            (kind, Occasion::Learning),
            shelf,
            runs,
            (committed, elapsed_ms),
            self.remaining.load(Ordering::Relaxed),
            asking,
        );
    }

    /// Reports a failure of the store as an event and in the run's report. Does nothing if the run has already reported
    /// a failure.
    fn tell(&mut self, error: Error, asking: Asking<'_>) {
        if self.failures.is_empty() {
            self.tell_failure(error, asking);
        }
    }

    fn tell_failure(&mut self, error: Error, asking: Asking<'_>) {
        let operation = error.operation().to_owned();
        let error = format!("{:?}", error.map_text(|text| asking.redactor.text(text)));
        self.failures.push(error.clone());
        asking
            .emitter
            .emit(EventKind::MemoryFailed { operation, error });
    }

    pub(super) fn into_failures(self) -> Vec<String> {
        self.failures
    }
}

fn tell_notices(store: &impl MemoryBackend, asking: Asking<'_>) {
    for notice in store.notices() {
        asking.emitter.emit(EventKind::StoreNoticed { notice });
    }
}

/// Emits an event for a committed change of a shelf, and an event for each note of the memory kind about the change.
/// `remaining` is the number of records on the shelf after the change.
fn tell_of(
    (kind, occasion): (&dyn MemoryKind, Occasion),
    shelf: &Shelf,
    runs: &[&RunId],
    (committed, elapsed_ms): (Committed, u64),
    remaining: usize,
    asking: Asking<'_>,
) {
    let mut notes = Vec::new();
    for run in runs {
        for note in kind.notes(occasion, shelf, run, &committed, remaining) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    asking.emitter.emit(EventKind::MemoryUpdated {
        shelf: shelf.clone(),
        committed,
        elapsed_ms,
    });
    for note in notes {
        asking.emitter.emit(note.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{memory::Change, store::InMemory};

    #[tokio::test]
    async fn the_records_left_by_an_update_are_counted_although_the_run_has_not_read_the_shelf() {
        let put = |key: &str| Change::Put(Record::new(key, &json!({})));
        let remove = |key: &str| Change::Remove(key.to_owned());
        let store = InMemory::new();
        let shelf = Shelf::global(&Namespace::default(), "plans");
        let engine = Engine::new(Vec::new(), Namespace::default(), Duration::from_secs(1));
        let first = ["a", "b", "c", "d"].map(put).to_vec();
        let second = vec![put("e"), remove("a"), remove("b")];
        for (changes, left) in [(first, 4), (second, 3)] {
            let edit = engine.counting(Edit::new(move |_| Ok(changes.clone())));
            store.update(&shelf, edit).await.unwrap();
            assert_eq!(engine.remaining.load(Ordering::Relaxed), left);
        }
    }
}
