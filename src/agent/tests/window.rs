//! Each request of a run fits into the model's context window, and all requests begin with the same text.

use serde_json::json;

use crate::{
    DecisionLoop, RunId, Task,
    action::ErrorClass,
    agent::Options,
    base::{Error, ErrorKind, TokenCount, tokens::estimate},
    chat::{ChatRequest, ChatResponse, LlmCapabilities, Usage},
    event::EventKind,
    page::{Dialog, DialogKind},
    store::InMemory,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply, call},
};

const URL: &str = "https://shop.example/";

/// Returns the replies of a model that writes 30 long notes.
fn notes() -> impl Iterator<Item = ChatResponse> {
    (1..=30).map(|n| {
        let text = format!("note {n}: {}", "a boat on the water, ".repeat(30));
        call("note", json!({ "text": text }))
    })
}

/// Returns a model that writes 30 long notes. It reports the estimated tokens of each request times `hundredths / 100`.
fn counting(hundredths: u64) -> ScriptedModel {
    let mut waiting = notes();
    ScriptedModel::deciding(move |request| {
        let reply = waiting.next();
        let out_of_replies = || Error::new(ErrorKind::Unavailable, "out of replies");
        let mut reply = reply.ok_or_else(out_of_replies)?;
        reply.usage = Some(Usage {
            input: TokenCount(size(request) * hundredths / 100),
            ..Usage::default()
        });
        Ok(reply)
    })
}

/// Returns the requests of a run with this model. `window` is the size of the model's context window in tokens.
async fn requests(model: ScriptedModel, window: Option<u64>) -> Vec<ChatRequest> {
    told(model, window).await.0
}

/// Returns the requests of a run with this model, and each request's estimated size from its event. `window` is the
/// size of the model's context window. Unit of all sizes: tokens.
async fn told(model: ScriptedModel, window: Option<u64>) -> (Vec<ChatRequest>, Vec<u64>) {
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.context_window = window.map(TokenCount);
    let model = model.with_capabilities(capabilities);
    let page = "heading \"Boats\"\nbutton \"Buy a kayak\" e1";
    let browser = ScriptedBrowser::new().with_page(URL, "Boats", page);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    // The same numbers of the fences in every run, because their length is part of a message's size.
    let options = Options {
        seed: Some(7),
        ..Options::default()
    };
    let recorder = Recorder::new();
    let agent = agent.with_options(options).with_sink(recorder.clone());
    let agent = agent.build().unwrap();
    let task = Task::new("Buy a kayak")
        .unwrap()
        .with_start_url(URL)
        .unwrap();
    let task = task.with_run_id(RunId::parse("run_1").unwrap());
    agent.run(task).await;
    let events = recorder.events().into_iter();
    let estimated = events.filter_map(|event| match event.kind {
        EventKind::ModelAsked {
            estimated_tokens, ..
        } => Some(estimated_tokens.0),
        _ => None,
    });
    (model.requests(), estimated.collect())
}

fn size(request: &ChatRequest) -> u64 {
    let tools = request.tools.declared().iter();
    let tools = tools.map(|tool| format!("{} {}", tool.description, tool.parameters));
    let text = format!("{}{}", request.system, tools.collect::<String>());
    estimate(&request.message).0 + estimate(&text).0
}

#[tokio::test]
async fn a_request_fits_a_small_window_and_holds_the_goal_and_the_page_whole() {
    let window = 6_500;
    let all = requests(ScriptedModel::new(notes()), Some(window)).await;
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
    let all = requests(ScriptedModel::new(notes()), None).await;
    let last = &all.last().unwrap().message;
    assert!(
        last.contains("note 12: a boat") && !last.contains("earlier"),
        "{last}"
    );
}

#[tokio::test]
async fn a_model_that_counts_more_tokens_than_estimated_gets_less() {
    let window = 8_000;
    let (as_estimated, _) = told(counting(100), Some(window)).await;
    let (half_more, estimated) = told(counting(150), Some(window)).await;
    // The first request is sent before anything is known of the model.
    assert_eq!(size(&as_estimated[0]), size(&half_more[0]));
    let last = |all: &[ChatRequest]| all.last().map(size).unwrap();
    let reply = half_more[0].max_output.0;
    assert!(last(&as_estimated) + reply <= window);
    assert!(last(&as_estimated) + reply > window * 3 / 4);
    assert!(
        last(&half_more) * 3 / 2 + reply <= window,
        "{}",
        last(&half_more)
    );
    // The events give the corrected estimate.
    let first = size(&half_more[0]);
    assert!((first * 97 / 100..=first * 103 / 100).contains(&estimated[0]));
    let corrected = last(&half_more) * 3 / 2;
    let told = *estimated.last().unwrap();
    assert!(
        (corrected * 95 / 100..=corrected * 105 / 100).contains(&told),
        "{told}, not {corrected}"
    );
    let message = &half_more.last().unwrap().message;
    assert!(message.contains("e1 button \"Buy a kayak\""), "{message}");
}

/// Providers cache only a beginning that is equal, byte by byte, to the beginning of an earlier request.
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
