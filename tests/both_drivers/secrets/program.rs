//! The program `webwise run` with a secret from its environment: what it prints and keeps, and what it gives to the tool.
//!
//! The tool is the recording one, and its page shows the value in title, address, names and text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    process::Command,
};

use serde_json::{Value, json};

use crate::secrets::{
    canaries::{PIN, counts, tried},
    forms::{ENCODINGS, Scanner, variants},
    model::{Model, Script},
    run::As,
    taps::{Taps, files},
    tool::Tool,
};

/// What the tool is given and what the program says.
const SINKS: usize = 8;

fn script(value: &str, kept: As) -> Script {
    let typed = if kept == As::Secret {
        "<secret:WORD>"
    } else {
        value
    };
    let step = |calls| (format!("I type: {value}"), calls);
    vec![
        step(vec![("fill", json!({ "target": "e2", "text": typed }))]),
        step(vec![
            ("extract", json!({ "name": "page" })),
            ("remember", json!({ "key": "word", "value": value })),
        ]),
        step(vec![(
            "finish",
            json!({ "answer": format!("It is: {value}"), "success": false }),
        )]),
    ]
}

/// A page of the tool that shows the value.
fn show(tool: &Tool, value: &str) {
    let quoted = |text: &str| Value::from(text).to_string();
    // One line each: the tool's own words are lines.
    let shown: Vec<String> = variants(value)
        .into_iter()
        .map(|(_, variant)| variant)
        .collect();
    let one_line: String = value
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let coded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    tool.set("title", &format!("Account: {one_line}"));
    tool.set("url", &format!("https://shop.example/?q={coded}#v={coded}"));
    let mut page = format!(
        "- textbox {} [ref=e2]\n- button {} [ref=e3]\n",
        quoted("Word"),
        quoted(&format!("As: {value}"))
    );
    for text in shown {
        writeln!(page, "- paragraph [ref=e4]: {}", quoted(&text)).unwrap();
    }
    tool.set("snapshot", page.trim_end());
}

async fn taps_of(value: &str, kept: As) -> Taps {
    let tool = Tool::new();
    show(&tool, value);
    let model = Model::following(script(value, kept), String::new()).await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_webwise"));
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", tool.path())
        .env("TMPDIR", tool.temp());
    command
        .env("WEBWISE_PLAYWRIGHT_CLI", tool.program())
        .env("WEBWISE_CHROMIUM", "/bin/true");
    command
        .env("WEBWISE_LLM_BASE_URL", model.url())
        .env("WEBWISE_LLM_MODE", "tools")
        .env("SHOP_WORD", value);
    command.current_dir(tool.path()).args([
        "run",
        "--json",
        "--approve",
        "auto",
        "--url",
        "https://shop.example/",
    ]);
    match kept {
        As::Secret => command.args([
            "--goal",
            "Sign in",
            "--secret",
            "WORD=SHOP_WORD@https://shop.example",
        ]),
        As::Text => command.arg(format!("--goal=Sign in with: {value}")),
    };
    let output = tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{value:?} {kept:?}: {said}");

    let mut taps = Taps::default();
    taps.add("standard output", &output.stdout);
    taps.add("standard error", &output.stderr);
    taps.add("the program's run folder", files(&tool.path().join("runs")));
    taps.add("the program's wire", model.wire().await);
    taps.add("arguments", tool.wrote("argv"));
    taps.add("environment", tool.wrote("env"));
    taps.add("standard input", tool.wrote("stdin"));
    taps.add("files left", files(&tool.temp()));
    if kept == As::Secret {
        // It came by a file that only its owner could read, and that is gone.
        let scripts = String::from_utf8(tool.wrote("scripts")).unwrap();
        assert!(
            scripts.contains(&Value::from(value).to_string()),
            "{value:?} was never typed: {said}"
        );
        assert!(
            tool.modes().iter().all(|mode| mode == "600"),
            "{:?}",
            tool.modes()
        );
    }
    taps
}

/// What a sink without a way in is given by hand: an environment, standard input, a file that stays.
fn by_hand(value: &str) -> Taps {
    let tool = Tool::new();
    std::fs::write(tool.temp().join("left"), value).unwrap();
    let input = std::fs::File::open(tool.temp().join("left")).unwrap();
    let mut command = Command::new(tool.program());
    assert!(
        command
            .args(["-s=x", "none"])
            .env("CANARY", value)
            .stdin(input)
            .status()
            .unwrap()
            .success()
    );
    let mut taps = Taps::default();
    taps.add("environment", tool.wrote("env"));
    taps.add("standard input", tool.wrote("stdin"));
    taps.add("files left", files(&tool.temp()));
    taps
}

#[tokio::test]
async fn the_program_and_what_it_starts_show_no_secret() {
    let (mut bytes, mut leaks, mut controlled) = (0, Vec::new(), 0);
    let mut controls: BTreeMap<&str, usize> = BTreeMap::new();
    let canaries = tried();
    for (value, is_control) in &canaries {
        let scanner = Scanner::new(value);
        let taps = taps_of(value, As::Secret).await;
        bytes += taps.bytes();
        for (sink, found) in taps.hits(&scanner) {
            leaks.extend(
                found
                    .iter()
                    .map(|e| format!("{value:?} as {} in {sink}", ENCODINGS[*e])),
            );
        }
        if *is_control {
            controlled += 1;
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            for taps in [taps_of(value, As::Text).await, by_hand(value)] {
                seen.extend(
                    taps.hits(&scanner)
                        .into_iter()
                        .filter(|(_, found)| !found.is_empty())
                        .map(|(sink, _)| sink),
                );
            }
            for sink in seen {
                *controls.entry(sink).or_default() += 1;
            }
        }
    }
    assert!(
        leaks.is_empty(),
        "{} leaks:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    assert!(
        controls.values().all(|count| *count == controlled),
        "not watched: {controls:?} of {controlled}"
    );
    assert_eq!(
        (canaries.len(), controlled, controls.len()),
        (counts().0, counts().1, SINKS),
        "{controls:?}"
    );
    figure!(
        "secrets: {} canaries x {} encodings x {SINKS} sinks of the program and its tool: 0 hits in {bytes} bytes; \
         controls {} of {SINKS}",
        canaries.len(),
        ENCODINGS.len(),
        controls.len()
    );
}

#[tokio::test]
async fn a_person_is_told_of_a_secret_that_is_too_short_to_be_looked_for_everywhere() {
    let taps = taps_of(PIN, As::Secret).await;
    let told = |sink: &str| {
        String::from_utf8_lossy(&taps.0[sink])
            .matches("shorter than 6 characters: WORD")
            .count()
    };
    // In the run's events, and in the report that is made of them.
    assert_eq!(
        (told("standard error"), told("the program's run folder")),
        (1, 2)
    );
    let long = taps_of("long-enough-7f3a", As::Secret).await;
    assert!(!String::from_utf8_lossy(&long.0["standard error"]).contains("shorter than"));
}
