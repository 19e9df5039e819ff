//! A file is taken whole, and what is imported twice counts once.

use std::collections::BTreeSet;

use proptest::{
    prelude::*,
    test_runner::{RngSeed, TestRunner},
};
use serde_json::{Value, json};
use webwise::memory::{
    Change, Namespace, Record, Shelf, apply,
    lesson::{COLLECTION, Lessons, v1},
};

use crate::import_export::{
    memory::{Memory, fixture, in_order},
    profile::pick,
    random::seed,
};

/// The fields of a lesson that version 1 defines.
const FIELDS: [&str; 10] = [
    "lesson",
    "category",
    "failed_command",
    "error_pattern",
    "domain",
    "use_count",
    "created_at",
    "last_used",
    "source",
    "triggered_domains",
];

/// What memory does not have of a document after its import, if anything; and that a second import changes nothing.
fn difference(document: &Value, mut memory: Memory) -> Option<String> {
    let parsed = v1::parse(document.to_string().as_bytes()).unwrap();
    if !parsed.problems.is_empty() {
        return Some(format!("not all is read: {:?}", parsed.problems));
    }
    let (done, _) = memory.import(&parsed, false);
    let told: Vec<_> = done
        .problems
        .iter()
        .filter(|problem| !problem.what.contains("is shown as far as"))
        .collect();
    if !told.is_empty() {
        return Some(format!("not all is taken: {told:?}"));
    }
    let wanted = document["lessons"].as_array().unwrap().iter().map(known);
    let (kept, wanted) = (in_order(memory.lessons()), in_order(wanted.collect()));
    if kept != wanted {
        return Some(format!("{kept:#?}\ninstead of\n{wanted:#?}"));
    }
    let before = memory.clone();
    let (_, changed) = memory.import(&parsed, false);
    (changed != 0 || memory != before).then(|| format!("a second import changes {changed} records"))
}

/// A lesson of a document without the fields that version 1 does not define.
fn known(lesson: &Value) -> Value {
    let mut lesson = lesson.as_object().unwrap().clone();
    lesson.retain(|name, _| FIELDS.contains(&&**name));
    lesson.into()
}

/// A memory that a run has used before: its seeds are planted.
fn planted() -> Memory {
    use webwise::memory::MemoryKind as _;
    let shelf = Shelf::global(&Namespace::default(), COLLECTION);
    let edit = Lessons
        .upkeep(&shelf, &[], crate::import_export::memory::now())
        .unwrap();
    let mut memory = Memory::default();
    memory
        .0
        .insert(shelf, apply(&[], &edit.changes(&[]).unwrap()));
    memory
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z ,.']{1,60}",
        "\\PC{1,40}",
        // Controls, escapes, marks that turn text around, line ends.
        "[a-z\\x00-\\x1f\\u{7f}-\\u{9f}\\u{200b}\\u{202e}\\u{e0041}\\n\\r\"\\\\<>`]{1,40}",
        "[a-z ]{290,330}",
    ]
    .prop_map(|text| format!("x{text}"))
}

fn maybe<T: Strategy<Value = String>>(some: T) -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        some.prop_map(Value::from),
        Just(json!(""))
    ]
}

fn domains() -> impl Strategy<Value = Value> {
    let some = vec![
        "amazon.com",
        "WWW.Amazon.com",
        "shop.co.uk",
        "me.github.io",
        "127.0.0.1",
        "[::1]",
        "bücher.example",
        "localhost",
    ];
    prop_oneof![3 => Just(Value::Null), 2 => prop::sample::select(some).prop_map(Value::from)]
}

fn days() -> impl Strategy<Value = String> {
    (1i32..=9999, 1u32..=12, 1u32..=28).prop_map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"))
}

prop_compose! {
    fn lesson()(
        words in texts(),
        category in prop::sample::select(&["tool_fallback", "best_practice", "error_recovery", "site_specific"][..]),
        (command, pattern, domain) in (maybe("[a-z_]{1,20}"), maybe("\\PC{1,30}"), domains()),
        uses in prop_oneof![0u64..100, any::<u64>()],
        (made, used) in (days(), days()),
        source in prop::sample::select(&["seed", "learned", "user"][..]),
        triggered in prop::collection::vec(prop_oneof!["[a-z]{1,8}\\.(com|org|example)", "\\PC{0,6}"], 0..7),
        extra in prop::collection::btree_map("z_[a-z]{1,8}", prop_oneof![
            Just(Value::Null), any::<i64>().prop_map(Value::from), "\\PC{0,10}".prop_map(Value::from), Just(json!({ "a": [1, 2.5] })),
        ], 0..2),
    ) -> Value {
        let mut lesson = json!({
            "lesson": words, "category": category, "failed_command": command, "error_pattern": pattern, "domain": domain,
            "use_count": uses, "created_at": made, "last_used": used, "source": source, "triggered_domains": triggered,
        });
        lesson.as_object_mut().unwrap().extend(extra);
        lesson
    }
}

