//! The tracer: finds the places in the goal that the texts of the steps come from.
//!
//! A literal is one text of a step.

use std::collections::HashMap;

use super::{
    address::Address,
    fold::{compose, fold, keys},
    lex::{Kind, Token, lex},
    program::{Program, Value, find},
    record::{Field, Literals},
    scripts::Script,
    words::{is_date_label, is_function_word},
};

/// Maximum number of tokens of a value. Source: chosen; a user can quote a longer value, which is then one token.
pub(super) const MAX_VALUE_TOKENS: usize = 64;

/// Maximum length of a step's text. A longer text is not traced and counts as unexplained. Unit: bytes. Source: chosen; a
/// goal has at most 2,000 characters.
const MAX_TRACED: usize = 4_000;

/// Maximum number of places of one text in the goal. A text with more places is not traced, because nothing tells them
/// apart. Source: chosen.
const MAX_PLACES: usize = 32;

/// The class of a literal. It decides how strong the literal is as evidence for a hole (words of the goal that may
/// change).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Typed,
    Chosen,
    /// The name of an element that shows data: a link, a row, a check box.
    Data,
    /// The name of an element that belongs to the page itself: a button, a menu item, a navigation link.
    Furniture,
    Query,
    Segment,
    /// The parts of an address that a value never replaces.
    Fixed,
}

#[derive(Debug, Clone)]
pub(super) struct Literal {
    pub(super) step: usize,
    pub(super) field: Field,
    pub(super) class: Class,
    pub(super) value: String,
    pub(super) tokens: Vec<Token>,
    /// The label of the field that the text was put into, as folded words. The label of a path segment is the segment
    /// before it; the label of a query value is its key.
    pub(super) label: Vec<String>,
    /// The text of `label` in the spelling of the page or the address, not folded.
    pub(super) label_text: Option<String>,
    pub(super) role: String,
    /// True if the run picked the element from several of the same kind.
    pub(super) is_picked: bool,
}

/// A place in the goal whose words can be turned into a whole literal, and the programs that do this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) programs: Vec<Program>,
}

/// A sequence of tokens that a literal and the recorded goal share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Index of the sequence's first token in the literal.
    pub(super) at: usize,
    /// Index of the sequence's first token in the goal.
    pub(super) goal_at: usize,
    pub(super) length: usize,
}

/// Roles of elements whose names are data, and not part of the site's design.
const DATA_ROLES: [&str; 13] = [
    "link",
    "option",
    "radio",
    "row",
    "cell",
    "gridcell",
    "rowheader",
    "checkbox",
    "switch",
    "treeitem",
    "listitem",
    "article",
    "menuitemradio",
];
/// Landmarks whose content is the same on every page of a site.
const FRAMES: [&str; 3] = ["navigation", "banner", "contentinfo"];

pub(super) fn literals(steps: &[Literals]) -> Vec<Literal> {
    let mut literals = Vec::new();
    for (step, literal) in steps.iter().enumerate() {
        of_step(step, literal, &mut literals);
    }
    literals
}

fn of_step(step: usize, literals: &Literals, out: &mut Vec<Literal>) {
    let role = literals.role.clone().unwrap_or_default();
    let name = literals.name.clone().filter(|name| !name.trim().is_empty());
    let field_label = literals.label.clone().or_else(|| name.clone());
    let mut push = |field, class, value: String, label: Option<String>| {
        let value = compose(&value);
        out.push(Literal {
            step,
            field,
            class,
            tokens: if value.len() <= MAX_TRACED {
                lex(&value)
            } else {
                Vec::new()
            },
            value,
            label: label.as_deref().map_or_else(Vec::new, words_of),
            label_text: label,
            role: role.clone(),
            is_picked: literals.is_picked,
        });
    };
    if let Some(text) = &literals.text {
        push(Field::Text, Class::Typed, text.clone(), field_label.clone());
    }
    if let Some(option) = &literals.option {
        push(Field::Option, Class::Chosen, option.clone(), field_label);
    }
    if let Some(name) = name {
        let is_field = literals.text.is_some() || literals.option.is_some();
        let landmark = literals.landmark.as_deref().unwrap_or_default();
        let is_data =
            DATA_ROLES.contains(&role.as_str()) && !FRAMES.contains(&landmark) && !is_field;
        let class = if is_data {
            Class::Data
        } else {
            Class::Furniture
        };
        push(Field::Name, class, name, literals.label.clone());
    }
    if let Some(url) = &literals.url {
        let address = Address::parse(url);
        for at in 0..address.segments.len() {
            let before = at.checked_sub(1).and_then(|at| address.segment(at));
            if let Some(segment) = address.segment(at).filter(|segment| !segment.is_empty()) {
                push(Field::Path(at), Class::Segment, segment, before);
            }
        }
        for at in 0..address.pairs.len() {
            if let Some(value) = address.value(at).filter(|value| !value.is_empty()) {
                push(Field::Query(at), Class::Query, value, address.key(at));
            }
        }
        push(Field::Path(usize::MAX), Class::Fixed, address.fixed(), None);
    }
}

