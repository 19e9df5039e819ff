//! A store that refuses what it is told to refuse.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use webwise::{
    Error, ErrorKind, MemoryBackend,
    memory::{Committed, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice},
    store::InMemory,
};

/// A store in memory that can fail; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusing {
    inner: InMemory,
    lessons: Arc<AtomicBool>,
    all: Arc<AtomicBool>,
}

impl Refusing {
    /// Whether lessons can be neither read nor written.
    pub(crate) fn refuse_lessons(&self, refuse: bool) {
        self.lessons.store(refuse, Ordering::Relaxed);
    }

    /// From now on nothing can be read or written.
    pub(crate) fn refuse_all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    fn check(&self, shelf: &Shelf) -> webwise::Result<()> {
        let refused = self.all.load(Ordering::Relaxed)
            || (self.lessons.load(Ordering::Relaxed) && shelf.collection == "lessons");
        if refused {
            Err(Error::new(ErrorKind::Unavailable, "store.test").with("shelf", shelf))
        } else {
            Ok(())
        }
    }
}

#[async_trait]
impl MemoryBackend for Refusing {
    async fn load(&self, shelf: &Shelf) -> webwise::Result<ShelfState> {
        self.check(shelf)?;
        self.inner.load(shelf).await
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> webwise::Result<Committed> {
        self.check(shelf)?;
        self.inner.update(shelf, edit).await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> webwise::Result<Vec<Shelf>> {
        self.inner.shelves(filter).await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        self.inner.notices()
    }

    async fn remove(&self, shelf: &Shelf) -> webwise::Result<()> {
        self.check(shelf)?;
        self.inner.remove(shelf).await
    }
}
