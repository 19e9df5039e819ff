//! Recognises the kind of a text from the text itself.
//!
//! Source of all numbers, unless said otherwise: measured on the 60 recorded results in `tests/fixtures/results`.

use serde_json::Value;

use super::ContentType;
use crate::base::text::Folded;

/// Minimum share of [elements](is_element) among the lines of a text that describes a page. Unit: percent.
const ELEMENT_SHARE: usize = 30;
/// Minimum share of [reports](is_report) and [stack frames](is_frame) among the lines of a text about a failure, unless
/// a line begins with `Traceback`. Unit: percent.
const ERROR_SHARE: usize = 8;
/// Minimum number of [reports](is_report) in a text about a failure. One is enough if the share of stack frames is at least
/// [`FRAME_SHARE`].
const MIN_REPORTS: usize = 2;
/// Minimum share of [stack frames](is_frame) among the lines of a text with only one [report](is_report), for it to count as
/// a text about a failure. Unit: percent. Source: chosen.
const FRAME_SHARE: usize = 30;
/// Minimum share of lines with a web address in a list of search results. Unit: percent.
const ADDRESS_SHARE: usize = 12;
/// Minimum number of lines with a web address in a list of search results.
const MIN_ADDRESSES: usize = 4;
/// Minimum share of [fields](is_field) among the lines of a form, not counting comments. Unit: percent.
const PAIR_SHARE: usize = 40;
/// Minimum number of headings by which a text is recognised as Markdown or reStructuredText.
const MIN_CHAPTERS: usize = 3;
/// Maximum length of the label of a value. Unit: characters. Source: chosen.
const MAX_LABEL: usize = 60;

/// Returns the kind of a text. If the text is JSON, also returns its value.
pub(super) fn kind_of(text: &str) -> (ContentType, Option<Value>) {
    match json(text) {
        Some(value) => (ContentType::Structured, Some(value)),
        None => (kind_of_lines(text), None),
    }
}

/// Returns the value of a text that is a JSON object or array. If each line of the text is a JSON object, returns an array
/// of these objects. Returns `None` for any other text.
pub(super) fn json(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str::<Value>(text.trim()) {
        return (value.is_object() || value.is_array()).then_some(value);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let values: Option<Vec<Value>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
    let is_series = |values: &Vec<Value>| !values.is_empty() && values.iter().all(Value::is_object);
    values.filter(is_series).map(Value::Array)
}

fn kind_of_lines(text: &str) -> ContentType {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let count = |of: fn(&str) -> bool| lines.iter().filter(|line| of(line)).count();
    let share = |of: fn(&str) -> bool| count(of) * 100 / lines.len().max(1);
    let is_markdown = count(is_chapter) >= MIN_CHAPTERS;
    let is_failure = || {
        let has_trace = count(|line| line.trim_start().starts_with("Traceback")) > 0;
        let is_trace = || share(|line| is_report(line) || is_frame(line)) >= ERROR_SHARE;
        let is_one_trace = || share(is_frame) >= FRAME_SHARE;
        let reports = count(is_report);
        reports >= MIN_REPORTS && (has_trace || is_trace()) || reports >= 1 && is_one_trace()
    };
    let are_results = || share(has_address) >= ADDRESS_SHARE && count(has_address) >= MIN_ADDRESSES;
    let has_code = || count(|line| line.trim_start().starts_with("```")) >= 2;
    let is_form = || {
        let plain = lines.len() - count(is_comment);
        let pairs = count(|line| !is_comment(line) && is_field(line));
        pairs * 100 / plain.max(1) >= PAIR_SHARE
    };
    if share(is_element) >= ELEMENT_SHARE {
        ContentType::PageState
    } else if !is_markdown && is_failure() {
        ContentType::Error
    } else if !is_markdown && count(is_underline) < MIN_CHAPTERS && are_results() {
        ContentType::SearchResults
    } else if !has_code() && is_form() {
        ContentType::Form
    } else {
        ContentType::Text
    }
}

/// Returns true if the line has a form in which programs report failures, such as `error:`.
pub(super) fn is_report(line: &str) -> bool {
    let forms = [
        "error:",
        "err!",
        "exception:",
        "panicked at",
        "traceback (",
        "severe:",
        "fatal:",
        "net::err_",
        "caused by:",
    ];
    contains_any(Folded::of(line).as_str(), &forms)
}

/// Returns true if the line is about a failure, even if it is not a [report](is_report).
pub(super) fn is_about_failure(line: &str) -> bool {
    let words = [
        "error:",
        "error ",
        "err!",
        "err_",
        "exception:",
        "panicked at",
        "caused by",
        "fatal",
        "failed",
        "severe:",
        "[pageerror]",
    ];
    let line = Folded::of(line);
    contains_any(line.as_str(), &words) || line.as_str().ends_with("error")
}

pub(super) fn has_address(line: &str) -> bool {
    contains_any(line, &["http://", "https://"])
}

pub(super) fn contains_any(line: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| line.contains(part))
}

