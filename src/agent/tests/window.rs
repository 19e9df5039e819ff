//! Requests that fit the window of the model.

use serde_json::json;

use crate::{
    DecisionLoop, Task,
    agent::Options,
    base::{
        TokenCount,
        tokens::{ContentType, estimate},
    },
    chat::{ChatRequest, LlmCapabilities},
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, call},
};

const URL: &str = "https://shop.example/";

/// The requests of a run that writes 30 long notes, to a model with this window.
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

/// The size of a request by its characters, at three a token: more than a tokenizer counts.
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
