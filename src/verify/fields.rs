//! Ties the fields of a typed answer to the pages of the run.
//!
//! A field of an item of a list must come from the item's own record on a page, because each value alone may be another item's. A
//! record is a line, a card, or a page about one thing, which has its name as the heading or in its title. On such a page, a short
//! text, a number and a date count only beside a word of the field's name: a price may stand there beside the costs of sending.

use std::{
    collections::{HashMap, HashSet},
    iter::once,
};

use chrono::{NaiveDate, NaiveTime, Timelike as _};
use serde_json::Value;

use super::{
    PageNow, check,
    finish::{Evidence, MAX_CLAIM, Seen, numbers},
    typed::Typed,
};
use crate::{
    base::{dates, month_first, text},
    page::{Line, Role},
};

/// Maximum number of lines of a card that are taken together.
const MAX_CARD: usize = 12;
/// Maximum number of parts of an item that belongs to a page about one thing: more are another thing's.
const MAX_PAIR: usize = 2;
/// Maximum number of words of a line that names what the next line says.
const MAX_LABEL: usize = 3;
/// Minimum number of words of a text that is told from others by itself.
const TELLING: usize = 3;
/// Minimum number of letters that a word of a page and one of a field's name have in common.
const STEM: usize = 3;
/// Maximum number of lines that are kept of a page about one thing.
const MAX_PAGE: usize = 300;
/// Maximum number of records of a run that are kept.
const MAX_ROWS: usize = 10_000;
/// Maximum number of fields of an answer that are reported.
const MAX_UNTIED: usize = 100;
/// Marks between the name of a thing and the name of a site in a title.
const MARKS: [char; 5] = ['-', '|', '·', '–', '—'];

/// What a line or a card says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Said {
    words: Vec<String>,
    numbers: HashSet<String>,
    dates: HashSet<NaiveDate>,
}

impl Said {
    /// `month_first` tells which of day and month the page writes first; `None` if it does not show it.
    fn of(text: &str, month_first: Option<bool>) -> Self {
        let dates = dates(text).into_iter().filter_map(|dated| match dated.or {
            None => Some(dated.date),
            Some(or) => month_first.map(|first| if first { or } else { dated.date }),
        });
        Self {
            words: text::words(text),
            numbers: numbers(text).into_iter().collect(),
            dates: dates.collect(),
        }
    }

    fn has_words(&self, words: &[String]) -> bool {
        self.words.windows(words.len()).any(|some| some == words)
    }

    /// Returns true if the line has the words of the text side by side, the date and time that the text is, or the number. A truth
    /// value is nowhere.
    fn has(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => {
                let words = text::words(text);
                let is_then = || {
                    let (day, time) = moment(text)?;
                    let time = time.map(|time| {
                        [time.hour(), time.minute()].map(|number| format!("{number:02}"))
                    });
                    let has_time = time.is_none_or(|time| self.has_words(&time));
                    Some(self.dates.contains(&day) && has_time)
                };
                words.is_empty() || self.has_words(&words) || is_then() == Some(true)
            }
            Value::Number(number) => {
                let mut numbers = numbers(&number.to_string()).into_iter();
                numbers.all(|number| self.numbers.contains(&number))
            }
            _ => false,
        }
    }

    /// Returns true if a word of the line is the beginning of one of these words, or the other way round.
    fn names(&self, field: &[String]) -> bool {
        let is_word =
            |word: &&String| word.chars().count() >= STEM && !word.contains(char::is_numeric);
        self.words.iter().filter(is_word).any(|word| {
            let mut field = field.iter().filter(is_word);
            field.any(|of| of.starts_with(word.as_str()) || word.starts_with(of.as_str()))
        })
    }
}

/// Returns the day, and the time unless it is midnight, that a text is.
fn moment(text: &str) -> Option<(NaiveDate, Option<NaiveTime>)> {
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let time = NaiveTime::parse_from_str(time.get(..5).unwrap_or_default(), "%H:%M").ok();
    let time = time.filter(|time| *time != NaiveTime::MIN);
    if let Ok(day) = NaiveDate::parse_from_str(day, "%Y-%m-%d") {
        return Some((day, time));
    }
    let written = dates(text).into_iter().next()?;
    let is_all = written.or.is_none() && text[written.span].len() == text.trim().len();
    is_all.then_some((written.date, None))
}

/// What a record of a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// What names the thing that a page is about; `None` for a line or card.
    about: Option<About>,
    /// The lines of the page, or the line or card as one.
    said: Vec<Said>,
}

