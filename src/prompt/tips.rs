//! Advice from memory in the message of a step.
//!
//! If a person or this crate vouches for the words of a piece of advice, the advice stands outside the fences. Names
//! from a page are not written there: a reference or a number replaces each of them. All other advice is data and
//! stands inside the fences. Each piece of advice is one list item, and its lines after the first are indented.

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
};

use super::{
    fence::quoted,
    pack::Keep,
    section::{Line, Section, Zone},
};
use crate::{
    memory::{self, Advice, Lasts, PageName, Piece},
    page::ElementRef,
};

/// A line of advice. A person or this crate vouches for its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct TipLine<'a> {
    prefix: &'static str,
    line: &'a memory::Line,
}

impl<'a> TipLine<'a> {
    fn all(tip: &'a Advice) -> impl Iterator<Item = Self> {
        let lines = tip.lines().iter().enumerate();
        lines.map(|(nth, line)| Self {
            prefix: prefix(nth),
            line,
        })
    }

    pub(super) fn in_full(self) -> String {
        format!("{}{}", self.prefix, self.line.text())
    }
}

/// Returns the beginning of the line `nth` of a list item, counted from 0: `- ` for the first line, spaces for the others.
pub(super) const fn prefix(nth: usize) -> &'static str {
    if nth == 0 { "- " } else { "  " }
}

/// Returns the lines of a piece of advice whose words nobody vouches for, quoted as data.
pub(super) fn data_lines(tip: &Advice) -> impl Iterator<Item = String> {
    let lines = tip.lines().iter().enumerate();
    lines.map(|(nth, line)| {
        let text = quoted(line.text(), Advice::MAX_TEXT);
        format!("{}{text}", prefix(nth))
    })
}

/// The advice that is never cut off a message, sorted by its place in the message.
#[derive(Debug, Default)]
pub(super) struct Tips<'a> {
    pub(super) site: Vec<&'a Advice>,
    pub(super) error: Vec<&'a Advice>,
    pub(super) site_data: Vec<&'a Advice>,
    pub(super) error_data: Vec<&'a Advice>,
}

impl<'a> Tips<'a> {
    /// Sorts the advice by its place in the message. Advice for sections that memory kinds define is returned separately,
    /// as sections that may be cut. They are in the order in which `advice` first names them. `failed` is true if an action
    /// has just failed.
    ///
    /// A tip about the failure is not repeated among the other tips.
    pub(super) fn of(advice: &'a [Advice], failed: bool) -> (Self, Vec<Section<'a>>) {
        let is_error = |tip: &&Advice| failed && *tip.section() == memory::Section::ErrorTips;
        let (error, error_data) = advice.iter().filter(is_error).partition(|t| t.is_vouched());
        let mut tips = Self {
            error,
            error_data,
            ..Self::default()
        };
        let mut own: Vec<Group<'a>> = Vec::new();
        for tip in advice {
            let errors = tips.error.iter().chain(&tips.error_data);
            if errors.into_iter().any(|error| error.id() == tip.id()) {
                continue;
            }
            match tip.section() {
                memory::Section::SiteTips if tip.is_vouched() => tips.site.push(tip),
                memory::Section::SiteTips => tips.site_data.push(tip),
                memory::Section::Custom { .. } | memory::Section::Recipes => {
                    Group::add(&mut own, tip);
                }
                _ => {}
            }
        }
        (tips, own.into_iter().filter_map(Group::section).collect())
    }
}

/// The advice for one section of a memory kind: either only advice with words for which a person or this crate vouches, or
/// only other advice.
#[derive(Debug)]
struct Group<'a> {
    of: &'a memory::Section,
    vouched: bool,
    tips: Vec<&'a Advice>,
}

impl<'a> Group<'a> {
    fn add(groups: &mut Vec<Self>, tip: &'a Advice) {
        let (of, vouched) = (tip.section(), tip.is_vouched());
        let known = groups
            .iter_mut()
            .find(|g| g.of == of && g.vouched == vouched);
        match known {
            Some(group) => group.tips.push(tip),
            None => groups.push(Self {
                of,
                vouched,
                tips: vec![tip],
            }),
        }
    }

