//! Many processes write to one shelf at once, and some of them are killed.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::Child,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use webwise::{
    memory::{Change, Edit, Namespace, Record, Shelf},
    store::MemoryBackend as _,
};

use crate::store_crash::{
    child::{self, is_busy, tell},
    place,
    profile::pick,
    random::Random,
    shelf::{open, wait},
};

const PROCESSES: usize = 8;
const QUICK: usize = 60;
const FULL: usize = 1_000;
/// So many of them are killed in the second round.
const KILLED: usize = 2;
/// Begins the job of such a child.
const JOB: &str = "family-";
/// How the child says that it was asked to wait longer than it may.
const BUSY: &str = "busy";

fn shelf() -> Shelf {
    Shelf::global(&Namespace::default(), "family")
}

/// One more of all, and the mark of one number of one process.
fn mark(who: usize, nth: usize, all: usize) -> Edit {
    Edit::new(move |now| {
        let of = |key: &str| {
            now.iter()
                .find(|record| record.key == key)
                .map(|record| &record.body)
        };
        let counter = of("counter")
            .and_then(|body| body["n"].as_u64())
            .unwrap_or(0);
        let key = format!("process-{who}");
        let mut marks = of(&key)
            .and_then(Value::as_str)
            .map_or_else(|| "-".repeat(all), str::to_owned);
        marks.replace_range(nth..=nth, "x");
        Ok(vec![
            Change::Put(Record::new("counter", &json!({ "n": counter + 1 }))),
            Change::Put(Record::new(key, &json!(marks))),
        ])
    })
}

/// The child: writes its numbers one by one and tells each that was acknowledged.
pub(crate) fn child(job: &str, place: &Path) {
    child::end_with_parent();
    let numbers: Vec<usize> = job
        .strip_prefix(JOB)
        .into_iter()
        .flat_map(|job| job.split('-'))
        .filter_map(|n| n.parse().ok())
        .collect();
    let [who, times] = numbers[..] else {
        panic!("no such job: {job}")
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = open(place);
        let mut nth = 0;
        while nth < times {
            match store.update(&shelf(), mark(who, nth, times)).await {
                Ok(_) => {
                    tell(&nth.to_string());
                    nth += 1;
                }
                Err(error) if is_busy(&error) => tell(BUSY),
                Err(error) => {
                    tell(&format!("refused: {error:?}"));
                    return;
                }
            }
        }
    });
}

/// What one child has said.
#[derive(Debug, Default)]
struct Said {
    acknowledged: usize,
    busy: usize,
}

pub(crate) fn all() {
    let times = pick(QUICK, FULL);
    let (present, counter, busy) = round(times, &[]);
    figure!(
        "C5 many processes: {PROCESSES} x {times} updates, {present} of {} present, the counter says {counter}, {busy} asked to \
         wait longer",
        PROCESSES * times
    );
    assert_eq!((present, counter), (PROCESSES * times, PROCESSES * times));

    let mut random = Random::told("store_crash: the victims among the processes");
    let first = random.index(PROCESSES);
    let second = (first + 1 + random.index(PROCESSES - 1)) % PROCESSES;
    let victims: Vec<(usize, usize)> = [first, second]
        .map(|who| (who, 1 + random.index(times * 3 / 4)))
        .to_vec();
    let (present, counter, _) = round(times, &victims);
    figure!(
        "C5 with {KILLED} of {PROCESSES} killed: all that was acknowledged is present, {present} updates, the counter says {counter}"
    );
    assert_eq!(counter, present);
    assert!(
        present < PROCESSES * times,
        "the victims were killed before they were done"
    );
}

/// Lets all write; a victim is killed soon after so many of its updates were acknowledged. Gives how many numbers are
/// present, what the counter says, and how often a process was told to come again.
fn round(times: usize, victims: &[(usize, usize)]) -> (usize, usize, usize) {
    let place = place::on_disk();
    let root = place.path().join("store");
    let said: Vec<Said> = thread::scope(|scope| {
        let children: Vec<_> = (0..PROCESSES)
            .map(|who| {
                let child = child::command(&format!("{JOB}{who}-{times}"), &root).spawn();
                let child = child.expect("this program can be started again");
                let kill_after = victims
                    .iter()
                    .find(|(victim, _)| *victim == who)
                    .map(|(_, after)| *after);
                scope.spawn(move || listen(child, kill_after))
            })
            .collect();
        children
            .into_iter()
            .map(|child| child.join().expect("the child ends"))
            .collect()
    });
    let state = wait(open(&root).load(&shelf())).expect("it can be loaded");
    let of = |key: &str| {
        state
            .records
            .iter()
            .find(|record| record.key == key)
            .map(|record| record.body.clone())
    };
    let counter = of("counter")
        .and_then(|body| body["n"].as_u64())
        .expect("there is a counter");
    let counter = usize::try_from(counter).expect("it counts thousands");
    let mut present = 0;
    for (who, said) in said.iter().enumerate() {
        let marks = of(&format!("process-{who}"))
            .and_then(|marks| marks.as_str().map(str::to_owned))
            .unwrap_or_default();
        let written = marks.bytes().take_while(|b| *b == b'x').count();
        assert_eq!(
            marks.bytes().filter(|b| *b == b'x').count(),
            written,
            "process {who} wrote its numbers in order"
        );
        let is_victim = victims.iter().any(|(victim, _)| *victim == who);
        // A victim may have written one more than it could tell.
        let most = said.acknowledged + usize::from(is_victim);
        assert!(
            written >= said.acknowledged,
            "process {who}: {} acknowledged, {written} present",
            said.acknowledged
        );
        assert!(
            written <= most,
            "process {who}: {} acknowledged, {written} present",
            said.acknowledged
        );
        assert!(
            is_victim || written == times,
            "process {who} is done: {written}"
        );
        present += written;
    }
    (present, counter, said.iter().map(|said| said.busy).sum())
}

fn listen(mut child: Child, kill_after: Option<usize>) -> Said {
    let mut said = Said::default();
    let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    for line in lines {
        let line = line.expect("the child speaks text");
        if line == BUSY {
            said.busy += 1;
            continue;
        }
        let nth: usize = line
            .parse()
            .unwrap_or_else(|_| panic!("the child writes in peace, and it said {line}"));
        assert_eq!(nth, said.acknowledged);
        said.acknowledged += 1;
        if kill_after == Some(said.acknowledged) {
            // Somewhere in its next update.
            thread::sleep(Duration::from_micros(nth as u64 * 37 % 3_000));
            child.kill().expect("it is our child");
        }
    }
    child.wait().expect("it is our child");
    said
}
