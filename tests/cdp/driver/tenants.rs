//! Runs of several users at once: each has a browser of its own, and nothing of it is left.

use serde_json::json;
use webwise::{
    DecisionLoop, ErrorKind, Task,
    agent::{Cause, Context, Options},
    browser::{BrowserDriver as _, Cdp, Relaunching},
    chat::{ChatRequest, ChatResponse},
    store::InMemory,
    testing::{ScriptedModel, call},
    working::StopReason,
};

use rustix::process::{Pid, Signal, kill_process};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::driver::{
    bed::{folder, options},
    processes::{family, gone},
    profile::pick,
    web::{Answer, Web},
};

/// Shows who this browser belongs to, by its cookie and its storage, and takes a name.
const PAGE: &str = "<label>Name <input></label> <button>Log in</button> <p>?</p> <script>
    const show = () => document.querySelector('p').textContent =
        `cookie ${document.cookie || 'none'}, storage ${localStorage.who || 'nobody'}`;
    document.querySelector('button').onclick = () => {
        const name = document.querySelector('input').value;
        document.cookie = `who=${name}`; localStorage.who = name; show();
    };
    show();
</script>";

/// Logs in as the user of its goal if the browser knows nobody, and tells whom the browser knows.
fn decide(request: &ChatRequest) -> ChatResponse {
    let goal = request
        .system
        .rsplit("## Goal\n")
        .next()
        .unwrap_or_default();
    let user = goal.trim().trim_start_matches("Log in as ");
    let mine = format!("cookie who={user}, storage {user}");
    if !request.message.contains(&mine) && request.message.contains("cookie none, storage nobody") {
        log_in(user)
    } else {
        call("finish", json!({ "answer": user, "evidence": mine }))
    }
}

fn log_in(user: &str) -> ChatResponse {
    let fill = json!({ "target": "textbox \"Name\"", "text": user });
    let mut calls = call("fill", fill).calls;
    calls.extend(call("click", json!({ "target": "button \"Log in\"" })).calls);
    ChatResponse::with_calls(calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_with_fresh_browsers_share_nothing_and_leave_no_process() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let browser = Cdp::launch(&options(base.path())).await.unwrap();
    assert!(browser.capabilities().fresh);
    let before = family(base.path(), 0).len();
    let mut own = Options::default();
    own.context = Context::Fresh;
    own.memory = false;
    let model = ScriptedModel::deciding(|request| Ok(decide(request)));
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own.clone());
    let agent = agent.build().unwrap();
    let task = |user: usize| {
        let task = Task::new(format!("Log in as user{user}")).unwrap();
        task.with_start_url(&web.url("localhost", "/")).unwrap()
    };
    let count = pick(4, 20);
    let runs: Vec<_> = (0..count).map(|user| agent.spawn(task(user))).collect();
    for (user, run) in runs.into_iter().enumerate() {
        let report = run.report().await;
        assert_eq!(report.summary.stop, StopReason::Finished, "{report:?}");
        // It logged in itself, and read its own name alone.
        assert_eq!(report.answer, Some(format!("user{user}")));
        let acts = report.steps.iter().map(|step| step.action.tool_name());
        assert_eq!(
            acts.collect::<Vec<_>>(),
            ["goto", "fill", "click", "finish"]
        );
    }
    figure!("{count} runs at once in fresh browsers: 0 of them knew another");
    // A run that is given up leaves nothing either.
    let dropped = agent.spawn(task(0));
    let mut events = dropped.events();
    while let Some(event) = events.next().await {
        if event.kind.name() == "model_asked" {
            break;
        }
    }
    drop(dropped);
    while events.next().await.is_some() {}
    assert_eq!(family(base.path(), 0).len(), before);
    let known = family(base.path(), 0);
    agent.browser().close().await.unwrap();
    assert_eq!(gone(base.path(), &known).1, [].into());
}

/// Kills every second run's Chromium while the model thinks.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_chromium_costs_a_service_one_run() {
    let web = Web::start(|_| Answer::page(PAGE));
    let base = folder();
    let options = options(base.path());
    let launch = move || {
        let options = options.clone();
        async move { Cdp::launch(&options).await }
    };
    let browser = Relaunching::launch(launch).await.unwrap();
    let kills = Arc::new(AtomicBool::new(false));
    let (due, place) = (Arc::clone(&kills), base.path().to_owned());
    let model = ScriptedModel::deciding(move |request| {
        if due.swap(false, Ordering::Relaxed) {
            for (pid, _) in family(&place, 0) {
                let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                // A part of it may have ended with the others.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        // It always acts first, as a run that only looks does not miss its browser.
        Ok(if request.message.contains("click button") {
            call(
                "finish",
                json!({ "answer": "done", "evidence": "cookie who=ada, storage ada" }),
            )
        } else {
            log_in("ada")
        })
    });
    let mut own = Options::default();
    own.memory = false;
    let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_options(own);
    let agent = agent.build().unwrap();
    let task = || {
        let task = Task::new("Log in as ada").unwrap();
        task.with_start_url(&web.url("localhost", "/")).unwrap()
    };
    let count = pick(3, 100);
    for _ in 0..count {
        kills.store(true, Ordering::Relaxed);
        let killed = agent.run(task()).await;
        let lost = Some(Cause::Browser(ErrorKind::BrowserLost));
        assert_eq!(killed.cause, lost, "{killed:?}");
        let next = agent.run(task()).await;
        assert_eq!(next.summary.stop, StopReason::Finished, "{next:?}");
    }
    figure!(
        "{count} kills of Chromium under a service: {count} runs lost, {count} runs after them right"
    );
    let known = family(base.path(), 0);
    agent.browser().close().await.unwrap();
    assert_eq!(gone(base.path(), &known).1, [].into());
}
