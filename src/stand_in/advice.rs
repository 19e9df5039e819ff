//! Turns advice from memory into acts. An act is a tool call together with its target's name. Advice can replace a
//! planned act, or put another act before it.

use super::{
    finding::{calendar_day, named},
    policy::{Act, Situation, click_then_type, fill, for_this},
    seen::{Element, Seen},
    tips::{Remedy, Tip},
};

/// Returns the acts that replace `act` because a tip for this site suggests them. Returns `None` if no tip is about
/// `act`, or if none of these tips suggests a remedy that applies to `act`. `value` is the text or choice that `act`
/// enters.
pub(super) fn told(now: &Situation<'_>, act: &Act, value: &str) -> Option<Vec<Act>> {
    let tips = now.site.iter().filter(|tip| is_for(now, tip, act));
    tips.flat_map(|tip| &tip.remedies)
        .find_map(|remedy| instead_of(now, act, remedy, value))
}

/// Returns the acts by which a remedy replaces `act`; `None` if the remedy does not apply to `act`. `value` is the text or
/// choice that `act` enters.
pub(super) fn instead_of(
    now: &Situation<'_>,
    act: &Act,
    remedy: &Remedy,
    value: &str,
) -> Option<Vec<Act>> {
    let page = &now.seen.page;
    let element = aimed(now, act)?;
    let enters = matches!(act.call.name.as_str(), "fill" | "select");
    match remedy {
        Remedy::ClickThenType | Remedy::TypeThenChoose if enters => {
            Some(click_then_type(element, value))
        }
        Remedy::ClickThenChoose if enters => {
            let chosen = calendar_day(page, value).or_else(|| named(page, value));
            Some(vec![Act::on("click", chosen.unwrap_or(element))])
        }
        Remedy::WriteAs(form) if enters => Some(vec![fill(element, &form.write(value)?)]),
        Remedy::Fill if enters => Some(vec![fill(element, value)]),
        _ => None,
    }
}

/// Returns the element that is the target of an act; `None` if the prompt does not show this element.
pub(super) fn aimed<'s>(now: &Situation<'s>, act: &Act) -> Option<&'s Element> {
    let seen: &'s Seen = now.seen;
    seen.page
        .elements
        .iter()
        .find(|element| act.call.arguments["target"] == element.reference.as_str())
}

/// Returns true if a tip is about this act: about the act's command (the tool of the call), and about its target, by name or
/// by position. A tip that names no command is about every command.
pub(super) fn is_for(now: &Situation<'_>, tip: &Tip, act: &Act) -> bool {
    let Some((role, number)) = &tip.place else {
        return for_this(tip, &act.call.name, &act.label);
    };
    let nth = now
        .seen
        .page
        .elements
        .iter()
        .filter(|element| element.role == *role)
        .nth(number.saturating_sub(1));
    tip.command
        .as_deref()
        .is_none_or(|own| own == act.call.name)
        && nth.is_some()
        && nth == aimed(now, act)
}

/// Returns the name of the element that a remedy clicks before the act that its tip is about.
pub(super) fn clicked(remedy: &Remedy) -> Option<&str> {
    match remedy {
        Remedy::Click(name) => Some(name),
        _ => None,
    }
}

/// Returns true if a tip for this site says that an element must be clicked before this act.
pub(super) fn is_warned_of(now: &Situation<'_>, act: &Act) -> bool {
    let mut tips = now.site.iter().filter(|tip| is_for(now, tip, act));
    tips.any(|tip| tip.remedies.iter().any(|remedy| clicked(remedy).is_some()))
}
