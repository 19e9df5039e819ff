use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;
use serde_json::json;

use super::*;

const BUDGET: TokenCount = TokenCount(600);

/// Shortens a text whose kind is recognised from the text itself.
fn compress(text: &str, budget: TokenCount) -> Compressed {
    super::compress(text, budget, None)
}

/// The facts that must still be in a recorded result after it was shortened.
#[derive(Deserialize)]
struct Recorded {
    facts: Vec<String>,
}

const KINDS: [(&str, ContentType); 6] = [
    ("search_results", ContentType::SearchResults),
    ("page_state", ContentType::PageState),
    ("error", ContentType::Error),
    ("structured", ContentType::Structured),
    ("form", ContentType::Form),
    ("text", ContentType::Text),
];

/// Shortens the recorded results of one kind, prints what was left, and returns the facts that were lost. `budget` returns
/// the maximum size of a shortened result, given the size of the whole result.
fn lost(
    all: &BTreeMap<String, Recorded>,
    kind: (&str, ContentType),
    budget: fn(u64) -> u64,
) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/results");
    let of_kind: Vec<_> = all
        .iter()
        .filter(|(file, _)| file.starts_with(kind.0))
        .collect();
    assert_eq!(of_kind.len(), 10, "{}", kind.0);
    let (mut before, mut after, mut urls, mut kept_urls, mut count) = (0, 0, 0, 0, 0);
    let mut lost = Vec::new();
    for (file, Recorded { facts }) in of_kind {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let whole = text.lines().map(|line| cost(line).0).sum();
        let most = budget(whole);
        let compressed = compress(&text, TokenCount(most));
        let is_json = kind_of(&text).1.is_some();
        if compressed.left_out > 0 && !is_json {
            assert_eq!(compressed.kind, kind.1, "{file}");
        }
        assert!(size(&compressed.lines) <= most, "{file}");
        // JSON is written anew, with other spaces, and without quotes around the texts of the outermost object.
        let squeezed = |text: &str| {
            if is_json {
                text.replace(": ", ":").replace('"', "")
            } else {
                text.to_owned()
            }
        };
        let shown = compressed.lines.join("\n");
        for fact in facts {
            assert!(text.contains(fact), "{file}: {fact}");
            if !squeezed(&shown).contains(&squeezed(fact)) {
                lost.push(format!("{file}: {fact}"));
            }
        }
        let (in_text, kept) = (addresses(&text), addresses(&shown));
        let kept = kept.intersection(&in_text).count();
        // Addresses alone may take more than there is room for.
        let all: u64 = in_text.iter().map(|url| cost(url).0).sum();
        if all * 2 <= most {
            assert!(
                kept * 100 >= in_text.len() * required(in_text.len()),
                "{file}: {kept} of {}",
                in_text.len()
            );
        }
        (before, after) = (before + whole, after + size(&compressed.lines));
        (urls, kept_urls, count) = (urls + in_text.len(), kept_urls + kept, count + facts.len());
    }
    println!(
        "{}: {before} tokens before, {after} after, {kept_urls} of {urls} addresses, {} of {count} facts",
        kind.0,
        count - lost.len()
    );
    lost
}

/// Shortens ten recorded results of each kind twice: to the default budget of a run, and to a third of the result's size,
/// but at most the default.
///
/// For each result, `facts.json` names the program that returned it, and the facts in it. The facts were listed by somebody
/// who did not know the rules of this module.
#[test]
fn sixty_recorded_results_keep_their_facts_and_addresses() {
    let facts = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/results/facts.json"
    );
    let all: BTreeMap<String, Recorded> =
        serde_json::from_slice(&fs::read(facts).unwrap()).unwrap();
    let of_default = KINDS.map(|kind| lost(&all, kind, |_| 2_000)).concat();
    let of_third = KINDS.map(|kind| lost(&all, kind, |whole| (whole / 3).min(2_000)));
    let facts: usize = all.values().map(|one| one.facts.len()).sum();
    let of_third = of_third.concat();
    assert!(of_default.is_empty(), "{of_default:#?} {of_third:#?}");
    assert!(of_third.len() * 20 <= facts, "{of_third:#?}");
}

