//! Shortens the long result of a tool. This module is pure.
//!
//! # Decisions
//!
//! - Rules decide which lines are left out, unless the program gives a model for this. An extra model call for each long
//!   result often costs more tokens than it saves.
//! - Lines are left out whole, the least important first. The remaining lines are unchanged, except that the middle of
//!   a long line is left out. Which lines are important depends on the kind of content. It is recognised from the text
//!   itself, unless the tool that returned the text declares it. JSON is not cut by lines: its values are cut, and what
//!   is left is written anew.
//! - A text becomes shorter with its age, in three tiers. The message right after the call shows up to
//!   [`Options::max_result`](crate::agent::Options::max_result) tokens of it. In later messages, 500 characters of a
//!   tool's result are left, but an extracted text may be as long as before. All these earlier texts share the room
//!   that the [mode](super::Mode) gives them; if it is too small, the oldest are left out. The record of the run keeps
//!   every text that no message shows any more.
//! - A model cannot guess addresses. If too many addresses were left out, some of them are listed at the end.

mod importance;
mod kind;
pub(crate) mod model;
mod structured;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use serde_json::Value;

use self::{
    importance::ranks,
    kind::{json, kind_of},
    structured::structured,
};
use super::pack::cost;
use crate::base::TokenCount;

/// Maximum length of a line. A longer line keeps its beginning (two thirds of this length) and its end (one third). Unit:
/// characters. Source: chosen.
const MAX_LINE: usize = 400;
/// Maximum length of a line in a result of the kind `PageState` or `Text`. It is shorter than [`MAX_LINE`], so that lines of
/// more sections fit. Unit: characters. Source: chosen.
const MAX_PARAGRAPH: usize = 240;
/// Maximum lengths of a line, tried in this order if room is left, so that lines that were cut become longer. Unit:
/// characters. Source: chosen.
const LONGER: [usize; 5] = [MAX_LINE, 1_000, 2_000, 4_000, 8_000];
const GAP: &str = "...";
/// Shares of the budget that are reserved for web addresses, as divisors: a fifth, or a half if a fifth is not enough.
/// Source: chosen.
const FOR_ADDRESSES: [u64; 2] = [5, 2];

/// The kind of content of a tool's result. It decides which lines stay when the result is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentType {
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
    /// Text of no other kind.
    Text,
}

/// A text of which some lines or values may have been left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compressed {
    /// The kind of the text; `Text` if the text was not shortened.
    pub(super) kind: ContentType,
    pub(super) lines: Vec<String>,
    /// Number of lines that were left out or cut. For JSON, the number of values.
    pub(super) left_out: usize,
}

/// Returns the text, shortened to the estimated size `budget` if it is larger. If `known` is `None`, the kind of content is
/// recognised from the text itself.
pub(super) fn compress(text: &str, budget: TokenCount, known: Option<ContentType>) -> Compressed {
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().map(|line| cost(line).0).sum::<u64>() <= budget.0 {
        return Compressed {
            kind: ContentType::Text,
            lines: lines.into_iter().map(str::to_owned).collect(),
            left_out: 0,
        };
    }
    let (kind, value) = match known {
        None => kind_of(text),
        Some(ContentType::Structured) => (ContentType::Structured, json(text)),
        Some(kind) => (kind, None),
    };
    let urls = addresses(text);
    let all: u64 = urls.iter().map(|url| cost(url).0).sum();
    let [first, other] = FOR_ADDRESSES.map(|share| all.min(budget.0 / share));
    let shortened = |reserved| match &value {
        Some(value) => shorten_json(value, &urls, budget, reserved),
        None => shorten_lines(&lines, kind, &urls, budget, reserved),
    };
    let has_addresses = |short: &Compressed| missing(&urls, &short.lines, u64::MAX).is_empty();
    let short = shortened(first);
    if has_addresses(&short) || other == first {
        return short;
    }
    Some(shortened(other))
        .filter(has_addresses)
        .unwrap_or(short)
}

