//! Writes the events of a run as lines for a person: actions, their outcomes, and the remarks of memory and of the
//! guards. This module does no I/O.

use super::words::{self, quoted};
use crate::{
    action::Outcome,
    base::text::counted,
    event::{Event, EventKind},
    memory::Scope,
    page::Notice,
    prompt::for_person,
};

/// Maximum length of a text that a line quotes, such as a lesson or words of a page. Unit: characters. Source: chosen.
const MAX_TEXT: usize = 140;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// A word that says what the line is about, such as `memory`; `None` for an action.
    pub(crate) label: Option<&'static str>,
    pub(crate) text: String,
    /// The outcome of the action; empty if the outcome is unknown, or if the line is not about an action.
    pub(crate) outcome: String,
    /// Time that the action took; `None` for `finish`, and if the line is not about an action. Unit: milliseconds.
    pub(crate) elapsed_ms: Option<u64>,
}

impl Line {
    fn aside(label: &'static str, text: &str) -> Self {
        Self {
            label: Some(label),
            text: text.to_owned(),
            outcome: String::new(),
            elapsed_ms: None,
        }
    }
}

fn replayed(number: usize, of: usize) -> Line {
    let words =
        format!("the next step is step {number} of {of} of an earlier run with such a task");
    Line::aside("memory", &words)
}

fn retired(text: &str) -> Line {
    Line::aside(
        "forgot",
        &format!("what harmed, {}", quoted(text, MAX_TEXT)),
    )
}

