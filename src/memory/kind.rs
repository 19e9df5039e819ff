//! The interface of a kind of memory: it reads shelves, gives advice, learns from runs, and lets people review and undo.
//!
//! The kinds of this crate are listed in [`kinds`]; each has a folder of its own. To add your own kind, pass it to
//! `with_kinds` of the loop and of the [keeper](crate::store::Keeper). No other module depends on a particular kind:
//! prompts get [`Advice`], events get [`Note`]s, and people get [descriptions](MemoryKind::describe).
//! `tests/memory_kind.rs` is a complete kind in 150 lines.
//!
//! # Decisions
//!
//! - A kind builds an [`Index`] for each shelf instead of scanning the records at each cue. So a recall is a lookup; on
//!   a host with learned recoveries, one walk over the page is added.
//! - A run is distilled before a kind learns from it. The distilled form contains no typed text that the goal does not give. So it may wait on disk
//!   while the store is busy, and the next run learns from it.
//! - Distilled runs wait on a shelf named `pending`, because every store can keep a shelf, or on `pending-2` while the
//!   first one takes none. A separate file would be one more format. The edits themselves cannot be stored, because they are functions.
//! - A waiting run is split into several records, because a store accepts 2 KiB for each record and a run needs more.

use std::{fmt::Debug, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    Advice, AdviceId, Committed, Described, Edit, Moment, Namespace, Note, Record, ReplayStep,
    RunLog, Shelf, Standing,
    agent_memory::{Converted, Domain, left_out},
    conversation::Conversations,
    knowledge::Knowledge,
    lesson::Lessons,
    pattern::Patterns,
    selector::Selectors,
    session::Sessions,
    site_map::SiteMaps,
    trajectory::{Trajectories, TrajectoryOptions},
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site},
    page::KnownElement,
    working::SiteMap,
};

/// An edit and the shelf to which it applies.
#[derive(Debug, Clone)]
pub struct ShelfEdit {
    /// The shelf.
    pub shelf: Shelf,
    /// The edit.
    pub edit: Edit,
}

/// The records of one shelf, prepared for queries.
pub trait Index: Debug + Send + Sync {
    /// Returns the advice for this moment, best first. `above` is true if the shelf belongs to a parent domain of the
    /// page's host, as told by [`Moment::is_above`].
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice>;

    /// Returns the elements of the page's host that earlier runs used, the most useful first. If a target is not on the page as
    /// the model named it, it is looked for among them. Each has the id of its record, so that a run can hold it back. The
    /// default is none.
    fn elements(&self, moment: &Moment<'_>) -> Vec<(AdviceId, KnownElement)> {
        let _ = moment;
        Vec::new()
    }

    /// Returns the next step of a task that memory knows, if this run can take it on the page of the moment as an earlier run
    /// took it. The run takes the step without asking its model. The default is none.
    fn replay(&self, moment: &Moment<'_>) -> Option<ReplayStep> {
        let _ = moment;
        None
    }
}

/// A kind of memory. Its methods are pure: they take records, and return advice and edits.
pub trait MemoryKind: Debug + Send + Sync {
    /// Returns the name of the kind, which is also the name of its collection.
    fn name(&self) -> &'static str;

    /// Returns an edit that the shelf needs before a run reads it, for example to add seeds or remove stale records; `None`
    /// if it needs none. The edit is idempotent.
    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit>;

    /// Returns the shelves to read at this moment, the most relevant first.
    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf>;

    /// Prepares the records of a shelf for queries. Called once for each generation of the shelf that a run reads.
    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index>;

