//! The port to durable memory.
//!
//! # Decisions
//!
//! - Notices are returned by a method of their own, because a repair that the store makes by itself does not belong to
//!   the result of any call.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    base::Result,
    memory::{Committed, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice},
};

/// A store of records that outlive a run.
///
/// A backend stores JSON bodies under keys and does not know their meaning.
///
/// # Contract
/// - After `update` has returned [`Durable::Yes`](crate::memory::Durable::Yes), every handle and every later process sees
///   the change, even after a power cut.
/// - An edit may run more than once. Each time it sees the records that are stored at that moment, never a stale copy.
///   Either all of its changes are applied, or none is.
/// - The store holds no lock between two calls.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use serde_json::json;
/// use webwise::memory::{Change, Edit, Namespace, Record, Shelf};
/// use webwise::store::{InMemory, MemoryBackend};
///
/// /// Counts one more visit.
/// async fn count(store: &impl MemoryBackend, shelf: &Shelf) -> webwise::Result<u64> {
///     let edit = Edit::new(|now: &[Record]| {
///         let visits = now.first().and_then(|record| record.body["visits"].as_u64()).unwrap_or(0);
///         Ok(vec![Change::Put(Record::new("shop", &json!({ "visits": visits + 1 })))])
///     });
///     Ok(store.update(shelf, edit).await?.generation)
/// }
///
/// let store = InMemory::new();
/// let shelf = Shelf::global(&Namespace::default(), "visits");
/// assert_eq!(count(&store, &shelf).await?, 1);
/// assert_eq!(count(&store, &shelf).await?, 2);
/// assert_eq!(store.load(&shelf).await?.records[0].body["visits"], 2);
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait MemoryBackend: Debug + Send + Sync {
    /// Returns the records of a shelf, ordered by key, and the shelf's generation. The generation is a number that
    /// grows with each change of the shelf.
    ///
    /// A shelf that was never written, or that was removed, has no records and generation 0. That is not an error.
    ///
    /// # Errors
    /// `Unavailable` or `Timeout` if the store cannot be reached. `Busy` if all connections to a server are in use.
    /// `Corrupt` if the shelf is damaged and cannot be read. `TooLarge` if the shelf is too large to be read. The error
    /// names the shelf.
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState>;

    /// Applies an edit to the records that are stored now. If the edit returns no changes, nothing is stored and the
    /// generation stays the same. A `Put` of a record that is already stored in the same form counts as a change.
    ///
    /// # Errors
    /// `Busy` if another writer kept the shelf locked, or if all connections to a server are in use. `Unavailable` or
    /// `Timeout` if the store cannot be reached. `Corrupt` if the shelf is damaged and the store cannot repair it.
    /// `TooLarge` if the shelf is or would become too large. `Unsupported` if a newer program wrote the shelf, or if
    /// the store cannot lock it. The error of the edit if the edit itself fails.
    ///
    /// After an error the shelf is unchanged, with two exceptions. If the error has the detail `stored: unknown`, the
    /// connection to a server was lost during the commit, or the server did not answer in time. If it has the detail
    /// `call: sync_dir`, the change was written but could not be made durable. In both cases, the change may or may not
    /// be stored.
    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed>;

    /// Returns the shelves that the filter selects and that contain something or cannot be read, in order. May include a
    /// shelf without records of which the store still keeps something older. Includes every shelf that the store keeps if
    /// [`with_empty`](ShelfFilter::with_empty) is set.
    ///
    /// # Errors
    /// `Unavailable` or `Timeout` if the store cannot be reached. `Busy` if all connections to a server are in use.
    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>>;

    /// Removes a shelf with all its records. Does nothing if the shelf does not exist.
    ///
    /// # Errors
    /// `Busy` if another writer kept the shelf locked, or if all connections to a server are in use. `Unavailable` or
    /// `Timeout` if the store cannot be reached. `Unsupported` if a newer program wrote the shelf, or if the store
    /// cannot lock it. After an error the shelf is unchanged, with the exceptions that [`update`](Self::update) names.
    async fn remove(&self, shelf: &Shelf) -> Result<()>;

    /// Removes a shelf if it has no records and nothing older of it is kept. A record that another writer adds at the same
    /// time is not lost. The default does nothing, which is enough for a store that keeps nothing of an empty shelf.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load) and [`remove`](Self::remove).
    async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
        let _ = shelf;
        Ok(())
    }

    /// Returns the notices that were added since the last call. A notice reports something that is not part of the
    /// result of any other call, such as a repair. Each notice is returned once. Does not block.
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

            async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
                (**self).remove_empty(shelf).await
            }

            fn notices(&self) -> Vec<StoreNotice> {
                (**self).notices()
            }
        }
    )*};
}

forward!(&T, Box<T>, Arc<T>);
