//! The page as lines: address, title, type, then its elements with the text between them.

use std::fmt::Write as _;

use super::fence::quoted;
use crate::page::{Dialog, Digest, DigestLine, Element, PageType, PageView, States, Tab, Tri};

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
    digest: &Digest<'_>,
    dialog: Option<&Dialog>,
    tabs: &[Tab],
) -> Vec<String> {
    let mut out = vec![
        format!("url {}", quoted(&view.url, MAX_URL)),
        format!("title {}", quoted(&view.title, MAX_TITLE)),
    ];
    match (view.page_type, view.under) {
        (PageType::Unknown, _) => {}
        (kind, under) if kind == under || under == PageType::Unknown => {
            out.push(format!("type {kind}"));
        }
        (kind, under) => out.push(format!("type {kind} over {under}")),
    }
    if let Some(dialog) = dialog {
        let kind = serde_json::to_value(dialog.kind)
            .ok()
            .and_then(|v| v.as_str().map(str::to_owned))
            .unwrap_or_default();
        out.push(format!(
            "dialog {kind} {} (dialog_accept or dialog_dismiss first)",
            quoted(&dialog.message, MAX_DIALOG)
        ));
    }
    // One tab is no choice.
    for tab in tabs.iter().filter(|_| tabs.len() > 1) {
        let current = if tab.current { " (current)" } else { "" };
        out.push(format!(
            "tab {}{current} {} {}",
            tab.index,
            quoted(&tab.title, MAX_TITLE),
            quoted(&tab.url, MAX_URL)
        ));
    }
    let in_footer = digest.lines.iter().map(|line| match line {
        DigestLine::Footer { elements, more } => elements.len() + more,
        _ => 0,
    });
    if digest.shown + in_footer.sum::<usize>() < view.elements.len() {
        out.push(format!(
            "shown {} of {} elements; find reaches the rest",
            digest.shown,
            view.elements.len()
        ));
    }
    out.extend(digest.lines.iter().map(digest_line));
    out.extend(view.notes.iter().map(|note| format!("note {note}")));
    out
}

fn digest_line(line: &DigestLine<'_>) -> String {
    match line {
        DigestLine::Text(text) => quoted(text, usize::MAX),
        DigestLine::Heading(text) => format!("# {}", quoted(text, usize::MAX)),
        DigestLine::Element(element) => element_line(element),
        DigestLine::Menu { elements, more } => {
            let mut line = "menu".to_owned();
            run(&mut line, elements);
            if *more > 0 {
                let _ = write!(line, " and {more} more");
            }
            line
        }
        DigestLine::Footer { elements, more } => {
            let mut line = "footer".to_owned();
            for element in elements {
                let _ = write!(line, " {}", quoted(&element.label, MAX_LABEL));
            }
            if *more > 0 {
                let _ = write!(line, " and {more} more");
            }
            line + " (find them)"
        }
        DigestLine::Crowd { elements, size } => {
            let mut line = format!("alike {size}");
            run(&mut line, elements);
            line
        }
    }
}

/// ` link e7 "Jackets" e9 "Trousers"`: the role once for all that have it.
fn run(line: &mut String, elements: &[&Element]) {
    let mut role = None;
    for element in elements {
        if role != Some(&element.role) {
            role = Some(&element.role);
            let _ = write!(line, " {}", element.role);
        }
        let _ = write!(
            line,
            " {} {}",
            reference(element),
            quoted(&element.label, MAX_LABEL)
        );
    }
}

fn reference(element: &Element) -> &str {
    element.reference.as_ref().map_or("-", |r| r.as_str())
}

/// One element: `e12 button "Search" [disabled]`.
pub(super) fn element_line(element: &Element) -> String {
    let mut line = format!(
        "{} {} {}",
        reference(element),
        element.role,
        quoted(&element.label, MAX_LABEL)
    );
    if let Some(value) = element.value.as_deref().filter(|value| !value.is_empty()) {
        let _ = write!(line, " value {}", quoted(value, MAX_VALUE));
    }
    if let Some(context) = &element.context {
        let _ = write!(line, " in {}", quoted(context, MAX_CONTEXT));
    }
    if !element.options.is_empty() {
        let options: Vec<String> = element
            .options
            .iter()
            .map(|option| quoted(option, MAX_OPTION))
            .collect();
        let _ = write!(line, " options {}", options.join(" "));
    }
    for state in states(&element.states) {
        let _ = write!(line, " [{state}]");
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
