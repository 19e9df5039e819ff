//! Decides which calls come next after a call has failed. If the call was refused, it gives up. Otherwise it tries what
//! advice suggests. Without advice, it repeats the call once if the cause may pass by itself. Then it tries common
//! remedies.

use serde_json::json;

use super::{
    advice::{instead_of, is_for},
    finding::{named, way_out},
    forms::Form,
    goal::Step,
    policy::{Act, Situation, give_up},
    seek::since,
    seen::Past,
    tips::{self, Remedy, Tip},
    words::equal,
};
use crate::action::ErrorClass;

/// Number of failures of one act after which the stand-in gives up if no remedy is left. Source: chosen; at the fifth
/// failure, the decision loop would end the run for repeating itself.
const MAX_FAILURES: usize = 4;

/// Maximum number of clicks that try to open a control's list of choices. Source: chosen; if the list is still closed
/// after so many clicks, it must be opened in another way.
const MAX_OPENED: usize = 3;

/// Returns the acts that replace the planned `acts` after one of them has failed; `None` if nothing replaces them.
pub(super) fn instead(now: &Situation<'_>, acts: &[Act]) -> Option<Vec<Act>> {
    let (failed, last) = failure(now, acts)?;
    let class = ErrorClass::ALL
        .iter()
        .copied()
        .find(|class| class.as_str() == last.outcome);
    if let Some(
        refused @ (ErrorClass::Blocked
        | ErrorClass::Rejected
        | ErrorClass::NotRecorded
        | ErrorClass::SecretRefused
        | ErrorClass::SecretLeaves),
    ) = class
    {
        return Some(vec![give_up(refused.sentence())]);
    }
    let failures = since(now)
        .filter(|past| !past.done() && is(failed, past))
        .count();
    let open = |remedies: Vec<Remedy>| {
        let mut named = remedies
            .into_iter()
            .filter_map(|remedy| by_name(now, remedy));
        named.find(|remedy| !tried(now, remedy, failed) && possible(now, remedy, failed))
    };
    let advised = open(advised(now, failed, last, class));
    let untouched = since(now).last().is_some_and(|past| is(failed, past));
    // Retry once if the cause may pass by itself. But a control that refused a value will refuse it again.
    let refused = matches!(
        class,
        Some(ErrorClass::BadValue | ErrorClass::WrongElement | ErrorClass::NoSuchOption)
    );
    if advised.is_none() && failures == 1 && untouched && !refused && decline(now).is_none() {
        return None;
    }
    match advised.or_else(|| open(usual(now, failed, class))) {
        Some(remedy) => Some(carry_out(now, &remedy, failed)),
        None if failures >= MAX_FAILURES => Some(vec![give_up("the same action keeps failing")]),
        None => None,
    }
}

/// Turns [`Remedy::Close`] into a click on the most likely button; `None` if there is no such button. Returns every
/// other remedy unchanged.
fn by_name(now: &Situation<'_>, remedy: Remedy) -> Option<Remedy> {
    match remedy {
        Remedy::Close => {
            way_out(&now.seen.page).map(|element| Remedy::Click(element.label.clone()))
        }
        other => Some(other),
    }
}

/// Returns the planned act that the last call tried without success, and the call's history entry. Returns `None` if
/// the last call succeeded, may have succeeded, or tried none of `acts`. Skips calls that were only remedies: `press`
/// and `type` calls that had no effect, and clicks that opened a list of choices.
fn failure<'a, 'n>(now: &'n Situation<'_>, acts: &'a [Act]) -> Option<(&'a Act, &'n Past)> {
    let idle = |past: &&Past| {
        matches!(past.tool.as_str(), "press" | "type") && past.outcome == "no_effect"
    };
    // Clicks on the control itself are skipped too, because they only opened its list of choices.
    let opens = |past: &&Past| {
        past.tool == "click" && past.done() && acts.iter().any(|act| is_on(act, past))
    };
    let last = since(now)
        .rev()
        .find(|past| !idle(past) && !opens(past))
        .filter(|past| !past.done())?;
    acts.iter().find(|act| is(act, last)).map(|act| (act, last))
}

/// Returns a click on a button such as `Cancel`, which answers no to a question of the page. Returns `None` if there is
/// no question or no such button, or if the button was clicked since the last completed step.
pub(super) fn decline(now: &Situation<'_>) -> Option<Act> {
    const NO: &[&str] = &["cancel", "no thanks", "not now", "no", "later"];
    let page = &now.seen.page;
    let says_no = |label: &str| NO.iter().any(|no| equal(no, label));
    let button = page
        .elements
        .iter()
        .find(|element| element.role == "button" && says_no(&element.label))?;
    let said = since(now).any(|past| past.tool == "click" && past.target_name() == button.label);
    (page.text.contains('?') && !said).then(|| Act::on("click", button))
}

fn is_on(act: &Act, past: &Past) -> bool {
    act.call.name != "click" && !act.label.is_empty() && act.label == past.target_name()
}

/// Returns true if the act and the history entry have the same tool and the same name of the target.
fn is(act: &Act, past: &Past) -> bool {
    act.call.name == past.tool && act.label == past.target_name()
}

