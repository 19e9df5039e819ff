//! The file system of this machine.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::{
    collections::HashMap,
    fs::{File, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Component, Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use super::fs::{FsFile, FsLock};

/// Folders of which it is remembered that their entry is durable. Source: chosen; a fleet's run visits fewer hosts.
const MAX_DURABLE: usize = 4_096;
/// Notices of changed modes that may wait. Source: chosen; the first few tell it all.
const MAX_TIGHTENED: usize = 64;

/// The real file system below a root.
///
/// The root itself may be a symbolic link, and is made when it is missing. Nothing is opened before it is needed.
#[derive(Debug)]
pub struct StdFs {
    root: PathBuf,
    durable: Mutex<HashMap<PathBuf, Identity>>,
    tightened: Mutex<Vec<PathBuf>>,
}

/// Tells a folder from a later one of the same name: device, number, and time of birth where the system knows it.
type Identity = (u64, u64, Option<SystemTime>);

impl StdFs {
    /// The file system below this folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), durable: Mutex::default(), tightened: Mutex::default() }
    }

    fn is_durable(&self, path: &Path, identity: Identity) -> bool {
        lock(&self.durable).get(path) == Some(&identity)
    }

    fn set_durable(&self, path: &Path, identity: Identity) {
        let mut durable = lock(&self.durable);
        if durable.len() >= MAX_DURABLE {
            durable.clear();
        }
        durable.insert(path.to_owned(), identity);
    }

    fn note_tightened(&self, path: &Path) {
        let mut tightened = lock(&self.tightened);
        if tightened.len() < MAX_TIGHTENED {
            tightened.push(path.to_owned());
        }
    }

    fn take_tightened(&self) -> Vec<PathBuf> {
        std::mem::take(&mut lock(&self.tightened))
    }
}

/// A panic cannot leave these half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The names of a path; anything but plain names is a mistake of the caller.
fn names(path: &Path) -> io::Result<Vec<&std::ffi::OsStr>> {
    path.components()
        .map(|component| match component {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "a path below the root has only plain names")),
        })
        .collect()
}

/// The folder and the name in it.
fn split(path: &Path) -> io::Result<(&Path, &std::ffi::OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(dir), Some(name)) => Ok((dir, name)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "a path without a name")),
    }
}

fn too_large(size: u64, max: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("{size} bytes, at most {max} are read"))
}

fn foreign(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{} belongs to another user", path.display()))
}

fn not_ours(path: &Path, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{} is {what}", path.display()))
}

/// Reads a file that was opened and looked at, up to `max` bytes.
fn read_up_to(file: &File, size: u64, max: u64) -> io::Result<Vec<u8>> {
    if size > max {
        return Err(too_large(size, max));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    // It may have grown since it was looked at.
    if bytes.len() as u64 > max {
        return Err(too_large(bytes.len() as u64, max));
    }
    Ok(bytes)
}

#[derive(Debug)]
struct NewFile(File);

impl FsFile for NewFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}

#[derive(Debug)]
struct HeldLock(#[expect(dead_code, reason = "closing the file gives the lock up")] File);

impl FsLock for HeldLock {}

/// Tries once; a signal that interrupts is not an answer.
fn take_lock(file: File) -> io::Result<Option<Box<dyn FsLock>>> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Box::new(HeldLock(file)))),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
