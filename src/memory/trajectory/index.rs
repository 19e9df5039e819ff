//! The index of a host's trajectories, which offers the one that fits the goal best.

use super::{
    Trajectory, TrajectoryOptions,
    adapt::adapted,
    begun::begun_task,
    deciding::has_condition,
    progress::{behind, left},
    rank::{best_first, score, similarity},
    replay::next,
    same_task::{SameTask, same_task},
    show::{SECTION, lines},
};
use crate::{
    base::Trust,
    goal::{MAX_GOAL, overlap},
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, ReplayStep, Shelf},
};

#[derive(Debug)]
pub(super) struct TrajectoryIndex {
    options: TrajectoryOptions,
    all: Vec<(AdviceId, Trajectory)>,
}

impl TrajectoryIndex {
    /// Indexes the trajectories of a shelf, without those that are retired or wait for review.
    pub(super) fn new(options: TrajectoryOptions, shelf: &Shelf, records: &[Record]) -> Self {
        let all = Trajectory::all(records).into_iter();
        let all = all.filter(|(_, one)| !one.header.is_retired() && !one.header.imported);
        let all = all.map(|(key, trajectory)| {
            let shelf = shelf.clone();
            (AdviceId { shelf, key }, trajectory)
        });
        Self {
            options,
            all: all.collect(),
        }
    }

    /// Returns the trajectories that are not too old, ordered by how well they fit the run's goal, best first. The list
    /// is empty if the run's goal is too long to be compared.
    fn ranked(&self, moment: &Moment<'_>) -> Vec<&(AdviceId, Trajectory)> {
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
        let mut ranked: Vec<(f64, &(AdviceId, Trajectory))> = used
            .filter(|(_, one)| !self.options.is_stale(&one.header, moment.now))
            .map(|of| (rank(&of.1), of))
            .collect();
        ranked.sort_by(|(a, one), (b, other)| {
            let newer = other.1.header.timestamp.cmp(&one.1.header.timestamp);
            best_first(*a, *b)
                .then(newer)
                .then_with(|| one.0.cmp(&other.0))
        });
        ranked.into_iter().map(|(_, of)| of).collect()
    }
}

impl Index for TrajectoryIndex {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let Cue::PageShown { seen, .. } = moment.cue else {
            return Vec::new();
        };
        let goal = &moment.about.goal;
        let is_similar =
            |of: &&(AdviceId, Trajectory)| similarity(&of.1.header, goal, &self.options).is_some();
        let Some((id, trajectory)) = self.ranked(moment).into_iter().find(is_similar) else {
            return Vec::new();
        };
        let values = same_task(trajectory, goal).unwrap_or_default().values;
        let trajectory = adapted(trajectory, goal);
        let behind = behind(&trajectory.steps, moment.steps, goal);
        let left = left(&trajectory.steps, &behind, &seen.tree, goal, &values);
        if left.is_empty() {
            return Vec::new();
        }
        let lines = lines(&trajectory, &left, goal, &values, moment.now);
        Advice::with_lines(id.clone(), lines, Trust::Code, SECTION)
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
        let known = |of: &dyn Fn(&Trajectory, &str) -> Option<SameTask>| {
            let mut known = ranked.iter().filter(|(_, one)| one.header.repeatable);
            known.find_map(|(id, trajectory)| Some((id, trajectory, of(trajectory, goal)?)))
        };
        let (id, trajectory, task) = known(&same_task).or_else(|| known(&begun_task))?;
        let mut way = adapted(trajectory, goal).steps[..task.steps].to_vec();
        // `adapted` removes addresses that contain a value of the recorded goal. They are restored, because `next`
        // accepts any other value in their place.
        for (step, recorded) in way.iter_mut().zip(&trajectory.steps) {
            step.leads_to.clone_from(&recorded.leads_to);
        }
        let (at, action) = next(&way, &task, moment.steps, page.as_ref(), &seen.tree)?;
        Some(ReplayStep::new(id.clone(), action, at + 1, way.len()))
    }
}
