//! What a run left to judge, and the words of the models that play.

use std::{fmt, sync::Arc};

use serde_json::{Value, json};
use webwise::{
    action::Outcome,
    agent::RunReport,
    chat::{ChatRequest, ChatResponse},
    event::{Event, EventKind},
    page::{Notice, Observation, PageView},
    testing::{ScriptedModel, call},
};

/// A run that has ended.
pub(crate) struct Played {
    pub(crate) report: RunReport,
    pub(crate) events: Vec<Event>,
    pub(crate) messages: Vec<String>,
}

impl Played {
    pub(crate) fn new(report: RunReport, events: Vec<Event>, requests: Vec<ChatRequest>) -> Self {
        Self {
            report,
            events,
            messages: requests
                .into_iter()
                .map(|request| request.message)
                .collect(),
        }
    }

    /// Each action with how it ended, the opening of the start page first.
    pub(crate) fn actions(&self) -> Vec<(String, Outcome)> {
        let of = |event: &Event| match &event.kind {
            EventKind::ActionExecuted {
                action, outcome, ..
            } => Some((action.tool_name().to_owned(), outcome.clone())),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// The same as words: `goto done`.
    pub(crate) fn course(&self) -> Vec<String> {
        self.actions()
            .into_iter()
            .map(|(tool, outcome)| format!("{tool} {}", outcome.as_str()))
            .collect()
    }

    /// All that was observed.
    pub(crate) fn seen(&self) -> Vec<Arc<Observation>> {
        let of = |event: &Event| match &event.kind {
            EventKind::Observed { observation, .. } => Some(Arc::clone(observation)),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// All that was understood of it.
    pub(crate) fn views(&self) -> Vec<Arc<PageView>> {
        let of = |event: &Event| match &event.kind {
            EventKind::Interpreted { view } => Some(Arc::clone(view)),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// What the driver saw beside the actions.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let of = |event: &Event| match &event.kind {
            EventKind::BrowserNoticed { notice } => Some(notice.clone()),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// The words of the last page.
    pub(crate) fn last_text(&self) -> String {
        self.seen()
            .last()
            .map(|seen| text_of(seen))
            .unwrap_or_default()
    }
}

impl fmt::Debug for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.report)?;
        for event in &self.events {
            let line: String = serde_json::to_string(event)
                .unwrap_or_default()
                .chars()
                .take(600)
                .collect();
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// All words of a page.
pub(crate) fn text_of(seen: &Observation) -> String {
    seen.tree
        .roots()
        .map(|root| seen.tree.text_of(root))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A model that says these one after the other.
pub(crate) fn says(course: impl IntoIterator<Item = ChatResponse>) -> ScriptedModel {
    ScriptedModel::new(course)
}

/// A model that decides from the number of the call, from 0, and the message.
pub(crate) fn decides(
    mut decide: impl FnMut(usize, &str) -> ChatResponse + Send + 'static,
) -> ScriptedModel {
    let mut calls = 0;
    ScriptedModel::deciding(move |request| {
        calls += 1;
        Ok(decide(calls - 1, &request.message))
    })
}

/// A click on the button of this name.
pub(crate) fn click(name: &str) -> ChatResponse {
    click_at(&format!("role=button[name={}]", Value::from(name)))
}

/// A click on a target.
pub(crate) fn click_at(target: &str) -> ChatResponse {
    call("click", json!({ "target": target }))
}

/// A click on the link of this name.
pub(crate) fn follow(name: &str) -> ChatResponse {
    click_at(&format!("role=link[name={}]", Value::from(name)))
}

pub(crate) fn go(url: &str) -> ChatResponse {
    call("goto", json!({ "url": url }))
}

pub(crate) fn accept() -> ChatResponse {
    call("dialog_accept", json!({}))
}

pub(crate) fn dismiss() -> ChatResponse {
    call("dialog_dismiss", json!({}))
}

pub(crate) fn look() -> ChatResponse {
    call("snapshot", json!({}))
}

/// The end, proven by these words of the page.
pub(crate) fn finish(evidence: &str) -> ChatResponse {
    call(
        "finish",
        json!({ "answer": evidence, "evidence": evidence }),
    )
}

/// The end without success.
pub(crate) fn give_up() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "it cannot be done", "success": false }),
    )
}

/// The reference that a message shows for an element such as `button "Go"`.
pub(crate) fn reference(message: &str, element: &str) -> Option<String> {
    let line = message.lines().find(|line| line.contains(element))?;
    let before = line.split(element).next()?;
    let is_ref = |word: &&str| webwise::page::ElementRef::parse(word).is_ok();
    before
        .split_whitespace()
        .rev()
        .find(is_ref)
        .map(str::to_owned)
}
