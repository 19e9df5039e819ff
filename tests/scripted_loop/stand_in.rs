//! The whole loop with the stand-in model: called directly, and over HTTP through the `genai` adapter in both modes.

use crate::stand_in_server;

use webwise::{
    DecisionLoop, LlmClient, Task,
    agent::{Options, RunReport},
    chat::CallMode,
    llm::{GenAi, GenAiOptions, Provider, Retrying},
    stand_in::StandIn,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedReply as Reply},
};

const DESK: &str = "https://library.example/";
/// The same desk with the words in its field: a scripted page changes only by being another one.
const TYPED: &str = "https://library.example/#typed";
const FOUND: &str = "https://library.example/found";
const BOOK: &str = "https://library.example/book";

fn library() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(DESK, "City Library", "search\n  searchbox \"Search the catalogue\" e2\n  button \"Search\" e3")
        .with_page(
            TYPED,
            "City Library",
            "search\n  searchbox \"Search the catalogue\" e2 = engine\n  button \"Search\" e3",
        )
        .with_page(
            FOUND,
            "2 books",
            "link \"Notes on the Engine, annotated\" e7 -> /b1\nlink \"Notes on the Engine\" e8 -> /b2",
        )
        .with_page(
            BOOK,
            "Notes on the Engine",
            "main\n  heading \"Notes on the Engine\" e1\n  \"Shelf number: Q-117. Two copies.\"",
        )
        .on(DESK, r#"fill {"target":"e2","text":"engine"}"#, [Reply::Show(TYPED)])
        .on(TYPED, r#"click {"target":"e3"}"#, [Reply::Show(FOUND)])
        .on(TYPED, r#"press {"key":"Enter"}"#, [Reply::Show(FOUND)])
        .on(FOUND, r#"click {"target":"e8"}"#, [Reply::Show(BOOK)])
}

async fn run(model: impl LlmClient) -> (RunReport, Vec<String>) {
    let browser = library();
    let mut options = Options::default();
    options.seed = Some(7);
    let agent = DecisionLoop::builder(browser.clone(), model, InMemory::new())
        .with_options(options)
        .build()
        .unwrap();
    let goal = "Search for \"engine\", open \"Notes on the Engine\" and report the shelf number.";
    let report = agent
        .run(Task::new(goal).unwrap().with_start_url(DESK).unwrap())
        .await;
    (report, browser.executed())
}

async fn served(mode: CallMode) -> (RunReport, Vec<String>) {
    let server = stand_in_server::start().await;
    let mut options = GenAiOptions::new(Provider::OpenAiCompatible, "stand-in");
    options.base_url = Some(format!("{}/v1", server.uri()).parse().unwrap());
    options.mode = mode;
    run(Retrying::new(GenAi::new(options).unwrap(), 1)).await
}

#[tokio::test]
async fn a_task_is_done_on_evidence_by_the_stand_in_itself() {
    let (report, executed) = run(StandIn::new()).await;
    assert!(report.is_success(), "{report:?} {executed:?}");
    assert_eq!(report.answer.as_deref(), Some("shelf number: Q-117"));
    assert!(report.summary.estimated, "the stand-in reports no usage");
}

#[tokio::test]
async fn over_http_it_decides_the_same_in_both_modes() {
    let (direct, executed) = run(StandIn::new()).await;
    for mode in [CallMode::Tools, CallMode::JsonSchema] {
        let (report, over_http) = served(mode).await;
        assert_eq!(
            (report.answer, over_http),
            (direct.answer.clone(), executed.clone()),
            "{mode:?}"
        );
    }
}
