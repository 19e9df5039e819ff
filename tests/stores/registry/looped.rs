//! What a loop writes into the register, and what a run that continues another reads.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use serde_json::json;
use webwise::{
    DecisionLoop, Error, ErrorKind, MemoryBackend, Result, Task,
    action::ErrorClass,
    agent::{Options, StepEnd},
    chat::ChatResponse,
    event::EventKind,
    guard::ApprovalMode,
    memory::{Committed, Edit, Namespace, Shelf, ShelfFilter, ShelfState, StoreNotice},
    registry::RunStatus,
    secret::{Secret, SecretName, Vault},
    store::{InMemory, RunRegistry},
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::registry::{NOW, at, id};

const HOME: &str = "https://desk.example/";
const LIST: &str = "https://desk.example/list";
const ITEM: &str = "https://desk.example/item/7";
const DONE: &str = "https://desk.example/done";

fn desk() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", "link \"List\" e1")
        .with_page(LIST, "List", "link \"Item\" e1")
        .with_page(ITEM, "Item", "button \"Delete\" e1")
        .with_page(DONE, "Done", "heading \"All done\" e2")
        .on(HOME, r#"click {"target":"e1"}"#, [Reply::Show(LIST)])
        .on(LIST, r#"click {"target":"e1"}"#, [Reply::Show(ITEM)])
        .on(ITEM, r#"click {"target":"e1"}"#, [Reply::Show(DONE)])
}

fn click() -> ChatResponse {
    call("click", json!({ "target": "e1" }))
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "It is done", "evidence": "All done" }),
    )
}

fn task() -> Task {
    let task = Task::new("Delete item 7").unwrap();
    task.with_start_url(HOME).unwrap().with_run_id(id("run_1"))
}

fn options() -> Options {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    options
}

/// A clock that the test puts on.
#[derive(Debug, Clone)]
struct Shared(Arc<FixedClock>);

impl webwise::agent::Clock for Shared {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.0.now()
    }
}

#[tokio::test]
async fn a_loop_writes_where_a_run_is_and_how_it_ended() {
    let store = InMemory::new();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let model = ScriptedModel::new([click(), click(), click(), finish()]);
    let clock = Shared(Arc::new(FixedClock::at(NOW)));
    let agent = DecisionLoop::builder(desk(), model, InMemory::new())
        .with_options(options())
        .with_clock(clock.clone())
        .with_registry(store.clone())
        .build()
        .unwrap();
    let mut run = agent.start(task().with_artifact("/runs/run_1")).await;
    let begun = runs.get(&id("run_1"), at(0)).await.unwrap().unwrap();
    assert_eq!(
        (begun.status, begun.goal.as_str(), begun.turn_count),
        (RunStatus::Running, "Delete item 7", 0)
    );
    assert_eq!(begun.domain.unwrap().to_string(), "desk.example");
    assert_eq!(begun.artifact_paths, ["/runs/run_1"]);
    while run.step().await == StepEnd::Continue {}
    // The signs of life come from a task of their own.
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let third = runs.get(&id("run_1"), at(0)).await.unwrap().unwrap();
    clock.0.advance(at(7) - at(0));
    assert!(run.finish().await.is_success());
    let done = runs.get(&id("run_1"), at(7)).await.unwrap().unwrap();
    assert_eq!(
        (third.turn_count, third.current_url.as_deref()),
        (3, Some(DONE))
    );
    assert_eq!(
        (done.status, done.success),
        (RunStatus::Completed, Some(true))
    );
    assert_eq!(
        (done.final_url.as_deref(), done.turn_count),
        (Some(DONE), 4)
    );
    assert_eq!(
        (done.result.as_deref(), done.reason.as_deref()),
        (Some("It is done"), Some("finished"))
    );
    assert_eq!(
        (done.started_at, done.completed_at, done.summary.as_deref()),
        (
            at(0),
            Some(at(7)),
            Some("5 steps, 0 of them failed, 4 calls of the model")
        )
    );
    let shelves = store.shelves(&ShelfFilter::default()).await.unwrap();
    assert_eq!(shelves.len(), 1, "a run with an answer keeps no checkpoint");
}

/// A model that thinks for five minutes.
#[derive(Debug)]
struct Slow(ScriptedModel);

