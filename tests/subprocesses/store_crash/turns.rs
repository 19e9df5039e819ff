//! Two processes take turns, call by call: each place where one of them can be made to wait for the other is tried.

use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use webwise::{
    memory::{Shelf, ShelfState},
    store::{Fs, FsEntry, FsFile, FsLock, JsonFiles, JsonFilesOptions, MemoryBackend as _},
};

use crate::store_crash::{
    cut,
    planted::{Bug, Buggy},
    shelf::{self, count, mount, wait},
    sim_fs::SimFs,
};

/// For ever, as a number of calls.
const ON: usize = usize::MAX;
/// A writer that does not come to take its turn waits for something else, and the other goes on. Source: chosen; how long a
/// store sleeps between two looks at a lock is less.
const ABSENT: Duration = Duration::from_millis(300);

/// What one of the two does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Count,
    /// Loads, thinks, and saves what it has thought of: what nobody should do.
    SaveStale,
    Load,
    Remove,
    /// Forgets every host.
    Compact,
}

/// Whose turn it is, for how many calls.
type Plan = Vec<(usize, usize)>;

#[derive(Debug)]
struct Turns {
    plan: VecDeque<(usize, usize)>,
    /// Who goes on after the plan.
    next: usize,
    done: [bool; 2],
    made: [usize; 2],
}

/// Lets one writer through at a time.
#[derive(Debug)]
struct Gate {
    turns: Mutex<Turns>,
    moved: Condvar,
}

impl Gate {
    fn new(plan: &[(usize, usize)]) -> Self {
        let turns = Turns {
            plan: plan.iter().copied().collect(),
            next: 0,
            done: [false; 2],
            made: [0; 2],
        };
        Self {
            turns: Mutex::new(turns),
            moved: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().expect("nobody panics at the gate")
    }

    /// One call of a writer, in its turn; `is_waiting` tells from what came of it that it waits for the other one.
    fn pass<T>(
        &self,
        who: usize,
        call: impl FnOnce() -> T,
        is_waiting: impl FnOnce(&T) -> bool,
    ) -> T {
        let mut turns = self.lock();
        while turns.whose() != who {
            let (waited, time) = self
                .moved
                .wait_timeout(turns, ABSENT)
                .expect("nobody panics at the gate");
            turns = waited;
            if time.timed_out() && turns.whose() != who {
                turns.skip();
            }
        }
        turns.made[who] += 1;
        let done = call();
        if is_waiting(&done) {
            turns.skip();
        } else if let Some((_, left)) = turns.plan.front_mut() {
            *left -= 1;
            if *left == 0 {
                turns.plan.pop_front();
            }
        }
        drop(turns);
        self.moved.notify_all();
        done
    }

    fn finish(&self, who: usize) {
        self.lock().done[who] = true;
        self.moved.notify_all();
    }
}

impl Turns {
    fn whose(&mut self) -> usize {
        while self.plan.front().is_some_and(|(who, _)| self.done[*who]) {
            self.plan.pop_front();
        }
        let who = self.plan.front().map_or(self.next, |(who, _)| *who);
        if self.done[who] { 1 - who } else { who }
    }

    fn skip(&mut self) {
        match self.plan.pop_front() {
            Some((who, _)) => self.next = 1 - who,
            None => self.next = 1 - self.next,
        }
    }
}

/// A file system behind the gate, for a writer in a process of its own: both write in this one, so what they begin to write
/// gets the number of a process that is neither and that never ends.
#[derive(Debug)]
struct Gated {
    inner: Arc<dyn Fs>,
    gate: Arc<Gate>,
    who: usize,
}

impl Gated {
    fn pass<T>(&self, call: impl FnOnce() -> T) -> T {
        self.gate.pass(self.who, call, |_| false)
    }
}

fn of_another(path: &Path) -> PathBuf {
    let ours = format!(".{}-", std::process::id());
    PathBuf::from(path.to_string_lossy().replace(&ours, ".1-"))
}

impl Fs for Gated {
    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        self.pass(|| self.inner.create_dir(dir))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn FsFile>> {
        let file = self.pass(|| self.inner.create_new(&of_another(path)))?;
        Ok(Box::new(GatedFile {
            file,
            gate: Arc::clone(&self.gate),
            who: self.who,
        }))
    }

