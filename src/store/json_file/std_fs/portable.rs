//! File access by paths, for operating systems without folder handles. Each component of a path is checked before the
//! path is used. A new folder gets the default access rights of the operating system.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use super::{NewFile, StdFs, names, not_ours, read_up_to, take_lock};
use crate::store::json_file::fs::{Fs, FsEntry, FsFile, FsKind, FsLock};

impl Fs for StdFs {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.checked(dir)?;
        DirBuilder::new()
            .recursive(true)
            .create(self.root.join(dir))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.checked(path)?)?;
        Ok(Box::new(NewFile(file)))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        let full = self.checked(path)?;
        let metadata = fs::symlink_metadata(&full)?;
        if !metadata.is_file() {
            return Err(not_ours(path, "not a file"));
        }
        read_up_to(&File::open(full)?, metadata.len(), max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(self.checked(from)?, self.checked(to)?)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(self.checked(from)?, self.checked(to)?)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(self.checked(path)?)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        fs::remove_dir(self.checked(dir)?)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        // A folder cannot be flushed on these systems. Their file systems journal a folder's entries together with the
        // files.
        self.checked(dir).map(drop)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        let read = match fs::read_dir(self.checked(dir)?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let mut entries = Vec::new();
        for entry in read {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let metadata = match fs::symlink_metadata(entry.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                metadata => metadata?,
            };
            let kind = match (metadata.is_file(), metadata.is_dir()) {
                (true, _) => FsKind::File,
                (_, true) => FsKind::Dir,
                _ => FsKind::Other,
            };
            let age = metadata.modified()?.elapsed().unwrap_or_default();
            entries.push(FsEntry {
                name,
                kind,
                size: metadata.len(),
                age,
            });
        }
        Ok(entries)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        let full = self.checked(path)?;
        take_lock(
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(full)?,
        )
    }

    fn tightened(&self) -> Vec<PathBuf> {
        // Access rights are left to the system here, so no path is ever made private.
        Vec::new()
    }
}

impl StdFs {
    /// Returns the full path of a file or folder below the root. Fails if a component of `path` is a symbolic link.
    fn checked(&self, path: &Path) -> io::Result<PathBuf> {
        let mut full = self.root.clone();
        for name in names(path)? {
            full.push(name);
            match fs::symlink_metadata(&full) {
                Ok(metadata) if metadata.file_type().is_symlink() => {
                    return Err(not_ours(path, "a symbolic link"));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(full)
    }
}
