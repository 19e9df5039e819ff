//! The folder of one run: it decides which file each event goes to.

mod reopen;

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{ErrorKind as ErrorKindOfIo, Write as _},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{intents::Intents, trees};
use crate::{
    base::{Error, ErrorKind, Result, RunId},
    event::{
        Event, EventKind, Intent,
        jsonl::{create_private, io_error, open_private, write_line, write_lines},
    },
};

/// The file that identifies a folder as the folder of a run.
pub(super) const META: &str = "run_meta.json";
/// Prefix of the temporary name of a new folder. No run's id begins with it.
pub(super) const NEW: &str = ".new-";
/// Version of the folder's format, stored in `run_meta.json`. Older versions can also be read. Version 2 stores page
/// trees as differences.
pub(super) const VERSION: u32 = 2;
/// Maximum total size of the lines that are kept for one file until the end of the step. If they exceed this size, they are
/// written at once. Unit: bytes. Source: chosen; pages can be large.
const MAX_WAITING: usize = 64 * 1_024;

/// The folder of a run that is being written. Its files are open only while something is written, so a run that never
/// ends keeps no file open.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    waiting: BTreeMap<&'static str, Vec<u8>>,
    meta: Value,
    is_started: bool,
    step: u32,
    pictures: u32,
    intents: Intents,
    trees: trees::Writer,
    room: u64,
    /// The reason why the rest of the run is not kept; `None` while everything is kept.
    full: Option<String>,
}

impl Folder {
    /// Creates the folder of a run whose first event has this step and time. `room` is the maximum size of the run in
    /// bytes. Fails if the folder exists.
    pub(super) fn create(
        parent: &Path,
        (run, step, at): (&RunId, u32, DateTime<Utc>),
        room: u64,
    ) -> Result<Self> {
        private_dirs(true)
            .create(parent)
            .map_err(|e| io_error(parent, e))?;
        let path = parent.join(run.as_str());
        if path.symlink_metadata().is_ok() {
            return Err(known(&path));
        }
        let meta = json!({ "version": VERSION, "run": run, "status": "running", "started_at": at });
        // The folder is created under another name and then renamed, so that a run's folder always contains `run_meta.json`.
        let new = parent.join(format!("{NEW}{}", Uuid::new_v4().simple()));
        let made = private_dirs(false)
            .create(&new)
            .map_err(|e| io_error(&new, e))
            .and_then(|()| write_whole(&new.join(META), &meta))
            .and_then(|()| {
                fs::rename(&new, &path).map_err(|e| match e.kind() {
                    ErrorKindOfIo::AlreadyExists | ErrorKindOfIo::DirectoryNotEmpty => known(&path),
                    _ => io_error(&path, e),
                })
            });
        if let Err(error) = made {
            let _ = fs::remove_dir_all(&new);
            return Err(error);
        }
        Ok(Self {
            path,
            waiting: BTreeMap::new(),
            meta,
            is_started: false,
            step,
            pictures: 0,
            intents: Intents::default(),
            trees: trees::Writer::default(),
            room,
            full: None,
        })
    }

    pub(super) fn write(&mut self, event: &Event) -> Result<()> {
        if event.step != self.step {
            self.step = event.step;
            self.pictures = 0;
            self.flush()?;
        }
        match &event.kind {
            EventKind::RunStarted { .. } if self.is_started => {
                // A run with this id was recorded earlier or is still in progress. The new run must not be mixed with
                // it.
                self.flush()?;
                Err(known(&self.path))
            }
            EventKind::RunStarted { .. } => {
                self.is_started = true;
                self.add_to_meta(event)?;
                self.line(event)?;
                self.write_meta()
            }
            EventKind::RunEnded { .. } => {
                self.add_to_meta(event)?;
                self.meta["status"] = json!("ended");
                self.meta["ended_at"] = json!(event.at);
                self.add(file_of(&event.kind), &encoded(event, &self.path)?)?;
                self.flush()?;
                self.write_meta()
            }
            EventKind::Observed { observation, .. } => {
                if let Some(png) = &observation.screenshot {
                    self.write_picture(png, event)?;
                }
                let name = file_of(&event.kind);
                let line = self.trees.line(event);
                let line = line.map_err(|e| io_error(&self.path.join(name), e.into()))?;
                self.keep(name, &line, event)
            }
            EventKind::PictureTaken { png } => {
                self.write_picture(png, event)?;
                self.line(event)
            }
            EventKind::ModelReplied { response, .. } => {
                if !response.text.is_empty() || response.reasoning.is_some() {
                    let thought = json!({
                        "step": event.step, "at": event.at, "text": response.text, "reasoning": response.reasoning,
                    });
                    self.keep("reasoning.jsonl", &thought, event)?;
                }
                self.line(event)
            }
            _ => self.line(event),
        }
    }

