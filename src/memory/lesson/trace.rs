//! A run as lessons see it: what was done, how it ended, and which failures were recovered. No typed text, no page text but
//! the names of targets.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Aim, Form, Move, SiteRecovery, Trouble, recover};
use crate::{
    action::{Action, BrowserAction, BrowserTool, TextValue},
    base::{Host, RunId, Site},
    memory::{AdviceId, LoggedStep, RunLog},
    page::PageTemplate,
};

/// What a run leaves for lessons. It can wait in a store until there is time to learn from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The run.
    pub run: RunId,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
    /// What was done by the browser, in order; looking and waiting left out.
    pub steps: Vec<TraceStep>,
    /// The failures that were recovered.
    pub found: Vec<Found>,
    /// Every advice that stood in a prompt.
    pub offered: Vec<AdviceId>,
}

/// One step of a [`Trace`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The host before it.
    pub host: Host,
    /// The site before it.
    pub site: Site,
    /// The tool.
    pub tool: BrowserTool,
    /// What it is as a move of a recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Move>,
    /// What it was aimed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The form of what was typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// How it went wrong; `None` when it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// The advice that stood in the prompt when it was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<AdviceId>,
}

/// A failure of the trace that was recovered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Index of the failed step in [`Trace::steps`].
    pub failed: usize,
    /// Index of the first step of the recovery.
    pub first: usize,
    /// The kind of page it happened on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// What happened and what helped.
    pub what: SiteRecovery,
}

impl Trace {
    /// What a run's log says to lessons.
    pub fn of(log: &RunLog) -> Self {
        let kept: Vec<(&LoggedStep, TraceStep)> =
            log.steps.iter().filter_map(|logged| Some((logged, TraceStep::of(logged)?))).collect();
        let found = recover::found(&kept);
        let steps = kept.into_iter().map(|(_, step)| step).collect();
        Self { run: log.run.clone(), ended_at: log.ended_at, steps, found, offered: log.offered.clone() }
    }

    /// The recovered failures with the step that failed.
    pub fn recovered(&self) -> impl Iterator<Item = (&Found, &TraceStep)> {
        self.found.iter().filter_map(|found| Some((found, self.steps.get(found.failed)?)))
    }
}

impl TraceStep {
    /// `None` for steps that change nothing, and for those on no host or that led away from their site: nothing is learned
    /// across that border.
    fn of(logged: &LoggedStep) -> Option<Self> {
        let Action::Browser(action) = &logged.action else { return None };
        let looks_only = matches!(
            action.tool(),
            BrowserTool::Snapshot
                | BrowserTool::Screenshot
                | BrowserTool::Wait
                | BrowserTool::Scroll
                | BrowserTool::TabList
                | BrowserTool::StateSave
        );
        if looks_only || logged.left_site {
            return None;
        }
        let target = logged.targets.first();
        let form = match action {
            BrowserAction::Fill(fill) => literal(&fill.text).and_then(Form::of),
            BrowserAction::Type(typed) => literal(&typed.text).and_then(Form::of),
            _ => None,
        };
        Some(Self {
            host: logged.host.clone()?,
            site: logged.site.clone()?,
            tool: action.tool(),
            step: Move::of(&logged.action, target.map(|target| &target.role)),
            aim: target.map(Aim::of),
            form,
            trouble: Trouble::of(&logged.outcome),
            offered: logged.offered.clone(),
        })
    }

    /// Whether it was carried out.
    pub const fn is_done(&self) -> bool {
        self.trouble.is_none()
    }

    /// Whether this advice stood in the prompt that decided it.
    pub fn saw(&self, id: &AdviceId) -> bool {
        self.offered.contains(id)
    }
}

fn literal(text: &TextValue) -> Option<&str> {
    match text {
        TextValue::Literal(text) => Some(text),
        _ => None,
    }
}
