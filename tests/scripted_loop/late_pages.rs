//! Pages that answer an action some time after it: the loop looks once more.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::json;
use tokio::time::Instant;
use webwise::{
    BrowserDriver, DecisionLoop, Result, Task,
    action::{Action, BrowserTool, Outcome, RawCall},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    chat::ChatResponse,
    page::{ElementRef, Node, Observation, Role, Scene, Tree},
    store::InMemory,
    testing::{ScriptedModel, call},
};

/// A menu that opens some time after the first action.
#[derive(Debug, Default)]
struct LateMenu {
    opens_after: Duration,
    came: Mutex<Option<Instant>>,
    executed: Arc<Mutex<Vec<String>>>,
    lease: webwise::browser::Lease,
}

#[async_trait]
impl BrowserDriver for LateMenu {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("late", [BrowserTool::Hover, BrowserTool::Click])
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.lease
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let came = *self.came.lock().unwrap();
        let mut page = Tree::builder();
        page.leaf(Node::new(Role::MenuItem, "File").with_ref(ElementRef::parse("e1")?));
        if came.is_some_and(|at| at.elapsed() >= self.opens_after) {
            page.leaf(Node::new(Role::MenuItem, "Open").with_ref(ElementRef::parse("e2")?));
        }
        Ok(Observation::new(
            "https://app.example/",
            "App",
            page.finish(),
        ))
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        self.came.lock().unwrap().get_or_insert_with(Instant::now);
        let line = Action::Browser(request.action.clone()).line();
        self.executed.lock().unwrap().push(line);
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

#[tokio::test(start_paused = true)]
async fn a_menu_that_opens_late_after_a_hover_stands_in_the_next_message() {
    let model = ScriptedModel::new([
        call("hover", json!({ "target": "e1" })),
        call(
            "finish",
            json!({ "answer": "it is open", "success": false }),
        ),
    ]);
    let agent = DecisionLoop::builder(
        LateMenu {
            opens_after: Duration::from_millis(250),
            ..LateMenu::default()
        },
        model.clone(),
        InMemory::default(),
    )
    .build()
    .unwrap();
    agent.run(Task::new("Open a file").unwrap()).await;
    let asked = model.requests();
    assert!(
        !asked[0].message.contains("e2 menuitem"),
        "{}",
        asked[0].message
    );
    assert!(
        asked[1].message.contains("e2 menuitem \"Open\""),
        "{}",
        asked[1].message
    );
}

#[tokio::test(start_paused = true)]
async fn the_target_of_the_next_call_may_come_some_seconds_after_the_call_before() {
    for (opens_after, clicks) in [(2_000, true), (20_000, false)] {
        let executed = Arc::new(Mutex::new(Vec::new()));
        let browser = LateMenu {
            opens_after: Duration::from_millis(opens_after),
            executed: Arc::clone(&executed),
            ..LateMenu::default()
        };
        let model = ScriptedModel::new([
            ChatResponse::with_calls([
                RawCall::new("hover", json!({ "target": "e1" })),
                RawCall::new("click", json!({ "target": "menuitem \"Open\"" })),
            ]),
            call("finish", json!({ "answer": "no", "success": false })),
        ]);
        let agent = DecisionLoop::builder(browser, model, InMemory::default())
            .build()
            .unwrap();
        agent.run(Task::new("Open a file").unwrap()).await;
        let found = executed
            .lock()
            .unwrap()
            .contains(&r#"click {"target":"e2"}"#.to_owned());
        assert_eq!(found, clicks, "after {opens_after} ms");
    }
}
