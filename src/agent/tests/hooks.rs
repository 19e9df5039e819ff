//! Hooks of the embedder, reasons for a refusal, and tools made of functions.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    BrowserDriver as _, DecisionLoop, RunId, Task,
    action::Effect,
    agent::{Approval, ApprovalRequest, Approver, Cause, Hook, tool},
    browser::ExecuteRequest,
    chat::ChatRequest,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, call},
    working::{Step, StopReason},
};

const URL: &str = "https://shop.example/";
const OTHER: &str = "https://shop.example/other";

/// Answers each action of this tool so, and writes down what it sees.
#[derive(Debug, Clone)]
struct Watcher {
    tool: &'static str,
    answer: Approval,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Watcher {
    fn new(tool: &'static str, answer: Approval) -> Self {
        let seen = Arc::default();
        Self { tool, answer, seen }
    }

    fn note(&self, line: String) {
        self.seen.lock().unwrap().push(line);
    }
}

#[async_trait]
impl Hook for Watcher {
    async fn before_action(&self, request: &ApprovalRequest) -> Approval {
        self.note(format!("before {}", request.action.tool_name()));
        if request.action.tool_name() == self.tool {
            self.answer.clone()
        } else {
            Approval::Yes
        }
    }

    async fn before_request(&self, _: &RunId, request: &ChatRequest) {
        self.note(format!("request {}", request.message.contains("## Page")));
    }

    async fn after_step(&self, _: &RunId, step: &Step) {
        self.note(format!(
            "after {} {}",
            step.action.tool_name(),
            step.outcome.as_str()
        ));
    }
}

fn shop() -> ScriptedBrowser {
    let page = "heading \"Mugs of May\"\nbutton \"More\" e1\nbutton \"Delete account\" e2";
    ScriptedBrowser::new().with_page(URL, "Shop", page)
}

fn task() -> Task {
    Task::new("Look at the mugs")
        .unwrap()
        .with_start_url(URL)
        .unwrap()
}

fn model() -> ScriptedModel {
    ScriptedModel::new([
        call("click", json!({ "target": "e1" })),
        call(
            "finish",
            json!({ "answer": "May", "evidence": "Mugs of May" }),
        ),
    ])
}

#[tokio::test(start_paused = true)]
async fn a_hook_sees_each_action_request_and_step_and_may_deny_or_stop() {
    let denied = Approval::Deny {
        reason: "no clicks before noon".to_owned(),
    };
    let hook = Watcher::new("click", denied);
    let (browser, model) = (shop(), model());
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new());
    let agent = agent.with_hook(hook.clone()).build().unwrap();
    let report = agent.run(task()).await;
    assert_eq!(report.summary.stop, StopReason::Finished);
    let seen = [
        "before goto",
        "after goto done",
        "request true",
        "before click",
        "after click rejected",
        "request true",
        "after finish done",
    ];
    assert_eq!(*hook.seen.lock().unwrap(), seen);
    assert_eq!(browser.executed().len(), 1);
    let told = &model.requests()[1].message;
    assert!(told.contains("no clicks before noon"), "{told}");

    let hook = Watcher::new("click", Approval::Stop);
    let agent = DecisionLoop::builder(shop(), self::model(), InMemory::new());
    let agent = agent.with_hook(hook).build().unwrap();
    let report = agent.run(task()).await;
    assert_eq!(report.summary.stop, StopReason::Rejected);
    assert_eq!(report.cause, Some(Cause::Approval));
}

#[derive(Debug)]
struct Picky;

#[async_trait]
impl Approver for Picky {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Deny {
            reason: "ask the owner first".to_owned(),
        }
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn the_model_is_told_why_a_person_refused() {
    let model = ScriptedModel::new([
        call("click", json!({ "target": "e2" })),
        call("finish", json!({ "answer": "refused", "success": false })),
    ]);
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_approver(Picky).build().unwrap();
    let report = agent.run(task()).await;
    assert_eq!(report.cause, Some(Cause::Approval));
    let told = &model.requests()[1].message;
    assert!(
        told.contains("the person said no: ask the owner first"),
        "{told}"
    );
}

#[derive(Deserialize, JsonSchema)]
struct Article {
    /// As in the catalogue.
    number: u32,
}

#[tokio::test(start_paused = true)]
async fn a_function_is_a_tool_and_wrong_arguments_are_a_failed_call() {
    let price = tool(
        "price",
        "Returns our price.",
        Effect::Read,
        async |article: Article| {
            assert_ne!(article.number, 13, "no such article");
            Ok(format!("{}.50 EUR", article.number))
        },
    );
    let model = ScriptedModel::new([
        call("price", json!({ "number": "seven" })),
        call("price", json!({ "number": 13 })),
        call("price", json!({ "number": 7 })),
        call(
            "finish",
            json!({ "answer": "May", "evidence": "Mugs of May" }),
        ),
    ]);
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_tool(price).build().unwrap();
    assert!(agent.run(task()).await.is_success());
    let requests = model.requests();
    let declared = requests[0].tools.declared().iter();
    let declared = declared
        .into_iter()
        .find(|tool| tool.name == "price")
        .unwrap();
    let about = &declared.parameters["properties"]["number"]["description"];
    assert_eq!(about, "As in the catalogue.");
    for (request, wanted) in [(1, "invalid type"), (2, "panicked"), (3, "7.50 EUR")] {
        let told = &requests[request].message;
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
}

/// Takes its time, in which the page changes.
#[derive(Debug)]
struct Slow(ScriptedBrowser);

#[async_trait]
impl Hook for Slow {
    async fn before_action(&self, request: &ApprovalRequest) -> Approval {
        if request.action.tool_name() == "click" {
            tokio::time::sleep(Duration::from_secs(5)).await;
            let goto = json!({ "tool": "goto", "arguments": { "url": OTHER } });
            let goto = ExecuteRequest::new(serde_json::from_value(goto).unwrap());
            self.0.execute(&goto).await.unwrap();
        }
        Approval::Yes
    }
}

#[tokio::test(start_paused = true)]
async fn an_action_is_not_carried_out_if_the_page_changes_while_a_hook_decides() {
    let browser = shop().with_page(OTHER, "Other", "button \"Delete account\" e1");
    let agent = DecisionLoop::builder(browser.clone(), model(), InMemory::new());
    let agent = agent.with_hook(Slow(browser.clone())).build().unwrap();
    agent.run(task()).await;
    let acts = browser.executed();
    assert!(!acts.iter().any(|act| act.starts_with("click")), "{acts:?}");
}
