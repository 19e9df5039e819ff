//! An intent is recorded before its action, and an irreversible action is refused if it cannot be
//! recorded.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use serde_json::json;

use crate::{
    DecisionLoop, Error, ErrorKind, Result, Task,
    action::{Effect, ErrorClass},
    event::{EventKind, Intent, Journal},
    guard::ApprovalMode,
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const URL: &str = "https://shop.example/";
const SHOP: &str = "textbox \"Note\" e1\nbutton \"Place order\" e2\nbutton \"More\" e3";

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new().with_page(URL, "Shop", SHOP).on(
        URL,
        r#"click {"target":"e2"}"#,
        [ScriptedReply::Fail(ErrorClass::Intercepted, "")],
    )
}

fn shopping() -> ScriptedModel {
    ScriptedModel::new([
        call("fill", json!({ "target": "e1", "text": "two" })),
        call("hover", json!({ "target": "e3" })),
        call("fill", json!({ "target": "e1", "text": "three" })),
        call("click", json!({ "target": "e2" })),
        call("finish", json!({ "answer": "no", "success": false })),
    ])
}

fn task() -> Task {
    Task::new("Order").unwrap().with_start_url(URL).unwrap()
}

/// A journal that adds each intent to `told`. The call then succeeds, fails or hangs, as `end` says.
#[derive(Debug, Clone, Default)]
struct Notes {
    told: Arc<Mutex<Vec<Intent>>>,
    end: End,
}

#[derive(Debug, Clone, Copy, Default)]
enum End {
    #[default]
    Kept,
    Fails,
    Hangs,
}

#[async_trait]
impl Journal for Notes {
    async fn intent(&self, intent: &Intent) -> Result<()> {
        self.told.lock().unwrap().push(intent.clone());
        match self.end {
            End::Kept => Ok(()),
            End::Fails => Err(Error::new(ErrorKind::Io, "notes.full")),
            End::Hangs => std::future::pending().await,
        }
    }
}

impl Notes {
    fn lines(&self) -> Vec<(String, Effect)> {
        let told = self.told.lock().unwrap();
        told.iter()
            .map(|intent| (intent.action.line(), intent.effect))
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn every_action_but_a_read_is_told_with_its_effect() {
    let notes = Notes::default();
    let agent = DecisionLoop::builder(shop(), shopping(), InMemory::new())
        .with_approval(ApprovalMode::Auto)
        .with_journal(notes.clone())
        .build()
        .unwrap();
    let report = agent.run(task()).await;
    assert_eq!(report.recording, None);
    let line = |text: &str, effect| (text.to_owned(), effect);
    assert_eq!(
        notes.lines(),
        [
            line(
                r#"goto {"url":"https://shop.example/"}"#,
                Effect::Reversible
            ),
            line(r#"fill {"target":"e1","text":"two"}"#, Effect::Reversible),
            line(r#"fill {"target":"e1","text":"three"}"#, Effect::Reversible),
            line(r#"click {"target":"e2"}"#, Effect::Irreversible),
        ]
    );
    let told = notes.told.lock().unwrap();
    assert_eq!((told[3].step, told[3].url.as_str()), (5, URL));
    assert_eq!(told[3].targets[0].name, "Place order");
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_fails_or_hangs_stops_only_what_cannot_be_undone() {
    for end in [End::Fails, End::Hangs] {
        let notes = Notes {
            end,
            ..Notes::default()
        };
        let (browser, model, recorder) = (shop(), shopping(), Recorder::new());
        let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new())
            .with_approval(ApprovalMode::Auto)
            .with_journal(notes.clone())
            .with_sink(recorder.clone())
            .build()
            .unwrap();
        let began = tokio::time::Instant::now();
        let report = agent.run(task()).await;
        let executed = browser.executed();
        assert!(
            executed.iter().all(|line| !line.starts_with("click"))
                && executed.iter().any(|line| line.starts_with("fill")),
            "{end:?}: {executed:?}"
        );
        assert_eq!(notes.lines().len(), 4, "{end:?}: each was tried");
        // The clock advances only with waits.
        let least = if matches!(end, End::Hangs) { 4 * 2 } else { 0 };
        assert!(began.elapsed() >= Duration::from_secs(least), "{end:?}");
        let events = recorder.events();
        let failures = events
            .iter()
            .filter(|event| matches!(event.kind, EventKind::RecordingFailed { .. }));
        assert_eq!(failures.count(), 1, "{end:?}: told once");
        let refused = events.iter().filter_map(|event| match &event.kind {
            EventKind::ActionExecuted { outcome, .. } => outcome.class(),
            _ => None,
        });
        assert!(
            refused.eq([ErrorClass::NotRecorded]),
            "{end:?}: the order alone was refused"
        );
        let last = &model.requests().pop().unwrap().message;
        assert!(
            last.contains(ErrorClass::NotRecorded.sentence()),
            "{end:?}: the model reads why: {last}"
        );
        assert!(report.recording.is_some(), "{end:?}: {report:?}");
    }
}

#[cfg(feature = "jsonl")]
mod on_disk {
    use std::path::PathBuf;

    use super::*;
    use crate::{
        BrowserDriver, RunId,
        action::Action,
        agent::Options,
        browser::{
            BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
            ScreenshotRequest,
        },
        event::{FanOut, RunFolder},
        page::{Observation, Scene},
    };

    /// A browser that reads the journal's file before it acts.
    #[derive(Debug, Clone)]
    struct Reader {
        inner: ScriptedBrowser,
        file: PathBuf,
        found: Arc<Mutex<Vec<bool>>>,
        /// True if the first action makes the journal's file unwritable.
        breaks: bool,
    }

    #[async_trait]
    impl BrowserDriver for Reader {
        fn capabilities(&self) -> BrowserCapabilities {
            self.inner.capabilities()
        }

        fn lease(&self) -> &crate::browser::Lease {
            self.inner.lease()
        }

        async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
            self.inner.observe(request).await
        }

        async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
            let action = Action::Browser(request.action.clone());
            let text = std::fs::read_to_string(&self.file).unwrap_or_default();
            let last = text.lines().last().unwrap_or_default();
            let intent: Option<Intent> = serde_json::from_str(last).ok();
            let is_there = intent.is_some_and(|intent| intent.action == action);
            if action.line() != r#"hover {"target":"e3"}"# {
                self.found.lock().unwrap().push(is_there);
            }
            if self.breaks && action.tool_name() == "goto" {
                std::fs::remove_file(&self.file).unwrap();
                std::fs::create_dir(&self.file).unwrap();
            }
            self.inner.execute(request).await
        }

        async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
            self.inner.screenshot(request).await
        }

        async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
            self.inner.scene(request).await
        }

        async fn close(&self) -> Result<()> {
            self.inner.close().await
        }
    }

