//! Where in a reply's text a call may stand.
//!
//! A model that quotes what a page says must not thereby do it. So JSON counts only where models put their own calls, and
//! never in a sentence.

use serde_json::Value;

use super::json::Reader;

/// What opens a place for calls at the start of a line, and what closes it at the end of one.
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

/// The JSON of each place that may hold calls, best place first. Looked for only when asked for.
pub(super) fn places(text: &str) -> impl Iterator<Item = Vec<Value>> {
    let said = without_thoughts(text);
    let read: [fn(&str) -> Vec<Value>; 3] = [
        last_lines,
        |text| between(text, TAGS),
        |text| between(text, FENCES),
    ];
    read.into_iter().map(move |read| read(said))
}

/// The text after a `<think>` block; what a model thinks of is not yet what it does.
fn without_thoughts(text: &str) -> &str {
    const END: &str = "</think>";
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        return text;
    }
    match text.rfind(END) {
        Some(at) => text[at + END.len()..].trim(),
        None if text.starts_with("<think>") => "",
        None => text,
    }
}

/// The values that the text ends with: nothing else stands on their lines, and no text comes after them.
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

/// The values between marks of their own.
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

/// The values up to the closing mark, with the text after it; or where to go on, when something else is there.
fn marked<'t>(
    reader: &mut Reader,
    inside: &'t str,
    marks: Marks,
) -> Result<(Vec<Value>, &'t str), &'t str> {
    let is_fence = marks.open == marks.close;
    // A fence names its language.
    let body = if is_fence {
        inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')
    } else {
        inside
    };
    let (values, after) = reader.values(body);
    // A reply can be cut before its closing mark.
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
    // Past the closing fence, or it would be taken for an opening one.
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