fn documents() -> impl Strategy<Value = Value> {
    (
        prop::collection::vec(lesson(), 0..20),
        prop::option::of(any::<u32>()),
    )
        .prop_map(|(lessons, extra)| {
            // The same lesson twice is one lesson, which is a test of its own.
            let mut seen = BTreeSet::new();
            let lessons: Vec<Value> = lessons
                .into_iter()
                .filter(|lesson| {
                    let what = ["lesson", "failed_command", "error_pattern", "domain"];
                    seen.insert(what.map(|field| lesson[field].to_string()))
                })
                .collect();
            let mut document = json!({ "version": 1, "lessons": lessons });
            if let Some(extra) = extra {
                document["exported_by"] = json!({ "build": extra });
            }
            document
        })
}

#[test]
fn what_version_1_knows_is_kept() {
    let mut differences = Vec::new();
    let mut count = 0;
    let memories = [
        ("version_1_documented.json", Memory::default()),
        ("version_1.json", Memory::default()),
        ("version_1.json", planted()),
    ];
    for (name, memory) in memories {
        count += 1;
        let document: Value = serde_json::from_slice(&fixture(name)).unwrap();
        differences.extend(difference(&document, memory).map(|what| format!("{name}: {what}")));
    }
    let config = ProptestConfig {
        cases: pick(96, 4_096),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed("import_export: the documents")),
        ..ProptestConfig::default()
    };
    let generated = std::cell::Cell::new(0);
    TestRunner::new(config)
        .run(&documents(), |document| {
            generated.set(generated.get() + 1);
            match difference(&document, Memory::default()) {
                None => Ok(()),
                Some(what) => Err(TestCaseError::fail(what)),
            }
        })
        .unwrap();
    count += generated.get();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    figure!(
        "import_export: {count} documents, {} differences",
        differences.len()
    );
}

#[test]
fn the_same_lesson_twice_is_one_with_the_larger_count() {
    let one = |uses: u64, domains: &[&str]| json!({ "lesson": "Wait.", "category": "best_practice", "use_count": uses, "triggered_domains": domains });
    let document =
        json!({ "version": 1, "lessons": [one(3, &["a.example"]), one(5, &["b.example"])] });
    let mut memory = Memory::default();
    let (done, changed) =
        memory.import(&v1::parse(document.to_string().as_bytes()).unwrap(), false);
    assert_eq!(
        (done.taken, changed, done.problems.len()),
        (1, 1, 1),
        "{:?}",
        done.problems
    );
    let back = memory.lessons();
    assert_eq!(back.len(), 1);
    assert_eq!(
        (&back[0]["use_count"], &back[0]["triggered_domains"]),
        (&5.into(), &json!(["a.example", "b.example"]))
    );
}

#[test]
fn files_of_one_memory_may_come_in_any_order() {
    let state = |uses: u64, used: &str, category: &str| {
        let lesson = json!({
            "lesson": "Press Escape.", "category": category, "failed_command": "click", "error_pattern": "covered",
            "domain": null, "use_count": uses, "created_at": "2026-01-01", "last_used": used, "source": "learned",
            "triggered_domains": []
        });
        v1::parse(
            json!({ "version": 1, "lessons": [lesson] })
                .to_string()
                .as_bytes(),
        )
        .unwrap()
    };
    let files = [
        state(1, "2026-01-02", "error_recovery"),
        state(4, "2026-02-02", "error_recovery"),
        state(5, "2026-03-02", "best_practice"),
    ];
    let mut ends = BTreeSet::new();
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let mut memory = Memory::default();
        for at in order {
            memory.import(&files[at], false);
        }
        ends.insert(webwise::base::canonical(&memory.lessons().into()));
    }
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert!(
        ends.first().unwrap().contains("\"use_count\":5")
            && ends.first().unwrap().contains("best_practice")
    );
}

#[test]
fn uses_since_the_import_are_counted_on_top_and_a_newer_file_adds_only_what_is_new_in_it() {
    let file = |uses: u64| {
        let lesson = json!({ "lesson": "If fill fails, click(ref) to focus the input, then type(text) to enter text.",
            "category": "tool_fallback", "use_count": uses, "source": "seed", "last_used": "2026-01-01" });
        v1::parse(
            json!({ "version": 1, "lessons": [lesson] })
                .to_string()
                .as_bytes(),
        )
        .unwrap()
    };
    let mut memory = planted();
    memory.import(&file(3), false);
    let shelf = Shelf::global(&Namespace::default(), COLLECTION);
    let records = memory.0.get_mut(&shelf).unwrap();
    let mut seed = records
        .iter()
        .find(|record| record.key == "seed-fill-fallback")
        .unwrap()
        .body
        .clone();
    assert_eq!(seed["counts"]["used"], 3);
    // Two uses of its own.
    seed["counts"]["used"] = json!(5);
    *records = apply(
        records,
        &[Change::Put(Record::new("seed-fill-fallback", &seed))],
    );
    for (uses, total) in [(3, 5), (10, 12), (3, 12), (10, 12)] {
        memory.import(&file(uses), false);
        let back = memory.lessons();
        let seed = back
            .iter()
            .find(|l| l["category"] == "tool_fallback")
            .unwrap();
        assert_eq!(seed["use_count"], total);
    }
}