/// Returns a JSON value, shortened to the budget. `reserved` tokens of the budget are kept for a list of the web addresses
/// that the shortened value no longer contains. The list comes after the value.
fn shorten_json(
    value: &Value,
    urls: &BTreeSet<&str>,
    budget: TokenCount,
    reserved: u64,
) -> Compressed {
    let mut short = structured(value, TokenCount(budget.0 - reserved));
    let room = budget.0.saturating_sub(size(&short.lines));
    let listed = missing(urls, &short.lines, room);
    short.lines.extend(listed);
    short
}

/// Returns the lines of a text, shortened to the budget. `reserved` tokens of the budget are kept for missing web addresses.
/// Room that is left is filled with further lines.
fn shorten_lines(
    lines: &[&str],
    kind: ContentType,
    urls: &BTreeSet<&str>,
    budget: TokenCount,
    reserved: u64,
) -> Compressed {
    let for_lines = budget.0 - reserved;
    let longest = match kind {
        ContentType::Text | ContentType::PageState => MAX_PARAGRAPH,
        _ => MAX_LINE,
    };
    let mut shown: Vec<String> = lines.iter().map(|line| middle_out(line, longest)).collect();
    let costs: Vec<u64> = shown.iter().map(|line| cost(line).0).collect();
    let order = order(lines, kind);
    let mut kept = vec![false; lines.len()];
    fill(&mut kept, &order, &costs, for_lines);
    let room = |out: &[String]| budget.0.saturating_sub(size(out));
    let out = joined(&shown, &kept);
    let listed = missing(urls, &out, room(&out));
    let for_lines = budget.0 - size(&listed);
    fill(&mut kept, &order, &costs, for_lines);
    let left = for_lines.saturating_sub(size(&joined(&shown, &kept)));
    let whole: Vec<usize> = order.into_iter().filter(|at| kept[*at]).collect();
    lengthen(&mut shown, lines, &whole, left);
    let mut out = joined(&shown, &kept);
    let listed = missing(urls, &out, room(&out));
    out.extend(listed);
    let is_whole = |at: &usize| kept[*at] && shown[*at] == lines[*at];
    Compressed {
        kind,
        lines: out,
        // A line whose middle is gone counts too.
        left_out: lines.len() - (0..lines.len()).filter(is_whole).count(),
    }
}

/// Lengthens lines that were cut, as far as the room allows. `at` has the positions of the lines that may become longer.
/// Unit of `room`: tokens.
fn lengthen(shown: &mut [String], lines: &[&str], at: &[usize], mut room: u64) {
    for longest in LONGER {
        for &at in at.iter().filter(|at| lines[**at].len() > MAX_PARAGRAPH) {
            let longer = middle_out(lines[at], longest);
            let more = cost(&longer).0.saturating_sub(cost(&shown[at]).0);
            if longer.len() > shown[at].len() && more <= room {
                room -= more;
                shown[at] = longer;
            }
        }
    }
}

fn size(lines: &[String]) -> u64 {
    lines.iter().map(|line| cost(line).0).sum()
}

/// Keeps further lines, as far as the budget allows. `order` has the positions of the lines in the order in which they are
/// tried. Unit of `costs` and `budget`: tokens.
fn fill(kept: &mut [bool], order: &[usize], costs: &[u64], budget: u64) {
    let gap = cost(GAP).0;
    let lines = kept.iter().zip(costs).filter(|(kept, _)| **kept);
    let mut used: u64 = lines.map(|(_, cost)| cost).sum();
    let runs = kept.chunk_by(|one, next| one == next);
    used += runs.filter(|run| !run[0]).map(|_| gap).sum::<u64>();
    for &at in order {
        if kept[at] {
            continue;
        }
        let gap_before = u64::from(at > 0 && !kept[at - 1]);
        let gap_after = u64::from(kept.get(at + 1).is_some_and(|kept| !kept));
        // The line replaces the gap around it by the gaps on its sides.
        let with_line = used + costs[at] + (gap_before + gap_after) * gap - gap;
        if with_line <= budget {
            used = with_line;
            kept[at] = true;
        }
    }
}