    pub(super) fn write_intent(&mut self, intent: &Intent) -> Result<()> {
        self.intents.keep(&self.path, intent)
    }

    fn add_to_meta(&mut self, event: &Event) -> Result<()> {
        let told = serde_json::to_value(&event.kind)
            .map_err(|e| io_error(&self.path.join(META), e.into()))?;
        if let (Value::Object(meta), Value::Object(told)) = (&mut self.meta, told) {
            meta.extend(told.into_iter().filter(|(key, _)| key != "event"));
        }
        Ok(())
    }

    fn line(&mut self, event: &Event) -> Result<()> {
        self.keep(file_of(&event.kind), event, event)
    }

    /// Appends a value to the file `name`, as a line that belongs to `event`. If the folder has no room for the line,
    /// drops the line, marks the folder as full and records this. If the folder was full before, only drops the line.
    fn keep(
        &mut self,
        name: &'static str,
        value: &impl serde::Serialize,
        event: &Event,
    ) -> Result<()> {
        if self.full.is_some() {
            return Ok(());
        }
        let line = encoded(value, &self.path.join(name))?;
        if self.has_room(line.len(), event)? {
            self.add(name, &line)?;
        }
        Ok(())
    }

    /// Reserves this number of bytes in the folder, and returns true if they fit. If they do not fit, marks the folder
    /// as full. From then on, only intents and the end of the run are written.
    fn has_room(&mut self, bytes: usize, event: &Event) -> Result<bool> {
        if self.full.is_some() {
            return Ok(false);
        }
        if let Some(left) = self.room.checked_sub(bytes as u64) {
            self.room = left;
            return Ok(true);
        }
        let why = format!(
            "the run folder is full: from step {} on nothing is kept but how the run ends",
            event.step
        );
        self.full = Some(why.clone());
        self.meta["nothing_kept_from_step"] = json!(event.step);
        let kind = EventKind::RecordingFailed { error: why };
        let mark = Event::new(kind, event.run.clone(), event.step, event.at);
        let path = self.path.join("actions.jsonl");
        self.add("actions.jsonl", &encoded(&mark, &path)?)?;
        self.flush()?;
        self.write_meta()?;
        Ok(false)
    }

    pub(super) fn full(&self) -> Option<&str> {
        self.full.as_deref()
    }

