//! Durable memory: the interface [`MemoryBackend`] and its implementations (backends).
//!
//! | backend | feature | when to use it |
//! | --- | --- | --- |
//! | `JsonFiles` | `json-file` | by default: readable files that survive kills and power cuts, shared safely by several processes |
//! | `Postgres` | `postgres` | for agents on several machines that share one memory on a PostgreSQL server |
//! | [`InMemory`] | | in tests, and for runs that should leave nothing behind |
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use webwise::memory::{Change, Edit, Namespace, Record, Shelf};
//! use webwise::store::{InMemory, MemoryBackend};
//!
//! let store = InMemory::new();
//! let shelf = Shelf::global(&Namespace::default(), "visits");
//! let record = Record::new("shop", &serde_json::json!({ "visits": 1 }));
//! store.update(&shelf, Edit::new(move |_: &[Record]| Ok(vec![Change::Put(record.clone())]))).await?;
//! assert_eq!(store.load(&shelf).await?.records.len(), 1);
//! # Ok::<(), webwise::Error>(())
//! # }).unwrap();
//! ```
//!
//! A backend stores JSON records on shelves and does not know their meaning. A [`Shelf`](crate::memory::Shelf) belongs
//! to one collection in one namespace, and holds records for all sites or for one host. [`memory`](crate::memory)
//! decides which shelves to read, what the records mean and how to change them. The decision loop loads and updates the
//! shelves.
//!
//! [`Memory`] is the door to the contents of a store: it gives advice and recipes, learns from runs, takes what a person adds, and
//! lists, accepts, undoes and forgets.
//!
//! [`RunRegistry`] is the register of the runs of a store. It lists the runs, and continues those that were
//! interrupted.
//!
//! To write a backend, implement [`MemoryBackend`] and test it with `testing::conformance::store`: `check` for every
//! backend, and also `check_durable` for a backend that outlives the process. `src/store/in_memory.rs` is a complete backend
//! in about 100 lines.

mod in_memory;
#[cfg(feature = "json-file")]
mod json_file;
mod memory;
pub(crate) mod port;
#[cfg(feature = "postgres")]
mod postgres;
mod registry;

pub use in_memory::InMemory;
#[cfg(feature = "json-file")]
pub use json_file::{Compacted, JsonFiles, JsonFilesOptions};
#[cfg(all(feature = "json-file", feature = "testing"))]
pub use json_file::{Fs, FsEntry, FsFile, FsKind, FsLock, StdFs};
#[cfg(feature = "cli")]
pub(crate) use memory::Place;
pub use memory::{Damaged, Forgotten, Item, Items, Memory, Recalled, Undone};
pub use port::MemoryBackend;
#[cfg(feature = "postgres")]
pub use postgres::{Postgres, PostgresOptions};
pub use registry::{Held, Lease, RunRegistry, Taken};
