//! The long result of an embedder's tool in the next message: what is important of its kind stays, and no address is lost. And what later
//! messages still tell of results.

use std::fmt::Write as _;

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    action::{Effect, ToolSpec},
    agent::{Options, State, StepEnd},
    base::{Origin, tokens::estimate},
    chat::ChatResponse,
    guard::ApprovalMode,
    prompt::ContentType,
    secret::{Secret, SecretName, Vault},
    store::InMemory,
    testing::{MockTool, ScriptedBrowser, ScriptedModel, ScriptedReply, call},
    working::StopReason,
};

use super::own::section;

const SHOP: &str = "https://shop.example/";
/// The words of a line that matters less. A result has so many of them that it must be shortened.
const FILL: &str = "quiet water and a boat that lies in it since the spring of last year";

/// A tool that looks something up and returns these texts, the last one again and again. The texts are evidence.
fn looking_up(results: Vec<String>) -> MockTool {
    looking_up_for(true, None, results)
}

fn looking_up_for(
    is_evidence: bool,
    content_type: Option<ContentType>,
    mut results: Vec<String>,
) -> MockTool {
    let mut tool = MockTool::new();
    let spec = ToolSpec {
        name: "look-up".into(),
        description: "Look something up.".into(),
        parameters: json!({ "type": "object" }),
    };
    tool.expect_spec().return_const(spec);
    tool.expect_effect().return_const(Effect::Read);
    tool.expect_is_evidence().return_const(is_evidence);
    tool.expect_content_type().return_const(content_type);
    results.reverse();
    tool.expect_call().returning(move |_| {
        let next = results.last().cloned();
        results.truncate((results.len() - 1).max(1));
        Ok(next.unwrap())
    });
    tool
}

/// The lines of the section with the result of a tool that returns this text.
async fn shown(result: String) -> Vec<String> {
    shown_as(None, result).await
}

/// The same for a tool that declares this kind of content.
async fn shown_as(content_type: Option<ContentType>, result: String) -> Vec<String> {
    let whole = result.chars().count();
    let replies: [ChatResponse; 2] = [
        call("look-up", json!({})),
        call("finish", json!({ "answer": "no", "success": false })),
    ];
    let model = ScriptedModel::new(replies);
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", "heading \"Boats\"");
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let tool = looking_up_for(true, content_type, vec![result]);
    let agent = agent.with_tool(tool).build().unwrap();
    let task = Task::new("Look it up").unwrap();
    agent.run(task.with_start_url(SHOP).unwrap()).await;
    let message = model.requests()[1].message.clone();
    let (_, results) = message.split_once("## Results\n\"look-up\"\n").unwrap();
    let (results, end) = results
        .split_once(&format!(" (shortened; the whole has {whole} characters)\n"))
        .unwrap_or_else(|| panic!("{message}"));
    assert!(
        end.lines().next().is_some_and(|line| line.ends_with(">>>")),
        "{end}"
    );
    let size = estimate(results).0;
    assert!((1_000..2_600).contains(&size), "{size}: {results}");
    results.lines().map(str::to_owned).collect()
}

fn count(lines: &[String], part: &str) -> usize {
    lines.iter().filter(|line| line.contains(part)).count()
}

