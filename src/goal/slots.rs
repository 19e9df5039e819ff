//! Slots: the holes of a template, and the evidence that creates them.
//!
//! A hole exists only where the goal contains a value that the user declared, or a text of a step. In a single run, the
//! following texts create a hole: typed text, chosen options, query values, path segments that contain a digit or
//! consist of several words, and the names of elements that show data. Where the goal may have its verb, only typed
//! text and such path segments create a hole. The names of buttons, menu items and navigation links create none,
//! because goals often contain them as a verb. Path segments of one word create none for the same reason.

use std::collections::BTreeMap;

use super::{
    dates::Reading,
    fold::{compose, fold},
    lex::{Kind, Token, lex},
    program::Value,
    record::Field,
    scripts::{Script, has},
    trace::{Class, Literal, Run, Span},
    verdict::State,
    words::{is_conjunction, is_turkish},
};

/// A hole of a template: a place in the recorded goal whose words may be replaced by a new value.
#[derive(Debug, Clone)]
pub(super) struct Hole {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: Value,
    pub(super) shape: Shape,
    pub(super) id: String,
    pub(super) state: State,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Number,
    /// A date with the same known parts (year, month, day) as one of these readings.
    Date(Vec<Reading>),
    Time,
    Email,
    Url,
    /// An identifier, described by its [`pattern`], such as `A-9`.
    Id(String),
    /// A German compound that begins with a month. The string is the part after the month.
    Compound(String),
}

impl Shape {
    /// Returns the type of a value; a value of several tokens is free text.
    pub(super) fn of(tokens: &[Token]) -> Self {
        let [token] = tokens else {
            return Self::Text;
        };
        match token.kind {
            Kind::Number => Self::Number,
            Kind::Date => Self::Date(token.dates.clone()),
            Kind::Time => Self::Time,
            Kind::Email => Self::Email,
            Kind::Url => Self::Url,
            Kind::Id => Self::Id(pattern(&token.fold)),
            _ => Self::Text,
        }
    }

    /// Reports whether the tokens are of this type. Free text accepts everything; the guards check its content.
    pub(super) fn fits(&self, tokens: &[Token]) -> bool {
        if *self == Self::Text {
            return true;
        }
        let [token] = tokens else {
            return false;
        };
        match self {
            Self::Date(old) => {
                token.kind == Kind::Date
                    && token
                        .dates
                        .iter()
                        .any(|new| old.iter().any(|old| old.date.has_parts_of(new.date)))
            }
            Self::Compound(rest) => token.rest.as_ref() == Some(rest),
            shape => *shape == Self::of(tokens),
        }
    }
}

/// Returns the pattern of an identifier: each run of letters as `A`, each run of digits as `9`, signs unchanged.
fn pattern(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let class = match c {
            c if c.is_ascii_digit() => '9',
            c if c.is_alphabetic() => 'A',
            c => c,
        };
        if !out.ends_with(class) || !matches!(class, '9' | 'A') {
            out.push(class);
        }
    }
    out
}

/// A range of the goal's tokens that may become a hole.
struct Candidate {
    start: usize,
    end: usize,
    strength: u8,
    declared: Option<String>,
}

const DECLARED: u8 = 5;
const WHOLE: u8 = 4;
const NAME: u8 = 3;
const PART_OF_NAME: u8 = 2;
const WEAK: u8 = 1;

/// A text of a step. `spans` are the places in the recorded goal where all of the text was found, `runs` the places
/// where parts of it were found.
pub(super) struct Found {
    pub(super) literal: Literal,
    pub(super) spans: Vec<Span>,
    pub(super) runs: Vec<Run>,
}

