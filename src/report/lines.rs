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

/// Returns the lines about an event; none if the event does not matter to a person.
pub(crate) fn lines(event: &Event) -> Vec<Line> {
    let each = |label, texts: &[String]| {
        let texts = texts.iter();
        texts.map(|text| Line::aside(label, &shown(text))).collect()
    };
    match &event.kind {
        EventKind::Tier1Loaded { lessons, .. }
        | EventKind::DomainRecall { lessons, .. }
        | EventKind::ErrorRecall { lessons, .. } => each("memory", lessons),
        EventKind::AdviceWithheld { lessons, .. } => each("held back", lessons),
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
                lines.push(Line::aside("because", &shown(&failure.detail)));
            }
            lines
        }
        EventKind::FinishChecked {
            evidence,
            verified,
            unverified,
            ..
        } => {
            let (text, outcome) = match (evidence.is_empty(), verified) {
                (true, _) => ("finish, without evidence".to_owned(), ""),
                (false, verified) => (
                    format!("finish, the page says {}", shown(evidence)),
                    if *verified { "it does" } else { "it does not" },
                ),
            };
            let mut lines = vec![Line {
                label: None,
                text,
                outcome: outcome.to_owned(),
                elapsed_ms: None,
            }];
            lines.extend(each("unverified", unverified));
            lines
        }
        kind => {
            let remark = remark_of_memory(kind).or_else(|| remark_of_run(kind));
            let line = remark.map(|(label, text)| Line::aside(label, &text));
            line.into_iter().collect()
        }
    }
}

fn shown(text: &str) -> String {
    quoted(text, MAX_TEXT)
}

/// Returns the label and the text of the line about an event of memory that has one line.
fn remark_of_memory(kind: &EventKind) -> Option<(&'static str, String)> {
    let retired = |text| ("forgot", format!("what harmed, {}", shown(text)));
    Some(match kind {
        EventKind::StepReplayed { number, of, .. } => (
            "memory",
            format!("the next step is step {number} of {of} of an earlier run with such a task"),
        ),
        EventKind::MemoryChanged { what, text, .. } if what.ends_with("_retired") => retired(text),
        EventKind::MemoryChanged { what, text, .. } => {
            ("memory", format!("{what} {}", shown(text)))
        }
        // A lesson for all sites is not shown to the model until a second site confirms it.
        EventKind::LessonRecorded { lesson, item, .. } if item.shelf.scope != Scope::Global => {
            ("learned", shown(lesson))
        }
        EventKind::LessonPromoted { lesson, .. } => (
            "learned",
            format!("for every run from now on, {}", shown(lesson)),
        ),
        EventKind::LessonDemoted { lesson, .. } => (
            "memory",
            format!("no longer for every run, {}", shown(lesson)),
        ),
        EventKind::LessonRetired { lesson, .. } => retired(lesson),
        EventKind::LessonCredited {
            item,
            helped,
            followed: true,
            ..
        } => {
            let end = if *helped { "and it helped" } else { "in vain" };
            ("memory", format!("{} was followed, {end}", item.key))
        }
        EventKind::FactProposed { key, value } => {
            ("fact", format!("{} = {}", shown(key), shown(value)))
        }
        EventKind::StoreNoticed { notice } => {
            let notice = words::store_notice(notice);
            ("warning", format!("memory {notice}"))
        }
        EventKind::MemoryFailed { operation, error } => (
            "warning",
            format!("memory failed in {operation}, the run goes on without it: {error}"),
        ),
        _ => return None,
    })
}

/// Returns the label and the text of the line about any other event that has one line.
fn remark_of_run(kind: &EventKind) -> Option<(&'static str, String)> {
    Some(match kind {
        EventKind::ApprovalDecided {
            action,
            effect,
            approved,
            why,
        } => {
            let (tool, effect) = (action.tool_name(), words::effect(*effect));
            let next = format!("the next {tool}, which {effect}");
            if *approved {
                ("approved", next)
            } else {
                ("refused", format!("{next}: {why}"))
            }
        }
        EventKind::Extracted { name, text } => ("read", format!("{name} = {}", shown(text))),
        EventKind::Given { name, text } => (
            "given",
            match text {
                Some(text) => format!("{name} = {}", shown(text)),
                None => format!("{name} was taken back"),
            },
        ),
        EventKind::CallRefused { problem } => {
            let detail = &problem.failure.detail;
            let text = match &problem.tool {
                Some(tool) => format!("{tool} is not a call that can run: {detail}"),
                None => format!("not usable: {detail}"),
            };
            ("warning", text)
        }
        EventKind::CallsDropped { count, why } => {
            let dropped = counted(*count, "further call");
            ("dropped", format!("{dropped}: {why}"))
        }
        EventKind::Instructed { text } => ("instruction", text.clone()),
        EventKind::Warned { guard, text } => ("warning", format!("{guard}: {text}")),
        EventKind::BrowserNoticed { notice } => ("noticed", noticed(notice)),
        EventKind::HumanAsked { question, answer } => {
            let answer = answer.as_deref().map_or_else(|| "nobody".to_owned(), shown);
            ("asked", format!("{} answered: {answer}", shown(question)))
        }
        EventKind::ModelFailed { error, .. } => ("warning", format!("the model failed: {error}")),
        EventKind::RecordingFailed { error } => (
            "warning",
            format!("the run folder is not complete, the run goes on: {error}"),
        ),
        _ => return None,
    })
}

fn noticed(notice: &Notice) -> String {
    match notice {
        Notice::TabOpened { url } => {
            format!("the page opened a tab with {}", shown(url))
        }
        Notice::DialogBehind { tab } => {
            format!("a dialog opened in tab {tab}, which is not the current one")
        }
        Notice::Download {
            suggested_name,
            kept,
        } => {
            let what = if *kept { "kept" } else { "refused" };
            let name = shown(suggested_name);
            format!("the page offered the file {name}, which was {what}")
        }
        Notice::TransportChanged { from, to, why } => {
            format!("the browser is reached by {to}, not by {from}: {why}")
        }
    }
}