#[tokio::test(start_paused = true)]
async fn all_eight_addresses_of_sixty_results_stay() {
    let mut results = String::new();
    for n in 1..=60 {
        // Each eighth result has its address in the middle of a line, which is left out.
        let address = if n % 8 == 0 {
            format!("https://boats.example/offers/{n}")
        } else {
            "no address".to_owned()
        };
        let _ = writeln!(
            results,
            "Offer {n}: {} ({address}) {}",
            FILL.repeat(5),
            FILL.repeat(5)
        );
    }
    results.push_str("See https://boats.example/all\n");
    let lines = shown(results).await;
    for n in (8..=56).step_by(8) {
        assert_eq!(
            count(&lines, &format!("https://boats.example/offers/{n}")),
            1,
            "{n}: {lines:#?}"
        );
    }
    assert_eq!(count(&lines, "https://boats.example/all"), 1, "{lines:#?}");
    assert!(count(&lines, "Offer ") < 60, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_twenty_addresses_four_fifths_stay() {
    let mut results = String::new();
    for n in 1..=60 {
        // Each third result has its address in the middle of a line, which is left out.
        let address = if n % 3 == 0 {
            format!("https://boats.example/offers/{n}")
        } else {
            "no address".to_owned()
        };
        let _ = writeln!(
            results,
            "Offer {n}: {} ({address}) {}",
            FILL.repeat(5),
            FILL.repeat(5)
        );
    }
    let lines = shown(results).await;
    assert_eq!(count(&lines, "https://boats.example/"), 16, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_search_results_the_titles_and_addresses_stay_and_the_excerpts_go() {
    let mut results = String::new();
    for n in 1..=60 {
        let _ = writeln!(
            results,
            "Title {n}\nhttps://boats.example/{n}\nExcerpt {n}: {FILL} {FILL} {FILL}"
        );
    }
    let lines = shown(results).await;
    let of = |part: &str| count(&lines, part);
    assert_eq!(
        (of("Title "), of("https://boats.example/")),
        (60, 60),
        "{lines:#?}"
    );
    assert!(of("Excerpt ") < 40, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_declare_what_its_results_are() {
    let mut results = String::new();
    for n in 1..=150 {
        let _ = writeln!(results, "Offer {n}: {FILL}");
    }
    // As a text, its end matters. As a list of results, the best ones come first.
    let last = |lines: &[String]| count(lines, "Offer 149:");
    let text = shown(results.clone()).await;
    let list = shown_as(Some(ContentType::SearchResults), results).await;
    assert_eq!((last(&text), last(&list)), (1, 0), "{text:#?} {list:#?}");
    let [in_text, in_list] = [&text, &list].map(|lines| {
        let first = 1..=80;
        first
            .filter(|n| count(lines, &format!("Offer {n}:")) == 1)
            .count()
    });
    assert!(in_list > in_text, "{in_list} and {in_text}");
}

#[tokio::test(start_paused = true)]
async fn of_a_failure_the_causes_stay_and_the_frames_go() {
    let mut trace = String::from("Error: the harbour is closed\n");
    for n in 1..=300 {
        let _ = writeln!(
            trace,
            "    at harbour.open (/srv/boats/harbour/module_{n}.js:{n}:7)"
        );
        if n == 150 {
            trace.push_str("Caused by: the lock is frozen\n");
        }
    }
    let lines = shown(trace).await;
    for cause in [
        "Error: the harbour is closed",
        "Caused by: the lock is frozen",
    ] {
        assert_eq!(count(&lines, cause), 1, "{lines:#?}");
    }
    assert!(count(&lines, "at harbour.open") < 150, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_a_page_the_headings_and_buttons_stay_and_what_has_no_use_goes() {
    let mut page = String::new();
    for n in 1..=200 {
        let _ = writeln!(page, "- generic \"{FILL} {n}\"");
        if n == 100 {
            page.push_str("- heading \"Berths\"\n- button \"Reserve\" [ref=e7]\n");
        }
    }
    let lines = shown(page).await;
    for kept in ["heading \\\"Berths\\\"", "button \\\"Reserve\\\""] {
        assert_eq!(count(&lines, kept), 1, "{lines:#?}");
    }
    assert!(count(&lines, "generic") < 150, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_a_form_the_fields_with_a_value_stay() {
    let mut form = String::new();
    for n in 1..=500 {
        let value = if n % 50 == 0 { "Bonn" } else { "" };
        let _ = writeln!(form, "Field of the register {n}: {value}");
    }
    let lines = shown(form).await;
    assert_eq!(count(&lines, ": Bonn"), 10, "{lines:#?}");
    assert!(count(&lines, "Field") < 400, "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_a_long_json_list_the_first_items_and_every_field_beside_it_stay() {
    let offers: Vec<_> = (1..=400)
        .map(|n| json!({ "name": format!("Boat {n}"), "text": FILL, "url": format!("https://boats.example/{n}") }))
        .collect();
    let all = json!({ "currency": "EUR", "offers": offers, "total": 4711 });
    let lines = shown(all.to_string()).await;
    let has = |part: &str| count(&lines, part) > 0;
    for part in [
        "\\\"currency\\\": EUR",
        "\\\"total\\\": 4711",
        "Boat 1\\\"",
        "https://boats.example/1\\\"",
        " more)",
    ] {
        assert!(has(part), "{part}: {lines:#?}");
    }
    assert!(!has("Boat 400"), "{lines:#?}");
}

#[tokio::test(start_paused = true)]
async fn of_a_long_text_the_first_line_of_each_paragraph_stays_and_then_its_ends() {
    let mut text = String::new();
    for n in 1..=40 {
        let _ = writeln!(
            text,
            "Chapter {n} begins here\n{FILL} {n} one\n{FILL} {n} two\n{FILL} {n} three\n"
        );
    }
    let lines = shown(text).await;
    assert_eq!(count(&lines, "begins here"), 40, "{lines:#?}");
    assert!(count(&lines, FILL) < 120, "{lines:#?}");
    assert_eq!(
        (
            count(&lines, " 1 one"),
            count(&lines, " 40 three"),
            count(&lines, " 20 two")
        ),
        (1, 1, 0),
        "{lines:#?}"
    );
}

/// The messages of a run with these replies, in which the tool `look-up` returns these results. After each step the run goes on from its
/// state, read back from JSON.
async fn messages(results: Vec<String>, replies: Vec<ChatResponse>) -> Vec<String> {
    let browser = ScriptedBrowser::new()
        .with_page(SHOP, "Shop", "heading \"Boats\"")
        .on(SHOP, EVAL, [ScriptedReply::Return("60 boats")]);
    let model = ScriptedModel::new(replies);
    let mut options = Options::default();
    (options.approval, options.scripts) = (ApprovalMode::Auto, true);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
    let agent = agent.with_tool(looking_up(results)).with_options(options);
    let agent = agent.build().unwrap();
    let origin = Origin::parse("https://shop.example").unwrap();
    let name = SecretName::parse("pin").unwrap();
    let vault = Vault::new().with(name, Secret::new(PIN), vec![origin]);
    let task = Task::new("Look it up").unwrap().with_start_url(SHOP);
    let task = task.unwrap().with_secrets(vault.unwrap());
    let mut run = agent.start(task.clone()).await;
    while let StepEnd::Continue = run.step().await {
        let state = serde_json::to_string(&run.state().unwrap()).unwrap();
        drop(run);
        let state: State = serde_json::from_str(&state).unwrap();
        run = agent.resume(task.clone(), state).await.unwrap();
    }
    let requests = model.requests().into_iter();
    requests.map(|request| request.message).collect()
}

const EVAL: &str = r#"eval {"function":"() => count()"}"#;
const PIN: &str = "tulip-5521";

fn look_up(n: usize) -> ChatResponse {
    call("look-up", json!({ "n": n }))
}

fn before(message: &str) -> Vec<&str> {
    section(message, "Results before")
}

#[tokio::test(start_paused = true)]
async fn results_stay_in_later_messages_each_with_its_tool_and_step() {
    let price = format!("A berth costs 40 euros\nfor {PIN}");
    let long = "0123456789".repeat(60);
    let note = |text: &str| call("note", json!({ "text": text }));
    let replies = vec![
        look_up(1),
        call("eval", json!({ "function": "() => count()" })),
        look_up(2),
        look_up(3),
        look_up(3),
        note("one"),
        note("two"),
    ];
    let messages = messages(vec![price.clone(), long, price.clone(), price], replies).await;
    assert!(messages.iter().all(|message| !message.contains(PIN)));
    // The message that reports a result does not tell it twice.
    assert!(messages[1].contains("## Results\n\"look-up\"\n \"A berth costs 40 euros\"\n"));
    assert_eq!(before(&messages[1]), [""; 0]);
    let first = [
        "\"look-up\" (step 2)",
        " \"A berth costs 40 euros\"",
        " \"for <secret:pin>\"",
    ];
    assert!(messages[2].contains("## Results\n\"eval\"\n \"60 boats\"\n"));
    assert_eq!(before(&messages[2]), first);
    let second = ["\"eval\" (step 3)", " \"60 boats\""];
    assert_eq!(before(&messages[3]), [&first[..], &second].concat());
    // The third look-up returns what the first did.
    let beginning = format!(" \"{}…\"", "0123456789".repeat(35));
    let end = format!(" \"…{}\"", "0123456789".repeat(15));
    let third = [
        "\"look-up\" (step 4)",
        &*beginning,
        " \"(cut here: 100 of 600 characters are left out)\"",
        &*end,
    ];
    let known = [&first[..], &second, &third].concat();
    // Another call that returned the same as the first one is a result of its own. The same call again is not.
    for message in &messages[4..=5] {
        assert_eq!(before(message), known);
    }
    let again = [&["\"look-up\" (step 6)"], &first[1..]].concat();
    for message in &messages[6..=7] {
        assert_eq!(before(message), [&known[..], &again].concat());
        let (run, step) = message.split_once(">>>\n").unwrap();
        assert!(run.contains("## Results before\n") && !step.contains("berth"));
    }
}

#[tokio::test(start_paused = true)]
async fn of_many_results_the_newest_stay_and_an_extraction_beside_them() {
    let result = |n: u32| format!("Result {n}\n{}", "a boat on the water ".repeat(30));
    let mut replies: Vec<_> = vec![call("extract", json!({ "name": "page" }))];
    replies.extend((1..=30).map(look_up));
    replies.push(call("note", json!({ "text": "enough" })));
    let messages = messages((1..=30).map(result).collect(), replies).await;
    let last = messages.last().unwrap();
    let lines = before(last);
    let has = |n: u32| lines.contains(&&*format!(" \"Result {n}\""));
    let first = (1..=30).find(|n| has(*n)).unwrap();
    assert!((5..=25).contains(&first), "{lines:?}");
    assert!((first..=30).all(has), "{lines:?}");
    let size = estimate(&lines.join("\n")).0;
    assert!((1_500..=2_000).contains(&size), "{size}");
    assert!(last.contains("## Extracted before\n\"page\"\n"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn what_a_tool_returned_proves_an_answer_only_if_the_tool_says_so() {
    let said = "A berth costs 40 euros";
    let all = format!("{said}\nA box costs 50 euros");
    for (is_evidence, stop) in [
        (true, StopReason::Finished),
        (false, StopReason::FinishedUnverified),
    ] {
        let tool = looking_up_for(is_evidence, None, vec![all.clone()]);
        let finish = json!({ "answer": "40 and 50 euros", "evidence": said });
        let finish = || call("finish", finish.clone());
        let model = ScriptedModel::new([look_up(1), finish(), finish()]);
        let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", "heading \"Boats\"");
        let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_tool(tool);
        let task = Task::new("Look it up").unwrap().with_start_url(SHOP);
        let report = agent.build().unwrap().run(task.unwrap()).await;
        assert_eq!(report.summary.stop, stop, "{is_evidence}");
        assert_eq!(report.unverified.is_empty(), is_evidence);
    }
}
