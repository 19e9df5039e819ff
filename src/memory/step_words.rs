//! A stored step in words. Names of page elements are separate pieces. A prompt shows them without references to elements
//! of the current page, because the step belongs to an earlier run and its element may be another one now.

use std::fmt;

use super::{Aim, PageName, Piece, StoredStep, StoredTarget, StoredText, stored_step::ForGoal};
use crate::{
    action::BrowserTool,
    page::Role,
    working::words::{Audience, StepWords},
};

/// Returns a step in words, such as `fill n1 with <1>, then Enter`: `n1` is the name of the target, and `<1>` stands for the
/// first value of the goal. `values` has the new goal's value for each value of the recorded goal, if it is known.
pub(super) fn words(step: &StoredStep, values: &[Option<String>]) -> Vec<Piece> {
    let page = match (step.tool, &step.leads_to) {
        (BrowserTool::Goto, Some(page)) => {
            let page = PageName::new(&Role::Document, page.path(), None);
            Some(page.of_earlier_run().into())
        }
        (BrowserTool::Goto, None) => Some("the page that fits your goal".into()),
        _ => None,
    };
    let text = step.text.as_ref().map(|text| match step.tool {
        BrowserTool::Select | BrowserTool::Type => given(text, values),
        _ => format!("with {}", given(text, values)),
    });
    let key = step.key.as_ref().map(ToString::to_string);
    let said = text.into_iter().chain(key).map(Piece::from);
    let target = step.target.as_ref().map(|target| named(target, values));
    let words = StepWords {
        tool: step.tool.as_str(),
        target: target.unwrap_or_default(),
        values: said.chain(page).collect(),
        flags: step
            .submit
            .then(|| "submit".to_owned())
            .into_iter()
            .collect(),
    };
    words.pieces(Audience::LaterRun)
}

/// Returns words for a text that a step typed or chose: the value of the new goal if it is known, but never the recorded
/// text.
fn given(given: &StoredText, values: &[Option<String>]) -> String {
    match given {
        StoredText::Slot(slot) => slot_with_value(*slot, values),
        StoredText::Parameter(name) => format!("<param:{name}>"),
        StoredText::Secret(name) => name.placeholder(),
        StoredText::Other { .. } => "what the task needs there".to_owned(),
    }
}

/// Returns the name that stands for a value of the goal, such as `<1>` for the slot 0.
pub(super) fn slot_name(slot: usize) -> String {
    format!("<{}>", slot + 1)
}

fn slot_with_value(slot: usize, values: &[Option<String>]) -> String {
    let name = slot_name(slot);
    match values.get(slot).and_then(Option::as_deref) {
        Some(value) => format!("{name} (in your goal {})", serde_json::Value::from(value)),
        None => name,
    }
}

/// Returns a target in words: its name, or a name such as `<1>` if its name is a value of the goal. If no name is stored,
/// returns its role and the part of the page that contains it.
fn named(target: &StoredTarget, values: &[Option<String>]) -> Vec<Piece> {
    let (role, place) = (role(target), place(target));
    if let Some(slot) = target.slot {
        return vec![Piece::Words(format!(
            "the {role} {}",
            slot_with_value(slot, values)
        ))];
    }
    match (&target.aim, target.collection) {
        (Some(aim), Some(list)) if target.for_goal == ForGoal::SameOrOther => vec![
            past(aim),
            Piece::Words(format!(
                " or another of its list of {}, as your goal says",
                list.size
            )),
        ],
        (Some(aim), _) if !aim.name.is_empty() => vec![past(aim)],
        (Some(aim), _) => vec![past(aim), Piece::Words(format!(" (it has no name{place})"))],
        (None, _) if target.for_goal == ForGoal::Other => vec![Piece::Words(format!(
            "the {role}{place} that fits your goal"
        ))],
        // The name of the target is not kept, because this run may have to choose another item of the list.
        (None, Some(list)) => vec![Piece::Words(format!(
            "the {role} that fits your goal, one of {} alike{place}",
            list.size
        ))],
        (None, None) => vec![Piece::Words(format!(
            "a {role}{place}, whose name was not kept"
        ))],
    }
}

fn past(aim: &Aim) -> Piece {
    aim.page_name().of_earlier_run().into()
}

/// Returns the part of the page that contains the target, such as ` in the header`; empty if it is not known.
fn place(target: &StoredTarget) -> String {
    let part = match &target.landmark {
        None | Some(Role::Other(_) | Role::Generic) => return String::new(),
        Some(Role::Banner) => "header",
        Some(Role::ContentInfo) => "footer",
        Some(Role::Main) => "main part",
        Some(role) => role.as_str(),
    };
    format!(" in the {part}")
}

fn role(target: &StoredTarget) -> &str {
    match &target.role {
        Role::Other(_) => Role::Generic.as_str(),
        role => role.as_str(),
    }
}

impl fmt::Display for StoredStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        words(self, &[]).iter().try_for_each(|piece| piece.fmt(f))
    }
}
