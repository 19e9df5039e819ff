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
    let login = |planned: &Planned| planned.form == Some("login");
    let mut progress = walk(plan, seen, vec![false; plan.len()]);
    let is_open = |(planned, done): (&Planned, &bool)| login(planned) && !done;
    if plan.iter().zip(&progress.done).any(is_open)
        && clickable(&seen.page, &content("log out"), "log out", false).is_some()
    {
        progress = walk(plan, seen, plan.iter().map(login).collect());
    }
    emptied(plan, seen, &mut progress);
    while let Some(next) = progress.next()
        && is_shown(&plan[next].step, &seen.page)
    {
        progress.done[next] = true;
    }
    progress
}

/// Derives the progress from the history. The steps whose flag in `done` is true count as done from the beginning.
fn walk(plan: &[Planned], seen: &Seen, done: Vec<bool>) -> Progress {
    let mut progress = Progress {
        done,
        since: 0,
        typed: false,
    };
    for (past, number) in seen.history.iter().zip(1..) {
        let Some(step) = advanced(plan, &progress, past).filter(|_| past.done()) else {
            continue;
        };
        progress.done[step] = true;
        if matches!(plan[step].step, Step::Click { .. }) {
            // The later click shows that the steps before it were done.
            progress.done[..step].fill(true);
        }
        progress.since = number;
        progress.typed = matches!(past.tool.as_str(), "fill" | "type");
    }
    progress
}

/// If the next step belongs to a login or a search, changes the steps of this instruction from done to not done whose
/// fields the page now shows empty.
fn emptied(plan: &[Planned], seen: &Seen, progress: &mut Progress) {
    let Some(next) = progress.next().filter(|next| plan[*next].form.is_some()) else {
        return;
    };
    let own = || (0..plan.len()).filter(|at| plan[*at].number == plan[next].number);
    let is_empty = |at: usize| match &plan[at].step {
        Step::Fill { field: name, .. } => {
            field(&seen.page, name).is_some_and(|field| field.value.is_empty())
        }
        _ => false,
    };
    // Not every driver shows the value of a secret field, so such a field is filled in again only together with another one.
    let is_open = |at: &usize| matches!(&plan[*at].step, Step::Fill { value, .. } if !value.starts_with("<secret:"));
    if own().filter(is_open).any(is_empty) {
        for at in own() {
            progress.done[at] &= !is_empty(at);
        }
    }
}

/// Returns the index of the step that a call of the history completed; `None` if the call completed no step. The step
/// must be the first that is not done, or a later one if all steps before it that are not done only set fields or
/// boxes.
fn advanced(plan: &[Planned], progress: &Progress, past: &Past) -> Option<usize> {
    let open = || (0..plan.len()).filter(|at| !progress.done[*at]);
    for step in open() {
        let planned = &plan[step];
        // The button of a login counts as clicked only after the fields of the login are filled.
        let mut earlier = open().take_while(|at| *at < step);
        let waits = planned.form.is_some() && earlier.any(|at| plan[at].number == planned.number);
        if !waits && completes(&planned.step, past) {
            return Some(step);
        }
        if !planned.step.enters() {
            return None;
        }
    }
    None
}

fn completes(step: &Step, past: &Past) -> bool {
    let name = past.target_name();
    let role = past.target.as_ref().map_or("", |(role, _)| role);
    let tool = past.tool.as_str();
    let is = |argument: &str, value: &str| {
        past.argument(argument)
            .is_some_and(|own| same(own, value) || equal(own, value))
    };
    match (step, tool) {
        (Step::Goto(url), "goto") => is("url", url),
        (Step::Back, "go_back") => true,
        (Step::Press(key), "press") => is("key", key),
        (Step::Fill { value, .. } | Step::Choose { value, .. }, "fill" | "type") => {
            is("text", value)
        }
        (Step::Choose { value, .. }, "select") => {
            let values = past.arguments.get("values").and_then(|all| all.as_array());
            let mut values = values.into_iter().flatten().filter_map(|one| one.as_str());
            values.any(|option| equal(option, value))
        }
        (Step::Choose { value, .. }, "check" | "click") => {
            equal(name, value) || fit(&content(value), name) > 0.6
        }
        (Step::Pick { start, end }, "click") => begins_and_ends(name, start, end),
        (Step::Tick { what, on }, "check" | "uncheck") => {
            *on == (tool == "check") && fit(what, name) > 0.3
        }
        (Step::Tick { what, .. }, "click") => fit(what, name) >= CLICK_FIT,
        (Step::Click { submit: true, .. }, "press") => is("key", "Enter"),
        (
            Step::Click {
                what,
                name: wanted,
                submit,
            },
            "click" | "dblclick",
        ) => {
            let named = equal(name, wanted) || fit(what, name) >= CLICK_FIT;
            // A button such as `OK` also completes a step such as `submit`, because both names mean the same.
            let sent = role == "button" && sends(what) && sends(&content(name));
            ((!submit || role == "button") && named) || sent
        }
        _ => false,
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