    fn read(&self, path: &Path, max: u64) -> io::Result<Vec<u8>> {
        self.pass(|| self.inner.read(&of_another(path), max))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.pass(|| self.inner.rename(&of_another(from), &of_another(to)))
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.pass(|| self.inner.link(&of_another(from), &of_another(to)))
    }

    fn unlink(&self, path: &Path) -> io::Result<()> {
        self.pass(|| self.inner.unlink(&of_another(path)))
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        self.pass(|| self.inner.remove_dir(dir))
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        self.pass(|| self.inner.sync_dir(dir))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<FsEntry>> {
        self.pass(|| self.inner.list(dir))
    }

    fn try_lock(&self, path: &Path) -> io::Result<Option<Box<dyn FsLock>>> {
        self.gate.pass(
            self.who,
            || self.inner.try_lock(path),
            |lock| matches!(lock, Ok(None)),
        )
    }

    fn tightened(&self) -> Vec<PathBuf> {
        self.inner.tightened()
    }
}

#[derive(Debug)]
struct GatedFile {
    file: Box<dyn FsFile>,
    gate: Arc<Gate>,
    who: usize,
}

impl FsFile for GatedFile {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.gate
            .pass(self.who, || self.file.write_all(bytes), |_| false)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.gate.pass(self.who, || self.file.sync(), |_| false)
    }
}

/// What came of two jobs.
#[derive(Debug)]
struct Played {
    /// Calls that each has made.
    made: [usize; 2],
    /// At what count a reader saw the shelf.
    seen: Vec<u64>,
    /// Updates that were acknowledged.
    counted: u64,
    refused: Vec<String>,
    /// At what count the shelf is afterwards.
    at: Result<u64, String>,
}

fn shelf() -> Shelf {
    cut::shelves()[1].clone()
}

/// How often a shelf was counted, if it is as that many updates left it.
fn counted(state: &webwise::Result<ShelfState>) -> Result<u64, String> {
    shelf::is_one_of(state, 0, u64::MAX)
}

/// Two jobs by this plan, on a host's shelf that was written twice.
fn play(jobs: [Job; 2], bug: Option<Bug>, plan: &[(usize, usize)]) -> Played {
    let sim = SimFs::default();
    let before = mount(Arc::new(sim.clone()));
    for _ in 0..2 {
        wait(before.update(&shelf(), count())).expect("nothing disturbs it");
    }
    let gate = Arc::new(Gate::new(plan));
    let played = Mutex::new(Played {
        made: [0; 2],
        seen: Vec::new(),
        counted: 0,
        refused: Vec::new(),
        at: Ok(0),
    });
    thread::scope(|scope| {
        for (who, job) in jobs.into_iter().enumerate() {
            let inner: Arc<dyn Fs> = match bug {
                Some(bug) => Arc::new(Buggy::new(sim.clone(), bug)),
                None => Arc::new(sim.clone()),
            };
            let (gate, played) = (Arc::clone(&gate), &played);
            let store = mount(Arc::new(Gated {
                inner,
                gate: Arc::clone(&gate),
                who,
            }));
            scope.spawn(move || {
                let done = job.carry_out(&store);
                gate.finish(who);
                let mut played = played.lock().expect("nobody panics here");
                match done {
                    Ok(Some(seen)) => played.seen.push(seen),
                    Ok(None) => {
                        played.counted += u64::from(matches!(job, Job::Count | Job::SaveStale));
                    }
                    Err(what) => played.refused.push(format!("{job:?}: {what}")),
                }
            });
        }
    });
    let mut played = played.into_inner().expect("nobody panics here");
    played.made = gate.lock().made;
    played.at = counted(&wait(mount(Arc::new(sim)).load(&shelf())));
    played
}

impl Job {
    /// Does it; a reader tells what it saw.
    fn carry_out(self, store: &JsonFiles) -> Result<Option<u64>, String> {
        let told = |error: webwise::Error| format!("{error:?}");
        match self {
            Self::Count => drop(wait(store.update(&shelf(), count())).map_err(told)?),
            Self::SaveStale => {
                let copy = wait(store.load(&shelf())).map_err(told)?;
                wait(store.update(&shelf(), shelf::stale(&copy.records))).map_err(told)?;
            }
            Self::Load => return counted(&wait(store.load(&shelf()))).map(Some),
            Self::Remove => wait(store.remove(&shelf())).map_err(told)?,
            Self::Compact => {
                let mut options = JsonFilesOptions::default();
                options.max_hosts = 0;
                wait(store.clone().with_options(options).compact()).map_err(told)?;
            }
        }
        Ok(None)
    }
}

/// One of the two is made to wait once, and the other one, too.
fn plans(jobs: [Job; 2], bug: Option<Bug>) -> Vec<Plan> {
    let made = play(jobs, bug, &[(0, ON), (1, ON)]).made;
    let mut plans = Vec::new();
    for first in 0..=made[0] {
        plans.push(vec![(0, first), (1, ON), (0, ON)]);
        for second in 1..made[1] {
            plans.push(vec![(0, first), (1, second), (0, ON), (1, ON)]);
        }
    }
    for plan in &mut plans {
        plan.retain(|(_, calls)| *calls > 0);
    }
    plans
}

/// How many plans there are for two jobs, and those after which the shelf is not what one job after the other leaves.
fn judge(jobs: [Job; 2], bug: Option<Bug>, seen: &[u64], at: &[u64]) -> (usize, Vec<String>) {
    let plans = plans(jobs, bug);
    let is_wrong = |played: &Played| {
        // Who was refused has not counted.
        let is_expected = |now: &u64| {
            if at.is_empty() {
                *now == 2 + played.counted
            } else {
                at.contains(now)
            }
        };
        (bug.is_none() && !played.refused.is_empty())
            || !played.at.as_ref().is_ok_and(is_expected)
            || !played.seen.iter().all(|now| seen.contains(now))
    };
    let all = plans.iter().map(|plan| (plan, play(jobs, bug, plan)));
    let wrong = all
        .filter(|(_, played)| is_wrong(played))
        .map(|(plan, played)| format!("{jobs:?} {plan:?}: {played:?}"));
    (plans.len(), wrong.collect())
}

/// In how many orders two writers of which one does this lose an update, or both, when the store has this bug.
pub(crate) fn violations(job: Job, bug: Option<Bug>) -> usize {
    judge([job, Job::Count], bug, &[], &[]).1.len()
}

pub(crate) fn at_every_call() {
    use Job::{Compact, Count, Load, Remove};
    let (mut orders, mut wrong) = (0, Vec::new());
    // With what a reader may see, and at what count the shelf may be afterwards.
    for (jobs, seen, at) in [
        ([Count, Count], &[][..], &[][..]),
        ([Count, Remove], &[], &[0, 1]),
        ([Count, Compact], &[], &[0, 1, 3]),
        ([Remove, Remove], &[], &[0]),
        ([Remove, Compact], &[], &[0]),
        ([Count, Load], &[2, 3], &[3]),
        ([Remove, Load], &[0, 2], &[0]),
        ([Compact, Load], &[0, 2], &[0]),
    ] {
        let (plans, violations) = judge(jobs, None, seen, at);
        orders += plans;
        wrong.extend(violations);
    }
    figure!(
        "C4 two at a time: {orders} orders of the calls of two processes, {} violations",
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{}",
        wrong[..wrong.len().min(5)].join("\n")
    );
    assert!(orders > 500, "only {orders} orders");
}
