//! Writes the current page as lines of the prompt: first its address, title and type, then its content in indented
//! groups.
//!
//! ```text
//! form "Search"
//!  e4 searchbox "Words" value "boat"
//!  e5 button "Go"
//! e6 list "Boats"
//!  - e8 link "Kayak" | "49.00 EUR" | e9 button "Add to cart"
//!  - e11 link "Canoe" | "59.00 EUR" | e12 button "Add to cart" [disabled]
//!  ... 298 more alike, up to "Raft": read(target="e6", line=3)
//! ```

use std::{borrow::Cow, fmt::Write as _};

use super::{
    excerpt::{around, excerpt},
    fence::{quoted, verbatim},
    pack::cost,
};
use crate::{
    action::Upload,
    base::{TokenCount, text::counted},
    page::{
        Dialog, DialogKind, Digest, Element, Joint, Line, MAX_LOOK, PageType, PageView, Part, Role,
        Shown, States, Tab, Tri, shown_length,
    },
};

/// Maximum length of the label of an element. Unit: characters. Source: chosen.
const MAX_LABEL: usize = 160;
/// Maximum length of the text that a mark for left-out lines quotes from the last of these lines. The quote shows the model
/// how a list is ordered. Unit: characters. Source: chosen.
const MAX_LAST: usize = 40;
/// Length to which long texts are cut in a line that [`facts`] returns, as in [`shown_length`]. Values of fields have
/// their own limit. Unit: characters. Source: chosen.
const MAX_FACT: usize = 160;
/// Length to which long texts are cut in a line that `find` returns, as in [`shown_length`]. Unit: characters. Source:
/// chosen; enough for a paragraph, but not for the text of a whole file.
const MAX_HIT: usize = 600;
/// Maximum length of the text of one option of a select box. Unit: characters. Source: chosen.
const MAX_OPTION: usize = 40;
/// Length to which a long value of a field is cut, as in [`shown_length`]. Unit: characters. Source: chosen.
const MAX_VALUE: usize = 300;
/// Maximum length of a text that may be a button although the page does not say so. Only such a short text is shown
/// with its reference. Unit: bytes. Source: chosen.
const MAX_BUTTON: usize = 24;
/// Maximum length of the value of an attribute that is shown beside the label of an element. Unit: characters. Source:
/// chosen.
const MAX_HINT: usize = 60;
/// Maximum length of the page's title. Unit: characters. Source: chosen.
const MAX_TITLE: usize = 120;
/// Maximum length of the page's address. Unit: characters. Source: chosen; longer addresses can contain session tokens.
const MAX_URL: usize = 200;
/// Maximum length of a single line that is shown in place of a mark such as `... 1 more line, up to "Total":
/// read(line=90)`. Unit: characters. Source: chosen; three times the length of a mark.
const MAX_WHOLE: usize = 200;
/// Minimum number of query parameters without a value that are left out of an address. If there are fewer, all are kept.
/// Source: chosen; fewer parameters take no more room than the words that replace them.
const MIN_EMPTY: usize = 4;
/// Maximum length of the text that is selected on the page. Unit: characters. Source: chosen; the same number as for
/// the value of a field.
const MAX_SELECTED: usize = MAX_VALUE;
/// Maximum length of a dialog's message. Unit: characters. Source: chosen.
const MAX_DIALOG: usize = 200;

