//! Shortens the long result of a tool. Pure.
//!
//! # Decisions
//!
//! - Rules decide which lines are left out, unless the program gives a model for this. An extra model call for each
//!   long result often costs more tokens than it saves.
//! - Lines are left out whole, the least important first, so the remaining lines are unchanged. Which lines are
//!   important depends on the kind of text, which is recognised from the text itself.
//! - A text is not shortened in tiers by its age. A new result gets its own limit. All earlier texts share the room that
//!   the [mode](super::Mode) gives them, and the newest come first.
//! - A model cannot guess addresses. If too many addresses were left out, some of them are listed at the end.

pub(crate) mod model;

use std::collections::BTreeSet;

use serde_json::Value;

use super::pack::cost;
use crate::base::{TokenCount, text};

/// Maximum length of a line. A longer line keeps its beginning (two thirds of this length) and its end (one third).
/// Unit: characters. Source: chosen.
const MAX_LINE: usize = 400;
const GAP: &str = "...";
/// The part of the budget that is reserved for web addresses, as a divisor: 5 means a fifth. Source: chosen.
const FOR_ADDRESSES: u64 = 5;

/// The kind of a text. It decides which lines are important.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The results of a web search: titles, addresses and excerpts.
    SearchResults,
    /// The elements of a page, one on each line.
    PageState,
    /// A failure with its causes, such as a stack trace.
    Error,
    /// A JSON object or array.
    Structured,
    /// The labels and values of a form.
    Form,
    Text,
}

/// A text of which some lines or values may have been left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compressed {
    /// The kind of the text, which decided what was left out. It is `Text` if the text was not shortened, because then
    /// its kind is not determined.
    pub(super) kind: Kind,
    pub(super) lines: Vec<String>,
    /// Number of lines, or of values if the text is JSON, that were left out or cut.
    pub(super) left_out: usize,
}

/// Returns the text, shortened so that its estimated size is at most `budget`. A text that already fits is returned
/// unchanged.
pub(super) fn compress(text: &str, budget: TokenCount) -> Compressed {
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().map(|line| cost(line).0).sum::<u64>() <= budget.0 {
        return Compressed {
            kind: Kind::Text,
            lines: lines.into_iter().map(str::to_owned).collect(),
            left_out: 0,
        };
    }
    let json = serde_json::from_str::<Value>(text.trim())
        .ok()
        .filter(|value| value.is_object() || value.is_array());
    if let Some(value) = json {
        return structured(&value, budget);
    }
    let kind = kind(&lines);
    let shown: Vec<String> = lines.iter().map(|line| middle_out(line)).collect();
    let costs: Vec<u64> = shown.iter().map(|line| cost(line).0).collect();
    let gap = cost(GAP).0;
    let mut left = (budget.0 - budget.0 / FOR_ADDRESSES).saturating_sub(gap);
    let mut kept = vec![false; lines.len()];
    for at in order(&lines, kind) {
        // A gap may come before each line.
        if costs[at] + gap <= left {
            left -= costs[at] + gap;
            kept[at] = true;
        }
    }
    let mut out: Vec<String> = Vec::new();
    for (line, is_kept) in shown.into_iter().zip(&kept) {
        if *is_kept {
            out.push(line);
        } else if out.last().is_some_and(|last| last != GAP) {
            out.push(GAP.to_owned());
        }
    }
    recover(text, &mut out, left + budget.0 / FOR_ADDRESSES);
    Compressed {
        kind,
        lines: out,
        // A line whose middle is gone counts too.
        left_out: kept
            .iter()
            .zip(&lines)
            .filter(|(kept, line)| !**kept || line.chars().count() > MAX_LINE)
            .count(),
    }
}

/// Returns the share of a text's addresses that the shortened text must contain. Unit: percent. The share is 100 for at
/// most 10 addresses, 80 for at most 50, and 60 for more. Source: chosen.
const fn required(addresses: usize) -> usize {
    match addresses {
        ..=10 => 100,
        11..=50 => 80,
        _ => 60,
    }
}

/// Appends to `out` addresses of `text` that `out` does not contain yet. Stops when `out` contains the [`required`]
/// share of the addresses, or when `room` is used up. Unit of `room`: tokens.
fn recover(text: &str, out: &mut Vec<String>, room: u64) {
    let all = addresses(text);
    let shown = out.join("\n");
    let kept = addresses(&shown);
    let needed = (all.len() * required(all.len())).div_ceil(100);
    let missing: Vec<&&str> = all.iter().filter(|url| !kept.contains(**url)).collect();
    let mut still = needed.saturating_sub(all.len() - missing.len());
    let mut left = room;
    for url in missing {
        let size = cost(url).0;
        if still == 0 {
            break;
        }
        if size > left {
            continue;
        }
        out.push((**url).to_owned());
        (still, left) = (still - 1, left - size);
    }
}

