//! A run as memory sees it: typed values, never log text.

use chrono::{DateTime, Utc};

use super::AdviceId;
use crate::{
    action::{Action, Outcome, Signature},
    base::{Host, RunId, Site},
    page::{PageTemplate, TargetIdentity},
};

/// One step as memory sees it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoggedStep {
    /// Number of the step, from 1.
    pub step: u32,
    /// What was done, typed text as placeholders or literals of the model.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// What it was aimed at.
    pub targets: Vec<TargetIdentity>,
    /// Its signature.
    pub signature: Signature,
    /// The host before the action; `None` on a blank page.
    pub host: Option<Host>,
    /// The site before the action.
    pub site: Option<Site>,
    /// The kind of page before the action.
    pub page: Option<PageTemplate>,
    /// Whether the action moved the page to another site: nothing is learned across that border.
    pub left_site: bool,
    /// The advice that stood in the prompt when it was decided.
    pub offered: Vec<AdviceId>,
    /// Numbers of earlier steps that went wrong, and whose field it gave the value that they were to give it.
    pub restores: Vec<u32>,
    /// True if a field that it was not aimed at lost its value by it.
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

/// What a run leaves for memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunLog {
    /// The run.
    pub run: RunId,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
    /// Whether the goal was reached, with evidence.
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
