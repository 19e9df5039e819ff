//! `webwise eval` with a real browser on a page whose button is covered until a banner is closed: what the arms of an evaluation
//! say, and what is refused before anything starts. The stand-in decides from the prompt alone.

#![cfg(unix)]

use crate::{shop, web};

use std::{
    path::PathBuf,
    process::Output,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};

use shop::program::{Place, json_lines, text};
use web::{Answer, Web};

const PAGE: &str = r#"<!doctype html><title>Desk</title><h1>Desk</h1>
<label>City <input></label> <button onclick="order()">Place the order</button>
<div id=banner role=dialog aria-modal=true aria-label=Cookies style="position:fixed;inset:0;background:#ffff"><p>We use cookies.</p>
<button onclick="banner.remove()">Accept all</button></div>
<script>
function order() {
    const city = document.querySelector('input').value;
    document.body.innerHTML = '<h1>Thank you</h1><p id=to></p><p>Order number: 4711</p>';
    document.getElementById('to').textContent = 'Delivered to ' + city;
}
</script>"#;

fn site() -> Web {
    Web::start(|_| Answer::page(PAGE))
}

/// A case in which the order goes to this city, and to another one by its variant.
fn case(web: &Web, name: &str) -> Value {
    let goal = |city: &str| {
        format!("Set the city to \"{city}\", place the order. Report the order number.")
    };
    let success = |city: &str| {
        json!({
            "text": format!("Delivered to {city}"), "url": "http://localhost:*/?n=*", "answer": "4711",
            "javascript": "document.getElementById('to') !== null // a comment",
        })
    };
    json!({
        "name": name,
        "goal": goal("Bonn"),
        "url": web.url("localhost", "/?n={seed}"),
        "setup": web.url("localhost", "/reset?n={seed}"),
        "success": success("Bonn"),
        "variants": [{ "goal": goal("Cologne"), "success": success("Cologne") }],
    })
}

fn file(cases: &[Value]) -> PathBuf {
    static FILES: AtomicUsize = AtomicUsize::new(0);
    let n = FILES.fetch_add(1, Ordering::Relaxed);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cases-{n}.json"));
    let document = json!({ "version": 1, "cases": cases });
    std::fs::write(&file, document.to_string()).unwrap();
    file
}

fn eval(place: &Place, args: &[&str]) -> Output {
    place.command(&["eval"]).args(args).output().unwrap()
}

/// The mean of a figure in an arm.
fn mean(group: &Value, arm: &str, figure: &str) -> f64 {
    let arms = group["arms"].as_array().unwrap();
    let own = arms.iter().find(|of| of["arm"] == arm).unwrap();
    own["means"][figure].as_f64().unwrap()
}

