//! The tools that find, read and keep parts of a page. The loop carries them out itself on the last observation.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use serde::{Deserialize, Serialize};

use super::{Run, state::MAX_TITLE};
use crate::{
    action::{ErrorClass, Extract, Failure, Find, Outcome, Read, Target},
    base::{TokenCount, text},
    event::EventKind,
    page::{Digest, DigestOptions, Hits, Layout, Line, NodeId, Shown, Suits, Wanted, shown_length},
    prompt::{cost, excerpts, facts, page_size, quoted, reading, verbatim},
    verify::PageNow,
};

/// Maximum number of hits that `find` returns. A hit can bring further lines with it: headings, and lines of its item.
/// Source: chosen, about a screenful.
const MAX_FOUND: usize = 30;
/// Maximum number of hits that `find` returns if no line or item contains all words of the query. Source: chosen;
/// lines with only some of the words are rarely what the model looks for.
const MAX_PARTLY_FOUND: usize = 10;
/// Maximum length of the query in the line above the hits. Unit: characters. Source: chosen.
const MAX_QUERY: usize = 80;
/// Maximum size of the lines that one `read` returns. Unit: tokens, estimated. Source: chosen; less than the maximum
/// size of a page in a prompt.
const MAX_READ: usize = 1_200;
/// Maximum size of the lines that one `read` returns if the call asks for a number of lines. Unit: tokens, estimated.
/// Source: chosen; enough for a table of 200 rows.
const MAX_READ_BY_LINES: usize = 6_000;
/// Maximum size of the lines of `read` in one message, as a share of the tokens that the page leaves free. Unit:
/// percent. Source: chosen; the other half is for the steps and the notes.
const READ_SHARE: u64 = 50;
/// Maximum length of an extracted text. A longer text loses its middle, which the model can extract by an `extract` with a
/// `target`. Unit: characters. Source: a requirement of the project.
pub(super) const MAX_EXTRACT: usize = 8_000;
/// Number of characters that are kept from the end of an extracted text that is cut. Source: a requirement of the project,
/// a third.
const EXTRACT_END: usize = MAX_EXTRACT / 3;
/// Maximum number of facts that are kept from one `read`. A fact is a line, or all lines of a small item of the page.
/// The facts that match the goal best are kept. Facts that match equally well are kept or dropped together, so fewer
/// may be kept, or none. Source: chosen.
const MAX_FACTS: usize = 12;

impl Run {
    /// Searches the whole page, including the parts that the prompt leaves out, and puts the hits into the next message.
    pub(super) fn find(&mut self, find: &Find) -> Outcome {
        let Some(page) = self.executor.state.page.now() else {
            return Outcome::failed(ErrorClass::NotFound, "");
        };
        let (layout, elements) = (page.layout(), &page.view.elements);
        let hits = layout.find(elements, &find.query, usize::MAX);
        let most = if hits.have_all {
            MAX_FOUND
        } else {
            MAX_PARTLY_FOUND
        };
        let summary = found_in_all(&find.query, &hits, most);
        let mut best = hits.lines;
        best.truncate(most);
        best.sort_unstable();
        // The headings above a hit, or the first line of its item, show what the hit belongs to. A small item is shown
        // whole.
        let with_place = |hit: usize| {
            let small = layout.small_item(hit);
            let is_item = layout.lines()[small.start].item;
            let own = if is_item { small } else { hit..hit + 1 };
            let headings = layout.headings_of(page.tree(), own.start);
            // A long item, such as an article, has headings of its own.
            let is_within = |item: &usize| headings.last().is_none_or(|heading| heading < item);
            let item = layout.item_of(own.start).filter(is_within);
            headings
                .into_iter()
                .chain(item)
                .chain(own)
                .collect::<Vec<_>>()
        };
        let numbers: BTreeSet<usize> = best.into_iter().flat_map(with_place).collect();
        let text = numbers
            .iter()
            .map(|line| layout.text(elements, *line..line + 1));
        let text = text.collect::<Vec<_>>().join("\n");
        let shown: Vec<Shown<'_>> = numbers.iter().map(|number| layout.shown(*number)).collect();
        let mut lines = excerpts(&shown, elements, &find.query);
        if !self.digest(page, self.shown).whole {
            // With the line number, the model can continue with `read` at this place.
            for (line, number) in lines.iter_mut().zip(&numbers) {
                *line = format!("{}: {line}", number + 1);
            }
        }
        let (observation, typed) = (page.observation.clone(), self.executor.typed());
        let state = &mut self.executor.state;
        state.seen.extract(&text, &observation, &typed);
        let found = &mut state.remarks.found;
        found.push(summary);
        found.extend(lines);
        // "Nothing found" is an answer too.
        Outcome::Done
    }

