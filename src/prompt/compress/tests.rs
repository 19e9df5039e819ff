use serde_json::json;

use super::*;

/// Maximum size of a shortened result in these tests.
const BUDGET: TokenCount = TokenCount(600);

/// A result of a tool, and the facts that must still be in it after it was shortened.
struct Sample {
    kind: Kind,
    text: String,
    facts: Vec<String>,
}

/// Ten results of each kind, each longer than the one before.
fn samples() -> Vec<Sample> {
    (0..10)
        .flat_map(|n| {
            [
                search(n),
                page(n),
                failure(n),
                orders(n),
                form(n),
                article(n),
            ]
        })
        .collect()
}

fn search(n: usize) -> Sample {
    let results: Vec<String> = (0..20 + n * 6)
        .map(|i| {
            format!(
                "Used kayak no. {i}, red, with two paddles\nhttps://shop{i}.example/item/{}\nA stable boat for lakes and slow rivers, 4.2 m \
                 long, stored indoors and hardly used; pick-up in town or delivery for a fee that depends on the distance.\n",
                i * 37
            )
        })
        .collect();
    Sample {
        kind: Kind::SearchResults,
        text: format!("About {} results\n\n{}", results.len(), results.join("\n")),
        facts: vec![
            "Used kayak no. 0,".to_owned(),
            "https://shop0.example/item/0".to_owned(),
        ],
    }
}

fn page(n: usize) -> Sample {
    let rows: Vec<String> = (0..40 + n * 20)
        .map(|i| {
            format!(
                "- generic [ref=e{}]:\n  - link \"Item {i}\" [ref=e{}]\n  - text: {} in stock",
                i * 2,
                i * 2 + 1,
                i % 9
            )
        })
        .collect();
    Sample {
        kind: Kind::PageState,
        text: format!(
            "- heading \"Stock of depot {n}\" [level=1]\n{}\n- alert \"Closes at noon\"",
            rows.join("\n")
        ),
        facts: vec![
            format!("Stock of depot {n}"),
            "Closes at noon".to_owned(),
            "Item 0".to_owned(),
        ],
    }
}

fn failure(n: usize) -> Sample {
    let frames: Vec<String> = (0..40 + n * 20)
        .map(|i| {
            format!(
                "    at module.step{i} (/srv/app/lib/part{i}.js:{}:17)",
                i * 3
            )
        })
        .collect();
    Sample {
        kind: Kind::Error,
        text: format!(
            "Error: order {n} was refused\n{}\nCaused by: the card has expired\n{}",
            frames.join("\n"),
            frames.join("\n")
        ),
        facts: vec![
            format!("order {n} was refused"),
            "the card has expired".to_owned(),
        ],
    }
}

fn orders(n: usize) -> Sample {
    let all: Vec<Value> = (0..30 + n * 30)
        .map(|i| json!({ "id": 4_000 + i, "customer": format!("Customer {i}"), "note": "please ring twice ".repeat(8), "paid": i % 2 == 0 }))
        .collect();
    Sample {
        kind: Kind::Structured,
        text: json!({ "total": all.len(), "next": format!("https://api.example/orders?page={}", n + 2), "orders": all }).to_string(),
        facts: vec![format!("{}", 30 + n * 30), format!("https://api.example/orders?page={}", n + 2), "4000".to_owned(), "Customer 1".to_owned()],
    }
}

fn form(n: usize) -> Sample {
    let fields: Vec<String> = (0..150 + n * 20)
        .map(|i| {
            if i % 3 == 0 {
                format!("Field number {i}: value {}", i * 7)
            } else {
                format!("Optional field number {i}:")
            }
        })
        .collect();
    Sample {
        kind: Kind::Form,
        text: format!(
            "Surname: Lovelace\n{}\nReference: R-{n}-77",
            fields.join("\n")
        ),
        facts: vec![
            "Surname: Lovelace".to_owned(),
            format!("Reference: R-{n}-77"),
            "Field number 0: value 0".to_owned(),
        ],
    }
}

fn article(n: usize) -> Sample {
    let paragraphs: Vec<String> = (0..12 + n * 2)
        .map(|i| {
            let rest = "It was a slow summer on the canal, and nobody hurried.\nThe locks opened late and closed early.\n".repeat(6);
            format!("Chapter {i} begins with the boat.\n{rest}")
        })
        .collect();
    Sample {
        kind: Kind::Text,
        text: format!(
            "The canal, volume {n}\n\n{}\nThe end of volume {n}",
            paragraphs.join("\n")
        ),
        facts: vec![
            format!("The canal, volume {n}"),
            "Chapter 0 begins".to_owned(),
            format!("The end of volume {n}"),
        ],
    }
}

#[test]
fn sixty_results_of_six_kinds_keep_their_facts_and_addresses() {
    let (mut before, mut after) = (0, 0);
    for Sample { kind, text, facts } in samples() {
        let compressed = compress(&text, BUDGET);
        let shown = compressed.lines.join("\n");
        assert_eq!(compressed.kind, kind, "{text}");
        let size: u64 = compressed.lines.iter().map(|line| cost(line).0).sum();
        assert!(size <= BUDGET.0, "{size}: {shown}");
        assert!(compressed.left_out > 0);
        for fact in facts {
            assert!(shown.contains(&fact), "{fact}: {shown}");
        }
        let (all, kept) = (addresses(&text), addresses(&shown));
        let needed = all.len() * required(all.len()) / 100;
        // Addresses alone may take more than there is room for.
        let whole: u64 = all.iter().map(|url| cost(url).0).sum();
        if whole * 2 <= BUDGET.0 {
            assert!(
                kept.len() >= needed,
                "{} of {}: {shown}",
                kept.len(),
                all.len()
            );
        }
        before += cost(&text).0;
        after += size;
    }
    println!("compression: 60 results, {before} tokens before, {after} after, all facts kept");
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
    ] {
        for budget in [0, 10, 100, 2_000] {
            let compressed = compress(&text, TokenCount(budget));
            let size: u64 = compressed.lines.iter().map(|line| cost(line).0).sum();
            assert!(size <= budget, "{size} of {budget}: {:?}", compressed.lines);
        }
    }
}
