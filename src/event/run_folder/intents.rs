//! The file of a run's intents. Each intent is written at once. The intent of an irreversible action is also synced to
//! the disk.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

use serde::Serialize;

use crate::{
    action::Effect,
    base::Result,
    event::{
        Intent,
        jsonl::{io_error, open_private, write_line, write_lines},
    },
};

/// Name of the file in the run's folder.
const INTENTS: &str = "intents.jsonl";
/// Version of the format of a line.
const VERSION: u32 = 1;

#[derive(Debug, Default)]
pub(super) struct Intents {
    /// True if the folder entries that lead to the file are synced to the disk.
    is_named: bool,
}

/// An intent as a line of the file.
#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    #[serde(flatten)]
    intent: &'a Intent,
}

impl Intents {
    /// Appends one intent to the file, and syncs it if its action is irreversible.
    pub(super) fn keep(&mut self, folder: &Path, intent: &Intent) -> Result<()> {
        let path = folder.join(INTENTS);
        let mut line = Vec::new();
        let version = VERSION;
        write_line(&mut line, &Line { version, intent }, &path)?;
        let mut file = open_private(&path, OpenOptions::new().append(true).create(true))?;
        let kept = write_lines(&mut file, &mut line).and_then(|()| match intent.effect {
            Effect::Irreversible => self.sync(folder, &file),
            Effect::Read | Effect::Reversible => Ok(()),
        });
        kept.map_err(|error| io_error(&path, error))
    }

    fn sync(&mut self, folder: &Path, file: &File) -> io::Result<()> {
        file.sync_data()?;
        if !self.is_named {
            // The run's folder and the two folders above it may have been made together with the file.
            folder.ancestors().take(3).try_for_each(sync_names)?;
            self.is_named = true;
        }
        Ok(())
    }
}

/// Syncs the entries of a folder to the disk. Does nothing on systems other than Unix.
fn sync_names(folder: &Path) -> io::Result<()> {
    if cfg!(unix) && !folder.as_os_str().is_empty() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
