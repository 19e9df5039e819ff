//! Site maps: the pages of a host that an exploration found. In an exploration, this program follows the links of a host to
//! list its pages.
//!
//! A later run on the host is shown the pages that share words with its goal, so that it can go straight to them. Everything
//! here is pure.
//!
//! # Decisions
//!
//! - A page is shown as quoted data, because the page wrote its title and headings.
//! - A page that shares no word with the goal is not shown. So a map takes space in a prompt only if it may help.
//! - An exploration adds pages to the map of its host. If there are too many, the pages that were seen longest ago are
//!   removed. Runs do not change a map, because memory keeps their steps as recipes.

mod record;
mod show;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

pub use record::{Explored, MAX_PAGES};

use super::{
    Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment, Namespace, Note, Occasion,
    Origin, Record, RunLog, Shelf, ShelfEdit, Standing,
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site},
    working::SiteMap,
};

/// Name of the collection of site maps.
pub const COLLECTION: &str = "site_map";
/// Age from which a page is removed from the map of its host. Source: chosen; recipes have the same maximum age.
const MAX_AGE: TimeDelta = TimeDelta::days(30);

/// The memory kind for site maps.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteMaps;

impl MemoryKind for SiteMaps {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        let is_old = move |record: &Record| {
            Explored::from_record(record).is_ok_and(|page| now - page.explored_at >= MAX_AGE)
        };
        records.iter().any(is_old).then(|| {
            Edit::new(move |records: &[Record]| {
                let old = records.iter().filter(|record| is_old(record));
                Ok(old
                    .map(|record| Change::Remove(record.key.clone()))
                    .collect())
            })
        })
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, COLLECTION, host)],
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(show::MapIndex::new(shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        show::MAX_SHOWN
    }

    fn distill(&self, _: &RunLog) -> Option<Value> {
        None
    }

    /// Returns no edits, because site maps are learned from explorations and not from runs.
    fn learn(&self, _: &Namespace, _: &Value) -> Result<Vec<ShelfEdit>> {
        Ok(Vec::new())
    }

    fn learn_map(
        &self,
        namespace: &Namespace,
        host: &Host,
        map: &SiteMap,
        now: DateTime<Utc>,
    ) -> Result<Option<ShelfEdit>> {
        if map.pages.is_empty() {
            return Err(Error::new(ErrorKind::InvalidInput, "site_map.learn_map")
                .with("why", "no page was seen"));
        }
        let pages: Vec<Record> = map
            .pages
            .iter()
            .filter_map(|page| Explored::of(page, now))
            .take(MAX_PAGES)
            .map(|page| page.to_record())
            .collect::<Result<_>>()?;
        let edit = Edit::new(move |records: &[Record]| {
            let is_other = |known: &&Record| !pages.iter().any(|page| page.key == known.key);
            let mut others: Vec<(DateTime<Utc>, &Record)> = records
                .iter()
                .filter(is_other)
                .filter_map(|known| Some((Explored::from_record(known).ok()?.explored_at, known)))
                .collect();
            others.sort_by_key(|(at, known)| (*at, &known.key));
            let too_many = (others.len() + pages.len()).saturating_sub(MAX_PAGES);
            let gone = others.iter().take(too_many);
            let gone = gone.map(|(_, known)| Change::Remove(known.key.clone()));
            let new = pages.iter().filter(|page| !records.contains(page));
            Ok(gone.chain(new.cloned().map(Change::Put)).collect())
        });
        Ok(Some(ShelfEdit {
            shelf: Shelf::host(namespace, COLLECTION, host),
            edit,
        }))
    }

    /// Returns an edit that changes nothing, because site maps are learned from explorations and not from runs.
    fn undo(&self, _: &RunId) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    /// Returns an edit that changes nothing, because site maps are only on the shelves of hosts.
    fn forget(&self, _: &Site, _: Option<&Host>) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Explored::from_record(record)
            .ok()
            .map(|one| one.explored_at)
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        let page = Explored::from_record(record)?;
        let mut described = Described::new(&page.line(), Origin::Learned, Standing::Shown);
        "page".clone_into(&mut described.is);
        described.details = vec![
            ("Address", page.url.clone()),
            ("Explored", page.explored_at.to_rfc3339()),
        ];
        if let Ok(Value::Object(data)) = serde_json::to_value(&page) {
            described.data = data;
        }
        Ok(described)
    }

    fn notes(&self, _: Occasion, _: &Shelf, _: &RunId, _: &Committed, _: usize) -> Vec<Note> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
