//! The disk under the memory store, with a tap on every byte that is written to it, whatever becomes of the file.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use webwise::{
    Error, ErrorKind, Result,
    memory::{Committed, Edit, Shelf, ShelfFilter, ShelfState, StoreNotice, lesson::COLLECTION},
    store::{Fs, FsEntry, FsFile, FsLock, JsonFiles, MemoryBackend, StdFs},
};

/// The real file system, and what was written to it.
pub(crate) struct Tapped {
    inner: StdFs,
    written: Arc<Mutex<Vec<u8>>>,
}

impl std::fmt::Debug for Tapped {
    /// Not what was written: that is a sink of its own.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

impl Tapped {
    pub(crate) fn new(root: &Path) -> (Self, Arc<Mutex<Vec<u8>>>) {
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        (
            Self {
                inner: StdFs::new(root),
                written: Arc::clone(&written),
            },
            written,
        )
    }

    fn note(&self, path: &Path) {
        let mut written = self.written.lock().unwrap();
        written.extend_from_slice(path.as_os_str().as_encoded_bytes());
        written.push(b'\n');
    }
}

impl Fs for Tapped {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.note(dir);
        self.inner.create_dir(dir)
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.note(path);
        let inner = self.inner.create_new(path)?;
        Ok(Box::new(TappedFile {
            inner,
            written: Arc::clone(&self.written),
        }))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.inner.read(path, max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note(to);
        self.inner.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.note(to);
        self.inner.link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.inner.unlink(path)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.inner.remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.inner.sync_dir(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        self.inner.list(dir)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        self.note(path);
        self.inner.try_lock(path)
    }

    fn tightened(&self) -> Vec<PathBuf> {
        self.inner.tightened()
    }
}

#[derive(Debug)]
struct TappedFile {
    inner: Box<dyn FsFile>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl FsFile for TappedFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written.lock().unwrap().extend_from_slice(bytes);
        self.inner.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.inner.sync()
    }
}

/// A store that takes no lessons now, so that what a run taught has to wait.
#[derive(Debug, Clone)]
pub(crate) struct Busy(pub(crate) JsonFiles);

#[async_trait]
impl MemoryBackend for Busy {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        self.0.load(shelf).await
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        if shelf.collection == COLLECTION {
            return Err(Error::new(ErrorKind::Busy, "store.update"));
        }
        self.0.update(shelf, edit).await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        self.0.shelves(filter).await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.0.remove(shelf).await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        self.0.notices()
    }
}
