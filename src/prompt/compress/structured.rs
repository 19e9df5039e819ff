//! Shortens a JSON value to a budget. It cuts the value in several ways. Of the results that fit into the budget, it
//! takes the one that shows most.
//!
//! # Decisions
//!
//! - The number of items and the depth of nesting are limited separately. A list of records is best shown by a few
//!   whole records, but a deeply nested document by its outer levels.
//! - The first items of a list may all be alike. So one item of each type or status is kept before any second item of
//!   the same type or status.
//! - A single number in a list, such as a coordinate, says little. So it counts little when the results are compared.
//!
//! Source of all numbers: chosen.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Compressed, ContentType, pack, size};
use crate::base::{TokenCount, text};

/// Limits on what is kept of a JSON value.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Maximum number of items that are kept of a list. The same maximum, but never less than 2, applies to the lists and
    /// objects directly inside an object. For the plain values of an object, see [`FIELDS`].
    items: usize,
    /// Maximum length of a text. Addresses are not cut: see [`MAX_ADDRESS`]. Unit: characters.
    letters: usize,
    /// Maximum number of levels of lists and objects.
    depth: usize,
}

const WHOLE: Limits = Limits {
    items: usize::MAX,
    letters: usize::MAX,
    depth: usize::MAX,
};
/// The tightest limits, for a value that fits within none of the others.
const LEAST: Limits = Limits {
    items: 1,
    letters: 40,
    depth: 1,
};
/// The limits on the number of items, in the order in which they are tried.
const ITEMS: [usize; 11] = [100, 50, 30, 20, 15, 10, 8, 5, 3, 2, 1];
/// The limits on the depth. All of them are tried, and the one whose result shows most is used.
const DEPTHS: [usize; 8] = [usize::MAX, 7, 6, 5, 4, 3, 2, 1];
/// Maximum lengths of a text: the first if the limit on items is above [`MANY`], the second otherwise. Unit:
/// characters.
const LETTERS: (usize, usize) = (200, 120);
/// Maximum lengths of a text if room is left after the limits on items and depth were chosen. They are tried in this order.
/// Unit: characters.
const LONGER: [usize; 4] = [8_000, 4_000, 1_000, 400];
/// Maximum length of an address that is never cut. A longer address is cut like any other text. Unit: bytes.
const MAX_ADDRESS: usize = 500;
/// Threshold for the limit on items: above it, the first maximum of [`LETTERS`] applies, otherwise the second.
const MANY: usize = 20;
/// The limit on the plain values of an object, such as texts and numbers: the first number times the limit on items, but at
/// least the second number. It is higher than the limit on items, because a record has more fields than a short list has
/// items.
const FIELDS: (usize, usize) = (4, 8);
/// Maximum number of items that [`first_of_groups`] looks at. Looking at more items takes noticeable time.
const MAX_SEARCHED: usize = 500;
/// Maximum number of different values of a field that divides the items of a list into groups.
const MAX_GROUPS: usize = 8;

/// Points for each plain value that a `Cut` shows. Cuts are compared by their total points. `TOP` is for a value in an
/// object that no list contains, because such a value says what the whole is. `IN_SERIES` is for a value in a long series,
/// and `USUAL` for every other value.
mod worth {
    pub(super) const TOP: u64 = 32;
    pub(super) const USUAL: u64 = 8;
    pub(super) const IN_SERIES: u64 = 1;
    /// Number of shown items of a list after which plain values count as a series. Numbers in a list always count as a
    /// series.
    pub(super) const ITEMS: usize = 3;
    /// Number of values of an object in a list after which the next ones count as a series. Plain values are counted
    /// separately from lists and objects.
    pub(super) const FIELDS: usize = 12;
}

/// Returns a JSON value as lines, cut to the budget.
pub(super) fn structured(value: &Value, budget: TokenCount) -> Compressed {
    let fits = |cut: &Cut| size(&cut.lines) <= budget.0;
    let whole = Cut::new(value, WHOLE);
    if fits(&whole) {
        return whole.compressed();
    }
    // At each depth, the most items that fit show most.
    let at_depth = |depth| {
        let limits = ITEMS.into_iter().map(|items| Limits {
            items,
            letters: if items > MANY { LETTERS.0 } else { LETTERS.1 },
            depth,
        });
        limits.map(|limits| Cut::new(value, limits)).find(fits)
    };
    // Of equal ones, the deepest.
    let best = DEPTHS.into_iter().rev().filter_map(at_depth);
    let best = best.max_by_key(|cut| cut.worth);
    if let Some(best) = best {
        // Longer texts, as far as they fit.
        let limits = LONGER.into_iter().map(|letters| Limits {
            letters,
            ..best.limits
        });
        let longer = limits.map(|limits| Cut::new(value, limits)).find(fits);
        return longer.unwrap_or(best).compressed();
    }
    let mut least = Cut::new(value, LEAST);
    let packed = pack(&least.lines, budget);
    least.left_out += least.lines.len() - packed.len();
    least.lines = packed;
    least.compressed()
}

/// The lines of a JSON value, after the value was cut to [`Limits`].
#[derive(Debug)]
struct Cut {
    limits: Limits,
    lines: Vec<String>,
    /// The score of the cut: the sum of the points of its plain values (see [`worth`]).
    worth: u64,
    /// Number of values that were left out or cut.
    left_out: usize,
}

