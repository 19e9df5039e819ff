//! The shortest sequence of a run's steps that leads to its end, without detours and steps that had no effect.

use crate::{
    action::{Action, BrowserAction, BrowserTool, Outcome},
    page::Role,
    working::Step,
};

/// Returns the steps of a run in order, without steps that were certainly not needed.
///
/// The following steps are left out:
///
/// - steps that are no browser actions, and steps that only look; scrolling is kept if it changed the page
/// - steps that failed or had no effect
/// - all but the last of several scrolling steps in a row
/// - steps that gave a field a value that a later step replaced, if the steps in between only gave values to fields too
/// - navigation that led back to the page where it began
/// - navigation that came right before a step that opens an address
pub(super) fn shortest<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Vec<&'a Step> {
    let acted = steps.into_iter().filter(|step| acts(step));
    let mut way: Vec<&Step> = Vec::new();
    for step in acted {
        if let Some(tool) = tool(step)
            && opens(tool)
        {
            while way.last().is_some_and(|last| only_moves(last)) {
                way.pop();
            }
        }
        let settings = way.iter().rev().take_while(|step| only_sets(step)).count();
        if only_sets(step)
            && let Some(at) = way[way.len() - settings..]
                .iter()
                .position(|earlier| is_same_field(step, earlier))
        {
            way.remove(way.len() - settings + at);
        }
        // Several scrolling steps in a row are kept as one.
        let scrolls = |step: &Step| tool(step) == Some(BrowserTool::Scroll);
        if scrolls(step) && way.last().is_some_and(|last| scrolls(last)) {
            way.pop();
        }
        way.push(step);
        if let Some(start) = loop_start(&way) {
            way.truncate(start);
        }
    }
    way
}

/// Returns true if the tool only looks at the page, waits, scrolls, or saves the browser's state.
pub(super) const fn looks_only(tool: BrowserTool) -> bool {
    use BrowserTool as T;
    tool.is_look() || matches!(tool, T::Scroll | T::StateSave)
}

/// Returns true if the step is a browser action that does more than look at the page, and its outcome is done or unclear.
/// Scrolling counts only if it changed the page.
fn acts(step: &Step) -> bool {
    let is_done = matches!(step.outcome, Outcome::Done | Outcome::Unclear(_));
    // Scrolling may load more items, or enable a button below a text.
    let changed = || {
        let mut changes = step.changes.iter();
        changes.any(|changes| !changes.is_empty())
    };
    let scrolled = |tool| matches!(tool, BrowserTool::Scroll) && changed();
    is_done && tool(step).is_some_and(|tool| !looks_only(tool) || scrolled(tool))
}

pub(super) const fn tool(step: &Step) -> Option<BrowserTool> {
    match &step.action {
        Action::Browser(action) => Some(action.tool()),
        _ => None,
    }
}

/// Returns true if the tool opens an address in the current tab. Earlier steps that only moved from page to page are
/// then not needed.
const fn opens(tool: BrowserTool) -> bool {
    matches!(tool, BrowserTool::Goto)
}

/// Returns true if the step only showed another page: it opened an address, moved in the browser's history, reloaded,
/// or followed a link.
pub(super) fn only_moves(step: &Step) -> bool {
    use BrowserTool as T;
    let Some(tool) = tool(step) else {
        return false;
    };
    let is_link = || step.targets.first().is_some_and(|t| t.role == Role::Link);
    match tool {
        T::Goto | T::GoBack | T::GoForward | T::Reload => true,
        T::Click => is_link() && step.before.url() != step.after.url(),
        _ => false,
    }
}

/// Returns true if the step only gave a field a value, so that a later step on the same field can replace it.
pub(super) fn only_sets(step: &Step) -> bool {
    use BrowserAction as A;
    let sets = match &step.action {
        Action::Browser(A::Fill(fill)) => !fill.submit,
        Action::Browser(A::Select(_) | A::Check(_) | A::Uncheck(_)) => true,
        _ => false,
    };
    sets && step.before.url() == step.after.url()
}

pub(super) fn is_same_field(step: &Step, earlier: &Step) -> bool {
    match (step.targets.first(), earlier.targets.first()) {
        (Some(field), Some(other)) => {
            field.is_same_element(other) && step.before.url() == earlier.before.url()
        }
        _ => false,
    }
}

/// Returns the position at which a detour at the end of `way` begins; `None` if there is none. A detour is navigation that
/// led back to the page where it began.
fn loop_start(way: &[&Step]) -> Option<usize> {
    let last = way.last()?;
    let moves = way.iter().rev().take_while(|step| only_moves(step)).count();
    let from = way.len() - moves;
    let back =
        |step: &&Step| !step.before.url().is_empty() && step.before.url() == last.after.url();
    way[from..].iter().position(back).map(|at| from + at)
}
