//! Facts and elements with a payload in every name of the page, and in what the model remembers: what the next runs read of
//! them, on the same host and on others.

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, Task,
    action::ErrorClass,
    agent::Options,
    chat::ChatResponse,
    guard::ApprovalMode,
    store::InMemory,
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::poisoning::{
    attempts::QUICK_EVERY, campaign::runtime, payloads::payloads, profile::pick, reading::read,
    scan,
};

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A shop with a banner in the way of its pages, in which everything has this name.
fn shop(host: &str, payload: Option<&str>) -> ScriptedBrowser {
    let name = |harmless: &str| Value::from(payload.unwrap_or(harmless)).to_string();
    let url = |path: &str| leaked(format!("https://{host}/{path}"));
    let goods = format!("link {} e1 [testid=goods]\n\"All done\"", name("Goods"));
    let covered = format!(
        "group\n  button {} e2 [testid=banner]\n{goods}",
        name("Accept")
    );
    let [home, open, other, done] = ["", "?open", "other", "done"].map(url);
    let banner = format!(
        "button {} e2 [testid=banner]\n\"Elsewhere\"",
        name("Accept")
    );
    ScriptedBrowser::new()
        .with_page(home, "Shop", &covered)
        .with_page(open, "Shop", &goods)
        .with_page(other, "Other", &banner)
        .with_page(done, "Done", "\"All done\"")
        .on(
            home,
            r#"click {"target":"e1"}"#,
            [Reply::Fail(ErrorClass::Intercepted, "covered")],
        )
        .on(home, r#"click {"target":"e2"}"#, [Reply::Show(open)])
        .on(open, r#"click {"target":"e1"}"#, [Reply::Show(done)])
}

/// Runs these replies from a page of a host and returns the messages that the model read.
fn run(
    memory: &InMemory,
    start: &str,
    browser: ScriptedBrowser,
    replies: Vec<ChatResponse>,
) -> Vec<(String, String)> {
    let model = ScriptedModel::new(replies);
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(browser, model.clone(), memory.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .build()
        .unwrap();
    let task = Task::new("Order").unwrap().with_start_url(start).unwrap();
    let report = runtime().block_on(agent.run(task));
    assert!(report.summary.success, "{report:?}");
    let requests = model.requests().into_iter();
    requests.map(|r| (r.system, r.message)).collect()
}

fn click(target: &str) -> ChatResponse {
    call("click", json!({ "target": target }))
}

fn finish(evidence: &str) -> ChatResponse {
    call("finish", json!({ "answer": "done", "evidence": evidence }))
}

#[test]
fn facts_and_elements_with_hostile_names_stay_in_the_fence_and_on_their_host() {
    let every = pick(QUICK_EVERY, 1);
    let (mut tried, mut facts, mut proposals) = (0, 0, 0);
    for (n, payload) in payloads().iter().enumerate().step_by(every) {
        let token = scan::token(n);
        let words = payload.with(&token);
        let says = |text: &str| scan::folded(text).contains(&token);
        let memory = InMemory::new();
        tried += 1;
        for _ in 0..2 {
            let remember = call("remember", json!({ "key": words, "value": words }));
            let replies = vec![
                click("e1"),
                click("e2"),
                click("e1"),
                remember,
                finish("All done"),
            ];
            let hostile = shop("bad.example", Some(&words));
            run(&memory, "https://bad.example/", hostile, replies);
        }
        let hostile = shop("bad.example", Some(&words));
        let elsewhere = vec![finish("Elsewhere")];
        for (system, message) in run(&memory, "https://bad.example/other", hostile, elsewhere) {
            let reading =
                read(&message).unwrap_or_else(|why| panic!("{}: {why}\n{message}", payload.name));
            assert!(!says(&system), "{}: {system}", payload.name);
            assert!(!says(&reading.bare), "{}: {message}", payload.name);
            assert!(!says(&reading.outside), "{}: {message}", payload.name);
            facts += usize::from(reading.outside.contains("is on top of other elements"));
            proposals += usize::from(reading.memory.iter().any(|line| says(line)));
        }
        for host in ["good.example", "sub.bad.example"] {
            let start = format!("https://{host}/other");
            let replies = vec![finish("Elsewhere")];
            for (system, message) in run(&memory, &start, shop(host, None), replies) {
                assert!(
                    !says(&system) && !says(&message),
                    "{} on {host}: {message}",
                    payload.name
                );
            }
        }
    }
    figure!(
        "poisoning facts: {tried} payloads as names and as proposals, {facts} facts and {proposals} proposals shown, 0 outside the fence, 0 on \
         another host"
    );
    assert!(
        facts > 0 && proposals > 0,
        "{facts} and {proposals} of {tried}"
    );
}
