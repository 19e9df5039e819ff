//! Finds out which steps of the plan are done. The answer is derived from the history and the page at each call, and
//! never stored.

use super::{
    finding::{
        CLICK_FIT, begins_and_ends, choice, clickable, field, field_or_only, list_field, sends,
        tick_box,
    },
    forms::same,
    goal::{Planned, Step},
    seen::{Page, Past, Seen},
    words::{content, equal, fit},
};
use crate::page::PageAddress;

#[derive(Debug, Clone)]
pub(super) struct Progress {
    pub done: Vec<bool>,
    /// Number of history entries up to and including the last one that completed a step; 0 if none did.
    pub since: usize,
    /// True if the last entry that completed a step put text into a field.
    pub typed: bool,
}

impl Progress {
    pub(super) fn next(&self) -> Option<usize> {
        self.done.iter().position(|done| !done)
    }
}

/// Returns the progress: the steps that the history completed, and the steps after them whose results the page shows.
pub(super) fn progress(plan: &[Planned], seen: &Seen) -> Progress {
    let mut progress = walk(plan, seen, vec![false; plan.len()]);
    let login = |planned: &Planned| {
        planned.strict.is_some() && planned.way.iter().any(|word| word == "login")
    };
    if plan
        .iter()
        .zip(&progress.done)
        .any(|(planned, done)| login(planned) && !done)
    {
        // If a step after the login is done, the login was not needed.
        let without = walk(plan, seen, plan.iter().map(login).collect());
        let beyond = plan
            .iter()
            .zip(&without.done)
            .any(|(planned, done)| !login(planned) && *done);
        if beyond || clickable(&seen.page, &content("log out"), "log out", false).is_some() {
            progress = without;
        }
    }
    emptied(plan, seen, &mut progress);
    shown(plan, seen, &mut progress);
    progress
}

/// Derives the progress from the history. The steps whose flag in `done` is true count as done from the beginning.
fn walk(plan: &[Planned], seen: &Seen, done: Vec<bool>) -> Progress {
    let mut progress = Progress {
        done,
        since: 0,
        typed: false,
    };
    for (at, past) in seen
        .history
        .iter()
        .enumerate()
        .filter(|(_, past)| past.done())
    {
        let Some(step) = advanced(plan, &progress, past) else {
            continue;
        };
        progress.done[step] = true;
        if is_click(&plan[step].step) {
            // The later click shows that the steps before it were done.
            progress.done[..step].fill(true);
        }
        progress.since = at + 1;
        progress.typed = matches!(past.tool.as_str(), "fill" | "type");
    }
    progress
}

/// Changes steps from done to not done if the page now shows their fields empty.
///
/// Some instructions, such as a login, must be done as a whole. If the next step belongs to such an instruction, only
/// the steps of this instruction are considered. Otherwise, [`lost`] is applied to the steps before the next step.
fn emptied(plan: &[Planned], seen: &Seen, progress: &mut Progress) {
    let Some(next) = progress.next() else {
        return;
    };
    let Some(strict) = plan[next].strict else {
        return lost(&plan[..next], seen, progress);
    };
    let own = || (0..plan.len()).filter(|at| plan[*at].strict == Some(strict));
    // Not every driver shows the value of a secret field, so such a field is filled in again only together with another one.
    let is_open = |at: &usize| matches!(&plan[*at].step, Step::Fill { value, .. } if !value.starts_with("<secret:"));
    let is_empty = |at: usize| is_emptied(&plan[at].step, &seen.page);
    if own().filter(is_open).any(is_empty) {
        for at in own() {
            progress.done[at] &= !is_empty(at);
        }
    }
}

fn is_emptied(step: &Step, page: &Page) -> bool {
    match step {
        Step::Fill { field: name, .. } => {
            field(page, name).is_some_and(|field| field.value.is_empty())
        }
        _ => false,
    }
}

/// Changes steps of `before` from done to not done if the page has lost the values that they entered.
///
/// A page counts as having lost values only if it was opened again, and if one of the fields is empty now. A step stays
/// done if the page still shows its value, or if the step was repeated after the page was opened again.
fn lost(before: &[Planned], seen: &Seen, progress: &mut Progress) {
    let enters = |planned: &Planned| {
        matches!(
            planned.step,
            Step::Fill { .. } | Step::Choose { .. } | Step::Tick { .. }
        )
    };
    let from = before
        .iter()
        .rposition(|planned| !enters(planned))
        .map_or(0, |at| at + 1);
    let opens = |past: &Past| past.done() && matches!(past.tool.as_str(), "goto" | "reload");
    let Some(opened) = seen.history.iter().rposition(opens) else {
        return;
    };
    let (earlier, again) = seen.history.split_at(opened);
    let left = earlier.iter().rposition(leaves);
    let since = &earlier[left.map_or(0, |at| at + 1)..];
    let is_lost = |planned: &Planned| {
        let completed = |past: &Past| past.done() && completes(planned, past);
        since.iter().any(completed) && !again.iter().any(completed)
    };
    let own: Vec<usize> = (from..before.len())
        .filter(|at| is_lost(&before[*at]))
        .collect();
    if own
        .iter()
        .any(|at| is_emptied(&before[*at].step, &seen.page))
    {
        for at in own {
            progress.done[at] = is_shown(&before[at].step, &seen.page);
        }
    }
}

