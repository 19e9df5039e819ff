//! Two runs on different machines, as far as memory is concerned: what the first one learns from a failure, the second one reads.

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    action::ErrorClass,
    chat::ChatResponse,
    store::Postgres,
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::store_postgres::server::{Server, new_schema};

const SHOP: &str = "https://shop.example/";
const CLEAR: &str = "https://shop.example/#clear";
const FOUND: &str = "https://shop.example/found";

/// A shop whose button lies under a banner that Escape closes.
fn shop() -> ScriptedBrowser {
    let page = "heading \"Welcome\" e1\nbutton \"Go\" e3";
    let covered = Reply::Fail(
        ErrorClass::Intercepted,
        "<div id=\"banner\"> intercepts pointer events",
    );
    ScriptedBrowser::new()
        .with_page(SHOP, "Shop", page)
        .with_page(CLEAR, "Shop", page)
        .with_page(FOUND, "Found", "heading \"2 teapots\" e5")
        .on(SHOP, r#"click {"target":"e3"}"#, [covered])
        .on(SHOP, r#"press {"key":"Escape"}"#, [Reply::Show(CLEAR)])
        .on(CLEAR, r#"click {"target":"e3"}"#, [Reply::Show(FOUND)])
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "2 teapots", "evidence": "2 teapots" }),
    )
}

/// Runs the task and returns what the model was sent.
async fn run(store: &Postgres, replies: Vec<ChatResponse>) -> Vec<String> {
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(shop(), model.clone(), store.clone())
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .build()
        .unwrap();
    let task = Task::new("Find teapots")
        .unwrap()
        .with_start_url(SHOP)
        .unwrap();
    let report = agent.run(task).await;
    assert!(report.summary.success, "{report:?}");
    model
        .requests()
        .into_iter()
        .map(|request| request.message)
        .collect()
}

#[tokio::test]
async fn what_one_run_learns_the_next_one_reads_over_another_connection() {
    let (server, schema) = (Server::shared(), new_schema());
    let click = || call("click", json!({ "target": "e3" }));
    let escape = || call("press", json!({ "key": "Escape" }));
    let failed = [click(), escape(), click(), finish()];
    let first = run(&server.open(&schema).await, failed.into()).await;
    let heeded = [escape(), click(), finish()];
    let second = run(&server.open(&schema).await, heeded.into()).await;
    let tip = "- click on e3 fails because another element covers the target: press Escape first.";
    let way = r#"1. press "Escape""#;
    for told in [tip, way] {
        assert!(
            !first.iter().any(|message| message.contains(told)),
            "{first:#?}"
        );
        assert!(second[0].contains(told), "{}", second[0]);
    }
    let failures = |messages: &[String]| {
        let last = messages.last().unwrap();
        last.matches("-> failed").count()
    };
    let (first, second) = (failures(&first), failures(&second));
    figure!(
        "store_postgres: {first} failed action in run 1, {second} in run 2, which reads the store from another connection"
    );
    assert_eq!((first, second), (1, 0));
}
