//! The message of one step: memory for this site, history, page, what changed, what went wrong.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    fence::{Fence, quoted},
    page,
};
use crate::{
    action::{CallProblem, Outcome},
    base::{Nonce, Trust, canonical, text::clean},
    memory::{Advice, Placement},
    page::{Dialog, DigestOptions, Element, PageView, Tab},
    working::{Entry, History},
};

/// Characters of the page's text that are shown. Source: the requirements.
pub const MAX_TEXT: usize = 800;
/// Longest part of a failure's detail that is shown. Unit: characters. Source: the threat model.
const MAX_DETAIL: usize = 200;
/// Longest target name in a history line. Unit: characters. Source: chosen.
const MAX_NAME: usize = 60;
/// Longest argument in a history line. Unit: characters. Source: chosen.
const MAX_ARGUMENT: usize = 160;
/// Arguments that name elements.
const TARGETS: [&str; 3] = ["target", "from", "to"];

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
    /// How much of the page is shown.
    pub digest: DigestOptions,
}

/// The message of one step: all that came from outside inside of one fence, then what the loop says.
pub fn step(parts: &StepParts<'_>) -> String {
    let mut fence = Fence::new(parts.nonce);
    let site = advice(parts.advice, Placement::Site);
    fence.section(
        "Memory for this site",
        site.map(|a| format!("- {}", quoted(a.text(), Advice::MAX_TEXT))),
    );
    let left_out = (parts.history.dropped() > 0)
        .then(|| format!("({} earlier steps)", parts.history.dropped()));
    fence.section(
        "History",
        left_out
            .into_iter()
            .chain(parts.history.entries().map(history_line)),
    );
    let digest = parts.view.digest(parts.goal_words, parts.digest);
    fence.section(
        "Page",
        page::lines(parts.view, &digest, parts.dialog, parts.tabs),
    );
    fence.section("Changed", parts.changed.iter().cloned());
    fence.section("Found", parts.found.iter().map(page::element_line));
    let result = |(label, text): &(String, String)| {
        format!("{} {}", quoted(label, MAX_NAME), quoted(text, MAX_TEXT))
    };
    fence.section("Results", parts.results.iter().map(result));
    fence.section("Calls refused", parts.refused.iter().map(refused_line));
    // What the model asks may repeat a page; what the person answers is the person's.
    let asked = parts
        .answers
        .iter()
        .zip(1..)
        .map(|((question, _), n)| format!("{n}. {}", quoted(question, MAX_TEXT)));
    fence.section("Asked", asked);
    let failure = parts.last_failure;
    fence.section("Detail of the failure", failure.and_then(detail));
    let is_data = |tip: &&Advice| !matches!(tip.trust(), Trust::Code | Trust::User);
    // Text that a page could have shaped stays in the fence, whatever its placement.
    let tips =
        advice(parts.advice, Placement::Error).filter(|tip| failure.is_some() && is_data(tip));
    fence.section(
        "Tips from earlier runs",
        tips.map(|tip| format!("- {}", quoted(tip.text(), Advice::MAX_TEXT))),
    );
    let mut out = fence.finish();

    section(&mut out, "Answer of the person", |out| {
        for ((_, answer), n) in parts.answers.iter().zip(1..) {
            let _ = writeln!(out, "{n}. {}", quoted(answer, MAX_TEXT));
        }
    });
    if let Some(failure) = failure {
        let tips = advice(parts.advice, Placement::Error).filter(|tip| !is_data(tip));
        section(&mut out, "Last action failed", |out| {
            last_failure(out, failure, tips);
        });
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
        let _ = write!(out, "\n## {title}\n{inner}");
    }
}

fn advice(all: &[Advice], placement: Placement) -> impl Iterator<Item = &Advice> {
    all.iter().filter(move |a| a.placement() == placement)
}

