//! Stores with a bug in their protocol: the proofs above must see each.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use webwise::store::{Fs, FsEntry, FsFile, FsLock};

use crate::store_crash::{
    cut::{Course, Seen, Step},
    sim_fs::SimFs,
    turns::{self, Job},
};

/// What a store does not do, or does in the wrong order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    /// It never flushes a file.
    NoFileSync,
    /// It never flushes a folder.
    NoFolderSync,
    /// It writes into the file that it replaces.
    WriteInPlace,
    /// It gives its lock up before the rename.
    EarlyUnlock,
}

/// A file system below a store that makes it a store with a bug.
#[derive(Debug)]
pub(crate) struct Buggy {
    sim: SimFs,
    bug: Bug,
    held: Arc<Mutex<Vec<Box<dyn FsLock>>>>,
}

impl Buggy {
    pub(crate) fn new(sim: SimFs, bug: Bug) -> Self {
        Self {
            sim,
            bug,
            held: Arc::default(),
        }
    }
}

impl Fs for Buggy {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.sim.create_dir(dir)
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        if self.bug == Bug::EarlyUnlock {
            self.held.lock().expect("nobody panics here").clear();
        }
        let file = self.sim.create_new(path)?;
        Ok(if self.bug == Bug::NoFileSync {
            Box::new(NeverFlushed(file))
        } else {
            file
        })
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.sim.read(path, max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.bug != Bug::WriteInPlace {
            return self.sim.rename(from, to);
        }
        let bytes = self.sim.read(from, u64::MAX)?;
        let inode = self.sim.change(|disk| disk.overwrite(to, &bytes))?;
        self.sim.change(|disk| disk.flush(inode));
        self.sim.unlink(from)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.sim.link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.sim.unlink(path)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.sim.remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        if self.bug == Bug::NoFolderSync {
            Ok(())
        } else {
            self.sim.sync_dir(dir)
        }
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        self.sim.list(dir)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        let Some(lock) = self.sim.try_lock(path)? else {
            return Ok(None);
        };
        if self.bug != Bug::EarlyUnlock {
            return Ok(Some(lock));
        }
        self.held.lock().expect("nobody panics here").push(lock);
        Ok(Some(Box::new(Given(Arc::clone(&self.held)))))
    }

    fn tightened(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

#[derive(Debug)]
struct NeverFlushed(Box<dyn FsFile>);

impl FsFile for NeverFlushed {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a store takes for its lock; the real one may be gone already.
#[derive(Debug)]
struct Given(Arc<Mutex<Vec<Box<dyn FsLock>>>>);

impl FsLock for Given {}

impl Drop for Given {
    fn drop(&mut self) {
        self.0.lock().expect("nobody panics here").clear();
    }
}

pub(crate) fn all() {
    let course = Course::of(&[Step::Count(0); 2]);
    let cut = |bug| {
        course
            .judge(
                &|sim| Arc::new(Buggy::new(sim, bug)),
                None,
                &mut Seen::default(),
            )
            .violations
            .len()
    };
    let caught = [
        ("no flush of the file", cut(Bug::NoFileSync)),
        ("no flush of the folder", cut(Bug::NoFolderSync)),
        ("written in place", cut(Bug::WriteInPlace)),
        (
            "unlocked before the rename",
            turns::violations(Job::Count, Some(Bug::EarlyUnlock)),
        ),
        (
            "a stale copy saved",
            turns::violations(Job::SaveStale, None),
        ),
    ];
    let seen = caught
        .iter()
        .filter(|(_, violations)| *violations > 0)
        .count();
    let list: Vec<String> = caught
        .iter()
        .map(|(bug, violations)| format!("{bug}: {violations}"))
        .collect();
    figure!(
        "C4 planted bugs caught: {seen} of {} (violations: {})",
        caught.len(),
        list.join(", ")
    );
    assert_eq!(seen, caught.len());
}
