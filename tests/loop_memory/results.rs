//! The long result of an embedder's tool in the next message: what is important of its kind stays, and no address is lost.

use std::fmt::Write as _;

use serde_json::json;
use webwise::{
    DecisionLoop, Task,
    action::{Effect, ToolSpec},
    base::tokens::estimate,
    chat::ChatResponse,
    store::InMemory,
    testing::{MockTool, ScriptedBrowser, ScriptedModel, call},
};

const SHOP: &str = "https://shop.example/";
/// The words of a line that matters less. A result has so many of them that it must be shortened.
const FILL: &str = "quiet water and a boat that lies in it since the spring of last year";

/// The lines of the section with the result of a tool that returns this text.
async fn shown(result: String) -> Vec<String> {
    let mut tool = MockTool::new();
    let spec = ToolSpec {
        name: "look-up".into(),
        description: "Look something up.".into(),
        parameters: json!({ "type": "object" }),
    };
    tool.expect_spec().return_const(spec);
    tool.expect_effect().return_const(Effect::Read);
    let whole = result.chars().count();
    tool.expect_call().returning(move |_| Ok(result.clone()));
    let replies: [ChatResponse; 2] = [
        call("look-up", json!({})),
        call("finish", json!({ "answer": "no", "success": false })),
    ];
    let model = ScriptedModel::new(replies);
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", "heading \"Boats\"");
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new());
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
