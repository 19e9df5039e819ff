//! A file system for tests. It logs each call and passes it to the real file system, or lets the call fail.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use crate::store::json_file::{
    fs::{Fs, FsEntry, FsFile, FsLock},
    std_fs::StdFs,
};

type Rule = Box<dyn Fn(usize, &str) -> Option<io::Error> + Send + Sync>;

/// A file system that asks a rule before each call whether the call should fail. The rule gets the number of the call
/// and the log entry for it.
pub(super) struct Watched {
    inner: StdFs,
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    calls: Mutex<Vec<String>>,
    rule: Mutex<Rule>,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched")
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Watched {
    pub(super) fn new(root: &Path) -> Arc<Self> {
        let shared = Shared {
            calls: Mutex::default(),
            rule: Mutex::new(Box::new(|_, _| None)),
        };
        Arc::new(Self {
            inner: StdFs::new(root),
            shared: Arc::new(shared),
        })
    }

    /// Clears the log. From now on, this rule decides which calls fail.
    pub(super) fn fail_by(
        &self,
        rule: impl Fn(usize, &str) -> Option<io::Error> + Send + Sync + 'static,
    ) {
        self.shared.calls.lock().unwrap().clear();
        *self.shared.rule.lock().unwrap() = Box::new(rule);
    }

    pub(super) fn calls(&self) -> Vec<String> {
        self.shared.calls.lock().unwrap().clone()
    }
}

impl Shared {
    fn ask(&self, words: &str) -> io::Result<()> {
        let mut calls = self.calls.lock().unwrap();
        calls.push(words.to_owned());
        match (self.rule.lock().unwrap())(calls.len(), words) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Returns a path as the log shows it, without the random part of a temporary file's name.
fn say(path: &Path) -> String {
    let path = path.to_str().unwrap();
    match path
        .strip_suffix(".tmp")
        .and_then(|path| path.split_once(".json."))
    {
        Some((stem, _)) => format!("{stem}.json.tmp"),
        None => path.to_owned(),
    }
}

impl Fs for Watched {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.ask(&format!("create_dir {}", say(dir)))?;
        self.inner.create_dir(dir)
    }
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.shared.ask(&format!("create {}", say(path)))?;
        let file = self.inner.create_new(path)?;
        Ok(Box::new(WatchedFile {
            file,
            shared: Arc::clone(&self.shared),
        }))
    }
    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.shared.ask(&format!("read {}", say(path)))?;
        self.inner.read(path, max)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.shared
            .ask(&format!("rename {} {}", say(from), say(to)))?;
        self.inner.rename(from, to)
    }
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.shared
            .ask(&format!("link {} {}", say(from), say(to)))?;
        self.inner.link(from, to)
    }
    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.shared.ask(&format!("unlink {}", say(path)))?;
        self.inner.unlink(path)
    }
    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.ask(&format!("remove_dir {}", say(dir)))?;
        self.inner.remove_dir(dir)
    }
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.shared.ask(&format!("sync_dir {}", say(dir)))?;
        self.inner.sync_dir(dir)
    }
    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        self.shared.ask(&format!("list {}", say(dir)))?;
        self.inner.list(dir)
    }
    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        self.shared.ask(&format!("lock {}", say(path)))?;
        let lock = self.inner.try_lock(path)?;
        Ok(lock.map(|lock| {
            Box::new(WatchedLock {
                _lock: lock,
                shared: Arc::clone(&self.shared),
            }) as _
        }))
    }
    fn tightened(&self) -> Vec<PathBuf> {
        self.inner.tightened()
    }
}

#[derive(Debug)]
struct WatchedFile {
    file: Box<dyn FsFile>,
    shared: Arc<Shared>,
}

impl FsFile for WatchedFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.shared.ask("write")?;
        self.file.write_all(bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        self.shared.ask("sync")?;
        self.file.sync()
    }
}

#[derive(Debug)]
struct WatchedLock {
    _lock: Box<dyn FsLock>,
    shared: Arc<Shared>,
}

impl FsLock for WatchedLock {}

impl Drop for WatchedLock {
    fn drop(&mut self) {
        self.shared.calls.lock().unwrap().push("unlock".to_owned());
    }
}
