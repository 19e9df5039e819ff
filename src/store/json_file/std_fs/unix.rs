//! File access through folder handles. Below the root, the handle of a folder is opened from the handle of its parent
//! folder, and never through a symbolic link. So nobody can replace a folder between a check and an action.

use std::{
    collections::HashMap,
    ffi::{CStr, OsStr},
    fs::{self, DirBuilder, File},
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::{DirBuilderExt as _, MetadataExt as _},
    },
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::{
    fs::{
        AtFlags, Dir, FileType, Mode, OFlags, fchmod, linkat, mkdirat, openat, renameat, statat,
        unlinkat,
    },
    io::{Errno, retry_on_intr},
    process::geteuid,
};

use super::{NewFile, StdFs, foreign, names, not_ours, read_up_to, split, take_lock};
use crate::store::json_file::fs::{Fs, FsEntry, FsFile, FsKind, FsLock};

const DIR_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
/// Mode bits that give rights to a file's group or to other users. None of them may be set on a file or folder of the
/// store.
const OTHERS: u32 = 0o077;

/// Maximum number of folders that are remembered as durable, which means that their entry in the parent folder survives
/// a power cut. Source: chosen; even large sets of runs visit fewer hosts.
const MAX_DURABLE: usize = 4_096;
/// Maximum number of remembered paths from which the rights of other users were removed. Source: chosen; the first
/// paths show the problem.
const MAX_TIGHTENED: usize = 64;

/// Numbers that distinguish a folder from a later folder with its name: the device, the inode, and the creation time if
/// the system knows it.
type Identity = (u64, u64, Option<SystemTime>);

/// Facts that are kept between calls: which folders survive a power cut, and from which paths the rights of other users
/// were removed.
#[derive(Debug, Default)]
pub(super) struct FolderState {
    durable: Mutex<HashMap<PathBuf, Identity>>,
    tightened: Mutex<Vec<PathBuf>>,
}

impl FolderState {
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
}

/// Locks a mutex, even if another thread panicked while it held the lock. This is safe, because a panic cannot leave
/// the data half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the flags for opening a folder. Opening a symbolic link fails.
fn dir_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// Returns the flags for opening a file. Opening a symbolic link fails. Opening a pipe does not wait for the other end.
fn file_flags() -> OFlags {
    OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK
}

impl Fs for StdFs {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        let mut at = self.make_root()?;
        let mut path = PathBuf::new();
        for name in names(dir)? {
            path.push(name);
            let next = match self.open_dir(at.as_fd(), name, &path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match mkdirat(&at, name, DIR_MODE) {
                        Ok(()) | Err(Errno::EXIST) => self.open_dir(at.as_fd(), name, &path)?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
            // Another process may have created the folder and ended before the folder's entry was durable, so the entry
            // is synced here too.
            let identity = identity(&next)?;
            if !self.known.is_durable(&path, identity) {
                at.sync_all()?;
                self.known.set_durable(&path, identity);
            }
            at = next;
        }
        Ok(())
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let (dir, name) = split(path)?;
        let flags = file_flags() | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = open_at(self.dir(dir)?.as_fd(), name, flags)?;
        Ok(Box::new(NewFile(file)))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let (dir, name) = split(path)?;
        let file = self.open_file(self.dir(dir)?.as_fd(), name, path, OFlags::RDONLY)?;
        let size = file.metadata()?.len();
        read_up_to(&file, size, max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from_dir, from_name), (to_dir, to_name)) = (split(from)?, split(to)?);
        let from_dir = self.dir(from_dir)?;
        Ok(renameat(&from_dir, from_name, self.dir(to_dir)?, to_name)?)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let ((from_dir, from_name), (to_dir, to_name)) = (split(from)?, split(to)?);
        let from_dir = self.dir(from_dir)?;
        Ok(linkat(
            &from_dir,
            from_name,
            self.dir(to_dir)?,
            to_name,
            AtFlags::empty(),
        )?)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        let (dir, name) = split(path)?;
        Ok(unlinkat(self.dir(dir)?, name, AtFlags::empty())?)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        let (parent, name) = split(dir)?;
        Ok(unlinkat(self.dir(parent)?, name, AtFlags::REMOVEDIR)?)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.dir(dir)?.sync_all()
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        let handle = match self.dir(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            handle => handle?,
        };
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for entry in read_dir(&handle)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else {
                continue;
            };
            if matches!(name, "." | "..") {
                continue;
            }
            let stat = match statat(&handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                // The entry was removed after the folder was listed.
                Err(Errno::NOENT) => continue,
                stat => stat?,
            };
            let kind = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => FsKind::File,
                FileType::Directory => FsKind::Dir,
                _ => FsKind::Other,
            };
            let (secs, nanos) = (
                u64::try_from(stat.st_mtime),
                u32::try_from(stat.st_mtime_nsec),
            );
            let changed =
                UNIX_EPOCH + Duration::new(secs.unwrap_or_default(), nanos.unwrap_or_default());
            entries.push(FsEntry {
                name: name.to_owned(),
                kind,
                size: u64::try_from(stat.st_size).unwrap_or_default(),
                age: now.duration_since(changed).unwrap_or_default(),
            });
        }
        Ok(entries)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        let (dir, name) = split(path)?;
        take_lock(self.open_file(
            self.dir(dir)?.as_fd(),
            name,
            path,
            OFlags::RDWR | OFlags::CREATE,
        )?)
    }

    fn tightened(&self) -> Vec<PathBuf> {
        std::mem::take(&mut lock(&self.known.tightened))
    }
}

