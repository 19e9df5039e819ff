//! What a run remembers of itself, as the requests of its model show it: the bounds of notes, lines, extractions and given texts, and
//! that the next run of the same loop begins without them.

use std::{fmt::Write as _, time::Duration};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, ErrorKind, RunReport, Task,
    agent::{Options, StepEnd},
    base::tokens::estimate,
    chat::{ChatRequest, ChatResponse},
    event::EventKind,
    store::InMemory,
    testing::{
        Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call,
        faults::{BrowserFault, FaultyBrowser, When},
    },
};

const SHOP: &str = "https://shop.example/";
const NEXT: &str = "https://shop.example/next";

fn shop() -> ScriptedBrowser {
    let page = "heading \"Boats\"\nparagraph\n  \"A canoe costs 120 euros\"\nlink \"Next\" e1";
    let next = "heading \"More boats\"\nparagraph\n  \"A canoe costs 99 euros\"";
    ScriptedBrowser::new()
        .with_page(SHOP, "Shop", page)
        .with_page(NEXT, "Next", next)
        .on(SHOP, r#"click {"target":"e1"}"#, [Reply::Show(NEXT)])
}

/// A page with a line for each of 60 boats, and so many other lines that the word is rare on it.
fn harbour() -> ScriptedBrowser {
    let mut page = String::from("main\n");
    for n in 1..=300 {
        let thing = if n <= 60 { "Boat" } else { "Tree" };
        let _ = writeln!(page, "  paragraph\n    \"{thing} {n} stands at place {n}\"");
    }
    ScriptedBrowser::new().with_page(SHOP, "Harbour", &page)
}

fn task() -> Task {
    let task = Task::new("Tell what a boat costs").unwrap();
    task.with_start_url(SHOP).unwrap()
}

fn note(text: &str) -> ChatResponse {
    call("note", json!({ "text": text }))
}

fn extract(name: &str) -> ChatResponse {
    call("extract", json!({ "name": name }))
}

fn gives_up() -> ChatResponse {
    call("finish", json!({ "answer": "no", "success": false }))
}

/// A run of these replies: its report, and what its model was asked.
async fn run(
    browser: ScriptedBrowser,
    task: Task,
    replies: impl IntoIterator<Item = ChatResponse>,
) -> (RunReport, Vec<ChatRequest>) {
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let report = agent.build().unwrap().run(task).await;
    (report, model.requests())
}

/// The lines of a section of a message.
pub(crate) fn section<'m>(message: &'m str, heading: &str) -> Vec<&'m str> {
    let found = message.split_once(&format!("## {heading}\n"));
    let lines = found.map_or("", |(_, rest)| rest).lines();
    let ends = |line: &&str| line.starts_with("## ") || line.ends_with(">>>");
    lines.take_while(|line| !ends(line)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_next_run_of_a_loop_begins_with_nothing_of_the_last_one() {
    let read = json!({ "line": 1, "lines": 2 });
    let model = ScriptedModel::new([
        note("a tulip stands here"),
        extract("tulip"),
        call("read", read),
        call("goto", json!({ "url": NEXT })),
        gives_up(),
        gives_up(),
    ]);
    let mut options = Options::default();
    // What earlier runs leave in the store is asked for elsewhere.
    options.memory = false;
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.with_options(options).build().unwrap();
    let first = task().with_given("letter", "A tulip for you").unwrap();
    let first = agent.run(first).await;
    assert!(first.extracted.contains_key("tulip"), "{first:?}");
    let second = agent.run(task()).await;
    assert!(second.extracted.is_empty(), "{second:?}");

    let requests = model.requests();
    let sections = ["Given", "Your notes", "Extracted before", "Read before"];
    for heading in sections {
        let of = |at: usize| section(&requests[at].message, heading);
        let (last, new) = (of(4), of(5));
        assert!(!last.is_empty() && new.is_empty(), "{heading}: {new:?}");
    }
    let new = &requests[5].message;
    let opened = [format!("1. goto \"{SHOP}\"")];
    assert_eq!(section(new, "History"), opened, "{new}");
    assert!(!new.contains("tulip"), "{new}");
}

#[tokio::test(start_paused = true)]
async fn an_extraction_has_8000_characters_at_most_and_says_how_many_there_were() {
    let mut page = String::new();
    for n in 1..=400 {
        let _ = writeln!(
            page,
            "paragraph\n  \"Paragraph {n} tells of boats and of water\""
        );
    }
    let browser = ScriptedBrowser::new().with_page(SHOP, "Book", &page);
    let (report, _) = run(browser, task(), [extract("all"), gives_up()]).await;
    let text = &report.extracted["all"];
    let parts: Vec<&str> = text.split('…').collect();
    let [head, told, tail] = parts[..] else {
        panic!("{text}");
    };
    assert_eq!((head.chars().count(), tail.chars().count()), (5_334, 2_666));
    assert!(
        head.starts_with("Paragraph 1 ")
            && tail.ends_with("Paragraph 400 tells of boats and of water")
    );
    let whole: usize = (1..=400)
        .map(|n| format!("Paragraph {n} tells of boats and of water\n").len())
        .sum();
    let left_out = whole - 1 - 8_000;
    let told_of = format!(
        "\n(cut here: {left_out} of {} characters are left out)\n",
        whole - 1
    );
    assert_eq!(told, told_of);
}

#[tokio::test(start_paused = true)]
async fn of_given_texts_that_do_not_all_fit_those_that_the_goal_is_about_come_first() {
    // These share more words with the goal, but so does each of them.
    let long = format!(
        "Tell what a day was like.\n{}",
        "一艘独木舟在水上漂着。\n".repeat(3_900 / 12)
    );
    let mut task = task();
    for n in 10..30 {
        let text = match n {
            17 => "The boat costs 120 euros",
            _ => &long,
        };
        task = task.with_given(&format!("letter {n}"), text).unwrap();
    }
    let (_, requests) = run(shop(), task, [note("so much"), gives_up()]).await;
    for request in &requests {
        let shown = section(&request.message, "Given");
        assert_eq!(
            shown[..3],
            [
                "\"letter 17\"",
                " \"The boat costs 120 euros\"",
                "\"letter 10\""
            ]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_extraction_takes_the_place_of_the_one_of_its_name() {
    let replies = [
        extract("canoe"),
        call("click", json!({ "target": "e1" })),
        extract("canoe"),
        note("both are known"),
        gives_up(),
    ];
    let (report, requests) = run(shop(), task(), replies).await;
    assert!(report.extracted["canoe"].contains("99 euros"), "{report:?}");
    let lines = section(&requests[4].message, "Extracted before");
    let labels = lines.iter().filter(|line| **line == "\"canoe\"").count();
    let of = |price: &str| lines.iter().filter(|line| line.contains(price)).count();
    assert_eq!(
        (labels, of("99 euros"), of("120 euros")),
        (1, 1, 0),
        "{lines:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_request_to_a_model_of_unknown_window_stays_below_64000_tokens() {
    let text = "一艘独木舟在水上漂着。\n".repeat(4_000 / 12);
    let mut task = task();
    for n in 0..20 {
        task = task.with_given(&format!("letter {n}"), &text).unwrap();
    }
    let (_, requests) = run(shop(), task, [note("so much"), gives_up()]).await;
    for request in &requests {
        let tools = request.tools.declared().iter();
        let tools = tools
            .map(|tool| estimate(&tool.description).0 + estimate(&tool.parameters.to_string()).0);
        let size = estimate(&request.message).0 + estimate(&request.system).0 + tools.sum::<u64>();
        assert!((60_000..=64_000).contains(&size), "{size}");
        assert!(request.message.contains("link \"Next\""));
    }
    assert!(
        requests[0]
            .message
            .contains(" more lines, without room here)")
    );
}

#[tokio::test(start_paused = true)]
async fn the_last_20_notes_stay_and_a_long_one_is_cut() {
    let long = format!("note 30: {}", "a boat on the water, ".repeat(100));
    let model = ScriptedModel::new(
        (1..30)
            .map(|n| note(&format!("note {n}:")))
            .chain([note(&long)]),
    );
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let mut run = agent.start(task()).await;
    while let StepEnd::Continue = run.step().await {}
    let cut_at = format!(
        "… (cut here: 800 of {} characters are kept)",
        long.chars().count()
    );
    let kept = run.memory().notes().last().unwrap();
    assert_eq!(
        kept.strip_suffix(&cut_at).map(|kept| kept.chars().count()),
        Some(800)
    );
    let shown = model.requests().pop().unwrap().message;
    let shown = section(&shown, "Your notes");
    assert_eq!(shown.len(), 20, "{shown:?}");
    assert_eq!(shown[0], "\"note 11:\"");
    let last = shown[19];
    assert!(
        last.starts_with("\"note 30: a boat") && last.chars().count() <= 803,
        "{last}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_the_lines_that_were_read_the_last_40_stay() {
    let read = |from: usize| call("read", json!({ "line": from, "lines": 10 }));
    let replies = (0..6)
        .map(|part| read(1 + part * 10))
        .chain([note("enough"), gives_up()]);
    let (_, requests) = run(harbour(), task(), replies).await;
    let shown = section(&requests[7].message, "Read before");
    assert_eq!(shown.len(), 40, "{shown:?}");
    let is_there = |n: usize| {
        shown
            .iter()
            .any(|line| line.contains(&format!("\"Boat {n} stands")))
    };
    assert!(is_there(60) && is_there(31) && !is_there(1), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_given_text_is_refused_if_its_name_is_reserved_or_it_is_one_too_many_or_too_long() {
    let model = ScriptedModel::new([note("one"), gives_up()]);
    let agent = DecisionLoop::builder(shop(), model.clone(), InMemory::new());
    let agent = agent.build().unwrap();
    let mut run = agent
        .start(task().with_given("name 0", "text 0").unwrap())
        .await;
    while model.requests().is_empty() {
        assert_eq!(run.step().await, StepEnd::Continue);
    }
    for n in 1..20 {
        run.give(&format!("name {n}"), &format!("text {n}"))
            .unwrap();
    }
    let long = "x".repeat(4_001);
    let long_name = "n".repeat(61);
    let wrong = [
        ("visited_urls", "none"),
        ("page_history", "none"),
        ("current_page", "none"),
        ("navigation_graph", "none"),
        ("obstacle_cache", "none"),
        ("one more", "text"),
        ("name 1", &long),
        (&long_name, "text"),
        (" ", "text"),
    ];
    for (name, text) in wrong {
        let error = run.give(name, text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}");
        // A task with no given text yet has room for one more.
        let alone = task().with_given(name, text);
        assert_eq!(alone.is_ok(), name == "one more", "{name}");
    }
    run.give("name 1", "another text").unwrap();
    while let StepEnd::Continue = run.step().await {}
    let message = model.requests().pop().unwrap().message;
    let shown = section(&message, "Given");
    assert_eq!(shown.len(), 40, "{shown:?}");
    assert!(
        shown.contains(&" \"another text\"") && !shown.contains(&" \"text 1\""),
        "{shown:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_event_tells_how_long_its_action_took() {
    let slow = Duration::from_millis(1_700);
    // The first action opens the start page.
    let browser = FaultyBrowser::new(shop()).with(When::once(2), BrowserFault::Slow(slow));
    let click = call("click", json!({ "target": "e1" }));
    let model = ScriptedModel::new([click, note("there"), gives_up()]);
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(browser, model, InMemory::new());
    let agent = agent.with_sink(recorder.clone()).build().unwrap();
    agent.run(task()).await;
    let events = recorder.events().into_iter();
    let took: Vec<(String, u64)> = events
        .filter_map(|event| match event.kind {
            EventKind::ActionExecuted {
                action, elapsed_ms, ..
            } => Some((action.tool_name().to_owned(), elapsed_ms)),
            _ => None,
        })
        .collect();
    let of = |tool: &str| {
        took.iter()
            .find(|(name, _)| name == tool)
            .map(|(_, ms)| *ms)
    };
    assert!(
        of("click").is_some_and(|ms| (1_700..2_700).contains(&ms)),
        "{took:?}"
    );
    assert!(of("note").is_some_and(|ms| ms < 1_000), "{took:?}");
    // The JSON of the event has the figure under the name that reports read.
    let json = recorder
        .events()
        .into_iter()
        .map(|event| serde_json::to_value(event).unwrap());
    let all: Vec<Value> = json
        .filter(|event| event["event"] == "action_executed")
        .collect();
    assert!(
        all.iter()
            .any(|event| event["elapsed_ms"].as_u64() == of("click")),
        "{all:?}"
    );
}
