//! A run in the form from which lessons are learned: actions, outcomes and recovered failures. The only page texts in it are
//! the names of targets and of the groups around them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Aim, FailureKind, Form, Move, SiteRecovery, recover};
use crate::{
    action::{Action, BrowserAction, BrowserTool, Outcome, TextValue},
    base::{Host, RunId, Site},
    memory::{AdviceId, RunLog, aim::is_of_search, typed::Typed, whole::reopenings},
    page::PageTemplate,
    working::Step,
};

/// The steps of a run and the failures that the run recovered from. Lessons are learned from this value. If the stored
/// lessons cannot be changed when the run ends, the value is stored and memory learns from it at the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The id of the run.
    pub run: RunId,
    /// The time when the run ended.
    pub ended_at: DateTime<Utc>,
    /// True if the run was interrupted. Its result does not count against the lessons in its prompts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The steps from which lessons can be learned, in order. These are the browser actions, except those that only
    /// look, wait or scroll, have an unclear outcome or a target in a frame, or lead to another site.
    pub steps: Vec<TraceStep>,
    /// The failures that the run recovered from.
    pub found: Vec<Found>,
    /// Every piece of advice that was in a prompt of the run.
    pub offered: Vec<AdviceId>,
}

/// One step of a [`Trace`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// The host of the page before the action.
    pub host: Host,
    /// The site of the page before the action.
    pub site: Site,
    /// The tool that the step used.
    pub tool: BrowserTool,
    /// The action in the form in which a recovery stores it; `None` if actions of this kind are never part of a recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Move>,
    /// The element on which the step acted. `None` if the action has no target, if no element was found for it, or if
    /// the element's name repeats text that the run typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// Names of the groups around the target, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// True if the target is part of a search form.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub searches: bool,
    /// The form of the text that the step typed, such as a date; `None` if the text has none of the known forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// The kind of failure; `None` if the action succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<FailureKind>,
    /// The advice that was in the prompt before the step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<AdviceId>,
}

/// A failed step of a [`Trace`] from which the run recovered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// Index of the failed step in [`Trace::steps`].
    pub failed: usize,
    /// Index of the first step of the recovery.
    pub first: usize,
    /// The kind of page on which the failure happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<PageTemplate>,
    /// The failure, and the recovery that followed it.
    pub what: SiteRecovery,
}

impl Trace {
    /// Extracts the parts of a run's log from which lessons can be learned.
    pub fn of(log: &RunLog) -> Self {
        let typed = Typed::of(&log.steps);
        let kept: Vec<(&Step, TraceStep)> = log
            .steps
            .iter()
            .filter_map(|logged| Some((logged, TraceStep::of(logged, log)?.without(&typed))))
            .collect();
        let again = reopenings(&log.steps).map(|at| log.steps[at].number);
        let found = recover::found(&kept, &again.collect::<Vec<u32>>());
        let steps = kept.into_iter().map(|(_, step)| step).collect();
        Self {
            run: log.run.clone(),
            ended_at: log.ended_at,
            interrupted: log.interrupted,
            steps,
            found,
            offered: log.offered.clone(),
        }
    }

    /// Returns false if a recovery of the trace refers to a missing step. A stored trace may have been written by another
    /// program.
    pub(super) fn is_sound(&self) -> bool {
        self.found
            .iter()
            .all(|found| found.failed < found.first && found.first < self.steps.len())
    }

    /// Returns the failures that the run recovered from, each with its failed step.
    pub fn recovered(&self) -> impl Iterator<Item = (&Found, &TraceStep)> {
        self.found
            .iter()
            .filter_map(|found| Some((found, self.steps.get(found.failed)?)))
    }
}

impl TraceStep {
    /// Converts a logged step. Returns `None` if lessons learn nothing from it: it was no browser action, only looked,
    /// waited, scrolled or saved the browser's state, had an unclear outcome or a target in a frame, happened on a page
    /// without a host, or led to another site.
    fn of(logged: &Step, log: &RunLog) -> Option<Self> {
        let Action::Browser(action) = &logged.action else {
            return None;
        };
        let looks_only = matches!(
            action.tool(),
            BrowserTool::Snapshot
                | BrowserTool::Screenshot
                | BrowserTool::Wait
                | BrowserTool::Scroll
                | BrowserTool::TabList
                | BrowserTool::StateSave
        );
        // An action in a frame may concern another site, so it does not count for the page around it.
        let is_framed = logged
            .targets
            .iter()
            .any(|target| !target.frames.is_empty());
        let is_unclear = logged.unseen || matches!(logged.outcome, Outcome::Unclear(_));
        if looks_only || is_unclear || logged.left_site() || is_framed {
            return None;
        }
        let target = logged.targets.first();
        let form = match action {
            BrowserAction::Fill(fill) => literal(&fill.text).and_then(Form::of),
            BrowserAction::Type(typed) => literal(&typed.text).and_then(Form::of),
            _ => None,
        };
        Some(Self {
            host: logged.before.host().cloned()?,
            site: logged.before.site().cloned()?,
            tool: action.tool(),
            step: Move::of(&logged.action, target.map(|target| &target.role)),
            aim: target.map(Aim::of),
            groups: target.map(Aim::groups).unwrap_or_default(),
            searches: target
                .is_some_and(|target| is_of_search(&target.role, target.landmark.as_ref())),
            form,
            trouble: FailureKind::of(&logged.outcome),
            offered: log.offered_at(logged).cloned().collect(),
        })
    }

    /// Returns the step without names that repeat a text typed by the run, because such a name may be the user's own text.
    fn without(mut self, typed: &Typed) -> Self {
        self.aim = self.aim.filter(|aim| !typed.is_in(&aim.name));
        self.groups.retain(|group| !typed.is_in(group));
        self
    }

    /// Returns true if the step succeeded.
    pub const fn is_done(&self) -> bool {
        self.trouble.is_none()
    }

    /// Returns true if this advice was in the prompt before the step.
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
