//! The index of the trajectories of a host. It finds the trajectory that fits a goal best.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Trajectory, TrajectoryOptions,
    adapt::adapted,
    deciding::has_condition,
    here::Here,
    progress::{behind, left},
    rank::{best_first, score, similarity},
    replay::next,
    show::{SECTION, lines, mark},
    values::values,
};
use crate::{
    base::Trust,
    goal::{MAX_GOAL, compose, overlap},
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, ReplayStep, Shelf},
};

#[derive(Debug)]
pub(super) struct TrajectoryIndex {
    options: TrajectoryOptions,
    all: Vec<Known>,
}

/// The values of a new goal, as [`values`] returns them.
type Values = Arc<Vec<Option<String>>>;

/// A trajectory, with the last goal that was compared with it and the values in that goal. They are kept, because a run asks
/// about the same goal at each step and a comparison is slow.
#[derive(Debug)]
struct Known {
    id: AdviceId,
    trajectory: Trajectory,
    last: Mutex<Option<(String, Values)>>,
}

impl Known {
    /// Returns the value in `goal` for each value of the recorded goal; empty if `goal` describes another task.
    fn values(&self, goal: &str) -> Values {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, values)) = last.as_ref().filter(|(known, _)| known == goal) {
            return Arc::clone(values);
        }
        let values = Arc::new(values(&self.trajectory, goal).unwrap_or_default());
        *last = Some((goal.to_owned(), Arc::clone(&values)));
        values
    }
}

impl TrajectoryIndex {
    /// Indexes the trajectories of a shelf. Trajectories that are retired or wait for review are left out.
    pub(super) fn new(options: TrajectoryOptions, shelf: &Shelf, records: &[Record]) -> Self {
        let all = Trajectory::all(records).into_iter();
        let all = all.filter(|(_, one)| !one.header.is_retired() && !one.header.imported);
        let all = all.map(|(key, trajectory)| Known {
            id: AdviceId {
                shelf: shelf.clone(),
                key,
            },
            trajectory,
            last: Mutex::default(),
        });
        Self {
            options,
            all: all.collect(),
        }
    }

    /// Returns the trajectories that are not too old, the best fit for the run's goal first. Empty if the goal is too long
    /// to be compared.
    fn ranked(&self, moment: &Moment<'_>) -> Vec<&Known> {
        if moment.about.goal.chars().count() > MAX_GOAL {
            return Vec::new();
        }
        let rank = |one: &Trajectory| {
            let similarity = overlap(&one.header.goal, &moment.about.goal);
            if self.options.trace_scoring {
                score(&one.header, similarity, one.verified_share(), moment.now)
            } else {
                similarity
            }
        };
        let used = self.all.iter();
        let mut ranked: Vec<(f64, &Known)> = used
            .filter(|one| !self.options.is_stale(&one.trajectory.header, moment.now))
            .map(|one| (rank(&one.trajectory), one))
            .collect();
        let end = |one: &Known| one.trajectory.header.timestamp;
        ranked.sort_by(|(a, one), (b, other)| {
            let newer = end(other).cmp(&end(one));
            best_first(*a, *b)
                .then(newer)
                .then_with(|| one.id.cmp(&other.id))
        });
        ranked.into_iter().map(|(_, one)| one).collect()
    }
}

impl Index for TrajectoryIndex {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let Cue::PageShown { page, seen, .. } = moment.cue else {
            return Vec::new();
        };
        let goal = &moment.about.goal;
        let is_similar =
            |known: &&Known| similarity(&known.trajectory.header, goal, &self.options).is_some();
        let Some(known) = self.ranked(moment).into_iter().find(is_similar) else {
            return Vec::new();
        };
        let values = known.values(goal);
        let trajectory = adapted(&known.trajectory, goal);
        let behind = behind(&trajectory.steps, moment.steps, goal);
        let page = (page.as_ref(), &seen.tree);
        let here = Here::new(&trajectory, page, goal, &values);
        let left = left(&trajectory.steps, &behind, &here);
        if left.is_empty() {
            return Vec::new();
        }
        let mut lines = lines(&trajectory, &left, goal, &values, moment.now);
        let ways = [&trajectory.steps, &known.trajectory.steps].map(Vec::as_slice);
        mark(&mut lines, ways, &left, &here);
        Advice::with_lines(known.id.clone(), lines, Trust::Code, SECTION)
            .into_iter()
            .collect()
    }

    fn replay(&self, moment: &Moment<'_>) -> Option<ReplayStep> {
        let Cue::PageShown { page, seen, .. } = moment.cue else {
            return None;
        };
        let goal = compose(&moment.about.goal);
        if has_condition(&goal) {
            return None;
        }
        let is_known = |one: &&Known| {
            let header = &one.trajectory.header;
            header.repeatable && header.goal == goal
        };
        let known = self.ranked(moment).into_iter().find(is_known)?;
        let (at, action) = next(&known.trajectory, moment, page.as_ref()?, seen)?;
        let count = known.trajectory.steps.len();
        Some(ReplayStep::new(known.id.clone(), action, at + 1, count))
    }
}
