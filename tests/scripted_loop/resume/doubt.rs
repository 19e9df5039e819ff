//! An irreversible action that may have been done before the run was interrupted.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde_json::json;
use tokio::sync::Notify;
use webwise::{
    BrowserDriver, DecisionLoop, Result, RunId, Task,
    action::{ErrorClass, Outcome},
    agent::{Clock, Options, StepEnd},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    guard::ApprovalMode,
    memory::Namespace,
    page::{Observation, Scene},
    store::{InMemory, RunRegistry},
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
    working::StopReason,
};

pub(crate) const START: &str = "https://shop.example/";
pub(crate) const SHOP: &str = "https://shop.example/cart";
const DONE: &str = "https://shop.example/done";
pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

/// A browser that never comes back from a click.
#[derive(Debug)]
pub(crate) struct Stuck(ScriptedBrowser, Arc<Notify>);

impl Stuck {
    pub(crate) fn new(browser: ScriptedBrowser) -> (Self, Arc<Notify>) {
        let clicked = Arc::new(Notify::new());
        (Self(browser, Arc::clone(&clicked)), clicked)
    }
}

#[async_trait]
impl BrowserDriver for Stuck {
    fn capabilities(&self) -> BrowserCapabilities {
        self.0.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.0.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        self.0.observe(request).await
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        if matches!(request.action, webwise::action::BrowserAction::Click(_)) {
            self.1.notify_one();
            return std::future::pending().await;
        }
        self.0.execute(request).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.0.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.0.scene(request).await
    }

    async fn close(&self) -> Result<()> {
        self.0.close().await
    }
}

pub(crate) fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(START, "Shop", "link \"Cart\" e1")
        .with_page(SHOP, "Cart", "button \"Place order\" e1")
        .with_page(DONE, "Done", "heading \"Thank you\" e2")
        .on(SHOP, r#"click {"target":"e1"}"#, [Reply::Show(DONE)])
}

fn options() -> Options {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    options
}

#[derive(Debug, Clone)]
pub(crate) struct Shared(pub(crate) Arc<FixedClock>);

impl Clock for Shared {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.0.now()
    }
}

/// How the first process of a run ends in the middle of an action.
#[derive(Debug, Clone, Copy)]
enum End {
    Killed,
    /// The caller gives the step up and finishes the run.
    Finished,
}

#[tokio::test]
async fn without_a_person_an_action_in_doubt_is_not_done_again_and_the_model_is_told() {
    for end in [End::Killed, End::Finished] {
        Box::pin(is_not_done_again(end)).await;
    }
}

async fn is_not_done_again(end: End) {
    let store = InMemory::new();
    let clock = Shared(Arc::new(FixedClock::at(NOW)));
    let order = || call("click", json!({ "target": "e1" }));
    let model = ScriptedModel::new([call("goto", json!({ "url": SHOP })), order()]);
    let (browser, clicked) = Stuck::new(shop());
    let agent = DecisionLoop::builder(browser, model, store.clone())
        .with_options(options())
        .with_clock(clock.clone())
        .with_registry(store.clone())
        .build()
        .unwrap();
    let id = RunId::parse("run_1").unwrap();
    let task = Task::new("Buy what is in the cart")
        .unwrap()
        .with_start_url(START)
        .unwrap()
        .with_run_id(id.clone());
    let mut run = agent.start(task).await;
    tokio::select! {
        () = async { while run.step().await == StepEnd::Continue {} } => panic!("it ended"),
        () = clicked.notified() => {}
    }
    match end {
        End::Killed => drop(run),
        End::Finished => assert_eq!(run.finish().await.summary.stop, StopReason::Cancelled),
    }

    clock.0.advance(TimeDelta::minutes(2));
    let give_up = call("finish", json!({ "answer": "not sure", "success": false }));
    let model = ScriptedModel::new([order(), give_up]);
    let browser = shop();
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), store.clone())
        .with_options(options())
        .with_clock(clock)
        .with_registry(store.clone())
        .build()
        .unwrap();
    let runs = RunRegistry::new(store, Namespace::default());
    let task = Task::of_checkpoint(&runs.checkpoint(&id).await.unwrap()).unwrap();
    let mut run = agent.resume_run(task).await.unwrap();
    while run.step().await == StepEnd::Continue {}
    let told: Vec<String> = model.requests().into_iter().map(|r| r.message).collect();
    assert!(
        told[0].contains("click of step 3 was under way") && told[0].contains("a person is asked"),
        "{end:?}: {}",
        told[0]
    );
    let outcomes: Vec<&Outcome> = run.steps().iter().map(|step| &step.outcome).collect();
    assert!(run.steps()[2].unseen, "{end:?}");
    assert!(
        matches!(
            outcomes[..],
            [Outcome::Done, Outcome::Done, Outcome::Unclear(_) | Outcome::Failed(_), Outcome::Done, Outcome::Failed(refused), Outcome::Done]
                if refused.class == ErrorClass::Rejected
        ),
        "{outcomes:?}"
    );
    // The page on which it was, not the one on which it began.
    assert_eq!(browser.executed(), [format!(r#"goto {{"url":"{SHOP}"}}"#)]);
}