impl Row {
    fn has(&self, leaf: &Leaf<'_>) -> bool {
        let is_telling = self.about.is_none() || leaf.is_telling();
        (0..self.said.len()).any(|at| {
            let said = &self.said[at];
            let label = at.checked_sub(1).map(|before| &self.said[before]);
            let is_label =
                |label: &&Said| label.words.len() <= MAX_LABEL && label.numbers.is_empty();
            let label = label.filter(is_label);
            let is_labelled = || {
                once(said)
                    .chain(label)
                    .any(|said| said.names(&leaf.field()))
            };
            said.has(leaf.value) && (is_telling || is_labelled())
        })
    }

    /// Returns true if this may be the record of the thing with this name.
    fn is_about(&self, name: &str) -> bool {
        match &self.about {
            Some(about) => about.is(name),
            None => self.said[0].has_words(&text::words(name)),
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
    /// Returns true if this is the name: the heading, or the first name in the title, as in `Editing: Van 2 - Fleet`.
    fn is(&self, name: &str) -> bool {
        let mut places = self.title.match_indices(name);
        let in_title = places.any(|(at, _)| {
            let (before, after) = (&self.title[..at], &self.title[at + name.len()..]);
            let begins = before.is_empty() || before.trim_end().ends_with(':');
            let ends = after.starts_with(' ') && after.trim_start().starts_with(MARKS);
            begins && (ends || after.is_empty())
        });
        in_title || self.heading == text::words(name)
    }
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
        let order = month_first(&text(0, lines.len()));
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
                    let said = vec![Said::of(&text, order)];
                    self.rows.push(Row { about: None, said });
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
        let mut item_end = 0;
        let mut of_it: Vec<String> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let is_pair = line.end == at + 1 && line.parts.len() <= MAX_PAIR;
            if line.item && !is_pair {
                item_end = item_end.max(line.end);
            }
            // A link leads to another thing, such as those in "See also".
            let mut parts = line.all_parts();
            let is_link = parts.any(|part| page.tree()[part.node].role == Role::Link);
            if at >= item_end && !line.aside && !is_link && !is_own(at, at + 1) {
                of_it.push(text(at, at + 1));
            }
        }
        of_it.truncate(MAX_PAGE);
        if self.is_new_row(&of_it.join("\n")) {
            let title = page.observation.title.clone();
            self.rows.push(Row {
                about: Some(About { heading, title }),
                said: of_it.iter().map(|line| Said::of(line, order)).collect(),
            });
        }
    }

    /// Adds the lines of a text that a tool returned.
    pub(super) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            if self.is_new_row(line) {
                let said = vec![Said::of(line, None)];
                self.rows.push(Row { about: None, said });
            }
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

    /// Returns the words of the field's own name.
    fn field(&self) -> Vec<String> {
        let name = self.path.rsplit('.').next().unwrap_or_default();
        let mut apart = String::new();
        for c in name.split('[').next().unwrap_or_default().chars() {
            if c.is_uppercase() {
                apart.push(' ');
            }
            apart.push(if c == '_' { ' ' } else { c });
        }
        text::words(&apart)
    }

    /// Returns a text with letters, such as a name.
    fn name(&self) -> Option<&str> {
        let text = self.value.as_str()?;
        text.contains(char::is_alphabetic).then_some(text)
    }

    /// Returns true if no other thing's value is the same by chance.
    fn is_telling(&self) -> bool {
        let is_long = |text: &str| text.contains('@') || text::words(text).len() >= TELLING;
        self.name().is_some_and(is_long) && self.value.as_str().and_then(moment).is_none()
    }

    /// Returns true if the field claims something that a page can say.
    fn claims(&self) -> bool {
        !self.value.is_boolean()
            && self
                .value
                .as_str()
                .is_none_or(|text| !text.trim().is_empty())
    }
}