/// Chooses the holes among all candidates: strong evidence before weak, long ranges before short, without overlaps.
///
/// With `is_weak_enough`, weak evidence creates holes too. A second run must then show which holes are right.
pub(super) fn choose(
    tokens: &[Token],
    goal: &str,
    found: &[Found],
    params: &BTreeMap<String, String>,
    is_weak_enough: bool,
) -> Vec<Hole> {
    let mut candidates = declared(tokens, params);
    for found in found {
        candidates.extend(of_literal(tokens, found, is_weak_enough));
    }
    candidates.sort_by_key(|candidate| {
        let length = candidate.end - candidate.start;
        (
            std::cmp::Reverse((candidate.strength, length)),
            candidate.start,
        )
    });
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let is_free =
            |other: &Candidate| candidate.end <= other.start || other.end <= candidate.start;
        if chosen.iter().all(is_free) {
            chosen.push(candidate);
        }
    }
    chosen.sort_by_key(|candidate| candidate.start);
    let to_hole = |candidate: Candidate| {
        let span = &tokens[candidate.start..candidate.end];
        Hole {
            start: candidate.start,
            end: candidate.end,
            value: Value::of(span, goal),
            shape: Shape::of(span),
            state: if candidate.declared.is_some() {
                State::Declared
            } else {
                State::Tentative
            },
            id: candidate.declared.unwrap_or_default(),
        }
    };
    chosen.into_iter().map(to_hole).collect()
}

fn declared(tokens: &[Token], params: &BTreeMap<String, String>) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (name, value) in params {
        let wanted = lex(&compose(value));
        if wanted.is_empty() {
            continue;
        }
        for (at, window) in tokens.windows(wanted.len()).enumerate() {
            if window.iter().zip(&wanted).all(|(a, b)| a.fold == b.fold) {
                candidates.push(Candidate {
                    start: at,
                    end: at + wanted.len(),
                    strength: DECLARED,
                    declared: Some(name.clone()),
                });
            }
        }
        // A quoted value is one token of the goal, however many words it has.
        for (at, token) in tokens.iter().enumerate() {
            if token.kind == Kind::Quoted && token.fold == fold(value) {
                candidates.push(Candidate {
                    start: at,
                    end: at + 1,
                    strength: DECLARED,
                    declared: Some(name.clone()),
                });
            }
        }
    }
    candidates
}

fn of_literal(tokens: &[Token], found: &Found, is_weak_enough: bool) -> Vec<Candidate> {
    let literal = &found.literal;
    let strength = match literal.class {
        Class::Typed | Class::Chosen | Class::Query => WHOLE,
        Class::Segment if literal.value.chars().any(char::is_numeric) => WHOLE,
        Class::Segment | Class::Furniture => 0,
        Class::Data => NAME,
        Class::Fixed => return Vec::new(),
    };
    let weak = u8::from(is_weak_enough) * WEAK;
    let candidate = |start: usize, end: usize, strength: u8| {
        (strength > 0).then_some(Candidate {
            start,
            end,
            strength,
            declared: None,
        })
    };
    let is_name = literal.field == Field::Name;
    let mut candidates = Vec::new();
    for span in &found.spans {
        let is_slug = literal.class == Class::Segment
            && span.end - span.start >= 2
            && !tokens[span.start].is_unspaced();
        // An option or a query value may also be the verb of the goal: `Delete` in a list of actions, `?action=delete`.
        let is_barred = literal.class != Class::Typed && may_be_verb(tokens, span.start, span.end);
        let is_numbered = literal.class == Class::Segment && strength > 0;
        let strength = if is_slug || is_numbered {
            WHOLE
        } else if is_barred {
            0
        } else {
            strength
        };
        candidates.extend(candidate(span.start, span.end, strength.max(weak)));
    }
    // The name of one element among several may contain any text beside the value, so a matching part of it is at most
    // weak evidence.
    if literal.class == Class::Data && !literal.is_picked {
        for run in &found.runs {
            let end = run.goal_at + run.length;
            let strength = if may_be_verb(tokens, run.goal_at, end) {
                0
            } else {
                PART_OF_NAME
            };
            candidates.extend(candidate(run.goal_at, end, strength.max(weak)));
        }
    } else if is_name && is_weak_enough {
        let ends = found
            .runs
            .iter()
            .map(|run| (run.goal_at, run.goal_at + run.length));
        candidates.extend(ends.filter_map(|(start, end)| candidate(start, end, WEAK)));
    }
    candidates
}

/// Reports whether a range stands where goals have their verbs: at the beginning of a clause, or at the end of a clause
/// in languages that put the verb last.
pub(super) fn may_be_verb(tokens: &[Token], start: usize, end: usize) -> bool {
    let is_verb_final = tokens.iter().any(|token| {
        [Script::Hiragana, Script::Hangul, Script::Devanagari]
            .iter()
            .any(|script| has(&token.text, *script))
            || is_turkish(&token.fold)
    });
    if is_verb_final {
        return end == tokens.len()
            || tokens[end].after_punctuation
            || is_conjunction(&tokens[end].fold);
    }
    start == 0 || tokens[start].after_punctuation || is_conjunction(&tokens[start - 1].fold)
}

