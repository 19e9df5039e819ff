//! The log of a run, from which memory learns.

use chrono::{DateTime, Utc};

use super::AdviceId;
use crate::{
    base::RunId,
    working::{About, Step, StopReason, refused_last},
};

/// The log of a run: actions, outcomes and times as Rust values. Memory learns from it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The id of the run.
    pub run: RunId,
    /// The task of the run.
    pub about: About,
    /// The time when the run started.
    pub started_at: DateTime<Utc>,
    /// The time when the run ended.
    pub ended_at: DateTime<Utc>,
    /// True if the goal was reached and evidence on a page shows it.
    pub success: bool,
    /// True if something other than the run itself ended the run: a person, the caller, the time budget, another run or
    /// process, a missing approval, or the loss of its model or browser. Such a run does not count against the advice
    /// that it was shown.
    pub interrupted: bool,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// True if the first steps are missing, because the run was resumed from a checkpoint that had no room for them.
    pub cut: bool,
    /// All advice shown in the run, in the order of first appearance.
    pub offered: Vec<AdviceId>,
    /// The advice that the run [held back](super::is_withheld), in the order in which it would have first appeared. Runs
    /// that held advice back are compared with runs that showed it. This advice is not in `offered`.
    pub withheld: Vec<AdviceId>,
}

impl RunLog {
    /// Creates the log of a run, with the end time also as its start time. Set the true start with `started_at`.
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
            started_at: ended_at,
            ended_at,
            success,
            interrupted: false,
            steps,
            cut: false,
            offered,
            withheld: Vec::new(),
        }
    }

    /// Sets the time when the run started.
    #[must_use]
    pub const fn started_at(mut self, started_at: DateTime<Utc>) -> Self {
        self.started_at = started_at;
        self
    }

    /// Sets `success` from `stop`, the reason why the run stopped. Sets `interrupted` from `stop` and from the steps: a
    /// run without success also counts as interrupted if an action was not approved and no later action was carried
    /// out.
    #[must_use]
    pub fn ended_by(mut self, stop: StopReason) -> Self {
        self.success = stop.is_success();
        let ends_refused = refused_last(&self.steps).is_some();
        self.interrupted = !self.success && (stop.is_interruption() || ends_refused);
        self
    }

    /// Sets the advice that the run [held back](super::is_withheld).
    #[must_use]
    pub fn withholding(self, withheld: Vec<AdviceId>) -> Self {
        Self { withheld, ..self }
    }

    /// Sets whether the first steps of the run are missing.
    #[must_use]
    pub const fn lacking_its_beginning(mut self, cut: bool) -> Self {
        self.cut = cut;
        self
    }

    /// Returns the duration of the run in milliseconds; 0 if the clock was set back during the run.
    pub fn duration_ms(&self) -> u64 {
        let span = self.ended_at - self.started_at;
        u64::try_from(span.num_milliseconds()).unwrap_or(0)
    }

    /// Returns the advice in the prompt for this step. The step must belong to this run.
    pub fn offered_at<'a>(&'a self, step: &'a Step) -> impl Iterator<Item = &'a AdviceId> {
        step.offered.iter().filter_map(|at| self.offered.get(*at))
    }
}