    /// Puts lines of the page into the next message, as many as fit. Their texts are not cut.
    pub(super) fn read(&mut self, read: &Read) -> Outcome {
        let Some(page) = self.executor.state.page.now().cloned() else {
            return Outcome::failed(ErrorClass::NotFound, "");
        };
        let root = match found(&page, read.target.as_ref()) {
            Ok(root) => root,
            Err(failure) => return Outcome::Failed(failure),
        };
        if let Some(value) = root.and_then(|root| value_of_field(&page, root)) {
            return self.read_value(read, &page, value);
        }
        let elements = &page.view.elements;
        let within;
        let (layout, range) = match root.map(|root| (root, page.layout().inside(root))) {
            None => (page.layout(), 0..page.layout().lines().len()),
            Some((_, Some(range))) if !range.is_empty() => (page.layout(), range),
            Some((root, _)) => {
                within = Layout::within(page.tree(), elements, root);
                (&within, 0..within.lines().len())
            }
        };
        let (count, from) = (range.len(), read.line.unwrap_or(1).max(1) as usize);
        if from > count {
            let why = format!("there are {count} lines to read");
            return Outcome::failed(ErrorClass::BadArguments, &why);
        }
        let wanted = read.lines.map(|lines| lines.max(1) as usize);
        let max = wanted.map_or(MAX_READ, |_| MAX_READ_BY_LINES);
        let end = wanted.map_or(count, |lines| count.min(from - 1 + lines));
        let part = range.start..range.start + end;
        let mut shown = layout.read(elements, part, from - 1, max);
        let mut text = reading(&shown, elements);
        text.truncate(fitting(&text, self.room_to_read(&page)));
        shown.truncate(text.len());
        let to = from + shown.len() - 1;
        let go_on = (to < count).then(|| format!("; it goes on at line={}", to + 1));
        let heading = format!(
            "lines {from} to {to} of {count}{}",
            go_on.unwrap_or_default()
        );
        self.executor.state.remarks.read.push(heading);
        self.executor.state.remarks.read.extend(text);
        let lines = range.start + from - 1..range.start + to;
        let text = layout.text(elements, lines.clone());
        let typed = self.executor.typed();
        let seen = &mut self.executor.state.seen;
        seen.extract(&text, &page.observation, &typed);
        if std::ptr::eq(layout, page.layout()) {
            let read = self
                .executor
                .state
                .lines_read
                .get_or_insert_with(|| LinesRead::of(&page));
            read.add(&page, lines);
        }
        self.keep_facts(
            &page,
            layout,
            &shown,
            &format!("lines {from} to {to} of {count}"),
        );
        Outcome::Done
    }

    /// Puts the lines of a field's value into the next message, as many as fit, with their white space.
    fn read_value(&mut self, read: &Read, page: &PageNow, value: &str) -> Outcome {
        let all: Vec<String> = value
            .lines()
            .map(|line| verbatim(line, usize::MAX))
            .collect();
        let (count, from) = (all.len(), read.line.unwrap_or(1).max(1) as usize);
        if from > count {
            let why = format!("there are {count} lines to read");
            return Outcome::failed(ErrorClass::BadArguments, &why);
        }
        let wanted = read.lines.map_or(count, |lines| lines.max(1) as usize);
        let mut lines: Vec<String> = all.into_iter().skip(from - 1).take(wanted).collect();
        lines.truncate(fitting(&lines, self.room_to_read(page)));
        let to = from + lines.len() - 1;
        let go_on = if to < count {
            format!("; it goes on at line={}", to + 1)
        } else {
            String::new()
        };
        let read = &mut self.executor.state.remarks.read;
        read.push(format!(
            "lines {from} to {to} of the {count} of its value{go_on}"
        ));
        read.extend(lines);
        Outcome::Done
    }

