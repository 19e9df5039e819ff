//! Decides which calls come next if the page lacks an element or a value that a step of the plan needs.

use serde_json::json;

use super::{
    finding::{clickable, links},
    goal::Step,
    policy::{Act, Situation, attempt, give_up},
    recover,
    seen::{Element, Past},
    words::content,
};

/// Names of elements that usually bring a task closer to its goal, the best first.
const ONWARD: &[&str] = &["continue", "checkout", "cart", "next page", "start"];
/// Number of clicks on a submit button, counted over the whole history, after which it is not clicked again to make a
/// missing answer appear. Source: chosen.
const MAX_SUBMITS: usize = 3;

/// Returns acts that may lead to the page with the element that step `at` of the plan needs. If no such act is left to
/// try, returns an act that ends the task without success.
pub(super) fn missing(now: &Situation<'_>, at: usize) -> Vec<Act> {
    let planned = &now.plan[at];
    if let Some(act) = recover::decline(now) {
        return vec![act];
    }
    let tried = |element: &&Element| !followed(now, &element.label);
    let led = clickable(&now.seen.page, &planned.way, "", false).filter(tried);
    if let Some(element) = led.filter(|_| !planned.way.is_empty()) {
        return vec![Act::on("click", element)];
    }
    let words = match &planned.step {
        Step::Fill { field: words, .. }
        | Step::Tick { what: words, .. }
        | Step::Click { what: words, .. } => words.join(" "),
        Step::Choose { value, .. } => value.clone(),
        _ => String::new(),
    };
    if now.seen.page.more && now.has("find") && !since(now).any(|past| past.tool == "find") {
        return vec![Act::new("find", json!({ "query": words }))];
    }
    if planned.strict.is_none() {
        let onward = ONWARD
            .iter()
            .find_map(|name| clickable(&now.seen.page, &content(name), name, false).filter(tried));
        if let Some(element) = onward {
            return vec![Act::on("click", element)];
        }
    }
    if now.has("wait") && !since(now).any(|past| past.tool == "wait") {
        return vec![Act::new("wait", json!({ "seconds": 1 }))];
    }
    // The home page of a site usually has a search and a login.
    let home = crate::base::Origin::parse(&now.seen.page.url).map(|origin| format!("{origin}/"));
    if let (Ok(home), false) = (home, since(now).any(|past| past.tool == "goto"))
        && planned.strict.is_some()
    {
        return vec![Act::new("goto", json!({ "url": home }))];
    }
    vec![give_up(&format!("there is no {words} on the page"))]
}

/// Returns acts that may make a missing answer appear. If a form is invalid or incomplete, the acts correct it and
/// submit it again. Otherwise, the act is to wait. Returns `None` if the stand-in has already waited since the last
/// completed step, or has no tool to wait.
pub(super) fn unfinished(now: &Situation<'_>) -> Option<Vec<Act>> {
    let page = &now.seen.page;
    let invalid: Vec<&Element> = page
        .elements
        .iter()
        .filter(|element| element.is("invalid"))
        .collect();
    let open = |element: &Element| match element.role.as_str() {
        "checkbox" | "radio" | "switch" => !element.is("checked"),
        _ => element.is("invalid"),
    };
    let mut acts: Vec<Act> = Vec::new();
    for planned in now.plan {
        let mend = match planned.step {
            Step::Fill { .. } | Step::Choose { .. } | Step::Tick { .. } => {
                attempt(now, planned, false)
            }
            _ => None,
        };
        let target = |act: &Act| {
            page.elements
                .iter()
                .find(|element| act.call.arguments["target"] == element.reference.as_str())
        };
        acts.extend(
            mend.into_iter()
                .flatten()
                .filter(|act| target(act).is_some_and(open)),
        );
    }
    let last = now
        .plan
        .iter()
        .rev()
        .find_map(|planned| match &planned.step {
            Step::Click { what, name, .. } => Some((what, name)),
            _ => None,
        });
    if let Some(button) = last.and_then(|(what, name)| clickable(page, what, name, true))
        && (!acts.is_empty() || !invalid.is_empty())
        && now
            .seen
            .history
            .iter()
            .filter(|past| past.tool == "click" && past.target_name() == button.label)
            .count()
            < MAX_SUBMITS
    {
        acts.push(Act::on("click", button));
        return Some(acts);
    }
    let waited = since(now).any(|past| past.tool == "wait");
    (now.has("wait") && !waited).then(|| vec![Act::new("wait", json!({ "seconds": 1 }))])
}

/// Returns a click on a link that has the name of a value to report. Skips links that were clicked since the last
/// completed step.
pub(super) fn named_link(now: &Situation<'_>, wanted: &[&Vec<String>]) -> Option<Act> {
    let is_new = |link: &&Element| {
        let mut clicks = since(now).filter(|past| past.tool == "click");
        clicks.all(|past| past.target_name() != link.label)
    };
    let mut named = wanted.iter().flat_map(|what| links(&now.seen.page, what));
    named.find(is_new).map(|link| Act::on("click", link))
}

/// Returns the history entries since the last completed step of the plan.
pub(super) fn since<'a>(now: &'a Situation<'_>) -> impl DoubleEndedIterator<Item = &'a Past> {
    now.seen.history.iter().skip(now.progress.since)
}

/// Returns true if an element named `label` was clicked since the last completed step.
fn followed(now: &Situation<'_>, label: &str) -> bool {
    since(now).any(|past| past.tool == "click" && past.done() && past.target_name() == label)
}
