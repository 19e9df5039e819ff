//! Ties the fields of a typed answer to the pages of the run.
//!
//! A field of an item of a list must come from the item's own record on a page, because each value alone may be another item's. A
//! record is a line, a card, or a page about one thing, which has its name as the heading or in its title.

use std::{
    collections::{HashMap, HashSet},
    iter::once,
};

use chrono::NaiveDate;
use serde_json::Value;

use super::{
    PageNow, check,
    finish::{Evidence, MAX_CLAIM, Seen, numbers},
    typed::Typed,
};
use crate::{
    base::{dates, text},
    page::{Line, Role},
};

/// Maximum number of lines of a card that are taken together.
const MAX_CARD: usize = 12;
/// Maximum number of parts of a line that belongs to a page about one thing, if the line is an item: more are another thing's.
const MAX_PAIR: usize = 2;
/// Maximum number of words that are kept of a page about one thing.
const MAX_PAGE: usize = 2_000;
/// Maximum number of records of a run that are kept.
const MAX_ROWS: usize = 10_000;
/// Maximum number of fields of an answer that are reported.
const MAX_UNTIED: usize = 100;

/// What a record says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// What names the thing that a page is about; `None` for a line or card.
    about: Option<About>,
    words: Vec<String>,
    numbers: HashSet<String>,
    dates: HashSet<NaiveDate>,
}

impl Row {
    fn of(text: &str) -> Self {
        Self {
            about: None,
            words: text::words(text),
            numbers: numbers(text).into_iter().collect(),
            dates: dates(text).into_iter().map(|(_, date)| date).collect(),
        }
    }

    /// Returns true if the row has the words of the text side by side, the date that the text is, or the number. A truth value is
    /// nowhere.
    fn has(&self, leaf: &Value) -> bool {
        match leaf {
            Value::String(text) => {
                let words = text::words(text);
                let is_day = || Some(self.dates.contains(&date(text)?));
                words.is_empty()
                    || self.words.windows(words.len()).any(|some| some == words)
                    || is_day() == Some(true)
            }
            Value::Number(number) => {
                let mut numbers = numbers(&number.to_string()).into_iter();
                numbers.all(|number| self.numbers.contains(&number))
            }
            _ => false,
        }
    }
}

/// What names the thing that a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct About {
    /// The words of its only heading of the first level; none if there are several.
    heading: Vec<String>,
    title: String,
}

impl About {
    /// Returns true if this is the name: the heading, or what the title has between its ends or marks, as in `Editing: Van 2 - Fleet`.
    fn is(&self, name: &str) -> bool {
        let mut places = self.title.match_indices(name);
        let in_title = places.any(|(at, _)| {
            let (before, after) = (&self.title[..at], &self.title[at + name.len()..]);
            let begins =
                before.is_empty() || before.trim_end().ends_with([':', '-', '|', '·', '–', '—']);
            let ends =
                after.starts_with(' ') && after.trim_start().starts_with(['-', '|', '·', '–', '—']);
            begins && (ends || after.is_empty())
        });
        in_title || self.heading == text::words(name)
    }
}

/// Returns the date that a text is, as schemas write dates.
fn date(text: &str) -> Option<NaiveDate> {
    let day = text.split_once('T').map_or(text, |(day, _)| day);
    NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()
}

