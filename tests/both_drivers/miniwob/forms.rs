//! Tasks with fields and boxes to bring into a state, and a button at the end.

use serde_json::json;
use webwise::action::RawCall;

use super::{
    policy::{between, by, call, fill, on, quoted},
    reading::Seen,
};

pub(crate) fn login_user(seen: &Seen) -> Vec<RawCall> {
    let labels = ["Username", "Password"];
    let fields = labels
        .into_iter()
        .zip(quoted(&seen.goal))
        .filter_map(|(label, text)| {
            let field = seen.named("textbox", label)?;
            Some(fill(&field.reference, text))
        });
    fields.chain(seen.press("Login")).collect()
}

pub(crate) fn enter_password(seen: &Seen) -> Vec<RawCall> {
    let text = quoted(&seen.goal).first().copied().unwrap_or_default();
    seen.of("textbox")
        .map(|field| fill(&field.reference, text))
        .chain(seen.press("Submit"))
        .collect()
}

/// A few boxes a reply, because there may be more of them than a reply may have calls.
pub(crate) fn click_checkboxes(seen: &Seen) -> Vec<RawCall> {
    const AT_ONCE: usize = 4;
    let names: Vec<&str> = between(&seen.goal, "Select ", " and click")
        .unwrap_or_default()
        .split(", ")
        .collect();
    let is_wanted = |label: &str| names.contains(&label);
    let open: Vec<RawCall> = seen
        .of("checkbox")
        .filter(|checkbox| is_wanted(&checkbox.label) && !checkbox.is("checked"))
        .map(|checkbox| on("check", &checkbox.reference))
        .collect();
    let is_last = open.len() <= AT_ONCE;
    open.into_iter()
        .take(AT_ONCE)
        .chain(seen.press("Submit").filter(|_| is_last))
        .collect()
}

pub(crate) fn enter_date(seen: &Seen) -> Vec<RawCall> {
    let date: Vec<&str> = between(&seen.goal, "Enter ", " as the date")
        .unwrap_or_default()
        .split('/')
        .collect();
    let [month, day, year] = date[..] else {
        return Vec::new();
    };
    let field = seen
        .of("textbox")
        .next()
        .map(|field| fill(&field.reference, &format!("{year}-{month}-{day}")));
    field.into_iter().chain(seen.press("Submit")).collect()
}

/// The list opens by typing, and an item of it is clicked.
pub(crate) fn use_autocomplete(seen: &Seen) -> Vec<RawCall> {
    let wanted = quoted(&seen.goal);
    let start = wanted.first().copied().unwrap_or_default();
    let is_wanted = |text: &str| {
        !text.is_empty()
            && text.starts_with(start)
            && text.ends_with(wanted.get(1).copied().unwrap_or(""))
    };
    let Some(field) = seen.of("textbox").next() else {
        return Vec::new();
    };
    let item = seen
        .elements
        .iter()
        .find(|e| e.role == "listitem" && is_wanted(&e.label));
    match item {
        Some(item) => vec![on("click", &item.reference)],
        None if is_wanted(&field.value) && field.value.len() > start.len() => {
            seen.press("Submit").into_iter().collect()
        }
        // The list may be on its way.
        None if field.value == start => vec![call("wait", json!({ "seconds": 1 }))],
        None => {
            let empty = (!field.value.is_empty()).then(|| fill(&field.reference, ""));
            let open = [
                on("click", &field.reference),
                call("type", json!({ "text": start })),
            ];
            empty.into_iter().chain(open).collect()
        }
    }
}

/// The arrows are named by their pictures at most: the first of the two goes up, as on every such field.
pub(crate) fn use_spinner(seen: &Seen) -> Vec<RawCall> {
    const AT_ONCE: usize = 5;
    let number = |text: &str| text.trim().parse::<i32>().ok();
    let wanted = between(&seen.goal, "Select ", " with").and_then(number);
    let shown = seen
        .of("spinbutton")
        .next()
        .and_then(|field| number(&field.value));
    let (Some(wanted), Some(shown)) = (wanted, shown) else {
        return Vec::new();
    };
    let mut arrows = seen.of("button").filter(|button| button.label != "Submit");
    let arrow = if wanted > shown {
        arrows.next()
    } else {
        arrows.nth(1)
    };
    let steps = usize::try_from(wanted.abs_diff(shown)).unwrap_or(0);
    let clicks = arrow
        .into_iter()
        .cycle()
        .take(steps.min(AT_ONCE))
        .map(|arrow| on("click", &arrow.reference));
    clicks
        .chain(seen.press("Submit").filter(|_| steps < AT_ONCE))
        .collect()
}

/// Reads the cell beside the one that the goal names, then copies it.
pub(crate) fn read_table(seen: &Seen) -> Vec<RawCall> {
    const NAME: &str = "value";
    let key = between(&seen.goal, "value of ", " into").unwrap_or_default();
    let Some(value) = seen.result(NAME) else {
        let cell = format!("role=row >> {} >> role=cell >> nth=1", by("has-text", key));
        return vec![call("extract", json!({ "name": NAME, "target": cell }))];
    };
    let field = seen
        .of("textbox")
        .next()
        .map(|field| fill(&field.reference, value));
    field.into_iter().chain(seen.press("Submit")).collect()
}

pub(crate) fn form_sequence_2(seen: &Seen) -> Vec<RawCall> {
    // "the 2nd radio button", "the 3rd textbox"
    let place = |before: &str| {
        let (start, _) = seen.goal.split_once(before)?;
        let word = start.rsplit(' ').next()?;
        word.trim_end_matches(char::is_alphabetic)
            .parse::<usize>()
            .ok()?
            .checked_sub(1)
    };
    let number = quoted(&seen.goal).first().copied().unwrap_or_default();
    let radio = place(" radio")
        .and_then(|place| seen.of("radio").nth(place))
        .map(|radio| on("check", &radio.reference));
    let field = place(" textbox").and_then(|place| seen.of("textbox").nth(place));
    let field = field.map(|field| fill(&field.reference, number));
    radio
        .into_iter()
        .chain(field)
        .chain(seen.press("Submit"))
        .collect()
}
