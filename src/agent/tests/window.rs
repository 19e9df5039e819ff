//! Each request of a run fits into the model's context window, and all requests begin with the same text.

use serde_json::json;

use crate::{
    DecisionLoop, Task,
    action::ErrorClass,
    agent::Options,
    base::{
        TokenCount,
        tokens::{ContentType, estimate},
    },
    chat::{ChatRequest, LlmCapabilities},
    page::{Dialog, DialogKind},
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const URL: &str = "https://shop.example/";

/// Returns the requests of a run that writes 30 long notes, for a model with this window.
async fn requests(window: Option<u64>) -> Vec<ChatRequest> {
    let notes = (1..=30).map(|n| {
        let text = format!("note {n}: {}", "a boat on the water, ".repeat(30));
        call("note", json!({ "text": text }))
    });
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.context_window = window.map(TokenCount);
    let model = ScriptedModel::new(notes).with_capabilities(capabilities);
    let page = "heading \"Boats\"\nbutton \"Buy a kayak\" e1";
    let browser = ScriptedBrowser::new().with_page(URL, "Boats", page);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let agent = agent.with_options(Options::default()).build().unwrap();
    let task = Task::new("Buy a kayak")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    agent.run(task).await;
    model.requests()
}

/// Returns the estimated size of a request in tokens. The message counts three characters as one token, so a tokenizer
/// would count fewer tokens.
fn size(request: &ChatRequest) -> u64 {
    let tools = request.tools.declared().iter();
    let tools = tools.map(|tool| format!("{} {}", tool.description, tool.parameters));
    let text = format!("{}{}", request.system, tools.collect::<String>());
    let of = |text, kind| estimate(text, kind).0;
    of(&request.message, ContentType::Json) + of(&text, ContentType::Text)
}

#[tokio::test]
async fn a_request_fits_a_small_window_and_holds_the_goal_and_the_page_whole() {
    let window = 6_500;
    let all = requests(Some(window)).await;
    assert!(all.len() > 30, "{}", all.len());
    for request in &all {
        assert!(
            size(request) + request.max_output.0 <= window,
            "{}",
            size(request)
        );
        assert!(request.system.contains("Buy a kayak"));
        assert!(request.message.contains("e1 button \"Buy a kayak\""));
    }
    let last = &all.last().unwrap().message;
    assert!(
        last.contains("note 30: a boat") && !last.contains("note 12: a boat"),
        "{last}"
    );
    assert!(
        last.contains(" earlier lines)") && last.contains("30. note"),
        "{last}"
    );
}

#[tokio::test]
async fn without_a_known_window_nothing_of_it_is_cut() {
    let all = requests(None).await;
    let last = &all.last().unwrap().message;
    assert!(
        last.contains("note 12: a boat") && !last.contains("earlier"),
        "{last}"
    );
}

/// A provider's cache keeps the part of a request that is equal from the first byte.
#[tokio::test]
async fn rules_and_tools_are_the_same_in_every_request_of_a_run() {
    let other = "https://shop.example/boats";
    let browser = ScriptedBrowser::new()
        .with_page(URL, "Boats", "link \"Boats\" e1\nbutton \"Hire\" e2")
        .with_page(other, "All boats", "table\n  row \"Kayak 20\"")
        .on(
            URL,
            r#"click {"target":"e2"}"#,
            [ScriptedReply::Open(Dialog::new(
                DialogKind::Confirm,
                "Hire?",
            ))],
        )
        .on(
            URL,
            r#"click {"target":"e1"}"#,
            [
                ScriptedReply::Fail(ErrorClass::NotStable, "it moves"),
                ScriptedReply::Show(other),
            ],
        );
    let calls = [
        call("click", json!({ "target": "e1" })),
        call("click", json!({ "target": "e2" })),
        call("dialog_dismiss", json!({})),
        call("click", json!({ "target": "e1" })),
        call(
            "finish",
            json!({ "answer": "20", "evidence": "Kayak 20", "success": true }),
        ),
    ];
    let model = ScriptedModel::new(calls);
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let task = Task::new("What does a kayak cost?")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    agent.run(task).await;
    let requests = model.requests();
    assert_eq!((browser.executed().len(), requests.len()), (5, 5));
    for request in &requests {
        assert_eq!(request.system, requests[0].system);
        assert_eq!(request.tools.declared(), requests[0].tools.declared());
    }
}
