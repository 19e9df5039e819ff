//! The store's interface to the file system. Tests implement it to simulate full disks and power cuts.

use std::{
    fmt::Debug,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// An interface to the file system below one folder, the root.
///
/// # Contract
/// - Paths are relative to the root and consist of names that the store chose or that [`list`](Self::list) returned. No
///   call follows a symbolic link below the root.
/// - On Unix, folders are created with mode 0700 and files with mode 0600, whatever the umask. A call that must open a
///   folder or file of another user fails with [`io::ErrorKind::PermissionDenied`].
/// - Only the effects of [`create_dir`](Self::create_dir), [`FsFile::sync`] and [`sync_dir`](Self::sync_dir) are
///   certain to survive a power cut.
pub trait Fs: Debug + Send + Sync {
    /// Creates a folder and its missing parents. The empty path means the root itself. When this returns, the folder
    /// and its parents survive a power cut, even if another process created some of them.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;

    /// Creates a new file for writing. Fails with [`io::ErrorKind::AlreadyExists`] if the name is taken.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;

    /// Reads a file. If it has more than `max` bytes, fails with [`io::ErrorKind::FileTooLarge`] without reading it.
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>>;

    /// Renames a file, and replaces any other file that has the new name. If the new name is already a name of the
    /// file itself, nothing happens, as POSIX specifies.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file another name (a hard link). Fails if the new name is taken.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes one name of a file. If this was the file's last name, the file is gone.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder. Fails if it is not empty.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;

    /// Makes sure that the names in a folder survive a power cut.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Lists a folder, in no particular order. Returns an empty list if the folder does not exist. Leaves out names that are
    /// not UTF-8.
    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>>;

    /// Tries once to take the exclusive lock of a lock file. Returns `None` if somebody else holds the lock. Creates
    /// the lock file if it is missing. A lock file is never renamed or deleted. The lock is released on drop or when
    /// the process ends.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>>;

    /// Returns the files and folders that were open to other users until this store made them private. Each is
    /// returned only once: a call returns those made private since the previous call.
    fn tightened(&self) -> Vec<PathBuf>;
}

/// A new file, open for writing.
pub trait FsFile: Debug + Send {
    /// Appends all bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes sure that the content survives a power cut. After an error, the content on the disk is unknown, and
    /// calling this again does not help.
    fn sync(&mut self) -> io::Result<()>;
}

/// The exclusive lock of a lock file. It is released when this value is dropped.
pub trait FsLock: Debug + Send {}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FsEntry {
    /// The name, without a path.
    pub name: String,
    /// The kind of the entry.
    pub kind: FsKind,
    /// Size of the file. Unit: bytes.
    pub size: u64,
    /// Time since the last change of the file. For a folder: time since an entry was last added or removed.
    pub age: Duration,
}

/// The kind of an entry in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// Neither a regular file nor a folder, but for example a symbolic link, a device or a socket. The store never
    /// creates such an entry.
    Other,
}
