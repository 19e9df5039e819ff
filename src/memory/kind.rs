//! A kind of memory: what it reads, advises and learns, and what a person may do with it.
//!
//! A kind of this crate is a folder and a line in [`kinds`]; one of an embedder is given to the loop and to the
//! [keeper](crate::store::Keeper) by `with_kinds`. Nothing else knows one kind from another: prompts get [`Advice`], events
//! get [`Note`]s, and people get what it [describes](MemoryKind::describe). `tests/memory_kind.rs` is a kind of 150 lines.
//!
//! # Decisions
//!
//! - A memory kind gives an index a shelf instead of reading records at each cue: a recall is a lookup; a host that
//!   taught recoveries adds one walk over the page.
//! - What a run says is distilled before it is learned from: the distilled form holds no typed text, so it may wait
//!   on disk when the store is busy, and the next run learns from it.
//! - Runs that wait are a shelf named `pending`: every store can keep it; a file beside the shelves would be one more
//!   format, and an edit is a function that cannot be stored.
//! - A waiting run is cut into records: a durable store takes 2 KiB each, and the words of a run are longer.

use std::{fmt::Debug, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    Advice, Committed, Described, Edit, Moment, Namespace, Note, Record, RunLog, Shelf,
    lesson::Lessons,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site};

/// A shelf and its edit.
#[derive(Debug, Clone)]
pub struct ShelfEdit {
    /// The shelf.
    pub shelf: Shelf,
    /// The edit.
    pub edit: Edit,
}

/// The records of one shelf, prepared for queries.
pub trait Index: Debug + Send + Sync {
    /// Returns its advice, best first. `above` is true if the shelf belongs to a parent name of the page's host.
    fn advise(&self, moment: &Moment<'_>, above: bool) -> Vec<Advice>;
}

/// A kind of memory. Pure: records come in, advice and edits go out.
pub trait MemoryKind: Debug + Send + Sync {
    /// The name of the kind, which is also the name of its collection.
    fn name(&self) -> &'static str;

    /// Returns an edit that a shelf needs before a run reads it, for example to add seeds or to remove stale records;
    /// `None` if it needs nothing. Idempotent.
    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit>;

    /// Returns the shelves to read at a moment, the most relevant ones first.
    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf>;

    /// Prepares the records of a shelf for queries. Called once for each generation that a run reads.
    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index>;

    /// Maximum amount of advice at a moment, over all shelves.
    fn limit(&self, moment: &Moment<'_>) -> usize;

    /// Extracts from a run's log what this kind can learn from; `None` if nothing. The value contains no secrets, and
    /// may wait in a store until there is time to learn from it.
    fn distill(&self, log: &RunLog) -> Option<Value>;

    /// Returns the edits that follow from a distilled run, at most one for each shelf. Idempotent for a run.
    ///
    /// # Errors
    /// `Corrupt` if the value was not made by [`distill`](Self::distill).
    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>>;

    /// An edit of any shelf of this kind that removes what a run taught. Idempotent.
    ///
    /// # Errors
    /// `Unsupported` if the kind cannot tell, which is the default: what stays must not pass for undone.
    fn undo(&self, run: &RunId) -> Result<Edit> {
        Err(Error::new(ErrorKind::Unsupported, "memory.undo")
            .with("kind", self.name())
            .with("run", run))
    }

    /// An edit of the global shelf of this kind that removes what a host and its site taught. Idempotent. The shelves
    /// of the host itself are removed without asking the kind.
    ///
    /// # Errors
    /// `Unsupported` if the kind cannot tell, which is the default.
    fn forget(&self, site: &Site, host: &Host) -> Result<Edit> {
        Err(Error::new(ErrorKind::Unsupported, "memory.forget")
            .with("kind", self.name())
            .with("site", site)
            .with("host", host))
    }

    /// Describes a record for a person.
    ///
    /// # Errors
    /// `Corrupt` if the record cannot be read as one of this kind. `Unsupported` if the kind does not describe its
    /// records, which is the default.
    fn describe(&self, record: &Record) -> Result<Described> {
        Err(Error::new(ErrorKind::Unsupported, "memory.describe")
            .with("kind", self.name())
            .with("key", &record.key))
    }

    /// An edit by which a person accepts the words of a record, `shown` as [`describe`](Self::describe) gave them.
    ///
    /// # Errors
    /// `Unsupported` if nothing of this kind waits for a person, which is the default. The edit fails with
    /// `InvalidInput` and the reason as `why` if the record is gone or says something else now.
    fn accept(&self, key: &str, shown: &str, now: DateTime<Utc>) -> Result<Edit> {
        let _ = (shown, now);
        Err(Error::new(ErrorKind::Unsupported, "memory.accept")
            .with("kind", self.name())
            .with("key", key))
    }

    /// The form in which a record of another store is imported. Without `vouched` nobody vouches for the words in it, so
    /// they must not count as those of a person here.
    ///
    /// # Errors
    /// The reason as `why` if the record is not taken. The default takes what is vouched for, as it is.
    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        if vouched {
            return Ok(record.clone());
        }
        Err(Error::new(ErrorKind::Unsupported, "memory.admit")
            .with("kind", self.name())
            .with("key", &record.key)
            .with("why", "is taken only if you vouch for the file"))
    }

    /// Describes committed changes for those who watch. `remaining` is the number of records on the shelf now.
    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note>;
}

/// The edit of a kind that changed a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The edit of [`MemoryKind::upkeep`], before a shelf is read.
    Upkeep,
    /// An edit of [`MemoryKind::learn`], after a run.
    Learning,
}

/// Returns every kind of memory that a run uses by default.
pub fn kinds() -> Vec<Arc<dyn MemoryKind>> {
    vec![Arc::new(Lessons)]
}