/// Returns true if the line looks like a stack frame (a line in a stack trace), or like a line in a compiler's excerpt of
/// the source code.
pub(super) fn is_frame(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '|', '+', '\t']);
    let begins = ["at ", "File \"", "Traceback ", "^", "~"];
    // `12: main` in a backtrace, `12 | code` in an excerpt of the source.
    let is_number = |text: &str| text.trim().parse::<u32>().is_ok();
    let is_numbered = |mark| {
        line.split_once(mark)
            .is_some_and(|(text, _)| is_number(text))
    };
    begins.iter().any(|begin| line.starts_with(begin)) || [": ", " |"].into_iter().any(is_numbered)
}

/// Returns true if the line looks like an element of a page, as browser drivers and this crate write it.
fn is_element(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("- ").unwrap_or(line);
    line.contains("[ref=") || role(line).is_some() || has_reference(line)
}

/// Returns true if the line contains an element in the form in which this crate writes it, such as `e3 button "Send"`.
pub(super) fn has_reference(line: &str) -> bool {
    let is_reference = |word: &str| {
        let number = word.strip_prefix('e').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    let words: Vec<&str> = line.trim_start().split(' ').collect();
    words
        .windows(2)
        .any(|pair| is_reference(pair[0]) && is_role(pair[1]))
}

fn is_role(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// Returns the word before a quoted name in a line, such as `button` in `e3 button "Send"`. Returns `None` if the line
/// has no quoted name, if the word does not consist of lower-case letters, or if more than one other word is before it.
pub(super) fn role(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" \"")?;
    let role = before.rsplit(' ').next()?;
    (is_role(role) && before.split(' ').count() <= 2).then_some(role)
}

/// Returns the label and the value of a line such as `Name: Ada`, `name = Ada` or `Name "Ada";`. Returns `None` for any
/// other line.
pub(super) fn pair(line: &str) -> Option<(&str, &str)> {
    let marks = [": ", "：", " = ", "=", " \""];
    let cut = marks.iter().filter_map(|mark| line.split_once(mark));
    let without_value = line.strip_suffix(':').map(|label| (label, ""));
    let (label, value) = cut
        .chain(without_value)
        .min_by_key(|(label, _)| label.len())?;
    let is_label =
        !label.trim().is_empty() && label.chars().count() <= MAX_LABEL && !label.contains("//");
    is_label.then_some((label, value))
}

/// Returns true if the line has a label and a value, or the mark of a choice (`[ ]` or `[x]`).
fn is_field(line: &str) -> bool {
    pair(line).is_some() || contains_any(line, &["[ ]", "[x]"])
}

/// Returns true if the line has the form of a comment in a configuration file. A heading in Markdown has this form too.
pub(super) fn is_comment(line: &str) -> bool {
    line.starts_with(['#', ';']) || line.starts_with("//")
}

/// Returns true if the line underlines a heading, as in reStructuredText, for example `-----`.
pub(super) fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    let first = line.chars().next();
    let is_mark = first.is_some_and(|c| matches!(c, '=' | '-' | '~' | '^'));
    is_mark && line.len() >= 3 && line.chars().all(|c| Some(c) == first)
}

/// Returns true if the line is a heading in Markdown.
pub(super) fn is_chapter(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_an_excerpt_is_recognised_whatever_its_code_contains() {
        for line in [
            "12 | let x: u32 = 1;",
            "   | 12 | f();",
            "3: core::panic",
            "  at f (a.js:1)",
        ] {
            assert!(is_frame(line), "{line}");
        }
        for line in ["Price: 12", "a | b: c", "12 boats"] {
            assert!(!is_frame(line), "{line}");
        }
    }
}
