//! Two memories become one: evidence and counts are added, and a run counts once.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use serde_json::json;
use webwise::{
    RunId, Site,
    action::{BrowserTool, FailureKind},
    memory::{
        Namespace, Record, Shelf, apply,
        archive::{self, Archive},
        kinds,
        knowledge::{Fact, FactSource},
        lesson::{
            Category, Credit, Evidence, Lesson, LessonSource, LessonText, Move, NamedKey, Recovery,
            Template,
        },
    },
};

use crate::import_export::memory::now;

fn run(n: i64) -> RunId {
    RunId::parse(format!("run_{n}")).unwrap()
}

/// A lesson that helped in these runs, and in some more whose evidence was dropped.
fn lesson(runs: &[i64], dropped: u64) -> Record {
    let text = LessonText::Template(Template::new(
        BrowserTool::Fill,
        FailureKind::NoEffect,
        Recovery::Instead(Move::press(NamedKey::Enter)),
    ));
    let key = text.key();
    let source = LessonSource::Learned;
    let mut lesson = Lesson::new(text, Category::ErrorRecovery, source, now());
    let mut credit = Credit::default();
    (credit.used, credit.helped) = (true, true);
    for n in runs {
        let site = format!("https://shop{n}.example/").parse().unwrap();
        let site = Site::of(&site).unwrap();
        lesson.triggered_domains.insert(site.clone());
        lesson.last_used = now() + TimeDelta::days(*n);
        lesson.evidence.push(Evidence {
            run: run(*n),
            at: now() + TimeDelta::days(*n),
            site: Some(site),
            hosts: BTreeSet::new(),
            credit,
        });
    }
    let all = runs.len() as u64 + dropped;
    (lesson.counts.used, lesson.counts.helped, lesson.runs) = (all, all, all);
    lesson.to_record(key).unwrap()
}

/// A fact that these runs observed.
fn fact(runs: &[i64]) -> Record {
    let sources: Vec<_> = runs
        .iter()
        .map(|n| json!({ "run": run(*n), "at": now() + TimeDelta::days(*n), "claim": "covers" }))
        .collect();
    let fact = json!({
        "kind": "obstacle", "about": { "element": { "role": "button", "name": "Accept" } },
        "sources": sources, "last_seen": now() + TimeDelta::days(*runs.last().unwrap())
    });
    let fact: Fact = serde_json::from_value(fact).unwrap();
    fact.to_record().unwrap()
}

/// The record of a shelf after another version of it was imported twice.
fn merged(collection: &str, known: Record, other: Record, trust: bool) -> Record {
    let archive = Archive {
        shelves: vec![(
            Shelf::global(&Namespace::default(), collection),
            vec![other],
        )],
        problems: Vec::new(),
    };
    let edit = &archive::import(&archive, &kinds(), None, trust).edits[0].edit;
    let records = [known];
    let records = apply(&records, &edit.changes(&records).unwrap());
    assert_eq!(edit.changes(&records).unwrap(), [], "nothing counts twice");
    let [record] = &records[..] else {
        panic!("one record: {records:?}");
    };
    record.clone()
}

#[test]
fn a_lesson_of_two_memories_has_the_runs_of_both_each_once() {
    let (known, other) = (lesson(&[1, 2, 3], 2), lesson(&[2, 3, 4], 1));
    for (known, other) in [(&known, &other), (&other, &known)] {
        let record = merged("lessons", known.clone(), other.clone(), true);
        let lesson = Lesson::from_record(&record).unwrap();
        let runs: Vec<&RunId> = lesson.evidence.iter().map(|one| &one.run).collect();
        assert_eq!(runs, [&run(1), &run(2), &run(3), &run(4)]);
        // Of the runs without evidence, nobody knows which are the same.
        assert_eq!(
            (lesson.counts.used, lesson.counts.helped, lesson.runs),
            (6, 6, 6)
        );
        assert_eq!(lesson.triggered_domains.len(), 4);
        assert_eq!(lesson.last_used, now() + TimeDelta::days(4));
    }
    let untouched = merged("lessons", known.clone(), other, false);
    assert_eq!(untouched, known, "nobody vouches for the other one");
}

#[test]
fn many_runs_of_two_memories_leave_the_latest_and_all_counts() {
    let many: Vec<i64> = (1..=10).collect();
    let more: Vec<i64> = (6..=17).collect();
    let record = merged("lessons", lesson(&many, 0), lesson(&more, 0), true);
    let lesson = Lesson::from_record(&record).unwrap();
    assert_eq!((lesson.counts.used, lesson.runs), (17, 17));
    assert!(lesson.evidence.len() <= webwise::memory::lesson::MAX_EVIDENCE);
    assert_eq!(lesson.evidence.last().unwrap().run, run(17));

    let record = merged("knowledge", fact(&many), fact(&more), true);
    let fact = Fact::from_record(&record).unwrap();
    assert_eq!(fact.runs(), 17);
    assert_eq!(fact.sources.last().unwrap().run, run(17));
}

#[test]
fn a_fact_of_two_memories_is_as_sure_as_all_its_runs_make_it() {
    let (known, other) = (fact(&[1, 2]), fact(&[2, 3]));
    let whole = fact(&[1, 2, 3]);
    assert_eq!(
        merged("knowledge", known.clone(), other.clone(), true),
        whole
    );
    assert_eq!(
        merged("knowledge", other.clone(), known.clone(), true),
        whole
    );
    assert_eq!(
        merged("knowledge", known.clone(), other.clone(), false),
        known
    );

    let accepted = |record: &Record| {
        let mut fact = Fact::from_record(record).unwrap();
        fact.source = FactSource::User;
        fact.to_record().unwrap()
    };
    let record = merged("knowledge", known, accepted(&other), true);
    let fact = Fact::from_record(&record).unwrap();
    assert_eq!(
        (fact.source, fact.runs()),
        (FactSource::User, 2),
        "what a person accepted stays as it was accepted"
    );
}

#[test]
fn runs_that_an_older_record_sums_up_without_their_number_count_once() {
    let whole = fact(&[1, 2, 3]);
    let mut older = Fact::from_record(&fact(&[3])).unwrap();
    older.before = Fact::from_record(&fact(&[1, 2])).unwrap().slot();
    assert_eq!(older.runs_before, 0);
    let older = older.to_record().unwrap();
    let slot = |record: &Record| Fact::from_record(record).unwrap().slot();
    for (known, other) in [(&whole, &older), (&older, &whole)] {
        let record = merged("knowledge", known.clone(), other.clone(), true);
        assert_eq!(slot(&record), slot(&whole));
    }
}