#[test]
fn a_text_that_fits_is_unchanged_and_an_empty_one_is_empty() {
    let text = "Title\n\nhttps://a.example/x\n  indented";
    assert_eq!(compress(text, BUDGET).lines.join("\n"), text);
    assert_eq!(compress("", BUDGET).lines, Vec::<String>::new());
    let one_line = "word ".repeat(500);
    for text in [
        r#"{"a":[1,2],"b":null,"c":12345678901234567890123}"#,
        &one_line,
    ] {
        assert_eq!(compress(text, BUDGET).lines, [text]);
    }
}

#[test]
fn addresses_that_were_left_out_are_listed_at_the_end() {
    let filler = "nothing of note here, and nothing there either\n".repeat(120);
    let text = format!(
        "A long report\n{filler}see https://a.example/report/7.\n{filler}also (https://b.example/x?y=1)\n{filler}"
    );
    let shown = compress(&text, BUDGET).lines.join("\n");
    assert!(
        shown.contains("https://a.example/report/7") && shown.contains("https://b.example/x?y=1"),
        "{shown}"
    );
    assert_eq!(
        [required(10), required(11), required(50), required(51)],
        [100, 80, 80, 60]
    );
}

#[test]
fn room_that_is_left_is_used() {
    let words = "a long way to go ".repeat(2_000);
    let body = json!({ "title": "Canal", "body": words });
    let links = json!(
        (0..12)
            .map(|n| json!({ "title": format!("Boat {n}"), "url": format!("https://a.example/{words}") }))
            .collect::<Vec<_>>()
    );
    let paragraphs = format!("{words}\n\n").repeat(3);
    for text in [body.to_string(), links.to_string(), words, paragraphs] {
        let size = size(&compress(&text, TokenCount(2_000)).lines);
        assert!((1_000..=2_000).contains(&size), "{size}: {}", &text[..80]);
    }
    let ids = json!({ "open": (101..109).collect::<Vec<_>>(), "notes": vec!["x".repeat(300); 40] });
    let shown = compress(&ids.to_string(), BUDGET).lines.join("\n");
    assert!(shown.contains("108"), "{shown}");
}

#[test]
fn the_failure_is_found_among_routine() {
    let mut log: Vec<String> = (0..400)
        .map(|n| format!("10:{:02}:{:02} INFO GET /index.html?{n}", n / 60, n % 60))
        .collect();
    log[200] = "10:03:20 ERROR: disk full".to_owned();
    log[230] = "10:03:50 ERROR: the order was lost".to_owned();
    let mut trace: Vec<String> = (0..160)
        .map(|n| format!("    at org.framework.Filter{n}.doFilter(Filter{n}.java:{n})"))
        .collect();
    trace.insert(
        0,
        "java.lang.IllegalStateException: card expired".to_owned(),
    );
    trace[1] = "    at shop.Pay.charge(Pay.java:31)".to_owned();
    let server = (0..100).map(|n| format!("    at step{n} (/usr/src/app/part{n}.js:1:{n})"));
    let server = [vec!["TypeError: no total".to_owned()], server.collect()].concat();
    for (lines, facts) in [
        (log, ["disk full", "the order was lost"]),
        (trace, ["card expired", "Pay.java:31"]),
        (server, ["no total", "/usr/src/app/part0.js"]),
    ] {
        let shown = compress(&lines.join("\n"), BUDGET);
        for fact in facts {
            let is_shown = shown.lines.iter().any(|line| line.contains(fact));
            assert!(is_shown, "{fact}: {:#?}", shown.lines);
        }
    }
}

#[test]
fn nothing_exceeds_the_budget_however_the_text_is_made() {
    let one_line = "a very long line ".repeat(5_000);
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let wide = json!((0..3_000).map(|n| json!({ "n": n })).collect::<Vec<_>>()).to_string();
    let keys = json!(
        (0..3_000)
            .map(|n| (format!("key {n}"), json!("x".repeat(90))))
            .collect::<serde_json::Map<_, _>>()
    )
    .to_string();
    for text in [
        one_line,
        deep,
        wide,
        keys,
        "日本語の長い文章。".repeat(2_000),
        "hello".to_owned(),
        "hello\nworld".to_owned(),
    ] {
        for budget in [0, 1, 2, 3, 4, 10, 100, 2_000] {
            let compressed = compress(&text, TokenCount(budget));
            let size: u64 = compressed.lines.iter().map(|line| cost(line).0).sum();
            assert!(size <= budget, "{size} of {budget}: {:?}", compressed.lines);
        }
    }
}
