//! What memory is asked and given are spans with the names of the semantic conventions for generative AI.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use ::tracing::{
    Event as Record, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record as Recorded},
};
use serde_json::json;
use webwise::{
    RunId,
    event::{Event, EventKind, EventSink as _, Tracing},
    memory::{AdviceId, Change, Committed, Durable, Namespace, Record as Stored, Shelf},
};

type Fields = BTreeMap<String, String>;
/// The fields of a record, with the span it was made in.
type Inside = (Option<u64>, Fields);

/// Keeps spans with their fields, and the fields of what is recorded inside of them.
#[derive(Debug, Clone, Default)]
struct Memory {
    next: Arc<AtomicU64>,
    spans: Arc<Mutex<BTreeMap<u64, (&'static str, Fields)>>>,
    inside: Arc<Mutex<Vec<Inside>>>,
    current: Arc<Mutex<Vec<u64>>>,
}

struct Visitor<'a>(&'a mut Fields);

impl Visit for Visitor<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Memory {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "webwise"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::SeqCst) + 1;
        let mut fields = Fields::new();
        span.record(&mut Visitor(&mut fields));
        self.spans
            .lock()
            .unwrap()
            .insert(id, (span.metadata().name(), fields));
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Recorded<'_>) {
        values.record(&mut Visitor(
            &mut self
                .spans
                .lock()
                .unwrap()
                .get_mut(&span.into_u64())
                .unwrap()
                .1,
        ));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Record<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Visitor(&mut fields));
        self.inside
            .lock()
            .unwrap()
            .push((self.current.lock().unwrap().last().copied(), fields));
    }

    fn enter(&self, span: &Id) {
        self.current.lock().unwrap().push(span.into_u64());
    }

    fn exit(&self, _: &Id) {
        self.current.lock().unwrap().pop();
    }
}

fn shelf() -> Shelf {
    Shelf::global(&Namespace::parse("team-a").unwrap(), "lessons")
}

fn emit(kinds: Vec<EventKind>) -> Memory {
    let keeper = Memory::default();
    ::tracing::subscriber::with_default(keeper.clone(), || {
        for kind in kinds {
            let at = "2026-01-02T03:04:05Z".parse().unwrap();
            Tracing.emit(&Event::new(kind, RunId::parse("run_1").unwrap(), 3, at));
        }
    });
    keeper
}

fn fields(pairs: &[(&str, &str)]) -> Fields {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn a_recall_is_a_search_of_memory() {
    let item = |key: &str| AdviceId {
        shelf: shelf(),
        key: key.to_owned(),
    };
    let recall = |items: Vec<AdviceId>| EventKind::ErrorRecall {
        command: "click".to_owned(),
        error_snippet: "intercepted".to_owned(),
        matched: items.len(),
        lessons: items.iter().map(|_| "Press Escape.".to_owned()).collect(),
        items,
        elapsed_ms: 7,
    };
    let keeper = emit(vec![
        recall(vec![item("a"), item("b")]),
        recall(vec![item("a")]),
        recall(Vec::new()),
    ]);
    let spans: Vec<_> = keeper.spans.lock().unwrap().values().cloned().collect();
    let common = [
        ("event", "error_recall"),
        ("run", "run_1"),
        ("step", "3"),
        ("elapsed_ms", "7"),
        ("gen_ai.operation.name", "search_memory"),
    ];
    let store = ("gen_ai.memory.store.id", "team-a");
    let wanted = [
        vec![store, ("gen_ai.memory.record.count", "2")],
        vec![
            store,
            ("gen_ai.memory.record.count", "1"),
            ("gen_ai.memory.record.id", "a"),
        ],
        vec![("gen_ai.memory.record.count", "0")],
    ];
    for ((name, found), own) in spans.into_iter().zip(&wanted) {
        assert_eq!(
            (name, found),
            ("search_memory", fields(&[&common[..], own].concat()))
        );
    }
    // The words are in the record inside of the span, and in no attribute.
    let inside = keeper.inside.lock().unwrap().clone();
    assert_eq!(
        inside.iter().map(|(span, _)| *span).collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3)]
    );
    assert!(inside[0].1["json"].contains("Press Escape."));
}

#[test]
fn a_change_of_memory_is_an_upsert_or_a_deletion() {
    let put = || Change::Put(Stored::new("k", &json!({ "n": 1 })));
    let updated = |changes: Vec<Change>| {
        let committed = Committed {
            generation: 2,
            durable: Durable::Yes,
            changes,
        };
        EventKind::MemoryUpdated {
            shelf: shelf(),
            committed,
            elapsed_ms: 5,
        }
    };
    let remove = || Change::Remove("old".to_owned());
    let keeper = emit(vec![
        updated(vec![put()]),
        updated(vec![put(), remove()]),
        updated(vec![remove()]),
    ]);
    let spans: Vec<_> = keeper.spans.lock().unwrap().values().cloned().collect();
    let told: Vec<_> = spans
        .iter()
        .map(|(name, f)| {
            (
                *name,
                f["gen_ai.operation.name"].as_str(),
                f["gen_ai.memory.record.count"].as_str(),
                f.get("gen_ai.memory.record.id").map(String::as_str),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("upsert_memory", "upsert_memory", "1", Some("k")),
            ("upsert_memory", "upsert_memory", "2", None),
            ("delete_memory", "delete_memory", "1", Some("old")),
        ]
    );
    for (_, found) in &spans {
        assert_eq!(
            (
                found["webwise.shelf"].as_str(),
                found["elapsed_ms"].as_str()
            ),
            ("team-a/lessons", "5")
        );
        assert_eq!(
            (
                found["gen_ai.memory.store.id"].as_str(),
                found["event"].as_str()
            ),
            ("team-a", "memory_updated")
        );
    }
}

#[test]
fn what_a_run_taught_is_recorded_under_its_documented_name() {
    let keeper = emit(vec![EventKind::LessonsPruned {
        pruned_count: 2,
        remaining_count: 3,
    }]);
    let inside = keeper.inside.lock().unwrap().clone();
    assert_eq!(
        (inside[0].0, inside[0].1["event"].as_str()),
        (None, "lessons_pruned")
    );
    let json: serde_json::Value = serde_json::from_str(&inside[0].1["json"]).unwrap();
    assert_eq!(
        json,
        json!({ "event": "lessons_pruned", "pruned_count": 2, "remaining_count": 3 })
    );
    assert!(keeper.spans.lock().unwrap().is_empty());
}