/// Returns the lines about an event; none if the event does not matter to a person.
pub(crate) fn lines(event: &Event) -> Vec<Line> {
    let aside = |label, text: &str| vec![Line::aside(label, text)];
    match &event.kind {
        EventKind::Tier1Loaded { lessons, .. }
        | EventKind::DomainRecall { lessons, .. }
        | EventKind::ErrorRecall { lessons, .. } => lessons
            .iter()
            .map(|lesson| Line::aside("memory", &quoted(lesson, MAX_TEXT)))
            .collect(),
        EventKind::AdviceWithheld { lessons, .. } => lessons
            .iter()
            .map(|lesson| Line::aside("held back", &quoted(lesson, MAX_TEXT)))
            .collect(),
        EventKind::StepReplayed { number, of, .. } => vec![replayed(*number, *of)],
        EventKind::MemoryChanged { what, text, .. } if what.ends_with("_retired") => {
            vec![retired(text)]
        }
        EventKind::MemoryChanged { what, text, .. } => {
            aside("memory", &format!("{what} {}", quoted(text, MAX_TEXT)))
        }
        // A lesson for all sites is not shown to the model until a second site confirms it.
        EventKind::LessonRecorded { lesson, item, .. } if item.shelf.scope != Scope::Global => {
            aside("learned", &quoted(lesson, MAX_TEXT))
        }
        EventKind::LessonPromoted { lesson, .. } => aside(
            "learned",
            &format!("for every run from now on, {}", quoted(lesson, MAX_TEXT)),
        ),
        EventKind::LessonDemoted { lesson, .. } => aside(
            "memory",
            &format!("no longer for every run, {}", quoted(lesson, MAX_TEXT)),
        ),
        EventKind::LessonRetired { lesson, .. } => {
            vec![retired(lesson)]
        }
        EventKind::LessonCredited {
            item,
            helped,
            followed: true,
            ..
        } => {
            let end = if *helped { "and it helped" } else { "in vain" };
            vec![Line::aside(
                "memory",
                &format!("{} was followed, {end}", item.key),
            )]
        }
        EventKind::ActionExecuted {
            action,
            targets,
            outcome,
            elapsed_ms,
            ..
        } => {
            let mut lines = vec![Line {
                label: None,
                text: for_person(action, targets),
                outcome: words::outcome(outcome),
                elapsed_ms: Some(*elapsed_ms),
            }];
            if let Outcome::Failed(failure) | Outcome::Unclear(failure) = outcome
                && !failure.detail.is_empty()
            {
                lines.push(Line::aside("because", &quoted(&failure.detail, MAX_TEXT)));
            }
            lines
        }
        EventKind::FinishChecked {
            evidence,
            verified,
            unverified,
            ..
        } => {
            let (words, outcome) = match (evidence.is_empty(), verified) {
                (true, _) => ("finish, without evidence".to_owned(), ""),
                (false, true) => (
                    format!("finish, the page says {}", quoted(evidence, MAX_TEXT)),
                    "it does",
                ),
                (false, false) => (
                    format!("finish, the page says {}", quoted(evidence, MAX_TEXT)),
                    "it does not",
                ),
            };
            let mut lines = vec![Line {
                label: None,
                text: words,
                outcome: outcome.to_owned(),
                elapsed_ms: None,
            }];
            let claims = unverified.iter();
            lines.extend(claims.map(|claim| Line::aside("unverified", &quoted(claim, MAX_TEXT))));
            lines
        }
        EventKind::ApprovalDecided {
            action,
            effect,
            approved,
            why,
        } => {
            let next = format!(
                "the next {}, which {}",
                action.tool_name(),
                words::effect(*effect)
            );
            vec![if *approved {
                Line::aside("approved", &next)
            } else {
                Line::aside("refused", &format!("{next}: {why}"))
            }]
        }
        EventKind::Extracted { name, text } => {
            aside("read", &format!("{name} = {}", quoted(text, MAX_TEXT)))
        }
        EventKind::Given { name, text } => aside(
            "given",
            &match text {
                Some(text) => format!("{name} = {}", quoted(text, MAX_TEXT)),
                None => format!("{name} was taken back"),
            },
        ),
        EventKind::CallRefused { problem } => {
            let detail = &problem.failure.detail;
            let text = match &problem.tool {
                Some(tool) => format!("{tool} is not a call that can run: {detail}"),
                None => format!("not usable: {detail}"),
            };
            vec![Line::aside("warning", &text)]
        }
        EventKind::CallsDropped { count, why } => aside(
            "dropped",
            &format!("{}: {why}", counted(*count, "further call")),
        ),
        EventKind::Warned { guard, text } => aside("warning", &format!("{guard}: {text}")),
        EventKind::BrowserNoticed { notice } => vec![Line::aside("noticed", &noticed(notice))],
        EventKind::HumanAsked { question, answer } => {
            let answer = answer
                .as_deref()
                .map_or_else(|| "nobody".to_owned(), |answer| quoted(answer, MAX_TEXT));
            vec![Line::aside(
                "asked",
                &format!("{} answered: {answer}", quoted(question, MAX_TEXT)),
            )]
        }
        EventKind::FactProposed { key, value } => aside(
            "fact",
            &format!("{} = {}", quoted(key, MAX_TEXT), quoted(value, MAX_TEXT)),
        ),
        EventKind::ModelFailed { error, .. } => {
            aside("warning", &format!("the model failed: {error}"))
        }
        EventKind::RecordingFailed { error } => aside(
            "warning",
            &format!("the run folder is not complete, the run goes on: {error}"),
        ),
        EventKind::StoreNoticed { notice } => aside(
            "warning",
            &format!("memory {}", words::store_notice(notice)),
        ),
        EventKind::MemoryFailed { operation, error } => aside(
            "warning",
            &format!("memory failed in {operation}, the run goes on without it: {error}"),
        ),
        _ => Vec::new(),
    }
}

fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::TabOpened { url } => {
            format!("the page opened a tab with {}", quoted(url, MAX_TEXT))
        }
        Notice::DialogBehind { tab } => {
            format!("a dialog opened in tab {tab}, which is not the current one")
        }
        Notice::Download {
            suggested_name,
            kept,
        } => {
            let what = if *kept { "kept" } else { "refused" };
            format!(
                "the page offered the file {}, which was {what}",
                quoted(suggested_name, MAX_TEXT)
            )
        }
        Notice::TransportChanged { from, to, why } => {
            format!("the browser is reached by {to}, not by {from}: {why}")
        }
    }
}
