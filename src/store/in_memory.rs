//! A store that keeps everything in memory. It is for tests, and for runs that should leave nothing behind.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;

use super::MemoryBackend;
use crate::{
    base::Result,
    memory::{Committed, Durable, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice, apply},
};

/// A store in the memory of this process. Clones share its records.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use webwise::{memory::{Namespace, Shelf}, store::{InMemory, MemoryBackend}};
///
/// let store = InMemory::new();
/// let shelf = Shelf::global(&Namespace::default(), "lessons");
/// assert_eq!(store.load(&shelf).await?.generation, 0);
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct InMemory {
    shelves: Arc<Mutex<BTreeMap<Shelf, ShelfState>>>,
}

impl InMemory {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a store with a copy of the records. Later changes to either store do not affect the other store.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            shelves: Arc::new(Mutex::new(self.lock().clone())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Shelf, ShelfState>> {
        // A panic in an edit leaves the map unchanged, because changes are applied only after the edit has returned.
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl MemoryBackend for InMemory {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        Ok(self.lock().get(shelf).cloned().unwrap_or_default())
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        let mut shelves = self.lock();
        let now = shelves.get(shelf).cloned().unwrap_or_default();
        let changes = edit.changes(&now.records)?;
        let mut generation = now.generation;
        if !changes.is_empty() {
            generation += 1;
            let records = apply(&now.records, &changes);
            shelves.insert(
                shelf.clone(),
                ShelfState {
                    generation,
                    records,
                },
            );
        }
        Ok(Committed {
            generation,
            durable: Durable::InProcess,
            changes,
        })
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        let holds =
            |(_, state): &(&Shelf, &ShelfState)| filter.with_empty || !state.records.is_empty();
        Ok(self
            .lock()
            .iter()
            .filter(holds)
            .map(|(shelf, _)| shelf)
            .filter(|s| filter.matches(s))
            .cloned()
            .collect())
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.lock().remove(shelf);
        Ok(())
    }

    async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
        self.lock()
            .retain(|known, state| known != shelf || !state.records.is_empty());
        Ok(())
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}