    /// Returns the advice as a section that may be cut; `None` if the section is one that is never cut.
    fn section(self) -> Option<Section<'a>> {
        let is_recipe = *self.of == memory::Section::Recipes;
        let zone = match self.of.lasts() {
            _ if self.vouched && !is_recipe => Zone::Outside,
            Lasts::Run => Zone::Run,
            Lasts::Page | Lasts::Prompt => Zone::BeforePage,
        };
        let tips = self.tips.into_iter();
        let lines = if is_recipe {
            // The names in them stay, because they stand in the fence.
            let lines = tips.flat_map(TipLine::all).map(TipLine::in_full);
            lines.map(Line::Ready).collect()
        } else if self.vouched {
            tips.flat_map(TipLine::all).map(Line::Tip).collect()
        } else {
            tips.flat_map(data_lines).map(Line::Ready).collect()
        };
        let priority = self.of.priority()?;
        Some(Section::new(
            self.of.heading(),
            zone,
            priority,
            Keep::First,
            lines,
        ))
    }
}

/// The replacements for page names in the advice of one message: references, or numbered short names.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// The references of the elements that the message shows, by the name in the advice.
    shown: HashMap<&'a PageName, &'a ElementRef>,
    /// The names for which `shown` has no reference. They are numbered from 1.
    others: Vec<&'a PageName>,
}

impl<'a> Names<'a> {
    /// Prepares the replacement of names. `named` has the names in the advice for which the page has an element, with the
    /// references of these elements. `page` has the lines with which the message shows the page. A reference that does not
    /// occur in these lines is not used.
    pub(super) fn new(named: &'a [(PageName, ElementRef)], page: &[String]) -> Self {
        let words: HashSet<&str> = if named.is_empty() {
            HashSet::new()
        } else {
            page.iter().flat_map(|line| bare_words(line)).collect()
        };
        let shown = named
            .iter()
            .filter(|(_, place)| words.contains(place.as_str()));
        Self {
            shown: shown.map(|(name, place)| (name, place)).collect(),
            others: Vec::new(),
        }
    }

    pub(super) fn of_all(&mut self, tips: &[&'a Advice]) -> Vec<String> {
        let lines = tips.iter().copied().flat_map(TipLine::all);
        lines.map(|line| self.line(line)).collect()
    }

    /// Returns a line of advice in which each name from a page is replaced by a reference, such as `e12`, or by a
    /// numbered short name, such as `n1`.
    pub(super) fn line(&mut self, tip: TipLine<'a>) -> String {
        let mut line = tip.prefix.to_owned();
        for piece in tip.line.pieces() {
            match piece {
                Piece::Words(words) => line.push_str(words),
                Piece::Name(name) => match self.shown.get(name) {
                    Some(place) => line.push_str(place.as_str()),
                    None => {
                        let _ = write!(line, "n{}", self.number(name));
                    }
                },
            }
        }
        line
    }

    fn number(&mut self, name: &'a PageName) -> usize {
        let known = self.others.iter().position(|known| *known == name);
        1 + known.unwrap_or_else(|| {
            self.others.push(name);
            self.others.len() - 1
        })
    }

    /// Returns a line for each numbered name, such as `n1 button "Accept all"`.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let others = self.others.iter().zip(1..);
        others.map(|(name, number)| format!("n{number} {name}"))
    }
}

/// Returns the words of a line outside its quoted texts. A quoted text is text of the page, which may repeat a reference.
fn bare_words(line: &str) -> impl Iterator<Item = &str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let between = move |c: char| {
        if std::mem::take(&mut is_escaped) {
            return true;
        }
        is_escaped = is_quoted && c == '\\';
        is_quoted ^= c == '"';
        is_quoted || c == '"' || c.is_whitespace()
    };
    line.split(between).filter(|word| !word.is_empty())
}
