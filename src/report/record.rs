//! Reads a run back from the folder that the run was written into.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    base::{Error, ErrorKind, Result},
    event::{Event, Intent, RunFolder},
};

/// Name of the file by which a run's folder is recognised.
const META: &str = "run_meta.json";
/// Names of the files with events. Events of the same step are sorted in the order of these files.
const EVENTS: [&str; 5] = [
    "memory_events.jsonl",
    "observations.jsonl",
    "interpretations.jsonl",
    "model.jsonl",
    "actions.jsonl",
];
const INTENTS: &str = "intents.jsonl";
/// Name of the folder, in the run's folder, that contains the pictures.
const PICTURES: &str = "steps";

/// A picture that was taken in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The number of the step, from 1; 0 before the first step.
    pub step: u32,
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
}

/// A run, read back from the folder that a [`RunFolder`] wrote.
///
/// If the run was killed or is still going on, the record contains the part that was written.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct RunRecord {
    /// The events, sorted by step. Events from the same file keep their order. The bytes of pictures are in
    /// [`pictures`](Self::pictures), not in the events.
    pub events: Vec<Event>,
    /// The recorded intents. An intent is an action that was about to be carried out. Empty if the run folder was not
    /// used as the loop's journal.
    pub intents: Vec<Intent>,
    /// The pictures, in the order in which they were taken.
    pub pictures: Vec<Picture>,
    /// A description of each line that could not be read: the file, the number of the line from 1, and the reason.
    pub unreadable: Vec<String>,
}

impl RunRecord {
    /// Reads the folder of a run.
    ///
    /// An unreadable line does not stop the reading of the other lines. But a line may store a page only as the
    /// differences from the page in an earlier line. If that earlier line is unreadable, the page is lost too. Each
    /// lost line is listed in [`unreadable`](Self::unreadable).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the folder is not a run's folder, and [`ErrorKind::Io`] if a file in it cannot
    /// be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        let folder = folder.as_ref();
        if !Self::is_at(folder) {
            return Err(Error::new(ErrorKind::InvalidInput, "report.open")
                .with("path", folder.display())
                .with("why", "this is not the folder of a run"));
        }
        let mut record = Self::default();
        for name in EVENTS {
            record.read_events(&folder.join(name), name)?;
        }
        record.events.sort_by_key(|event| event.step);
        record.read_intents(&folder.join(INTENTS))?;
        record.read_pictures(&folder.join(PICTURES))?;
        Ok(record)
    }

    /// Returns true if the folder is a run's folder.
    pub fn is_at(folder: impl AsRef<Path>) -> bool {
        folder.as_ref().join(META).is_file()
    }

    fn read_events(&mut self, path: &Path, name: &str) -> Result<()> {
        // A run that ended early does not have every file.
        if !path.exists() {
            return Ok(());
        }
        for (event, line) in RunFolder::read(path)?.zip(1_u32..) {
            match event {
                Ok(event) => self.events.push(event),
                Err(error) if error.kind() == ErrorKind::Io => return Err(error),
                Err(error) => self.lose(name, line, &error.to_string()),
            }
        }
        Ok(())
    }

    fn read_intents(&mut self, path: &Path) -> Result<()> {
        let text = if_there(path, fs::read(path))?.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n').zip(1_u32..);
        for (line, number) in lines.filter(|(line, _)| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(intent) => self.intents.push(intent),
                Err(error) => self.lose(INTENTS, number, &error.to_string()),
            }
        }
        Ok(())
    }

    fn read_pictures(&mut self, folder: &Path) -> Result<()> {
        let entries = if_there(folder, fs::read_dir(folder))?;
        let entries = entries.into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path());
        let mut files: Vec<((u32, u32), PathBuf)> = files
            .filter_map(|file| Some((numbers_of(&file)?, file)))
            .collect();
        files.sort();
        for ((step, _), file) in files {
            let png = fs::read(&file).map_err(|error| unread(&file, error))?;
            self.pictures.push(Picture { step, png });
        }
        Ok(())
    }

    fn lose(&mut self, file: &str, line: u32, why: &str) {
        self.unreadable.push(format!("{file}, line {line}: {why}"));
    }
}

