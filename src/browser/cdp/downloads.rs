//! Files that pages offer.

use std::{fs, io, path::Path};

use crate::browser::chromium;

/// Moves a file to a name of ours, if there is a folder for it, and otherwise removes it; whether it is kept.
///
/// The browser gave it its own id for a name, so no text of the page is ever part of a path.
pub(super) fn keep(files: &Path, id: &str, folder: Option<&Path>) -> bool {
    let from = files.join(id);
    let is_plain = id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') && !id.is_empty();
    if !is_plain {
        return false;
    }
    let is_kept = folder.is_some_and(|folder| move_to(&from, folder).is_ok());
    if !is_kept {
        // The browser has removed what it cancelled; the rest goes at the latest with the folder.
        let _ = fs::remove_file(&from);
    }
    is_kept
}

fn move_to(from: &Path, folder: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(from)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::create_dir_all(folder)?;
    let id = uuid::Uuid::now_v7().simple().to_string();
    chromium::write_private(&folder.join(format!("download-{id}.bin")), &fs::read(from)?)?;
    fs::remove_file(from)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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
        let found: Vec<_> = fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(fs::read_to_string(&found[0]).unwrap(), "csv");
        assert!(!files.join(id).exists() && !keep(&files, id, Some(&kept)));
        std::os::unix::fs::symlink(base.path().join("secret"), files.join("ab")).unwrap();
        assert!(!keep(&files, "ab", Some(&kept)));
        fs::write(files.join(id), "csv").unwrap();
        assert!(!keep(&files, id, None) && !files.join(id).exists() && base.path().join("secret").exists());
    }
}
