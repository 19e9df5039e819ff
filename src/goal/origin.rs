//! The origins of texts: after the holes are chosen, explains where each text of the steps comes from.

use super::{
    lex::{Kind, Token},
    months,
    program::{Program, find},
    record::Field,
    slots::{Found, Hole},
    trace::{Class, Literal, Run, has_content, mentions},
};
use crate::base::text::squeeze;

#[derive(Debug, Clone)]
pub(super) struct Explained {
    pub(super) literal: Literal,
    pub(super) origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The goal gives the whole text. If the list has several sources, the text may come from any of them. If all
    /// sources are [`Source::Entangled`], the text may only contain the value of a hole among other words.
    Whole(Vec<Source>),
    Parts(Parts),
    /// A text that does not come from the goal: it was the same in this many runs whose goals had different values.
    Constant(u32),
    Nothing,
}

/// A place in the recorded goal that may be the source of a step's text, or of a piece of that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A hole, with the programs that turn its value into the text.
    Hole { hole: usize, programs: Vec<Program> },
    /// Words of the recorded goal that belong to no hole.
    Frame,
    /// The index of a hole that has to do with the text, although no program computes the text from the hole's value. Either
    /// the text comes from words of the goal that the hole overlaps, or it contains the hole's value among other words.
    Entangled(usize),
}

/// A text that the goal gives only in part, split into pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) pieces: Vec<Piece>,
    /// The kind of those words of the text that do not come from the goal.
    pub(super) rest: Rest,
}

/// A piece of a text: words that never change, or words that may come from the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Fixed(String),
    Sources { text: String, sources: Vec<Source> },
}

/// The kind of the words that are in a text but not in the goal. If there are several kinds, the last variant among them
/// counts, because it is the strongest reason to refuse a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rest {
    Nothing,
    Words,
    Numbers,
    /// A date or a time of day.
    Time,
}

impl Origin {
    pub(super) fn sources(&self) -> Vec<&Source> {
        match self {
            Self::Whole(sources) => sources.iter().collect(),
            Self::Parts(parts) => parts
                .pieces
                .iter()
                .flat_map(|piece| match piece {
                    Piece::Fixed(_) => [].iter(),
                    Piece::Sources { sources, .. } => sources.iter(),
                })
                .collect(),
            Self::Constant(_) | Self::Nothing => Vec::new(),
        }
    }

    /// Reports whether the text may come from the value of a hole for which `is_hole` returns true. `is_hole` gets the
    /// index of a hole.
    pub(super) fn uses(&self, is_hole: &dyn Fn(usize) -> bool) -> bool {
        self.sources()
            .iter()
            .any(|source| matches!(source, Source::Hole { hole, .. } if is_hole(*hole)))
    }
}

impl Explained {
    /// Reports whether the run chose the text on the page: the text is the name of a target that was picked from
    /// several elements, and the goal does not name this target.
    pub(super) fn is_choice(&self) -> bool {
        let is_explained = match &self.origin {
            Origin::Whole(sources) => sources
                .iter()
                .any(|source| !matches!(source, Source::Entangled(_))),
            Origin::Parts(parts) => parts.rest == Rest::Nothing,
            Origin::Constant(_) | Origin::Nothing => false,
        };
        self.literal.is_picked && self.literal.field == Field::Name && !is_explained
    }

    /// Reports whether the text belongs to the page and not to the task. This is the case for the name of a link, an
    /// article or a list item, and of an element that shows no data, such as a button or a field. It is also the case
    /// for a path segment or a query value without digits, and always for the origin and the fragment of an address.
    pub(super) fn comes_from_the_page(&self) -> bool {
        let literal = &self.literal;
        match literal.class {
            Class::Furniture | Class::Fixed => true,
            Class::Data => ["link", "article", "listitem"].contains(&literal.role.as_str()),
            Class::Segment | Class::Query => !literal.value.chars().any(char::is_numeric),
            Class::Typed | Class::Chosen => false,
        }
    }

    pub(super) fn unexplained(&self) -> Rest {
        match &self.origin {
            _ if self.literal.class == Class::Fixed => Rest::Nothing,
            Origin::Whole(sources)
                if sources
                    .iter()
                    .any(|source| !matches!(source, Source::Entangled(_))) =>
            {
                Rest::Nothing
            }
            Origin::Parts(parts) => parts.rest,
            Origin::Whole(_) | Origin::Constant(_) | Origin::Nothing => rest_of_text(&self.literal),
        }
    }
}

