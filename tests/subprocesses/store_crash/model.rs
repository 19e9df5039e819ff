//! A shelf and a map that is its model go the same way, through cuts of the power, broken files and other writers.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{Config, RngSeed, TestCaseError, TestRunner},
};
use serde_json::{Value, json};
use webwise::{
    ErrorKind,
    memory::{Change, Edit, Namespace, Record, Shelf},
    store::{JsonFiles, MemoryBackend as _},
};

use crate::store_crash::{
    profile::pick,
    random::seed,
    shelf::{mount, wait},
    sim_fs::{Disk, SimFs, cuts},
};

/// Cases, and the most operations of one. Source: the requirements have half as many cases, each with the most.
const QUICK: (u32, usize) = (120, 30);
const FULL: (u32, usize) = (4_000, 50);
/// Files of a shelf that are kept in quarantine. Source: the requirements.
const MAX_QUARANTINED: usize = 5;

/// One thing that happens to a shelf.
#[derive(Debug, Clone)]
enum Op {
    Put(u8, u16),
    Count,
    Remove(u8),
    RemoveShelf,
    Reload,
    /// The power fails between two operations; one of the disks that it may leave.
    Cut(u16),
    /// The power fails while the counter is changed, at one of its changes of the disk.
    CutDuring(u8, u16),
    Break(Damage),
    /// Another process counts.
    Foreign,
    Wait,
}

/// What somebody does to a file; none of it is a shelf's file any more.
#[derive(Debug, Clone)]
enum Damage {
    Cut(u16),
    Zeros,
    Empty,
    Other(Vec<u8>),
}

fn ops(most: usize) -> impl Strategy<Value = Vec<Op>> {
    let damage = prop_oneof![
        any::<u16>().prop_map(Damage::Cut),
        Just(Damage::Zeros),
        Just(Damage::Empty),
        vec(any::<u8>(), 1..200).prop_map(Damage::Other),
    ];
    let op = prop_oneof![
        6 => (0..6_u8, any::<u16>()).prop_map(|(key, value)| Op::Put(key, value)),
        6 => Just(Op::Count),
        2 => (0..6_u8).prop_map(Op::Remove),
        1 => Just(Op::RemoveShelf),
        2 => Just(Op::Reload),
        2 => any::<u16>().prop_map(Op::Cut),
        4 => (any::<u8>(), any::<u16>()).prop_map(|(at, choice)| Op::CutDuring(at, choice)),
        2 => damage.prop_map(Op::Break),
        3 => Just(Op::Foreign),
        1 => Just(Op::Wait),
    ];
    vec(op, 1..=most)
}

type Model = BTreeMap<String, Value>;

fn shelf() -> Shelf {
    Shelf::global(&Namespace::default(), "modelled")
}

fn count() -> Edit {
    Edit::new(|now| {
        let n = now
            .iter()
            .find(|record| record.key == "counter")
            .and_then(|record| record.body["n"].as_u64())
            .unwrap_or(0);
        Ok(vec![Change::Put(Record::new(
            "counter",
            &json!({ "n": n + 1 }),
        ))])
    })
}

fn counted(model: &Model) -> Model {
    let n = model
        .get("counter")
        .and_then(|body| body["n"].as_u64())
        .unwrap_or(0);
    let mut model = model.clone();
    model.insert("counter".to_owned(), json!({ "n": n + 1 }));
    model
}

/// A shelf beside its model.
struct Pair {
    sim: SimFs,
    store: JsonFiles,
    model: Model,
    /// What a backup may hold: the state before the last change, and after a cut also the one before that, because of the two
    /// renames of an update only the last may have reached the disk.
    before: Vec<Model>,
    /// Broken files that somebody made, and that nobody may delete.
    broken: Vec<Vec<u8>>,
}