fn addresses(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for start in ["https://", "http://"] {
        let mut next = 0;
        while let Some(at) = text[next..].find(start).map(|at| next + at) {
            let rest = &text[at..];
            let ends = |c: char| {
                c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '}' | '`')
            };
            let end = rest.find(ends).unwrap_or(rest.len());
            found.insert(rest[..end].trim_end_matches(['.', ',', ';', ':']));
            next = at + end.max(start.len());
        }
    }
    found
}

fn kind(lines: &[&str]) -> Kind {
    let filled = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .count()
        .max(1);
    let share =
        |of: &dyn Fn(&str) -> bool| lines.iter().filter(|line| of(line)).count() * 100 / filled;
    let first = lines.iter().find(|line| !line.trim().is_empty());
    if first.is_some_and(|line| is_about_failure(line))
        && share(&is_about_failure) + share(&is_frame) >= 20
    {
        Kind::Error
    } else if share(&is_element) >= 30 {
        Kind::PageState
    } else if share(&|line| !addresses(line).is_empty()) >= 15 && lines.len() >= 6 {
        Kind::SearchResults
    } else if share(&is_pair) >= 60 {
        Kind::Form
    } else {
        Kind::Text
    }
}

fn is_about_failure(line: &str) -> bool {
    let line = text::fold(line);
    [
        "error",
        "exception",
        "panicked",
        "traceback",
        "caused by",
        "failed",
        "fatal",
    ]
    .iter()
    .any(|word| line.contains(word))
}

/// Returns true if the line has the form of a line in a stack trace.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ")
        || line.starts_with("File \"")
        || line
            .split_once(": ")
            .is_some_and(|(n, _)| n.parse::<u32>().is_ok())
}

/// Returns true if the line has the form in which browser drivers and this crate write an element.
fn is_element(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("- ").unwrap_or(line);
    line.contains("[ref=") || role(line).is_some()
}

/// Returns the word before a quoted name in a line, as `button` in `e3 button "Send"`; `None` if there is no quoted name.
fn role(line: &str) -> Option<&str> {
    let (before, _) = line.split_once(" \"")?;
    let role = before.rsplit(' ').next()?;
    let is_word = !role.is_empty() && role.bytes().all(|b| b.is_ascii_lowercase());
    (is_word && before.split(' ').count() <= 2).then_some(role)
}

fn is_pair(line: &str) -> bool {
    line.split_once(':').is_some_and(|(label, _)| {
        !label.trim().is_empty() && label.chars().count() <= 40 && !label.contains("//")
    })
}

/// Returns the indexes of the lines, the most important lines first. Equally important lines are taken from both ends
/// of the text, two from the front for each one from the back. So the lines in the middle of the text come last.
fn order(lines: &[&str], kind: Kind) -> Vec<usize> {
    let mut by_importance: Vec<(u8, Vec<usize>)> = Vec::new();
    for at in 0..lines.len() {
        let importance = importance(lines, at, kind);
        match by_importance.iter_mut().find(|(of, _)| *of == importance) {
            Some((_, all)) => all.push(at),
            None => by_importance.push((importance, vec![at])),
        }
    }
    by_importance.sort_by_key(|(importance, _)| std::cmp::Reverse(*importance));
    by_importance
        .into_iter()
        .flat_map(|(_, all)| outside_in(&all))
        .collect()
}

/// Returns the indexes in a new order: they are taken from both ends of `all`, two from the front for each one from the
/// back. So the middle ones come last.
fn outside_in(all: &[usize]) -> Vec<usize> {
    let mut out = Vec::with_capacity(all.len());
    let mut rest = all;
    while let Some((first, others)) = rest.split_first() {
        out.push(*first);
        rest = others;
        if out.len() % 3 == 2
            && let Some((last, others)) = rest.split_last()
        {
            out.push(*last);
            rest = others;
        }
    }
    out
}

