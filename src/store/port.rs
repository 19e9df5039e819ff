//! What the loop asks of a store.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    base::Result,
    memory::{Committed, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice},
};

/// Durable records that outlive a run.
///
/// A backend keeps JSON bodies under keys and knows nothing of lessons or trajectories.
///
/// # Contract
/// - After `update` returns [`Durable::Yes`](crate::memory::Durable::Yes), every handle sees the change, and so does the
///   next process, also after a power cut.
/// - The edit may run more than once; it sees what is stored now, never a stale copy. Its changes are applied all or none.
/// - Nothing is held while the caller awaits something else.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait MemoryBackend: Debug + Send + Sync {
    /// The records of one shelf, ordered by key, with the shelf's generation.
    ///
    /// A shelf that nobody wrote has no records and generation 0; it is not an error.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot be reached, `Corrupt` if nothing of the shelf can be read; the error names the shelf.
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState>;

    /// Applies an edit to what is stored now. An edit without changes commits nothing and keeps the generation.
    ///
    /// # Errors
    /// `Busy` when the shelf stayed locked, `Unavailable`, `Corrupt`, `TooLarge`, or what the edit itself said; nothing is
    /// changed then.
    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed>;

    /// The shelves that hold something, in order.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot be reached.
    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>>;

    /// Forgets a shelf with all its records; nothing happens when there is none.
    ///
    /// # Errors
    /// `Busy` or `Unavailable`; nothing is removed then.
    async fn remove(&self, shelf: &Shelf) -> Result<()>;

    /// What the store did or found of its own accord since this was last asked; each is told once. Waits for nothing.
    fn notices(&self) -> Vec<StoreNotice>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: MemoryBackend + ?Sized> MemoryBackend for $pointer {
            async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
                (**self).load(shelf).await
            }

            async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
                (**self).update(shelf, edit).await
            }

            async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
                (**self).shelves(filter).await
            }

            async fn remove(&self, shelf: &Shelf) -> Result<()> {
                (**self).remove(shelf).await
            }

            fn notices(&self) -> Vec<StoreNotice> {
                (**self).notices()
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
