//! Every await point of a run: dropped there, or asked to stop there.

use std::{
    collections::BTreeSet,
    future::{Future, poll_fn},
    path::Path,
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Handle};
use webwise::{
    BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Result, RunId, Task,
    action::{Effect, ToolSpec},
    agent::{Approval, ApprovalRequest, Approver, Cancel, Options, StepEnd, Tool},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    event::{Event, EventKind, FanOut, Intent, Journal, RunFolder},
    guard::ApprovalMode,
    memory::{
        Change, Committed, Edit, Namespace, Record, Shelf, ShelfFilter, ShelfState, StoreNotice,
    },
    store::InMemory,
    testing::{Recorder, ScriptedKind, ScriptedModel, call},
    working::StopReason,
};

use crate::cancel::{
    club::{Club, Eyes, task},
    left::unreadable,
    profile::pick,
};

/// Who is being waited for.
#[derive(Debug, Clone, Default)]
struct Place(Arc<Mutex<Option<&'static str>>>);

impl Place {
    fn set(&self, place: Option<&'static str>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }

    fn get(&self) -> &'static str {
        // The loop itself waits for nothing but a page that answers late.
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .unwrap_or("settle")
    }

    /// Waits before a part does its work, and after it.
    async fn around<T>(&self, place: &'static str, work: impl Future<Output = T>) -> T {
        self.set(Some(place));
        tokio::task::yield_now().await;
        let done = work.await;
        tokio::time::sleep(Duration::from_millis(3)).await;
        self.set(None);
        done
    }
}

/// Any part, with a wait before and after what it does.
#[derive(Debug)]
struct Slow<T>(T, Place);

#[async_trait]
impl<B: BrowserDriver> BrowserDriver for Slow<B> {
    fn capabilities(&self) -> BrowserCapabilities {
        self.0.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.0.lease()
    }
    async fn observe(&self, request: &ObserveRequest) -> Result<webwise::page::Observation> {
        self.1.around("observe", self.0.observe(request)).await
    }
    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.1.around("execute", self.0.execute(request)).await
    }
    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.0.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<webwise::page::Scene> {
        self.0.scene(request).await
    }
    async fn close(&self) -> Result<()> {
        panic!("the loop never closes a browser")
    }
}

#[async_trait]
impl<L: LlmClient> LlmClient for Slow<L> {
    fn capabilities(&self) -> LlmCapabilities {
        self.0.capabilities()
    }
    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        self.1.around("model", self.0.complete(request)).await
    }
}

#[async_trait]
impl<M: MemoryBackend> MemoryBackend for Slow<M> {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        self.1.around("load", self.0.load(shelf)).await
    }
    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        self.1.around("update", self.0.update(shelf, edit)).await
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

#[async_trait]
impl Approver for Slow<()> {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        self.1.around("approve", async { Approval::Yes }).await
    }
    async fn answer(&self, _: &str) -> Option<String> {
        self.1
            .around("answer", async { Some("as you like".to_owned()) })
            .await
    }
}

#[async_trait]
impl Tool for Slow<()> {
    fn spec(&self) -> ToolSpec {
        let parameters = json!({ "type": "object", "properties": {} });
        ToolSpec {
            name: "rate".to_owned(),
            description: "Rates the page.".to_owned(),
            parameters,
        }
    }
    fn effect(&self) -> Effect {
        Effect::Read
    }
    async fn call(&self, _: &Value) -> Result<String> {
        self.1.around("tool", async { Ok("good".to_owned()) }).await
    }
}

#[async_trait]
impl Journal for Slow<()> {
    async fn intent(&self, _: &Intent) -> Result<()> {
        self.1.around("journal", async { Ok(()) }).await
    }
}

/// Two records for each run, in one change: whoever sees one without the other sees half of it.
fn pairs() -> ScriptedKind {
    let learns = |said: &Value| {
        let run = said.as_str().unwrap_or_default();
        let half = |half: &str| {
            let body = json!({ "half": half });
            Change::Put(Record::new(format!("{run}-{half}"), &body))
        };
        vec![half("a"), half("b")]
    };
    ScriptedKind::new("pairs").learning(|log| Some(json!(log.run)), learns)
}

type Agent = DecisionLoop<Slow<Eyes<Club>>, Slow<ScriptedModel>, Slow<InMemory>>;

