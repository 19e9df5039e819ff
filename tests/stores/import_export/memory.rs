//! A memory that is a map, and the documents that go in and out of it.

use std::{collections::BTreeMap, fs, path::Path};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use webwise::memory::{
    Namespace, Record, Shelf, apply,
    lesson::{
        Lesson, LessonText,
        v1::{self, Document, Import},
    },
};

pub(crate) fn now() -> DateTime<Utc> {
    "2026-05-06T07:08:09Z".parse().unwrap()
}

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/memory")
            .join(name),
    )
    .unwrap()
}

#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Memory(pub(crate) BTreeMap<Shelf, Vec<Record>>);

impl Memory {
    /// Imports, and says how many records changed.
    pub(crate) fn import(&mut self, document: &Document, trust: bool) -> (Import, usize) {
        let done = v1::import(document, &Namespace::default(), trust, now());
        let mut changed = 0;
        for edit in &done.edits {
            let records = self.0.entry(edit.shelf.clone()).or_default();
            let changes = edit.edit.changes(records).unwrap();
            changed += changes.len();
            *records = apply(records, &changes);
        }
        (done, changed)
    }

    pub(crate) fn shelves(&self) -> Vec<(Shelf, Vec<Record>)> {
        self.0.clone().into_iter().collect()
    }

    /// The imported lessons, as a file of version 1 tells them.
    pub(crate) fn lessons(&self) -> Vec<Value> {
        let records = self.0.values().flatten();
        let lessons = records.map(|record| Lesson::from_record(record).unwrap());
        let told = lessons.filter_map(|lesson| {
            let original = lesson.original.clone()?;
            let (mut command, mut pattern) = (original.failed_command, original.error_pattern);
            if matches!(lesson.text, LessonText::Words(_)) {
                (command, pattern) = (lesson.failed_command, lesson.error_pattern);
            }
            Some(json!({
                "lesson": original.lesson.unwrap_or_else(|| lesson.text.render()), "category": lesson.category,
                "failed_command": command, "error_pattern": pattern, "domain": lesson.domain,
                "use_count": lesson.counts.used, "created_at": lesson.created_at.date_naive(),
                "last_used": lesson.last_used.date_naive(), "source": original.source,
                "triggered_domains": original.triggered_domains,
            }))
        });
        told.collect()
    }
}

/// The lessons in an order of their own: version 1 means none.
pub(crate) fn in_order(mut lessons: Vec<Value>) -> Vec<Value> {
    lessons.sort_by_cached_key(webwise::base::canonical);
    lessons
}
