//! One run of the loop on a real browser with a model that does as it is told, and all that could tell of a page.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    DecisionLoop, Site, Task,
    action::ErrorClass,
    agent::{Approval, ApprovalRequest, Approver, Context, Images, Options},
    browser::BrowserDriver,
    chat::{ChatRequest, LlmCapabilities},
    event::EventKind,
    guard::ApprovalMode,
    store::InMemory,
    testing::{Recorder, ScriptedModel, call},
    working::StopReason,
};

use super::world::{CANARY, Gate};

/// What the model does next.
#[derive(Debug, Clone)]
pub(crate) enum Do {
    /// Clicks what is called `Go`.
    Go,
    /// The same, in a run that asks a person for each action, and for this one until the page is elsewhere.
    GoWhenAllowed,
    /// Thinks while the page goes where it wants, and until it is there.
    Leave,
    /// Lets the page go, and goes on at once.
    Open,
    /// Calls a tool.
    Call(&'static str, Value),
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Trace {
    /// Where the canary was found: prompts, pictures, events about what was done, memory, report.
    pub(crate) found: Vec<&'static str>,
    pub(crate) pictures: usize,
    pub(crate) stop: StopReason,
    /// What broke, in a run that ended by it.
    pub(crate) error: Option<String>,
    /// Outcomes of the actions, in order, by class; `done` and `no_effect` too.
    pub(crate) outcomes: Vec<&'static str>,
    /// Where the browser was seen, in order.
    pub(crate) addresses: Vec<String>,
}

impl Trace {
    /// Whether an action was undone because of where it led.
    pub(crate) fn was_blocked(&self) -> bool {
        self.outcomes.contains(&ErrorClass::Blocked.as_str())
    }
}

/// The reference of the element called `Go`, or a locator for it.
fn go(request: &ChatRequest) -> String {
    let line = request
        .message
        .lines()
        .map(str::trim)
        .find(|line| line.starts_with(['e', 'f']) && line.contains(" \"Go\""));
    let reference = line
        .and_then(|line| line.split_whitespace().next())
        .map(str::to_owned);
    reference.unwrap_or_else(|| "text=\"Go\"".to_owned())
}

/// A page that is held at the gate.
#[derive(Debug, Clone)]
struct Held {
    gate: Arc<Gate>,
    query: String,
    /// How often a page off scope was there before.
    before: u32,
}

impl Held {
    fn leave(&self) {
        self.gate.leave(&self.query, self.before);
    }
}

/// A person who says yes, and thinks about a click until the page is elsewhere.
#[derive(Debug)]
struct Slow(Held);

#[async_trait]
impl Approver for Slow {
    async fn approve(&self, request: &ApprovalRequest) -> Approval {
        if request.action.tool_name() == "click" {
            tokio::task::block_in_place(|| self.0.leave());
        }
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

/// Runs a task from this page, or from where the browser stands, with this much in scope.
pub(crate) async fn run(
    browser: &Arc<dyn BrowserDriver>,
    gate: &Arc<Gate>,
    from: Option<&str>,
    allow: &[&str],
    script: &[Do],
) -> Trace {
    let asks = script.iter().any(|step| matches!(step, Do::GoWhenAllowed));
    let held = Held {
        gate: Arc::clone(gate),
        query: from
            .and_then(|from| Some(from.split_once('?')?.1.to_owned()))
            .unwrap_or_default(),
        before: gate.arrived(),
    };
    let person = Slow(held.clone());
    let mut script: VecDeque<Do> = script.iter().cloned().collect();
    let model = ScriptedModel::deciding(move |request| {
        loop {
            return Ok(match script.pop_front() {
                Some(Do::Go | Do::GoWhenAllowed) => call("click", json!({ "target": go(request) })),
                Some(Do::Call(tool, arguments)) => call(tool, arguments),
                Some(Do::Leave) => {
                    held.leave();
                    continue;
                }
                Some(Do::Open) => {
                    held.gate.open(&held.query);
                    continue;
                }
                None => call(
                    "finish",
                    json!({ "answer": "enough", "evidence": "", "success": false }),
                ),
            });
        }
    });
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.images = true;
    let model = model.with_capabilities(capabilities);
    let (memory, events) = (InMemory::new(), Recorder::new());
    let mut options = Options::default();
    // The page that is open before the run is a part of the test.
    options.context = Context::Shared;
    options.approval = if asks {
        ApprovalMode::Safe
    } else {
        ApprovalMode::Auto
    };
    (options.screenshots, options.images) = (true, Images::Always);
    options.settle = Duration::from_millis(100);
    let agent = DecisionLoop::builder(Arc::clone(browser), model.clone(), memory.clone())
        .with_options(options)
        .with_sink(events.clone())
        .with_approver(person)
        .build()
        .expect("the options are fine");
    let mut task = Task::new("Look around").expect("a goal");
    if let Some(from) = from {
        task = task.with_start_url(from).expect("an address");
    }
    for url in allow {
        task = task.with_allowed(Site::of(&url.parse().expect("an address")).expect("a site"));
    }
    let report = agent.run(task).await;

    let mut found = Vec::new();
    let mut look = |place, text: &str| {
        if text.contains(CANARY) {
            found.push(place);
        }
    };
    let requests = model.requests();
    for request in &requests {
        look("prompt", &request.system);
        look("prompt", &request.message);
    }
    look("memory", &format!("{memory:?}"));
    look("report", &format!("{report:?}"));
    let (mut outcomes, mut addresses) = (Vec::new(), Vec::new());
    for event in events.events() {
        let json = serde_json::to_string(&event).expect("an event can be written");
        match &event.kind {
            // The record of what the browser showed and did by itself, for people.
            EventKind::Observed { observation, .. } => addresses.push(observation.url.clone()),
            EventKind::Interpreted { .. } | EventKind::BrowserNoticed { .. } => {}
            EventKind::ActionExecuted { outcome, .. } => {
                outcomes.push(outcome.class().map_or(outcome.as_str(), ErrorClass::as_str));
                look("event", &json);
            }
            _ => look("event", &json),
        }
    }
    let pictures = requests.iter().map(|request| request.images.len()).sum();
    Trace {
        found,
        pictures,
        stop: report.summary.stop,
        error: report.error,
        outcomes,
        addresses,
    }
}
