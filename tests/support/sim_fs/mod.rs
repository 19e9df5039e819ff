//! A file system in memory that knows what a power cut may take.
//!
//! Each file has the content that programs see and the one that is durable; each change of a name is remembered until its
//! folders were synced. What can be left after a cut is made in [`cuts`].

pub(crate) mod cuts;
mod disk;

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use webwise::store::{Fs, FsEntry, FsFile, FsLock};

pub(crate) use disk::Disk;

/// A simulated disk that is mounted; clones are other handles of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimFs {
    mounted: Arc<Mutex<Mounted>>,
}

#[derive(Debug, Default)]
struct Mounted {
    disk: Disk,
    locked: Vec<PathBuf>,
    /// Told after each change, with the disk as it is then.
    watcher: Option<Watcher>,
}

struct Watcher(Box<dyn FnMut(&Disk) + Send>);

impl std::fmt::Debug for Watcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watcher")
    }
}

impl SimFs {
    /// A disk that was left by somebody else.
    pub(crate) fn mount(disk: Disk) -> Self {
        let mounted = Mounted {
            disk,
            ..Mounted::default()
        };
        Self {
            mounted: Arc::new(Mutex::new(mounted)),
        }
    }

    /// Calls this after each change from now on.
    pub(crate) fn watch(&self, watcher: impl FnMut(&Disk) + Send + 'static) {
        self.lock().watcher = Some(Watcher(Box::new(watcher)));
    }

    /// The disk as it is now.
    pub(crate) fn disk(&self) -> Disk {
        self.look(Disk::clone)
    }

    /// Looks at the disk.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Disk) -> T) -> T {
        look(&self.lock().disk)
    }

    /// Changes the disk behind the store's back.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Disk) -> T) -> T {
        let mut mounted = self.lock();
        let done = change(&mut mounted.disk);
        mounted.changed();
        done
    }

    fn lock(&self) -> MutexGuard<'_, Mounted> {
        self.mounted
            .lock()
            .expect("nothing panics while it holds the disk")
    }

    fn try_change<T>(&self, change: impl FnOnce(&mut Disk) -> io::Result<T>) -> io::Result<T> {
        let mut mounted = self.lock();
        let done = change(&mut mounted.disk)?;
        mounted.changed();
        Ok(done)
    }
}

impl Mounted {
    fn changed(&mut self) {
        if let Some(Watcher(watcher)) = &mut self.watcher {
            watcher(&self.disk);
        }
    }
}

impl Fs for SimFs {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.create_dir(dir))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let inode = self.try_change(|disk| disk.create_new(path))?;
        Ok(Box::new(SimFile {
            fs: self.clone(),
            inode,
        }))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.lock().disk.read(path, max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.link(from, to))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.unlink(path))
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.remove_dir(dir))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.try_change(|disk| disk.sync_dir(dir))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        Ok(self.lock().disk.list(dir))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        let mut mounted = self.lock();
        mounted.disk.create_lock(path)?;
        if mounted.locked.iter().any(|locked| locked == path) {
            return Ok(None);
        }
        mounted.locked.push(path.to_owned());
        Ok(Some(Box::new(SimLock {
            fs: self.clone(),
            path: path.to_owned(),
        })))
    }

    fn tightened(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[derive(Debug)]
struct SimFile {
    fs: SimFs,
    inode: usize,
}

impl FsFile for SimFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.fs.change(|disk| disk.append(self.inode, bytes));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.fs.change(|disk| disk.sync(self.inode));
        Ok(())
    }
}

#[derive(Debug)]
struct SimLock {
    fs: SimFs,
    path: PathBuf,
}

impl FsLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.fs.lock().locked.retain(|locked| *locked != self.path);
    }
}
