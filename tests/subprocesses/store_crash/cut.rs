//! The power fails at each change of the disk, and what may be left of it then is all tried.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use webwise::{
    Host,
    memory::{Namespace, Record, Shelf, apply},
    store::{Fs, MemoryBackend as _},
};

use crate::store_crash::{
    place,
    profile::pick,
    shelf::{count, mount, wait},
    sim_fs::{Disk, SimFs, cuts},
};

/// The fewest states that count as a proof. Source: the requirements, for the full profile. The quick one has every cut and every
/// choice of names, and tears each file at half of the places.
const LEAST_STATES: (usize, usize) = (1_000, 10_000);
/// How long a machine without power stands still: what is left of its programs is old then.
const DARKNESS: Duration = Duration::from_hours(2);
/// Of so many states that one cut leaves, one is written to and cut again.
const QUICK: usize = 97;
const FULL: usize = 41;

/// What is done to which shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Count(usize),
    Remove(usize),
}

impl Step {
    const fn shelf(self) -> usize {
        match self {
            Self::Count(shelf) | Self::Remove(shelf) => shelf,
        }
    }
}

/// A shelf for every site, and one of a host, whose folder has to be made.
pub(crate) fn shelves() -> [Shelf; 2] {
    let namespace = Namespace::default();
    let host = Host::of(&"https://shop.example".parse().expect("a URL")).expect("a host");
    [
        Shelf::global(&namespace, "counted"),
        Shelf::host(&namespace, "counted", &host),
    ]
}

/// What each shelf holds.
pub(crate) type Held = [Vec<Record>; 2];

/// What was found out about one course.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) states: usize,
    pub(crate) violations: Vec<String>,
}

/// A course of steps on a disk, with what must be there whatever happens.
#[derive(Debug, Clone)]
pub(crate) struct Course {
    pub(crate) begin: Disk,
    /// What the shelves hold in the beginning.
    pub(crate) held: Held,
    pub(crate) steps: Vec<Step>,
    /// Bytes that are in some file always, because nobody asked for their end.
    pub(crate) kept: Option<Vec<u8>>,
}

impl Course {
    pub(crate) fn of(steps: &[Step]) -> Self {
        Self {
            begin: Disk::default(),
            held: Held::default(),
            steps: steps.to_vec(),
            kept: None,
        }
    }

    /// What the shelves hold after each number of steps.
    fn histories(&self) -> Vec<Held> {
        let mut all = vec![self.held.clone()];
        for step in &self.steps {
            let mut held = all[all.len() - 1].clone();
            held[step.shelf()] = match step {
                Step::Count(shelf) => {
                    let changes = count().changes(&held[*shelf]).expect("it counts");
                    apply(&held[*shelf], &changes)
                }
                Step::Remove(_) => Vec::new(),
            };
            all.push(held);
        }
        all
    }

    /// Walks the course on a file system that is made from the simulated one, and cuts the power at each change.
    pub(crate) fn judge(
        &self,
        wrap: &dyn Fn(SimFs) -> Arc<dyn Fs>,
        second: Option<usize>,
        seen: &mut Seen,
    ) -> Verdict {
        let sim = SimFs::mount(self.begin.clone());
        let moments: Arc<Mutex<Vec<(Disk, usize)>>> = Arc::default();
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let note = {
            let (moments, acknowledged) = (Arc::clone(&moments), Arc::clone(&acknowledged));
            move |disk: &Disk| {
                moments
                    .lock()
                    .expect("nobody panics here")
                    .push((disk.clone(), acknowledged.load(Ordering::SeqCst)));
            }
        };
        sim.watch(note.clone());
        let store = mount(wrap(sim.clone()));
        note(&sim.disk());
        let shelves = shelves();
        for step in &self.steps {
            let shelf = &shelves[step.shelf()];
            match step {
                Step::Count(_) => {
                    wait(store.update(shelf, count()))
                        .unwrap_or_else(|error| panic!("{step:?}: {error:?}"));
                }
                Step::Remove(_) => {
                    wait(store.remove(shelf)).unwrap_or_else(|error| panic!("{step:?}: {error:?}"));
                }
            }
            acknowledged.fetch_add(1, Ordering::SeqCst);
            note(&sim.disk());
        }
        drop(store);
        let moments = std::mem::take(&mut *moments.lock().expect("nobody panics here"));
        let histories = self.histories();
        let mut verdict = Verdict::default();
        for (disk, acknowledged) in moments {
            for left in cuts::after_a_cut(&disk) {
                let may = &histories[acknowledged..histories.len().min(acknowledged + 2)];
                if !seen.0.insert((cuts::fingerprint(&left), fingerprint(may))) {
                    continue;
                }
                verdict.states += 1;
                match look(&left, may, self.kept.as_deref()) {
                    Err(what) => verdict
                        .violations
                        .push(format!("{acknowledged} of {:?} done: {what}", self.steps)),
                    Ok(held) => {
                        if second.is_some_and(|nth| verdict.states.is_multiple_of(nth)) {
                            let steps = vec![Step::Count(0), Step::Count(1)];
                            let again = Self {
                                begin: left,
                                held,
                                steps,
                                kept: self.kept.clone(),
                            };
                            let other = again.judge(wrap, None, seen);
                            verdict.states += other.states;
                            verdict.violations.extend(other.violations);
                        }
                    }
                }
            }
        }
        verdict
    }
}

