//! Every fault alone and in pairs, at every place, with every seed.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use webwise::event::{Retention, RunFolder};

use crate::loop_faults::{
    Tally,
    case::Case,
    profile::{full, pick},
    run,
};

/// Seeds of each fault, and of each pair. Source: chosen; a pair is spread over three places, and each needs one. In the quick profile
/// each pair strikes at one place, by turns, and each fault alone has one seed at each.
const QUICK: u32 = 3;
const FULL: u32 = 20;

pub(crate) fn seeds() -> u32 {
    pick(QUICK, FULL)
}

/// Runs all of them on two threads and gives the number of distinct combinations.
pub(crate) fn run(tally: &Tally) -> usize {
    let mut cases = Case::all();
    cases.retain(|case| full() || case.is_in_sample());
    let dir = tempfile::tempdir().unwrap();
    let folders = RunFolder::builder(dir.path())
        .with_retention(Retention::forever())
        .build()
        .unwrap();
    let folders = Arc::new(folders);
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for (nth, seed) in case.seeds(seeds()).enumerate() {
                        let folders = (nth == 0).then(|| Arc::clone(&folders));
                        let found = run::case(case, seed, folders);
                        let (result, complaints) = found.into_parts();
                        let mut complaints = complaints.into_iter().chain(tally.count(result));
                        // One complaint of a case says enough.
                        if let Some(complaint) = complaints.next() {
                            wrong
                                .lock()
                                .unwrap()
                                .push(format!("{case:?} seed {seed}: {complaint}"));
                            break;
                        }
                    }
                }
            });
        }
    });
    folders.close().unwrap();
    let mut wrong = wrong.into_inner().unwrap();
    wrong.extend(run::incomplete_folders(dir.path(), cases.len()));
    let few: Vec<_> = wrong.iter().take(20).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} complaints, the first:\n{}",
        wrong.len(),
        few.join("\n")
    );
    cases.len()
}