impl Seen {
    /// Adds the records of a page, for an answer with a type. Words that were typed into fields are left out.
    pub(crate) fn rows(&mut self, page: &PageNow, typed: &Typed) {
        if page.observation.is_browser_error() {
            return;
        }
        let elements = &page.view.elements;
        let lines = page.layout().lines();
        let text = |at, end| page.layout().text(elements, at..end);
        let is_own = |at: usize, end: usize| {
            lines[at..end].iter().flat_map(Line::all_parts).any(|part| {
                let node = &page.tree()[part.node];
                node.role.is_editable() && typed.is_own(node)
            })
        };
        for (at, line) in lines.iter().enumerate() {
            let inside = at + 1..line.end;
            let is_card = line.item
                && (1..MAX_CARD).contains(&inside.len())
                && !lines[inside].iter().any(|line| line.item);
            for end in once(at + 1).chain(is_card.then_some(line.end)) {
                let text = text(at, end);
                if !is_own(at, end) && self.is_new_row(&text) {
                    self.rows.push(Row::of(&text));
                }
            }
        }
        let mut headings = page.tree().nodes().iter().filter(|node| {
            node.role == Role::Heading && node.states.level == Some(1) && !node.name.is_empty()
        });
        let heading = match (headings.next(), headings.next()) {
            (Some(heading), None) => text::words(&heading.name),
            _ => Vec::new(),
        };
        let is_of_it = |at: &usize| {
            let line = &lines[*at];
            let is_pair = line.end == at + 1 && line.parts.len() <= MAX_PAIR;
            // A link leads to another thing, such as those in "See also".
            let mut parts = line.all_parts();
            let is_link = parts.any(|part| page.tree()[part.node].role == Role::Link);
            !line.aside && !is_link && (!line.item || is_pair) && !is_own(*at, at + 1)
        };
        let all: Vec<String> = (0..lines.len())
            .filter(is_of_it)
            .map(|at| text(at, at + 1))
            .collect();
        let all = all.join("\n");
        if self.is_new_row(&all) {
            let mut row = Row::of(&all);
            row.words.truncate(MAX_PAGE);
            let title = page.observation.title.clone();
            row.about = Some(About { heading, title });
            self.rows.push(row);
        }
    }

    fn is_new_row(&mut self, text: &str) -> bool {
        self.rows.len() < MAX_ROWS && self.known.add(&["row\n", text].concat(), false)
    }
}

/// A field of an answer.
struct Leaf<'v> {
    path: String,
    value: &'v Value,
}

impl Leaf<'_> {
    /// Returns the path of the item of a list that the field belongs to; `None` if it is in no list.
    fn item(&self) -> Option<&str> {
        let of_object = self.path.rfind("].");
        let end = of_object.or_else(|| self.path.rfind(']'))?;
        Some(&self.path[..=end])
    }

    /// Returns the path of the object that the field is in.
    fn object(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(object, _)| object)
    }

    /// Returns the words of a text with letters, such as a name.
    fn name(&self) -> Option<Vec<String>> {
        let text = self.value.as_str()?;
        text.contains(char::is_alphabetic)
            .then(|| text::words(text))
    }
}

/// Returns the fields of an answer that no page supports, each as its path and its value. A text is supported if the evidence, the
/// current page or a text that the run read has its words side by side; a number, if the evidence or a page of the run has it; a
/// date, in whatever form it is written there.
///
/// Of an item of a list, the fields are supported that stand in one record: the one that has most of them, or a name that no other
/// item has and more. Further ones are supported by another record that has such a name too. A line of the evidence counts as a record. Nothing supports a truth value, which is the model's
/// judgement. A field without a value claims nothing.
pub(crate) fn untied(
    value: &Value,
    evidence: &str,
    page: Option<&PageNow>,
    (seen, typed): (&Seen, &Typed),
) -> Vec<String> {
    let said = text::words(evidence);
    let known: HashSet<String> = numbers(evidence).into_iter().collect();
    let quoted: Vec<Row> = evidence.lines().map(Row::of).collect();
    let rows: Vec<&Row> = seen.rows.iter().chain(&quoted).collect();
    let has = |number: &String| known.contains(number) || seen.numbers.contains(number);
    let is_tied = |leaf: &Value| match leaf {
        Value::Number(number) => numbers(&number.to_string()).iter().all(has),
        Value::String(text) => {
            let words = text::words(text);
            words.is_empty()
                || said.windows(words.len()).any(|some| some == words)
                || date(text).is_some_and(|day| rows.iter().any(|row| row.dates.contains(&day)))
                || !matches!(check(text, page, seen, typed), Evidence::Missing(_))
        }
        _ => false,
    };
    let mut leaves = Vec::new();
    each_leaf(value, &mut String::new(), &mut leaves);
    // The items that have each name.
    let mut names: HashMap<Vec<String>, HashSet<&str>> = HashMap::new();
    for leaf in &leaves {
        if let (Some(item), Some(name)) = (leaf.item(), leaf.name()) {
            names.entry(name).or_default().insert(item);
        }
    }
    let is_own = |name: &Vec<String>| names.get(name).is_some_and(|items| items.len() == 1);
    let mut items: HashMap<&str, Vec<&Leaf<'_>>> = HashMap::new();
    for leaf in &leaves {
        if let Some(item) = leaf.item() {
            items.entry(item).or_default().push(leaf);
        }
    }
    let in_items: HashSet<&str> = items
        .values()
        .flat_map(|fields| fields.iter().zip(of_item(fields, &rows, is_own)))
        .filter_map(|(leaf, is_tied)| is_tied.then_some(&*leaf.path))
        .collect();
    let is_untied = |leaf: &&Leaf<'_>| match leaf.item() {
        Some(_) => !in_items.contains(&*leaf.path),
        None => !is_tied(leaf.value),
    };
    let told = leaves.iter().filter(is_untied).take(MAX_UNTIED);
    told.map(|Leaf { path, value }| {
        let line = if path.is_empty() {
            value.to_string()
        } else {
            format!("{path}: {value}")
        };
        text::truncate(&line, MAX_CLAIM)
    })
    .collect()
}