fn words_of(label: &str) -> Vec<String> {
    let is_border = |c: char| !c.is_alphanumeric() && !super::fold::is_letter(c);
    let folded = fold(label);
    folded
        .split(is_border)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Reports whether the tokens contain more than signs and function words. A single capital letter counts as a name. In
/// scripts without spaces, every character counts as content, even that of a function word.
pub(super) fn has_content(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match token.kind {
        Kind::Sign => false,
        Kind::Word => {
            let is_letter =
                token.text.chars().count() == 1 && token.text.chars().all(char::is_uppercase);
            is_letter || !is_function_word(&token.fold)
        }
        _ => true,
    })
}

/// Returns every place in the goal whose words can be turned into the whole literal; none if there are more than
/// [`MAX_PLACES`].
pub(super) fn whole(tokens: &[Token], goal: &str, literal: &Literal) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    // Equal values have equal programs. So these are computed once, however often the goal repeats the value.
    let mut known: HashMap<(Kind, String), Vec<Program>> = HashMap::new();
    let mut add = |start: usize, end: usize| {
        let is_known = spans
            .iter()
            .any(|span| (span.start, span.end) == (start, end));
        if is_known
            || spans.len() > MAX_PLACES
            || end - start > MAX_VALUE_TOKENS
            || !has_content(&tokens[start..end])
        {
            return;
        }
        let value = Value::of(&tokens[start..end], goal);
        let programs = known.entry((tokens[start].kind, value.text.clone())).or_insert_with(|| {
            let mut programs = find(&value, &literal.value, literal.field);
            if !asks_for_a_number(literal) {
                programs.retain(|program| !matches!(program, Program::Date { format, .. } if format.is_short_number()));
            }
            programs
        });
        if !programs.is_empty() {
            let programs = programs.clone();
            spans.push(Span {
                start,
                end,
                programs,
            });
        }
    };
    for at in 0..tokens.len() {
        let end = at + literal.tokens.len();
        if end <= tokens.len() && end > at && starts_with(&tokens[at..], &literal.tokens) {
            add(at, end);
        }
    }
    for (at, token) in tokens.iter().enumerate() {
        let is_typed = matches!(
            token.kind,
            Kind::Quoted | Kind::Number | Kind::Date | Kind::Time
        );
        if is_typed || token.rest.is_some() {
            add(at, at + 1);
        }
    }
    for (at, end) in spans_by_key(tokens, &literal.value) {
        add(at, end);
    }
    if spans.len() > MAX_PLACES {
        spans.clear();
    }
    spans
}

/// Reports whether the literal may be a day, a month or a year as a bare number of at most two digits: the label of its
/// field contains a word such as "day", or the literal is the name of a table cell.
fn asks_for_a_number(literal: &Literal) -> bool {
    literal.label.iter().any(|word| is_date_label(word))
        || (literal.field == Field::Name && ["cell", "gridcell"].contains(&literal.role.as_str()))
}

fn starts_with(tokens: &[Token], literal: &[Token]) -> bool {
    tokens.iter().zip(literal).all(|(a, b)| a.fold == b.fold)
}

