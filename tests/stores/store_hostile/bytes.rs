//! A shelf's file that is cut, or has a wrong bit, or is anything at all: nothing panics, and no byte of it is deleted.

use std::{
    fs, panic,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::json;
use webwise::store::MemoryBackend as _;

use crate::store_hostile::{
    bed::{Bed, count, global, put, wait},
    profile::pick,
    random::Random,
};

/// Cases. Source: the requirements, for the full suite.
const QUICK: usize = 2_500;
const FULL: usize = 100_000;
/// Cases that follow each other in one folder, so that its quarantine fills up.
const TOGETHER: usize = 9;
/// Files of a shelf that are kept in quarantine. Source: the requirements.
const MAX_QUARANTINED: usize = 5;
const WORKERS: usize = 2;

/// What came of the cases.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    read: usize,
    refused: usize,
    put_aside: usize,
    most: usize,
}

/// A shelf's file of some 4 KiB, and its last good state.
fn golden() -> (Vec<u8>, Vec<u8>) {
    let bed = Bed::new();
    let store = bed.open();
    for nth in 0..16 {
        let body = json!({ "nth": nth, "text": "what was learned ".repeat(6), "list": [true, null, { "x": 1.5 }] });
        wait(store.update(&global(), put(&format!("record-{nth:02}"), &body))).unwrap();
    }
    let file = bed.root().join("default/things.json");
    (
        fs::read(&file).unwrap(),
        fs::read(file.with_extension("json.bak")).unwrap(),
    )
}

/// The cases: every prefix and every flipped bit in the full suite, a share of both in the quick one, and mutations.
fn cases(golden: &[u8], random: &mut Random) -> (Vec<Vec<u8>>, usize, usize) {
    let all = pick(QUICK, FULL);
    let mut cases: Vec<Vec<u8>> = (0..golden.len())
        .step_by(pick(6, 1))
        .map(|end| golden[..end].to_vec())
        .collect();
    let prefixes = cases.len();
    let bits = golden.len() * 8;
    let stride: usize = pick(37, 1);
    let first = random.index(stride);
    for bit in (first..bits).step_by(stride) {
        let mut flipped = golden.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        cases.push(flipped);
    }
    let flips = cases.len() - prefixes;
    while cases.len() < all {
        cases.push(mutated(golden, random));
    }
    (cases, prefixes, flips)
}

fn mutated(golden: &[u8], random: &mut Random) -> Vec<u8> {
    const WORDS: [&[u8]; 8] = [
        b"{",
        b"}",
        b"\"",
        b"[",
        b"1e999",
        b"\\ud800",
        b"\n    \"x\": {},",
        b"\"version\": 18446744073709551616",
    ];
    let mut bytes = golden.to_vec();
    for _ in 0..=random.below(4) {
        let from = random.index(bytes.len() + 1);
        let to = (from + random.index(200)).min(bytes.len());
        match random.below(8) {
            0 => drop(bytes.drain(from..to)),
            1 => bytes[from..to].fill(0),
            2 => bytes[from..to].fill_with(|| byte(random)),
            3 => {
                let copy = bytes[from..to].to_vec();
                let at = random.index(bytes.len() + 1);
                bytes.splice(at..at, copy);
            }
            4 => {
                let word = WORDS[random.index(WORDS.len())];
                bytes.splice(from..from, word.iter().copied());
            }
            5 => bytes = (0..random.below(6_000)).map(|_| byte(random)).collect(),
            6 => bytes = [b"[".repeat(random.index(3_000)), bytes].concat(),
            _ => bytes.reverse(),
        }
    }
    bytes
}

fn byte(random: &mut Random) -> u8 {
    u8::try_from(random.below(256)).expect("it is less than 256")
}

fn run(cases: &[Vec<u8>], golden: &[u8], backup: &[u8]) -> Tally {
    let mut tally = Tally::default();
    for together in cases.chunks(TOGETHER) {
        let bed = Bed::new();
        update_once(&bed);
        let file = bed.root().join("default/things.json");
        for (nth, bytes) in together.iter().enumerate() {
            fs::write(&file, bytes).unwrap();
            // With a last good state, with a broken one, and with none.
            let beside = file.with_extension("json.bak");
            match nth % 3 {
                0 => fs::write(&beside, backup).unwrap(),
                1 => fs::write(&beside, &golden[..golden.len() / 2]).unwrap(),
                _ => drop(fs::remove_file(&beside)),
            }
            let store = bed.open();
            tally.cases += 1;
            tally.read += usize::from(wait(store.load(&global())).is_ok());
            tally.refused += usize::from(wait(store.update(&global(), count())).is_err());
            let files = bed.files();
            assert!(
                files.values().any(|kept| kept == bytes),
                "bytes were deleted: {:?} of {:?}",
                String::from_utf8_lossy(bytes),
                files.keys()
            );
            let aside = files
                .keys()
                .filter(|path| path.starts_with("default/quarantine"))
                .count();
            tally.most = tally.most.max(aside);
            tally.put_aside += usize::from(
                files
                    .iter()
                    .any(|(path, kept)| path.starts_with("default/quarantine") && kept == bytes),
            );
            assert!(aside <= MAX_QUARANTINED, "{aside} files in quarantine");
            assert!(
                !files
                    .keys()
                    .any(|path| path.extension().is_some_and(|end| end == "tmp")),
                "{:?}",
                files.keys()
            );
        }
    }
    tally
}

fn update_once(bed: &Bed) {
    wait(bed.open().update(&global(), count())).unwrap();
}

#[test]
fn no_broken_file_makes_the_store_panic_or_delete() {
    let panics = Arc::new(AtomicUsize::new(0));
    let (counted, before) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |what| {
        counted.fetch_add(1, Ordering::SeqCst);
        before(what);
    }));
    let mut random = Random::told("store_hostile: the mutations");
    let (golden, backup) = golden();
    let (cases, prefixes, flips) = cases(&golden, &mut random);
    let share = cases.len().div_ceil(WORKERS);
    let tallies: Vec<Tally> = thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(share)
            .map(|cases| scope.spawn(|| run(cases, &golden, &backup)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .collect()
    });
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let most = tallies.iter().map(|tally| tally.most).max().unwrap();
    let panics = panics.load(Ordering::SeqCst);
    figure!(
        "C6 broken files: {} cases of {} bytes ({prefixes} prefixes, {flips} flipped bits, {} mutations), {panics} panics, 0 bytes \
         deleted, {} put aside, {} refused, at most {most} files in quarantine",
        sum(|t| t.cases),
        golden.len(),
        cases.len() - prefixes - flips,
        sum(|t| t.put_aside),
        sum(|t| t.refused)
    );
    assert_eq!(panics, 0);
    assert!(cases.len() > prefixes + flips, "some cases are mutations");
    assert!(
        (3_500..5_000).contains(&golden.len()),
        "a file of {} bytes is no example",
        golden.len()
    );
    assert!(
        most == MAX_QUARANTINED && sum(|t| t.refused) > 0,
        "the quarantine was full sometimes"
    );
    assert!(
        sum(|t| t.put_aside) > prefixes / 4,
        "broken files were put aside"
    );
    assert!(
        sum(|t| t.read) > prefixes / 2,
        "and the shelf was read all the same"
    );
}