    /// Returns the number of tokens in the next message that are free for lines of `read`.
    fn room_to_read(&self, page: &PageNow) -> TokenCount {
        let read = &self.executor.state.remarks.read;
        let taken: TokenCount = read.iter().map(|line| cost(line)).sum();
        let limits = self.executor.options.digest;
        let shown = page_size(&self.digest(page, limits), &page.view.elements);
        let left = self.budget(&self.request()).0.saturating_sub(shown.0);
        TokenCount((left * READ_SHARE / 100).saturating_sub(taken.0))
    }

    fn digest<'p>(&self, page: &'p PageNow, limits: DigestOptions) -> Digest<'p> {
        let elements = &page.view.elements;
        page.layout().digest(elements, &self.goal_words, limits)
    }

    /// Returns true if the model has seen every line of the page, in a prompt or through `read`.
    pub(super) fn was_read(&self, page: &PageNow) -> bool {
        let layout = page.layout();
        let digest = self.digest(page, self.shown);
        if digest.whole {
            return true;
        }
        let is_uncut = |line: &Line| {
            let mut parts = line.all_parts();
            parts.all(|part| {
                let length = part.text.chars().count();
                shown_length(length, digest.max_text) == length
            })
        };
        let mut seen: BTreeSet<usize> = digest
            .lines
            .iter()
            .filter_map(|shown| match shown {
                Shown::Line { number, line } => is_uncut(line).then_some(*number),
                Shown::More { .. } => None,
            })
            .collect();
        if let Some(read) = self
            .executor
            .state
            .lines_read
            .as_ref()
            .filter(|read| read.is_of(page))
        {
            seen.extend(&read.lines);
        }
        seen.len() == layout.lines().len()
    }

    /// Keeps the lines that the model has just read and that share words with the goal, for later pages.
    fn keep_facts(&mut self, page: &PageNow, layout: &Layout, shown: &[Shown<'_>], place: &str) {
        let elements = &page.view.elements;
        let points = layout.relevance(elements, &self.goal_words).points;
        let mut best: BTreeMap<usize, u32> = BTreeMap::new();
        for shown in shown {
            if let Shown::Line { number, .. } = shown
                && points[*number] > 0
            {
                let best = best.entry(layout.small_item(*number).start).or_default();
                *best = points[*number].max(*best);
            }
        }
        // Menus and footers have common words too.
        let is_aside = |at: &usize| layout.lines()[*at].aside;
        if !best.keys().all(is_aside) {
            best.retain(|at, _| !is_aside(at));
        }
        let mut ranked: Vec<u32> = best.values().copied().collect();
        ranked.sort_unstable_by_key(|points| std::cmp::Reverse(*points));
        if let Some(most) = ranked.get(MAX_FACTS) {
            // If too many lines match equally well, there is no reason to prefer some of them, so all of these are dropped.
            best.retain(|_, points| *points > *most);
        }
        let kept = best.into_keys().map(|at| {
            let lines = layout.small_item(at).map(|at| layout.shown(at));
            let mut lines =
                facts(&lines.collect::<Vec<_>>(), elements, &self.goal_words).into_iter();
            let first = lines.next().unwrap_or_default();
            lines.fold(first, |item, line| {
                format!("{item} | {}", line.trim_start())
            })
        });
        let kept: Vec<String> = kept.collect();
        let title = quoted(&page.head.title, MAX_TITLE);
        let (few, all) = (kept.len(), shown.len());
        let of_these = match few {
            0 => String::new(),
            _ if few == all => ":".to_owned(),
            _ => format!(", of these {all} the {few} nearest to the goal:"),
        };
        self.executor
            .state
            .remarks
            .facts
            .push(format!("{place} of page {title}{of_these}"));
        self.executor.state.remarks.facts.extend(kept);
    }

    /// Moves the lines that were kept from the last reads into the run's memory.
    pub(super) fn know_facts(&mut self) {
        let state = &mut self.executor.state;
        state.memory.keep(state.remarks.facts.drain(..));
    }

    pub(super) fn extract(&mut self, extract: &Extract) -> Outcome {
        let Some(page) = self.executor.state.page.now().cloned() else {
            return Outcome::failed(ErrorClass::NotFound, "");
        };
        let elements = &page.view.elements;
        let text = match found(&page, extract.target.as_ref()) {
            Err(failure) => return Outcome::Failed(failure),
            // Menus and footers are left out, unless the page has nothing else.
            Ok(None) => {
                let layout = page.layout();
                let lines = layout.lines().iter().enumerate();
                let own = lines.filter(|(_, line)| !line.aside);
                let own: Vec<String> = own
                    .map(|(at, _)| layout.text(elements, at..at + 1))
                    .collect();
                let own: Vec<String> = own.into_iter().filter(|line| !line.is_empty()).collect();
                if own.is_empty() {
                    layout.text(elements, 0..layout.lines().len())
                } else {
                    own.join("\n")
                }
            }
            Ok(Some(root)) => {
                let within = Layout::within(page.tree(), elements, root);
                within.text(elements, 0..within.lines().len())
            }
        };
        // Redact before cutting, so that a cut leaves no half secret. Also, texts that were apart on the page are
        // joined here and may form a secret.
        let text = text::ends(
            &self.executor.redactor.text(&text),
            [MAX_EXTRACT - EXTRACT_END, EXTRACT_END],
        );
        self.executor.emitter.emit(EventKind::Extracted {
            name: extract.name.clone(),
            text: text.clone(),
        });
        self.executor.keep_result(&extract.name, &text);
        let now = self.executor.settings().clock.now();
        self.executor.state.memory.extract(&extract.name, text, now);
        Outcome::Done
    }
}