/// States that were tried already: what is on the disk, and what may be there.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashSet<(u64, u64)>);

fn fingerprint(may: &[Held]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{may:?}").hash(&mut hasher);
    hasher.finish()
}

/// Opens what a cut has left, on a file system without faults: it holds what one of these says, and it can be written.
fn look(left: &Disk, may: &[Held], kept: Option<&[u8]>) -> Result<Held, String> {
    let list = || {
        let files = left
            .contents()
            .map(|(path, bytes)| format!("{} ({})", path.display(), bytes.len()));
        format!(" in a folder with {}", files.collect::<Vec<_>>().join(", "))
    };
    if kept.is_some_and(|kept| !left.contents().any(|(_, bytes)| bytes[..] == *kept)) {
        return Err(format!(
            "bytes that nobody asked to delete are gone from{}",
            list()
        ));
    }
    let sim = SimFs::mount(left.clone());
    sim.change(|disk| disk.wait(DARKNESS));
    let store = mount(Arc::new(sim.clone()));
    let mut held = Held::default();
    for (nth, shelf) in shelves().iter().enumerate() {
        let state = wait(store.load(shelf))
            .map_err(|error| format!("{shelf} cannot be loaded: {error:?}{}", list()))?;
        if !may.iter().any(|held| held[nth] == state.records) {
            return Err(format!(
                "{shelf} holds what it never held then: {:?}{}",
                state.records,
                list()
            ));
        }
        let after = apply(
            &state.records,
            &count().changes(&state.records).expect("it counts"),
        );
        let done = wait(store.update(shelf, count()))
            .map_err(|error| format!("{shelf} is refused: {error:?}{}", list()))?;
        let now = wait(store.load(shelf))
            .map_err(|error| format!("{shelf} cannot be loaded: {error:?}"))?;
        if now.records != after
            || now.generation != done.generation
            || done.generation <= state.generation
        {
            return Err(format!(
                "{shelf} does not hold what was just written: {:?}{}",
                now.records,
                list()
            ));
        }
        held[nth] = state.records;
    }
    let stale = sim
        .disk()
        .contents()
        .filter(|(path, _)| place::is_temporary(path))
        .count();
    if stale > 0 {
        return Err(format!("{stale} old temporary files stay"));
    }
    Ok(held)
}

/// The courses whose states are counted.
fn courses() -> Vec<Course> {
    use Step::{Count, Remove};
    let mut courses = vec![
        Course::of(&[Count(0), Count(0), Count(0), Count(0)]),
        Course::of(&[Count(1), Count(0), Count(1), Count(0), Count(1)]),
        Course::of(&[Count(0), Count(0), Remove(0), Count(0), Count(0)]),
        Course::of(&[Count(1), Remove(1), Count(1), Remove(1), Count(0)]),
    ];
    // A broken file is put aside, and the last good state takes its place.
    for broken in [Vec::new(), vec![0; 4_096], b"{\"version\":".to_vec()] {
        courses.push(after_damage(&broken));
    }
    courses
}

/// A store whose file was written three times and then broken by somebody.
fn after_damage(broken: &[u8]) -> Course {
    let before = Course::of(&[Step::Count(0); 3]);
    let sim = SimFs::default();
    let store = mount(Arc::new(sim.clone()));
    for _ in &before.steps {
        wait(store.update(&shelves()[0], count())).expect("nothing disturbs it");
    }
    sim.change(|disk| {
        let path = disk.last_target().expect("it was written").to_owned();
        let inode = disk.overwrite(&path, broken).expect("it is a file");
        disk.flush(inode);
    });
    let held = before.histories()[2].clone();
    let kept = (!broken.is_empty()).then(|| broken.to_vec());
    Course {
        begin: sim.disk(),
        held,
        steps: vec![Step::Count(0); 2],
        kept,
    }
}

pub(crate) fn at_every_change() {
    let second = pick(QUICK, FULL);
    let courses = courses();
    let verdicts: Vec<(Seen, Verdict)> = thread::scope(|scope| {
        let judge = |course: &Course| {
            let mut seen = Seen::default();
            let verdict = course.judge(&|sim| Arc::new(sim), Some(second), &mut seen);
            (seen, verdict)
        };
        // Side by side, as many as there are processors for.
        let shares = [0, 1].map(|share| courses.iter().skip(share).step_by(2));
        let workers = shares.map(|share| scope.spawn(move || share.map(judge).collect::<Vec<_>>()));
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("the worker ends"))
            .collect()
    });
    let states = verdicts
        .iter()
        .flat_map(|(seen, _)| &seen.0)
        .collect::<HashSet<_>>()
        .len();
    let violations: Vec<&String> = verdicts
        .iter()
        .flat_map(|(_, verdict)| &verdict.violations)
        .collect();
    figure!(
        "C4 power loss: {states} states, {} violations",
        violations.len()
    );
    assert!(
        violations.is_empty(),
        "{:?}",
        &violations[..violations.len().min(5)]
    );
    assert!(
        states >= pick(LEAST_STATES.0, LEAST_STATES.1),
        "only {states} states"
    );
}
