//! The interface of a kind of memory: it reads shelves, gives advice, learns from runs, and lets people review and
//! undo.
//!
//! The kinds of this crate are listed in [`kinds`]; each has a folder of its own. To add your own kind, pass it to
//! `with_kinds` of the decision loop and of the [keeper](crate::store::Memory). No other module depends on a particular
//! kind: prompts get [`Advice`], events get [`Note`]s, and people get [descriptions](MemoryKind::describe).
//! `tests/scripted_loop/memory_kind.rs` is a complete kind in 150 lines.
//!
//! # Decisions
//!
//! - A kind builds an [`Index`] for each shelf, so that it does not scan the records each time that memory is asked.
//! - A run is distilled before a kind learns from it: the kind extracts the data that it needs. The steps in the
//!   distilled form contain a typed text only if the goal contains the same text. Answers, addresses and facts from the
//!   model may repeat other typed texts. For this reason, a distilled run may wait on disk if the store cannot apply
//!   the edits. Memory then learns from it at the next run.
//! - Distilled runs wait on a shelf named `pending`, or on `pending-2` while `pending` cannot be written. They wait on
//!   a shelf because every store can keep shelves. The edits themselves cannot be stored, because they are functions.
//! - A waiting run is split into several records, because a record has at most 2 KiB and a run needs more.

use std::{fmt::Debug, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    Advice, AdviceId, Committed, Described, Edit, Moment, Namespace, Note, Record, RunLog, Shelf,
    Standing,
    agent_memory::{Converted, Domain},
    knowledge::Knowledge,
    lesson::Lessons,
    recipe::{Recipe, RecipeOptions, Recipes},
    selector::Selectors,
    session::Sessions,
    site_map::SiteMaps,
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId, Site},
    page::KnownElement,
    working::SiteMap,
};

/// The reason why an import leaves out a record whose source the importing person does not trust. The text completes a
/// sentence that begins with the record or its shelf.
pub(crate) const UNVOUCHED: &str = "is taken only if the importing person trusts its source";

/// An edit and the shelf to which it applies.
#[derive(Debug, Clone)]
pub struct ShelfEdit {
    /// The shelf.
    pub shelf: Shelf,
    /// The edit.
    pub edit: Edit,
}

/// A recipe that a run may follow.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggested {
    /// The item of memory.
    pub item: AdviceId,
    /// The recipe.
    pub recipe: Arc<Recipe>,
    /// True if its goal is like that of the run, so that its steps are shown.
    pub fits: bool,
}

/// The records of one shelf, prepared for queries.
pub trait Index: Debug + Send + Sync {
    /// Returns the advice for this moment, the best first. `above` is the result of [`Moment::is_above`] for the shelf.
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice>;

    /// Returns elements of the page's host that earlier runs used, the most useful first. A run uses them to find a
    /// target if the page has no element with the name that the model gave. Each element comes with the id of its
    /// record, so that a run can [hold it back](super::is_withheld). The default is no elements.
    fn elements(&self, moment: &Moment<'_>) -> Vec<(AdviceId, KnownElement)> {
        let _ = moment;
        Vec::new()
    }

    /// Returns the recipes of the page's site, the best for the run's goal first. Those of the site alone come after those that
    /// [fit](Suggested::fits). The default is no recipes.
    fn recipes(&self, moment: &Moment<'_>) -> Vec<Suggested> {
        let _ = moment;
        Vec::new()
    }
}