/// Returns which fields of an item are supported. `is_own` is true for a name that no other item of the answer has.
fn of_item(
    leaves: &[&Leaf<'_>],
    rows: &[&Row],
    is_own: impl Fn(&Vec<String>) -> bool,
) -> Vec<bool> {
    let names: Vec<Option<Vec<String>>> = leaves.iter().map(|leaf| leaf.name()).collect();
    let is_its_page = |about: &About, at: usize| {
        let name = leaves[at].value.as_str().filter(|_| names[at].is_some());
        name.is_some_and(|name| about.is(name))
    };
    let is_about = |row: &&&Row| {
        let about = row.about.as_ref();
        about.is_none_or(|about| (0..leaves.len()).any(|at| is_its_page(about, at)))
    };
    let in_row = |row: &&Row| -> Vec<bool> {
        let fields = leaves.iter();
        fields.map(|leaf| row.has(leaf.value)).collect()
    };
    let count = |tied: &[bool]| tied.iter().filter(|is_tied| **is_tied).count();
    let is_named = |tied: &[bool]| {
        let mut named = names.iter().zip(tied).filter(|(_, is_tied)| **is_tied);
        named.any(|(name, _)| name.as_ref().is_some_and(&is_own))
    };
    let claims = leaves.iter().filter(|leaf| !leaf.value.is_boolean());
    let most = claims.count() / 2 + 1;
    let is_its = |tied: &Vec<bool>| count(tied) >= most || count(tied) > 1 && is_named(tied);
    let best = rows.iter().filter(is_about).map(in_row).filter(is_its);
    let Some(mut tied) = best.max_by_key(|tied| (count(tied), is_named(tied))) else {
        return vec![false; leaves.len()];
    };
    // What is supported may name the record that supports more: the city of a venue is told by the venue's own record.
    loop {
        let is_anchor = |row: &Row, anchor: usize, at: usize| {
            let Some(name) = names[anchor].as_ref().filter(|_| tied[anchor]) else {
                return false;
            };
            let object = leaves[at].object();
            let is_nested = leaves[at].item() != Some(object) && object == leaves[anchor].object();
            match &row.about {
                Some(about) => is_own(name) && is_its_page(about, anchor),
                None => (is_own(name) || is_nested) && row.has(leaves[anchor].value),
            }
        };
        let is_told = |at: &usize| {
            let mut rows = rows.iter().filter(|row| row.has(leaves[*at].value));
            rows.any(|row| (0..leaves.len()).any(|anchor| is_anchor(row, anchor, *at)))
        };
        let untied = (0..leaves.len()).filter(|at| !tied[*at]);
        let more: Vec<usize> = untied.filter(is_told).collect();
        if more.is_empty() {
            return tied;
        }
        for at in more {
            tied[at] = true;
        }
    }
}

/// Adds each text, number and truth value of a JSON value, with its path, such as `items[2].price`.
fn each_leaf<'v>(value: &'v Value, path: &mut String, found: &mut Vec<Leaf<'v>>) {
    let length = path.len();
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if length == 0 { "" } else { "." };
                path.extend([dot, name]);
                each_leaf(value, path, found);
                path.truncate(length);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                path.extend(["[", &at.to_string(), "]"]);
                each_leaf(value, path, found);
                path.truncate(length);
            }
        }
        Value::Null => {}
        value => found.push(Leaf {
            path: path.clone(),
            value,
        }),
    }
}
