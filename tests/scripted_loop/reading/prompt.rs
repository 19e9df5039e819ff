//! What a request says, as the policy reads it: the goal, the lines of the page, and what was read, found and noted.

use std::collections::BTreeMap;

use webwise::{chat::ChatRequest, page::ElementRef, prompt::json_string};

/// A part of a line: words with what stands before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) reference: Option<String>,
    pub(crate) role: String,
    pub(crate) text: String,
}

/// A line of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) depth: usize,
    pub(crate) item: bool,
    /// Its parts by column: what is separated by `|` or not.
    pub(crate) cells: Vec<Vec<Part>>,
    /// The number to read it by, if its text is cut.
    pub(crate) cut: Option<usize>,
}

impl Line {
    fn read(line: &str) -> Self {
        let rest = line.trim_start_matches(' ');
        let depth = line.len() - rest.len();
        let cut = line.split_once(" characters more");
        let cut = cut.and_then(|(_, rest)| rest.split_once(": read(line="));
        let cut = cut.and_then(|(_, number)| number.split(')').next()?.parse().ok());
        let (item, mut rest) = rest
            .strip_prefix("- ")
            .map_or((false, rest), |rest| (true, rest));
        let mut cells = vec![Vec::new()];
        let mut words: Vec<&str> = Vec::new();
        while !rest.is_empty() {
            if let Some((text, after)) = json_string(rest) {
                let reference = words.iter().find(|word| ElementRef::parse(word).is_ok());
                let role = words
                    .iter()
                    .rev()
                    .find(|word| ElementRef::parse(word).is_err());
                let part = Part {
                    reference: reference.map(|word| (*word).to_owned()),
                    role: role.map_or_else(String::new, |word| (*word).to_owned()),
                    text,
                };
                cells.last_mut().expect("one at least").push(part);
                words.clear();
                rest = after;
            } else {
                let end = rest.find(' ').map_or(rest.len(), |end| end.max(1));
                match rest[..end].trim() {
                    "|" => cells.push(Vec::new()),
                    "" => {}
                    word => words.push(word.trim_end_matches(':')),
                }
                rest = &rest[end..];
            }
        }
        Self {
            depth,
            item,
            cells,
            cut,
        }
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.cells.iter().flatten()
    }

    pub(crate) fn text(&self) -> String {
        let cells = self.cells.iter().map(|cell| words_of(cell));
        cells.collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn is_heading(&self) -> bool {
        self.parts()
            .next()
            .is_some_and(|part| part.role == "heading")
    }
}

pub(crate) fn words_of(cell: &[Part]) -> String {
    let words = cell.iter().map(|part| part.text.as_str());
    words.collect::<Vec<_>>().join(" ")
}

/// A mark in place of lines that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct More {
    /// The number of lines, or of items.
    pub(crate) count: usize,
    pub(crate) target: Option<String>,
    pub(crate) line: usize,
}

impl More {
    fn read(line: &str) -> Option<Self> {
        let rest = line.trim_start().strip_prefix("... ")?;
        let count = rest.split(' ').next()?.parse().ok()?;
        let (_, call) = rest.rsplit_once(": read(")?;
        let call = call.strip_suffix(')')?;
        let (target, line) = call.rsplit_once("line=")?;
        let target = target
            .strip_prefix("target=\"")
            .and_then(|target| target.strip_suffix("\", "));
        Some(Self {
            count,
            target: target.map(str::to_owned),
            line: line.parse().ok()?,
        })
    }
}

/// A line of the page section.
#[derive(Debug, Clone)]
pub(crate) enum OnPage {
    Line(Line),
    More(More),
}

/// Lines that `read` returned.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) of: usize,
    pub(crate) lines: Vec<Line>,
}

impl Block {
    fn head(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("lines ")?;
        let (from, rest) = rest.split_once(" to ")?;
        let (to, rest) = rest.split_once(" of ")?;
        let of = rest.split([';', ' ']).next()?;
        Some(Self {
            from: from.parse().ok()?,
            to: to.parse().ok()?,
            of: of.parse().ok()?,
            lines: Vec::new(),
        })
    }
}

