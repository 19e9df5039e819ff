//! Pages that answer an action some time after it: the loop looks once more.

use std::{sync::Mutex, time::Duration};

use async_trait::async_trait;
use serde_json::json;
use tokio::time::Instant;
use webwise::{
    BrowserDriver, DecisionLoop, Result, Task,
    action::{BrowserTool, Outcome},
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    page::{ElementRef, Node, Observation, Role, Scene, Tree},
    store::InMemory,
    testing::{ScriptedModel, call},
};

/// A menu that opens 250 ms after the pointer came to it.
#[derive(Debug, Default)]
struct LateMenu(Mutex<Option<Instant>>, webwise::browser::Lease);

#[async_trait]
impl BrowserDriver for LateMenu {
    fn capabilities(&self) -> BrowserCapabilities {
        BrowserCapabilities::new("late", [BrowserTool::Hover])
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.1
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let came = *self.0.lock().unwrap();
        let mut page = Tree::builder();
        page.leaf(Node::new(Role::MenuItem, "File").with_ref(ElementRef::parse("e1")?));
        if came.is_some_and(|at| at.elapsed() >= Duration::from_millis(250)) {
            page.leaf(Node::new(Role::MenuItem, "Open").with_ref(ElementRef::parse("e2")?));
        }
        Ok(Observation::new(
            "https://app.example/",
            "App",
            page.finish(),
        ))
    }

    async fn execute(&self, _: &ExecuteRequest) -> Result<Execution> {
        *self.0.lock().unwrap() = Some(Instant::now());
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
    let agent = DecisionLoop::builder(LateMenu::default(), model.clone(), InMemory::default())
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
