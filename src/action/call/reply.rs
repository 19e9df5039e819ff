//! Finds the places in a reply's text where a call may be.
//!
//! If a model merely quotes a page, the quoted text must not become an action. So JSON counts only in the places where
//! models put their own calls, and never in a sentence.

use serde_json::Value;

use super::json::Reader;

/// The marks around text in which a model may write calls: two tags or two code fences. An opening fence begins a line.
/// An opening tag begins a line or follows a closing tag. A closing fence ends a line. A closing tag ends a line or is
/// followed by another tag.
#[derive(Debug, Clone, Copy)]
struct Marks {
    open: &'static str,
    close: &'static str,
}

const TAGS: &[Marks] = &[
    Marks {
        open: "<tool_call>",
        close: "</tool_call>",
    },
    Marks {
        open: "<function_call>",
        close: "</function_call>",
    },
];
const FENCES: &[Marks] = &[
    Marks {
        open: "```",
        close: "```",
    },
    Marks {
        open: "~~~",
        close: "~~~",
    },
];

/// Returns the JSON values of each place that may contain calls. The first place is the last lines of the text, the
/// second is all tags, and the third is all code fences. Each place is searched only when the iterator reaches it.
pub(super) fn places(text: &str) -> impl Iterator<Item = Vec<Value>> {
    let said = without_thoughts(text);
    let read: [fn(&str) -> Vec<Value>; 3] = [
        last_lines,
        |text| between(text, TAGS),
        |text| between(text, FENCES),
    ];
    read.into_iter().map(move |read| read(said))
}

/// Returns the text after the last `</think>`, because a model's thoughts are not yet its actions. Without `</think>`,
/// returns the whole text. Returns an empty text if a `<think>` is not closed. A text that contains only JSON is returned
/// whole, because a `<think>` in it is part of a string.
fn without_thoughts(text: &str) -> &str {
    let text = text.trim();
    let (_, beside_json) = Reader::new().values(text);
    if beside_json.is_empty() {
        return text;
    }
    let said = last_mark(text, "</think>").map_or(text, |end| &text[end..]);
    if last_mark(said, "<think>").is_some() {
        ""
    } else {
        said
    }
}

/// Returns the position after the last of these marks that is not part of a JSON string: its line does not begin like JSON.
fn last_mark(text: &str, mark: &str) -> Option<usize> {
    let is_free = |at: &usize| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        !line.trim_start().starts_with(['{', '[', '"'])
    };
    let mut marks = text.rmatch_indices(mark).map(|(at, _)| at);
    marks.find(is_free).map(|at| at + mark.len())
}

/// Returns the JSON values at the end of the text. They begin at the first line from which on the text contains only
/// JSON values. Returns an empty list if the text does not end with JSON values.
fn last_lines(text: &str) -> Vec<Value> {
    let mut reader = Reader::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (values, after) = reader.values(rest);
        if after.is_empty() {
            return values;
        }
        rest = next_line(after).trim_start();
    }
    Vec::new()
}

fn between(text: &str, marks: &[Marks]) -> Vec<Value> {
    let mut reader = Reader::new();
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let opened = marks
            .iter()
            .find_map(|marks| Some((*marks, rest.strip_prefix(marks.open)?)));
        rest = match opened {
            None => next_line(rest),
            Some((marks, inside)) => match marked(&mut reader, inside, marks) {
                Ok((values, after)) => {
                    found.extend(values);
                    after
                }
                Err(after) => after,
            },
        };
        rest = rest.trim_start();
    }
    found
}

/// Returns the JSON values before the closing mark, and the text after the mark. `inside` is the text after the opening
/// mark. Fails if there are no values, if anything else stands before the closing mark, or if other text follows this
/// mark on its line (a tag may, except after a fence). The error is the text in which to search for further calls.
fn marked<'t>(
    reader: &mut Reader,
    inside: &'t str,
    marks: Marks,
) -> Result<(Vec<Value>, &'t str), &'t str> {
    let is_fence = marks.open == marks.close;
    // A fence may begin with the name of a language.
    let body = if is_fence {
        inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
    } else {
        inside
    };
    let (values, after) = reader.values(body);
    // The reply may have been cut off before its closing mark.
    let closed = if after.is_empty() {
        Some(after)
    } else {
        after.strip_prefix(marks.close)
    };
    if let Some(after) = closed {
        let beside = after.lines().next().unwrap_or_default().trim_start();
        if !values.is_empty() && (beside.is_empty() || (!is_fence && beside.starts_with('<'))) {
            return Ok((values, after));
        }
    }
    if !is_fence {
        return Err(next_line(after));
    }
    // Skip the closing fence, which would otherwise count as an opening fence.
    let mut rest = next_line(inside);
    while !rest.is_empty() {
        let line = rest;
        rest = next_line(line);
        if line
            .trim_start_matches([' ', '\t'])
            .starts_with(marks.close)
        {
            break;
        }
    }
    Err(rest)
}

fn next_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}
