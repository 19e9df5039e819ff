//! Parsing: finds every way in which a new goal fits a template.
//!
//! The words of the frame must occur exactly and in order. A hole takes at least one token. A hole with a type such as a
//! number or a date takes exactly one token, of that type.

use super::{lex::Token, slots::Hole, trace::MAX_VALUE_TOKENS};

/// Maximum number of readings of a new goal that are collected. Source: chosen. More than one reading is needed only when a
/// second run confirms a template.
pub(super) const MAX_PARSES: usize = 200;

/// A reading of a new goal: for each hole, the range of tokens that it takes.
pub(super) type Reading = Vec<(usize, usize)>;

enum Element<'a> {
    Frame(&'a Token),
    Hole(&'a Hole),
}

/// Reports whether `new` contains the frame of the template `old`: all tokens of `old` outside the holes, in order. The
/// holes may take any tokens.
pub(super) fn has_frame(old: &[Token], holes: &[Hole], new: &[Token]) -> bool {
    let parser = Parser {
        elements: elements(old, holes),
        new,
        is_typed: false,
    };
    is_recorded(old, new) || parser.reachable()[0][0]
}

/// Returns at most [`MAX_PARSES`] ways to read the new goal `new`. `old` and `holes` are the tokens and the holes of
/// the template.
pub(super) fn parses(old: &[Token], holes: &[Hole], new: &[Token]) -> Vec<Reading> {
    // If the new goal is the recorded one, it has one reading, even if two holes are next to each other.
    if is_recorded(old, new) {
        return vec![holes.iter().map(|hole| (hole.start, hole.end)).collect()];
    }
    let parser = Parser {
        elements: elements(old, holes),
        new,
        is_typed: true,
    };
    let reachable = parser.reachable();
    let mut readings = Vec::new();
    if reachable[0][0] {
        parser.collect(&reachable, 0, 0, &mut Vec::new(), &mut readings);
    }
    readings
}

fn is_recorded(old: &[Token], new: &[Token]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(a, b)| a.is_same(b))
}

fn elements<'a>(tokens: &'a [Token], holes: &'a [Hole]) -> Vec<Element<'a>> {
    let mut elements = Vec::new();
    let mut at = 0;
    for hole in holes {
        elements.extend(tokens[at..hole.start].iter().map(Element::Frame));
        elements.push(Element::Hole(hole));
        at = hole.end;
    }
    elements.extend(tokens[at..].iter().map(Element::Frame));
    elements
}

struct Parser<'a> {
    elements: Vec<Element<'a>>,
    new: &'a [Token],
    is_typed: bool,
}

impl Parser<'_> {
    fn is_frame(&self, token: &Token, at: usize) -> bool {
        self.new.get(at).is_some_and(|new| new.is_same(token))
    }

    /// Returns the positions at which a hole can end if it begins at token `at`.
    fn ends<'b>(&'b self, hole: &'b Hole, at: usize) -> impl Iterator<Item = usize> + 'b {
        (at + 1..=self.new.len().min(at + MAX_VALUE_TOKENS))
            .filter(move |end| !self.is_typed || hole.shape.fits(&self.new[at..*end]))
    }

    /// Returns a table of what fits. The entry `[element][at]` is true if the part of the new goal that begins at token
    /// `at` fits the part of the template that begins at `element`.
    fn reachable(&self) -> Vec<Vec<bool>> {
        let (count, length) = (self.elements.len(), self.new.len());
        let mut reachable = vec![vec![false; length + 1]; count + 1];
        reachable[count][length] = true;
        for element in (0..count).rev() {
            for at in 0..length {
                reachable[element][at] = match self.elements[element] {
                    Element::Frame(token) => {
                        reachable[element + 1][at + 1] && self.is_frame(token, at)
                    }
                    Element::Hole(hole) => {
                        self.ends(hole, at).any(|end| reachable[element + 1][end])
                    }
                };
            }
        }
        reachable
    }

    /// Adds readings to `readings`: every way in which the part of the goal that begins at token `at` fits the part of
    /// the template that begins at `element`. `taken` has the token ranges of the holes before `element`. `reachable`
    /// is the table that [`reachable`](Self::reachable) returns.
    fn collect(
        &self,
        reachable: &[Vec<bool>],
        mut element: usize,
        mut at: usize,
        taken: &mut Reading,
        readings: &mut Vec<Reading>,
    ) {
        while let Some(Element::Frame(_)) = self.elements.get(element) {
            element += 1;
            at += 1;
        }
        let Some(Element::Hole(hole)) = self.elements.get(element) else {
            readings.push(taken.clone());
            return;
        };
        for end in self
            .ends(hole, at)
            .filter(|end| reachable[element + 1][*end])
        {
            if readings.len() >= MAX_PARSES {
                return;
            }
            taken.push((at, end));
            self.collect(reachable, element + 1, end, taken, readings);
            taken.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::{lex::lex, program::Value, slots::Shape, verdict::State};

    fn read(old: &str, spans: &[(usize, usize)], new: &str) -> usize {
        let tokens = lex(old);
        let to_hole = |(start, end): &(usize, usize)| Hole {
            start: *start,
            end: *end,
            value: Value::of(&tokens[*start..*end], old),
            shape: Shape::of(&tokens[*start..*end]),
            id: String::new(),
            state: State::Tentative,
        };
        let holes: Vec<Hole> = spans.iter().map(to_hole).collect();
        parses(&tokens, &holes, &lex(new)).len()
    }

    #[test]
    fn the_frame_must_recur_word_for_word() {
        let old = "Find a flight from Berlin to Paris";
        let spans = [(4, 5), (6, 7)];
        assert_eq!(read(old, &spans, "find a flight from Rome to Madrid"), 1);
        assert_eq!(read(old, &spans, "Find a train from Rome to Madrid"), 0);
        assert_eq!(read(old, &spans, "Find a flight to Rome from Madrid"), 0);
        assert_eq!(read(old, &spans, "Find a flight from Rome to"), 0);
    }

    #[test]
    fn every_reading_is_found() {
        let old = "Find a flight from Berlin to Paris";
        assert_eq!(
            read(
                old,
                &[(4, 5), (6, 7)],
                "Find a flight from Rome to Madrid to Paris"
            ),
            2
        );
        assert_eq!(
            read("Tell Anna hello", &[(1, 2), (2, 3)], "Tell Anna hello"),
            1
        );
        assert_eq!(
            read("Tell Anna hello", &[(1, 2), (2, 3)], "Tell a b c d"),
            3
        );
    }

    #[test]
    fn a_hard_type_takes_one_token_of_its_type() {
        assert_eq!(read("Book 2 rooms", &[(1, 2)], "Book 5 rooms"), 1);
        assert_eq!(read("Book 2 rooms", &[(1, 2)], "Book five rooms"), 0);
        assert_eq!(
            read("Delete invoice 1042", &[(2, 3)], "Delete invoice 1043 1044"),
            0
        );
    }

    #[test]
    fn many_readings_are_capped() {
        let old = "a b c d";
        let spans = [(0, 1), (1, 2), (2, 3), (3, 4)];
        let new = "w ".repeat(60);
        assert_eq!(read(old, &spans, &new), MAX_PARSES);
    }
}
