//! More hosts and records than there is room for: the folder stays within its caps, and opening it costs what is touched.

use std::{
    fmt::Debug,
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;
use webwise::{
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfFilter},
    store::{Fs, FsEntry, FsFile, FsLock, JsonFiles, JsonFilesOptions, MemoryBackend as _, StdFs},
};

use crate::store_hostile::{
    bed::{Bed, host, wait, walk},
    profile,
};

/// How much is written, and what the caps are.
struct Size {
    hosts: usize,
    records: usize,
    /// Records of one update.
    batch: usize,
    /// How often its text stands in a record. Unit: 59 bytes.
    repeats: usize,
    options: JsonFilesOptions,
}

/// So many hosts belong to one registrable domain.
const OF_ONE_SITE: usize = 25;

fn size() -> Size {
    let mut options = JsonFilesOptions::default();
    if profile::full() {
        return Size {
            hosts: 10_000,
            records: 1_000_000,
            batch: 50,
            repeats: 2,
            options,
        };
    }
    (
        options.max_hosts,
        options.max_total_bytes,
        options.hosts_between_checks,
    ) = (480, 32 * 1_024 * 1_024, 16);
    Size {
        hosts: 500,
        records: 20_000,
        batch: 40,
        repeats: 30,
        options,
    }
}

fn shelf(nth: usize) -> Shelf {
    // Some sites have many hosts.
    let text = if nth.is_multiple_of(10) {
        format!("h{nth}.site{}.example", nth / 10 / OF_ONE_SITE)
    } else {
        format!("www.site-of-its-own-{nth}.example")
    };
    Shelf::host(&Namespace::default(), "things", &host(&text))
}

fn batch(first: usize, size: usize, repeats: usize) -> Edit {
    Edit::new(move |_| {
        let record = |nth| {
            let body = json!({ "nth": nth, "text": "something that was seen there, and what was done about it ".repeat(repeats) });
            Change::Put(Record::new(format!("record-{nth:07}"), &body))
        };
        Ok((first..first + size).map(record).collect())
    })
}

fn bytes_of(root: &Path) -> u64 {
    walk(root)
        .iter()
        .filter_map(|path| path.symlink_metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|m| m.len())
        .sum()
}

/// The real file system, with a count of how often it is asked.
#[derive(Debug)]
struct Counting {
    fs: StdFs,
    asked: Arc<AtomicUsize>,
}

impl Counting {
    fn ask(&self) -> &StdFs {
        self.asked.fetch_add(1, Ordering::SeqCst);
        &self.fs
    }
}

impl Fs for Counting {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.ask().create_dir(dir)
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        self.ask().create_new(path)
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.ask().read(path, max)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask().rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.ask().link(from, to)
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.ask().unlink(path)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.ask().remove_dir(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.ask().sync_dir(dir)
    }

    /// Each entry is looked at, so each counts.
    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        let entries = self.ask().list(dir)?;
        self.asked.fetch_add(entries.len(), Ordering::SeqCst);
        Ok(entries)
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        self.ask().try_lock(path)
    }

    fn tightened(&self) -> Vec<PathBuf> {
        self.fs.tightened()
    }
}

/// How often the file system is asked until one shelf is read by a program that has just started.
fn cost_of_one(root: &Path, shelf: &Shelf) -> (usize, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let store = JsonFiles::with_fs(Arc::new(Counting {
        fs: StdFs::new(root),
        asked: Arc::clone(&asked),
    }));
    let records = wait(store.load(shelf)).unwrap().records.len();
    (asked.load(Ordering::SeqCst), records)
}

#[test]
fn a_store_stays_within_its_caps_and_opening_it_costs_what_is_touched() {
    let Size {
        hosts,
        records,
        batch: size,
        repeats,
        options,
    } = size();
    let alone = Bed::new();
    wait(alone.open().update(&shelf(1), batch(0, size, repeats))).unwrap();
    let cost_alone = cost_of_one(&alone.root(), &shelf(1));

    let bed = if profile::full() {
        Bed::on_disk()
    } else {
        Bed::new()
    };
    let store = bed.open().with_options(options.clone());
    let batches = records / size;
    let mut most = 0;
    for nth in 0..batches {
        // In the full run, shelves grow and have backups.
        let of = nth % hosts;
        let stored = wait(store.update(&shelf(of), batch(nth / hosts * size, size, repeats)));
        stored.unwrap_or_else(|error| panic!("batch {nth}: {error:?}"));
        if nth % (batches / 50) == 0 {
            most = most.max(bytes_of(&bed.root()));
        }
    }
    let last = shelf((batches - 1) % hosts);
    let bytes = bytes_of(&bed.root());
    most = most.max(bytes);
    let listed = wait(store.shelves(&ShelfFilter::default())).unwrap();
    let cost = cost_of_one(&bed.root(), &last);
    let compacted = wait(store.compact()).unwrap();
    let of_one_site = |site: usize| {
        let end = format!(".site{site}.example");
        listed
            .iter()
            .filter(|shelf| shelf.to_string().ends_with(&end))
            .count()
    };
    let crowd = (0..hosts / 10 / OF_ONE_SITE)
        .map(of_one_site)
        .max()
        .unwrap_or_default();
    figure!(
        "F3 bounded: {records} records from {hosts} hosts in {batches} batches, at most {most} bytes of {} allowed, {} hosts of {} \
         kept; a shelf is read after {} questions to the file system, {} when it is alone",
        options.max_total_bytes,
        listed.len(),
        options.max_hosts,
        cost.0,
        cost_alone.0
    );
    assert!(most <= options.max_total_bytes, "{most} bytes");
    assert!(listed.len() <= options.max_hosts, "{} hosts", listed.len());
    assert!(listed.contains(&last), "what was written last is there");
    assert!(
        listed.len() > options.max_hosts / 4,
        "no more is forgotten than must be: {} hosts are left",
        listed.len()
    );
    assert!(listed.len() < hosts, "something had to be forgotten");
    assert!(
        crowd <= options.max_hosts_per_site + options.hosts_between_checks,
        "{crowd} hosts of one site, {compacted:?}"
    );
    assert_eq!(cost.0, cost_alone.0, "opening costs what is touched");
    assert!(cost.1 >= size && cost_alone.1 == size);
}
