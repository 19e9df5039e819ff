//! The trajectories of a host, from which the one that fits the goal is offered.

use super::{
    Trajectory, TrajectoryOptions,
    adapt::{adapted, values},
    progress::{behind, left},
    rank::{best_first, score, similarity},
    show::{SECTION, lines},
};
use crate::{
    base::Trust,
    goal::MAX_GOAL,
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, Shelf},
};

/// The trajectories of a host that may be offered.
#[derive(Debug)]
pub(super) struct TrajectoryIndex {
    options: TrajectoryOptions,
    all: Vec<(AdviceId, Trajectory)>,
}

impl TrajectoryIndex {
    /// Indexes the records of a shelf.
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

    /// Returns the trajectory that fits the goal best; `None` if none is similar enough.
    fn best(&self, moment: &Moment<'_>) -> Option<&(AdviceId, Trajectory)> {
        if moment.about.goal.chars().count() > MAX_GOAL {
            return None;
        }
        let mut fitting: Vec<(f64, &(AdviceId, Trajectory))> = self
            .all
            .iter()
            .filter(|(_, one)| !self.options.is_stale(&one.header, moment.now))
            .filter_map(|of| {
                let header = &of.1.header;
                let similarity = similarity(header, &moment.about.goal, &self.options)?;
                let rank = if self.options.trace_scoring {
                    score(header, similarity, of.1.verified_share(), moment.now)
                } else {
                    similarity
                };
                Some((rank, of))
            })
            .collect();
        fitting.sort_by(|(a, one), (b, other)| {
            let newer = other.1.header.timestamp.cmp(&one.1.header.timestamp);
            best_first(*a, *b)
                .then(newer)
                .then_with(|| one.0.cmp(&other.0))
        });
        fitting.first().map(|(_, of)| *of)
    }
}

impl Index for TrajectoryIndex {
    fn advise(&self, moment: &Moment<'_>, _: bool) -> Vec<Advice> {
        let Cue::PageShown { seen, .. } = moment.cue else {
            return Vec::new();
        };
        let Some((id, trajectory)) = self.best(moment) else {
            return Vec::new();
        };
        let goal = &moment.about.goal;
        let (trajectory, values) = (adapted(trajectory, goal), values(trajectory, goal));
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
}
