//! A tool of the embedder that panics fails its call. The run goes on, and its report is whole.

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::{
    DecisionLoop, Result, Task,
    action::{Effect, ErrorClass, Failure, Outcome, ToolSpec},
    agent::{StepEnd, Tool},
    base::Origin,
    event::{Event, EventKind},
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, call},
    working::StopReason,
};

const URL: &str = "https://shop.example/";

/// Panics with the given text, before it waits or after.
#[derive(Debug)]
struct Panics;

#[async_trait]
impl Tool for Panics {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "look_up".to_owned(),
            description: "Looks something up.".to_owned(),
            parameters: json!({ "type": "object" }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String> {
        if arguments["waits"] == true {
            tokio::task::yield_now().await;
        }
        panic!("no {}", arguments["text"].as_str().unwrap());
    }
}

#[tokio::test]
async fn a_tool_that_panics_is_a_failed_call_and_the_run_has_its_report() {
    let long = "x".repeat(10_000);
    let look_up = |waits, text: &str| call("look_up", json!({ "waits": waits, "text": text }));
    let model = ScriptedModel::new([
        look_up(false, "hunter2-canary"),
        look_up(true, &long),
        call(
            "finish",
            json!({ "success": true, "answer": "9", "evidence": "Open from 9" }),
        ),
    ]);
    let (page, events) = ("heading \"Open from 9\"", Recorder::new());
    let browser = ScriptedBrowser::new().with_page(URL, "Shop", page);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .with_tool(Panics)
        .with_sink(events.clone())
        .build()
        .unwrap();
    let (name, secret) = (
        SecretName::parse("P").unwrap(),
        Secret::new("hunter2-canary"),
    );
    let vault = Vault::new().with(name, secret, vec![Origin::parse(URL).unwrap()]);
    let task = Task::new("When does it open?").unwrap();
    let task = task
        .with_start_url(URL)
        .unwrap()
        .with_secrets(vault.unwrap());
    let mut run = agent.start(task).await;
    while run.step().await == StepEnd::Continue {}
    let failures: Vec<Failure> = run
        .steps()
        .iter()
        .filter_map(|step| match &step.outcome {
            Outcome::Failed(failure) => Some(failure.clone()),
            _ => None,
        })
        .collect();
    let [short, cut] = &failures[..] else {
        panic!("{failures:?}");
    };
    assert_eq!(
        (short.class, cut.class),
        (ErrorClass::Other, ErrorClass::Other)
    );
    assert!(
        short.detail.starts_with("the tool panicked: no "),
        "{short:?}"
    );
    assert!(!short.detail.contains("hunter2"), "{short:?}");
    assert!(cut.detail.chars().count() <= Failure::MAX_DETAIL);
    assert!(model.requests()[1].message.contains("the tool panicked"));
    let report = run.finish().await;
    assert_eq!(report.summary.stop, StopReason::Finished);
    let ends = |event: &&Event| matches!(event.kind, EventKind::RunEnded { .. });
    assert_eq!(events.events().iter().filter(ends).count(), 1);
}
