//! A run as lessons see it: what was done, how it ended, and which failures were recovered. No typed text, no page text but
//! the names of targets.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Aim, Form, Move, SiteRecovery, Trouble, recover};
use crate::{
    action::{Action, BrowserAction, BrowserTool, Outcome, TextValue},
    base::{Host, RunId, Site, text},
    memory::{AdviceId, LoggedStep, RunLog},
    page::PageTemplate,
};

/// Shortest typed text that a name must not repeat. Unit: characters. Source: chosen; shorter ones are parts of words.
const MIN_TYPED: usize = 4;

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
        let typed: Vec<String> = log.steps.iter().flat_map(typed).collect();
        let kept: Vec<(&LoggedStep, TraceStep)> = log
            .steps
            .iter()
            .filter_map(|logged| Some((logged, TraceStep::of(logged)?.without(&typed))))
            .collect();
        let found = recover::found(&kept);
        let steps = kept.into_iter().map(|(_, step)| step).collect();
        Self {
            run: log.run.clone(),
            ended_at: log.ended_at,
            steps,
            found,
            offered: log.offered.clone(),
        }
    }

    /// Whether what was found is part of the steps; it may have been written by something else than this program.
    pub(super) fn is_sound(&self) -> bool {
        self.found
            .iter()
            .all(|found| found.failed < found.first && found.first < self.steps.len())
    }

    /// The recovered failures with the step that failed.
    pub fn recovered(&self) -> impl Iterator<Item = (&Found, &TraceStep)> {
        self.found
            .iter()
            .filter_map(|found| Some((found, self.steps.get(found.failed)?)))
    }
}

impl TraceStep {
    /// `None` for steps that change nothing, for those of which nobody knows whether they worked, and for those on no host or
    /// that led away from their site: nothing is learned across that border.
    fn of(logged: &LoggedStep) -> Option<Self> {
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
        // What happens in a frame may be another site's doing, and is not said of the page around it.
        let is_framed = logged
            .targets
            .iter()
            .any(|target| !target.frames.is_empty());
        let is_unclear = matches!(logged.outcome, Outcome::Unclear(_));
        if looks_only || is_unclear || logged.left_site || is_framed {
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

    /// The same, without a name that repeats what was typed: a page may offer it as a choice.
    fn without(mut self, typed: &[String]) -> Self {
        let repeats = |aim: &Aim| {
            typed
                .iter()
                .any(|text| text::fold(&aim.name).contains(text.as_str()))
        };
        self.aim = self.aim.filter(|aim| !repeats(aim));
        self
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

/// The texts that a step typed, folded; short ones are in every name.
fn typed(logged: &LoggedStep) -> Vec<String> {
    let Action::Browser(action @ (BrowserAction::Fill(_) | BrowserAction::Type(_))) =
        &logged.action
    else {
        return Vec::new();
    };
    let texts = action
        .texts()
        .into_iter()
        .filter_map(literal)
        .map(|text| text::fold(text.trim()));
    texts
        .filter(|text| text.chars().count() >= MIN_TYPED)
        .collect()
}

fn literal(text: &TextValue) -> Option<&str> {
    match text {
        TextValue::Literal(text) => Some(text),
        _ => None,
    }
}
