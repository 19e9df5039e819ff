//! The part of the policy for questions about records: the rows of a table, or the cards of a list over several pages.

use serde::{Deserialize, Serialize};
use serde_json::json;
use webwise::action::RawCall;

use crate::reading::{
    policy::{ALL, call, find, finish, first_heading, words},
    prompt::{Line, More, Prompt, words_of},
    wanted::{Op, Wanted},
};

/// A row or a card.
#[derive(Debug, Clone)]
struct Record {
    /// Its first line and those in it.
    lines: Vec<Line>,
}

impl Record {
    /// The records among these lines: the items at the depth at which most are.
    fn all(lines: &[Line]) -> Vec<Self> {
        let depths = || lines.iter().filter(|line| line.item).map(|line| line.depth);
        let count = |depth: &usize| depths().filter(|other| other == depth).count();
        let Some(depth) = depths().max_by_key(count) else {
            return Vec::new();
        };
        let mut all: Vec<Self> = Vec::new();
        let mut is_open = false;
        for line in lines {
            if line.item && line.depth == depth {
                all.push(Self {
                    lines: vec![line.clone()],
                });
                is_open = true;
            } else if line.depth <= depth {
                is_open = false;
            } else if is_open {
                all.last_mut().expect("it is open").lines.push(line.clone());
            }
        }
        all
    }

    fn is_header(&self) -> bool {
        !self.text().contains(|c: char| c.is_ascii_digit())
    }

    fn text(&self) -> String {
        self.lines
            .iter()
            .map(Line::text)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn name(&self) -> String {
        let mut parts = self.lines.iter().flat_map(Line::parts);
        let link = self
            .lines
            .iter()
            .flat_map(Line::parts)
            .find(|part| part.role == "link");
        link.or_else(|| parts.next())
            .map_or_else(String::new, |part| part.text.clone())
    }

    /// The text of a field: of the column with this name, or of the part of a card that looks like it.
    fn field(&self, field: &str, header: &[String]) -> Option<String> {
        if let Some(column) = header.iter().position(|column| column == field) {
            return self.lines[0].cells.get(column).map(|cell| words_of(cell));
        }
        let mut texts = self
            .lines
            .iter()
            .flat_map(Line::parts)
            .map(|part| &part.text);
        let is_it = |text: &&String| match field {
            "Price" => text.starts_with('€'),
            "Rating" => text.contains(" out of "),
            _ => false,
        };
        texts
            .find(is_it)
            .map(|text| text.trim_start_matches('€').to_owned())
    }

    fn has(&self, (field, text): (Option<&str>, &str), header: &[String]) -> bool {
        if let Some(field) = field {
            return self.field(field, header).as_deref() == Some(text);
        }
        let (all, wanted) = (words(&self.text()), words(text));
        all.windows(wanted.len()).any(|some| some == wanted)
    }
}

/// A number at the start of a text, in cents.
fn cents(text: &str) -> u64 {
    let number: String = text
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .filter(|c| *c != ',')
        .collect();
    let (whole, rest) = number.split_once('.').unwrap_or((&number, "0"));
    let whole: u64 = whole.parse().expect("a number");
    whole * 100 + format!("{rest:0<2}").parse::<u64>().expect("two digits")
}

fn amount(cents: u64) -> String {
    if cents.is_multiple_of(100) {
        (cents / 100).to_string()
    } else {
        crate::reading::table::money(cents)
    }
}

/// What the notes say of the records so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Tally {
    /// Pages that are done.
    pages: usize,
    /// Records that the question asks for.
    count: usize,
    sum: u64,
    /// The records with the best values, best first.
    best: Vec<(u64, String)>,
    /// The last records that the question asks for.
    names: Vec<String>,
}

impl Tally {
    fn of(prompt: &Prompt) -> Self {
        let last = prompt.notes.last();
        last.map_or_else(Self::default, |note| {
            serde_json::from_str(note).expect("a note of ours")
        })
    }

    fn add(&mut self, records: &[Record], wanted: &Wanted<'_>, header: &[String]) {
        for record in records.iter().filter(|record| !record.is_header()) {
            if !wanted
                .having
                .iter()
                .all(|having| record.has(*having, header))
            {
                continue;
            }
            self.count += 1;
            match wanted.op {
                Op::Names | Op::Exists | Op::Value | Op::Page => self.names.push(record.name()),
                _ => self.names = vec![record.name()],
            }
            let value = wanted
                .field
                .filter(|_| matches!(wanted.op, Op::Lowest(_) | Op::Highest | Op::Sum));
            let Some(value) =
                value.map(|field| cents(&record.field(field, header).expect("a field")))
            else {
                continue;
            };
            self.sum += value;
            self.best.push((value, record.name()));
        }
        self.best.sort();
        match wanted.op {
            Op::Lowest(nth) => self.best.truncate(nth),
            Op::Highest => self.best = self.best.pop().into_iter().collect(),
            _ => self.best.clear(),
        }
    }

    fn note(&self) -> RawCall {
        call(
            "note",
            json!({ "text": serde_json::to_string(self).expect("JSON") }),
        )
    }

