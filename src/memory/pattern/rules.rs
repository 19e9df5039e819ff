//! Rules that determine the type of a pattern from its steps.

use super::PatternType;
use crate::{
    action::BrowserTool,
    base::words::{PASSWORD, SEARCH},
    memory::{StoredStep, StoredText},
    page::Role,
};

pub(super) fn type_of(steps: &[StoredStep]) -> PatternType {
    let written = || steps.iter().filter(|step| step.writes());
    let moves =
        || steps.iter().any(is_move) || steps.windows(2).any(|pair| pair[0].page != pair[1].page);
    if written().any(takes_password) {
        PatternType::LoginFlow
    } else if written().count() > 0 && written().all(searches) {
        PatternType::Search
    } else if written().count() > 0 {
        PatternType::FormFill
    } else if moves() {
        PatternType::Navigation
    } else {
        PatternType::Other
    }
}

fn takes_password(step: &StoredStep) -> bool {
    matches!(step.text, Some(StoredText::Secret(_))) || PASSWORD.are_in_text(name(step))
}

fn searches(step: &StoredStep) -> bool {
    let is_text = matches!(step.tool, BrowserTool::Fill | BrowserTool::Type);
    let role = step.target.as_ref().map(|target| &target.role);
    is_text && (role == Some(&Role::SearchBox) || SEARCH.are_in_text(name(step)))
}

/// Returns true if the step opens an address, or uses a link, menu item or tab.
fn is_move(step: &StoredStep) -> bool {
    let role = step.target.as_ref().map(|target| &target.role);
    step.tool == BrowserTool::Goto || matches!(role, Some(Role::Link | Role::MenuItem | Role::Tab))
}

/// Returns the name of the step's target; empty if there is none.
fn name(step: &StoredStep) -> &str {
    let aim = step.target.as_ref().and_then(|target| target.aim.as_ref());
    aim.map_or("", |aim| &aim.name)
}