/// Names each unnamed slot after the label of the field that its value fills. A slot without a label is named `slot_`
/// with a number.
pub(super) fn name(holes: &mut [Hole], labels: &[Option<String>]) {
    let mut taken: Vec<String> = holes.iter().map(|hole| hole.id.clone()).collect();
    for at in 0..holes.len() {
        if !holes[at].id.is_empty() {
            continue;
        }
        let base = labels[at].clone().filter(|label| !label.is_empty());
        let base = base.unwrap_or_else(|| format!("slot_{}", at + 1));
        let mut id = base.clone();
        let mut number = 2;
        while taken.contains(&id) {
            id = format!("{base}_{number}");
            number += 1;
        }
        taken.push(id.clone());
        holes[at].id = id;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::{
        record::Literals,
        trace::{literals, runs, whole},
    };

    fn holes(goal: &str, steps: &[Literals], is_weak_enough: bool) -> Vec<String> {
        let tokens = lex(goal);
        let found: Vec<Found> = literals(steps)
            .into_iter()
            .map(|literal| Found {
                spans: whole(&tokens, goal, &literal),
                runs: runs(&tokens, &literal.tokens),
                literal,
            })
            .collect();
        let chosen = choose(&tokens, goal, &found, &BTreeMap::new(), is_weak_enough);
        chosen.into_iter().map(|hole| hole.value.text).collect()
    }

    fn named(role: &str, name: &str) -> Literals {
        Literals {
            role: Some(role.to_owned()),
            name: Some(name.to_owned()),
            ..Literals::default()
        }
    }

    #[test]
    fn names_of_data_create_slots_and_buttons_do_not() {
        assert_eq!(
            holes("Delete project Alpha", &[named("link", "Alpha")], false),
            ["Alpha"]
        );
        assert_eq!(
            holes("Delete project Alpha", &[named("button", "Alpha")], false),
            [""; 0]
        );
        assert_eq!(
            holes("Delete project Alpha", &[named("button", "Alpha")], true),
            ["Alpha"]
        );
    }

    #[test]
    fn a_verb_is_no_slot() {
        for goal in [
            "Delete invoice 1042",
            "Open it and delete invoice 1042",
            "Open it, delete invoice 1042",
        ] {
            assert_eq!(
                holes(goal, &[named("link", "Delete")], false),
                [""; 0],
                "{goal}"
            );
            assert_eq!(
                holes(goal, &[named("link", "Delete invoice 1042")], false),
                [""; 0],
                "{goal}"
            );
        }
        assert_eq!(
            holes("プロジェクトを削除", &[named("link", "削除")], false),
            [""; 0]
        );
        let select = Literals {
            option: Some("Archive".to_owned()),
            ..Literals::default()
        };
        assert_eq!(
            holes("Archive order 5512", std::slice::from_ref(&select), false),
            [""; 0]
        );
        assert_eq!(holes("Move it to Archive", &[select], false), ["Archive"]);
    }

    #[test]
    fn strong_evidence_and_long_spans_come_first() {
        let typed = Literals {
            text: Some("Alpha".to_owned()),
            ..Literals::default()
        };
        assert_eq!(
            holes(
                "Delete the project Alpha",
                &[named("link", "Project Alpha"), typed],
                false
            ),
            ["Alpha"]
        );
        let steps = [named("link", "Account A"), named("row", "A")];
        assert_eq!(
            holes("Transfer $100 to account A", &steps, false),
            ["account A"]
        );
    }

    #[test]
    fn identifiers_keep_their_shape() {
        let shape = |text: &str| Shape::of(&lex(text));
        assert_eq!(shape("PROJ-123"), Shape::Id("A-9".to_owned()));
        assert!(shape("PROJ-123").fits(&lex("OPS-9")));
        assert!(!shape("PROJ-123").fits(&lex("123")) && !shape("1042").fits(&lex("1042-1050")));
        assert!(!shape("3 March 2025").fits(&lex("March 2025")));
        assert!(shape("Alpha").fits(&lex("Gamma Ray")));
    }
}