    fn answer(&self, wanted: &Wanted<'_>, prompt: &Prompt) -> Vec<RawCall> {
        let best = self.best.last().map(|(_, name)| name.clone());
        let answer = match wanted.op {
            Op::Lowest(_) | Op::Highest => best.clone().expect("a record"),
            Op::Sum => amount(self.sum),
            Op::Count => self.count.to_string(),
            Op::Names => self.names.join("; "),
            _ => if self.count == 0 { "no" } else { "yes" }.to_owned(),
        };
        let evidence = best.or_else(|| self.names.last().cloned());
        finish(&answer, &evidence.unwrap_or_else(|| first_heading(prompt)))
    }
}

pub(crate) fn decide(prompt: &Prompt) -> Vec<RawCall> {
    let wanted = Wanted::of(&prompt.goal);
    let shown: Vec<Line> = prompt.shown().cloned().collect();
    let shown = Record::all(&shown);
    let header = shown.first().filter(|record| record.is_header());
    let header: Vec<String> = header.map_or_else(Vec::new, |record| {
        record.lines[0]
            .cells
            .iter()
            .map(|cell| words_of(cell))
            .collect()
    });
    let next = prompt.link("Next page");
    match wanted.op {
        Op::Row(_) | Op::Last => return one(prompt, &wanted, &shown, &header),
        _ => {}
    }
    let mut tally = Tally::of(prompt);
    let left_out = prompt.more();
    // On the first page the group is known; the pages after it are read as wholes.
    let target = left_out
        .first()
        .and_then(|more| more.target.as_deref())
        .filter(|_| tally.pages == 0);
    let read = |line: usize| match target {
        Some(target) => call(
            "read",
            json!({ "target": target, "line": line, "lines": ALL }),
        ),
        None => call("read", json!({ "line": line, "lines": ALL })),
    };
    let query = wanted.query();
    if prompt.read.is_empty() && !prompt.found.iter().any(|found| found.all) {
        // Nothing of this page was asked for yet, or more was found than was shown.
        return match &query {
            Some(query) if prompt.found.is_empty() => vec![find(query)],
            _ => vec![read(1)],
        };
    }
    let mut goes_on = None;
    for block in &prompt.read {
        tally.add(&Record::all(&block.lines), &wanted, &header);
        goes_on = (block.to < block.of).then_some(block.to + 1);
    }
    for found in &prompt.found {
        let lines: Vec<Line> = found.lines.iter().map(|(_, line)| line.clone()).collect();
        let records = Record::all(&lines);
        tally.add(&records, &wanted, &header);
        let is_it = |record: &&Record| {
            wanted
                .having
                .iter()
                .all(|having| record.has(*having, &header))
        };
        if let Some(record) = records.iter().find(is_it) {
            match wanted.op {
                Op::Value => {
                    let value = record
                        .field(wanted.field.expect("a field"), &header)
                        .expect("a value");
                    return finish(&value, &record.name());
                }
                Op::Page => return finish(&(tally.pages + 1).to_string(), &record.name()),
                _ => {}
            }
        }
    }
    if let Some(line) = goes_on {
        return vec![tally.note(), read(line)];
    }
    let Some(next) = next else {
        return tally.answer(&wanted, prompt);
    };
    tally.pages += 1;
    let go = call("click", json!({ "target": next }));
    let look = query.map_or_else(
        || call("read", json!({ "lines": ALL })),
        |query| find(&query),
    );
    vec![tally.note(), go, look]
}

/// Answers a question about one record, by its place.
fn one(prompt: &Prompt, wanted: &Wanted<'_>, shown: &[Record], header: &[String]) -> Vec<RawCall> {
    if let [block] = prompt.read.as_slice() {
        let records = Record::all(&block.lines);
        let record = records.last().expect("a record");
        let answer = wanted
            .field
            .map_or_else(|| Some(record.name()), |field| record.field(field, header));
        return finish(&answer.expect("a value"), &record.name());
    }
    if let (Op::Last, Some(_)) = (wanted.op, prompt.link("Next page")) {
        let shown = shown_numbers(prompt);
        let last = shown.iter().max_by_key(|(number, _)| *number);
        let (_, last) = last.expect("a page");
        return vec![call("click", json!({ "target": last }))];
    }
    let more = prompt.more();
    let target = more[0].target.as_deref().expect("a group");
    let (line, lines) = if let Op::Row(row) = wanted.op {
        // The header is the first line.
        (row + usize::from(!header.is_empty()), 1)
    } else {
        let is_of_group = |more: &&&More| more.target.as_deref() == Some(target);
        let last = more.iter().filter(is_of_group).max_by_key(|more| more.line);
        let last = last.expect("a mark");
        let is_a_line_each = shown.iter().all(|record| record.lines.len() == 1);
        let end = last.line + last.count - 1;
        (if is_a_line_each { end } else { last.line }, ALL)
    };
    let part = json!({ "target": target, "line": line, "lines": lines });
    vec![call("read", part)]
}

/// The links whose words are a number, with their references.
fn shown_numbers(prompt: &Prompt) -> Vec<(u32, String)> {
    let links = prompt
        .shown()
        .flat_map(Line::parts)
        .filter(|part| part.role == "link");
    let numbered =
        links.filter_map(|part| Some((part.text.parse().ok()?, part.reference.clone()?)));
    numbered.collect()
}