#[async_trait]
impl webwise::LlmClient for Slow {
    fn capabilities(&self) -> webwise::chat::LlmCapabilities {
        self.0.capabilities()
    }

    async fn complete(&self, request: &webwise::chat::ChatRequest) -> Result<ChatResponse> {
        tokio::time::sleep(std::time::Duration::from_mins(5)).await;
        self.0.complete(request).await
    }
}

/// A clock that runs with the time of the test.
#[derive(Debug)]
struct Running(tokio::time::Instant);

impl webwise::agent::Clock for Running {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        at(0) + chrono::TimeDelta::from_std(self.0.elapsed()).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_gives_signs_of_life_while_the_model_thinks() {
    let store = InMemory::new();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let model = Slow(ScriptedModel::new([click()]));
    let agent = DecisionLoop::builder(desk(), model, InMemory::new())
        .with_clock(Running(tokio::time::Instant::now()))
        .with_registry(store)
        .build()
        .unwrap();
    let mut run = agent.start(task()).await;
    run.step().await;
    run.step().await;
    let known = runs.get(&id("run_1"), at(5)).await.unwrap().unwrap();
    let silent = at(5) - known.updated_at;
    assert!(silent.num_seconds() <= 15, "{silent}");
    drop(run);
    tokio::time::sleep(std::time::Duration::from_mins(2)).await;
    let known = runs.get(&id("run_1"), at(7)).await.unwrap().unwrap();
    assert_eq!(
        known.status,
        RunStatus::Abandoned,
        "the signs end with the run"
    );
}

/// A store that refuses every update while it is told to.
#[derive(Debug, Clone)]
struct Failing(InMemory, Arc<AtomicBool>);

#[async_trait]
impl MemoryBackend for Failing {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        self.0.load(shelf).await
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        if self.1.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorKind::Unavailable, "store.update"));
        }
        self.0.update(shelf, edit).await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        self.0.shelves(filter).await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.0.remove(shelf).await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        self.0.notices()
    }
}

#[tokio::test]
async fn a_failing_register_fails_no_run_and_is_told_once() {
    for (fails_from, refuses) in [(0, false), (2, true)] {
        let fails = Arc::new(AtomicBool::new(fails_from == 0));
        let recorder = Recorder::new();
        let mut replies = vec![click(), click(), click(), finish()];
        if refuses {
            replies[3] = call("finish", json!({ "answer": "refused", "success": false }));
        }
        let agent = DecisionLoop::builder(desk(), ScriptedModel::new(replies), InMemory::new())
            .with_options(options())
            .with_sink(recorder.clone())
            .with_registry(Failing(InMemory::new(), Arc::clone(&fails)))
            .build()
            .unwrap();
        let mut run = agent.start(task()).await;
        for nth in 1.. {
            fails.store(fails_from <= nth, Ordering::Relaxed);
            if run.step().await != StepEnd::Continue {
                break;
            }
        }
        // What cannot be undone waits for a register that has begun to record the run.
        let last = &run.steps()[3].outcome;
        let refused = last.class() == Some(ErrorClass::NotRecorded);
        assert_eq!(refused, refuses, "{last:?}");
        assert_eq!(run.finish().await.is_success(), !refuses);
        let failures = recorder.events().into_iter().filter(|event| {
            matches!(&event.kind, EventKind::MemoryFailed { operation, .. } if operation == "store.update")
        });
        assert_eq!(failures.count(), 1);
    }
}