/// A kind of memory. Its methods are pure: they take records, and return advice and edits.
pub trait MemoryKind: Debug + Send + Sync + 'static {
    /// Returns the name of the kind, which is also the name of its collection.
    fn name(&self) -> &'static str;

    /// Returns an edit that the shelf needs before a run reads it, for example to add the records that ship with the
    /// crate or to remove stale records. Applying the edit twice has the same effect as applying it once.
    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit>;

    /// Returns the host whose shelf keeps what is learned on `host`. The default is `host` itself. A kind that keeps what several
    /// hosts of a site have in common returns another one; then [`forget`](Self::forget) is asked for that shelf too.
    fn home(&self, host: &Host) -> Host {
        host.clone()
    }

    /// Returns the shelves to read at this moment, the most relevant first.
    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf>;

    /// Prepares the records of a shelf for queries. A run calls this method when it first reads the shelf, and again
    /// only after the shelf has changed.
    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index>;

    /// Returns the maximum number of pieces of advice for this moment, over all shelves.
    fn limit(&self, moment: &Moment<'_>) -> usize;

    /// Returns true if `own`, a piece of advice of this kind, adds something to `said`, the advice that other kinds
    /// have already given at this moment. Otherwise `own` is left out. The default is true.
    fn adds(&self, own: &Advice, said: &[Advice]) -> bool {
        let _ = (own, said);
        true
    }

    /// Returns the data from a run's log that this kind can learn from. The run replaces secrets in the value before
    /// memory learns from it. If memory cannot learn from the run at once, the value waits in the store until a later
    /// run.
    fn distill(&self, log: &RunLog) -> Option<Value>;

    /// Returns what this kind does not keep of a run, and why, in words for a person; `None` if there is nothing to say, which is
    /// the default. A model that proposes a fact reads these words too, for the run so far.
    fn unlearned(&self, log: &RunLog) -> Option<String> {
        let _ = log;
        None
    }

    /// Returns the edits by which shelves learn from a distilled run, at most one for each shelf. Applying an edit
    /// again for the same run changes nothing.
    ///
    /// # Errors
    /// `Corrupt` if the value does not come from [`distill`](Self::distill).
    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>>;

    /// Returns the edit that adds the pages of `map` to the shelf of the host. The map is the result of an exploration,
    /// in which this program follows the links of a host to list its pages. The default is `None`: the kind learns
    /// nothing.
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

    /// Returns an edit that removes everything learned from this run. The edit can be applied to any shelf of this
    /// kind. Applying it twice has the same effect as applying it once.
    ///
    /// # Errors
    /// `Unsupported` if the kind cannot undo, which is the default.
    fn undo(&self, run: &RunId) -> Result<Edit> {
        Err(Error::new(ErrorKind::Unsupported, "memory.undo")
            .with("kind", self.name())
            .with("run", run))
    }

    /// Returns an edit of this kind's global shelf that removes everything learned on `host`. If `host` is `None`, the
    /// edit removes everything learned on any host of the site. Applying the edit twice has the same effect as applying
    /// it once. The shelves of single hosts need no edit, because they are removed as a whole.
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

    /// Returns a complete description of the item with this key. `records` are all records of the item's shelf. The
    /// description includes the item's other records, and the lines with which a prompt shows the item. The default
    /// describes only the record with this key.
    ///
    /// # Errors
    /// The errors of [`describe`](Self::describe). `InvalidInput` if there is no record with this key.
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
    /// [`describe`](Self::describe) returned. If the record is retired, the edit makes it active again, and its
    /// failures are counted from 0.
    ///
    /// # Errors
    /// `Unsupported` if records of this kind never wait for a person, which is the default. The edit itself fails with
    /// `InvalidInput` if the record is gone or its words have changed. The error gives the reason as `why`.
    fn accept(&self, key: &str, shown: &str, now: DateTime<Utc>) -> Result<Edit> {
        let _ = (shown, now);
        Err(Error::new(ErrorKind::Unsupported, "memory.accept")
            .with("kind", self.name())
            .with("key", key))
    }

    /// Returns the key of the item that the record with this key belongs to. The default is the record's own key. For
    /// an item of several records, it is the key of the item's main record. People list, accept and forget items, not
    /// records.
    fn item<'k>(&self, key: &'k str) -> &'k str {
        key
    }

    /// Returns the form in which a record from another store is imported. `vouched` is true if the importing person
    /// trusts the other store. Otherwise, the words in the returned record must not count as accepted by a person.
    ///
    /// # Errors
    /// An error with the reason as `why` if the record is refused. The default accepts a record unchanged if `vouched`,
    /// and refuses it otherwise.
    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        if vouched {
            return Ok(record.clone());
        }
        Err(Error::new(ErrorKind::Unsupported, "memory.admit")
            .with("kind", self.name())
            .with("key", &record.key)
            .with("why", UNVOUCHED))
    }

    /// Returns the time of a record's last change, by which [`merge`](Self::merge) finds the newer of two versions. The
    /// default is `None`: the record has no such time.
    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        let _ = record;
        None
    }

    /// Merges two versions of an item and returns the resulting records. `known` has the item's records in this store.
    /// `other` has its records in another store, which a person trusts. Merging the same version again changes nothing.
    ///
    /// The default keeps one of the two versions as a whole. If only one version waits for review by a person, the
    /// other version is kept. Otherwise the version with the later [`changed_at`](Self::changed_at) is kept; if neither
    /// is later, the known one.
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

    /// Converts the items of this kind in a [documented folder](super::agent_memory) (the memory of another program) to
    /// records, as if a person trusted the folder. The import then passes each record to [`admit`](Self::admit), which
    /// changes or refuses the record if nobody trusts the folder. The default converts nothing.
    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        let _ = (domain, now);
        Converted::default()
    }

    /// Converts the [hints](super::agent_memory::Folder::hints) of such a folder to records of the global shelf, in the same way. The
    /// default converts nothing.
    fn read_hints(&self, hints: &[String], now: DateTime<Utc>) -> Converted {
        let _ = (hints, now);
        Converted::default()
    }

    /// Returns notes that report the committed changes as events of the run. `remaining` is the number of records that
    /// are now on the shelf.
    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note>;
}

/// Merges two versions of an item that consists of one record. If one version cannot be read, the known version stays
/// unchanged.
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

/// The occasion on which a kind of memory changed a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The edit of [`MemoryKind::upkeep`] changed the shelf before a run read it.
    Upkeep,
    /// The shelf was changed after a run, by an edit of [`MemoryKind::learn`].
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
    /// If true, recipes (the recorded steps of earlier runs) are ranked not only by the similarity of their goals to the goal of
    /// the run, but also by age, speed, and the share of steps whose effect was seen. Default: false.
    pub trace_scoring: bool,
    /// Age above which a recipe is removed. The age counts from the last run that reached its goal by these steps. Unit: days.
    /// Default: 30.
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
    let recipes = RecipeOptions {
        trace_scoring: options.trace_scoring,
        ttl_days: options.trace_ttl_days,
        ..RecipeOptions::default()
    };
    vec![
        Arc::new(Lessons),
        Arc::new(Knowledge),
        Arc::new(Sessions),
        Arc::new(Recipes::new(recipes)),
        Arc::new(SiteMaps),
        Arc::new(Selectors),
    ]
}
