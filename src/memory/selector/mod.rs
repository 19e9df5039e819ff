//! Selectors: the elements that runs used on a host, with the attributes by which they are found when their names
//! change.
//!
//! Selectors take no space in prompts. The executor uses them if it cannot find a target as the model named it, because
//! the model's words match nothing on the page, or because the page replaced the element and its reference is gone.
//! `learn` finds the elements in the steps of a run, and `record` defines their stored form. Everything here is pure.
//!
//! # Decisions
//!
//! - An element is identified by its role and the most reliable attribute that the page's authors gave it: a test id,
//!   the name of a field, a placeholder, a picture's description, an icon. An element without such an attribute is not
//!   kept. References are never kept, and neither are paths through the page, which change with the first redesign.
//! - A remembered element is found by its role and its attributes, which are tried in turn, the most reliable first.
//!   The first attribute that the page has on any element with the role decides: it must be on exactly one such
//!   element. If the model named the target in words, these words must be a former name of the element, and must match
//!   nothing on the page. A remembered element is never used for an action that cannot be undone.
//! - A failure counts against an element only if its attributes had been used to find the target. Other failures say
//!   nothing about attributes.
//! - The texts of the elements are untrusted, because pages wrote them. The elements are used only on their own host.
//!   None of their texts reaches a prompt. The model would gain nothing from them, because the prompt gives it a
//!   reference to each element of the page.

mod documented;
mod learn;
mod record;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub use learn::MAX_SELECTORS;
pub use record::{FAILED_IN_A_ROW, MAX_NAMES, MAX_RUNS, Mark, Selector, Use};

use super::{
    Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment,
    Namespace, Note, Occasion, Origin, Record, RunLog, Shelf, ShelfEdit, Standing,
    agent_memory::{Converted, Domain},
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site, text::counted},
    page::KnownElement,
};

/// Name of the collection of selectors.
pub const COLLECTION: &str = "selectors";

/// The memory kind for selectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selectors;

/// The elements of a host, those with the most successful runs first.
#[derive(Debug)]
struct SelectorIndex(Vec<(AdviceId, KnownElement)>);

impl Index for SelectorIndex {
    fn advise(&self, _: &Moment<'_>, _: bool) -> Vec<Advice> {
        Vec::new()
    }

    fn elements(&self, moment: &Moment<'_>) -> Vec<(AdviceId, KnownElement)> {
        match moment.cue {
            Cue::PageShown { .. } => self.0.clone(),
            _ => Vec::new(),
        }
    }
}

impl MemoryKind for Selectors {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, COLLECTION, host)],
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        let read = records.iter().filter_map(|record| {
            let one = Selector::from_record(record).ok()?;
            Some((record.key.clone(), one))
        });
        let mut all: Vec<(String, Selector)> = read
            .filter(|(_, one)| !one.is_retired() && !one.imported)
            .collect();
        all.sort_by_cached_key(|(_, one)| (std::cmp::Reverse(one.succeeded), one.key()));
        let known = all.into_iter().map(|(key, one)| {
            let shelf = shelf.clone();
            (AdviceId { shelf, key }, one.known())
        });
        Arc::new(SelectorIndex(known.collect()))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        0
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let learned = learn::Learned::of(log);
        let says = !learned.used.is_empty();
        says.then(|| serde_json::to_value(&learned).ok()).flatten()
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let learned: learn::Learned = serde_json::from_value(distilled.clone())
            .map_err(|error| Error::new(ErrorKind::Corrupt, "selector.learn").with_source(error))?;
        let hosts: BTreeSet<Host> = learned.used.iter().map(|used| used.host.clone()).collect();
        let learned = Arc::new(learned);
        let edit = |host: Host| {
            let learned = Arc::clone(&learned);
            ShelfEdit {
                shelf: Shelf::host(namespace, COLLECTION, &host),
                edit: Edit::new(move |records| learn::learn(records, &host, &learned)),
            }
        };
        Ok(hosts.into_iter().map(edit).collect())
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records| learn::undo(records, &run)))
    }

    /// Returns an edit that changes nothing, because selectors are only on the shelves of hosts.
    fn forget(&self, _: &Site, _: Option<&Host>) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    fn accept(&self, key: &str, shown: &str, _: DateTime<Utc>) -> Result<Edit> {
        let (key, shown) = (key.to_owned(), shown.to_owned());
        Ok(Edit::new(move |records| {
            learn::accept(records, &key, &shown)
        }))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        learn::admit(record, vouched)
    }

    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        documented::read(domain, now)
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Selector::from_record(record).ok().map(|one| one.last_used)
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        let one = Selector::from_record(record)?;
        let (origin, standing) = match (one.imported, one.is_retired()) {
            (true, _) => (Origin::Imported, Standing::WaitsForReview),
            (false, true) => (Origin::Learned, Standing::Retired),
            (false, false) => (Origin::Learned, Standing::Silent("used, never shown")),
        };
        let mut described = Described::new(&one.words(), origin, standing);
        "element".clone_into(&mut described.is);
        described.results = format!(
            "used in {}, failed in {}",
            counted(one.succeeded, "run"),
            one.failed
        );
        described.details = vec![("Last used", one.last_used.to_rfc3339())];
        if let Value::Object(data) = &record.body {
            described.data.clone_from(data);
        }
        Ok(described)
    }

    /// Returns notes about the elements that the run found by their attributes.
    fn notes(
        &self,
        _: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        _: usize,
    ) -> Vec<Note> {
        let told = committed.changes.iter().filter_map(|change| {
            let Change::Put(record) = change else {
                return None;
            };
            let one = Selector::from_record(record).ok()?;
            let used = one
                .uses
                .iter()
                .find(|used| used.run == *run && used.healed)?;
            let data = json!({ "done": used.done, "used": true, "followed": true, "helped": used.done, "harmed": !used.done });
            Some(Note::Changed {
                id: AdviceId {
                    shelf: shelf.clone(),
                    key: record.key.clone(),
                },
                what: "selector_used".to_owned(),
                text: one.words(),
                data,
            })
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests;
