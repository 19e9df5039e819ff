//! A host becomes a folder: always one plain name, never the same for two, and the host can be told from the store again.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};
use url::Url;
use webwise::{
    Host,
    memory::{Namespace, Scope, Shelf, ShelfFilter},
    store::{JsonFiles, JsonFilesOptions, MemoryBackend as _},
};

use crate::store_hostile::{
    bed::{Bed, count, host, wait},
    profile::pick,
    random::seed,
    sim_fs::SimFs,
};

/// Cases. Source: the requirements, for the full suite.
const QUICK: u32 = 4_000;
const FULL: u32 = 100_000;
/// Of so many hosts, one is also stored on the disk.
const SAMPLE: usize = 40;
/// The longest name that file systems take. Unit: bytes.
const MAX_NAME: usize = 255;
/// Hosts that a URL may have, or that somebody could think a URL has. Source: the requirements.
const FIXED: [&str; 44] = [
    "",
    ".",
    "..",
    "...",
    "../..",
    "/",
    "/etc/passwd",
    "\\",
    "..\\..",
    "-",
    "-rf",
    "--help",
    "con",
    "CON",
    "nul.txt",
    "com1",
    "lpt9.html",
    "aux.example.com",
    "a..b",
    ".a",
    "a.",
    "a_b.com",
    "a_5fb.com",
    "a-b.com",
    "example.com",
    "example.com.",
    "example.com..",
    "EXAMPLE.com",
    "http://example.com",
    "example.com:8443",
    "localhost:5173",
    "localhost_5173",
    "localhost_3a5173",
    "[::1]",
    "[::1]:80",
    "127.0.0.1",
    "%2e%2e",
    "%2e%2e%2f",
    "a\0b",
    "a\nb",
    "bücher.example",
    "xn--bcher-kva.example",
    "\u{202e}moc.elpmaxe",
    "~",
];

/// A host that is hard on a file system, mostly one that a URL really gives.
fn hosts() -> impl Strategy<Value = Host> {
    let piece = prop_oneof![
        4 => "[a-z0-9]{1,8}",
        1 => "[A-Z_.%~-]{1,4}",
        1 => Just(".".to_owned()),
        1 => Just("..".to_owned()),
        1 => Just("%2e".to_owned()),
        1 => Just("-".to_owned()),
        1 => Just("_".to_owned()),
        1 => "(con|nul|aux|prn|com[0-9]|lpt[0-9])",
        1 => "[a-z]{20,120}",
        1 => "\\PC{1,4}",
    ];
    let text = vec(piece, 1..8).prop_map(|pieces| pieces.concat());
    let port = prop_oneof![3 => Just(String::new()), 1 => (1..=65_535_u16).prop_map(|port| format!(":{port}"))];
    let of_url = (prop_oneof!["http", "https"], text.clone(), port).prop_filter_map(
        "it has a host",
        |(scheme, text, port)| {
            Host::of(&Url::parse(&format!("{scheme}://{text}{port}/")).ok()?).ok()
        },
    );
    prop_oneof![
        3 => of_url,
        1 => text.prop_map(|text| host(&text)),
        1 => vec(any::<char>(), 0..40).prop_map(|chars| host(&chars.into_iter().collect::<String>())),
    ]
}

fn roomy() -> JsonFilesOptions {
    let mut options = JsonFilesOptions::default();
    (
        options.max_hosts,
        options.max_hosts_per_site,
        options.hosts_between_checks,
    ) = (usize::MAX, usize::MAX, usize::MAX);
    (options.max_total_bytes, options.max_file_bytes) = (u64::MAX / 64, u64::MAX / 64);
    options
}

fn shelf(host: &Host) -> Shelf {
    Shelf::host(&Namespace::default(), "things", host)
}

