//! The folder that contains the run folders. It is created and checked before anything starts, and removed if no run
//! wrote into it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::cli::Refusal;

/// A writable folder for run folders.
#[derive(Debug)]
pub(in crate::cli) struct RunsDir {
    path: PathBuf,
    /// The missing folders that `prepare` created, innermost first.
    made: Vec<PathBuf>,
}

impl RunsDir {
    /// Creates the folder if it is missing, and checks that it can be written.
    pub(in crate::cli) fn prepare(path: &Path) -> Result<Self, Refusal> {
        let made: Vec<_> = path
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
            .map(Path::to_owned)
            .collect();
        // Construct it before the check, so that dropping it also undoes a failed attempt.
        let runs = Self {
            path: path.to_owned(),
            made,
        };
        runs.try_it().map_err(|error| {
            Refusal::usage(format!(
                "runs cannot be kept in {} ({error}): name a folder that you can write with --runs-dir",
                path.display()
            ))
        })?;
        Ok(runs)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
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

impl Drop for RunsDir {
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
        let runs = RunsDir::prepare(&path).unwrap();
        assert!(path.is_dir() && path.read_dir().unwrap().next().is_none());
        drop(runs);
        assert!(!root.path().join("a").exists());
    }

    #[test]
    fn a_folder_with_a_run_or_of_the_person_stays() {
        let root = tempfile::tempdir().unwrap();
        let (used, empty) = (root.path().join("used"), root.path().join("empty"));
        let runs = RunsDir::prepare(&used).unwrap();
        fs::create_dir(used.join("run_1")).unwrap();
        drop(runs);
        fs::create_dir(&empty).unwrap();
        drop(RunsDir::prepare(&empty).unwrap());
        assert!(used.join("run_1").is_dir() && empty.is_dir());
    }

    #[test]
    fn what_cannot_be_written_is_refused_and_nothing_is_left() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "").unwrap();
        let refusal = RunsDir::prepare(&root.path().join("file/runs")).unwrap_err();
        assert_eq!(refusal.code(), 2);
        assert!(refusal.sentence().contains("--runs-dir"), "{refusal:?}");
        assert_eq!(root.path().read_dir().unwrap().count(), 1);
    }
}
