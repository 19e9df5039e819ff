//! What every policy is made of: it decides from what it has seen, without a memory and without a browser.

use serde_json::json;
use webwise::{
    action::RawCall,
    chat::{ChatRequest, ChatResponse},
    testing::ScriptedModel,
};

use super::reading::{Element, Seen};

/// From what a prompt shows to the next calls.
pub(crate) type Policy = fn(&Seen) -> Vec<RawCall>;

/// What the cover says that the pages put over an episode that has ended.
const COVER: &str = "START";
/// What the pages call the figure of the last episode.
const REWARD: &str = "Last reward:";

/// A model that follows a policy until the episode has ended.
pub(crate) fn model(policy: Policy) -> ScriptedModel {
    ScriptedModel::deciding(move |request: &ChatRequest| {
        let seen = Seen::read(request);
        let calls = ended(&seen).map_or_else(|| policy(&seen), |call| vec![call]);
        Ok(ChatResponse::with_calls(if calls.is_empty() {
            vec![give_up()]
        } else {
            calls
        }))
    })
}

/// The end of the task, once the page shows that it took the answer.
fn ended(seen: &Seen) -> Option<RawCall> {
    let (_, said) = seen.text.rsplit_once(REWARD)?;
    let is_covered = seen.elements.iter().any(|e| e.label == COVER)
        || said.split_whitespace().any(|word| word == COVER);
    if !is_covered {
        return None;
    }
    let figure = said.split_whitespace().next()?;
    let evidence = format!("{REWARD} {figure}");
    Some(call(
        "finish",
        json!({ "answer": evidence, "evidence": evidence, "success": figure == "1.00" }),
    ))
}

fn give_up() -> RawCall {
    call(
        "finish",
        json!({ "answer": "what the goal speaks of is not on the page", "success": false }),
    )
}

pub(crate) fn call(tool: &str, arguments: serde_json::Value) -> RawCall {
    RawCall::new(tool, arguments)
}

/// A call that needs nothing but its target: `click`, `check`, `hover`.
pub(crate) fn on(tool: &str, target: &str) -> RawCall {
    call(tool, json!({ "target": target }))
}

pub(crate) fn fill(target: &str, text: &str) -> RawCall {
    call("fill", json!({ "target": target, "text": text }))
}

/// A step of a locator, with the text as it is written in one.
pub(crate) fn by(strategy: &str, text: &str) -> String {
    format!("{strategy}={}", serde_json::Value::from(text))
}

/// The texts between double quotes.
pub(crate) fn quoted(text: &str) -> Vec<&str> {
    text.split('"').skip(1).step_by(2).collect()
}

/// The text between two others.
pub(crate) fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.rsplit_once(end).map(|(found, _)| found)
}

impl Seen {
    pub(crate) fn of<'s>(&'s self, role: &'s str) -> impl Iterator<Item = &'s Element> {
        self.elements
            .iter()
            .filter(move |element| element.role == role)
    }

    /// The first element of this role and label, without regard to case.
    pub(crate) fn named(&self, role: &str, label: &str) -> Option<&Element> {
        self.elements
            .iter()
            .find(|element| element.role == role && element.label.eq_ignore_ascii_case(label))
    }

    /// The click on the button of this name, if there is one.
    pub(crate) fn press(&self, button: &str) -> Option<RawCall> {
        self.named("button", button)
            .map(|element| on("click", &element.reference))
    }
}
