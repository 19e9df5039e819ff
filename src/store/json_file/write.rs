//! Writes a shelf. At every moment, the disk contains either the whole old state or the whole new state of the shelf,
//! whatever fails.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Files,
    failure::Failure,
    format::Document,
    fs::FsKind,
    place::Place,
    read::{Found, Source},
};
use crate::memory::{Committed, Durable, Edit, ReadOnly, Scope, Shelf, StoreNoticeKind, apply};

/// Age at which a temporary file counts as abandoned, even if a process with its writer's id exists. Source: chosen; in
/// this time, the id may have passed to another process.
const ORPHANED: Duration = Duration::from_hours(1);
/// Maximum number of attempts to create the new file again after a clean-up has removed the shelf's empty folder.
/// Source: chosen; nothing but a clean-up removes empty folders.
const MAX_TRIES: u32 = 5;
#[derive(Debug)]
pub(super) struct Written {
    pub(super) committed: Committed,
    /// True if the shelf's folder was missing or empty before the commit.
    pub(super) is_first: bool,
    /// Estimated growth of the store by this commit and by the backup that the next commit makes of it; 0 if the file
    /// shrinks. Unit: bytes.
    pub(super) growth: u64,
}

impl Files {
    /// Applies an edit to a shelf. The caller holds the shelf's lock.
    pub(super) fn update_locked(
        &self,
        place: &Place,
        shelf: &Shelf,
        edit: &Edit,
    ) -> Result<Written, Failure> {
        let is_first = self.tidy(place)?;
        let found = self.find(place, shelf)?;
        if found.is_newer {
            self.tell(shelf, &found);
            return Err(newer(&found));
        }
        let changes = edit
            .changes(&found.document.records)
            .map_err(Failure::Edit)?;
        if changes.is_empty() {
            if found.source != Source::Nobody {
                // An earlier writer may have ended before the file's entry was durable. The acknowledgement of this update
                // promises that it is.
                self.fs
                    .create_dir(&place.dir)
                    .map_err(Failure::io("create_dir", &place.dir))?;
                self.fs
                    .sync_dir(&place.dir)
                    .map_err(Failure::io("sync_dir", &place.dir))?;
            }
            let generation = found.document.generation;
            let committed = Committed {
                generation,
                durable: Durable::Yes,
                changes,
            };
            return Ok(Written {
                committed,
                is_first: false,
                growth: 0,
            });
        }
        let generation = found.generation.saturating_add(1);
        let document = Document {
            generation,
            records: apply(&found.document.records, &changes),
            ..found.document.clone()
        };
        let bytes = self.to_bytes(&document)?;
        if bytes.len() > self.options.max_shelf_bytes
            && bytes.len() >= self.to_bytes(&found.document)?.len()
        {
            return Err(Failure::ShelfTooLarge {
                bytes: bytes.len(),
                max: self.options.max_shelf_bytes,
            });
        }
        for (path, bad) in &found.bad {
            self.quarantine(place, shelf, path, bad)?;
        }
        self.replace(place, &found, &document, &bytes)?;
        match found.source {
            Source::Nobody | Source::File => {}
            Source::Backup => self
                .notices
                .did(Some(shelf), StoreNoticeKind::RestoredFromBackup),
            Source::Salvage => {
                let records = found.document.records.len();
                self.notices
                    .did(Some(shelf), StoreNoticeKind::Salvaged { records });
            }
            Source::Lost => self.notices.did(Some(shelf), StoreNoticeKind::StartedEmpty),
        }
        // With the next commit, the backup grows by the same amount.
        let growth = 2 * bytes
            .len()
            .saturating_sub(found.good.as_ref().map_or(0, Vec::len))
            as u64;
        Ok(Written {
            committed: Committed {
                generation,
                durable: Durable::Yes,
                changes,
            },
            is_first,
            growth,
        })
    }

