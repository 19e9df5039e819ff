//! The page as lines: address, title, type, summary, elements, text.

use std::fmt::Write as _;

use super::fence::quoted;
use crate::page::{Dialog, Element, PageView, States, Tab, Tri};

/// Longest label shown. Unit: characters. Source: the requirements.
const MAX_LABEL: usize = 160;
/// Longest text of the row or card around an element shown. Unit: characters. Source: chosen; tells like buttons apart.
const MAX_CONTEXT: usize = 60;
/// Longest choice of a select box shown. Unit: characters. Source: chosen.
const MAX_OPTION: usize = 40;
/// Longest value of a field shown. Unit: characters. Source: chosen.
const MAX_VALUE: usize = 100;
/// Longest title shown. Unit: characters. Source: chosen.
const MAX_TITLE: usize = 120;
/// Longest address shown. Unit: characters. Source: chosen; sessions hide in longer ones.
const MAX_URL: usize = 200;
/// Longest message of a dialog shown. Unit: characters. Source: the threat model.
const MAX_DIALOG: usize = 200;

/// The lines of a page block.
pub(super) fn lines(
    view: &PageView,
    shown: &[&Element],
    dialog: Option<&Dialog>,
    tabs: &[Tab],
    max_text: usize,
) -> Vec<String> {
    let mut out = vec![
        format!("url {}", quoted(&view.url, MAX_URL)),
        format!("title {}", quoted(&view.title, MAX_TITLE)),
        format!("type {}", view.page_type.as_str()),
    ];
    if !view.summary.is_empty() {
        out.push(format!("summary {}", quoted(&view.summary, 300)));
    }
    if let Some(dialog) = dialog {
        let kind =
            serde_json::to_value(dialog.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
        out.push(format!("dialog {kind} {} (accept or dismiss it first)", quoted(&dialog.message, MAX_DIALOG)));
    }
    for tab in tabs {
        let current = if tab.current { " (current)" } else { "" };
        out.push(format!("tab {}{current} {} {}", tab.index, quoted(&tab.title, MAX_TITLE), quoted(&tab.url, MAX_URL)));
    }
    if !view.elements.is_empty() {
        out.push(format!("elements {} of {}", shown.len(), view.elements.len()));
        out.extend(shown.iter().map(|element| element_line(element)));
    }
    let text = crate::base::text::truncate(&view.visible_text, max_text);
    if !text.is_empty() {
        out.push(format!("text {}", quoted(&text, max_text)));
    }
    out.extend(view.notes.iter().map(|note| format!("note {note}")));
    out
}

/// One element: `e12 button "Search" [disabled]`.
pub(super) fn element_line(element: &Element) -> String {
    let reference = element.reference.as_ref().map_or("-", |r| r.as_str());
    let mut line = format!("{reference} {} {}", element.role, quoted(&element.label, MAX_LABEL));
    if let Some(value) = element.value.as_deref().filter(|value| !value.is_empty()) {
        let _ = write!(line, " value {}", quoted(value, MAX_VALUE));
    }
    if let Some(context) = &element.context {
        let _ = write!(line, " in {}", quoted(context, MAX_CONTEXT));
    }
    if !element.options.is_empty() {
        let options: Vec<String> = element.options.iter().map(|option| quoted(option, MAX_OPTION)).collect();
        let _ = write!(line, " options {}", options.join(" "));
    }
    for state in states(&element.states) {
        let _ = write!(line, " [{state}]");
    }
    if element.group > 1 {
        let _ = write!(line, " [+{} alike]", element.group - 1);
    }
    line
}

fn states(states: &States) -> Vec<&'static str> {
    let tri = |value: Option<Tri>, on: &'static str, part: &'static str| match value {
        Some(Tri::True) => Some(on),
        Some(Tri::Mixed) => Some(part),
        _ => None,
    };
    let open = match states.expanded {
        Some(true) => Some("expanded"),
        Some(false) => Some("collapsed"),
        None => None,
    };
    [
        tri(states.checked, "checked", "partly checked"),
        tri(states.pressed, "pressed", "partly pressed"),
        open,
        (states.selected == Some(true)).then_some("selected"),
        states.disabled.then_some("disabled"),
        states.active.then_some("focused"),
        states.invalid.then_some("invalid"),
    ]
    .into_iter()
    .flatten()
    .collect()
}
