//! A run as memory sees it: typed values, never log text.

use chrono::{DateTime, Utc};

use super::AdviceId;
use crate::{
    base::RunId,
    working::{About, Step},
};

/// The record of a run for memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The run.
    pub run: RunId,
    /// The task.
    pub about: About,
    /// The end of the run.
    pub ended_at: DateTime<Utc>,
    /// True if the goal was reached, with evidence.
    pub success: bool,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// All advice that was shown in the run, in the order in which it first was.
    pub offered: Vec<AdviceId>,
}

impl RunLog {
    /// A log of a run.
    pub const fn new(
        run: RunId,
        about: About,
        ended_at: DateTime<Utc>,
        success: bool,
        steps: Vec<Step>,
        offered: Vec<AdviceId>,
    ) -> Self {
        Self {
            run,
            about,
            ended_at,
            success,
            steps,
            offered,
        }
    }

    /// The advice in the prompt that decided a step of this run.
    pub fn offered_at<'a>(&'a self, step: &'a Step) -> impl Iterator<Item = &'a AdviceId> {
        step.offered.iter().filter_map(|at| self.offered.get(*at))
    }
}
