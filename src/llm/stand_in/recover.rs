//! What to do when the last action failed: what advice says, once more the same, then what often helps.

use serde_json::json;

use super::{
    finding::{field, named, way_out},
    goal::Step,
    policy::{Act, Situation, click_then_type, for_this, give_up},
    seek::since,
    seen::Past,
    tips::{self, Remedy, Tip},
    words::equal,
};
use crate::action::ErrorClass;

/// Failures of one action before giving up. Source: chosen; one less than a loop's guard against repetition.
const MAX_FAILURES: usize = 4;

/// What to do in the place of these calls, if one of them is what just failed.
pub(super) fn instead(now: &Situation<'_>, acts: &[Act]) -> Option<Vec<Act>> {
    // A remedy that changed nothing leaves the failure before it as it was.
    let idle = |past: &&Past| past.tool == "press" && past.outcome == "no_effect";
    let last = since(now).rev().find(|past| !idle(past)).filter(|past| !past.done())?;
    let failed = acts.iter().find(|act| is(act, last))?;
    let class = ErrorClass::ALL.iter().copied().find(|class| class.as_str() == last.outcome);
    if matches!(class, Some(ErrorClass::Blocked | ErrorClass::Rejected | ErrorClass::SecretRefused)) {
        return Some(vec![give_up("the action is not allowed")]);
    }
    let failures = since(now).filter(|past| !past.done() && is(failed, past)).count();
    let mut remedies = advised(now, last, class);
    remedies.retain(|remedy| !tried(now, remedy) && possible(now, remedy, failed));
    let untouched = since(now).last().is_some_and(|past| is(failed, past));
    if remedies.is_empty() && failures == 1 && untouched {
        return None;
    }
    if remedies.is_empty() {
        remedies = usual(now, failed, class);
        remedies.retain(|remedy| !tried(now, remedy) && possible(now, remedy, failed));
    }
    match remedies.first() {
        Some(remedy) => Some(carry_out(now, remedy, failed)),
        None if failures >= MAX_FAILURES => Some(vec![give_up("the same action keeps failing")]),
        None => None,
    }
}

/// Whether an entry of the history is this act.
fn is(act: &Act, past: &Past) -> bool {
    act.call.name == past.tool && act.label == past.target_name()
}

/// What advice says about this failure: of the error first, then of the site, then of the whole run.
fn advised(now: &Situation<'_>, last: &Past, class: Option<ErrorClass>) -> Vec<Remedy> {
    let now_tips: Vec<Tip> = now.seen.error_tips.iter().map(|text| tips::read(text)).collect();
    let site =
        now.site.iter().filter(|tip| for_this(tip, &last.tool, last.target_name()) || same_failure(tip, last, class));
    let lessons = now.lessons.iter().filter(|tip| same_failure(tip, last, class));
    now_tips.iter().chain(site).chain(lessons).flat_map(|tip| tip.remedies.clone()).collect()
}

fn same_failure(tip: &Tip, last: &Past, class: Option<ErrorClass>) -> bool {
    tip.command.as_deref() == Some(&last.tool) && tip.class.is_some() && tip.class == class && tip.target.is_none()
}

/// What often helps.
fn usual(now: &Situation<'_>, failed: &Act, class: Option<ErrorClass>) -> Vec<Remedy> {
    let press = |key: &str| Remedy::Press(key.to_owned());
    match (failed.call.name.as_str(), class) {
        ("fill", _) => vec![Remedy::ClickThenType],
        (_, Some(ErrorClass::Disabled | ErrorClass::Timeout | ErrorClass::NotStable)) => vec![Remedy::Wait],
        ("select" | "check" | "uncheck", _) => vec![Remedy::Click(failed.label.clone())],
        ("click", _) => {
            let leave = way_out(&now.seen.page).map(|element| Remedy::Click(element.label.clone()));
            leave.into_iter().chain([press("Enter"), press("Escape"), Remedy::Wait]).collect()
        }
        _ => vec![Remedy::Wait],
    }
}

/// Whether a remedy was tried since the plan last went forward.
fn tried(now: &Situation<'_>, remedy: &Remedy) -> bool {
    since(now).any(|past| match remedy {
        Remedy::Press(key) => past.tool == "press" && past.argument("key").is_some_and(|pressed| equal(pressed, key)),
        Remedy::Click(name) => past.tool == "click" && equal(past.target_name(), name),
        Remedy::ClickThenType => past.tool == "type",
        Remedy::Wait => past.tool == "wait",
    })
}

fn possible(now: &Situation<'_>, remedy: &Remedy, failed: &Act) -> bool {
    match remedy {
        // Enter sends what was typed; elsewhere it would press whatever has the focus.
        Remedy::Press(key) if equal(key, "Enter") => now.progress.typed && failed.call.name == "click",
        Remedy::Press(_) => true,
        Remedy::Click(name) => named(&now.seen.page, name).is_some(),
        Remedy::ClickThenType => failed.call.name == "fill",
        Remedy::Wait => now.has("wait"),
    }
}

fn carry_out(now: &Situation<'_>, remedy: &Remedy, failed: &Act) -> Vec<Act> {
    match remedy {
        Remedy::Press(key) if equal(key, "Enter") => vec![Act::new("press", json!({ "key": key }))],
        // A key can also empty the field that was just filled, so that has to be seen before going on.
        Remedy::Press(key) if now.progress.typed => vec![Act::new("press", json!({ "key": key }))],
        Remedy::Press(key) => vec![Act::new("press", json!({ "key": key })), failed.clone()],
        Remedy::Click(name) => {
            named(&now.seen.page, name).map_or_else(|| vec![failed.clone()], |element| vec![Act::on("click", element)])
        }
        Remedy::ClickThenType => {
            let step = now.progress.next().map(|next| &now.plan[next].step);
            match step {
                Some(Step::Fill { field: name, value }) => field(&now.seen.page, name)
                    .map_or_else(|| vec![failed.clone()], |element| click_then_type(element, value)),
                _ => vec![failed.clone()],
            }
        }
        Remedy::Wait => vec![Act::new("wait", json!({ "seconds": 2 })), failed.clone()],
    }
}
