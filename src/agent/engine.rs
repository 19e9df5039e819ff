//! Memory as the loop uses it: kinds ask, the engine reads and writes, and a store that fails never fails a run.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::time::Instant;

use super::emit::Emitter;
use crate::{
    base::{Error, ErrorKind, Result},
    event::EventKind,
    memory::{Advice, Cue, Edit, MemoryKind, Namespace, RunLog, Shelf, ShelfEdit, ShelfState, apply},
    secret::Redactor,
    store::MemoryBackend,
};

/// What the store may take after the run's time is up, all its answers together: what was learned is worth a moment.
/// Source: chosen, within the 2 s that a run may take beyond its time.
const AFTER_TIME: Duration = Duration::from_millis(1_500);

/// The shelves of one run: each is read once, and what the store refuses lives in memory until the run ends.
#[derive(Debug)]
pub(super) struct Engine {
    kinds: Vec<Arc<dyn MemoryKind>>,
    namespace: Namespace,
    shelves: BTreeMap<Shelf, ShelfState>,
    timeout: Duration,
    /// When the run's time and the moment after it are up.
    end: Option<Instant>,
    failed: bool,
}

impl Engine {
    pub(super) const fn new(kinds: Vec<Arc<dyn MemoryKind>>, namespace: Namespace, timeout: Duration) -> Self {
        Self { kinds, namespace, shelves: BTreeMap::new(), timeout, end: None, failed: false }
    }

    /// The same for a run whose time is up then.
    pub(super) fn with_deadline(self, deadline: Option<Instant>) -> Self {
        Self { end: deadline.and_then(|deadline| deadline.checked_add(AFTER_TIME)), ..self }
    }

    /// A store that does not answer is a store that fails.
    async fn within<T>(&self, answer: impl Future<Output = Result<T>>) -> Result<T> {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        let limit = left.map_or(self.timeout, |left| left.min(self.timeout));
        match tokio::time::timeout(limit, answer).await {
            Ok(result) => result,
            Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.memory").with("waited", format!("{limit:?}"))),
        }
    }

    /// Lets every kind put in place what it needs before it can advise.
    pub(super) async fn prepare(&mut self, store: &impl MemoryBackend, emitter: &Emitter, redactor: &Redactor) {
        let now = emitter.clock.now();
        let edits: Vec<ShelfEdit> = self.kinds.iter().flat_map(|kind| kind.prepare(&self.namespace, now)).collect();
        for edit in edits {
            self.update(store, edit, emitter, redactor).await;
        }
    }

    /// What every kind has to say for a cue, in the order of the kinds.
    pub(super) async fn recall(
        &mut self,
        store: &impl MemoryBackend,
        cue: &Cue,
        emitter: &Emitter,
        redactor: &Redactor,
    ) -> Vec<Advice> {
        let mut advice = Vec::new();
        for kind in self.kinds.clone() {
            let mut read = BTreeMap::new();
            for shelf in kind.wants(&self.namespace, cue) {
                let state = self.load(store, &shelf, emitter, redactor).await;
                read.insert(shelf, state);
            }
            advice.extend(kind.advise(cue, &read));
        }
        advice
    }

    /// Stores what every kind learned from the run: one update a shelf.
    pub(super) async fn learn(
        &mut self,
        store: &impl MemoryBackend,
        log: &RunLog,
        emitter: &Emitter,
        redactor: &Redactor,
    ) {
        let edits: Vec<ShelfEdit> = self.kinds.iter().flat_map(|kind| kind.learn(&self.namespace, log)).collect();
        for edit in edits {
            self.update(store, edit, emitter, redactor).await;
        }
    }

    async fn load(
        &mut self,
        store: &impl MemoryBackend,
        shelf: &Shelf,
        emitter: &Emitter,
        redactor: &Redactor,
    ) -> ShelfState {
        if let Some(state) = self.shelves.get(shelf) {
            return state.clone();
        }
        let state = match self.within(store.load(shelf)).await {
            Ok(state) => state,
            Err(error) => {
                self.tell(error, emitter, redactor);
                ShelfState::default()
            }
        };
        self.shelves.insert(shelf.clone(), state.clone());
        state
    }

    async fn update(&mut self, store: &impl MemoryBackend, edit: ShelfEdit, emitter: &Emitter, redactor: &Redactor) {
        let ShelfEdit { shelf, edit } = edit;
        match self.within(store.update(&shelf, edit.clone())).await {
            Ok(committed) => {
                // What was read before the change is stale now.
                self.shelves.remove(&shelf);
                if !committed.changes.is_empty() {
                    emitter.emit(EventKind::MemoryUpdated { shelf, committed });
                }
            }
            Err(error) => {
                self.tell(error, emitter, redactor);
                if let Err(error) = self.keep_here(store, &shelf, &edit, emitter, redactor).await {
                    self.tell(error, emitter, redactor);
                }
            }
        }
    }

    /// The change, for the rest of this run only, on top of what the store still shows.
    async fn keep_here(
        &mut self,
        store: &impl MemoryBackend,
        shelf: &Shelf,
        edit: &Edit,
        emitter: &Emitter,
        redactor: &Redactor,
    ) -> Result<()> {
        let mut state = self.load(store, shelf, emitter, redactor).await;
        let changes = edit.changes(&state.records)?;
        state.records = apply(&state.records, &changes);
        self.shelves.insert(shelf.clone(), state);
        Ok(())
    }

    /// One event for all failures of a run: the first says what is wrong, the rest would say it again.
    fn tell(&mut self, error: Error, emitter: &Emitter, redactor: &Redactor) {
        if !std::mem::replace(&mut self.failed, true) {
            let operation = error.operation().to_owned();
            let error = format!("{:?}", error.map_text(|text| redactor.text(text)));
            emitter.emit(EventKind::MemoryFailed { operation, error });
        }
    }
}
