//! The tool `go_back_to` opens a page again and fills in what the run had entered on it.

use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use serde_json::json;

use crate::{
    BrowserDriver, DecisionLoop, Result, Task,
    action::{BrowserAction, BrowserTool, Fill, Outcome, Target},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{Observation, Scene},
    store::InMemory,
    testing::{ScriptedModel, call, tree},
};

const FORM: &str = "https://desk.example/new";
const OTHER: &str = "https://desk.example/other";
const ELSEWHERE: &str = "https://login.example/new";

/// A form with two fields that are empty after each load. Each load gives its elements new references.
#[derive(Debug, Default)]
struct Form {
    shown: Mutex<Shown>,
    /// The address to which every load of the form except the first redirects.
    later: Option<&'static str>,
    lease: crate::browser::Lease,
}

#[derive(Debug, Default)]
struct Shown {
    url: String,
    loads: usize,
    name: String,
    title: String,
    typed: Vec<String>,
    scrolled: usize,
}

impl Form {
    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap()
    }
}

#[async_trait]
impl BrowserDriver for Form {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new(
            "form",
            [BrowserTool::Goto, BrowserTool::Fill, BrowserTool::Scroll],
        )
    }

    fn lease(&self) -> &crate::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let shown = self.shown();
        let field = |label: &str, number: usize, value: &str| {
            let value = Some(value).filter(|value| !value.is_empty());
            let value = value.map_or_else(String::new, |value| format!(" = {value}"));
            format!(
                "textbox \"{label}\" e{}{value}\n",
                shown.loads * 10 + number
            )
        };
        let content = match &*shown.url {
            FORM | ELSEWHERE => field("Name", 0, &shown.name) + &field("Title", 1, &shown.title),
            _ => "heading \"Other\"".to_owned(),
        } + &"text \"More\"\n".repeat(shown.scrolled);
        Ok(Observation::new(&shown.url, "Desk", tree(&content)))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let mut shown = self.shown();
        match &request.action {
            BrowserAction::Goto(goto) => {
                let (loads, typed) = (shown.loads + 1, std::mem::take(&mut shown.typed));
                let moved = self.later.filter(|_| goto.url == FORM && shown.loads > 0);
                *shown = Shown {
                    url: moved.unwrap_or(&goto.url).to_owned(),
                    loads,
                    typed,
                    ..Shown::default()
                };
            }
            BrowserAction::Fill(Fill {
                target: Target::Ref(target),
                text,
                ..
            }) => {
                let (text, first) = (text.to_string(), format!("e{}", shown.loads * 10));
                shown.typed.push(format!("{target} {text}"));
                if target.as_str() == first {
                    shown.name = text;
                } else {
                    shown.title = text;
                }
            }
            BrowserAction::Scroll(_) => shown.scrolled += 1,
            other => panic!("unexpected: {other:?}"),
        }
        Ok(Outcome::Done.into())
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_page_that_was_left_opens_again_with_its_fields_filled() {
    let model = ScriptedModel::new([
        call("fill", json!({ "target": "e10", "text": "Anna" })),
        call("fill", json!({ "target": "e11", "text": "Choir" })),
        call("fill", json!({ "target": "e10", "text": "Anne" })),
        call("scroll", json!({ "direction": "down" })),
        call("scroll", json!({ "direction": "down" })),
        call("goto", json!({ "url": OTHER })),
        call("go_back_to", json!({ "step": 40 })),
        call("go_back_to", json!({ "step": 7 })),
        call("finish", json!({ "answer": "Anne", "evidence": "Name" })),
    ]);
    let agent = DecisionLoop::builder(Form::default(), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let task = Task::new("Enter a booking").unwrap();
    agent.run(task.with_start_url(FORM).unwrap()).await;

    let messages: Vec<String> = model.requests().into_iter().map(|r| r.message).collect();
    assert!(
        messages[6].contains("\n7. goto \"https://desk.example/other\"")
            && !messages[6].contains("e11 textbox"),
        "{}",
        messages[6]
    );
    assert!(
        messages[7].contains("no step of this number began on a page"),
        "{}",
        messages[7]
    );
    // One call of the model; the steps that it stands for are in the history.
    assert_eq!(messages.len(), 9);
    let last = &messages[8];
    for shown in [
        "e30 textbox \"Name\" value \"Anne\"",
        "e31 textbox \"Title\" value \"Choir\"",
        "\n9. go_back_to 7\n10. goto \"https://desk.example/new\"\n11. fill textbox \"Title\" \"Choir\"\n12. fill textbox \"Name\" \"Anne\"\n13. scroll {\"direction\":\"down\",\"pixels\":1200} -> shows \"More\"\n",
    ] {
        assert!(last.contains(shown), "{shown}: {last}");
    }
}

#[tokio::test]
async fn nothing_is_entered_on_another_page_than_the_one_to_open_again() {
    let form = Form {
        later: Some(ELSEWHERE),
        ..Form::default()
    };
    let model = ScriptedModel::new([
        call("fill", json!({ "target": "e10", "text": "Anna" })),
        call("goto", json!({ "url": OTHER })),
        call("go_back_to", json!({ "step": 3 })),
        call("finish", json!({ "answer": "no", "success": false })),
    ]);
    let agent = DecisionLoop::builder(form, model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let task = Task::new("Enter a booking").unwrap();
    let report = agent.run(task.with_start_url(FORM).unwrap()).await;
    assert_eq!(report.pages.last().unwrap(), ELSEWHERE);
    assert_eq!(agent.browser().shown().typed, ["e10 Anna"]);
    let last = model.requests().pop().unwrap().message;
    let told = "- 1 further call was not carried out: go_back_to led to another page";
    assert!(last.contains(told), "{last}");
}
