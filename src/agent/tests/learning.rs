//! Learning at the end of a run. If the store does not accept an update in time, a digest of the run waits in the
//! store for the next run.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    DecisionLoop, Error, ErrorKind, MemoryBackend, Result, RunId, SessionId, Task,
    event::EventKind,
    memory::{
        Change, Committed, Edit, MemoryKind, Namespace, PENDING, Record, Shelf, ShelfFilter,
        ShelfState, StoreNotice,
    },
    store::InMemory,
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedKind, ScriptedModel, call},
};

const URL: &str = "https://shop.example/";
const SPARE: &str = "pending-2";

/// A store in which some collections refuse a number of updates with `Busy`. `left` gives the number of refusals left
/// for each of these collections.
#[derive(Debug, Clone, Default)]
struct Refusing {
    store: InMemory,
    left: Arc<Mutex<Vec<(&'static str, u32)>>>,
}

impl Refusing {
    fn refuse(&self, collections: &[&'static str], times: u32) {
        *self.left.lock().unwrap() = collections.iter().map(|name| (*name, times)).collect();
    }

    async fn runs(&self, collection: &str) -> BTreeSet<String> {
        let shelf = Shelf::global(&Namespace::default(), collection);
        let records = self.store.load(&shelf).await.unwrap().records;
        let run = |record: &Record| record.body["run"].as_str().unwrap().to_owned();
        records.iter().map(run).collect()
    }
}

#[async_trait]
impl MemoryBackend for Refusing {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        self.store.load(shelf).await
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        let is_refused = {
            let mut left = self.left.lock().unwrap();
            let mut of = left
                .iter_mut()
                .filter(|(name, _)| *name == shelf.collection);
            of.next().is_some_and(|(_, times)| {
                let is_refused = *times > 0;
                *times = times.saturating_sub(1);
                is_refused
            })
        };
        if is_refused {
            return Err(Error::new(ErrorKind::Busy, "store.update").with("shelf", shelf));
        }
        self.store.update(shelf, edit).await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        self.store.shelves(filter).await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.store.remove(shelf).await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}

/// A kind of memory that stores a record for each run.
fn kind(name: &'static str) -> Arc<dyn MemoryKind> {
    let put = |said: &Value| vec![Change::Put(Record::new(said.as_str().unwrap(), said))];
    Arc::new(ScriptedKind::new(name).learning(|log| Some(json!(log.run.as_str())), put))
}

/// Carries out a run with these kinds of memory. Returns the failures of memory in the run's report.
async fn run(id: &str, memory: &Refusing, kinds: &[Arc<dyn MemoryKind>]) -> Vec<String> {
    let browser = ScriptedBrowser::new().with_page(URL, "Shop", "button \"Go\" e1");
    let finish = call("finish", json!({ "answer": "no", "success": false }));
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(browser, ScriptedModel::new([finish]), memory.clone())
        .with_kinds(kinds.to_vec())
        .with_sink(recorder.clone())
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .build()
        .unwrap();
    let task = Task::new("Press Go").unwrap().with_start_url(URL).unwrap();
    let session = SessionId::parse(format!("session_of_{id}")).unwrap();
    let task = task
        .with_run_id(RunId::parse(id).unwrap())
        .with_session(session);
    let report = agent.run(task).await;
    let events = recorder.events().into_iter();
    let failures = events.filter_map(|event| match event.kind {
        EventKind::MemoryFailed { error, .. } => Some(error),
        _ => None,
    });
    let failures: Vec<String> = failures.collect();
    assert_eq!(report.memory_errors, failures);
    failures
}

/// Returns the ids of the runs that a kind of memory has learned from.
async fn learned(memory: &Refusing, kind: &str) -> Vec<String> {
    let shelf = Shelf::global(&Namespace::default(), kind);
    let records = memory.store.load(&shelf).await.unwrap().records;
    records.into_iter().map(|record| record.key).collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_until_a_busy_shelf_is_free() {
    let memory = Refusing::default();
    memory.refuse(&["plans"], 20);
    assert_eq!(
        run("run_1", &memory, &[kind("plans")]).await,
        [""; 0],
        "it had its turn"
    );
    assert_eq!(learned(&memory, "plans").await, ["run_1"]);
    assert!(memory.runs(PENDING).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_is_learned_by_the_next_run_with_its_kind_and_by_no_other() {
    let memory = Refusing::default();
    memory.refuse(&["plans"], u32::MAX);
    let failures = run("run_1", &memory, &[kind("plans")]).await;
    assert!(
        failures.len() == 1 && failures[0].contains("busy"),
        "{failures:?}"
    );
    assert_eq!(memory.runs(PENDING).await, ["run_1".to_owned()].into());

    memory.refuse(&[], 0);
    assert_eq!(run("run_2", &memory, &[kind("hints")]).await, [""; 0]);
    assert_eq!(memory.runs(PENDING).await, ["run_1".to_owned()].into());

    let both = [kind("hints"), kind("plans")];
    assert_eq!(run("run_3", &memory, &both).await, [""; 0]);
    assert_eq!(learned(&memory, "plans").await, ["run_1", "run_3"]);
    assert!(memory.runs(PENDING).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn runs_that_wait_are_learned_in_one_update_of_each_shelf() {
    let memory = Refusing::default();
    memory.refuse(&["plans"], u32::MAX);
    for n in 0..30 {
        run(&format!("run_{n:02}"), &memory, &[kind("plans")]).await;
    }
    assert_eq!(memory.runs(PENDING).await.len(), 30);
    memory.refuse(&[], 0);
    run("run_last", &memory, &[kind("plans")]).await;
    let shelf = Shelf::global(&Namespace::default(), "plans");
    let state = memory.store.load(&shelf).await.unwrap();
    // One update for those that waited, and one for the run itself.
    assert_eq!((state.records.len(), state.generation), (31, 2));
    assert!(memory.runs(PENDING).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_waits_on_the_spare_shelf_while_the_other_is_busy_and_is_reported_as_lost_if_both_are()
 {
    let memory = Refusing::default();
    memory.refuse(&["plans", PENDING], u32::MAX);
    let failures = run("run_1", &memory, &[kind("plans")]).await;
    assert!(
        failures.len() == 1 && !failures[0].contains("lost"),
        "{failures:?}"
    );
    assert_eq!(memory.runs(SPARE).await, ["run_1".to_owned()].into());

    memory.refuse(&["plans", PENDING, SPARE], u32::MAX);
    let failures = run("run_2", &memory, &[kind("plans")]).await;
    assert!(
        failures.len() == 1 && failures[0].contains("lost: plans"),
        "{failures:?}"
    );

    memory.refuse(&[], 0);
    assert_eq!(run("run_3", &memory, &[kind("plans")]).await, [""; 0]);
    assert_eq!(learned(&memory, "plans").await, ["run_1", "run_3"]);
}

#[tokio::test(start_paused = true)]
async fn a_shelf_that_cannot_be_written_holds_up_only_its_own_runs() {
    let memory = Refusing::default();
    let refused: Arc<dyn MemoryKind> = Arc::new(ScriptedKind::new("broken").learning(
        |log| Some(json!(log.run.as_str())),
        |said| vec![Change::Put(Record::new("x".repeat(3_000), said))],
    ));
    let kinds = [refused, kind("plans")];
    memory.refuse(&["plans"], u32::MAX);
    for id in ["run_1", "run_2"] {
        let failures = run(id, &memory, &kinds).await;
        assert!(failures[0].contains("too large"), "{failures:?}");
    }
    memory.refuse(&[], 0);
    run("run_3", &memory, &kinds).await;
    assert_eq!(learned(&memory, "plans").await, ["run_1", "run_2", "run_3"]);
    // What could not be learned still waits.
    let waiting = ["run_1", "run_2", "run_3"].map(str::to_owned);
    assert_eq!(memory.runs(PENDING).await, waiting.into());
}
