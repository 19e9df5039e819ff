//! Files that pages offer for download.

use std::{fs, io, path::Path};

use super::state::MAX_DOWNLOAD;
use crate::{base::text::clean, browser::chromium, page::Notice};

/// Maximum number of files that are reported after one action. Further files are counted, but not kept. Source: chosen;
/// a page can offer thousands.
const MAX_TOLD: usize = 100;

/// The finished downloads that were not reported to the caller yet.
#[derive(Debug, Default)]
pub(super) struct Offered {
    notices: Vec<Notice>,
    /// Number of files that are being moved or deleted, and will then be reported.
    moving: usize,
    /// Number of files beyond the first [`MAX_TOLD`] since `take` was last called.
    more: u64,
}

impl Offered {
    /// Reserves one of the [`MAX_TOLD`] reports for a file. If this function returns true, the caller must report the
    /// file with [`tell`](Self::tell). Otherwise the file is only counted.
    pub(super) fn has_room(&mut self) -> bool {
        let has_room = self.notices.len() + self.moving < MAX_TOLD;
        if has_room {
            self.moving += 1;
        } else {
            self.more += 1;
        }
        has_room
    }

    /// Adds the report of a file for which [`has_room`](Self::has_room) returned true.
    pub(super) fn tell(&mut self, name: &str, kept: bool) {
        self.moving = self.moving.saturating_sub(1);
        self.notices.push(Notice::Download {
            suggested_name: clean(name),
            kept,
        });
    }

    pub(super) fn take(&mut self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.notices);
        let more = std::mem::take(&mut self.more);
        if more > 0 {
            notices.push(Notice::Download {
                suggested_name: format!("({more} more)"),
                kept: false,
            });
        }
        notices
    }
}

/// Moves a downloaded file into `folder` under a new name, or deletes it if `folder` is `None` or the move fails.
/// Returns true if the file is now in `folder`.
///
/// `files` is the folder into which the browser wrote the file. The file's name there is `id`, which comes from the
/// browser, so text of the page never becomes part of a path.
pub(super) fn keep(files: &Path, id: &str, folder: Option<&Path>) -> bool {
    let from = files.join(id);
    let is_plain = id
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        && !id.is_empty();
    if !is_plain {
        return false;
    }
    let is_kept = folder.is_some_and(|folder| move_to(&from, folder).is_ok());
    if !is_kept {
        // A failure does no harm: the browser itself removes a cancelled file, and any other file is removed with the
        // folder.
        let _ = fs::remove_file(&from);
    }
    is_kept
}

fn move_to(from: &Path, folder: &Path) -> io::Result<()> {
    let file = fs::symlink_metadata(from)?;
    if !file.is_file() || file.len() > MAX_DOWNLOAD {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::create_dir_all(folder)?;
    let id = uuid::Uuid::now_v7().simple().to_string();
    let (new, kept) = (
        folder.join(format!(".download-{id}.new")),
        folder.join(format!("download-{id}.bin")),
    );
    // The final name appears only once the file is whole. Until then the folder contains a `.new` file.
    let moved = copy(from, &new).and_then(|()| fs::rename(&new, kept));
    moved.inspect_err(|_| _ = fs::remove_file(&new))?;
    fs::remove_file(from)
}

/// Copies a file. Unlike a rename, this also works across file systems.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut to = chromium::folder::create_private(to)?;
    io::copy(&mut fs::File::open(from)?, &mut to).map(drop)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_files_is_told_by_its_number() {
        let mut offered = Offered::default();
        let told = (0..MAX_TOLD + 7).filter(|_| offered.has_room()).count();
        for nth in 0..told {
            offered.tell(&format!("{nth}\u{202e}.csv"), true);
        }
        let notices = offered.take();
        let notice = |name: &str, kept| Notice::Download {
            suggested_name: name.to_owned(),
            kept,
        };
        assert_eq!(
            (notices.len(), &notices[0]),
            (MAX_TOLD + 1, &notice("0.csv", true))
        );
        assert_eq!(notices.last(), Some(&notice("(7 more)", false)));
        assert!(offered.take().is_empty() && offered.has_room());
    }

    #[test]
    fn a_file_is_kept_under_a_name_of_ours_and_only_out_of_its_own_folder() {
        let base = tempfile::tempdir().unwrap();
        let (files, kept) = (base.path().join("files"), base.path().join("kept"));
        fs::create_dir(&files).unwrap();
        let id = "6e8f-01ab";
        fs::write(files.join(id), "csv").unwrap();
        fs::write(base.path().join("secret"), "s").unwrap();
        assert!(!keep(&files, "../secret", Some(&kept)) && !keep(&files, "", Some(&kept)));
        assert!(!keep(&files, "../secret", None) && base.path().join("secret").exists());
        assert!(keep(&files, id, Some(&kept)));
        let found: Vec<_> = fs::read_dir(&kept)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(found.len(), 1);
        assert_eq!(fs::read_to_string(&found[0]).unwrap(), "csv");
        assert!(!files.join(id).exists() && !keep(&files, id, Some(&kept)));
        std::os::unix::fs::symlink(base.path().join("secret"), files.join("ab")).unwrap();
        assert!(!keep(&files, "ab", Some(&kept)));
        fs::write(files.join(id), "csv").unwrap();
        assert!(
            !keep(&files, id, None)
                && !files.join(id).exists()
                && base.path().join("secret").exists()
        );
    }
}