/// A loop that waits for each of its parts in a run, and what can be asked of it.
struct World {
    agent: Agent,
    club: Club,
    place: Place,
    store: InMemory,
    recorder: Recorder,
    runs: Arc<RunFolder>,
}

impl World {
    fn new(runs: &Path) -> Self {
        let (place, store, recorder) = (Place::default(), InMemory::new(), Recorder::new());
        let club = Club::new(0, Duration::ZERO);
        let eyes = Eyes::new(club.clone());
        let policy = eyes.policy();
        let mut turn = 0;
        let model = ScriptedModel::deciding(move |_| {
            turn += 1;
            Ok(match turn {
                1 => call("ask_human", json!({ "question": "may I?" })),
                2 => call("rate", json!({})),
                // It changes nothing, so the page is looked at again a little later.
                3 => call("click", json!({ "target": "e2" })),
                _ => policy(),
            })
        });
        let runs = Arc::new(RunFolder::new(runs).unwrap());
        let mut options = Options::default();
        options.approval = ApprovalMode::Safe;
        let kinds = webwise::memory::kinds()
            .into_iter()
            .chain([Arc::new(pairs()) as _])
            .collect();
        let agent = DecisionLoop::builder(
            Slow(eyes, place.clone()),
            Slow(model, place.clone()),
            Slow(store.clone(), place.clone()),
        )
        .with_options(options)
        .with_kinds(kinds)
        .with_approver(Slow((), place.clone()))
        .with_tool(Slow((), place.clone()))
        .with_journal(Slow((), place.clone()))
        .with_sink(
            FanOut::new()
                .with(Arc::new(recorder.clone()))
                .with(Arc::clone(&runs) as _),
        )
        .build()
        .unwrap();
        Self {
            agent,
            club,
            place,
            store,
            recorder,
            runs,
        }
    }

    /// The halves that memory holds of a run: none or both.
    async fn remembered(&self, run: &RunId) -> usize {
        let shelf = Shelf::global(&Namespace::default(), "pairs");
        let records = self.store.load(&shelf).await.unwrap().records;
        let halves = records
            .iter()
            .filter(|record| record.key.starts_with(run.as_str()))
            .count();
        assert!(halves == 0 || halves == 2, "half of a change: {records:?}");
        halves
    }

    fn events(&self, run: &RunId) -> Vec<Event> {
        self.recorder
            .events()
            .into_iter()
            .filter(|event| event.run == *run)
            .collect()
    }

    /// The same loop and the same folder are good for another run.
    async fn another_run_works(&self) {
        assert_eq!(
            Handle::current().metrics().num_alive_tasks(),
            0,
            "no task is left"
        );
        let report = self.agent.run(task()).await;
        assert_eq!(
            report.summary.stop,
            StopReason::Finished,
            "{:?}",
            report.error
        );
        assert_eq!(
            (
                report.recording.as_deref(),
                self.remembered(&report.run).await
            ),
            (None, 2)
        );
        assert_eq!(
            self.club.sent(),
            1,
            "the form was sent once in both runs together"
        );
    }
}

fn id(k: usize) -> RunId {
    RunId::parse(format!("run_{k}")).unwrap()
}

fn named(k: usize) -> Task {
    task().with_run_id(id(k))
}

