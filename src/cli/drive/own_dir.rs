//! The folder that contains the run folders, and the folder of memory. Each is created and checked before anything starts. A
//! folder that was missing before is removed at the end if nothing was written into it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::cli::{Refusal, memory_place::MemoryPlace};

/// A writable folder, for run folders or for memory. If the folder was missing before and nothing was written into it,
/// dropping this value removes the folder.
#[derive(Debug)]
pub(in crate::cli) struct OwnDir {
    path: PathBuf,
    /// The folders that were missing and were created by `prepare`: the folder itself and its parents, innermost first.
    made: Vec<PathBuf>,
}

impl OwnDir {
    pub(in crate::cli) fn of_runs(path: &Path) -> Result<Self, Refusal> {
        Self::prepare(path, "runs", "--runs-dir")
    }

    pub(in crate::cli) fn of_memory(place: &MemoryPlace) -> Result<Self, Refusal> {
        Self::prepare(&place.dir()?, "memory", "--memory-dir")
    }

    /// Creates the folder if it is missing, and checks that it can be written.
    fn prepare(path: &Path, what: &str, flag: &str) -> Result<Self, Refusal> {
        let made: Vec<_> = path
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .map(Path::to_owned)
            .collect();
        // Construct it before the check, so that dropping it also undoes a failed attempt.
        let own = Self {
            path: path.to_owned(),
            made,
        };
        own.try_it().map_err(|error| {
            Refusal::usage(format!(
                "{what} cannot be kept in {} ({error}): name a folder that you can write with {flag}",
                path.display()
            ))
        })?;
        Ok(own)
    }

    pub(in crate::cli) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the folder was missing before it was prepared.
    pub(in crate::cli) fn is_new(&self) -> bool {
        !self.made.is_empty()
    }

    fn try_it(&self) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path)?;
        let probe = self.path.join(format!(".webwise-{}", std::process::id()));
        fs::File::create_new(&probe)?;
        fs::remove_file(&probe)
    }
}

impl Drop for OwnDir {
    fn drop(&mut self) {
        for folder in &self.made {
            // Fails if the folder is not empty.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_no_run_used_is_gone_again() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        let runs = OwnDir::of_runs(&path).unwrap();
        assert!(runs.is_new() && path.is_dir() && path.read_dir().unwrap().next().is_none());
        drop(runs);
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn a_folder_with_a_run_or_of_the_person_stays() {
        let root = tempfile::tempdir().unwrap();
        let (used, empty) = (root.path().join("used"), root.path().join("empty"));
        let runs = OwnDir::of_runs(&used).unwrap();
        fs::create_dir(used.join("run_1")).unwrap();
        drop(runs);
        fs::create_dir(&empty).unwrap();
        let again = OwnDir::of_runs(&empty).unwrap();
        assert!(!again.is_new());
        drop(again);
        assert!(used.join("run_1").is_dir() && empty.is_dir());
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let refusal = OwnDir::of_runs(&root.path().join("file/runs")).unwrap_err();
        assert_eq!(refusal.code(), 2);
        assert!(refusal.sentence().contains("--runs-dir"), "{refusal:?}");
        assert_eq!(root.path().read_dir().unwrap().count(), 1);
    }
}