    /// Removes a shelf, and its host's folder if nothing else is in it. The caller holds the shelf's lock.
    pub(super) fn remove_locked(&self, place: &Place, shelf: &Shelf) -> Result<(), Failure> {
        self.tidy(place)?;
        match self.find(place, shelf) {
            Ok(found) if found.is_newer => return Err(newer(&found)),
            // A shelf that is too large can still be removed on request.
            Ok(_) | Err(Failure::ReadOnly { .. }) => {}
            Err(failure) => return Err(failure),
        }
        let aside = self.quarantined(place)?;
        if !aside.is_empty() {
            self.unlink_all(&aside)?;
            self.fs
                .sync_dir(&place.quarantine)
                .map_err(Failure::io("sync_dir", &place.quarantine))?;
        }
        self.unlink_shelf(place)?;
        match self.fs.sync_dir(&place.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            synced => synced.map_err(Failure::io("sync_dir", &place.dir))?,
        }
        // The folder's name is the host's name. The removal fails if the folder holds another shelf.
        if let (Scope::Host(_), Some(parent)) = (&shelf.scope, place.dir.parent())
            && self.fs.remove_dir(&place.dir).is_ok()
        {
            self.fs
                .sync_dir(parent)
                .map_err(Failure::io("sync_dir", parent))?;
        }
        Ok(())
    }

    /// Removes the files of a shelf. The main file is removed last, once the removal of the other files is durable. If
    /// it were removed earlier, a power cut could leave a backup behind, and the removed shelf would be restored from
    /// it. When this returns, the removal of the main file itself is not durable yet.
    pub(super) fn unlink_shelf(&self, place: &Place) -> Result<(), Failure> {
        let mut others = self.list(&place.dir)?;
        others.retain(|entry| place.owns(&entry.name) && entry.name != place.name);
        if !others.is_empty() {
            let others: Vec<PathBuf> = others
                .iter()
                .map(|entry| place.dir.join(&entry.name))
                .collect();
            self.unlink_all(&others)?;
            self.fs
                .sync_dir(&place.dir)
                .map_err(Failure::io("sync_dir", &place.dir))?;
        }
        self.unlink_all(&[place.file()])
    }

    fn unlink_all(&self, paths: &[PathBuf]) -> Result<(), Failure> {
        for path in paths {
            match self.fs.unlink(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                done => done.map_err(Failure::io("unlink", path))?,
            }
        }
        Ok(())
    }

    /// Removes abandoned temporary files of the shelf: files of this process, files of processes that have ended, and
    /// files that are older than [`ORPHANED`]. Returns true if the shelf's folder was missing or empty. Fails if
    /// something that is not a file has the name of one of the shelf's files, other than of a temporary file.
    fn tidy(&self, place: &Place) -> Result<bool, Failure> {
        let entries = self.list(&place.dir)?;
        for entry in entries.iter().filter(|entry| place.owns(&entry.name)) {
            let path = place.dir.join(&entry.name);
            match (entry.kind, place.writer_of(&entry.name)) {
                // Every writer of this shelf must hold the lock, which is held here, so every temporary file is abandoned. The extra
                // conditions protect against file systems whose locks do not work.
                (FsKind::File, Some(writer)) if entry.age > ORPHANED || is_gone(writer) => {
                    let _ = self.fs.unlink(&path);
                }
                (FsKind::File, _) | (_, Some(_)) => {}
                (FsKind::Dir | FsKind::Other, None) => {
                    let error = io::Error::new(io::ErrorKind::InvalidInput, "it is not a file");
                    return Err(Failure::io("look", &path)(error));
                }
            }
        }
        Ok(entries.is_empty())
    }

    pub(super) fn list(&self, dir: &Path) -> Result<Vec<super::fs::FsEntry>, Failure> {
        self.fs.list(dir).map_err(Failure::io("list", dir))
    }

    fn to_bytes(&self, document: &Document) -> Result<Vec<u8>, Failure> {
        document
            .to_bytes(self.schema)
            .map_err(|error| Failure::Unreadable {
                detail: error.to_string(),
            })
    }