pub(super) fn lines(
    view: &PageView,
    digest: &Digest<'_>,
    goal_words: &[String],
    selected: &str,
    dialog: Option<String>,
    tabs: &[Tab],
) -> Vec<String> {
    let mut out = vec![
        address(&view.url),
        format!("title {}", quoted(&view.title, MAX_TITLE)),
    ];
    if !selected.is_empty() {
        out.push(format!("selected {}", quoted(selected, MAX_SELECTED)));
    }
    match (view.page_type, view.behind_dialog) {
        (kind, _) if tells_nothing(kind) => {}
        (kind, under) if kind == under || tells_nothing(under) => {
            out.push(format!("type {kind}"));
        }
        (kind, under) => out.push(format!("type {kind} over {under}")),
    }
    let is_blocked = dialog.is_some();
    out.extend(dialog);
    // A single tab is not listed.
    for tab in tabs.iter().filter(|_| tabs.len() > 1) {
        let current = if tab.current { " (current)" } else { "" };
        out.push(format!(
            "tab {}{current} {} {}",
            tab.index,
            quoted(&tab.title, MAX_TITLE),
            quoted(&tab.url, MAX_URL)
        ));
    }
    let words = Words {
        max_text: digest.max_text,
        goal: goal_words,
        ..Words::in_full(&view.elements)
    };
    out.extend(words.all(&digest.lines));
    if view.page_type == PageType::Blank && !is_blocked && view.notes.is_empty() {
        out.push("note the page shows no text and nothing to act on".to_owned());
    }
    out.extend(view.notes.iter().map(|note| format!("note {note}")));
    out
}

/// Returns the line with a dialog and the ways to answer it. `files` are the names of the files that the run may upload.
pub(super) fn dialog(dialog: &Dialog, files: &[&str]) -> String {
    if dialog.kind == DialogKind::FileChooser {
        // Not every driver can dismiss a file chooser, but a new tab always leaves it.
        let files = Upload::offered(files);
        return format!("dialog file_chooser ({files}; or dialog_dismiss, else tab_new, first)");
    }
    let kind = serde_json::to_value(dialog.kind)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default();
    format!(
        "dialog {kind} {} (dialog_accept or dialog_dismiss first)",
        quoted(&dialog.message, MAX_DIALOG)
    )
}

/// Returns the line with the page's address. If the address has many query parameters without a value, the line gives only
/// their number.
fn address(url: &str) -> String {
    let (short, left_out) = without_empty(url);
    let short = quoted(&short, MAX_URL);
    match left_out {
        0 => format!("url {short}"),
        count => format!("url {short} (and {count} parameters without a value)"),
    }
}

/// Removes the query parameters with an empty value, such as `q=`, from an address. Returns the new address and the
/// number of removed parameters. If there are fewer than [`MIN_EMPTY`] of them, removes none. A parameter without `=`
/// stays.
pub(super) fn without_empty(url: &str) -> (Cow<'_, str>, usize) {
    let (rest, place) = url.split_at(url.find('#').unwrap_or(url.len()));
    let Some((path, query)) = rest.split_once('?') else {
        return (url.into(), 0);
    };
    let is_empty = |pair: &&str| matches!(pair.split_once('='), Some((_, "")));
    let (empty, told): (Vec<&str>, Vec<&str>) = query.split('&').partition(is_empty);
    if empty.len() < MIN_EMPTY {
        return (url.into(), 0);
    }
    (
        format!("{path}?{}{place}", told.join("&")).into(),
        empty.len(),
    )
}

/// Returns true if naming the page's type would tell the model no more than the lines of the page do.
const fn tells_nothing(kind: PageType) -> bool {
    matches!(
        kind,
        PageType::Unknown | PageType::List | PageType::Form | PageType::Article | PageType::Blank
    )
}

/// Returns the estimated size that the content of the page has in a message. The lines about the address, the title, a
/// dialog, the tabs and the notes are not counted.
pub(crate) fn size(digest: &Digest<'_>, elements: &[Element]) -> TokenCount {
    let words = Words {
        max_text: digest.max_text,
        ..Words::in_full(elements)
    };
    let lines = digest.lines.iter().map(|shown| words.shown(shown));
    lines.map(|line| cost(&line)).sum()
}

