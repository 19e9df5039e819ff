//! Ranking of trajectories by how well they fit a goal.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use super::{Header, TrajectoryOptions};
use crate::goal;

/// Age at which the recency of a trajectory has fallen to 1/e (37 %). Unit: days. Source: chosen.
const RECENCY_DAYS: f64 = 14.0;
/// Weights of similarity, recency, speed and share of verified steps in the score of a trajectory. Source: chosen.
const WEIGHTS: [f64; 4] = [0.6, 0.2, 0.1, 0.1];

/// Returns how similar the goals of a run and a trajectory are; `None` if they are too different for the trajectory to be
/// shown.
pub(super) fn similarity(header: &Header, goal: &str, options: &TrajectoryOptions) -> Option<f64> {
    let similarity = goal::overlap(&header.goal, goal);
    (similarity >= options.min_similarity).then_some(similarity)
}

/// Returns the weighted score by which trajectories are ranked. Range: 0 to 1; 1 is the best. `verified` is the share
/// of the trajectory's steps whose effect was seen.
pub(super) fn score(header: &Header, similarity: f64, verified: f64, now: DateTime<Utc>) -> f64 {
    let days = (now - header.timestamp).as_seconds_f64() / 86_400.0;
    let recency = (-days.max(0.0) / RECENCY_DAYS).exp();
    #[expect(clippy::cast_precision_loss, reason = "a duration of less than an age")]
    let minutes = header.duration_ms as f64 / 60_000.0;
    let parts = [similarity, recency, 1.0 / (1.0 + minutes), verified];
    parts
        .iter()
        .zip(WEIGHTS)
        .map(|(part, weight)| part * weight)
        .sum()
}

pub(super) fn best_first(one: f64, other: f64) -> Ordering {
    other.total_cmp(&one)
}