impl Cut {
    fn new(value: &Value, limits: Limits) -> Self {
        let mut new = Self {
            limits,
            lines: Vec::new(),
            worth: 0,
            left_out: 0,
        };
        new.lines = match new.cut(value, limits, worth::TOP) {
            Value::Array(items) => items.iter().map(line).collect(),
            Value::Object(fields) => {
                let named = |(name, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(&**name), line(value))
                };
                fields.iter().map(named).collect()
            }
            other => vec![line(&other)],
        };
        new
    }

    fn compressed(self) -> Compressed {
        Compressed {
            kind: ContentType::Structured,
            lines: self.lines,
            left_out: self.left_out,
        }
    }

    /// Returns the value, cut to the limits. For a text, a number or a boolean, also adds the argument `worth` to
    /// `self.worth`.
    fn cut(&mut self, value: &Value, limits: Limits, worth: u64) -> Value {
        match value {
            Value::Array(items) => self.cut_list(items, limits, worth),
            Value::Object(fields) => self.cut_object(fields, limits, worth),
            Value::Null => Value::Null,
            Value::String(text) if is_longer(text, limits.letters) => {
                self.left_out += 1;
                self.worth += worth;
                Value::from(text::truncate(text, limits.letters))
            }
            plain => {
                self.worth += worth;
                plain.clone()
            }
        }
    }

    fn cut_list(&mut self, items: &[Value], limits: Limits, worth: u64) -> Value {
        let Some(inner) = limits.inner() else {
            self.left_out += items.len();
            return match items {
                [] => Value::Array(Vec::new()),
                _ => more(items.len()),
            };
        };
        let mut kept: Vec<Value> = Vec::new();
        for at in chosen(items, limits.items) {
            let is_series =
                items[at].is_number() || is_plain(&items[at]) && kept.len() >= worth::ITEMS;
            let worth = if is_series {
                worth::IN_SERIES
            } else {
                worth.min(worth::USUAL)
            };
            kept.push(self.cut(&items[at], inner, worth));
        }
        let left_out = items.len() - kept.len();
        if left_out > 0 {
            self.left_out += left_out;
            kept.push(more(left_out));
        }
        Value::Array(kept)
    }

    fn cut_object(&mut self, fields: &Map<String, Value>, limits: Limits, worth: u64) -> Value {
        let Some(inner) = limits.inner() else {
            if fields.is_empty() {
                return Value::Object(Map::new());
            }
            self.left_out += fields.len();
            let names: Vec<&str> = fields.keys().map(String::as_str).collect();
            return Value::from(text::truncate(
                &format!("({})", names.join(", ")),
                limits.letters,
            ));
        };
        let (mut plain, mut nested, mut left_out) = (0, 0, 0);
        let mut kept = Map::new();
        for (name, value) in fields {
            let (seen, most) = if is_plain(value) {
                (
                    &mut plain,
                    limits.items.saturating_mul(FIELDS.0).max(FIELDS.1),
                )
            } else {
                (&mut nested, limits.items.max(2))
            };
            *seen += 1;
            if *seen > most {
                left_out += 1;
                continue;
            }
            let worth = match worth {
                worth::TOP => worth::TOP,
                _ if *seen > worth::FIELDS => worth::IN_SERIES,
                _ => worth,
            };
            kept.insert(name.clone(), self.cut(value, inner, worth));
        }
        if left_out > 0 {
            self.left_out += left_out;
            kept.insert("...".to_owned(), more(left_out));
        }
        Value::Object(kept)
    }
}

impl Limits {
    /// Returns the limits for the values inside a list or an object; `None` if the limit on the depth is reached.
    fn inner(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

fn more(count: usize) -> Value {
    Value::from(format!("(... {count} more)"))
}

fn line(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns true if the text has more than `letters` characters and is not an address.
fn is_longer(text: &str, letters: usize) -> bool {
    let is_address = text.len() <= MAX_ADDRESS
        && (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace);
    !is_address && text.chars().count() > letters
}

const fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// Returns the positions of the kept items, at most `most`, in ascending order. The [first item of each
/// group](first_of_groups) has precedence.
fn chosen(items: &[Value], most: usize) -> Vec<usize> {
    if items.len() <= most {
        return (0..items.len()).collect();
    }
    let mut kept = first_of_groups(items);
    kept.truncate(most);
    let others = (0..items.len()).filter(|at| !kept.contains(at));
    let others: Vec<usize> = others.take(most - kept.len()).collect();
    kept.extend(others);
    kept.sort_unstable();
    kept
}

/// Returns the positions of the first item of each group, in ascending order. The items with the same value of a field, such
/// as a type or a status, form a group if the field has only a few different values.
fn first_of_groups(items: &[Value]) -> Vec<usize> {
    let mut fields: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for (at, item) in items.iter().take(MAX_SEARCHED).enumerate() {
        let plain = item.as_object().into_iter().flatten();
        for (name, value) in plain.filter(|(_, value)| is_plain(value)) {
            let groups = fields.entry(name).or_default();
            groups.entry(value.to_string()).or_insert(at);
        }
    }
    let are_groups = |groups: &BTreeMap<String, usize>| {
        (2..=MAX_GROUPS).contains(&groups.len())
            && groups.len() * 2 <= items.len().min(MAX_SEARCHED)
    };
    let groups = fields
        .into_values()
        .filter(are_groups)
        .max_by_key(BTreeMap::len);
    let mut firsts: Vec<usize> = groups.into_iter().flat_map(BTreeMap::into_values).collect();
    firsts.sort_unstable();
    firsts
}
