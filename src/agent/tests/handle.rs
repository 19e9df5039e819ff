//! Runs that go on by themselves, and their handles.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use serde_json::json;

use crate::{
    BrowserDriver as _, DecisionLoop, SessionId, Task,
    agent::{Cancel, Context, Options, RunHandle, StepEnd, WhenBusy},
    browser::ExecuteRequest,
    chat::{ChatRequest, ChatResponse},
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply, call},
    working::StopReason,
};

const URL: &str = "https://shop.example/";
const DONE: &str = "https://shop.example/blue";

type Agent = DecisionLoop<ScriptedBrowser, ScriptedModel, InMemory>;

fn task() -> Task {
    Task::new("Open a mug")
        .unwrap()
        .with_start_url(URL)
        .unwrap()
}

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(URL, "Mugs", "link \"Red\" e1\nlink \"Blue\" e2")
        .with_page(DONE, "Blue", "heading \"The blue mug\"")
        .on(URL, r#"click {"target":"e2"}"#, [ScriptedReply::Show(DONE)])
}

fn click(target: &str) -> ChatResponse {
    call("click", json!({ "target": target }))
}

fn gone() -> Cancel {
    let cancel = Cancel::new();
    cancel.cancel();
    cancel
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "The blue mug", "evidence": "The blue mug" }),
    )
}

/// An agent whose model first does `meanwhile` to the handle of its run, and clicks on the red mug. It clicks on the blue one if it
/// is told to, or asked again.
fn agent(meanwhile: fn(&RunHandle), options: Options) -> (Agent, Arc<OnceLock<RunHandle>>) {
    let handle: Arc<OnceLock<RunHandle>> = Arc::default();
    let own = Arc::clone(&handle);
    let mut count = 0;
    let model = ScriptedModel::deciding(move |_: &ChatRequest| {
        count += 1;
        let calls = match count {
            1 => {
                own.get().map(meanwhile);
                click("e1")
            }
            2 => click("e2"),
            _ => finish(),
        };
        Ok(calls)
    });
    let is_fresh = options.context == Context::Fresh;
    let browser = if is_fresh {
        shop().with_fresh()
    } else {
        shop()
    };
    let agent = DecisionLoop::builder(browser, model, InMemory::new());
    (agent.with_options(options).build().unwrap(), handle)
}

