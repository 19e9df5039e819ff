//! Files that pages offer for download. The driver limits the size of incomplete files, so that they cannot fill the
//! disk. The total size of all kept files is not limited.
//!
//! The tool sets no limit. So a script that the tool loads for each page checks the incomplete files, and cancels their
//! downloads if they are too large. For each download that failed, the script leaves a note in the private folder: a
//! file that contains the name that the page suggested.

use std::{fs, io, path::Path};

use super::{driver::PlaywrightCli, reply::Download};
use crate::{
    base::text::clean,
    browser::chromium::{self, Folder},
    page::Notice,
};

/// Maximum size of a kept file, and of all incomplete files together. If the total is exceeded, all incomplete files
/// are dropped. Unit: bytes. Source: chosen; a kept file is read as a whole.
const MAX_DOWNLOAD: u64 = 100 << 20;
/// Maximum size of a note about a failed download. Unit: bytes. Source: chosen; a note contains a file name, for which
/// systems allow 255 bytes.
const MAX_NOTE: u64 = 4 << 10;
/// Maximum number of notes that are read after one command. Source: chosen; a page can offer thousands of files.
const MAX_NOTES: usize = 100;
const NOTES: &str = "dropped";

/// The script that watches downloads. An incomplete file has the extension `.crdownload`.
const WATCH: &str = r"'use strict';
// Ends downloads that take too much of the disk, and leaves a note of each one that failed.
const fs = require('fs');
const path = require('path');
const folder = process.env.WEBWISE_FOLDER;
const MOST = MAX_DOWNLOAD;
const onTheirWay = new Set();
let timer;
let notes = 0;
const entries = name => { try { return fs.readdirSync(name); } catch { return []; } };
const size = name => { try { return fs.statSync(name).size; } catch { return 0; } };
const look = () => {
  let sum = 0;
  for (const place of entries(path.join(folder, 't')).filter(name => name.startsWith('playwright-artifacts-'))) {
    const files = path.join(folder, 't', place);
    for (const name of entries(files)) if (name.endsWith('.crdownload')) sum += size(path.join(files, name));
  }
  if (sum > MOST) for (const download of onTheirWay) download.cancel().catch(() => {});
};
const note = name => {
  const file = path.join(folder, 'dropped', String(++notes));
  try { fs.writeFileSync(file + '.new', name, { mode: 0o600 }); fs.renameSync(file + '.new', file + '.note'); } catch {}
};
exports.default = async ({ page }) => {
  page.on('download', async download => {
    onTheirWay.add(download);
    timer ??= setInterval(look, 100);
    const failure = await download.failure().catch(error => String(error));
    onTheirWay.delete(download);
    if (!onTheirWay.size) timer = clearInterval(timer);
    if (failure) note(download.suggestedFilename());
  });
};
";

pub(super) fn write_watch(folder: &Folder) -> io::Result<()> {
    chromium::folder::create_private_folder(&folder.file(NOTES))?;
    let script = WATCH.replace("MAX_DOWNLOAD", &MAX_DOWNLOAD.to_string());
    chromium::write_private(&watch_script(folder), script.as_bytes())
}

pub(super) fn watch_script(folder: &Folder) -> std::path::PathBuf {
    folder.file("downloads.cjs")
}

impl PlaywrightCli {
    /// Handles a report of the tool about a download. If a folder for downloads is set, keeps the complete file and
    /// returns a notice; returns `None` for an incomplete file. If no folder is set, returns a notice of refusal for an
    /// incomplete file.
    pub(super) fn download(&self, download: &Download) -> Option<Notice> {
        let notice = |kept| {
            Some(Notice::Download {
                suggested_name: download.name.clone(),
                kept,
            })
        };
        match (&self.options.common.downloads, &download.path) {
            (None, None) => notice(false),
            (Some(folder), Some(path)) => notice(self.keep(Path::new(path), folder).is_ok()),
            _ => None,
        }
    }

    /// Reads and removes the notes about failed downloads, and returns a notice for each.
    pub(super) fn dropped(&self) -> Vec<Notice> {
        if self.options.common.downloads.is_none() {
            return Vec::new();
        }
        let entries = fs::read_dir(self.folder.file(NOTES))
            .into_iter()
            .flatten()
            .flatten();
        let notes = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "note"));
        let mut notes: Vec<_> = notes.take(MAX_NOTES).collect();
        notes.sort();
        notes
            .iter()
            .filter_map(|path| read_note(path).ok())
            .collect()
    }

    /// Moves a downloaded file into `folder`, under a new name. Fails if the file is not in the tool's output folder,
    /// or is larger than [`MAX_DOWNLOAD`].
    fn keep(&self, from: &Path, folder: &Path) -> io::Result<()> {
        let from = from.canonicalize()?;
        if !from.starts_with(self.folder.file("out").canonicalize()?) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if fs::metadata(&from)?.len() > MAX_DOWNLOAD {
            fs::remove_file(&from)?;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        fs::create_dir_all(folder)?;
        let id = uuid::Uuid::now_v7().simple().to_string();
        chromium::write_private(
            &folder.join(format!("download-{id}.bin")),
            &fs::read(&from)?,
        )?;
        fs::remove_file(from)
    }
}

fn read_note(path: &Path) -> io::Result<Notice> {
    use io::Read as _;
    let mut name = Vec::new();
    fs::File::open(path)?
        .take(MAX_NOTE)
        .read_to_end(&mut name)?;
    fs::remove_file(path)?;
    Ok(Notice::Download {
        suggested_name: clean(&String::from_utf8_lossy(&name)),
        kept: false,
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_once_cleaned_and_only_its_beginning() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("1.note");
        let name = format!("\u{1b}[31m../a\u{202e}b{}", "x".repeat(1 << 20));
        fs::write(&path, name).unwrap();
        let Notice::Download {
            suggested_name,
            kept: false,
        } = read_note(&path).unwrap()
        else {
            panic!("a download")
        };
        assert!(suggested_name.starts_with("../abx") && suggested_name.len() < 5_000);
        assert!(read_note(&path).is_err() && !path.exists());
    }

    #[test]
    fn the_watch_knows_the_cap() {
        let base = tempfile::tempdir().unwrap();
        let folder = Folder::create(base.path(), &[]).unwrap();
        write_watch(&folder).unwrap();
        let script = fs::read_to_string(watch_script(&folder)).unwrap();
        assert!(script.contains("const MOST = 104857600;"), "{script}");
        assert!(folder.file(NOTES).is_dir());
    }
}