/// Returns true if this call of the history may have led to another page.
fn leaves(past: &Past) -> bool {
    let role = past.target.as_ref().map_or("", |(role, _)| role);
    past.done()
        && match past.tool.as_str() {
            "press" | "go_back" => true,
            "click" | "dblclick" => matches!(role, "button" | "link"),
            _ => false,
        }
}

const fn is_click(step: &Step) -> bool {
    matches!(step, Step::Click { .. })
}

/// Returns the index of the step that a call of the history completed; `None` if the call completed no step. The step
/// must be the first that is not done, or a later one if all steps before it that are not done only set fields or
/// boxes.
fn advanced(plan: &[Planned], progress: &Progress, past: &Past) -> Option<usize> {
    let first = progress.next()?;
    for step in first..plan.len() {
        if progress.done[step] {
            continue;
        }
        let planned = &plan[step];
        // The button of a login counts as clicked only after the fields of the login are filled.
        let waits = planned.strict.is_some()
            && (first..step)
                .any(|earlier| plan[earlier].strict == planned.strict && !progress.done[earlier]);
        if !waits && completes(planned, past) {
            return Some(step);
        }
        if !matches!(
            planned.step,
            Step::Fill { .. } | Step::Choose { .. } | Step::Tick { .. }
        ) {
            return None;
        }
    }
    None
}

fn completes(planned: &Planned, past: &Past) -> bool {
    let name = past.target_name();
    let role = past.target.as_ref().map_or("", |(role, _)| role);
    let tool = past.tool.as_str();
    match &planned.step {
        Step::Goto(url) => {
            let wanted = PageAddress::new(url);
            tool == "goto"
                && past
                    .argument("url")
                    .is_some_and(|to| wanted.is_same_page(&PageAddress::new(to)))
        }
        Step::Back => tool == "go_back",
        Step::Press(key) => {
            tool == "press"
                && past
                    .argument("key")
                    .is_some_and(|pressed| equal(pressed, key))
        }
        Step::Fill { value, .. } => {
            matches!(tool, "fill" | "type")
                && past.argument("text").is_some_and(|text| same(text, value))
        }
        Step::Choose { value, .. } => {
            let wanted = content(value);
            let chosen = |option: &str| {
                equal(option, value) || fit(&wanted, &format!("{name} {option}")) > 0.9
            };
            match tool {
                "select" => {
                    let values = past
                        .arguments
                        .get("values")
                        .and_then(|values| values.as_array());
                    values
                        .into_iter()
                        .flatten()
                        .filter_map(|value| value.as_str())
                        .any(chosen)
                }
                "check" | "click" => equal(name, value) || fit(&wanted, name) > 0.6,
                "fill" | "type" => past.argument("text").is_some_and(|text| same(text, value)),
                _ => false,
            }
        }
        Step::Pick { start, end } => tool == "click" && begins_and_ends(name, start, end),
        Step::Tick { what, on } => match tool {
            "check" => *on && fit(what, name) > 0.3,
            "uncheck" => !*on && fit(what, name) > 0.3,
            "click" => fit(what, name) >= CLICK_FIT,
            _ => false,
        },
        Step::Click {
            what,
            name: wanted,
            submit,
        } => match tool {
            "press" | "fill" | "type" if *submit => {
                past.argument("key").is_some_and(|key| equal(key, "Enter"))
                    || past.arguments["submit"] == true
            }
            "click" | "dblclick" => {
                let named = equal(name, wanted) || fit(what, name) >= CLICK_FIT;
                // A button such as `OK` also completes a step such as `submit`, because both names mean the same.
                let sent = role == "button" && sends(what) && sends(&content(name));
                ((!submit || role == "button") && named) || sent
            }
            _ => false,
        },
        Step::Report(_) => false,
    }
}

/// Marks the next steps as done. Stops before the first step whose result the page does not show yet.
fn shown(plan: &[Planned], seen: &Seen, progress: &mut Progress) {
    while let Some(next) = progress.next() {
        if !is_shown(&plan[next].step, &seen.page) {
            return;
        }
        progress.done[next] = true;
    }
}

/// Returns true if the page shows the result of the step: the value, the choice, or the state of the box.
fn is_shown(step: &Step, page: &Page) -> bool {
    match step {
        Step::Fill { field: name, value } => {
            field_or_only(page, name).is_some_and(|field| same(&field.value, value))
        }
        Step::Choose { field, value } => {
            choice(page, field, value).is_some_and(|(element, _, value)| {
                element.value == value || element.is("checked") || element.is("selected")
            })
        }
        // If the field's value is longer than the typed text, an item was chosen.
        Step::Pick { start, end } => list_field(page).is_some_and(|field| {
            begins_and_ends(&field.value, start, end) && field.value.len() > start.len()
        }),
        Step::Tick { what, on } => {
            tick_box(page, what).is_some_and(|element| element.is("checked") == *on)
        }
        _ => false,
    }
}