/// The folder that the store made for a host that it has not seen before.
fn folder_of(sim: &SimFs, store: &JsonFiles, host: &Host) -> Result<PathBuf, TestCaseError> {
    let stored = wait(store.update(&shelf(host), count()));
    prop_assert!(stored.is_ok(), "{host:?} cannot be stored: {stored:?}");
    let path = sim
        .look(|disk| disk.last_target().map(Path::to_owned))
        .expect("it was stored");
    let folder = path.parent().expect("a file is in a folder");
    prop_assert_eq!(
        folder.parent(),
        Some(Path::new("default/domains")),
        "{:?} stands at {:?}",
        host,
        path
    );
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let is_plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~');
    prop_assert!(
        name.bytes().all(is_plain) && name.len() <= MAX_NAME,
        "{:?} is {:?}",
        host,
        name
    );
    prop_assert!(
        !name.starts_with(['-', '.']) && !name.ends_with('.') && !name.contains(".."),
        "{:?} is {:?}",
        host,
        name
    );
    let mut components = Path::new(name).components();
    prop_assert!(
        matches!(components.next(), Some(Component::Normal(_))) && components.next().is_none()
    );
    let stem = name.split('.').next().unwrap_or_default();
    let is_device = ["con", "prn", "aux", "nul"].contains(&stem)
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    prop_assert!(!is_device, "{:?} is {:?}", host, name);
    Ok(folder.to_owned())
}

#[test]
fn every_host_gets_a_folder_of_its_own() {
    let sim = SimFs::default();
    let store = JsonFiles::with_fs(Arc::new(sim.clone())).with_options(roomy());
    let folders: RefCell<HashMap<PathBuf, Host>> = RefCell::default();
    let known: RefCell<BTreeSet<Host>> = RefCell::default();
    let try_one = |host: &Host| -> Result<(), TestCaseError> {
        if !known.borrow_mut().insert(host.clone()) {
            return Ok(());
        }
        let folder = folder_of(&sim, &store, host)?;
        let other = folders.borrow_mut().insert(folder.clone(), host.clone());
        prop_assert!(
            other.is_none(),
            "{:?} and {:?} are both {:?}",
            host,
            other,
            folder
        );
        Ok(())
    };
    let long = [
        "a".repeat(304),
        format!("{}.example", "a".repeat(304)),
        "_".repeat(304),
        format!("{}b", "a".repeat(304)),
    ];
    for text in FIXED.iter().map(|text| (*text).to_owned()).chain(long) {
        try_one(&host(&text)).unwrap_or_else(|error| panic!("{error}"));
        if let Some(host) = Url::parse(&format!("http://{text}/"))
            .ok()
            .and_then(|url| Host::of(&url).ok())
        {
            try_one(&host).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let cases = pick(QUICK, FULL);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed("store_hostile: the hosts")),
        max_global_rejects: u32::MAX,
        ..Config::default()
    });
    runner
        .run(&hosts(), |host| try_one(&host))
        .unwrap_or_else(|error| panic!("{error}"));

    // The store tells them all again, though it has only its files.
    let again = JsonFiles::with_fs(Arc::new(sim)).with_options(roomy());
    let listed = wait(again.shelves(&ShelfFilter::default())).unwrap();
    let listed: BTreeSet<Host> = listed
        .into_iter()
        .map(|shelf| match shelf.scope {
            Scope::Host(host) => host,
            Scope::Global => panic!("{shelf} was not written"),
        })
        .collect();
    let known = known.into_inner();
    assert!(
        listed == known,
        "{} are listed, {} were stored",
        listed.len(),
        known.len()
    );

    let (sample, outside) = on_disk(&known);
    figure!(
        "F1 hosts: {cases} cases and {} fixed ones, {} different hosts, 0 collisions, 0 failures to store, {} told again, {sample} on \
         disk, {outside} changes outside the root",
        FIXED.len() + 4,
        known.len(),
        listed.len()
    );
    assert_eq!(outside, 0);
}

/// Stores some of them on the disk; gives how many, and how many things beside the root are not as they were.
fn on_disk(known: &BTreeSet<Host>) -> (usize, usize) {
    let bed = Bed::new();
    let before = bed.beside();
    let store = bed.open().with_options(roomy());
    let fixed: BTreeSet<Host> = FIXED.iter().map(|text| host(text)).collect();
    let sample: Vec<&Host> = known
        .iter()
        .step_by(SAMPLE)
        .filter(|host| !fixed.contains(*host))
        .chain(&fixed)
        .collect();
    for host in &sample {
        wait(store.update(&shelf(host), count()))
            .unwrap_or_else(|error| panic!("{host:?}: {error:?}"));
        let state = wait(bed.open().load(&shelf(host)))
            .unwrap_or_else(|error| panic!("{host:?}: {error:?}"));
        assert_eq!((state.generation, state.records.len()), (1, 1), "{host:?}");
    }
    let after = bed.beside();
    let changed = before
        .iter()
        .filter(|entry| !after.contains_key(entry.0) || after[entry.0] != *entry.1)
        .count();
    (sample.len(), changed + after.len().abs_diff(before.len()))
}