/// Returns the value of a field that has several lines; `None` for any other node.
fn value_of_field(page: &PageNow, id: NodeId) -> Option<&str> {
    let node = &page.tree()[id];
    let value = node.value.as_deref().filter(|_| node.role.is_editable());
    value.filter(|value| value.contains('\n'))
}

/// Returns how many of the first lines fit into `room`; at least 1.
fn fitting(lines: &[String], room: TokenCount) -> usize {
    let mut taken = TokenCount(0);
    let fits = |line: &&String| {
        taken += cost(line);
        taken <= room
    };
    lines.iter().take_while(fits).count().max(1)
}

/// Returns the line above the hits of a search, with the query and the number of lines found. If there are more than
/// `most`, the line says that only the best ones follow.
fn found_in_all(query: &str, hits: &Hits, most: usize) -> String {
    let query = quoted(query, MAX_QUERY);
    let count = hits.lines.len();
    let lines = if count == 1 { "line" } else { "lines" };
    let mut line = match (count, hits.have_all) {
        (0, _) => format!("find {query}: nothing, no line of this page has any of these words"),
        (_, true) => format!("find {query}: {count} {lines} of this page"),
        (_, false) => {
            format!("find {query}: no line has all of these words, {count} {lines} with some")
        }
    };
    if count > most {
        let _ = write!(
            line,
            ", the best {most} here: read shows all in order, more words find fewer"
        );
    }
    line
}

/// The numbers of the lines of one page that the model has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinesRead {
    /// The number of the observation in which the page had these lines.
    look: u64,
    lines: BTreeSet<usize>,
}

impl LinesRead {
    fn of(page: &PageNow) -> Self {
        Self {
            look: page.look,
            lines: BTreeSet::new(),
        }
    }

    fn is_of(&self, page: &PageNow) -> bool {
        self.look == page.look
    }

    fn add(&mut self, page: &PageNow, lines: std::ops::Range<usize>) {
        if !self.is_of(page) {
            *self = Self::of(page);
        }
        self.lines.extend(lines);
    }
}

/// Returns the node that a target refers to; `None`, for the whole page, if no target is given. The error says why the
/// target was not found.
fn found(page: &PageNow, target: Option<&Target>) -> Result<Option<NodeId>, Failure> {
    let tree = page.tree();
    let found = match target {
        None => return Ok(None),
        Some(Target::Ref(reference)) => tree.by_ref(reference.as_str()),
        Some(Target::Locator(locator)) => {
            let Some(found) = locator.find(tree) else {
                let why = "it takes a ref, or a locator by role or text";
                return Err(Failure::new(ErrorClass::BadArguments, why));
            };
            let first = found.first().copied();
            let named = Wanted::Words(locator, Suits::All);
            first.or_else(|| page.resolve(named, &[]).one())
        }
    };
    let gone = || Failure::new(ErrorClass::NotFound, "");
    found.map(Some).ok_or_else(gone)
}
