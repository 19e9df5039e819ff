//! The documented memory events stand in a run's `memory_events.jsonl`, with their names and fields.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use webwise::{
    memory::{Change, Edit, MemoryKind as _, Namespace, Record, Shelf, lesson::Lessons},
    store::{JsonFiles, MemoryBackend as _},
};

use crate::memory_cli::world::{Machine, lines};

/// Event and key fields with the kind of their values. Source: the first requirements document.
const DOCUMENTED: [(&str, &[(&str, &str)]); 7] = [
    ("tier1_loaded", &[("count", "number"), ("lessons", "texts")]),
    (
        "error_recall",
        &[
            ("command", "text"),
            ("error_snippet", "text"),
            ("matched", "number"),
            ("lessons", "texts"),
        ],
    ),
    (
        "domain_recall",
        &[
            ("domain", "text"),
            ("matched", "number"),
            ("lessons", "texts"),
        ],
    ),
    (
        "lesson_recorded",
        &[
            ("lesson", "text"),
            ("category", "text"),
            ("failed_command", "text"),
            ("error_pattern", "text"),
        ],
    ),
    (
        "lesson_deduplicated",
        &[("lesson", "text"), ("new_use_count", "number")],
    ),
    (
        "lesson_promoted",
        &[
            ("lesson", "text"),
            ("use_count", "number"),
            ("triggered_domains", "texts"),
        ],
    ),
    (
        "lessons_pruned",
        &[("pruned_count", "number"), ("remaining_count", "number")],
    ),
];

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Number(n) if n.is_u64() => "number",
        Value::String(_) => "text",
        Value::Array(all) if all.iter().all(Value::is_string) => "texts",
        _ => "other",
    }
}

/// A lesson of long ago that nobody used.
async fn stale(machine: &Machine) {
    let shelf = Shelf::global(&Namespace::default(), Lessons.name());
    let body = json!({
        "text": { "template": { "command": "hover", "trouble": "no_effect", "recovery": { "instead": { "tool": "click" } } } },
        "category": "error_recovery", "source": "learned", "created_at": "2025-01-01T00:00:00Z",
        "last_used": "2025-01-01T00:00:00Z"
    });
    let record = Record::new("old", &body);
    let edit = Edit::new(move |_| Ok(vec![Change::Put(record.clone())]));
    JsonFiles::open(machine.memory())
        .update(&shelf, edit)
        .await
        .unwrap();
}

#[tokio::test]
async fn every_documented_event_is_written_with_its_fields() {
    let machine = Machine::new();
    stale(&machine).await;
    // Five runs on three sites promote what the first one learned.
    for (n, host) in [
        "a.example",
        "b.example",
        "c.example",
        "a.example",
        "b.example",
    ]
    .into_iter()
    .enumerate()
    {
        machine.shop(&format!("run_{n}"), host).await;
    }
    let mut seen: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for n in 0..5 {
        for event in lines(
            &machine
                .path("runs")
                .join(format!("run_{n}"))
                .join("memory_events.jsonl"),
        ) {
            seen.entry(event["event"].as_str().unwrap().to_owned())
                .or_default()
                .push(event);
        }
    }
    for (name, fields) in DOCUMENTED {
        let events = seen
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing in {:?}", seen.keys()));
        for event in events {
            for (field, wanted) in fields {
                assert_eq!(kind(&event[field]), *wanted, "{name}.{field} in {event}");
            }
        }
    }
    let of = |name: &str| &seen[name];
    assert_eq!(of("lessons_pruned")[0]["pruned_count"], 1);
    assert!(
        of("tier1_loaded")
            .iter()
            .all(|event| event["count"] == event["lessons"].as_array().unwrap().len())
    );
    assert!(
        of("error_recall")
            .iter()
            .all(|event| event["matched"] == event["lessons"].as_array().unwrap().len())
    );
    let promoted = &of("lesson_promoted")[0];
    assert_eq!(
        (&promoted["use_count"], &promoted["triggered_domains"]),
        (&5.into(), &json!(["a.example", "b.example", "c.example"]))
    );
    assert!(
        of("lesson_recorded")
            .iter()
            .any(|event| event["failed_command"] == "click"
                && event["error_pattern"] == "intercepted")
    );
}

#[tokio::test]
async fn five_uses_on_two_sites_promote_nothing() {
    let machine = Machine::new();
    for n in 0..5 {
        let host = ["a.example", "b.example"][n % 2];
        machine.shop(&format!("run_{n}"), host).await;
    }
    let mut uses = 0;
    for n in 0..5 {
        let file = format!("runs/run_{n}/memory_events.jsonl");
        for event in lines(&machine.path(&file)) {
            assert_ne!(event["event"], "lesson_promoted", "{event}");
            uses = uses.max(event["new_use_count"].as_u64().unwrap_or(0));
        }
    }
    assert_eq!(uses, 5, "they are enough for a third site");
}
