//! Reopens the folder of an interrupted run, so that the resumed run is recorded there.

use std::{
    fs::{self, OpenOptions},
    io,
    path::Path,
};

use serde_json::{Value, json};

use super::{Folder, META, VERSION, known};
use crate::{
    base::{Result, RunId},
    event::{
        jsonl::{io_error, open_private},
        run_folder::{intents::Intents, trees},
    },
};

impl Folder {
    /// Opens the folder of a run that continues at this step; `None` if the run has no folder. If the earlier process
    /// was killed while it wrote a line, the incomplete line is removed, so that the next line is whole.
    pub(in crate::event::run_folder) fn reopen(
        parent: &Path,
        run: &RunId,
        step: u32,
        room: u64,
    ) -> Result<Option<Self>> {
        let path = parent.join(run.as_str());
        if !path.join(META).is_file() {
            return Ok(None);
        }
        let failed = |error: io::Error| io_error(&path, error);
        let is_folder = path.symlink_metadata().map_err(failed)?.is_dir();
        let meta = fs::read(path.join(META)).map_err(failed)?;
        let mut meta: Value = serde_json::from_slice(&meta).map_err(|e| failed(e.into()))?;
        let version = meta["version"].as_u64().unwrap_or_default();
        if !is_folder || meta["run"] != run.as_str() || !(1..=VERSION.into()).contains(&version) {
            return Err(known(&path));
        }
        meta["version"] = json!(VERSION);
        meta["status"] = json!("running");
        if let Some(fields) = meta.as_object_mut() {
            fields.remove("ended_at");
        }
        let (mut taken, mut observations) = (0, 0);
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if name.to_string_lossy().ends_with(".jsonl") {
                let (bytes, lines) = whole_lines(&entry.path()).map_err(failed)?;
                taken += bytes;
                if name == "observations.jsonl" {
                    observations = lines;
                }
            }
        }
        let folder = Self {
            path,
            waiting: std::collections::BTreeMap::new(),
            meta,
            is_started: true,
            step,
            pictures: 0,
            intents: Intents::default(),
            trees: trees::Writer::after(observations),
            room: room.saturating_sub(taken),
            full: None,
        };
        folder.write_meta()?;
        Ok(Some(folder))
    }
}

/// Cuts off everything after the last whole line of a file. Returns the size of the file in bytes and its number of
/// lines.
fn whole_lines(path: &Path) -> io::Result<(u64, u64)> {
    let bytes = fs::read(path)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    let whole = end.map_or(0, |end| end + 1);
    if whole < bytes.len() {
        let file = open_private(path, OpenOptions::new().write(true))
            .map_err(|error| io::Error::other(error.to_string()))?;
        file.set_len(whole as u64)?;
    }
    let lines = bytes[..whole]
        .split_inclusive(|byte| *byte == b'\n')
        .count();
    Ok((whole as u64, lines as u64))
}
