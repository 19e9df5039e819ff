mod broken;
mod caps;
mod format;
mod protocol;
#[cfg(unix)]
mod rights;
mod watched;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::json;
use tempfile::TempDir;

use super::{
    Files, Growth, JsonFilesOptions, Locks, Notices, Schema, failure::Failure, format::SCHEMA,
    fs::Fs, std_fs::StdFs,
};
use crate::{
    base::Host,
    memory::{Change, Committed, Edit, Namespace, Record, Shelf, ShelfState, StoreNoticeKind},
};

struct Scene {
    dir: TempDir,
    files: Files,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let files = files(Arc::new(StdFs::new(dir.path())));
        Self { dir, files }
    }

    /// Returns another store in the folder of this one, as another process would open it.
    fn other(&self) -> Files {
        files(Arc::new(StdFs::new(self.dir.path())))
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.dir.path().join(inside)
    }

    fn write(&self, inside: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(inside).parent().unwrap()).unwrap();
        fs::write(self.path(inside), bytes).unwrap();
    }

    fn read(&self, inside: &str) -> Vec<u8> {
        fs::read(self.path(inside)).unwrap()
    }

    /// Returns the path and content of every file except the lock files.
    fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(self.dir.path(), &mut |path| {
            let name = path
                .strip_prefix(self.dir.path())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if !name.starts_with("locks") {
                tree.insert(name, fs::read(path).unwrap());
            }
        });
        tree
    }

    fn quarantined(&self) -> Vec<Vec<u8>> {
        self.tree()
            .into_iter()
            .filter(|(name, _)| name.contains("/quarantine/"))
            .map(|(_, bytes)| bytes)
            .collect()
    }

    fn told(&self) -> Vec<StoreNoticeKind> {
        self.files
            .notices
            .take()
            .into_iter()
            .map(|notice| notice.kind)
            .collect()
    }

    fn put(&self, shelf: &Shelf, key: &str, n: u64) -> Result<Committed, Failure> {
        self.files.update(shelf, &put(key, n))
    }

    fn keys(&self, shelf: &Shelf) -> Vec<String> {
        keys(&self.files.load(shelf).unwrap())
    }
}

fn files(fs: Arc<dyn Fs>) -> Files {
    files_of(fs, SCHEMA, JsonFilesOptions::default())
}

fn files_of(fs: Arc<dyn Fs>, schema: Schema, options: JsonFilesOptions) -> Files {
    let (locks, notices, growth) = (Locks::default(), Notices::default(), Growth::default());
    Files {
        fs,
        options,
        schema,
        locks,
        notices,
        growth,
    }
}

fn walk(dir: &Path, see: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), see);
        } else {
            see(&entry.path());
        }
    }
}

fn lessons() -> Shelf {
    Shelf::global(&Namespace::default(), "lessons")
}

fn of_host(host: &str) -> Shelf {
    let host: Host = serde_json::from_value(host.into()).unwrap();
    Shelf::host(&Namespace::default(), "lessons", &host)
}

fn put(key: &str, n: u64) -> Edit {
    let key = key.to_owned();
    Edit::new(move |_| {
        Ok(vec![Change::Put(Record::new(
            key.clone(),
            &json!({ "n": n }),
        ))])
    })
}

fn keys(state: &ShelfState) -> Vec<String> {
    state
        .records
        .iter()
        .map(|record| record.key.clone())
        .collect()
}
