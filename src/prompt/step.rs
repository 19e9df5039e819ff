//! The message of one step: memory for this site, history, page, what changed, what went wrong.

use std::fmt::Write as _;

use super::{
    fence::{Fence, quoted},
    page,
};
use crate::{
    action::{CallProblem, Outcome},
    base::Nonce,
    memory::{Advice, Placement},
    page::{Dialog, Element, PageView, Tab},
    working::{Entry, History},
};

/// Characters of the page's text that are shown. Source: the requirements.
pub const MAX_TEXT: usize = 800;
/// Longest part of a failure's detail that is shown. Unit: characters. Source: the threat model.
const MAX_DETAIL: usize = 200;
/// Longest target name in a history line. Unit: characters. Source: chosen.
const MAX_NAME: usize = 60;

/// The action that just failed.
#[derive(Debug, Clone, PartialEq)]
pub struct LastFailure {
    /// The tool's name.
    pub command: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// What stands in the message of one step.
#[derive(Debug, Clone)]
pub struct StepParts<'a> {
    /// New for each message.
    pub nonce: Nonce,
    /// The goal's words: elements that share them are shown first.
    pub goal_words: &'a [String],
    /// What memory says about this site and about the last error; advice for the system instruction is not shown here.
    pub advice: &'a [Advice],
    /// What was done so far.
    pub history: &'a History,
    /// The page as understood.
    pub view: &'a PageView,
    /// The dialog that blocks it.
    pub dialog: Option<&'a Dialog>,
    /// The open tabs.
    pub tabs: &'a [Tab],
    /// What changed since the last message, in short lines of page data.
    pub changed: &'a [String],
    /// The action that just failed.
    pub last_failure: Option<&'a LastFailure>,
    /// Elements that `find` found.
    pub found: &'a [Element],
    /// Texts that tools of the loop or of the embedder gave, with a label of ours.
    pub results: &'a [(String, String)],
    /// Answers of a person to questions of the model.
    pub answers: &'a [(String, String)],
    /// Calls that could not be carried out as they were made.
    pub refused: &'a [CallProblem],
    /// Remarks of guards and of the loop, in our words.
    pub notes: &'a [String],
    /// Most elements shown.
    pub max_elements: usize,
}

/// The message of one step.
pub fn step(parts: &StepParts<'_>) -> String {
    let fence = Fence::new(parts.nonce, &origin(&parts.view.url));
    let mut out = String::new();
    section(&mut out, "Memory for this site", |out| {
        fence.block(
            out,
            "memory",
            advice(parts.advice, Placement::Site).map(|a| format!("- {}", quoted(a.text(), Advice::MAX_TEXT))),
        );
    });
    section(&mut out, "History", |out| {
        let left_out = (parts.history.dropped() > 0).then(|| format!("({} earlier steps)", parts.history.dropped()));
        fence.block(out, "history", left_out.into_iter().chain(parts.history.entries().map(history_line)));
    });
    section(&mut out, "Page", |out| {
        let shown = parts.view.shown(parts.goal_words, parts.max_elements);
        fence.block(out, "page", page::lines(parts.view, &shown, parts.dialog, parts.tabs, MAX_TEXT));
    });
    section(&mut out, "Changed", |out| fence.block(out, "changed", parts.changed.iter().cloned()));
    section(&mut out, "Found", |out| fence.block(out, "found", parts.found.iter().map(page::element_line)));
    section(&mut out, "Results", |out| {
        fence.block(
            out,
            "results",
            parts.results.iter().map(|(label, text)| format!("{} {}", quoted(label, MAX_NAME), quoted(text, MAX_TEXT))),
        );
    });
    section(&mut out, "Answer of the person", |out| {
        for (question, answer) in parts.answers {
            let _ = writeln!(out, "asked {}: {}", quoted(question, MAX_TEXT), quoted(answer, MAX_TEXT));
        }
    });
    section(&mut out, "Calls refused", |out| {
        fence.block(out, "refused", parts.refused.iter().map(refused_line));
    });
    if let Some(failure) = parts.last_failure {
        last_failure(&mut out, &fence, failure, parts.advice);
    }
    section(&mut out, "Note", |out| {
        for note in parts.notes {
            let _ = writeln!(out, "- {note}");
        }
    });
    out
}

/// Appends a heading and what `body` writes, or nothing when it writes nothing.
fn section(out: &mut String, title: &str, body: impl FnOnce(&mut String)) {
    let mut inner = String::new();
    body(&mut inner);
    if !inner.is_empty() {
        let _ = write!(out, "## {title}\n{inner}\n");
    }
}

fn advice(all: &[Advice], placement: Placement) -> impl Iterator<Item = &Advice> {
    all.iter().filter(move |a| a.placement() == placement)
}

/// `scheme://host` of the page, or its whole address when it has none.
fn origin(url: &str) -> String {
    crate::base::Origin::parse(url).map_or_else(|_| url.to_owned(), |origin| origin.to_string())
}

/// `3. fill {"target":"e7","text":"padel"} on searchbox "Search" -> done`
fn history_line(entry: &Entry) -> String {
    let mut line = format!("{}. {}", entry.step, crate::base::text::truncate(&entry.action.line(), 200));
    for target in &entry.targets {
        let _ = write!(line, " on {} {}", target.role, quoted(&target.name, MAX_NAME));
    }
    line.push_str(if matches!(entry.outcome, Outcome::Failed(_)) { " -> failed " } else { " -> " });
    line.push_str(entry.outcome.as_str());
    line
}

/// A refused call: both the tool's name and the reason may repeat what the model, or a page through it, wrote.
fn refused_line(problem: &CallProblem) -> String {
    let tool = problem.tool.as_deref().map_or_else(|| "-".to_owned(), |tool| quoted(tool, MAX_NAME));
    format!("{tool} {}", quoted(&problem.failure.detail, MAX_DETAIL))
}

fn last_failure(out: &mut String, fence: &Fence, failure: &LastFailure, all: &[Advice]) {
    section(out, "Last action failed", |out| {
        match &failure.outcome {
            Outcome::Failed(why) => {
                let _ = writeln!(out, "{} failed: {} ({})", failure.command, why.class.sentence(), why.class);
                let detail = (!why.detail.is_empty()).then(|| quoted(&why.detail, MAX_DETAIL));
                fence.block(out, "detail", detail);
            }
            _ => {
                let _ = writeln!(out, "{} had no effect: the page did not change", failure.command);
            }
        }
        let mut tips = advice(all, Placement::Error).peekable();
        if tips.peek().is_some() {
            out.push_str("Tips from previous experience:\n");
            for tip in tips {
                // Text that a page could have shaped stays in a fence, whatever its placement.
                if matches!(tip.trust(), crate::base::Trust::Code | crate::base::Trust::User) {
                    let _ = writeln!(out, "- {}", tip.text());
                } else {
                    fence.block(out, "tip", [quoted(tip.text(), Advice::MAX_TEXT)]);
                }
            }
        }
    });
}
