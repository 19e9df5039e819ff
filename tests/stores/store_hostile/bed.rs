//! A store in a folder of its own, with something precious beside it.

use std::{
    collections::BTreeMap,
    env, fs,
    future::Future,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::LazyLock,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use webwise::{
    Host, Result,
    memory::{Change, Committed, Edit, Namespace, Record, Shelf},
    store::{JsonFiles, MemoryBackend as _},
};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be started")
});

/// Waits for what a store does.
pub(crate) fn wait<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}

/// A host by its text; of all texts, also of those that no URL has.
pub(crate) fn host(text: &str) -> Host {
    serde_json::from_value(json!(text)).expect("a host is a text")
}

pub(crate) fn global() -> Shelf {
    Shelf::global(&Namespace::default(), "things")
}

pub(crate) fn of_host() -> Shelf {
    Shelf::host(&Namespace::default(), "things", &host("shop.example"))
}

/// Puts one record.
pub(crate) fn put(key: &str, body: &Value) -> Edit {
    let record = Record::new(key, body);
    Edit::new(move |_| Ok(vec![Change::Put(record.clone())]))
}

/// Counts one more.
pub(crate) fn count() -> Edit {
    Edit::new(|now| {
        let n = now
            .iter()
            .find(|record| record.key == "counter")
            .and_then(|record| record.body["n"].as_u64())
            .unwrap_or(0);
        Ok(vec![Change::Put(Record::new(
            "counter",
            &json!({ "n": n.saturating_add(1) }),
        ))])
    })
}

/// Counts one more on a shelf.
pub(crate) fn update(store: &JsonFiles, shelf: &Shelf) -> Result<Committed> {
    wait(store.update(shelf, count()))
}

/// A folder with a store's root in it, beside things that are none of its business.
pub(crate) struct Bed {
    dir: TempDir,
}

impl Bed {
    /// In memory, where there is a folder of it: it needs no patience.
    pub(crate) fn new() -> Self {
        Self::in_folder(
            tempfile::tempdir_in("/dev/shm")
                .or_else(|_| tempfile::tempdir())
                .expect("there is a place"),
        )
    }

    /// On the disk, for what is large, and for programs.
    pub(crate) fn on_disk() -> Self {
        Self::in_folder(tempfile::tempdir().expect("there is a place"))
    }

    fn in_folder(dir: TempDir) -> Self {
        let bed = Self { dir };
        fs::create_dir_all(bed.outside().join("folder")).expect("it is ours");
        fs::write(bed.outside().join("precious"), "precious").expect("it is ours");
        fs::write(bed.outside().join("folder/things.json"), "precious, too").expect("it is ours");
        symlink(
            bed.outside().join("nowhere"),
            bed.outside().join("dangling"),
        )
        .expect("it is ours");
        bed
    }

    /// Where everything is.
    pub(crate) fn all(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("store")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    /// A new handle, as another process has it.
    pub(crate) fn open(&self) -> JsonFiles {
        JsonFiles::open(self.root())
    }

    /// What is not the store's: all names with their kinds, rights and contents.
    pub(crate) fn beside(&self) -> BTreeMap<PathBuf, String> {
        let mut tree = tree(self.all());
        tree.retain(|path, _| !path.starts_with("store"));
        tree
    }

    /// The bytes of each file of the store; a link is not followed.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let root = self.root();
        let paths = walk(&root)
            .into_iter()
            .filter(|path| path.symlink_metadata().is_ok_and(|m| m.is_file()));
        paths
            .map(|path| {
                (
                    path.strip_prefix(&root).unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                )
            })
            .collect()
    }
}

/// Everything below a folder, through no link.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let describe = |path: &Path| {
        let metadata = path.symlink_metadata().expect("nobody else is here");
        let what = if metadata.is_file() {
            String::from_utf8_lossy(&fs::read(path).expect("it is ours")).into_owned()
        } else if metadata.is_symlink() {
            fs::read_link(path)
                .expect("it is ours")
                .display()
                .to_string()
        } else {
            String::new()
        };
        format!("{:o} {what}", metadata.mode())
    };
    walk(folder)
        .iter()
        .map(|path| {
            (
                path.strip_prefix(folder).unwrap().to_owned(),
                describe(path),
            )
        })
        .collect()
}

/// Names the job of a child.
const JOB: &str = "WEBWISE_STORE_HOSTILE_JOB";
/// Where a child's store is.
const PLACE: &str = "WEBWISE_STORE_HOSTILE_PLACE";
/// What a child's report begins with.
const REPORT: &str = "CHILD-REPORT ";

/// The store of a child that is to do this job; nothing in the parent.
pub(crate) fn child(job: &str) -> Option<JsonFiles> {
    let is_it = env::var(JOB).is_ok_and(|it| it == job);
    is_it.then(|| JsonFiles::open(env::var_os(PLACE).expect("the parent says where")))
}

/// Tells the parent.
pub(crate) fn report(result: &Result<Committed>) {
    let report = match result {
        Ok(done) => json!({ "generation": done.generation }),
        Err(error) => json!({ "error": error.kind(), "text": format!("{error:?}") }),
    };
    println!("{REPORT}{report}");
}

/// Starts one of this program's tests as a child, after a line of shell, and gives what it reported.
pub(crate) fn start(
    program: &Path,
    first: &str,
    test: &str,
    job: &str,
    place: &Path,
    prepare: impl Fn(&mut Command),
) -> Value {
    let script = format!("{first}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .args(["-c", &script])
        .arg(program)
        .args(["--exact", test, "--nocapture"]);
    command.env(JOB, job).env(PLACE, place).stdin(Stdio::null());
    prepare(&mut command);
    let Output { stdout, stderr, .. } = command.output().expect("there is a shell");
    let (out, err) = (
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr),
    );
    let report = out
        .lines()
        .find_map(|line| line.split_once(REPORT))
        .map(|(_, report)| report);
    serde_json::from_str(report.unwrap_or_else(|| panic!("no report: {out}{err}")))
        .expect("a report is JSON")
}

/// Is who runs this root?
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
