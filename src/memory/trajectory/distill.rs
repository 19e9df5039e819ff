//! Creation of a trajectory from a run's log. The goal is kept with its values, such as a search term; the steps refer
//! to these values.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Header, Trajectory};
use crate::{
    action::Action,
    base::{Host, text},
    goal::compose,
    memory::{
        AdviceId, RunLog, StoredStep,
        way::{Way, only_host},
        whole::whole_way,
    },
    working::{By, Step},
};

/// Maximum number of steps of a trajectory. Source: chosen; the same as the default maximum number of steps of a run.
pub const MAX_STEPS: usize = 50;
/// Maximum length of the goal of a recorded run. Runs with longer goals are not recorded. Unit: bytes. Source: chosen; fits
/// into a record.
pub(super) const MAX_GOAL: usize = 900;

/// The data of a run from which trajectories are learned. If the shelf of the trajectories cannot be changed when the run
/// ends, this value is stored and memory learns from it at the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    /// The host on which the whole run took place.
    pub(super) host: Host,
    pub(super) success: bool,
    /// True if the run was interrupted. Its end then says nothing about the trajectories in its prompts.
    #[serde(default)]
    pub(super) interrupted: bool,
    pub(super) header: Header,
    /// The steps that the run needed if it reached its goal; otherwise all of its steps.
    pub(super) steps: Vec<StoredStep>,
    /// The keys of the trajectories that the run was shown.
    pub(super) offered: Vec<String>,
    /// True if the run took some steps from memory, without asking its model. Such a run is no independent proof that the
    /// steps work.
    #[serde(default)]
    pub(super) replayed: bool,
    /// The keys of the trajectories from which the run took steps without asking its model.
    #[serde(default)]
    pub(super) repeated: BTreeSet<String>,
}

impl Learned {
    /// Extracts the part of a log from which trajectories are learned. Returns `None` in each of these cases:
    ///
    /// - The run did not stay on one host.
    /// - It took no browser actions of its own, or more than [`MAX_STEPS`]. If it reached its goal, only the needed
    ///   actions count.
    /// - It reached its goal by a way that the log does not prove as a whole.
    /// - Its goal is too long or contains deceptive characters, such as invisible ones.
    pub(super) fn of(log: &RunLog) -> Option<Self> {
        let host = only_host(log)?.clone();
        let way = if log.success {
            whole_way(log)?
        } else {
            log.steps.iter().collect()
        };
        // The step that opens the task's start address is not part of a trajectory.
        let is_own =
            |step: &&Step| step.by != By::Task && matches!(step.action, Action::Browser(_));
        let taken: Vec<&Step> = way.into_iter().filter(is_own).collect();
        if taken.is_empty() || taken.len() > MAX_STEPS {
            return None;
        }
        let goal: String = compose(&log.about.goal);
        if goal.len() > MAX_GOAL || goal.chars().any(text::is_deceptive) {
            return None;
        }
        let Way {
            goal,
            slots,
            mut steps,
        } = Way::of(log, &taken);
        steps.iter_mut().for_each(StoredStep::fit);
        Some(Self {
            host,
            success: log.success,
            interrupted: log.interrupted,
            header: Header {
                goal,
                slots,
                run: log.run.clone(),
                runs: vec![log.run.clone()],
                timestamp: log.ended_at,
                steps: steps.len(),
                turns: log.steps.iter().map(|step| step.turn).max().unwrap_or(0),
                duration_ms: log.duration_ms(),
                imported: false,
                repeatable: true,
                results: Vec::new(),
            },
            steps,
            offered: log.offered.iter().filter_map(own_key).collect(),
            replayed: from_memory(log).next().is_some(),
            repeated: from_memory(log)
                .flat_map(|step| log.offered_at(step))
                .filter_map(own_key)
                .collect(),
        })
    }

    pub(super) fn trajectory(&self) -> Trajectory {
        Trajectory {
            header: self.header.clone(),
            steps: self.steps.clone(),
        }
    }
}

/// Returns the steps that the run took from memory. The [`Step::offered`] of such a step is the one item that decided it.
fn from_memory(log: &RunLog) -> impl Iterator<Item = &Step> {
    log.steps.iter().filter(|step| step.by == By::Memory)
}

/// Returns the key of a trajectory; `None` for an item of another kind of memory.
fn own_key(id: &AdviceId) -> Option<String> {
    (id.shelf.collection == super::COLLECTION).then(|| id.key.clone())
}