/// Lines that `find` returned.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) query: String,
    /// True if all lines with all words follow. If there are none, lines with some of them follow.
    pub(crate) all: bool,
    /// These lines with their numbers on the page, and the lines above them that say what they belong to.
    pub(crate) lines: Vec<(usize, Line)>,
}

impl Found {
    fn head(line: &str) -> Option<Self> {
        let (query, rest) = json_string(line.strip_prefix("find ")?)?;
        let rest = rest.strip_prefix(": ")?;
        Some(Self {
            query,
            all: !rest.contains(" of this page") || !rest.contains("the best"),
            lines: Vec::new(),
        })
    }
}

/// What a request says.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    pub(crate) goal: String,
    pub(crate) page: Vec<OnPage>,
    pub(crate) read: Vec<Block>,
    pub(crate) found: Vec<Found>,
    pub(crate) notes: Vec<String>,
}

impl Prompt {
    pub(crate) fn of(request: &ChatRequest) -> Self {
        let (_, goal) = request.system.split_once("## Goal\n").expect("a goal");
        let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut heading = "";
        for line in request.message.lines() {
            if let Some(next) = line.strip_prefix("## ") {
                heading = next;
            } else if !line.starts_with("<<<") && !line.ends_with(">>>") {
                sections.entry(heading).or_default().push(line);
            }
        }
        assert!(
            !sections.contains_key("Calls refused") && !sections.contains_key("Last action failed"),
            "{}",
            request.message
        );
        let of = |heading: &str| sections.get(heading).cloned().unwrap_or_default();
        let page = of("Page").into_iter().map(|line| match More::read(line) {
            Some(more) => OnPage::More(more),
            None => OnPage::Line(Line::read(line)),
        });
        let mut read: Vec<Block> = Vec::new();
        for line in of("Read") {
            assert!(
                !line.starts_with('('),
                "lines that were read are cut off: {line}"
            );
            match Block::head(line) {
                Some(block) => read.push(block),
                None => read
                    .last_mut()
                    .expect("a heading first")
                    .lines
                    .push(Line::read(line)),
            }
        }
        let mut found: Vec<Found> = Vec::new();
        for line in of("Found") {
            assert!(!line.starts_with('('), "hits are cut off: {line}");
            if let Some(answer) = Found::head(line) {
                found.push(answer);
            } else {
                let (number, line) = line.split_once(": ").expect("a number first");
                let number = number.parse().expect("a number");
                let lines = &mut found.last_mut().expect("a heading first").lines;
                lines.push((number, Line::read(line)));
            }
        }
        let notes = of("Your notes").into_iter();
        Self {
            goal: goal.trim().to_owned(),
            page: page.collect(),
            read,
            found,
            notes: notes
                .filter_map(|note| json_string(note))
                .map(|(note, _)| note)
                .collect(),
        }
    }

    /// The lines that the page section shows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Line> {
        self.page.iter().filter_map(|line| match line {
            OnPage::Line(line) => Some(line),
            OnPage::More(_) => None,
        })
    }

    /// The marks in place of lines that are left out, the largest first.
    pub(crate) fn more(&self) -> Vec<&More> {
        let marks = self.page.iter().filter_map(|line| match line {
            OnPage::More(more) => Some(more),
            OnPage::Line(_) => None,
        });
        let mut marks: Vec<&More> = marks.collect();
        marks.sort_by_key(|more| std::cmp::Reverse(more.count));
        marks
    }

    /// The reference of the link with these words.
    pub(crate) fn link(&self, words: &str) -> Option<&str> {
        let is_it = |part: &&Part| part.role == "link" && part.text == words;
        let part = self.shown().flat_map(Line::parts).find(is_it)?;
        part.reference.as_deref()
    }
}