/// Returns the ranges of the goal's tokens that have the same letters and digits as the literal, or differ from it only
/// in diacritics.
fn spans_by_key(tokens: &[Token], literal: &str) -> Vec<(usize, usize)> {
    // The literal may lack the diacritics that the goal has: `mueller` for `Müller`.
    let [wanted, _] = keys(literal);
    let (plain, german): (Vec<String>, Vec<String>) = tokens
        .iter()
        .map(|token| keys(&token.text))
        .map(|[plain, german]| (plain, german))
        .unzip();
    let mut spans = Vec::new();
    for keys in [plain, german] {
        for at in 0..tokens.len() {
            let mut joined = String::new();
            for (end, token) in tokens.iter().enumerate().skip(at).take(MAX_VALUE_TOKENS) {
                if token.kind == Kind::Sign {
                    break;
                }
                joined.push_str(&keys[end]);
                if !wanted.starts_with(&joined) || joined.is_empty() {
                    break;
                }
                if wanted == joined {
                    spans.push((at, end + 1));
                }
            }
        }
    }
    spans
}

/// Returns the longest token sequences that the literal shares with the goal, longest first; none if there are more
/// than [`MAX_PLACES`]. Sequences overlap in the literal only if they are the same part of it, found at several places
/// in the goal.
pub(super) fn runs(tokens: &[Token], literal: &[Token]) -> Vec<Run> {
    let mut all = Vec::new();
    for at in 0..literal.len() {
        for goal_at in 0..tokens.len() {
            let begins_earlier =
                at > 0 && goal_at > 0 && literal[at - 1].is_same(&tokens[goal_at - 1]);
            if begins_earlier {
                continue;
            }
            let pairs = literal[at..].iter().zip(&tokens[goal_at..]);
            let length = pairs.take_while(|(a, b)| a.is_same(b)).count();
            let run = Run {
                at,
                goal_at,
                length,
            };
            if (1..=MAX_VALUE_TOKENS).contains(&length) && stands(run, tokens, literal) {
                all.push(run);
            }
        }
    }
    all.sort_by_key(|run| (std::cmp::Reverse(run.length), run.at, run.goal_at));
    let mut chosen: Vec<Run> = Vec::new();
    for run in all {
        let overlaps =
            |other: &Run| run.at < other.at + other.length && other.at < run.at + run.length;
        let is_twin = |other: &Run| (other.at, other.length) == (run.at, run.length);
        if !chosen
            .iter()
            .any(|other| overlaps(other) && !is_twin(other))
        {
            chosen.push(run);
        }
        if chosen.len() > MAX_PLACES {
            return Vec::new();
        }
    }
    chosen
}

/// Reports whether a shared sequence of tokens of the literal and the goal may be taken to come from the goal. It must
/// contain more than function words, and must not cut a Katakana word. A single character of a script without spaces is
/// not enough.
fn stands(run: Run, tokens: &[Token], literal: &[Token]) -> bool {
    let shared = &literal[run.at..run.at + run.length];
    let is_one_character = run.length == 1 && shared[0].is_unspaced();
    let is_cut = |tokens: &[Token], at: usize| {
        at > 0 && at < tokens.len() && is_katakana(&tokens[at - 1]) && is_katakana(&tokens[at])
    };
    has_content(shared)
        && !is_one_character
        && !is_cut(literal, run.at)
        && !is_cut(literal, run.at + run.length)
        && !is_cut(tokens, run.goal_at)
        && !is_cut(tokens, run.goal_at + run.length)
}

pub(super) fn is_katakana(token: &Token) -> bool {
    token
        .text
        .chars()
        .all(|c| Script::of(c) == Script::Katakana)
}

