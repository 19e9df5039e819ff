//! The way of a run that succeeded, with a payload in every name of the page and in the model's answer: what the next runs read of
//! it, on the same host and on another.

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, SessionId, Task,
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

const GOAL: &str = "Order the goods and close the case";
pub(crate) const OTHER_GOAL: &str = "Order the boats and close the case";

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A shop in which everything has this name, and a task of three steps. In a harmless shop, the names tell what is what.
fn shop(host: &str, payload: Option<&str>) -> ScriptedBrowser {
    let name = |harmless: &str| Value::from(payload.unwrap_or(harmless)).to_string();
    let url = |path: &str| leaked(format!("https://{host}/{path}"));
    let content = |said: &str| {
        format!(
            "group {}\n  textbox {} e1\n  button {} e2\nlist {}\n  listitem\n    link {} e3\n  listitem\n    link {} e4\n\"{said}\"",
            name("Order"),
            name("Goods"),
            name("Send"),
            name("Cases"),
            name("Case one"),
            name("Case two"),
        )
    };
    let [home, filled, sent, done] = ["", "?filled", "?sent", "done"].map(url);
    let fill = json!({ "target": "e1", "text": "goods" });
    ScriptedBrowser::new()
        .with_page(home, "Shop", &content("Welcome"))
        .with_page(filled, "Shop", &content("Ready"))
        .with_page(sent, "Shop", &content("Sent"))
        .with_page(done, payload.unwrap_or("Done"), &content("All done"))
        .on(home, &format!("fill {fill}"), [Reply::Show(filled)])
        .on(filled, r#"click {"target":"e2"}"#, [Reply::Show(sent)])
        .on(sent, r#"click {"target":"e3"}"#, [Reply::Show(done)])
}

/// Does the task on a host and returns the messages that the model read.
pub(crate) fn run(
    memory: &InMemory,
    host: &str,
    payload: Option<&str>,
    goal: &str,
) -> Vec<(String, String)> {
    let click = |target: &str| call("click", json!({ "target": target }));
    let answer = payload.unwrap_or("All done");
    let replies: [ChatResponse; 4] = [
        call("fill", json!({ "target": "e1", "text": "goods" })),
        click("e2"),
        click("e3"),
        call(
            "finish",
            json!({ "answer": answer, "evidence": "All done" }),
        ),
    ];
    let model = ScriptedModel::new(replies);
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(shop(host, payload), model.clone(), memory.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .build()
        .unwrap();
    let task = Task::new(goal)
        .unwrap()
        .with_start_url(&format!("https://{host}/"))
        .unwrap()
        .with_session(SessionId::parse("orders").unwrap());
    let report = runtime().block_on(agent.run(task));
    assert!(report.summary.success, "{report:?}");
    let requests = model.requests().into_iter();
    requests.map(|r| (r.system, r.message)).collect()
}

#[test]
fn a_way_with_hostile_names_stays_in_its_fence_and_on_its_host() {
    let every = pick(QUICK_EVERY, 1);
    let (mut tried, mut offered) = (0, 0);
    for (n, payload) in payloads().iter().enumerate().step_by(every) {
        let token = scan::token(n);
        let payload_text = payload.with(&token);
        let says = |text: &str| scan::folded(text).contains(&token);
        let memory = InMemory::new();
        run(&memory, "bad.example", Some(&payload_text), GOAL);
        tried += 1;
        // The page that they belong to may say its names again, as data.
        for (system, message) in run(&memory, "bad.example", Some(&payload_text), OTHER_GOAL) {
            let reading =
                read(&message).unwrap_or_else(|why| panic!("{}: {why}\n{message}", payload.name));
            assert!(!says(&system), "{}: {system}", payload.name);
            assert!(!says(&reading.bare), "{}: {message}", payload.name);
            assert!(!says(&reading.outside), "{}: {message}", payload.name);
            offered += usize::from(message.contains("## Done here before"));
        }
        for (system, message) in run(&memory, "good.example", None, OTHER_GOAL) {
            let is_silent = !says(&system) && !says(&message);
            assert!(is_silent, "{}: {message}", payload.name);
        }
        // Of its site, another host is told the answer of the session, as data, and no way.
        for (system, message) in run(&memory, "sub.bad.example", None, OTHER_GOAL) {
            let reading =
                read(&message).unwrap_or_else(|why| panic!("{}: {why}\n{message}", payload.name));
            let is_data = !says(&system) && !says(&reading.bare) && !says(&reading.outside);
            assert!(is_data, "{}: {message}", payload.name);
            assert!(!message.contains("## Done here before"), "{message}");
        }
    }
    figure!(
        "poisoning ways: {tried} payloads as the names of a whole way, offered {offered} times, 0 outside the fence, 0 on another host"
    );
    assert!(offered >= tried, "{offered} of {tried} were offered");
}