/// Polls a future so often, then gives it up; how it ended, if it did.
async fn drop_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut polled = 0;
    poll_fn(|context| {
        if polled == polls {
            return Poll::Ready(None);
        }
        polled += 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

fn paused<T>(future: impl Future<Output = T>) -> T {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

/// Drops the run's future at every await point; gives their number and that of files that cannot be read.
pub(crate) fn dropped_everywhere() -> (usize, usize) {
    let (mut places, mut bad, mut learned) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    let mut points = 0;
    loop {
        let dir = tempfile::tempdir().unwrap();
        let world = World::new(dir.path());
        let ended = paused(async {
            let ended = drop_after(points, Box::pin(world.agent.run(named(points))))
                .await
                .is_some();
            places.insert(world.place.get());
            learned.insert(world.remembered(&id(points)).await);
            world.another_run_works().await;
            ended
        });
        world.runs.close().unwrap();
        bad.extend(unreadable(dir.path()));
        if ended {
            break;
        }
        points += 1;
    }
    let all = [
        "answer", "approve", "execute", "journal", "load", "model", "observe", "settle", "tool",
        "update",
    ];
    assert_eq!(
        places,
        BTreeSet::from(all),
        "it was dropped while it waited for each part"
    );
    assert_eq!(
        learned,
        BTreeSet::from([0, 2]),
        "before and after the change, never between"
    );
    assert!(bad.is_empty(), "{bad:?}");
    (points, bad.len())
}

/// The quick profile drops whole runs at each await point, and steps only at every third.
fn stride() -> usize {
    pick(3, 1)
}

#[test]
fn a_step_that_is_dropped_is_given_up_and_the_run_goes_on() {
    let (mut points, mut tried) = (0, 0);
    loop {
        let dir = tempfile::tempdir().unwrap();
        let world = World::new(dir.path());
        let was_dropped = paused(async {
            let mut run = world.agent.start(named(points)).await;
            let mut dropped = false;
            let mut left = points;
            loop {
                let mut polled = 0;
                let step = run.step();
                let mut step = pin!(step);
                // Only one step is dropped, after so many polls of all steps together.
                let end = poll_fn(|context| {
                    if !dropped && polled == left {
                        return Poll::Ready(None);
                    }
                    polled += 1;
                    step.as_mut().poll(context).map(Some)
                })
                .await;
                match end {
                    None => dropped = true,
                    Some(StepEnd::Continue) if !dropped => left -= polled,
                    Some(StepEnd::Continue) => {}
                    Some(StepEnd::Stopped(_)) => break,
                }
            }
            let report = run.finish().await;
            assert_eq!(
                report.summary.stop,
                StopReason::Finished,
                "after {points} polls: {:?}",
                report.error
            );
            whole(&world.events(&report.run));
            dropped
        });
        world.runs.close().unwrap();
        assert_eq!(unreadable(dir.path()), [""; 0]);
        if !was_dropped {
            break;
        }
        tried += 1;
        points += stride();
    }
    figure!(
        "cancel: a step dropped at {tried} of {points} await points, the run finished each time"
    );
    assert!(points >= 50);
}

#[test]
fn a_cancel_that_is_asked_for_anywhere_ends_the_run_in_order() {
    let (mut points, mut tried, mut stopped) = (0, 0, 0);
    loop {
        let dir = tempfile::tempdir().unwrap();
        let world = World::new(dir.path());
        let asked = paused(async {
            let cancel = Cancel::new();
            let mut run = pin!(world.agent.run(named(points).with_cancel(cancel.clone())));
            let mut polled = 0;
            let report = poll_fn(|context| {
                if polled == points {
                    cancel.cancel();
                }
                polled += 1;
                run.as_mut().poll(context)
            })
            .await;
            let stop = report.summary.stop;
            assert!(
                matches!(stop, StopReason::Cancelled | StopReason::Finished),
                "{stop} after {points} polls"
            );
            stopped += usize::from(stop == StopReason::Cancelled);
            whole(&world.events(&report.run));
            assert_eq!(
                world.remembered(&report.run).await,
                2,
                "a run that is asked to stop learns"
            );
            world.another_run_works().await;
            cancel.is_cancelled()
        });
        world.runs.close().unwrap();
        assert_eq!(unreadable(dir.path()), [""; 0]);
        let meta =
            std::fs::read_to_string(dir.path().join(id(points).as_str()).join("run_meta.json"))
                .unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(&meta).unwrap()["status"],
            "ended"
        );
        if !asked {
            break;
        }
        tried += 1;
        points += stride();
    }
    figure!(
        "cancel: asked for at {tried} of {points} await points, {stopped} times in time to stop the run"
    );
    assert!(points >= 50 && stopped >= tried / 2);
}

/// One start, one end, and each action that was begun has an end.
fn whole(events: &[Event]) {
    let count = |name: &str| {
        events
            .iter()
            .filter(|event| event.kind.name() == name)
            .count()
    };
    assert_eq!((count("run_started"), count("run_ended")), (1, 1));
    let mut open: Option<String> = None;
    for event in events {
        match &event.kind {
            EventKind::ActionStarted { action, .. } => {
                assert_eq!(open.replace(action.line()), None);
            }
            EventKind::ActionExecuted { action, .. } => {
                if let Some(line) = open.take() {
                    assert_eq!(line, action.line());
                }
            }
            _ => {}
        }
    }
    assert_eq!(open, None, "an action that was begun has an end");
}
