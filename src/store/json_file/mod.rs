//! A store with one readable JSON file for each shelf. No acknowledged update is lost, even if a process is killed, the
//! power fails, or several processes write at the same time.
//!
//! An update takes these steps:
//!
//! 1. It takes the shelf's lock, reads the current file and applies the edit.
//! 2. It writes the result to a new file beside the old one and makes the new file durable.
//! 3. It keeps the old file as the backup, renames the new file over the old one, and makes the rename durable.
//!
//! Only then is the update acknowledged. A shelf's file that is broken is put into quarantine before it is replaced. A
//! file that is too large or too deeply nested, or that a newer program wrote, is never replaced.
//!
//! # Decisions
//!
//! - Each namespace has a quarantine folder of its own, so that a tenant's data stays together and is deleted together.
//! - A broken file is not moved into quarantine: it gets a second name there and keeps its first name until it is replaced.
//!   So a reader always finds a file.
//! - When a missing file is restored from its backup, one generation is skipped. The lost file was one commit ahead of the
//!   backup, and no generation may be used twice. A restored shelf gets a new backup at once, so that its file is never two
//!   commits ahead.
//! - Nothing is salvaged from a file that names another shelf, because lessons of one host must not be shown on another.
//! - The format of a shelf's file never had a version 0. The chain of migrations is tested with an invented version 2.
//! - A root that other users also need, such as `/tmp` or `/var/lib`, stays open to them. A root is made private only
//!   if it is empty or contains only folders to which no other user has rights, as the root of a store does.
//! - A temporary file is removed by a writer that holds the shelf's lock, so nobody else still writes the file. Some file
//!   systems have locks that do not work. As a precaution, the file must also be older than an hour, or its writer must be
//!   dead or be this process.
//! - An update that leaves a shelf empty also replaces the backup by the empty state. An empty shelf may never change again,
//!   so what was removed would stay in the backup for ever.
//! - When a shelf is removed, the removal of its backup is made durable first. Otherwise a power cut could leave only the
//!   backup, and the shelf would be restored from it.
//! - A shelf's file has no checksum, because people may edit it. So a flipped bit is not noticed if the file is still valid
//!   JSON for the same shelf.

mod compact;
mod failure;
mod format;
#[cfg_attr(
    not(feature = "testing"),
    allow(unreachable_pub, reason = "public for tests alone")
)]
mod fs;
mod host_name;
mod list;
mod locks;
mod notices;
mod options;
mod place;
mod quarantine;
mod read;
mod salvage;
#[cfg_attr(
    not(feature = "testing"),
    allow(unreachable_pub, reason = "public for tests alone")
)]
mod std_fs;
#[cfg(test)]
mod tests;
mod write;

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;

pub use self::{compact::Compacted, options::JsonFilesOptions};
use self::{
    compact::Growth,
    failure::Failure,
    format::{SCHEMA, Schema},
    locks::Locks,
    notices::Notices,
    place::Place,
    read::Source,
};
#[cfg(not(feature = "testing"))]
use self::{fs::Fs, std_fs::StdFs};
#[cfg(feature = "testing")]
pub use self::{
    fs::{Fs, FsEntry, FsFile, FsKind, FsLock},
    std_fs::StdFs,
};
use super::MemoryBackend;
use crate::{
    base::{Error, ErrorKind, Result},
    memory::{Committed, Edit, Scope, Shelf, ShelfFilter, ShelfState, StoreNotice},
};

/// A store of JSON files in a folder. People may read, edit and compare the files.
///
/// The store trusts everything in its files as if the memory's owner had written it. So do not open a folder from another
/// source, such as a repository. Import its content instead, and review the imported items.
///
/// Any number of processes may use one folder. Clones share a handle. All file work runs on blocking threads and is always
/// finished. So after a future is dropped, its shelf is either unchanged or completely updated.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use serde_json::json;
/// use webwise::{memory::{Change, Durable, Edit, Namespace, Record, Shelf}, store::{JsonFiles, MemoryBackend}};
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let root = dir.path().join("memory");
/// let store = JsonFiles::open(&root);
/// let shelf = Shelf::global(&Namespace::default(), "lessons");
/// let edit = Edit::new(|_: &[Record]| Ok(vec![Change::Put(Record::new("a", &json!({ "n": 1 })))]));
/// assert_eq!(store.update(&shelf, edit).await?.durable, Durable::Yes);
/// assert!(root.join("default/lessons.json").exists());
/// # Ok::<(), webwise::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct JsonFiles(Arc<Files>);

#[derive(Debug)]
struct Files {
    fs: Arc<dyn Fs>,
    options: JsonFilesOptions,
    schema: Schema,
    locks: Locks,
    notices: Notices,
    growth: Growth,
}