/// Writes the parts `shown` of a page as the lines that the tool `read` returns. Texts are in full. Only labels,
/// values, options and attributes of elements are cut, as in every other line about a page.
pub fn reading(shown: &[Shown<'_>], elements: &[Element]) -> Vec<String> {
    Words::in_full(elements).all(shown)
}

/// Writes the parts `shown` of a page as the lines that the tool `find` returns. Of a long text, only the part around
/// the words of the query is written.
pub fn excerpts(shown: &[Shown<'_>], elements: &[Element], query: &str) -> Vec<String> {
    let words = Words {
        max_text: MAX_HIT,
        query: Some(query),
        ..Words::in_full(elements)
    };
    words.all(shown)
}

/// Writes the parts `shown` of a page as lines that can be kept as facts after the run has left the page. Unlike
/// [`reading`], leaves out references and cuts long texts. Of a long text, the part with the most words of the goal is
/// kept.
pub fn facts(shown: &[Shown<'_>], elements: &[Element], goal_words: &[String]) -> Vec<String> {
    let words = Words {
        max_text: MAX_FACT,
        goal: goal_words,
        references: References::None,
        ..Words::in_full(elements)
    };
    words.all(shown)
}

/// Decides which elements are written with their references.
#[derive(Clone, Copy, PartialEq, Eq)]
enum References {
    /// References are written for elements that can be acted on, for groups other than landmarks, and for a short text
    /// if it is alone on its line or the page listens for clicks on it.
    Acting,
    None,
}

/// Settings for writing the lines of a page.
struct Words<'a> {
    elements: &'a [Element],
    max_text: usize,
    /// The query that decides which part of a long text is shown; `None` if the goal decides.
    query: Option<&'a str>,
    /// The words of the goal. They decide which part of a long text is shown if there is no query.
    goal: &'a [String],
    references: References,
}

impl<'a> Words<'a> {
    const fn in_full(elements: &'a [Element]) -> Self {
        Self {
            elements,
            max_text: usize::MAX,
            query: None,
            goal: &[],
            references: References::Acting,
        }
    }

    fn all(&self, shown: &[Shown<'_>]) -> Vec<String> {
        shown.iter().map(|shown| self.shown(shown)).collect()
    }

    fn shown(&self, shown: &Shown<'_>) -> String {
        match shown {
            Shown::Line { number, line } => self.line(line, *number),
            Shown::More {
                number,
                depth,
                lines,
                alike,
                matching,
                words,
                of,
                from,
                last,
            } => {
                // Readers expect more behind a mark than one line.
                if *lines == 1 {
                    let whole = self.line(last, *number);
                    if whole.trim_start().chars().count() <= MAX_WHOLE {
                        return whole;
                    }
                }
                let mut out = format!("{}... ", " ".repeat(*depth));
                let _ = match alike {
                    2.. => write!(out, "{alike} more alike"),
                    _ => write!(out, "{}", counted(*lines, "more line")),
                };
                if *matching > 0 {
                    let shared = match words[..] {
                        [] => "some words of the goal".to_owned(),
                        _ => quoted(&words.join(", "), MAX_LAST),
                    };
                    let _ = write!(out, ", {matching} of them with {shared}");
                }
                // The checkboxes in a list of rows usually all have the same name, so another text is preferred.
                let is_told = |part: &&Part| !part.text.is_empty();
                let is_box = |part: &&Part| matches!(part.role, Role::Checkbox | Role::Radio);
                let words = last.all_parts().filter(is_told).find(|part| !is_box(part));
                let words = words.or_else(|| last.all_parts().find(is_told));
                if let Some(part) = words {
                    let _ = write!(out, ", up to {}", quoted(&part.text, MAX_LAST));
                }
                let target = of.and_then(|head| head.reference.as_ref());
                let target = target.map_or_else(String::new, |r| format!("target=\"{r}\", "));
                let _ = write!(out, ": read({target}line={from})");
                out
            }
        }
    }

    fn line(&self, line: &Line, number: usize) -> String {
        let mut out = " ".repeat(line.depth);
        if line.item {
            out.push_str("- ");
        }
        if let Some(head) = &line.head {
            let is_landmark = head.role.is_landmark();
            let _ = write!(out, "{}{}", self.reference(head, !is_landmark), head.role);
            if !head.text.is_empty() {
                let _ = write!(out, " {}", quoted(&head.text, MAX_LABEL));
            }
            out.push_str(&note_of(head));
            if !line.parts.is_empty() {
                out.push_str(": ");
            }
        }
        // Text that is alone on its line may be a target. Text in a row is usually only read, unless the page listens
        // for clicks on it.
        let alone = line.parts.len() == 1;
        for (n, part) in line.parts.iter().enumerate() {
            if n > 0 {
                out.push_str(if part.joint == Joint::Flow {
                    " "
                } else {
                    " | "
                });
            }
            self.part(&mut out, part, alone, number);
        }
        out
    }

    fn part(&self, out: &mut String, part: &Part, alone: bool, number: usize) {
        if let Some(element) = part
            .element
            .map(|at| &self.elements[at])
            .filter(|_| !part.is_text())
        {
            out.push_str(&self.reference(part, true));
            out.push_str(&self.element(element));
            out.push_str(&note_of(part));
            if !part.role.is_interactive() {
                out.push_str(" [clickable]");
            }
            return;
        }
        let acts = part.clickable || part.role.is_interactive();
        let short = part.is_text() && part.text.len() <= MAX_BUTTON;
        let is_target = acts || part.cell || (short && (alone || part.heard));
        out.push_str(&self.reference(part, is_target));
        if part.role != Role::Text {
            let _ = write!(out, "{} ", part.role);
        }
        let max_text = shown_length(part.text.chars().count(), self.max_text);
        let text = match self.query {
            Some(query) => around(&part.text, max_text, query),
            None => excerpt(&part.text, max_text, self.goal),
        };
        out.push_str(&quoted(&text, max_text));
        let is_begun = matches!(text, Cow::Owned(_));
        let left_out = left_out(&part.text, &text, is_begun, max_text);
        if left_out > 0 {
            // Without these words, the model would assume that only the end of the text is missing.
            let before = if is_begun { ", some before it" } else { "" };
            let rest = self.call(Some(format!("line={}", number + 1)));
            let _ = write!(out, " (and {left_out} characters more{before}{rest})");
        }
        out.push_str(&note_of(part));
        if part.clickable {
            out.push_str(" [clickable]");
        }
        match part.element.map(|at| &self.elements[at]) {
            Some(element) => out.push_str(&told_of(element)),
            None if part.look.is_empty() => {}
            None => {
                let _ = write!(out, " look {}", quoted(&part.look, MAX_LOOK));
            }
        }
    }

    /// Returns the words for an element in a line, without its reference, such as `button "Search" [disabled]`.
    fn element(&self, element: &Element) -> String {
        let mut line = format!("{} {}", element.role, quoted(&element.label, MAX_LABEL));
        if let Some(value) = element.value.as_deref().filter(|value| !value.is_empty()) {
            let length = value.chars().count();
            let shown = shown_length(length, MAX_VALUE);
            let _ = write!(line, " value {}", verbatim(value, shown));
            if length > shown {
                let rest = self.rest_of(element);
                let _ = write!(line, " (and {} characters more{rest})", length - shown);
            }
        }
        if !element.options.is_empty() {
            let options: Vec<String> = element
                .options
                .iter()
                .map(|option| quoted(option, MAX_OPTION))
                .collect();
            let _ = write!(line, " options {}", options.join(" "));
            if element.more_options > 0 {
                let rest = self.rest_of(element);
                let _ = write!(line, " (and {} more{rest})", element.more_options);
            }
        }
        line.push_str(&told_of(element));
        line
    }

    fn rest_of(&self, element: &Element) -> String {
        let target = element.reference.as_ref();
        self.call(target.map(|target| format!("target=\"{target}\"")))
    }

    /// Returns the call that shows what is left out, such as `: read(line=3)`. Returns an empty text for [`facts`], which
    /// are kept after the run has left the page: there, the call would read another page.
    fn call(&self, arguments: Option<String>) -> String {
        let arguments = arguments.filter(|_| self.references == References::Acting);
        arguments.map_or_else(String::new, |arguments| format!(": read({arguments})"))
    }

    /// Returns the reference of a part of a line, followed by a space. Returns an empty text if the part has no reference,
    /// if the settings ask for no references, or if `needed` is false.
    fn reference(&self, part: &Part, needed: bool) -> String {
        let wanted = match self.references {
            References::Acting => needed,
            References::None => false,
        };
        let shown = part.reference.as_ref().filter(|_| wanted);
        shown.map_or_else(String::new, |reference| format!("{reference} "))
    }
}

fn note_of(part: &Part) -> String {
    if part.note.is_empty() {
        String::new()
    } else {
        format!(" {}", part.note)
    }
}

/// Returns how many characters of `text` a line leaves out. The line shows `excerpt`, a part of `text`, cut to `max`
/// characters. Ellipses at the cut ends do not count as shown. `is_begun` is true if the excerpt begins with an ellipsis.
fn left_out(text: &str, excerpt: &str, is_begun: bool, max: usize) -> usize {
    let begun = usize::from(is_begun);
    let length = excerpt.chars().count();
    let ended = usize::from(length > max);
    let shown = length.min(max).saturating_sub(begun + ended);
    text.chars().count().saturating_sub(shown)
}

/// Returns the hints (values of attributes) and the states of an element, as the line shows them after the element's
/// label, such as ` type "date" [disabled]`.
fn told_of(element: &Element) -> String {
    let mut out = String::new();
    for (name, value) in &element.hints {
        let _ = match &**name {
            name @ ("editable" | "multiple") => write!(out, " [{name}]"),
            "look" => write!(out, " look {}", quoted(value, MAX_LOOK)),
            name => write!(out, " {name} {}", quoted(value, MAX_HINT)),
        };
    }
    for state in states(&element.states) {
        let _ = write!(out, " [{state}]");
    }
    out
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
        states.readonly.then_some("readonly"),
        states.required.then_some("required"),
        states.active.then_some("focused"),
        states.invalid.then_some("invalid"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{DigestOptions, Layout, PageHead, ViewOptions, interpret};

    #[test]
    fn the_characters_that_are_not_shown_are_counted() {
        let text = "0123456789";
        assert_eq!(left_out(text, text, false, 10), 0);
        // `012…`
        assert_eq!(left_out(text, text, false, 4), 7);
        // `…789`, and `…67…`
        assert_eq!(left_out(text, "…789", true, 4), 7);
        assert_eq!(left_out(text, "…6789", true, 4), 8);
    }

    #[test]
    fn many_parameters_without_a_value_are_counted_in_place_of_the_address() {
        let long = "https://a.example/issue?id=&title=&status=1&who=&nosy=&token=ab=&flag#top";
        assert_eq!(
            address(long),
            r#"url "https://a.example/issue?status=1&token=ab=&flag#top" (and 4 parameters without a value)"#
        );
        for url in [
            "https://a.example/",
            "https://a.example/?q=&a=&b=",
            "https://a.example/#/?a=&b=&c=&d=",
        ] {
            assert_eq!(address(url), format!("url \"{url}\""));
        }
    }

    #[test]
    fn a_line_in_place_of_a_mark_says_where_its_own_text_goes_on() {
        // Two paragraphs match the goal. The long one between them is shown, cut, in place of a mark.
        for group in ["main", "heading \"Top\"\nlist \"Parts\" e5"] {
            let mut content = format!("{group}\n");
            for n in 1..=14 {
                let word = if n == 8 || n == 10 { "kayak" } else { "plain" };
                let text = format!("{n} {word} {}", "words ".repeat(55));
                let _ = writeln!(content, "  paragraph\n    \"{text}\"");
            }
            let tree = crate::testing::tree(&content);
            let head = PageHead::new("https://a.example/", "");
            let view = interpret(&head, &tree, &ViewOptions::default());
            let layout = Layout::of(&tree, &view.elements);
            let goal = ["kayak".to_owned()];
            let options = DigestOptions::default().with_max_tokens(400);
            let digest = layout.digest(&view.elements, &goal, options);
            let lines = lines(&view, &digest, &goal, "", None, &[]);
            let ninth = lines.iter().find(|line| line.contains("\"9 plain"));
            let ninth = ninth.unwrap_or_else(|| panic!("{lines:#?}"));
            let is_ninth = |line: &Line| {
                line.all_parts()
                    .any(|part| part.text.starts_with("9 plain"))
            };
            let number = layout.lines().iter().position(is_ninth).unwrap();
            let told = format!("characters more: read(line={})", number + 1);
            assert!(ninth.contains(&told), "{told} in {lines:#?}");
        }
    }
}
