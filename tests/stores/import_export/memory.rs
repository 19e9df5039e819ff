//! A memory that is a map, and the documents that go in and out of it.

use std::{collections::BTreeMap, fs, path::Path};

use chrono::{DateTime, Utc};
use serde_json::Value;
use webwise::memory::{
    Namespace, Record, Shelf, apply,
    lesson::v1::{self, Document, Import},
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

    /// As a file of version 1.
    pub(crate) fn export(&self) -> Value {
        serde_json::from_str(&v1::export(&self.shelves()).to_json().unwrap()).unwrap()
    }
}

/// The document with its lessons in an order of their own: version 1 means none.
pub(crate) fn in_order(mut document: Value) -> Value {
    if let Some(lessons) = document["lessons"].as_array_mut() {
        lessons.sort_by_cached_key(webwise::base::canonical);
    }
    document
}