    fn add(&mut self, name: &'static str, line: &[u8]) -> Result<()> {
        let waiting = self.waiting.entry(name).or_default();
        waiting.extend_from_slice(line);
        if waiting.len() > MAX_WAITING {
            append(&self.path.join(name), waiting)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        for (name, waiting) in &mut self.waiting {
            append(&self.path.join(name), waiting)?;
        }
        Ok(())
    }

    /// Writes `run_meta.json` under another name and renames it, so that a reader never sees an incomplete file.
    fn write_meta(&self) -> Result<()> {
        let (path, temporary) = (self.path.join(META), self.path.join("run_meta.json.tmp"));
        let written = write_whole(&temporary, &self.meta)
            .and_then(|()| fs::rename(&temporary, &path).map_err(|e| io_error(&path, e)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    fn write_picture(&mut self, png: &[u8], event: &Event) -> Result<()> {
        if !self.has_room(png.len(), event)? {
            return Ok(());
        }
        let steps = self.path.join("steps");
        private_dirs(true)
            .create(&steps)
            .map_err(|e| io_error(&steps, e))?;
        let path = loop {
            self.pictures += 1;
            let path = steps.join(format!("{:04}-{}.png", self.step, self.pictures));
            // If the run was resumed, an earlier process may have written a picture with this name.
            if !path.exists() {
                break path;
            }
        };
        let mut file = open_private(&path, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(png).map_err(|e| {
            // An incomplete picture is useless.
            let _ = fs::remove_file(&path);
            io_error(&path, e)
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Lines that still wait are written here, for example those of a run whose recording was stopped.
        let _ = self.flush();
    }
}

/// Returns the name of the file to which an event is added.
const fn file_of(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Observed { .. } => "observations.jsonl",
        EventKind::Interpreted { .. } => "interpretations.jsonl",
        EventKind::ModelAsked { .. }
        | EventKind::ModelReplied { .. }
        | EventKind::ModelFailed { .. } => "model.jsonl",
        EventKind::Tier1Loaded { .. }
        | EventKind::ErrorRecall { .. }
        | EventKind::DomainRecall { .. }
        | EventKind::AdviceWithheld { .. }
        | EventKind::StepReplayed { .. }
        | EventKind::MemoryChanged { .. }
        | EventKind::LessonRecorded { .. }
        | EventKind::LessonDeduplicated { .. }
        | EventKind::LessonPromoted { .. }
        | EventKind::LessonDemoted { .. }
        | EventKind::LessonRetired { .. }
        | EventKind::LessonCredited { .. }
        | EventKind::LessonsPruned { .. }
        | EventKind::LessonsCompacted { .. }
        | EventKind::StoreNoticed { .. }
        | EventKind::MemoryUpdated { .. }
        | EventKind::FactProposed { .. }
        | EventKind::MemoryFailed { .. } => "memory_events.jsonl",
        EventKind::RunStarted { .. }
        | EventKind::RunResumed {}
        | EventKind::Instructed { .. }
        | EventKind::RunEnded { .. }
        | EventKind::PictureTaken { .. }
        | EventKind::CallRefused { .. }
        | EventKind::CallsDropped { .. }
        | EventKind::Warned { .. }
        | EventKind::ApprovalDecided { .. }
        | EventKind::ActionStarted { .. }
        | EventKind::ActionExecuted { .. }
        | EventKind::Extracted { .. }
        | EventKind::Given { .. }
        | EventKind::ResultShortened { .. }
        | EventKind::BrowserNoticed { .. }
        | EventKind::FinishChecked { .. }
        | EventKind::RecordingFailed { .. }
        | EventKind::HumanAsked { .. } => "actions.jsonl",
    }
}

fn encoded(value: &impl serde::Serialize, path: &Path) -> Result<Vec<u8>> {
    let mut line = Vec::new();
    write_line(&mut line, value, path)?;
    Ok(line)
}

fn write_whole(path: &Path, value: &Value) -> Result<()> {
    let line = encoded(value, path)?;
    create_private(path)?
        .write_all(&line)
        .map_err(|e| io_error(path, e))
}

/// Appends the waiting bytes to the file and empties `waiting`. Creates the file if it is missing.
fn append(path: &Path, waiting: &mut Vec<u8>) -> Result<()> {
    if waiting.is_empty() {
        return Ok(());
    }
    let mut file = open_private(path, OpenOptions::new().append(true).create(true))?;
    write_lines(&mut file, waiting).map_err(|e| io_error(path, e))
}

fn private_dirs(with_parents: bool) -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(with_parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn known(path: &Path) -> Error {
    Error::new(ErrorKind::InvalidInput, "event.open")
        .with("path", path.display())
        .with(
            "why",
            "a run of this id is stored there; it was kept and the new one not recorded",
        )
}
