//! A kind of memory: what it reads, what it says, what it learns. Adding one touches its own file and [`kinds`].

use std::{collections::BTreeMap, fmt::Debug, sync::Arc};

use chrono::{DateTime, Utc};

use super::{Advice, AdviceId, Cue, Edit, Namespace, Shelf, ShelfState, lesson::Lessons};
use crate::{
    action::{Action, Outcome, Signature},
    base::{Host, RunId, Site},
    page::TargetIdentity,
};

/// The shelves that were read for a cue.
pub type Shelves = BTreeMap<Shelf, ShelfState>;

/// One step as memory sees it: typed values, never log text.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoggedStep {
    /// Number of the step, from 1.
    pub step: u32,
    /// What was done, typed text as placeholders or literals of the model.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// What it was aimed at.
    pub targets: Vec<TargetIdentity>,
    /// Its signature.
    pub signature: Signature,
    /// The host before the action; `None` on a blank page.
    pub host: Option<Host>,
    /// The site before the action.
    pub site: Option<Site>,
    /// Whether the action moved the page to another site: nothing is learned across that border.
    pub left_site: bool,
    /// The advice that stood in the prompt when it was decided.
    pub offered: Vec<AdviceId>,
}

impl LoggedStep {
    /// A step without targets, place or advice.
    pub fn new(step: u32, action: Action, outcome: Outcome, signature: Signature) -> Self {
        Self {
            step,
            action,
            outcome,
            targets: Vec::new(),
            signature,
            host: None,
            site: None,
            left_site: false,
            offered: Vec::new(),
        }
    }
}

/// What a run leaves for memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The run.
    pub run: RunId,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
    /// Whether the goal was reached, with evidence.
    pub success: bool,
    /// The steps in order.
    pub steps: Vec<LoggedStep>,
    /// Every advice that was shown in the run.
    pub offered: Vec<AdviceId>,
}

impl RunLog {
    /// A log of a run.
    pub fn new(
        run: RunId,
        ended_at: DateTime<Utc>,
        success: bool,
        steps: Vec<LoggedStep>,
        offered: Vec<AdviceId>,
    ) -> Self {
        Self { run, ended_at, success, steps, offered }
    }
}

/// A shelf and how it is to be changed.
#[derive(Debug, Clone)]
pub struct ShelfEdit {
    /// The shelf.
    pub shelf: Shelf,
    /// The change.
    pub edit: Edit,
}

/// A kind of memory. Pure: records come in, advice and edits go out.
pub trait MemoryKind: Debug + Send + Sync {
    /// Name of the kind and of its collection.
    fn name(&self) -> &'static str;

    /// What must be on the shelves before the first run can be advised, such as seeds. Idempotent.
    fn prepare(&self, namespace: &Namespace, now: DateTime<Utc>) -> Vec<ShelfEdit>;

    /// The shelves it wants to read for a cue.
    fn wants(&self, namespace: &Namespace, cue: &Cue) -> Vec<Shelf>;

    /// What it has to say, best first.
    fn advise(&self, cue: &Cue, shelves: &Shelves) -> Vec<Advice>;

    /// What follows from a run, at most one edit a shelf.
    fn learn(&self, namespace: &Namespace, log: &RunLog) -> Vec<ShelfEdit>;
}

/// Every kind of memory that a run uses.
pub fn kinds() -> Vec<Arc<dyn MemoryKind>> {
    vec![Arc::new(Lessons)]
}
