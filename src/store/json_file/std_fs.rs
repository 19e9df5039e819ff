//! The real file system of this machine.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

use std::{
    fs::{File, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Component, Path, PathBuf},
};

use super::fs::{FsFile, FsLock};

/// The real file system below a root.
///
/// The root itself may be a symbolic link, and is created if it is missing. Files and folders are opened only when a call
/// needs them.
#[derive(Debug)]
pub struct StdFs {
    root: PathBuf,
    #[cfg(unix)]
    known: unix::FolderState,
}

impl StdFs {
    /// Creates an interface to the file system below this folder. A relative path is resolved now, against the current
    /// directory.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            root: std::path::absolute(&root).unwrap_or(root),
            #[cfg(unix)]
            known: unix::FolderState::default(),
        }
    }
}

/// Returns the components of a path. Fails if a component is not a plain name, for example if it is `..`. Such a path
/// would be a bug in the caller.
fn names(path: &Path) -> io::Result<Vec<&std::ffi::OsStr>> {
    path.components()
        .map(|component| match component {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a path below the root has only plain names",
            )),
        })
        .collect()
}

#[cfg(unix)]
fn split(path: &Path) -> io::Result<(&Path, &std::ffi::OsStr)> {
    match (path.parent(), path.file_name()) {
        (Some(dir), Some(name)) => Ok((dir, name)),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "a path without a name",
        )),
    }
}

fn too_large(size: u64, max: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("{size} bytes, at most {max} are read"),
    )
}

#[cfg(unix)]
fn foreign(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("{} belongs to another user", path.display()),
    )
}

fn not_ours(path: &Path, what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{} is {what}", path.display()),
    )
}

/// Reads an open file of `size` bytes. Fails if the file has more than `max` bytes.
fn read_up_to(file: &File, size: u64, max: u64) -> io::Result<Vec<u8>> {
    if size > max {
        return Err(too_large(size, max));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default().saturating_add(1));
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    // The file may have grown since its size was read.
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

/// Tries once to take the exclusive lock of an open file. Returns `None` if somebody else holds the lock. Repeats an
/// attempt that a signal interrupted.
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