/// Returns the kept lines. A mark stands for each gap after the first kept line.
fn joined(shown: &[String], kept: &[bool]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (line, is_kept) in shown.iter().zip(kept) {
        if *is_kept {
            out.push(line.clone());
        } else if out.last().is_some_and(|last| last != GAP) {
            out.push(GAP.to_owned());
        }
    }
    out
}

/// Returns the share of a text's addresses that the shortened text must contain. Unit: percent. Source: chosen.
const fn required(addresses: usize) -> usize {
    match addresses {
        ..=10 => 100,
        11..=50 => 80,
        _ => 60,
    }
}

/// Returns addresses that are missing from the shortened text `out`: as many as `out` needs to reach the [`required`]
/// share of all addresses. An address that does not fit into `room` is left out. Unit of `room`: tokens.
fn missing(all: &BTreeSet<&str>, out: &[String], room: u64) -> Vec<String> {
    let shown = out.join("\n");
    let kept = addresses(&shown);
    let missing: Vec<&&str> = all.iter().filter(|url| !kept.contains(**url)).collect();
    let needed = (all.len() * required(all.len())).div_ceil(100);
    let mut still = needed.saturating_sub(all.len() - missing.len());
    let mut left = room;
    let mut listed = Vec::new();
    for url in missing {
        let size = cost(url).0;
        if still > 0 && size <= left {
            listed.push((*url).to_owned());
            (still, left) = (still - 1, left - size);
        }
    }
    listed
}

fn addresses(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for start in ["https://", "http://"] {
        let mut next = 0;
        while let Some(at) = text[next..].find(start).map(|at| next + at) {
            let rest = &text[at..];
            let ends = |c: char| {
                c.is_whitespace()
                    || matches!(c, '"' | '\'' | '\\' | '<' | '>' | ')' | ']' | '}' | '`')
            };
            let end = rest.find(ends).unwrap_or(rest.len());
            found.insert(rest[..end].trim_end_matches(['.', ',', ';', ':']));
            next = at + end.max(start.len());
        }
    }
    found
}

/// Returns the indexes of the lines, the most important lines first. Equally important lines are ordered [`outside_in`]. In
/// search results, they stay in the order of the text, because the first results are the best.
fn order(lines: &[&str], kind: ContentType) -> Vec<usize> {
    let mut by_rank: BTreeMap<Reverse<u8>, Vec<usize>> = BTreeMap::new();
    for (at, rank) in ranks(lines, kind).into_iter().enumerate() {
        by_rank.entry(Reverse(rank)).or_default().push(at);
    }
    let from_both_ends = kind != ContentType::SearchResults;
    let all = by_rank.into_values();
    all.flat_map(|all| {
        if from_both_ends {
            outside_in(&all)
        } else {
            all
        }
    })
    .collect()
}

/// Returns the indexes in a new order, taken from both ends of `all`: two from the front, then one from the back.
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

/// Returns the line. If it has more than `longest` characters, its middle is replaced by a note about the number of
/// characters left out.
fn middle_out(line: &str, longest: usize) -> String {
    let count = line.chars().count();
    if count <= longest {
        return line.to_owned();
    }
    let (head, tail) = (longest * 2 / 3, longest / 3);
    let first: String = line.chars().take(head).collect();
    let last: String = line.chars().skip(count - tail).collect();
    format!("{first} (... {} characters) {last}", count - head - tail)
}

/// Returns as many of the lines as fit into the budget, in their order. They are chosen from both ends of the list. The
/// middle of a long line is left out.
fn pack(lines: &[String], budget: TokenCount) -> Vec<String> {
    let shown: Vec<String> = lines
        .iter()
        .map(|line| middle_out(line, MAX_LINE))
        .collect();
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

#[cfg(test)]
mod tests;