impl JsonFiles {
    /// Opens the store in this folder. Reads nothing yet. The first update creates the folder.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self::new(Arc::new(StdFs::new(root)), SCHEMA)
    }

    /// Opens the store on a simulated or other file system instead of the real one.
    #[cfg(feature = "testing")]
    pub fn with_fs(fs: Arc<dyn Fs>) -> Self {
        Self::new(fs, SCHEMA)
    }

    fn new(fs: Arc<dyn Fs>, schema: Schema) -> Self {
        let (options, locks) = (JsonFilesOptions::default(), Locks::default());
        Self(Arc::new(Files {
            fs,
            options,
            schema,
            locks,
            notices: Notices::default(),
            growth: Growth::default(),
        }))
    }

    /// Returns a handle to the same store with other limits. Clones of the old handle keep the old limits. The new
    /// handle has its own locks and notices, and counts new hosts and bytes on its own.
    pub fn with_options(self, options: JsonFilesOptions) -> Self {
        let (fs, schema) = (Arc::clone(&self.0.fs), self.0.schema);
        let (locks, notices, growth) = (Locks::default(), Notices::default(), Growth::default());
        Self(Arc::new(Files {
            fs,
            options,
            schema,
            locks,
            notices,
            growth,
        }))
    }

    /// Deletes the shelves of the hosts that were written least recently, until the store is within the limits of its
    /// [`JsonFilesOptions`] on hosts and bytes. Keeps hosts for which a person has written something, hosts whose
    /// folder contains a file that the store does not understand, hosts with a broken file in quarantine, and hosts that
    /// another writer is changing. So the store may stay above its limits. Does nothing if another clean-up is running.
    /// Updates also start a clean-up from time to time.
    ///
    /// # Errors
    /// `Unavailable` if the store cannot be reached. `Unsupported` if the file system cannot lock files. Shelves that
    /// were deleted before the error stay deleted.
    pub async fn compact(&self) -> Result<Compacted> {
        self.run("store.compact", None, Files::compact).await
    }

    /// Runs blocking file work on another thread. An error names `operation` and `shelf`.
    async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        shelf: Option<&Shelf>,
        work: impl FnOnce(&Files) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T> {
        let files = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || {
            let done = work(&files);
            files.notices.tightened(files.fs.tightened());
            done
        });
        match done.await {
            Ok(done) => done.map_err(|failure| failure.into_error(operation, shelf)),
            // The edit comes from the caller, so a panic in it is passed on to the caller.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(error) => Err(Error::new(ErrorKind::Cancelled, operation).with_source(error)),
        }
    }
}

#[async_trait]
impl MemoryBackend for JsonFiles {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        let of = shelf.clone();
        self.run("store.load", Some(shelf), move |files| files.load(&of))
            .await
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        let of = shelf.clone();
        self.run("store.update", Some(shelf), move |files| {
            files.update(&of, &edit)
        })
        .await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        let filter = filter.clone();
        self.run("store.shelves", None, move |files| files.shelves(&filter))
            .await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        let of = shelf.clone();
        self.run("store.remove", Some(shelf), move |files| files.remove(&of))
            .await
    }

    async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
        let of = shelf.clone();
        self.run("store.remove", Some(shelf), move |files| {
            files.remove_empty(&of)
        })
        .await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        self.0.notices.take()
    }
}

impl Files {
    fn load(&self, shelf: &Shelf) -> Result<ShelfState, Failure> {
        let place = Place::of(shelf)?;
        let found = self.telling(shelf, self.find(&place, shelf))?;
        self.tell(shelf, &found);
        if found.source == Source::Lost {
            return Err(Failure::Unreadable {
                detail: self.why_unreadable(&place, shelf),
            });
        }
        Ok(ShelfState {
            generation: found.document.generation,
            records: found.document.records,
        })
    }

    fn update(&self, shelf: &Shelf, edit: &Edit) -> Result<Committed, Failure> {
        let place = Place::of(shelf)?;
        let written = {
            let _held = self.locks.acquire(
                &*self.fs,
                place.stripe,
                &place.lock(),
                self.options.lock_wait,
            )?;
            self.telling(shelf, self.update_locked(&place, shelf, edit))?
        };
        self.grew(&written, matches!(shelf.scope, Scope::Host(_)));
        Ok(written.committed)
    }

    fn remove(&self, shelf: &Shelf) -> Result<(), Failure> {
        self.remove_if(shelf, || Ok(true))
    }

    fn remove_empty(&self, shelf: &Shelf) -> Result<(), Failure> {
        self.remove_if(shelf, || Ok(!self.holds_something(shelf)?))
    }

    /// Removes a shelf if `is_meant` returns true while the shelf's lock is held.
    fn remove_if(
        &self,
        shelf: &Shelf,
        is_meant: impl FnOnce() -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let place = Place::of(shelf)?;
        let _held = self.locks.acquire(
            &*self.fs,
            place.stripe,
            &place.lock(),
            self.options.lock_wait,
        )?;
        if is_meant()? {
            self.telling(shelf, self.remove_locked(&place, shelf))?;
        }
        Ok(())
    }

    /// Returns the result of an operation unchanged. Adds a notice if the operation failed because the shelf is
    /// read-only.
    fn telling<T>(&self, shelf: &Shelf, done: Result<T, Failure>) -> Result<T, Failure> {
        if let Err(Failure::ReadOnly { why, .. }) = &done {
            self.notices.found(
                Some(shelf),
                crate::memory::StoreNoticeKind::ReadOnly { why: *why },
            );
        }
        done
    }
}