    /// Replaces a shelf's file by a new file with the document. `bytes` is the document as text. The order of the calls in
    /// this function must not change, because it makes the update safe.
    fn replace(
        &self,
        place: &Place,
        found: &Found,
        document: &Document,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let temp = self.write_temp(place, bytes)?;
        let kept = match &found.good {
            // What was removed from a shelf must not stay in its backup, because an empty shelf may never change again.
            Some(_) if document.records.is_empty() => self.write_backup(place, bytes),
            _ => self.keep_old(place, found),
        };
        let replaced = kept.and_then(|()| {
            let file = place.file();
            self.fs
                .rename(&temp, &file)
                .map_err(Failure::io("rename", &file))
        });
        if let Err(failure) = replaced {
            let _ = self.fs.unlink(&temp);
            return Err(failure);
        }
        if found.good.is_none() && found.source != Source::Nobody {
            // There was no good file to become the backup, so the backup is broken, missing or older than the state before.
            // The update is complete without a new backup.
            let _ = self.write_backup(place, bytes);
        }
        self.fs
            .sync_dir(&place.dir)
            .map_err(Failure::io("sync_dir", &place.dir))
    }

    /// Writes a backup with these bytes. It is no second name of the shelf's file, because a program that breaks the file
    /// must not break the backup too.
    fn write_backup(&self, place: &Place, bytes: &[u8]) -> Result<(), Failure> {
        let (temp, backup) = (self.write_temp(place, bytes)?, place.backup());
        let renamed = self.fs.rename(&temp, &backup);
        renamed.map_err(|error| {
            let _ = self.fs.unlink(&temp);
            Failure::io("rename", &backup)(error)
        })
    }

    /// Writes these bytes into a new temporary file in the shelf's folder, makes them durable, and returns the path of
    /// the file. Leaves no file behind if this fails.
    fn write_temp(&self, place: &Place, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let temp = place.temp();
        let mut tries = 0;
        let mut file = loop {
            self.fs
                .create_dir(&place.dir)
                .map_err(Failure::io("create_dir", &place.dir))?;
            match self.fs.create_new(&temp) {
                // A clean-up has removed the shelf's folder while it was empty.
                Err(error) if error.kind() == io::ErrorKind::NotFound && tries < MAX_TRIES => {
                    tries += 1;
                }
                file => break file.map_err(Failure::io("create", &temp))?,
            }
        };
        let written = file.write_all(bytes).map_err(Failure::io("write", &temp));
        // A failed sync is never repeated, because the system may have dropped the data that it could not write.
        let written = written.and_then(|()| file.sync().map_err(Failure::io("sync", &temp)));
        drop(file);
        match written {
            Ok(()) => Ok(temp),
            Err(failure) => {
                let _ = self.fs.unlink(&temp);
                Err(failure)
            }
        }
    }

    /// Makes the shelf's current file the backup. If it is in an older version of the format, also keeps a copy at
    /// [`Place::old_version`]. Does nothing if the current file is missing or broken.
    fn keep_old(&self, place: &Place, found: &Found) -> Result<(), Failure> {
        let Some(good) = &found.good else {
            return Ok(());
        };
        let (file, backup) = (place.file(), place.backup());
        if found.document.version < self.schema.current() {
            let old = place.old_version(found.document.version);
            match self.link_or_copy(&file, &old, &place.temp(), good) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                kept => kept.map_err(Failure::io("link", &old))?,
            }
        }
        let (link, copy) = (place.temp(), place.temp());
        let kept = self
            .link_or_copy(&file, &link, &copy, good)
            .and_then(|()| self.fs.rename(&link, &backup));
        // If both names belong to the same file, the rename does nothing and the link remains. This happens if an earlier process made
        // the backup and ended before it replaced the file.
        let _ = self.fs.unlink(&link);
        kept.map_err(Failure::io("backup", &backup))
    }
}

fn newer(found: &Found) -> Failure {
    let detail = format!(
        "it has version {} of the format, written by a newer program",
        found.document.version
    );
    Failure::ReadOnly {
        why: ReadOnly::NewerVersion,
        detail,
    }
}

/// Returns true if no process has this id, which is checked only on Unix. Also returns true for the id of this process,
/// because it writes no file of the shelf during this check. Processes in other containers are not found.
fn is_gone(pid: u32) -> bool {
    if pid == std::process::id() {
        return true;
    }
    #[cfg(unix)]
    {
        let pid = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        pid.is_none_or(|pid| {
            rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
        })
    }
    #[cfg(not(unix))]
    false
}
