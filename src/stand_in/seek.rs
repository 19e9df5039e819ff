//! Decides which calls come next if the page lacks an element or a value that a step of the plan needs.

use serde_json::json;

use super::{
    finding::clickable,
    goal::Step,
    policy::{Act, Situation, give_up},
    recover,
    seen::Past,
    words::content,
};

/// Returns the act that may lead to the page with the element that step `at` of the plan needs. If no such act is left
/// to try, returns the act that ends the task without success.
pub(super) fn missing(now: &Situation<'_>, at: usize) -> Act {
    let planned = &now.plan[at];
    let page = &now.seen.page;
    if let Some(act) = recover::decline(now) {
        return act;
    }
    let tried = |tool: &str| since(now).any(|past| past.tool == tool);
    let followed = |label: &str| {
        since(now).any(|past| past.tool == "click" && past.done() && past.target_name() == label)
    };
    let leads = |name: &str| {
        let found = clickable(page, &content(name), name, false);
        let element = found.filter(|element| !followed(&element.label))?;
        Some(Act::on("click", element))
    };
    if let Some(act) = planned.form.and_then(leads) {
        return act;
    }
    let words = match &planned.step {
        Step::Fill { field: words, .. }
        | Step::Tick { what: words, .. }
        | Step::Click { what: words, .. } => words.join(" "),
        Step::Choose { value, .. } => value.clone(),
        _ => String::new(),
    };
    if page.more && now.has("find") && !tried("find") {
        return Act::new("find", json!({ "query": words }));
    }
    if let (None, Some(act)) = (planned.form, leads("next page")) {
        return act;
    }
    waits(now).unwrap_or_else(|| give_up(&format!("there is no {words} on the page")))
}

/// Returns the act to wait for what the page does not show yet. Returns `None` if the stand-in has already waited since
/// the last completed step, or has no tool to wait.
pub(super) fn waits(now: &Situation<'_>) -> Option<Act> {
    let waited = since(now).any(|past| past.tool == "wait");
    (now.has("wait") && !waited).then(|| Act::new("wait", json!({ "seconds": 1 })))
}

/// Returns the history entries since the last completed step of the plan.
pub(super) fn since<'a>(now: &'a Situation<'_>) -> impl DoubleEndedIterator<Item = &'a Past> {
    now.seen.history.iter().skip(now.progress.since)
}