fn is(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn the_arms_say_what_memory_is_worth_and_leave_the_persons_memory_alone() {
    let (web, place) = (site(), Place::new());
    let cases = file(&[case(&web, "order")]);
    let output = eval(
        &place,
        &[
            "--cases",
            cases.to_str().unwrap(),
            "--model",
            "stand-in",
            "--arms",
            "withheld,warm,cold,off",
            "--seeds",
            "2",
            "--approve",
            "auto",
            "--json",
        ],
    );
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let result: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let progress = told.lines().filter(|line| line.ends_with(": success"));
    assert_eq!(progress.count(), 10, "{told}");
    let group = &result["cases"][0];
    // Without the lesson, the click on the covered button and the first way out fail.
    for (arm, failed) in [
        ("off", 2.0),
        ("cold", 2.0),
        ("warm", 0.0),
        ("withheld", 2.0),
    ] {
        assert!(is(mean(group, arm, "success"), 1.0), "{result:#}");
        assert!(is(mean(group, arm, "failed_actions"), failed), "{result:#}");
    }
    let read = |arm| mean(group, arm, "tokens_in");
    assert!(
        read("warm") > 0.0 && read("warm") < read("cold") && mean(group, "warm", "seconds") > 0.0,
        "{result:#}"
    );
    let comparisons = group["comparisons"].as_array().unwrap();
    let of = |of: &str, with: &str| {
        let mut all = comparisons.iter();
        let found = all.find(|one| one["of"] == of && one["with"] == with);
        found.unwrap()["differences"]["failed_actions"].clone()
    };
    for with in ["cold", "withheld"] {
        let difference = of("warm", with);
        assert!(is(difference["difference"].as_f64().unwrap(), -2.0));
        assert_eq!(difference["interval"], json!([-2.0, -2.0]));
    }
    assert_eq!(of("withheld", "cold")["interval"], json!([0.0, 0.0]));

    // Each run had its own page, after the page that prepares it; two runs filled a memory with other values.
    let asked = web.asked();
    for path in ["/reset?n=", "/?n="] {
        let of = |n: u32| {
            let path = format!("{path}{n}");
            asked.iter().filter(|asked| asked.path == path).count()
        };
        assert_eq!([1, 2, 3, 4].map(of), [4, 4, 1, 1], "{path}: {asked:?}");
    }
    for run in result["runs"].as_array().unwrap() {
        let folder = place.path(run["folder"].as_str().unwrap());
        let events = json_lines(&folder.join("memory_events.jsonl"));
        let held = events.iter().any(|of| of["event"] == "advice_withheld");
        assert_eq!(held, run["arm"] == "withheld", "{run}");
        let used = events.iter().any(|of| of["count"].as_u64() > Some(0));
        let is_blind = run["arm"] == "off" || run["arm"] == "withheld";
        assert_eq!(!used, is_blind, "{run}");
    }
    assert!(!place.path("memory").exists(), "it is the person's own");
    place.assert_no_browser();
}

/// The memory events of each run of an evaluation of the arm `warm`; those that fill a memory come first.
fn warm(place: &Place, cases: &[Value], flags: &[&str]) -> Vec<Vec<Value>> {
    let cases = file(cases);
    let fixed = [
        cases.to_str().unwrap(),
        "--model=stand-in",
        "--arms=warm",
        "--seeds=1",
        "--approve=auto",
        "--json",
    ];
    let output = eval(place, &[&fixed, flags].concat());
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let result: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let runs = result["runs"].as_array().unwrap();
    let of = |run: &Value| {
        let folder = place.path(run["folder"].as_str().unwrap());
        json_lines(&folder.join("memory_events.jsonl"))
    };
    runs.iter().map(of).collect()
}

/// The number of tips for the site that each of these runs was shown.
fn tips(place: &Place, cases: &[Value], isolation: &str) -> Vec<u64> {
    let of = |events: Vec<Value>| {
        let recalls = events.iter().filter(|of| of["event"] == "domain_recall");
        recalls.map(|of| of["matched"].as_u64().unwrap()).sum()
    };
    let runs = warm(place, cases, &[isolation]).into_iter();
    runs.map(of).collect()
}

#[test]
fn the_cases_share_a_memory_or_use_the_persons_own_if_that_is_asked_for() {
    let (web, place) = (site(), Place::new());
    let both = [case(&web, "one"), case(&web, "other")];
    let shared = tips(&place, &both, "--memory-isolation=shared");
    assert!(
        shared.len() == 4 && shared[0] == 0 && shared[1..].iter().all(|tips| *tips > 0),
        "the second case fills the memory that the first one began: {shared:?}"
    );
    let apart = tips(&place, &both, "--memory-isolation=per-run");
    assert!(
        apart.len() == 4 && apart[..2] == [0, 0] && apart[2..].iter().all(|tips| *tips > 0),
        "no case begins with what another one learned: {apart:?}"
    );
    assert!(!place.path("memory").exists());
    let own = tips(&place, &both[..1], "--memory-isolation=none");
    assert!(own.len() == 2 && own[0] == 0 && own[1] > 0, "{own:?}");
    assert!(place.path("memory").exists(), "what is learned is kept");
}

#[test]
fn the_flags_about_the_ways_of_earlier_runs_hold_in_an_evaluation() {
    let (web, place) = (site(), Place::new());
    let cases = [case(&web, "order")];
    // Of the flag about scoring, this shows only that an evaluation accepts it: there is one way, so nothing is chosen.
    for (flags, expected) in [
        (&["--trace-scoring"][..], [false, false]),
        (&["--trace-scoring", "--trace-ttl-days=0"], [false, true]),
    ] {
        let runs = warm(&place, &cases, flags).into_iter();
        let expired = |events: Vec<Value>| events.iter().any(|of| of["what"] == "recipe_expired");
        assert_eq!(runs.map(expired).collect::<Vec<_>>(), expected, "{flags:?}");
    }
}

#[test]
fn a_run_is_judged_by_its_last_page_and_not_by_what_it_claims() {
    let (web, place) = (site(), Place::new());
    let mut elsewhere = case(&web, "elsewhere");
    elsewhere["success"]["text"] = "Delivered to Paris".into();
    let mut broken = case(&web, "broken");
    broken["success"] = json!({ "javascript": "nothing.of.the.kind" });
    let cases = file(&[elsewhere, broken]);
    let arguments = [
        cases.to_str().unwrap(),
        "--model=stand-in",
        "--arms=cold",
        "--seeds=1",
        "--approve=auto",
    ];
    let output = eval(&place, &arguments);
    let (table, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("does not say \"Delivered to Paris\""),
        "{told}"
    );
    assert!(
        told.contains("the script failed in the last page"),
        "{told}"
    );
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("  cold"))
        .collect();
    assert_eq!(rows.len(), 3, "two cases and both together: {table}");
    assert!(rows.iter().all(|row| row.contains(" 0.00 ")), "{table}");
    assert!(table.contains("All cases"), "{table}");
}

/// The one sentence with which an evaluation is refused before anything starts.
fn refused(args: &[&str]) -> String {
    let place = Place::new();
    let output = eval(&place, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.lines().count() == 1 && said.starts_with("webwise: "),
        "{said}"
    );
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    said
}

#[test]
fn a_bad_case_file_is_refused_with_the_place_of_the_mistake() {
    let web = site();
    for (name, value, place) in [
        ("url", json!("file:///etc/passwd"), "cases[0].url: "),
        ("command", json!("ls"), "cases[0].command: "),
        ("secrets", json!(["PASSWORD"]), "cases[0].secrets[0]: "),
        (
            "secrets",
            json!(["P=WEBWISE_TEST_UNSET@https://a.example"]),
            "WEBWISE_TEST_UNSET",
        ),
        ("goal", json!("Type <secret:P>."), "<secret:P>"),
        (
            "success",
            json!({ "file": "/etc/passwd" }),
            "cases[0].success.file: ",
        ),
    ] {
        let mut case = case(&web, "x");
        case[name] = value;
        let said = refused(&[file(&[case]).to_str().unwrap(), "--model=stand-in"]);
        assert!(said.contains(place), "{said}");
    }
    assert!(refused(&["/nowhere/cases.json", "--model=stand-in"]).contains("/nowhere/cases.json"));
    assert!(refused(&["--model=stand-in"]).contains("name a case file"));
    let fine = file(&[case(&web, "x")]);
    let fine = fine.to_str().unwrap();
    assert!(refused(&[fine]).contains("no model is configured"));
    for flag in ["--arms=hot", "--seeds=0", "--memory-isolation=some"] {
        let (name, _) = flag.split_once('=').unwrap();
        assert!(refused(&[fine, "--model=stand-in", flag]).contains(name));
    }
    assert!(web.asked().is_empty());
}