/// Returns the fields of an answer that no page supports, each as its path and its value. A text is supported if the evidence, the
/// current page or a text that the run read has its words side by side; a number, if the evidence or a page of the run has it; a
/// date, in the forms of [`dates`].
///
/// A field of an item of a list is supported by a record with the item's name, which is its first text, if no other item has that
/// name. Items without such a name are supported by the one record that has most of their fields. Nothing supports a truth value,
/// which is the model's judgement. A field without a value claims nothing.
pub(crate) fn untied(
    value: &Value,
    evidence: &str,
    page: Option<&PageNow>,
    (seen, typed): (&Seen, &Typed),
) -> Vec<String> {
    let said = text::words(evidence);
    let known: HashSet<String> = numbers(evidence).into_iter().collect();
    let has = |number: &String| known.contains(number) || seen.numbers.contains(number);
    let is_tied = |leaf: &Value| match leaf {
        Value::Number(number) => numbers(&number.to_string()).iter().all(has),
        Value::String(text) => {
            let words = text::words(text);
            let is_said = |row: &Row| row.about.is_none() && row.said[0].has(leaf);
            words.is_empty()
                || said.windows(words.len()).any(|some| some == words)
                || seen.rows.iter().any(is_said)
                || !matches!(check(text, page, seen, typed), Evidence::Missing(_))
        }
        _ => false,
    };
    let mut leaves = Vec::new();
    each_leaf(value, &mut String::new(), &mut leaves);
    let mut items: Vec<(&str, Vec<&Leaf<'_>>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for leaf in &leaves {
        let Some(item) = leaf.item() else { continue };
        let place = *places.entry(item).or_insert_with(|| {
            items.push((item, Vec::new()));
            items.len() - 1
        });
        items[place].1.push(leaf);
    }
    let first_name =
        |fields: &[&Leaf<'_>]| fields.iter().find_map(|leaf| leaf.name()).map(text::words);
    let names: Vec<_> = items.iter().map(|(_, fields)| first_name(fields)).collect();
    let mut in_items: HashSet<&str> = HashSet::new();
    for ((_, fields), name) in items.iter().zip(&names) {
        let others: Vec<&Vec<String>> = names
            .iter()
            .flatten()
            .filter(|other| Some(*other) != name.as_ref())
            .collect();
        let is_own = names.iter().filter(|other| *other == name).count() == 1;
        let tied = of_item(fields, &seen.rows, &others, is_own);
        let tied = fields.iter().zip(tied).filter(|(_, is_tied)| *is_tied);
        in_items.extend(tied.map(|(leaf, _)| &*leaf.path));
    }
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

/// Returns which fields of an item are supported. `others` are the names of the other items; `is_own` is false if one of them is
/// the same.
fn of_item(leaves: &[&Leaf<'_>], rows: &[Row], others: &[&Vec<String>], is_own: bool) -> Vec<bool> {
    let name = leaves
        .iter()
        .find_map(|leaf| leaf.name())
        .filter(|_| is_own);
    let mut of_it: Vec<&Row> = Vec::new();
    if let Some(name) = name {
        let words = text::words(name);
        // A line that names several items tells nothing of one. `Van 2` is a part of the name `Van 2 E`.
        let names_another = |row: &Row| {
            let mut others = others.iter().filter(|other| {
                !words
                    .windows(other.len())
                    .any(|part| part == other.as_slice())
            });
            row.about.is_none() && others.any(|other| row.said[0].has_words(other))
        };
        of_it.extend(
            rows.iter()
                .filter(|row| row.is_about(name) && !names_another(row)),
        );
    }
    let is_had = |row: &Row, leaf: &Leaf<'_>| leaf.claims() && row.has(leaf);
    let mut tied: Vec<bool> = if of_it.is_empty() {
        let claims = leaves.iter().filter(|leaf| leaf.claims()).count();
        let lines = rows.iter().filter(|row| row.about.is_none());
        let had = lines.map(|row| {
            leaves
                .iter()
                .map(|leaf| is_had(row, leaf))
                .collect::<Vec<_>>()
        });
        let count = |had: &Vec<bool>| had.iter().filter(|is_had| **is_had).count();
        let best = had.max_by_key(count).filter(|had| count(had) * 2 > claims);
        best.unwrap_or_else(|| vec![false; leaves.len()])
    } else {
        leaves
            .iter()
            .map(|leaf| leaf.name() == name || of_it.iter().any(|row| is_had(row, leaf)))
            .collect()
    };
    // The city of a venue is told by the venue's own record.
    for at in 0..leaves.len() {
        let object = leaves[at].object();
        let is_nested = leaves[at].item() != Some(object);
        let is_beside = |anchor: usize| {
            tied[anchor] && leaves[anchor].object() == object && leaves[anchor].name().is_some()
        };
        let anchors: Vec<usize> = (0..leaves.len())
            .filter(|anchor| is_beside(*anchor))
            .collect();
        let is_told = |row: &Row| {
            let has_anchor = || anchors.iter().any(|anchor| row.has(leaves[*anchor]));
            row.about.is_none() && is_had(row, leaves[at]) && has_anchor()
        };
        if is_nested && !tied[at] && rows.iter().any(is_told) {
            tied[at] = true;
        }
    }
    for (is_tied, leaf) in tied.iter_mut().zip(leaves) {
        *is_tied |= !leaf.claims() && !leaf.value.is_boolean();
    }
    tied
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
