//! What memory on disk costs: a durable update, and opening a store that knows many sites.
//!
//! `cargo bench --bench store`. An update waits for the disk twice, so its time is the disk's; `TMPDIR` says which one.
//! Opening must cost the sites that are touched, not those that are there.

use std::{fs, path::Path, sync::LazyLock};

use divan::Bencher;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use webwise::{
    Host,
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfFilter},
    store::{JsonFiles, MemoryBackend as _},
};

/// Sites that the large store knows.
const SITES: usize = 10_000;
/// Records of about 300 bytes that fill a shelf nearly to its cap of 1 MiB.
const AT_CAP: usize = 2_500;

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn body(n: usize) -> Value {
    json!({ "n": n, "source": "learned", "text": "x".repeat(240) })
}

fn lessons() -> Shelf {
    Shelf::global(&Namespace::default(), "lessons")
}

fn of_site(n: usize) -> Shelf {
    let host = Host::of(&format!("https://site{n}.example").parse().unwrap()).unwrap();
    Shelf::host(&Namespace::default(), "lessons", &host)
}

fn put(from: usize, to: usize) -> Edit {
    Edit::new(move |_| {
        Ok((from..to)
            .map(|n| Change::Put(Record::new(format!("lesson-{n:05}"), &body(n))))
            .collect())
    })
}

/// Counts in one record, as a run does that used a lesson.
fn count() -> Edit {
    Edit::new(|now: &[Record]| {
        let n = now[0].body["n"].as_u64().unwrap_or_default();
        let mut body = now[0].body.clone();
        body["n"] = json!(n + 1);
        Ok(vec![Change::Put(Record::new(now[0].key.clone(), &body))])
    })
}

#[divan::bench(args = [10, AT_CAP])]
fn durable_update(bencher: Bencher<'_, '_>, records: usize) {
    let (dir, runtime) = (tempfile::tempdir().unwrap(), runtime());
    let store = JsonFiles::open(dir.path());
    runtime
        .block_on(store.update(&lessons(), put(0, records)))
        .unwrap();
    bencher.bench_local(|| runtime.block_on(store.update(&lessons(), count())).unwrap());
}

#[divan::bench(args = [10, AT_CAP])]
fn load(bencher: Bencher<'_, '_>, records: usize) {
    let (dir, runtime) = (tempfile::tempdir().unwrap(), runtime());
    let store = JsonFiles::open(dir.path());
    runtime
        .block_on(store.update(&lessons(), put(0, records)))
        .unwrap();
    bencher.bench_local(|| runtime.block_on(store.load(&lessons())).unwrap());
}

/// A store of this many sites, ten records each. Written without waiting for the disk.
fn large(sites: usize) -> TempDir {
    let (dir, runtime) = (tempfile::tempdir().unwrap(), runtime());
    runtime
        .block_on(JsonFiles::open(dir.path()).update(&of_site(0), put(0, 10)))
        .unwrap();
    let domains = dir.path().join("default/domains");
    let first = fs::read_to_string(domains.join("site0.example/lessons.json")).unwrap();
    for n in 1..sites {
        let site = domains.join(format!("site{n}.example"));
        fs::create_dir(&site).unwrap();
        fs::write(
            site.join("lessons.json"),
            first.replace("site0.example", &format!("site{n}.example")),
        )
        .unwrap();
        close(&site);
    }
    dir
}

/// As the store makes them, so that it has nothing to tighten.
fn close(dir: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
        let file = dir.join("lessons.json");
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

static LARGE: LazyLock<TempDir> = LazyLock::new(|| large(SITES));
static SMALL: LazyLock<TempDir> = LazyLock::new(|| large(1));

fn store_of(sites: usize) -> &'static Path {
    if sites == 1 {
        SMALL.path()
    } else {
        LARGE.path()
    }
}

#[divan::bench(args = [1, SITES])]
fn open_and_read_one_site(bencher: Bencher<'_, '_>, sites: usize) {
    let (root, runtime) = (store_of(sites), runtime());
    bencher.bench_local(|| {
        runtime
            .block_on(JsonFiles::open(root).load(&of_site(sites / 2)))
            .unwrap()
    });
}

#[divan::bench(args = [1, SITES])]
fn open_and_update_one_site(bencher: Bencher<'_, '_>, sites: usize) {
    let (root, runtime) = (store_of(sites), runtime());
    bencher.bench_local(|| {
        runtime
            .block_on(JsonFiles::open(root).update(&of_site(sites / 2), count()))
            .unwrap()
    });
}

/// The look over the whole store that a process takes with its first new host, and from time to time.
#[divan::bench(args = [SITES], sample_count = 10)]
fn look_over_all_sites(bencher: Bencher<'_, '_>, sites: usize) {
    let (root, runtime) = (store_of(sites), runtime());
    let mut options = webwise::store::JsonFilesOptions::default();
    options.max_hosts = usize::MAX;
    let store = JsonFiles::open(root).with_options(options);
    bencher.bench_local(|| runtime.block_on(store.compact()).unwrap());
}

/// What `webwise memory list` and an export need: each file is read.
#[divan::bench(args = [SITES], sample_count = 5)]
fn list_all_shelves(bencher: Bencher<'_, '_>, sites: usize) {
    let (root, runtime) = (store_of(sites), runtime());
    let store = JsonFiles::open(root);
    bencher.bench_local(|| {
        runtime
            .block_on(store.shelves(&ShelfFilter::default()))
            .unwrap()
            .len()
    });
}