    /// Returns the maximum number of pieces of advice for this moment, over all shelves.
    fn limit(&self, moment: &Moment<'_>) -> usize;

    /// Returns true if the advice says more than what earlier kinds say at the same moment. Advice that says the same again
    /// is left out. The default is true.
    fn adds(&self, own: &Advice, said: &[Advice]) -> bool {
        let _ = (own, said);
        true
    }

    /// Returns the part of a run's log that this kind can learn from; `None` if there is none. The value contains no
    /// secrets, and may wait in a store until the next run learns from it.
    fn distill(&self, log: &RunLog) -> Option<Value>;

    /// Returns the edits by which shelves learn from a distilled run, at most one for each shelf. They are idempotent
    /// for each run.
    ///
    /// # Errors
    /// `Corrupt` if the value does not come from [`distill`](Self::distill).
    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>>;

    /// Returns the edit by which the shelf of a host learns from an exploration; `None` if this kind learns nothing from
    /// explorations, which is the default.
    ///
    /// # Errors
    /// `InvalidInput` if the map has no page.
    fn learn_map(
        &self,
        namespace: &Namespace,
        host: &Host,
        map: &SiteMap,
        now: DateTime<Utc>,
    ) -> Result<Option<ShelfEdit>> {
        let _ = (namespace, host, map, now);
        Ok(None)
    }

    /// Returns an edit, valid for any shelf of this kind, that removes everything that a run taught. The edit is
    /// idempotent.
    ///
    /// # Errors
    /// `Unsupported` if the kind cannot undo, which is the default; an edit without effect would look like success.
    fn undo(&self, run: &RunId) -> Result<Edit> {
        Err(Error::new(ErrorKind::Unsupported, "memory.undo")
            .with("kind", self.name())
            .with("run", run))
    }

    /// Returns an edit of this kind's global shelf that removes everything that this host of a site taught, or everything that
    /// the site taught if `host` is `None`. The edit is idempotent. The shelves of the hosts themselves are removed without
    /// asking the kind.
    ///
    /// # Errors
    /// `Unsupported` if the kind cannot do this, which is the default.
    fn forget(&self, site: &Site, host: Option<&Host>) -> Result<Edit> {
        Err(Error::new(ErrorKind::Unsupported, "memory.forget")
            .with("kind", self.name())
            .with("place", host.map_or(site.as_str(), Host::as_str)))
    }

    /// Returns a description of the record for a person.
    ///
    /// # Errors
    /// `Corrupt` if the record is not a valid record of this kind. `Unsupported` if the kind does not describe its records,
    /// which is the default.
    fn describe(&self, record: &Record) -> Result<Described> {
        Err(Error::new(ErrorKind::Unsupported, "memory.describe")
            .with("kind", self.name())
            .with("key", &record.key))
    }

    /// Returns a description of the item with this key among the records of its shelf, with everything that is known of it: also
    /// what a prompt says of it, and what its other records say. The default describes the record of that key.
    ///
    /// # Errors
    /// Those of [`describe`](Self::describe). `InvalidInput` if there is no such record.
    fn describe_item(
        &self,
        shelf: &Shelf,
        records: &[Record],
        key: &str,
        now: DateTime<Utc>,
    ) -> Result<Described> {
        let _ = (shelf, now);
        self.describe(Record::find(records, key)?)
    }

    /// Returns an edit that marks the words of a record as accepted by a person. `shown` is the text that
    /// [`describe`](Self::describe) returned. If the record is retired, the edit brings it back, and its harm is counted anew.
    ///
    /// # Errors
    /// `Unsupported` if records of this kind never wait for a person, which is the default. The edit itself fails with
    /// `InvalidInput` and the reason as `why` if the record is gone or its words have changed.
    fn accept(&self, key: &str, shown: &str, now: DateTime<Utc>) -> Result<Edit> {
        let _ = (shown, now);
        Err(Error::new(ErrorKind::Unsupported, "memory.accept")
            .with("kind", self.name())
            .with("key", key))
    }

    /// Returns the key of the item that a record belongs to. That is the record's own key, unless an item of this kind
    /// consists of several records; people list, accept and forget items.
    fn item<'k>(&self, key: &'k str) -> &'k str {
        key
    }

    /// Returns the record as it is to be imported from another store. `vouched` is true if the importing person trusts the
    /// source; otherwise the words in the record must not count as accepted by a person.
    ///
    /// # Errors
    /// An error with the reason as `why` if the record is refused. The default accepts a record unchanged if `vouched`, and
    /// refuses it otherwise.
    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        if vouched {
            return Ok(record.clone());
        }
        Err(Error::new(ErrorKind::Unsupported, "memory.admit")
            .with("kind", self.name())
            .with("key", &record.key)
            .with("why", "is taken only if you vouch for the file"))
    }

    /// Returns the time at which a record last changed, by which two versions of an item are told apart; `None` if it has none,
    /// which is the default.
    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        let _ = record;
        None
    }

    /// Returns the records of an item of which another store, that a person trusts, has another version. `known` and `other` are
    /// all records of the item in each store. Merging the same version again changes nothing. The default keeps a version
    /// that does not wait for review, then the newer one by [`changed_at`](Self::changed_at), else the known one.
    ///
    /// # Errors
    /// `Corrupt` if the records cannot be written.
    fn merge(&self, known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
        let rank = |records: &[Record]| {
            let mut described = records.iter().filter_map(|one| self.describe(one).ok());
            let waits = described.any(|one| one.standing == Standing::WaitsForReview);
            let times = records.iter().filter_map(|record| self.changed_at(record));
            (!waits, times.max())
        };
        let kept = if rank(other) > rank(known) {
            other
        } else {
            known
        };
        Ok(kept.to_vec())
    }

    /// Converts the items of this kind in a [documented folder](super::agent_memory) to records. They are as a person imports
    /// them who trusts the folder; [`admit`](Self::admit) is still called for each. The default converts nothing.
    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        let _ = (domain, now);
        Converted::default()
    }

    /// Adds the items of a host's shelf to a documented folder. Returns what it cannot hold, described for a person. By default,
    /// that is all items.
    fn write_domain(&self, records: &[Record], domain: &mut Domain) -> Vec<String> {
        let _ = domain;
        let items = records
            .iter()
            .filter(|record| self.item(&record.key) == record.key)
            .count();
        let why = format!("the folder has no place for {}", self.name());
        left_out(items, "item", &why)
    }

    /// Returns notes about committed changes, for events. `remaining` is the number of records now on the shelf.
    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note>;
}