/// `3. fill searchbox "Search" "padel"`; then how it ended, unless it is done.
///
/// References are left out: they named elements of an earlier page.
fn history_line(entry: &Entry) -> String {
    let mut line = format!("{}. {}", entry.step, entry.action.tool_name());
    let mut arguments = entry.action.arguments();
    for target in &entry.targets {
        let _ = write!(line, " {} {}", target.role, quoted(target.said(), MAX_NAME));
    }
    if let (Some(map), false) = (arguments.as_object_mut(), entry.targets.is_empty()) {
        map.retain(|name, _| !TARGETS.contains(&name.as_str()));
    }
    match arguments.as_object() {
        Some(map) if map.is_empty() => {}
        // What a fill is given, or a key is called, needs no name.
        Some(map) if map.len() == 1 => map.values().for_each(|value| argument(&mut line, value)),
        _ => argument(&mut line, &arguments),
    }
    if entry.outcome != Outcome::Done {
        let failed = if matches!(entry.outcome, Outcome::Failed(_)) {
            "failed "
        } else {
            ""
        };
        let _ = write!(line, " -> {failed}{}", entry.outcome.as_str());
    }
    line
}

fn argument(line: &mut String, value: &Value) {
    let text = value
        .as_str()
        .map_or_else(|| clean(&canonical(value)), str::to_owned);
    // What is cut is no JSON any more, and so a text.
    let is_whole_json = !value.is_string() && text.chars().count() <= MAX_ARGUMENT;
    let _ = write!(
        line,
        " {}",
        if is_whole_json {
            text
        } else {
            quoted(&text, MAX_ARGUMENT)
        }
    );
}

/// A refused call: both the tool's name and the reason may repeat what the model, or a page through it, wrote.
fn refused_line(problem: &CallProblem) -> String {
    let tool = problem
        .tool
        .as_deref()
        .map_or_else(|| "-".to_owned(), |tool| quoted(tool, MAX_NAME));
    format!("{tool} {}", quoted(&problem.failure.detail, MAX_DETAIL))
}

/// What the browser said of a failure.
fn detail(failure: &LastFailure) -> Option<String> {
    match &failure.outcome {
        Outcome::Failed(why) if !why.detail.is_empty() => Some(quoted(&why.detail, MAX_DETAIL)),
        _ => None,
    }
}

fn last_failure<'a>(
    out: &mut String,
    failure: &LastFailure,
    tips: impl Iterator<Item = &'a Advice>,
) {
    let _ = match &failure.outcome {
        Outcome::Failed(why) => writeln!(
            out,
            "{} failed: {} ({})",
            failure.command,
            why.class.sentence(),
            why.class
        ),
        _ => writeln!(
            out,
            "{} had no effect: the page did not change",
            failure.command
        ),
    };
    for (at, tip) in tips.enumerate() {
        if at == 0 {
            out.push_str("Tips from previous experience:\n");
        }
        let _ = writeln!(out, "- {}", tip.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Action, BrowserAction, Fill, Signature, Target},
        page::{Role, TargetIdentity},
    };

    #[test]
    fn a_target_without_a_name_is_told_by_its_label() {
        let line = |target: TargetIdentity| {
            let fill = Fill {
                target: Target::parse("e1").unwrap(),
                text: "ada".into(),
                submit: false,
            };
            let action = Action::Browser(BrowserAction::Fill(fill));
            let targets = vec![target];
            let signature = Signature::of(&action, &targets, "");
            history_line(&Entry::new(
                1,
                action,
                targets,
                Outcome::Done,
                String::new(),
                signature,
            ))
        };
        let mut field = TargetIdentity::new(Role::TextBox, "");
        assert_eq!(line(field.clone()), r#"1. fill textbox "" "ada""#);
        field.label = Some("User".to_owned());
        assert_eq!(line(field.clone()), r#"1. fill textbox "User" "ada""#);
        field.name = "Login".to_owned();
        assert_eq!(line(field), r#"1. fill textbox "Login" "ada""#);
    }
}
