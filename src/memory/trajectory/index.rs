//! The index of the trajectories of a host. It finds the trajectory that fits a goal best.

use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Trajectory, TrajectoryOptions,
    adapt::adapted,
    begun::begun_task,
    deciding::has_condition,
    here::Here,
    progress::{behind, left},
    rank::{best_first, score, similarity},
    replay::next,
    same_task::{SameTask, same_task},
    show::{SECTION, lines, mark},
};
use crate::{
    base::Trust,
    goal::{MAX_GOAL, overlap},
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, ReplayStep, Shelf},
};

#[derive(Debug)]
pub(super) struct TrajectoryIndex {
    options: TrajectoryOptions,
    all: Vec<Known>,
}

/// A trajectory, with the results of two kinds of comparison: `same` is the last result for a whole goal, `begun` the
/// last result for the beginning of a goal.
#[derive(Debug)]
struct Known {
    id: AdviceId,
    trajectory: Trajectory,
    same: Compared,
    begun: Compared,
}

impl Known {
    /// Returns the trajectory's task, in which the values of `goal` replace the recorded ones; `None` if `goal` describes
    /// another task.
    fn same_task(&self, goal: &str) -> Option<Arc<SameTask>> {
        self.same.task(goal, || same_task(&self.trajectory, goal))
    }

    /// Returns the trajectory's first steps, in which the values of `goal` replace the recorded ones; `None` if `goal`
    /// does not begin like the recorded goal, or if no step belongs to the shared beginning.
    fn begun_task(&self, goal: &str) -> Option<Arc<SameTask>> {
        self.begun.task(goal, || begun_task(&self.trajectory, goal))
    }
}

/// The result of the last comparison of a trajectory with a goal. It is cached, because a run asks about the same goal at
/// each step and a comparison is slow.
#[derive(Debug, Default)]
struct Compared(Mutex<Option<(String, Option<Arc<SameTask>>)>>);

impl Compared {
    fn task(&self, goal: &str, compare: impl Fn() -> Option<SameTask>) -> Option<Arc<SameTask>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, task)) = last.as_ref().filter(|(known, _)| known == goal) {
            return task.clone();
        }
        let task = compare().map(Arc::new);
        *last = Some((goal.to_owned(), task.clone()));
        task
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
            same: Compared::default(),
            begun: Compared::default(),
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
        let task = known.same_task(goal).unwrap_or_default();
        let trajectory = adapted(&known.trajectory, goal);
        let behind = behind(&trajectory.steps, moment.steps, goal);
        let page = (page.as_ref(), &seen.tree);
        let here = Here::new(&trajectory, page, goal, &task.values);
        let left = left(&trajectory.steps, &behind, &here);
        if left.is_empty() {
            return Vec::new();
        }
        let mut lines = lines(&trajectory, &left, goal, &task.values, moment.now);
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
        let goal = &moment.about.goal;
        if has_condition(goal) {
            return None;
        }
        // No minimum similarity is required here, because the same task with other values may share few words with the
        // recorded goal.
        let ranked = self.ranked(moment);
        let repeatable = || {
            let all = ranked.iter();
            all.filter(|one| one.trajectory.header.repeatable)
        };
        let same = || repeatable().find_map(|one| Some((one, one.same_task(goal)?)));
        let begun = || repeatable().find_map(|one| Some((one, one.begun_task(goal)?)));
        let (known, task) = same().or_else(begun)?;
        let mut way = adapted(&known.trajectory, goal).steps[..task.steps].to_vec();
        // `adapted` removes addresses that contain a value of the recorded goal. They are restored, because `next`
        // accepts any other value in their place.
        for (step, recorded) in way.iter_mut().zip(&known.trajectory.steps) {
            step.leads_to.clone_from(&recorded.leads_to);
        }
        let (at, action) = next(&way, &task, moment.steps, page.as_ref(), &seen.tree)?;
        Some(ReplayStep::new(known.id.clone(), action, at + 1, way.len()))
    }
}