#[tokio::test(start_paused = true)]
async fn an_instruction_drops_the_calls_decided_without_it_and_stands_in_all_later_messages() {
    let (agent, handle) = agent(
        |run| run.instruct("the blue\none").unwrap(),
        Options::default(),
    );
    let (model, browser) = (agent.model().clone(), agent.browser().clone());
    handle.set(agent.spawn(task())).unwrap();
    let mut events = handle.get().unwrap().events();
    // Before the run has begun, the start page is opened nevertheless.
    handle.get().unwrap().instruct("Look at the mugs").unwrap();
    assert!(handle.get().unwrap().instruct(" ").is_err());
    assert!(handle.get().unwrap().instruct("x".repeat(8_000)).is_err());
    let mut names = Vec::new();
    while let Some(event) = events.next().await {
        names.push(event.kind.name());
    }
    assert_eq!(
        names.iter().filter(|name| **name == "instructed").count(),
        2
    );
    assert_eq!(
        [names[0], names[names.len() - 1]],
        ["run_started", "run_ended"]
    );
    // A subscriber that comes late gets the same events.
    let mut late = handle.get().unwrap().events();
    for name in &names {
        assert_eq!(late.next().await.unwrap().kind.name(), *name);
    }
    assert_eq!(late.next().await.map(|event| event.step), None);
    let executed = browser.executed();
    assert!(
        !executed.contains(&r#"click {"target":"e1"}"#.to_owned()),
        "{executed:?}"
    );
    for request in &model.requests()[1..] {
        let (_, outside) = request.message.rsplit_once(">>>").unwrap();
        assert!(
            outside.contains("## The user added to the goal\n- Look at the mugs\n- the blue one\n"),
            "{outside}"
        );
    }
    assert!(
        model.requests()[1]
            .message
            .contains("the user gave an instruction")
    );
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_does_nothing_until_it_is_resumed_and_can_be_cancelled() {
    for cancelled in [false, true] {
        let (agent, handle) = agent(RunHandle::pause, Options::default());
        let browser = agent.browser().clone();
        handle.set(agent.spawn(task())).unwrap();
        let run = handle.get().unwrap();
        tokio::time::sleep(Duration::from_hours(1)).await;
        assert_eq!(browser.executed().len(), 1, "{:?}", browser.executed());
        if cancelled {
            run.cancel();
        } else {
            run.resume();
        }
        while !run.is_finished() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        assert_eq!(browser.executed().len(), if cancelled { 1 } else { 3 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_ends_its_run_and_frees_the_browser() {
    let (agent, _) = agent(|_| {}, Options::default());
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(
        agent.browser().clone(),
        agent.model().clone(),
        InMemory::new(),
    )
    .with_sink(recorder.clone())
    .build()
    .unwrap();
    drop(agent.spawn(task()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(recorder.names().last(), Some(&"run_ended"));
    assert_eq!(agent.run(task()).await.summary.stop, StopReason::Finished);
}

#[tokio::test(start_paused = true)]
async fn runs_in_one_browser_take_turns_or_end_as_the_caller_chooses() {
    for (when_busy, wanted) in [
        (WhenBusy::Stop, StopReason::Busy),
        (WhenBusy::Wait, StopReason::Finished),
    ] {
        let options = Options {
            when_busy,
            ..Options::default()
        };
        let model = || {
            let replies = [click("e2"), finish(), click("e2"), finish()];
            ScriptedModel::new(replies)
        };
        let agent = DecisionLoop::builder(shop(), model(), InMemory::new());
        let agent = agent.with_options(options).build().unwrap();
        let runs = [agent.spawn(task()), agent.clone().spawn(task())];
        assert_ne!(runs[0].id(), runs[1].id());
        let [first, second] = runs;
        first.pause();
        tokio::time::sleep(Duration::from_secs(1)).await;
        first.resume();
        assert_eq!(first.report().await.summary.stop, StopReason::Finished);
        assert_eq!(second.report().await.summary.stop, wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn clones_of_a_handle_share_the_run_and_its_report_and_a_panic_is_reported() {
    let (agent, handle) = agent(|_| {}, Options::default());
    handle.set(agent.spawn(task())).unwrap();
    let other = handle.get().unwrap().clone();
    let (one, two) = tokio::join!(other.report(), handle.get().unwrap().report());
    assert_eq!(one, two);
    assert_eq!(one.summary.stop, StopReason::Finished);
    let model = ScriptedModel::deciding(|_| panic!("a bug of the program"));
    let agent = DecisionLoop::builder(shop(), model, InMemory::new());
    let run = agent.build().unwrap().spawn(task());
    assert!(run.report().await.error.unwrap().contains("panicked"));
    let mut events = run.events();
    while events.next().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn a_fresh_context_is_a_browser_of_its_own_and_needs_a_driver_that_has_one() {
    let options = Options {
        context: Context::Fresh,
        ..Options::default()
    };
    let (agent, _) = agent(|_| {}, options.clone());
    assert!(agent.run(task()).await.is_success());
    assert_eq!(agent.browser().executed(), [""; 0]);
    let mut plain = crate::testing::MockBrowserDriver::new();
    let none = crate::browser::BrowserCapabilities::new("plain", []);
    plain.expect_capabilities().return_const(none);
    let plain = DecisionLoop::builder(plain, agent.model().clone(), InMemory::new());
    let error = plain.with_options(options).build().unwrap_err();
    assert!(error.to_string().contains("context"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_conversation_finds_its_own_page_again_until_ten_others_came_after_it() {
    let model = ScriptedModel::deciding(|request| {
        let place = if request.message.contains("Mugs") {
            "shop"
        } else {
            "nowhere"
        };
        let arguments = json!({ "answer": place, "evidence": "Mugs", "success": false });
        Ok(call("finish", arguments))
    });
    let browser = shop().with_fresh();
    let agent = DecisionLoop::builder(browser.clone(), model, InMemory::new());
    let agent = agent.build().unwrap();
    let run = async |session: usize, task: Task| {
        let session = SessionId::parse(format!("s{session}")).unwrap();
        agent.run(task.with_session(session)).await.answer.unwrap()
    };
    let again = || Task::new("Where are we?").unwrap();
    assert_eq!(run(0, again()).await, "nowhere");
    for session in 0..10 {
        assert_eq!(run(session, task()).await, "shop");
    }
    assert_eq!(run(0, again()).await, "shop");
    // The eleventh conversation takes the place of the one that was idle longest.
    assert_eq!(run(10, task()).await, "shop");
    assert_eq!(run(0, again()).await, "shop");
    assert_eq!(run(1, again()).await, "nowhere");
    assert_eq!(browser.executed(), [""; 0]);
    // A run that was cancelled before it began takes nothing from its conversation.
    let cancelled = Cancel::new();
    cancelled.cancel();
    let session = SessionId::parse("s0").unwrap();
    agent
        .run(again().with_session(session).with_cancel(cancelled))
        .await;
    assert_eq!(run(0, again()).await, "shop");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_resumed_in_a_browser_of_its_own_opens_its_page_again() {
    let model = ScriptedModel::new([click("e2"), finish()]);
    let agent = DecisionLoop::builder(shop().with_fresh(), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let mut run = agent.start(task()).await;
    run.step().await;
    let state = run.state().unwrap();
    drop(run);
    let mut run = agent.resume(task(), state).await.unwrap();
    while run.step().await == StepEnd::Continue {}
    assert!(run.finish().await.is_success());
    // A run that was over is over.
    let mut run = agent.start(task().with_cancel(gone())).await;
    assert_eq!(run.step().await, StepEnd::Stopped(StopReason::Cancelled));
    let mut run = agent.resume(task(), run.state().unwrap()).await.unwrap();
    assert_eq!(run.step().await, StepEnd::Stopped(StopReason::Cancelled));
    let told = model.requests();
    assert!(told[0].message.contains("was opened again"), "{told:?}");
    assert!(told[1].message.contains("The blue mug"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_person_does_during_a_pause_is_seen_before_the_run_goes_on() {
    let (agent, handle) = agent(RunHandle::pause, Options::default());
    let browser = agent.browser().clone();
    handle.set(agent.spawn(task())).unwrap();
    let run = handle.get().unwrap();
    tokio::time::sleep(Duration::from_mins(1)).await;
    let click = json!({ "tool": "click", "arguments": { "target": "e2" } });
    let click = ExecuteRequest::new(serde_json::from_value(click).unwrap());
    assert!(browser.execute(&click).await.unwrap().outcome.is_done());
    run.resume();
    run.report().await;
    // The model had chosen the red mug of the page before.
    let acts = browser.executed();
    assert!(
        !acts.contains(&r#"click {"target":"e1"}"#.to_owned()),
        "{acts:?}"
    );
}
