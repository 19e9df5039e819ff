//! A program that writes round and round is killed at random moments.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Child,
    thread,
    time::Duration,
};

use webwise::store::MemoryBackend as _;

use crate::store_crash::{child, place, profile::pick, random::Random, shelf};

const QUICK: u64 = 240;
const FULL: u64 = 10_000;
/// So many programs run side by side, each with a store of its own.
const WORKERS: u64 = 2;
/// The longest life of a program after its first word, or after its start. Source: the requirements.
const MAX_LIFE_US: u64 = 12_000;

/// What came of all kills together.
#[derive(Debug, Default)]
struct Killed {
    cycles: u64,
    acknowledged: u64,
    /// Kills after which the file held an update that was not acknowledged yet.
    between: u64,
    lost: u64,
    unparsable: u64,
    /// Files that were begun and not finished, before the next update has swept them.
    left: usize,
    /// The most files with another name than a shelf's after one more update.
    most_stale: usize,
}

pub(crate) fn at_random_moments() {
    let cycles = pick(QUICK, FULL);
    let random = Random::told("store_crash: the moments of the kills");
    let all = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| {
                let mut random = Random(random.0 ^ worker << 32);
                scope.spawn(move || cycle_on(cycles / WORKERS, &mut random))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("the worker ends"))
            .fold(Killed::default(), |all, one| all.and(&one))
    });
    figure!(
        "C1 kill -9: {} cycles, {} acknowledged updates, {} lost, {} unparsable files, {} temp files left by kills, at most {} \
         after the next update",
        all.cycles,
        all.acknowledged,
        all.lost,
        all.unparsable,
        all.left,
        all.most_stale
    );
    assert_eq!((all.lost, all.unparsable), (0, 0));
    assert!(
        all.most_stale <= 1,
        "what is left of a kill is swept: {}",
        all.most_stale
    );
    assert!(
        all.acknowledged > all.cycles,
        "the programs did something before they were killed"
    );
    assert!(all.left > 0, "some kills came in the middle of an update");
    assert!(
        all.between > 0,
        "some kills came between the rename and the answer"
    );
}

impl Killed {
    fn and(self, other: &Self) -> Self {
        Self {
            cycles: self.cycles + other.cycles,
            acknowledged: self.acknowledged + other.acknowledged,
            between: self.between + other.between,
            lost: self.lost + other.lost,
            unparsable: self.unparsable + other.unparsable,
            left: self.left + other.left,
            most_stale: self.most_stale.max(other.most_stale),
        }
    }
}

fn cycle_on(cycles: u64, random: &mut Random) -> Killed {
    let place = place::in_memory();
    let root = place.path().join("store");
    let mut all = Killed::default();
    let mut at = 0;
    for nth in 0..cycles {
        let mut child = child::command("forever", &root)
            .spawn()
            .expect("this program can be started again");
        let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut last = None;
        // One of four is killed as early as while it starts.
        if !nth.is_multiple_of(4) {
            last = said.next();
        }
        thread::sleep(Duration::from_micros(random.below(MAX_LIFE_US)));
        end(&mut child);
        let mut acknowledged = at;
        for line in last.into_iter().chain(said) {
            let line = line.expect("the child speaks text");
            acknowledged = line
                .parse()
                .unwrap_or_else(|_| panic!("the child writes in peace, and it said {line}"));
        }
        all.cycles += 1;
        all.acknowledged += acknowledged - at;
        all.unparsable += unparsable(&root);
        all.left += stale(&root);
        // What the child was about to say may be there already.
        let store = shelf::open(&root);
        match shelf::is_one_of(
            &shelf::wait(store.load(&shelf::shelf())),
            acknowledged,
            acknowledged + 1,
        ) {
            Ok(now) => all.between += now - acknowledged,
            Err(what) => {
                println!("after kill {nth}: {what}");
                all.lost += 1;
            }
        }
        // The next one is judged from here on.
        at = shelf::wait(store.update(&shelf::shelf(), shelf::count()))
            .expect("nobody else writes")
            .generation;
        all.most_stale = all.most_stale.max(stale(&root));
    }
    all
}

fn end(child: &mut Child) {
    assert!(
        child.try_wait().expect("it is our child").is_none(),
        "it runs until it is killed"
    );
    child.kill().expect("it is our child");
    child.wait().expect("it is our child");
}

/// Files of JSON that are none.
fn unparsable(root: &Path) -> u64 {
    let mut bad = 0;
    for path in place::files(root).iter().filter(|path| {
        path.extension()
            .is_some_and(|end| end == "json" || end == "bak")
    }) {
        let bytes = fs::read(path).expect("it can be read");
        if serde_json::from_slice::<serde_json::Value>(&bytes).is_err() {
            println!("{} is no JSON: {} bytes", path.display(), bytes.len());
            bad += 1;
        }
    }
    bad
}

/// Files that somebody began to write.
pub(crate) fn stale(root: &Path) -> usize {
    place::files(root)
        .iter()
        .filter(|path| place::is_temporary(path))
        .count()
}
