//! The quarantine: a folder that keeps broken files. Before a broken file is replaced, it gets a second name in the
//! quarantine, so that its content is not lost.

use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::Utc;
use sha2::{Digest as _, Sha256};

use super::{
    Files,
    failure::Failure,
    place::{JSON, Place, TEMP, hex},
};
use crate::memory::{ReadOnly, Shelf, StoreNoticeKind};

/// Maximum number of broken files that the quarantine keeps for one shelf. Source: chosen; a program that keeps breaking the
/// same file must not fill the disk.
const MAX_KEPT: usize = 5;

impl Files {
    /// Gives a broken file of a shelf a second name in the quarantine folder. `path` is its own name, and `bytes` is
    /// its content. Adds no name if the folder already contains a broken file of this shelf with this content. When this
    /// returns, the entry in the quarantine folder is durable.
    pub(super) fn quarantine(
        &self,
        place: &Place,
        shelf: &Shelf,
        path: &Path,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::ReadOnly {
            why: ReadOnly::QuarantineFailed,
            detail: format!(
                "{} is broken and could not be put aside: {error}",
                path.display()
            ),
        };
        let dir = &place.quarantine;
        self.fs.create_dir(dir).map_err(failed)?;
        let mut kept = self.fs.list(dir).map_err(failed)?;
        kept.retain(|entry| {
            entry.name.starts_with(&place.quarantine_prefix) && entry.name.ends_with(JSON)
        });
        let end = format!("-{}{JSON}", hex(&Sha256::digest(bytes)[..8]));
        if kept
            .iter()
            .any(|entry| entry.name.ends_with(&end) && entry.size == bytes.len() as u64)
        {
            // An earlier writer may have ended before the entry was durable.
            return self.fs.sync_dir(dir).map_err(failed);
        }
        if kept.len() >= MAX_KEPT {
            return Err(Failure::ReadOnly {
                why: ReadOnly::QuarantineFull,
                detail: format!(
                    "{} is broken, and {MAX_KEPT} broken ones are in {}",
                    path.display(),
                    dir.display()
                ),
            });
        }
        let name = format!(
            "{}{}{end}",
            place.quarantine_prefix,
            Utc::now().format("%Y%m%dT%H%M%SZ")
        );
        let target = dir.join(&name);
        self.link_or_copy(path, &target, &dir.join(format!("{name}{TEMP}")), bytes)
            .map_err(failed)?;
        // The entry in the quarantine folder must be durable before the broken file is replaced.
        self.fs.sync_dir(dir).map_err(failed)?;
        let file = target
            .iter()
            .map(|part| part.to_string_lossy())
            .collect::<Vec<_>>()
            .join("/");
        self.notices
            .did(Some(shelf), StoreNoticeKind::Quarantined { file });
        Ok(())
    }

    /// Returns the paths of the files of a shelf in the quarantine folder.
    pub(super) fn quarantined(&self, place: &Place) -> Result<Vec<PathBuf>, Failure> {
        let entries = self.list(&place.quarantine)?.into_iter();
        let own = entries.filter(|entry| entry.name.starts_with(&place.quarantine_prefix));
        Ok(own.map(|entry| place.quarantine.join(entry.name)).collect())
    }

    /// Gives the file `from` the second name `to`. If the file system has no hard links, writes `bytes` to `temp` and
    /// renames `temp` to `to` instead.
    pub(super) fn link_or_copy(
        &self,
        from: &Path,
        to: &Path,
        temp: &Path,
        bytes: &[u8],
    ) -> io::Result<()> {
        match self.fs.link(from, to) {
            Err(error) if has_no_links(&error) => {}
            linked => return linked,
        }
        let copied = self.fs.create_new(temp).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync()?;
            drop(file);
            self.fs.rename(temp, to)
        });
        if copied.is_err() {
            let _ = self.fs.unlink(temp);
        }
        copied
    }
}

fn has_no_links(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(
        error.kind(),
        K::Unsupported | K::PermissionDenied | K::TooManyLinks
    )
}
