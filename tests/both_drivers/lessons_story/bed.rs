//! A real browser, and runs of the loop in it that leave what they were told and what they did. Tests take turns in the browsers of
//! a driver that are as patient as usual.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use webwise::{
    DecisionLoop, LlmClient, MemoryBackend, RunReport, Site, Task,
    agent::{Clock, Context, Options},
    browser::BrowserDriver,
    chat::ChatRequest,
    event::{Event, EventKind},
    memory::lesson::Lessons,
    testing::{FixedClock, Recorder},
};

use crate::lessons_story::{
    browsers::{Driver, Wishes},
    shared::{Lent, Shared},
    shopping::{Watched, Yes},
};

/// Browsers at a time. Source: chosen; most of the time they wait for what the test holds back, or for what never comes.
static BROWSERS: Semaphore = Semaphore::const_new(4);
/// Longest time a run may take. Unit: time. Source: chosen; a run takes seconds, and this is for a machine that does much else.
const CAP: Duration = Duration::from_mins(5);

/// Those of the native driver, and those of the other.
static SHARED: [Shared<Arc<dyn BrowserDriver>>; 2] = [Shared::new(), Shared::new()];

/// A browser of one test's own, or one that it gives back.
pub(crate) struct Bed {
    pub(crate) driver: Lent<Arc<dyn BrowserDriver>>,
    shared: Option<&'static Shared<Arc<dyn BrowserDriver>>>,
    _permit: SemaphorePermit<'static>,
}

impl Bed {
    pub(crate) async fn start(by: Driver) -> Self {
        let permit = BROWSERS.acquire().await.expect("it is never closed");
        let shared = &SHARED[usize::from(by != Driver::Cdp)];
        let launch = |base: PathBuf| async move {
            let wishes = judged(Wishes::default()).in_folder(&base);
            by.launch(&wishes).await
        };
        Self {
            driver: shared.take(launch).await,
            shared: Some(shared),
            _permit: permit,
        }
    }

    pub(crate) async fn start_with(by: Driver, wishes: Wishes) -> Self {
        let permit = BROWSERS.acquire().await.expect("it is never closed");
        let driver = by.launch(&judged(wishes)).await;
        Self {
            driver: Lent::own(driver, Path::new("")),
            shared: None,
            _permit: permit,
        }
    }

    pub(crate) async fn close(self) {
        match self.shared {
            Some(shared) => shared.give_back(self.driver).await,
            None => self.driver.close().await.expect("the browser ends"),
        }
    }

    /// A run of the stand-in, which decides from the prompt alone and keeps nothing.
    pub(crate) async fn run(
        &self,
        task: Task,
        memory: impl MemoryBackend + 'static,
        clock: &Arc<FixedClock>,
    ) -> Ran {
        let model = Watched::default();
        let ran = self.run_by(model.clone(), task, memory, clock).await;
        ran.asked(model.requests())
    }

    /// A run of another model, which keeps what it was asked.
    pub(crate) async fn run_by(
        &self,
        model: impl LlmClient,
        task: Task,
        memory: impl MemoryBackend + 'static,
        clock: &Arc<FixedClock>,
    ) -> Ran {
        let mut options = Options::default();
        options.context = Context::Shared;
        assert!(options.memory && !options.scripts);
        let sink = Recorder::new();
        let agent = DecisionLoop::builder(Arc::clone(&*self.driver), model, memory)
            .with_options(options)
            // Other kinds of memory would help too, and these stories are about what lessons do.
            .with_kinds(vec![Arc::new(Lessons)])
            .with_sink(sink.clone())
            .with_clock(Now(Arc::clone(clock)))
            .with_approver(Yes)
            .build()
            .expect("the options make sense");
        let report = tokio::time::timeout(CAP, agent.run(task))
            .await
            .expect("a run ends");
        Ran {
            report,
            events: sink.events(),
            requests: Vec::new(),
        }
    }
}

/// With scripts, for those who judge a page and begin its episodes; the loop's own option for them stays off.
fn judged(wishes: Wishes) -> Wishes {
    Wishes {
        launch: Some(CAP),
        scripts: true,
        ..wishes
    }
}

/// A task on a page that a person named.
pub(crate) fn task(goal: &str, url: &str) -> Task {
    Task::new(goal)
        .expect("a goal is not empty")
        .with_start_url(url)
        .expect("an address")
}

/// A task on the page that is open; the page stands on this machine, where a run may only be because a person named the site.
pub(crate) fn task_here(goal: &str, url: &str) -> Task {
    let site = Site::of(&url.parse().expect("a page has an address")).expect("a page has a site");
    Task::new(goal)
        .expect("a goal is not empty")
        .with_allowed(site)
}

/// A day on which all is quiet.
pub(crate) fn clock() -> Arc<FixedClock> {
    Arc::new(FixedClock::at("2026-01-02T03:04:05Z"))
}

/// What a run was told and what it did.
pub(crate) struct Ran {
    pub(crate) report: RunReport,
    events: Vec<Event>,
    requests: Vec<ChatRequest>,
}

impl Ran {
    /// The run with the requests that its model was sent.
    pub(crate) fn asked(self, requests: Vec<ChatRequest>) -> Self {
        Self { requests, ..self }
    }

    /// Every action that failed or had no effect, as command and target.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.actions()
            .filter(|(_, outcome)| outcome != "done")
            .map(|(what, _)| what)
            .collect()
    }

    /// Every action with how it ended.
    pub(crate) fn log(&self) -> Vec<String> {
        self.actions()
            .map(|(what, outcome)| format!("{what} -> {outcome}"))
            .collect()
    }

    fn actions(&self) -> impl Iterator<Item = (String, String)> {
        self.events.iter().filter_map(|event| match &event.kind {
            EventKind::ActionExecuted {
                action,
                targets,
                outcome,
                ..
            } => {
                // What was typed is another text on another day.
                let key = || {
                    action.arguments()["key"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned()
                };
                let target = targets.first().map_or_else(key, |target| {
                    format!("{} {:?} {}", target.role, target.name, target.ordinal)
                });
                let outcome = outcome
                    .class()
                    .map_or_else(|| outcome.as_str(), |class| class.as_str());
                Some((
                    format!("{} {target}", action.tool_name()),
                    outcome.to_owned(),
                ))
            }
            _ => None,
        })
    }

    /// The events of this name, as they are written.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        self.events
            .iter()
            .filter(|event| event.kind.name() == name)
            .map(|event| json!(event))
            .collect()
    }

    /// The only event of this name.
    pub(crate) fn event(&self, name: &str) -> Value {
        let mut events = self.events(name);
        assert_eq!(events.len(), 1, "{name}: {events:#?}");
        events.remove(0)
    }

    /// What stood in the system instruction.
    pub(crate) fn system(&self) -> &str {
        let all: BTreeSet<&str> = self
            .requests
            .iter()
            .map(|request| request.system.as_str())
            .collect();
        assert_eq!(all.len(), 1, "a run has one system instruction");
        self.requests.first().map_or("", |request| &request.system)
    }

    /// Every message that the model was sent.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &str> {
        self.requests.iter().map(|request| request.message.as_str())
    }

    /// Whether this stood anywhere in what the model was sent.
    pub(crate) fn was_told(&self, text: &str) -> bool {
        self.system().contains(text) || self.messages().any(|message| message.contains(text))
    }
}

/// A clock that several runs share.
#[derive(Debug)]
struct Now(Arc<FixedClock>);

impl Clock for Now {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.0.now()
    }
}
