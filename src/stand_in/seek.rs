//! What to do when the page does not have what the plan needs.

use serde_json::json;

use super::{
    finding::clickable,
    goal::{Planned, Step},
    policy::{Act, Situation, attempt, give_up},
    recover,
    seen::{Element, Past, Seen},
    words::content,
};

/// Names of what usually leads on.
const ONWARD: &[&str] = &["continue", "checkout", "cart", "next page", "start"];
/// Clicks on one button that sends a form before giving up. Source: chosen.
const MAX_SUBMITS: usize = 3;

/// A way to the element that a step needs.
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
    // The front page of a site has its search and its login.
    let home = crate::base::Origin::parse(&now.seen.page.url).map(|origin| format!("{origin}/"));
    if let (Ok(home), false) = (home, since(now).any(|past| past.tool == "goto"))
        && planned.strict.is_some()
    {
        return vec![Act::new("goto", json!({ "url": home }))];
    }
    vec![give_up(&format!("there is no {words} on the page"))]
}

/// What may still bring the answer: a form that complains is mended, a slow page is waited for.
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

/// The button of a form that was filled in and not sent, where the goal leaves it at that.
pub(super) fn unsent<'s>(now: &Situation<'s>) -> Option<&'s Element> {
    let seen: &'s Seen = now.seen;
    let enters = |planned: &Planned| matches!(planned.step, Step::Fill { .. } | Step::Pick { .. });
    let acts = |planned: &Planned| {
        matches!(
            planned.step,
            Step::Click { .. } | Step::Press(_) | Step::Report(_)
        )
    };
    let asked = now.plan.iter().any(enters) && !now.plan.iter().any(acts);
    let button = clickable(&seen.page, &content("submit"), "submit", true)?;
    let sent = seen
        .history
        .iter()
        .any(|past| past.tool == "click" && past.target_name() == button.label);
    (asked && seen.page.is_form() && !sent).then_some(button)
}

/// What was done since the plan last went forward.
pub(super) fn since<'a>(now: &'a Situation<'_>) -> impl DoubleEndedIterator<Item = &'a Past> {
    now.seen.history.iter().skip(now.progress.since)
}

/// Whether a click on what is called so was made in vain since the plan last went forward.
fn followed(now: &Situation<'_>, label: &str) -> bool {
    since(now).any(|past| past.tool == "click" && past.done() && past.target_name() == label)
}