/// Reports whether a literal contains the value, as a sequence of tokens or of letters.
pub(super) fn mentions(literal: &Literal, value: &Value) -> bool {
    /// Minimum number of letters and digits of a value that is searched for inside words. Shorter values occur in other
    /// words by chance. Source: chosen.
    const SHORTEST_KEY: usize = 4;
    let count = value.tokens.len();
    let has_tokens = count > 0
        && literal.tokens.windows(count).any(|window| {
            window
                .iter()
                .zip(&value.tokens)
                .all(|(a, b)| a.fold == b.fold)
        });
    let [key, _] = keys(&value.text);
    has_tokens
        || (key.chars().count() >= SHORTEST_KEY
            && keys(&literal.value).iter().any(|text| text.contains(&key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(field: Field, class: Class, value: &str) -> Literal {
        Literal {
            step: 0,
            field,
            class,
            value: value.to_owned(),
            tokens: lex(value),
            label: Vec::new(),
            label_text: None,
            role: String::new(),
            is_picked: false,
        }
    }

    fn places(goal: &str, field: Field, value: &str) -> Vec<(usize, usize)> {
        let spans = whole(&lex(goal), goal, &literal(field, Class::Typed, value));
        spans.iter().map(|span| (span.start, span.end)).collect()
    }

    #[test]
    fn literals_are_found_in_the_goal() {
        assert_eq!(
            places("Search for padel rackets now", Field::Text, "padel rackets"),
            [(2, 4)]
        );
        assert_eq!(
            places("about padel rackets", Field::Path(2), "padel-rackets"),
            [(1, 3)]
        );
        assert_eq!(
            places("Book 2 rooms for 2 nights", Field::Text, "2"),
            [(1, 2), (4, 5)]
        );
        assert_eq!(
            places("Send it to Müller", Field::Text, "mueller"),
            [(3, 4)]
        );
        assert_eq!(
            places("report for March 2025", Field::Option, "March"),
            [(2, 3)]
        );
        assert_eq!(
            places("titled \"Login fails\" in", Field::Text, "Login fails"),
            [(1, 2)]
        );
        assert_eq!(
            places("検索してテニスボール", Field::Text, "テニスボール").len(),
            1
        );
        assert!(places("the oldest project", Field::Text, "the").is_empty());
    }

    #[test]
    fn a_bare_day_needs_a_field_that_asks_for_one() {
        let goal = "Book on 12 March 2025";
        let mut day = literal(Field::Text, Class::Typed, "12");
        assert!(whole(&lex(goal), goal, &day).is_empty());
        day.label = vec!["day".to_owned()];
        assert_eq!(whole(&lex(goal), goal, &day).len(), 1);
    }

    #[test]
    fn runs_are_maximal_and_do_not_cut_katakana() {
        let run = |goal: &str, text: &str| -> Vec<usize> {
            runs(&lex(goal), &lex(text))
                .iter()
                .map(|run| run.length)
                .collect()
        };
        assert_eq!(run("Mark order 5512 as shipped", "View order 5512"), [2]);
        assert_eq!(run("テニスボールを検索", "ボール"), [0_usize; 0]);
        assert_eq!(run("Show 2 star hotels", "2 stars"), [1]);
    }

    #[test]
    fn a_text_with_too_many_places_is_not_traced() {
        assert_eq!(
            places(&"xy ".repeat(MAX_PLACES), Field::Text, "xy").len(),
            MAX_PLACES
        );
        assert!(places(&"xy ".repeat(MAX_PLACES + 1), Field::Text, "xy").is_empty());
        let many = lex(&"xy cd ".repeat(MAX_PLACES + 1));
        assert!(runs(&many, &lex("xy zz")).is_empty());
        let long = "xy ".repeat(MAX_VALUE_TOKENS + 1);
        assert!(places(&long, Field::Text, &long).is_empty());
    }

    #[test]
    fn steps_give_their_texts_by_class() {
        let mut step = Literals {
            action: "click".to_owned(),
            role: Some("link".to_owned()),
            name: Some("Orders".to_owned()),
            ..Literals::default()
        };
        assert_eq!(literals(&[step.clone()])[0].class, Class::Data);
        step.landmark = Some("navigation".to_owned());
        assert_eq!(literals(&[step])[0].class, Class::Furniture);
        let goto = Literals {
            url: Some("https://a.example/orders/5512?q=x".to_owned()),
            ..Literals::default()
        };
        let found = literals(&[goto]);
        let shown: Vec<&str> = found.iter().map(|literal| literal.value.as_str()).collect();
        assert_eq!(shown, ["orders", "5512", "x", "https://a.example "]);
        assert_eq!(found[1].label, ["orders"]);
    }

    #[test]
    fn a_value_inside_another_text_is_mentioned() {
        let goal = "Delete project Alpha";
        let value = Value::of(&lex(goal)[2..], goal);
        assert!(mentions(
            &literal(Field::Path(1), Class::Segment, "alpha-2024"),
            &value
        ));
        assert!(!mentions(
            &literal(Field::Path(1), Class::Segment, "projects"),
            &value
        ));
    }
}