    /// Runs the loop with a run folder as its journal, and with a browser that looks for each intent in the journal's
    /// file. Returns the lines of the executed actions, whether each intent was found, and the events.
    ///
    /// Do not pause the clock in a test that calls this function, because the wait for the writing thread would end at
    /// once.
    async fn recorded(breaks: bool) -> (Vec<String>, Vec<bool>, Recorder) {
        let folder = tempfile::tempdir().unwrap();
        let (runs, recorder) = (
            Arc::new(RunFolder::new(folder.path()).unwrap()),
            Recorder::new(),
        );
        let run = RunId::parse("run_1").unwrap();
        let browser = Reader {
            inner: shop(),
            file: runs.path_of(&run).join("intents.jsonl"),
            found: Arc::default(),
            breaks,
        };
        let options = Options {
            approval: ApprovalMode::Auto,
            // This holds however busy the machine is.
            journal_timeout: Duration::from_mins(1),
            ..Options::default()
        };
        let sinks = FanOut::new()
            .with(runs.clone())
            .with(Arc::new(recorder.clone()));
        let agent = DecisionLoop::builder(browser.clone(), shopping(), InMemory::new())
            .with_options(options)
            .with_sink(sinks)
            .with_journal(Arc::clone(&runs))
            .build()
            .unwrap();
        agent.run(task().with_run_id(run)).await;
        runs.close().unwrap();
        let found = browser.found.lock().unwrap().clone();
        (browser.inner.executed(), found, recorder)
    }

    #[tokio::test]
    async fn an_intent_is_on_disk_before_the_browser_is_called() {
        let (executed, found, _) = recorded(false).await;
        assert_eq!(found, [true; 4]);
        assert!(executed.iter().any(|line| line.starts_with("click")));
    }

    #[tokio::test]
    async fn an_irreversible_action_whose_intent_the_disk_refuses_is_not_carried_out() {
        let (executed, found, recorder) = recorded(true).await;
        // The page, and the two fields that can be filled again.
        assert_eq!(found, [true, false, false]);
        assert!(
            executed.iter().all(|line| !line.starts_with("click")),
            "{executed:?}"
        );
        let refused = recorder
            .events()
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::ActionExecuted { outcome, .. } => outcome.class(),
                _ => None,
            });
        assert!(refused.eq([ErrorClass::NotRecorded]));
    }
}
