//! The part of a run's log from which patterns are learned. It contains the steps that can be part of patterns, and the
//! patterns that the run was shown.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{MIN_STEPS, common::common};
use crate::{
    action::Outcome,
    base::{Host, RunId},
    goal::MAX_GOAL,
    memory::{
        RunLog, StoredStep,
        shortest::{looks_only, tool},
        way::{Way, only_host, task_hash},
        whole::whole_way,
    },
    working::{By, Step},
};

/// Maximum number of a run's steps from which patterns are learned. If a run has more, its first steps are used, because
/// runs resemble each other at the start. Source: chosen; the hashes of this many steps fit into a record.
pub(super) const MAX_TAKEN: usize = 50;

/// The actions of a run, from which patterns are learned. If the shelf of the patterns cannot be changed when the run ends,
/// this value is stored and memory learns from it at the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// The host on which the whole run took place.
    pub(super) host: Host,
    pub(super) run: RunId,
    /// The time when the run ended.
    pub(super) at: DateTime<Utc>,
    pub(super) success: bool,
    /// True if the run was interrupted. Its end then says nothing about the patterns in its prompts.
    #[serde(default)]
    pub(super) interrupted: bool,
    /// A hash of the goal without its values.
    pub(super) goal: String,
    pub(super) taken: Vec<Taken>,
    /// The patterns that the run was shown: the key of each, and the number of actions before its first appearance.
    pub(super) offered: Vec<(String, usize)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Taken {
    /// The step; `None` if it cannot be part of a pattern, or if its outcome is unclear.
    pub(super) step: Option<StoredStep>,
    /// True if the action was carried out and had an effect.
    pub(super) done: bool,
    /// True if the run reached its goal and needed the action for it.
    pub(super) needed: bool,
}

impl Learned {
    /// Extracts the part of a log from which patterns are learned; `None` if there is nothing to learn, if the run visited
    /// more than one host, or if its goal is too long to be compared.
    pub(super) fn of(log: &RunLog) -> Option<Self> {
        let host = only_host(log)?.clone();
        let actions: Vec<&Step> = log
            .steps
            .iter()
            .filter(|step| acts(step))
            .take(MAX_TAKEN)
            .collect();
        let offered: Vec<(String, usize)> = offered(log, &actions).collect();
        // Without a whole way, steps that did not follow each other would look as if they did.
        let way = log.success.then(|| whole_way(log)).flatten();
        let way = way.into_iter().flatten();
        let needed: Vec<u32> = way.map(|step| step.number).collect();
        if needed.len() < MIN_STEPS && offered.is_empty() {
            return None;
        }
        if log.about.goal.chars().count() > MAX_GOAL {
            return None;
        }
        let way = Way::of(log, &actions);
        let taken = actions.iter().zip(&way.steps).map(|(action, step)| Taken {
            step: common(step).filter(|step| step.is_small() && !is_unclear(action)),
            done: action.outcome.is_done(),
            needed: needed.contains(&action.number),
        });
        Some(Self {
            host,
            run: log.run.clone(),
            at: log.ended_at,
            success: log.success,
            interrupted: log.interrupted,
            goal: task_hash(&way.goal, &way.slots),
            taken: taken.collect(),
            offered,
        })
    }
}

const fn is_unclear(step: &Step) -> bool {
    step.unseen || matches!(step.outcome, Outcome::Unclear(_))
}

/// Returns true if the step acts on a page instead of only looking at it. A step that the task prescribes, such as opening
/// the start address, does not count.
pub(super) fn acts(step: &Step) -> bool {
    step.by != By::Task && tool(step).is_some_and(|tool| !looks_only(tool))
}

/// Returns the patterns that a run was shown: the key of each, and the number of actions before its first appearance. The
/// number is `usize::MAX` if no action followed.
fn offered<'a>(
    log: &'a RunLog,
    actions: &'a [&Step],
) -> impl Iterator<Item = (String, usize)> + 'a {
    let own = log.offered.iter().enumerate();
    let own = own.filter(|(_, id)| id.shelf.collection == super::COLLECTION);
    own.map(|(at, id)| {
        let mut actions = actions.iter().enumerate();
        let first = actions.find(|(_, step)| step.offered.contains(&at));
        (id.key.clone(), first.map_or(usize::MAX, |(n, _)| n))
    })
}
