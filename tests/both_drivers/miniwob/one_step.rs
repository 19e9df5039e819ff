//! Tasks of one or two actions.

use serde_json::json;
use webwise::action::RawCall;

use super::{
    policy::{between, by, call, fill, on, quoted},
    reading::Seen,
};

pub(crate) fn click_button(seen: &Seen) -> Vec<RawCall> {
    let name = quoted(&seen.goal).first().copied().unwrap_or_default();
    // Beside "ok" there may be "Ok".
    let button = seen.of("button").find(|button| button.label == name);
    button
        .map(|button| on("click", &button.reference))
        .into_iter()
        .collect()
}

pub(crate) fn click_test_2(seen: &Seen) -> Vec<RawCall> {
    between(&seen.goal, "button ", ".")
        .and_then(|name| seen.press(name))
        .into_iter()
        .collect()
}

/// The links are spans without anything that tells them from text, so the whole word is what names one.
pub(crate) fn click_link(seen: &Seen) -> Vec<RawCall> {
    let name = between(&seen.goal, "\"", "\"").unwrap_or_default();
    vec![on("click", &format!("{} exact >> nth=0", by("text", name)))]
}

pub(crate) fn click_dialog(seen: &Seen) -> Vec<RawCall> {
    let name = match quoted(&seen.goal).first().copied().unwrap_or_default() {
        "x" => "Close",
        other => other,
    };
    seen.press(name).into_iter().collect()
}

pub(crate) fn click_option(seen: &Seen) -> Vec<RawCall> {
    let name = between(&seen.goal, "Select ", " and click").unwrap_or_default();
    let radio = seen
        .of("radio")
        .find(|radio| radio.label == name)
        .map(|radio| on("check", &radio.reference));
    radio.into_iter().chain(seen.press("Submit")).collect()
}

pub(crate) fn click_tab(seen: &Seen) -> Vec<RawCall> {
    let name = between(&seen.goal, "Click on ", ".").unwrap_or_default();
    seen.named("tab", name)
        .map(|tab| on("click", &tab.reference))
        .into_iter()
        .collect()
}

pub(crate) fn focus_text(seen: &Seen) -> Vec<RawCall> {
    seen.of("textbox")
        .next()
        .map(|field| on("click", &field.reference))
        .into_iter()
        .collect()
}

pub(crate) fn enter_text(seen: &Seen) -> Vec<RawCall> {
    let text = quoted(&seen.goal).first().copied().unwrap_or_default();
    let field = seen
        .of("textbox")
        .next()
        .map(|field| fill(&field.reference, text));
    field.into_iter().chain(seen.press("Submit")).collect()
}

pub(crate) fn choose_list(seen: &Seen) -> Vec<RawCall> {
    let name = between(&seen.goal, "Select ", " from the list").unwrap_or_default();
    let list = seen
        .of("combobox")
        .find(|list| list.options.iter().any(|option| option == name));
    // Choosing what is chosen already changes nothing.
    let choice = list.filter(|list| list.value != name).map(|list| {
        call(
            "select",
            json!({ "target": list.reference, "values": [name] }),
        )
    });
    choice.into_iter().chain(seen.press("Submit")).collect()
}

/// A field of one line and one of several are both text boxes, so there the kind of input is what names one.
pub(crate) fn click_widget(seen: &Seen) -> Vec<RawCall> {
    let css = |css: &str| Some(format!("{} >> nth=0", by("css", css)));
    let target = match quoted(&seen.goal).first().copied().unwrap_or_default() {
        "textarea" => css("textarea"),
        "text" => css("input:not([type=radio]):not([type=checkbox])"),
        role => seen
            .of(role)
            .next()
            .map(|element| element.reference.clone()),
    };
    target
        .map(|target| on("click", &target))
        .into_iter()
        .collect()
}
