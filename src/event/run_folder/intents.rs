//! The file of a run's intents. An intent is the record of an action, made before the action is carried out. Each intent
//! is written at once. The intent of an irreversible action is also synced to the disk.

use std::{
    fmt::Debug,
    fs::{self, File, OpenOptions},
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

const INTENTS: &str = "intents.jsonl";
const VERSION: u32 = 1;

/// Makes written data durable. Tests have an implementation of their own, which can fail.
pub(super) trait Disk: Debug + Default {
    fn sync_file(&self, file: &File) -> io::Result<()>;

    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

#[derive(Debug, Default)]
pub(super) struct RealDisk;

impl Disk for RealDisk {
    fn sync_file(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // The folder above a relative path is the working folder.
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        if cfg!(unix) {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
pub(super) struct Intents<D = RealDisk> {
    /// True once the directory entries of the file, of the run's folder and of the folder above it are on the disk.
    /// Only then does the file keep its name in a power cut, if the folders further up were on the disk before.
    is_named: bool,
    disk: D,
}

#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    #[serde(flatten)]
    intent: &'a Intent,
}

impl<D: Disk> Intents<D> {
    /// Appends one intent to the file in the run's folder. Syncs the file to the disk if the action is irreversible.
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
        self.disk.sync_file(file)?;
        if !self.is_named {
            // The run's folder and the folder above it may be new too, so their entries are also synced. An entry is
            // synced by syncing the folder that contains it.
            let mut folders = folder.ancestors().take(3);
            folders.try_for_each(|folder| self.disk.sync_folder(folder))?;
            self.is_named = true;
        }
        Ok(())
    }
}

/// Reads the last intent of an irreversible action from the file in a run's folder; `None` if there is none. Lines that
/// cannot be read are passed over: a line that was cut off belongs to an action that had not begun.
pub(super) fn last_irreversible(folder: &Path) -> Result<Option<Intent>> {
    let path = folder.join(INTENTS);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| io_error(&path, error))?,
    };
    let lines = bytes.rsplit(|byte| *byte == b'\n');
    let mut intents = lines.filter_map(|line| serde_json::from_slice::<Intent>(line).ok());
    Ok(intents.find(|intent| intent.effect == Effect::Irreversible))
}

#[cfg(test)]
mod tests {
    use std::{
        cell::{Cell, RefCell},
        path::PathBuf,
    };

    use super::*;
    use crate::{
        action::{Action, BrowserAction, NoArguments},
        base::RunId,
    };

    /// A simulated disk that records how much of the file survives a power cut, and that can refuse to sync.
    #[derive(Debug, Default)]
    struct Watched {
        durable: Cell<u64>,
        folders: RefCell<Vec<PathBuf>>,
        fails: Cell<bool>,
    }

    impl Disk for Watched {
        fn sync_file(&self, file: &File) -> io::Result<()> {
            if self.fails.get() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.durable.set(file.metadata()?.len());
            Ok(())
        }

        fn sync_folder(&self, folder: &Path) -> io::Result<()> {
            self.folders.borrow_mut().push(folder.to_owned());
            Ok(())
        }
    }

    fn intent(step: u32, effect: Effect) -> Intent {
        let action = Action::Browser(BrowserAction::Reload(NoArguments {}));
        let at = "2026-01-02T03:04:05Z".parse().unwrap();
        Intent::new(RunId::parse("run_1").unwrap(), step, at, action, effect)
    }

    fn steps(folder: &Path, durable: u64) -> [Vec<u64>; 2] {
        let bytes = fs::read(folder.join(INTENTS)).unwrap();
        [bytes.len(), usize::try_from(durable).unwrap()].map(|end| {
            let lines = serde_json::Deserializer::from_slice(&bytes[..end]).into_iter();
            lines
                .map(|line: Result<serde_json::Value, _>| line.unwrap()["step"].as_u64().unwrap())
                .collect()
        })
    }

    #[test]
    fn an_irreversible_intent_survives_a_power_cut_and_a_reversible_one_is_only_written() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("runs/run_1");
        fs::create_dir_all(&folder).unwrap();
        let mut intents = Intents::<Watched>::default();
        let mut keep = |step, effect| {
            intents.keep(&folder, &intent(step, effect)).unwrap();
            let folders = intents.disk.folders.borrow().clone();
            (steps(&folder, intents.disk.durable.get()), folders)
        };
        let above = |count| folder.ancestors().take(count).map(Path::to_owned).collect();
        let none: Vec<PathBuf> = above(0);
        let all: Vec<PathBuf> = above(3);
        for (step, effect, durable, folders) in [
            (1, Effect::Reversible, 0, &none),
            (2, Effect::Irreversible, 2, &all),
            (3, Effect::Reversible, 2, &all),
            // The entries are durable by now.
            (4, Effect::Irreversible, 4, &all),
        ] {
            let (steps, synced) = keep(step, effect);
            let up_to = |last: u32| (1..=u64::from(last)).collect::<Vec<_>>();
            assert_eq!(steps, [up_to(step), up_to(durable)], "{effect:?}");
            assert_eq!(synced, *folders, "{effect:?}");
        }
    }

    #[test]
    fn the_last_irreversible_intent_is_read_back_past_lines_that_are_cut_off() {
        let place = tempfile::tempdir().unwrap();
        let last = || last_irreversible(place.path()).unwrap();
        assert_eq!(last(), None);
        let mut intents = Intents::<Watched>::default();
        for (step, effect) in [
            (1, Effect::Irreversible),
            (2, Effect::Irreversible),
            (3, Effect::Reversible),
        ] {
            intents.keep(place.path(), &intent(step, effect)).unwrap();
        }
        let path = place.path().join(INTENTS);
        let mut bytes = fs::read(&path).unwrap();
        bytes.truncate(bytes.len() - 9);
        fs::write(&path, bytes).unwrap();
        assert_eq!(last(), Some(intent(2, Effect::Irreversible)));
    }

    #[test]
    fn an_irreversible_intent_that_cannot_be_synced_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let mut intents = Intents::<Watched>::default();
        intents.disk.fails.set(true);
        let mut keep = |effect| intents.keep(place.path(), &intent(1, effect));
        keep(Effect::Reversible).unwrap();
        let refused = keep(Effect::Irreversible).unwrap_err();
        assert_eq!(refused.kind(), crate::ErrorKind::Io);
        assert!(intents.disk.folders.borrow().is_empty());
    }
}