pub(super) fn explain(holes: &[Hole], found: Found) -> Explained {
    let Found {
        literal,
        spans,
        runs,
    } = found;
    let mut sources: Vec<Source> = Vec::new();
    let mut is_whole_hole = false;
    for span in spans {
        let exact = holes
            .iter()
            .position(|hole| (hole.start, hole.end) == (span.start, span.end));
        if let Some(hole) = exact {
            is_whole_hole = true;
            let programs = span.programs;
            sources.push(Source::Hole { hole, programs });
            continue;
        }
        let overlapped = |hole: &Hole| hole.start < span.end && span.start < hole.end;
        let entangled: Vec<usize> = (0..holes.len())
            .filter(|at| overlapped(&holes[*at]))
            .collect();
        if entangled.is_empty() {
            sources.push(Source::Frame);
        }
        sources.extend(entangled.into_iter().map(Source::Entangled));
    }
    let has_frame = sources.contains(&Source::Frame);
    let may_have_parts = matches!(literal.field, Field::Name | Field::Text);
    let origin =
        if is_whole_hole || has_frame || (!sources.is_empty() && literal.field != Field::Name) {
            sources.dedup();
            Origin::Whole(sources)
        } else if may_have_parts && !runs.is_empty() {
            Origin::Parts(parts(holes, &literal, &runs))
        } else {
            let mentioned: Vec<Source> = (0..holes.len())
                .filter(|at| mentions(&literal, &holes[*at].value))
                .map(Source::Entangled)
                .collect();
            if mentioned.is_empty() {
                Origin::Nothing
            } else {
                Origin::Whole(mentioned)
            }
        };
    Explained { literal, origin }
}

/// Splits a text into pieces that may come from the goal and pieces that never change.
fn parts(holes: &[Hole], literal: &Literal, runs: &[Run]) -> Parts {
    let own = &literal.tokens;
    let mut pieces = Vec::new();
    let mut rest = Rest::Nothing;
    let (mut at, mut fixed_from) = (0, 0);
    while at < own.len() {
        let places: Vec<usize> = runs
            .iter()
            .filter(|run| (run.at..run.at + run.length).contains(&at))
            .map(|run| run.goal_at + at - run.at)
            .collect();
        let mut sources = Vec::new();
        let mut length = 1;
        for place in &places {
            let Some(hole_at) = holes
                .iter()
                .position(|hole| (hole.start..hole.end).contains(place))
            else {
                sources.push(Source::Frame);
                continue;
            };
            let hole = &holes[hole_at];
            let count = hole.end - hole.start;
            let fits = hole.start == *place
                && runs.iter().any(|run| {
                    run.at <= at
                        && at + count <= run.at + run.length
                        && run.goal_at + at - run.at == hole.start
                });
            let text = own
                .get(at..at + count)
                .and_then(|span| Some((span.first()?.start, span.last()?.end)));
            let programs = text.filter(|_| fits).map_or_else(Vec::new, |(start, end)| {
                find(
                    &hole.value,
                    &squeeze(&literal.value[start..end]),
                    literal.field,
                )
            });
            if programs.is_empty() {
                sources.push(Source::Entangled(hole_at));
            } else {
                length = count;
                sources.push(Source::Hole {
                    hole: hole_at,
                    programs,
                });
            }
        }
        if places.is_empty() {
            rest = rest.max(rest_of(&own[at]));
        }
        if sources.iter().any(|source| *source != Source::Frame) {
            let (start, end) = (own[at].start, own[at + length - 1].end);
            pieces.push(Piece::Fixed(literal.value[fixed_from..start].to_owned()));
            let text = literal.value[start..end].to_owned();
            pieces.push(Piece::Sources { text, sources });
            fixed_from = end;
        }
        at += length;
    }
    pieces.push(Piece::Fixed(literal.value[fixed_from..].to_owned()));
    Parts { pieces, rest }
}

fn rest_of(token: &Token) -> Rest {
    match token.kind {
        Kind::Date | Kind::Time => Rest::Time,
        Kind::Number | Kind::Id => Rest::Numbers,
        _ if has_content(std::slice::from_ref(token)) => Rest::Words,
        _ => Rest::Nothing,
    }
}

/// Returns the [`Rest`] of a text as if none of its words were in the goal. A text that is only a full month name or a
/// year from 1990 to 2100 counts as a time. A short month name such as `Mar` counts as a word.
fn rest_of_text(literal: &Literal) -> Rest {
    let is_month = matches!(literal.tokens.as_slice(), [token] if months::read(&token.fold).is_some_and(|name| name.is_full));
    let is_year = matches!(literal.tokens.as_slice(), [token] if token.kind == Kind::Number
        && token.fold.len() == 4
        && token.fold.parse().is_ok_and(|year: u32| (1990..=2100).contains(&year)));
    let of_tokens = literal.tokens.iter().map(rest_of).max();
    // A text that is too long to be traced has no tokens.
    let of_tokens = of_tokens.unwrap_or(if literal.value.trim().is_empty() {
        Rest::Nothing
    } else {
        Rest::Numbers
    });
    if is_month || is_year {
        return Rest::Time;
    }
    of_tokens
}