/// Returns the merged record of an item that is one record. A record that cannot be read stays as it is: a newer version may
/// have written it.
pub(super) fn merged_one(
    known: &[Record],
    other: &[Record],
    merge: impl Fn(&Record, &Record) -> Result<Record>,
) -> Result<Vec<Record>> {
    let merged = match (known, other) {
        ([known], [other]) => merge(known, other),
        _ => return Ok(known.to_vec()),
    };
    match merged {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(known.to_vec()),
        merged => Ok(vec![merged?]),
    }
}

/// The occasion on which a kind changed a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// [`MemoryKind::upkeep`], before the shelf was read.
    Upkeep,
    /// [`MemoryKind::learn`], after a run.
    Learning,
}

/// Returns the kinds of memory that a run uses by default.
pub fn kinds() -> Vec<Arc<dyn MemoryKind>> {
    kinds_with(KindOptions::default())
}

/// Options of the kinds of memory that a run uses by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KindOptions {
    /// If true, the ways of earlier runs are ranked by recency, speed and verified steps too, not only by the similarity of
    /// their goals. Default: false. Source: document.
    pub trace_scoring: bool,
    /// Age from which the way of an earlier run is removed. Unit: days. Default: 30. Source: document.
    pub trace_ttl_days: u32,
}

impl Default for KindOptions {
    fn default() -> Self {
        Self {
            trace_scoring: false,
            trace_ttl_days: 30,
        }
    }
}

/// Returns the kinds of memory that a run uses by default, with these options.
pub fn kinds_with(options: KindOptions) -> Vec<Arc<dyn MemoryKind>> {
    let trajectories = TrajectoryOptions {
        trace_scoring: options.trace_scoring,
        ttl_days: options.trace_ttl_days,
        ..TrajectoryOptions::default()
    };
    vec![
        Arc::new(Lessons),
        Arc::new(Knowledge),
        Arc::new(Sessions),
        Arc::new(Conversations),
        Arc::new(Trajectories::new(trajectories)),
        Arc::new(Patterns),
        Arc::new(SiteMaps),
        Arc::new(Selectors),
    ]
}
