//! What the store asks of a file system: a seam, so that full disks and power cuts can be simulated.

use std::{
    fmt::Debug,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The file system below one root.
///
/// # Contract
/// - Paths are relative to the root and made of the store's own names; no call follows a symbolic link below the root.
/// - Folders and files are made with modes 0700 and 0600, whatever the umask. What is there already and belongs to another
///   user is refused with [`io::ErrorKind::PermissionDenied`].
/// - Nothing but [`create_dir`](Self::create_dir), [`FsFile::sync`] and [`sync_dir`](Self::sync_dir) promises anything for
///   the time after a power cut.
pub trait Fs: Debug + Send + Sync {
    /// Makes a folder and those above it; nothing happens when it is there. Afterwards the entries of all of them are
    /// durable, whoever made them. The root itself is the empty path.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;

    /// Makes a new file for writing; [`io::ErrorKind::AlreadyExists`] if there is something of that name.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>>;

    /// The bytes of a file; [`io::ErrorKind::FileTooLarge`] if they are more than `max`, without reading them.
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>>;

    /// Moves a file over whatever file has the other name. Two names of one file both stay, as POSIX wants it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Another name for a file; replaces nothing.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Takes a file's name away.
    fn unlink(&self, path: &Path) -> io::Result<()>;

    /// Takes an empty folder away; fails when something is in it.
    fn remove_dir(&self, dir: &Path) -> io::Result<()>;

    /// Makes the entries of a folder durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// What is in a folder, in no order; empty when there is no such folder. Names that are not UTF-8 are left out.
    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>>;

    /// Tries once to take the exclusive lock of a lock file, which is made if needed and never renamed or deleted; `None`
    /// when another holds it. Released when dropped, or when the process ends.
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>>;

    /// What was open to others and is private now, since the last call.
    fn tightened(&self) -> Vec<PathBuf>;
}

/// A new file that is being written.
pub trait FsFile: Debug + Send {
    /// Appends all the bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Makes the content durable. After an error nothing is known of it, and asking again does not help.
    fn sync(&mut self) -> io::Result<()>;
}

/// A lock that is held.
pub trait FsLock: Debug + Send {}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FsEntry {
    /// Its name, without a path.
    pub name: String,
    /// What it is.
    pub kind: FsKind,
    /// Size of a file in bytes.
    pub size: u64,
    /// Time since it was last changed; for a folder, since something was last put into it or taken out of it.
    pub age: Duration,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FsKind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link, a device, a socket: nothing that the store makes.
    Other,
}