/// Returns the importance of the line at index `at` in a text of this kind, from 0 to 3.
fn importance(lines: &[&str], at: usize, kind: Kind) -> u8 {
    let line = lines[at].trim();
    let has_address = |line: &str| line.contains("http://") || line.contains("https://");
    if line.is_empty() {
        return 0;
    }
    match kind {
        Kind::SearchResults => {
            let is_title = lines.get(at + 1).is_some_and(|next| has_address(next));
            if has_address(line) || is_title { 3 } else { 1 }
        }
        Kind::PageState => {
            let line = line.strip_prefix("- ").unwrap_or(line);
            match role(line) {
                Some("heading" | "alert" | "status" | "dialog") => 3,
                Some("generic" | "img" | "separator" | "group") | None => 1,
                Some(_) => 2,
            }
        }
        Kind::Error => {
            if at == 0 || is_about_failure(line) {
                3
            } else if is_frame(line) {
                1
            } else {
                2
            }
        }
        Kind::Form => {
            let has_value = line
                .split_once(':')
                .is_none_or(|(_, value)| !value.trim().is_empty());
            if has_value { 2 } else { 1 }
        }
        Kind::Structured | Kind::Text => {
            // The first line of a paragraph says what it is about.
            let begins = at == 0 || lines[at - 1].trim().is_empty();
            if begins || has_address(line) { 2 } else { 1 }
        }
    }
}

fn middle_out(line: &str) -> String {
    let count = line.chars().count();
    if count <= MAX_LINE {
        return line.to_owned();
    }
    let (head, tail) = (MAX_LINE * 2 / 3, MAX_LINE / 3);
    let first: String = line.chars().take(head).collect();
    let last: String = line.chars().skip(count - tail).collect();
    format!("{first} (... {} characters) {last}", count - head - tail)
}

/// Returns a JSON value as lines. If they do not fit into the budget, long lists and texts in the value are cut.
fn structured(value: &Value, budget: TokenCount) -> Compressed {
    let written = |(items, letters): (usize, usize)| {
        let mut left_out = 0;
        let cut = cut(value, items, letters, &mut left_out);
        let lines: Vec<String> = match &cut {
            Value::Array(items) => items.iter().map(item).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), item(value)))
                .collect(),
            other => vec![item(other)],
        };
        Compressed {
            kind: Kind::Structured,
            lines,
            left_out,
        }
    };
    let size = |it: &Compressed| it.lines.iter().map(|line| cost(line).0).sum::<u64>();
    let most = [
        (usize::MAX, usize::MAX),
        (100, 1_000),
        (50, 400),
        (30, 200),
        (15, 120),
        (8, 80),
        (4, 60),
        (2, 40),
    ];
    let tried = most.into_iter().map(written);
    let mut last = None;
    for one in tried {
        if size(&one) <= budget.0 {
            return one;
        }
        last = Some(one);
    }
    // Even two items of each list are too much, so the lines are packed like those of a text.
    let mut last = last.unwrap_or(Compressed {
        kind: Kind::Structured,
        lines: Vec::new(),
        left_out: 0,
    });
    let packed = pack(&last.lines, budget);
    last.left_out += last.lines.len() - packed.len();
    last.lines = packed;
    last
}

/// Returns as many of the lines as fit into the budget, taken from both ends of the list, in their original order. The
/// middle of a long line is left out.
fn pack(lines: &[String], budget: TokenCount) -> Vec<String> {
    let shown: Vec<String> = lines.iter().map(|line| middle_out(line)).collect();
    let all: Vec<usize> = (0..shown.len()).collect();
    let mut left = budget.0;
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for at in outside_in(&all) {
        let size = cost(&shown[at]).0;
        if size <= left {
            left -= size;
            kept.insert(at);
        }
    }
    kept.into_iter().map(|at| shown[at].clone()).collect()
}

fn item(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the value with each list cut to `items` items and each text cut to `letters` characters. An address is never
/// cut. Adds the number of values that were left out to `left_out`.
fn cut(value: &Value, items: usize, letters: usize, left_out: &mut usize) -> Value {
    match value {
        Value::Array(all) => {
            let kept = all.iter().take(items);
            let mut kept: Vec<Value> = kept
                .map(|value| cut(value, items, letters, left_out))
                .collect();
            let more = all.len().saturating_sub(items);
            if more > 0 {
                *left_out += more;
                kept.push(Value::from(format!("(... {more} more)")));
            }
            Value::Array(kept)
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), cut(value, items, letters, left_out)))
            .collect(),
        Value::String(text) if !text.starts_with("http") && text.chars().count() > letters => {
            *left_out += 1;
            Value::from(text::truncate(text, letters))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