/// Returns the remedies that advice suggests for the act that failed. The remedies from tips about the error come
/// first, then those from tips about the site, then those from lessons for the whole run. `last` is the history entry
/// of the failed call, and `class` is the reason why it failed.
fn advised(
    now: &Situation<'_>,
    failed: &Act,
    last: &Past,
    class: Option<ErrorClass>,
) -> Vec<Remedy> {
    let of_error: Vec<Tip> = now
        .seen
        .error_tips
        .iter()
        .map(|tip| tips::read(tip))
        .collect();
    let same = |tip: &&Tip| {
        tip.command.as_deref() == Some(&last.tool)
            && tip.class.is_some()
            && tip.class == class
            && tip.target.is_none()
    };
    let site = now
        .site
        .iter()
        .filter(|tip| is_for(now, tip, failed) || same(tip));
    let lessons = now.lessons.iter().filter(same);
    let all = of_error.iter().chain(site).chain(lessons);
    all.flat_map(|tip| tip.remedies.clone()).collect()
}

/// Returns common remedies for the act that failed. `class` is the reason why it failed.
fn usual(now: &Situation<'_>, failed: &Act, class: Option<ErrorClass>) -> Vec<Remedy> {
    let press = |key: &str| Remedy::Press(key.to_owned());
    match (failed.call.name.as_str(), class) {
        ("fill", Some(ErrorClass::BadValue)) => {
            let form = Form::of(&value(now)).map(Remedy::WriteAs);
            form.into_iter().chain([Remedy::ClickThenType]).collect()
        }
        (_, Some(ErrorClass::Disabled)) => {
            let declined = decline(now).map(|act| Remedy::Click(act.label));
            vec![declined.unwrap_or(Remedy::Wait)]
        }
        ("fill", _) => vec![Remedy::ClickThenType, Remedy::ClickThenChoose],
        ("select", Some(ErrorClass::WrongElement)) => match planned(now) {
            Some(Step::Pick { .. }) => vec![Remedy::TypeThenChoose],
            _ => vec![Remedy::Fill, Remedy::ClickThenChoose],
        },
        ("select" | "check" | "uncheck", _) => vec![Remedy::Click(failed.label.clone())],
        ("click", _) => vec![Remedy::Close, press("Enter"), press("Escape"), Remedy::Wait],
        _ => vec![Remedy::Wait],
    }
}

/// Returns true if the remedy was tried often enough for the failed act since the last completed step.
fn tried(now: &Situation<'_>, remedy: &Remedy, failed: &Act) -> bool {
    let opens = |past: &&Past| past.done() && past.tool == "click" && is_on(failed, past);
    since(now).any(|past| match remedy {
        Remedy::Press(key) => past.tool == "press" && past.argument("key") == Some(key),
        Remedy::Click(name) => past.tool == "click" && equal(past.target_name(), name),
        Remedy::ClickThenType | Remedy::TypeThenChoose => past.tool == "type",
        Remedy::Fill => past.tool == "fill" && !past.done(),
        Remedy::WriteAs(form) => {
            past.tool == "fill" && past.argument("text") == form.write(&value(now)).as_deref()
        }
        Remedy::ClickThenChoose => since(now).filter(opens).count() >= MAX_OPENED,
        Remedy::Wait => past.tool == "wait",
        Remedy::Close => false,
    })
}

fn possible(now: &Situation<'_>, remedy: &Remedy, failed: &Act) -> bool {
    match remedy {
        // Enter submits typed text. If no text was typed, it would activate the focused element.
        Remedy::Press(key) if key == "Enter" => now.progress.typed && failed.call.name == "click",
        Remedy::Press(_) => true,
        Remedy::Click(name) => named(&now.seen.page, name).is_some(),
        Remedy::Wait => now.has("wait"),
        other => instead_of(now, failed, other, &value(now)).is_some(),
    }
}

fn carry_out(now: &Situation<'_>, remedy: &Remedy, failed: &Act) -> Vec<Act> {
    match remedy {
        // A key may also clear the field that was just filled, so look at the page before continuing.
        Remedy::Press(key) if now.progress.typed => vec![Act::new("press", json!({ "key": key }))],
        Remedy::Press(key) => vec![Act::new("press", json!({ "key": key })), failed.clone()],
        Remedy::Click(name) => named(&now.seen.page, name).map_or_else(
            || vec![failed.clone()],
            |element| vec![Act::on("click", element)],
        ),
        Remedy::Wait => vec![Act::new("wait", json!({ "seconds": 2 })), failed.clone()],
        other => {
            instead_of(now, failed, other, &value(now)).unwrap_or_else(|| vec![failed.clone()])
        }
    }
}

fn planned<'n>(now: &'n Situation<'_>) -> Option<&'n Step> {
    now.progress.next().map(|next| &now.plan[next].step)
}

/// Returns the value that the next step of the plan enters; empty if it enters none.
fn value(now: &Situation<'_>) -> String {
    match planned(now) {
        Some(
            Step::Fill { value, .. } | Step::Choose { value, .. } | Step::Pick { start: value, .. },
        ) => value.clone(),
        _ => String::new(),
    }
}