#[tokio::test]
async fn a_new_run_continues_another_on_its_last_page_and_knows_it_in_one_line() {
    let store = InMemory::new();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let counted = json!({ "answer": "It is done 9 times", "evidence": "All done" });
    let model = ScriptedModel::new([click(), click(), click(), call("finish", counted)]);
    let agent = DecisionLoop::builder(desk(), model, InMemory::new())
        .with_options(options())
        .with_registry(store.clone())
        .build()
        .unwrap();
    let [own, other] = ["s1", "fork_1"].map(|id| webwise::SessionId::parse(id).unwrap());
    agent.run(task().with_session(own.clone())).await;
    let now = chrono::Utc::now();
    let first = id("run_1");
    let known = runs.get(&first, now).await.unwrap().unwrap();
    assert_eq!(known.unverified.as_deref(), Some("9"));
    let follow = runs.follow(&first, now).await.unwrap();
    let fork = runs.fork(&first, other.clone(), now).await.unwrap();
    for (run, earlier, session) in [("run_2", follow, own), ("run_3", fork, other)] {
        let model = ScriptedModel::new([finish()]);
        let agent = DecisionLoop::builder(desk(), model.clone(), InMemory::new())
            .with_options(options())
            .with_registry(store.clone())
            .build()
            .unwrap();
        let task = Task::new("Tell what happened")
            .unwrap()
            .continuing(earlier)
            .unwrap();
        let report = agent.run(task.with_run_id(id(run))).await;
        assert!(report.is_success());
        let request = &model.requests()[0];
        let line = "this run continues another: completed: Delete item 7; answer (unverified: 9): It is done 9 times";
        assert!(request.message.contains(line), "{}", request.message);
        assert!(
            !request.system.contains("It is done"),
            "a model's words stay in the message"
        );
        let known = runs.get(&id(run), now).await.unwrap().unwrap();
        assert_eq!(
            (known.parent, known.session, known.start_url.as_deref()),
            (Some(id("run_1")), Some(session), Some(DONE))
        );
    }
}

#[tokio::test]
async fn a_run_goes_on_with_its_steps_notes_and_budget_and_no_secret_is_stored() {
    const VALUE: &str = "hunter2-canary";
    let (store, memory) = (InMemory::new(), InMemory::new());
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let clock = FixedClock::at(NOW);
    let vault = || {
        let origin = webwise::Origin::of(&HOME.parse().unwrap()).unwrap();
        let name = SecretName::parse("PASSWORD").unwrap();
        Vault::new()
            .with(name, Secret::new(VALUE), vec![origin])
            .unwrap()
    };
    let note = call(
        "note",
        json!({ "text": format!("the password is {VALUE}, item 7 is blue") }),
    );
    let model = ScriptedModel::new([note, click()]);
    let agent = DecisionLoop::builder(desk(), model, memory.clone())
        .with_options(options())
        .with_clock(clock)
        .with_registry(store.clone())
        .build()
        .unwrap();
    let mut run = agent.start(task().with_secrets(vault())).await;
    for _ in 0..3 {
        run.step().await;
    }
    let calls = run.spent().calls;
    // The model is unusable from here on, so the run fails.
    while run.step().await == StepEnd::Continue {}
    assert!(!run.finish().await.is_success());
    let host = webwise::Host::of_domain("desk.example").unwrap();
    let sessions = Shelf::host(&Namespace::default(), "sessions", &host);
    let taught = memory.load(&sessions).await.unwrap().records;
    assert_eq!(taught[0].key, "run_1", "the failed run taught memory");
    let stored = runs.checkpoint(&id("run_1")).await.unwrap();
    assert!(
        !format!("{stored:?}").contains(VALUE),
        "no secret is stored"
    );
    let model = ScriptedModel::new([click(), click(), finish()]);
    let agent = DecisionLoop::builder(desk(), model.clone(), memory)
        .with_options(options())
        .with_clock(FixedClock::at(NOW))
        .with_registry(store)
        .build()
        .unwrap();
    let task = Task::of_checkpoint(&stored).unwrap().with_secrets(vault());
    // While another run has the browser, the run stays where it is.
    let other = agent.start(Task::new("Wait").unwrap()).await;
    let busy = agent.resume_run(task.clone()).await.unwrap_err();
    assert_eq!(busy.kind(), webwise::base::ErrorKind::Busy, "{busy:?}");
    drop(other);
    let mut run = agent.resume_run(task).await.unwrap();
    assert!(run.spent().calls >= calls, "the calls before count");
    let before = run.steps().len();
    assert_eq!(before, 3);
    while run.step().await == StepEnd::Continue {}
    assert!(run.finish().await.is_success());
    let message = &model.requests()[0].message;
    assert!(
        message.contains("item 7 is blue") && message.contains("this run was interrupted"),
        "{message}"
    );
    assert!(
        !message.contains("not done"),
        "a run is not told of itself: {message}"
    );
    assert!(
        message.contains("Page") && message.contains("\"Item\""),
        "the list is shown again: {message}"
    );
    let done = runs.get(&id("run_1"), at(0)).await.unwrap().unwrap();
    assert_eq!((done.status, done.lease), (RunStatus::Completed, 2));
}