/// Returns the number of the step and the number of the picture in the name of a picture's file, such as `0003-1.png`.
fn numbers_of(file: &Path) -> Option<(u32, u32)> {
    let (step, picture) = file.file_stem()?.to_str()?.split_once('-')?;
    Some((step.parse().ok()?, picture.parse().ok()?))
}

/// Returns the content that was read from a file; `None` if the file does not exist.
fn if_there<T>(path: &Path, read: io::Result<T>) -> Result<Option<T>> {
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| unread(path, error)),
    }
}

fn unread(path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, "report.open")
        .with("path", path.display())
        .with_source(error)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::{
        base::{RunId, TokenCount},
        event::{EventKind, EventSink as _},
    };

    fn event(step: u32, kind: EventKind) -> Event {
        Event::new(kind, RunId::parse("run_1").unwrap(), step, Utc::now())
    }

    fn warned(text: &str) -> EventKind {
        EventKind::Warned {
            guard: "stuck".into(),
            text: text.into(),
        }
    }

    fn asked(message: &str) -> EventKind {
        EventKind::ModelAsked {
            system: None,
            message: message.into(),
            estimated_tokens: TokenCount(1),
            offered: Vec::new(),
        }
    }

    fn written(events: &[Event]) -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let runs = RunFolder::new(parent.path()).unwrap();
        for event in events {
            runs.emit(event);
        }
        runs.close().unwrap();
        let folder = parent.path().join("run_1");
        (parent, folder)
    }

    #[test]
    fn a_run_is_read_back_by_step_with_its_pictures() {
        let events = [
            event(1, warned("first")),
            event(1, EventKind::PictureTaken { png: vec![1, 2] }),
            event(2, asked("second")),
            event(2, warned("last")),
        ];
        let (_parent, folder) = written(&events);
        let record = RunRecord::open(&folder).unwrap();
        let told = events.map(|event| match event.kind {
            EventKind::PictureTaken { .. } => Event {
                kind: EventKind::PictureTaken { png: Vec::new() },
                ..event
            },
            _ => event,
        });
        assert_eq!(record.events, told);
        let picture = Picture {
            step: 1,
            png: vec![1, 2],
        };
        assert_eq!(
            (record.pictures, record.unreadable),
            (vec![picture], vec![])
        );
    }

    #[test]
    fn pictures_are_in_the_order_in_which_they_were_taken() {
        let taken = |step: u32| (1..=11).map(move |n| (step, vec![n]));
        let taken: Vec<(u32, Vec<u8>)> = taken(9_999).chain(taken(10_000)).collect();
        let event = |(step, png): &(u32, Vec<u8>)| {
            event(*step, EventKind::PictureTaken { png: png.clone() })
        };
        let (_parent, folder) = written(&taken.iter().map(event).collect::<Vec<_>>());
        let pictures = RunRecord::open(&folder).unwrap().pictures;
        let read: Vec<(u32, Vec<u8>)> = pictures.into_iter().map(|p| (p.step, p.png)).collect();
        assert_eq!(read, taken);
    }

    #[test]
    fn a_line_that_a_kill_cut_off_loses_only_itself_and_is_told() {
        let (_parent, folder) = written(&[event(1, warned("first")), event(2, asked("second"))]);
        let file = folder.join("actions.jsonl");
        let whole = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{whole}{}", &whole[..20])).unwrap();
        fs::write(folder.join(INTENTS), "{").unwrap();
        let record = RunRecord::open(&folder).unwrap();
        assert_eq!(record.events.len(), 2);
        assert!(
            record.unreadable[0].starts_with("actions.jsonl, line 2: ")
                && record.unreadable[1].starts_with("intents.jsonl, line 1: ")
                && record.unreadable.len() == 2,
            "{:?}",
            record.unreadable
        );
    }

    #[test]
    fn a_folder_that_is_no_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = RunRecord::open(folder.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
}
