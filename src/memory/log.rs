//! A run as memory sees it: typed values, never log text.

use chrono::{DateTime, Utc};

use super::AdviceId;
use crate::{
    action::{Action, Outcome, Signature},
    base::{Host, RunId, Site},
    page::{PageTemplate, TargetIdentity},
};

/// A step as memory sees it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoggedStep {
    /// Number of the step, from 1.
    pub step: u32,
    /// The action. Typed text is a placeholder or a literal of the model.
    pub action: Action,
    /// The outcome.
    pub outcome: Outcome,
    /// The targets of the action.
    pub targets: Vec<TargetIdentity>,
    /// The signature of the action.
    pub signature: Signature,
    /// The host before the action; `None` on a blank page.
    pub host: Option<Host>,
    /// The site before the action.
    pub site: Option<Site>,
    /// The kind of page before the action.
    pub page: Option<PageTemplate>,
    /// True if the action moved the page to another site. Nothing is learned across that border.
    pub left_site: bool,
    /// The advice in the prompt that decided the step.
    pub offered: Vec<AdviceId>,
    /// Numbers of earlier failed steps whose field got, by this step, the value that they should have given it.
    pub restores: Vec<u32>,
    /// True if another field than the target lost its value by this step.
    pub empties: bool,
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
            page: None,
            left_site: false,
            offered: Vec::new(),
            restores: Vec::new(),
            empties: false,
        }
    }
}

/// The record of a run for memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The run.
    pub run: RunId,
    /// The end of the run.
    pub ended_at: DateTime<Utc>,
    /// True if the goal was reached, with evidence.
    pub success: bool,
    /// The steps in order.
    pub steps: Vec<LoggedStep>,
    /// Every advice that was shown in the run.
    pub offered: Vec<AdviceId>,
}

impl RunLog {
    /// A log of a run.
    pub const fn new(
        run: RunId,
        ended_at: DateTime<Utc>,
        success: bool,
        steps: Vec<LoggedStep>,
        offered: Vec<AdviceId>,
    ) -> Self {
        Self {
            run,
            ended_at,
            success,
            steps,
            offered,
        }
    }
}