impl StdFs {
    /// Opens the root, which may be a link to a folder, and returns its handle.
    fn open_root(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root: File =
            retry_on_intr(|| rustix::fs::open(&self.root, flags, Mode::empty()))?.into();
        let metadata = root.metadata()?;
        if metadata.uid() != geteuid().as_raw() {
            return Err(foreign(&self.root));
        }
        // The root stays open to other users if they use it too.
        if metadata.mode() & OTHERS != 0 && holds_only_private_folders(&root)? {
            self.close_to_others(&root, Path::new(""), DIR_MODE)?;
        }
        Ok(root)
    }

    /// Creates the root and its missing parents, makes sure that they survive a power cut, and returns the root's
    /// handle.
    fn make_root(&self) -> io::Result<File> {
        let root = match self.open_root() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(&self.root)?;
                self.open_root()?
            }
            opened => opened?,
        };
        let identity = identity(&root)?;
        if !self.known.is_durable(Path::new(""), identity) {
            // Another process may have created one of these folders and ended before its entry was durable, so the entries are
            // synced here too.
            for dir in fs::canonicalize(&self.root)?.ancestors().skip(1) {
                match File::open(dir).and_then(|dir| dir.sync_all()) {
                    // This error shows that the store has no right to create folders here, so there is nothing to make
                    // durable.
                    Err(error) if cannot_be_ours(&error) => {}
                    synced => synced?,
                }
            }
            self.known.set_durable(Path::new(""), identity);
        }
        Ok(root)
    }

    fn dir(&self, dir: &Path) -> io::Result<File> {
        let mut at = self.open_root()?;
        let mut path = PathBuf::new();
        for name in names(dir)? {
            path.push(name);
            at = self.open_dir(at.as_fd(), name, &path)?;
        }
        Ok(at)
    }

    fn open_dir(&self, at: BorrowedFd<'_>, name: &OsStr, path: &Path) -> io::Result<File> {
        let dir: File = match retry_on_intr(|| openat(at, name, dir_flags(), Mode::empty())) {
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(not_ours(path, "not a folder")),
            opened => opened?.into(),
        };
        self.own(&dir, path, DIR_MODE)?;
        Ok(dir)
    }

    fn open_file(
        &self,
        at: BorrowedFd<'_>,
        name: &OsStr,
        path: &Path,
        flags: OFlags,
    ) -> io::Result<File> {
        let file =
            open_at(at, name, file_flags() | flags).map_err(|error| match Errno::from_io_error(
                &error,
            ) {
                Some(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => not_ours(path, "not a file"),
                _ => error,
            })?;
        if !file.metadata()?.is_file() {
            return Err(not_ours(path, "not a file"));
        }
        self.own(&file, path, FILE_MODE)?;
        Ok(file)
    }

    /// Fails if the file or folder belongs to another user. If it belongs to this user, removes the rights of other
    /// users to it.
    fn own(&self, file: &File, path: &Path, mode: Mode) -> io::Result<()> {
        let metadata = file.metadata()?;
        if metadata.uid() != geteuid().as_raw() {
            return Err(foreign(path));
        }
        if metadata.mode() & OTHERS != 0 {
            self.close_to_others(file, path, mode)?;
        }
        Ok(())
    }

    fn close_to_others(&self, file: &File, path: &Path, mode: Mode) -> io::Result<()> {
        match fchmod(file, mode) {
            Ok(()) => self.known.note_tightened(path),
            // On a read-only file system the mode cannot be changed, but the file can still be read.
            Err(Errno::ROFS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Returns true if this error of a sync means that the store cannot create folders in the folder. The store then has
/// nothing in this folder that must survive a power cut.
fn cannot_be_ours(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::PermissionDenied | K::ReadOnlyFilesystem | K::InvalidInput | K::Unsupported
    )
}

fn open_at(at: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let file: OwnedFd = retry_on_intr(|| openat(at, name, flags, FILE_MODE))?;
    Ok(file.into())
}

/// Returns a reader of a folder's entries. Opens the folder again for this.
fn read_dir(dir: &File) -> io::Result<Dir> {
    Ok(retry_on_intr(|| Dir::read_from(dir))?)
}

fn identity(dir: &File) -> io::Result<Identity> {
    let metadata = dir.metadata()?;
    Ok((metadata.dev(), metadata.ino(), metadata.created().ok()))
}

/// Returns true if a folder is empty or contains only folders to which no other user has rights, as the root of a
/// private store does.
fn holds_only_private_folders(dir: &File) -> io::Result<bool> {
    for entry in read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") && !is_gone_or_private(dir, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if an entry is a folder to which no other user has rights, or if it was removed after the folder `dir`
/// was listed. The latter must not be an error of the kind `NotFound`, which would mean that the root is missing.
fn is_gone_or_private(dir: &File, name: &CStr) -> io::Result<bool> {
    let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(true),
        stat => stat?,
    };
    let is_open = Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO);
    let is_dir = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    Ok(is_dir && !is_open && stat.st_uid == geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_vanishes_while_the_root_is_looked_at_does_not_make_the_root_missing() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("notes.txt"), "somebody's").unwrap();
        let root = File::open(dir.path()).unwrap();
        assert!(is_gone_or_private(&root, c"gone").unwrap());
        assert!(!is_gone_or_private(&root, c"notes.txt").unwrap());
    }
}
