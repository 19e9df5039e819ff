//! A kind of memory: what it reads, what it says, what it learns. Adding one touches its own file and [`kinds`].

use std::{fmt::Debug, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{
    Advice, Committed, Cue, Edit, Namespace, Note, Record, RunLog, Shelf, lesson::Lessons,
};
use crate::base::{Result, RunId};

/// A shelf and how it is to be changed.
#[derive(Debug, Clone)]
pub struct ShelfEdit {
    /// The shelf.
    pub shelf: Shelf,
    /// The change.
    pub edit: Edit,
}

/// The records of one shelf, made ready for questions.
pub trait Index: Debug + Send + Sync {
    /// What it has to say, best first. `above` tells that the shelf is that of a name above the page's host.
    fn advise(&self, cue: &Cue, above: bool) -> Vec<Advice>;
}

/// A kind of memory. Pure: records come in, advice and edits go out.
pub trait MemoryKind: Debug + Send + Sync {
    /// Name of the kind and of its collection.
    fn name(&self) -> &'static str;

    /// What a shelf needs before a run reads it, such as seeds, or that stale records go; `None` if it needs nothing.
    /// Idempotent.
    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit>;

    /// The shelves it wants to read for a cue, those that say most first.
    fn wants(&self, namespace: &Namespace, cue: &Cue) -> Vec<Shelf>;

    /// Makes the records of a shelf ready for questions. Called once for each generation that a run reads.
    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index>;

    /// Most advice for a cue, over all shelves.
    fn limit(&self, cue: &Cue) -> usize;

    /// What a run says to this kind; `None` if nothing. It is redacted, and may wait in a store until there is time to learn
    /// from it.
    fn distill(&self, log: &RunLog) -> Option<Value>;

    /// What follows from a distilled run, at most one edit a shelf. Idempotent for a run.
    ///
    /// # Errors
    /// `Corrupt` if it is not what [`distill`](Self::distill) made.
    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>>;

    /// What committed changes mean; `remaining` records are on the shelf now.
    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note>;
}

/// Which edit of a kind changed a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// That of [`MemoryKind::upkeep`], before a shelf is read.
    Upkeep,
    /// One of [`MemoryKind::learn`], after a run.
    Learning,
}

/// Every kind of memory that a run uses.
pub fn kinds() -> Vec<Arc<dyn MemoryKind>> {
    vec![Arc::new(Lessons)]
}