impl Pair {
    fn new() -> Self {
        let sim = SimFs::default();
        let store = mount(Arc::new(sim.clone()));
        Self {
            sim,
            store,
            model: Model::new(),
            before: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn remount(&mut self, disk: Disk) {
        self.sim = SimFs::mount(disk);
        self.store = mount(Arc::new(self.sim.clone()));
    }

    fn held(&self) -> Result<Model, TestCaseError> {
        let state = match wait(self.store.load(&shelf())) {
            // Nothing of it can be read.
            Err(error) if error.kind() == ErrorKind::Corrupt && !self.broken.is_empty() => {
                return Ok(Model::new());
            }
            state => state.map_err(|error| TestCaseError::fail(format!("{error:?}")))?,
        };
        Ok(state
            .records
            .into_iter()
            .map(|record| (record.key, record.body))
            .collect())
    }

    fn change(&mut self, store: &JsonFiles, edit: Edit, after: Model) -> Result<(), TestCaseError> {
        match wait(store.update(&shelf(), edit)) {
            Ok(done) => {
                if !done.changes.is_empty() {
                    self.before = vec![std::mem::replace(&mut self.model, after)];
                }
                Ok(())
            }
            Err(error) => {
                let full = self.quarantined() >= MAX_QUARANTINED;
                prop_assert!(full && error.kind() == ErrorKind::Corrupt, "{error:?}");
                // A person looks at what was put aside, and takes it away.
                self.sim.change(Disk::clear_quarantine);
                self.broken.clear();
                Ok(())
            }
        }
    }

    fn quarantined(&self) -> usize {
        self.sim
            .disk()
            .contents()
            .filter(|(path, _)| path.iter().any(|part| part == "quarantine"))
            .count()
    }

    fn step(&mut self, op: &Op) -> Result<(), TestCaseError> {
        match op {
            Op::Put(key, value) => {
                let record = Record::new(format!("key-{key}"), &json!({ "value": value }));
                let mut after = self.model.clone();
                after.insert(record.key.clone(), record.body.clone());
                let edit = Edit::new(move |_| Ok(vec![Change::Put(record.clone())]));
                self.change(&self.store.clone(), edit, after)?;
            }
            Op::Count => self.change(&self.store.clone(), count(), counted(&self.model))?,
            Op::Foreign => {
                let other = mount(Arc::new(self.sim.clone()));
                self.change(&other, count(), counted(&self.model))?;
            }
            Op::Remove(key) => {
                let key = format!("key-{key}");
                let mut after = self.model.clone();
                after.remove(&key);
                let edit = Edit::new(move |_| Ok(vec![Change::Remove(key.clone())]));
                self.change(&self.store.clone(), edit, after)?;
            }
            Op::RemoveShelf => {
                wait(self.store.remove(&shelf()))
                    .map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
                (self.model, self.before) = (Model::new(), Vec::new());
                // Who removes a shelf removes its broken file too.
                self.broken.clear();
            }
            Op::Reload => self.store = mount(Arc::new(self.sim.clone())),
            Op::Wait => self.sim.change(|disk| disk.wait(Duration::from_hours(2))),
            Op::Cut(choice) => {
                let left = cuts::after_a_cut(&self.sim.disk());
                let nth = usize::from(*choice) % left.len();
                self.remount(left[nth].clone());
            }
            Op::CutDuring(at, choice) => self.cut_during(usize::from(*at), usize::from(*choice))?,
            Op::Break(damage) => self.damage(damage)?,
        }
        let held = self.held()?;
        prop_assert_eq!(&held, &self.model);
        for broken in &self.broken {
            let disk = self.sim.disk();
            let is_there = disk.contents().any(|(_, bytes)| **bytes == *broken);
            prop_assert!(is_there, "a broken file of {} bytes is gone", broken.len());
        }
        prop_assert!(self.quarantined() <= MAX_QUARANTINED);
        Ok(())
    }

    fn cut_during(&mut self, at: usize, choice: usize) -> Result<(), TestCaseError> {
        let moments: Arc<Mutex<Vec<Disk>>> = Arc::default();
        let watched = Arc::clone(&moments);
        self.sim.watch(move |disk| {
            watched
                .lock()
                .expect("nobody panics here")
                .push(disk.clone());
        });
        let after = counted(&self.model);
        let edit = count();
        let (model, before) = (self.model.clone(), self.before.clone());
        self.change(&self.store.clone(), edit, after)?;
        let moments = std::mem::take(&mut *moments.lock().expect("nobody panics here"));
        if moments.is_empty() || self.model == model {
            // It was refused.
            let disk = self.sim.disk();
            self.remount(disk);
            return Ok(());
        }
        let left = cuts::after_a_cut(&moments[at % moments.len()]);
        self.remount(left[choice % left.len()].clone());
        // Nobody has said that it is done.
        if self.held()? == model {
            self.model.clone_from(&model);
        }
        self.before = before;
        self.before.push(model);
        Ok(())
    }

    fn damage(&mut self, damage: &Damage) -> Result<(), TestCaseError> {
        let disk = self.sim.disk();
        let file: Option<(PathBuf, Vec<u8>)> = disk
            .contents()
            .find(|(path, _)| path.ends_with("modelled.json"))
            .map(|(path, bytes)| (path.to_owned(), bytes.to_vec()));
        let Some((path, mut bytes)) = file else {
            return Ok(());
        };
        // Who breaks a file that is broken already takes its bytes away.
        self.broken.retain(|broken| *broken != bytes);
        match damage {
            Damage::Cut(at) => {
                bytes.truncate(usize::from(*at) % bytes.len().saturating_sub(2).max(1));
            }
            Damage::Zeros => bytes.fill(0),
            Damage::Empty => bytes.clear(),
            Damage::Other(other) => bytes.clone_from(other),
        }
        self.sim.change(|disk| disk.replace(&path, &bytes));
        self.broken.push(bytes);
        // The last good state, or what could be read of the broken one.
        let held = self.held()?;
        let is_part = held
            .iter()
            .all(|(key, body)| self.model.get(key) == Some(body));
        prop_assert!(
            self.before.contains(&held) || is_part,
            "{held:?} of {:?}, before {:?}",
            self.model,
            self.before
        );
        self.model = held;
        Ok(())
    }
}

pub(crate) fn all() {
    let (cases, most) = pick(QUICK, FULL);
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed("store model: the operations")),
        ..Config::default()
    });
    let steps = std::cell::Cell::new(0_usize);
    let result = runner.run(&ops(most), |ops| {
        let mut pair = Pair::new();
        for op in &ops {
            steps.set(steps.get() + 1);
            pair.step(op)?;
        }
        Ok(())
    });
    figure!(
        "store model: {cases} cases of up to {most} operations, {} operations, 0 differences",
        steps.get()
    );
    result.unwrap_or_else(|error| panic!("{error}"));
}
