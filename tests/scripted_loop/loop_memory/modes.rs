//! What a message keeps in each mode of a run, and how the last steps choose the mode.

use std::fmt::Write as _;

use serde_json::json;
use webwise::{
    DecisionLoop, RunId, Task,
    agent::{Options, StepEnd},
    base::{TokenCount, tokens::estimate},
    chat::{ChatResponse, LlmCapabilities},
    prompt::Mode,
    store::InMemory,
    testing::{ScriptedBrowser, ScriptedModel, call},
};

const HOME: &str = "https://shop.example/";

/// A page with this many lines about boats, and with these other ones. If they are many, the words of the goal are rare on the page.
fn harbour(boats: usize, trees: usize) -> ScriptedBrowser {
    let mut page = String::new();
    for n in 1..=boats {
        let _ = writeln!(
            page,
            "paragraph\n  \"Boat {n} costs {} euros and was built in Bonn\"",
            n * 970
        );
    }
    for n in 1..=trees {
        let _ = writeln!(page, "paragraph\n  \"Tree {n}\"");
    }
    ScriptedBrowser::new().with_page(HOME, "Harbour", &page)
}

fn extract(n: usize) -> ChatResponse {
    call("extract", json!({ "name": format!("harbour {n}") }))
}

fn read(n: usize) -> ChatResponse {
    call("read", json!({ "line": 1 + n * 5, "lines": 5 }))
}

fn note(n: usize) -> ChatResponse {
    call(
        "note",
        json!({ "text": format!("the boats of row {n} were looked at") }),
    )
}

/// The last message of a run of these replies in this mode.
async fn last(
    browser: ScriptedBrowser,
    mode: Mode,
    window: Option<u64>,
    replies: &[ChatResponse],
) -> String {
    let mut capabilities = LlmCapabilities::new("scripted");
    capabilities.context_window = window.map(TokenCount);
    let ends = call("finish", json!({ "answer": "no", "success": false }));
    let replies = replies.iter().cloned().chain([ends]);
    let model = ScriptedModel::new(replies).with_capabilities(capabilities);
    let mut options = Options::default();
    options.mode = mode;
    // The numbers of the fences are the same in every run, because messages are compared.
    options.seed = Some(7);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let agent = agent.with_options(options).build().unwrap();
    let task = Task::new("Tell the price of each boat").unwrap();
    let task = task.with_start_url(HOME).unwrap();
    agent
        .run(task.with_run_id(RunId::parse("run_1").unwrap()))
        .await;
    model.requests().pop().unwrap().message
}

fn section<'m>(message: &'m str, heading: &str) -> &'m str {
    let found = message.split_once(&format!("## {heading}\n"));
    let rest = found.map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or_default()
}

/// The number of lines of the section with the lines that were read, without the one that tells how many are missing.
fn lines_read(message: &str) -> usize {
    let lines = section(message, "Read before").lines();
    lines.filter(|line| !line.starts_with('(')).count()
}

/// A run that read and extracted much, and whose last ten steps are this many extractions, this many reads, and notes.
fn work(extractions: usize, reads: usize) -> Vec<ChatResponse> {
    let begun = (0..5).flat_map(|n| [read(n), extract(n)]);
    let notes = (0..10 - extractions - reads).map(note);
    let ends = (5..5 + extractions).map(extract);
    let reads = (5..5 + reads).map(read);
    begun.chain(notes).chain(ends).chain(reads).collect()
}

/// A window into which not all of that fits. Unit: tokens.
const NARROW: Option<u64> = Some(5_000);

#[tokio::test(start_paused = true)]
async fn without_a_given_mode_four_of_the_last_ten_steps_decide_which_one_it_is() {
    use Mode::{Auto, Execute, Research, Scrape};
    for ((extractions, reads), is, others) in [
        ((3, 3), Execute, vec![Scrape, Research]),
        ((4, 0), Scrape, vec![Execute]),
        ((0, 4), Research, vec![Execute]),
    ] {
        let replies = work(extractions, reads);
        let auto = last(harbour(25, 100), Auto, NARROW, &replies).await;
        let same = last(harbour(25, 100), is, NARROW, &replies).await;
        assert_eq!(auto, same, "{is:?}");
        for other in others {
            let told = last(harbour(25, 100), other, NARROW, &replies).await;
            assert_ne!(auto, told, "{is:?} and {other:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_tells_which_mode_it_acts_as() {
    let model = ScriptedModel::new((0..4).map(extract));
    let agent = DecisionLoop::builder(harbour(5, 5), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let task = Task::new("Tell the price of each boat").unwrap();
    let mut run = agent.start(task.with_start_url(HOME).unwrap()).await;
    let mut told = Vec::new();
    while let StepEnd::Continue = run.step().await {
        told.push(Mode::Auto.acts_as(run.memory().history()));
    }
    assert_eq!(told[told.len() - 1], Mode::Scrape, "{told:?}");
    assert!(
        told[..told.len() - 1]
            .iter()
            .all(|mode| *mode == Mode::Execute),
        "{told:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn lines_that_were_read_stay_longest_in_a_run_of_research() {
    let replies: Vec<ChatResponse> = (0..5).map(read).chain((0..20).map(note)).collect();
    let mut kept = Vec::new();
    for mode in [Mode::Research, Mode::Navigate, Mode::Execute, Mode::Scrape] {
        let told = last(harbour(25, 100), mode, NARROW, &replies).await;
        kept.push(lines_read(&told));
    }
    let (research, others) = kept.split_first().unwrap();
    let is_less = |other: &usize| (1..=research.saturating_sub(3)).contains(other);
    assert!(others.iter().all(is_less), "{kept:?}");
}

#[tokio::test(start_paused = true)]
async fn extracted_texts_fill_as_much_as_the_mode_allows_and_no_more() {
    // Each takes some 2,000 tokens.
    let replies: Vec<ChatResponse> = (0..9).map(extract).chain([note(1)]).collect();
    for (mode, most) in [
        (Mode::Navigate, 1_000),
        (Mode::Execute, 4_000),
        (Mode::Scrape, 16_000),
        (Mode::Research, 8_000),
    ] {
        let told = last(harbour(160, 0), mode, None, &replies).await;
        let size = estimate(section(&told, "Extracted before")).0;
        assert!((most * 3 / 4..=most).contains(&size), "{mode:?}: {size}");
    }
}
