//! Programs: the transformations that turn a value of the goal into the text of a step.
//!
//! As a rule, a recorded text is explained by every program that gives it, and a new value is used only if all these
//! programs turn it into the same text. There are exceptions:
//!
//! - If a step writes a text or a number exactly as the goal does, only the program that keeps this spelling counts. In
//!   the path of an address, this holds for numbers only.
//! - Of the programs for a month name, only those in a language of the goal's month name count, if there are any.
//! - A program for a date does not count if it does not apply to the new value.

use serde::Serialize;

use super::{
    date_format::{DateFormat, FORMATS, Parts, TIME_FORMATS, TimeFormat},
    dates::{Order, Time},
    fold::{fold, foreign_zero, german, strip_diacritics},
    lex::{Kind, Token},
    months::{self, Language},
    numbers::{self, CONVENTIONS, Convention, OUTPUTS, Output},
    record::Field,
};
use crate::base::text::squeeze;

/// A rule that turns a value from the goal into a text of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Program {
    /// The value unchanged.
    Verbatim,
    /// The value as text with another case, other diacritics or other separators between words.
    Text {
        /// The case of the letters.
        case: Case,
        /// The way in which diacritics are written.
        marks: Marks,
        /// The separator between the words of the value.
        border: Border,
    },
    /// The value as a number.
    Number {
        /// The meaning of the separators in the goal's number.
        convention: Convention,
        /// The form in which the number is written.
        output: Output,
        /// The digit zero of the digit system in which the number is written; `None` for ASCII digits.
        #[serde(skip_serializing_if = "Option::is_none")]
        zero: Option<char>,
    },
    /// The value as a date, or as a part of a date.
    Date {
        /// The format in which the date is written.
        format: DateFormat,
        /// The language of the month name; `None` if the month is a number.
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<Language>,
        /// The order in which the goal gives day and month; `None` if the format of the date in the goal allows only
        /// one order.
        #[serde(skip_serializing_if = "Option::is_none")]
        order: Option<Order>,
    },
    /// The value as a time of day.
    Time(TimeFormat),
}

/// A rule for the case of the letters in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    /// All letters in lower case.
    Lower,
    /// The case that the letters have in the goal.
    Kept,
    /// The first letter in upper case.
    First,
    /// The first letter of each word in upper case.
    Each,
    /// All letters in upper case.
    Upper,
}

/// A rule for the diacritics in a value, such as the dots of `ä`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Marks {
    /// The diacritics that the goal has.
    Kept,
    /// Without diacritics.
    Stripped,
    /// German umlauts as two letters, such as `ae` for `ä`.
    German,
}

/// The separator between the words of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Border {
    /// A space.
    Space,
    /// A dash.
    Dash,
    /// An underscore.
    Underscore,
    /// No separator: the words are joined.
    Joined,
}

const CASES: [Case; 5] = [
    Case::Lower,
    Case::Kept,
    Case::First,
    Case::Each,
    Case::Upper,
];
const MARKS: [Marks; 3] = [Marks::Kept, Marks::Stripped, Marks::German];
const BORDERS: [Border; 4] = [
    Border::Space,
    Border::Dash,
    Border::Underscore,
    Border::Joined,
];

/// A value of a goal: the text in a slot, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// The text as it is typed. A quoted text is without its quotes. White space is collapsed only if the value has
    /// several tokens.
    pub(super) text: String,
    pub(super) fold: String,
    pub(super) tokens: Vec<Token>,
}

impl Value {
    pub(super) fn of(tokens: &[Token], goal: &str) -> Self {
        let text = match tokens {
            [token] => token.text.clone(),
            [first, .., last] => squeeze(&goal[first.start..last.end]),
            [] => String::new(),
        };
        let folds: Vec<&str> = tokens.iter().map(|token| token.fold.as_str()).collect();
        Self {
            text,
            fold: folds.join(" "),
            tokens: tokens.to_vec(),
        }
    }

    /// Returns the token of the value, if the value has exactly one token and this token is of the given kind.
    pub(super) fn single(&self, kind: Kind) -> Option<&Token> {
        match self.tokens.as_slice() {
            [token] if token.kind == kind => Some(token),
            _ => None,
        }
    }

    fn is_typed(&self) -> bool {
        [Kind::Number, Kind::Date, Kind::Time]
            .iter()
            .any(|kind| self.single(*kind).is_some())
    }
}

/// Reports whether two texts count as equal. `field` is the part of a step that both belong to. Case matters only in
/// typed text.
pub(super) fn is_equal(field: Field, a: &str, b: &str) -> bool {
    a == b || (field != Field::Text && fold(a) == fold(b))
}

/// Reports whether this part of a step is a text that the page shows. Such texts are compared without regard to case,
/// because the page chooses the case.
const fn is_shown(field: Field) -> bool {
    matches!(field, Field::Name | Field::Option)
}

/// Returns the programs that turn the value into the recorded text `literal`. If this text is an exact copy of a
/// number, or of free text outside a path, only the program that copies it is returned.
pub(super) fn find(value: &Value, literal: &str, field: Field) -> Vec<Program> {
    if value.single(Kind::Number).is_some() {
        return number_programs(value, literal);
    }
    let literal = if is_shown(field) {
        squeeze(literal)
    } else {
        literal.to_owned()
    };
    let is_same =
        value.text == literal || (is_shown(field) && is_equal(field, &value.text, &literal));
    let mut programs = Vec::new();
    if value.is_typed() {
        programs.extend(is_same.then_some(Program::Verbatim));
    } else if is_same && !matches!(field, Field::Path(_)) {
        programs.push(Program::Verbatim);
    } else {
        // A path rarely contains a space, so even a word that occurs in it unchanged may have been transformed into a slug.
        programs.extend(text_programs(value, &literal, field));
    }
    programs.extend(date_programs(value, &literal));
    let times = TIME_FORMATS.map(Program::Time);
    programs.extend(
        times
            .into_iter()
            .filter(|program| apply(*program, value) == [literal.as_str()]),
    );
    programs
}

/// Returns every [`Program::Number`] that turns the value into the recorded text. If one of them writes the number
/// exactly as the goal does, returns only that one.
fn number_programs(value: &Value, literal: &str) -> Vec<Program> {
    let zero = foreign_zero(literal);
    let in_output = |output: Output| {
        let programs = CONVENTIONS.map(|convention| Program::Number {
            convention,
            output,
            zero,
        });
        programs
            .into_iter()
            .filter(|program| apply(*program, value) == [literal])
    };
    let mut as_is = in_output(Output::AsIs);
    match as_is.next() {
        Some(program) => vec![program],
        None => OUTPUTS.into_iter().flat_map(in_output).collect(),
    }
}

/// Returns the text programs that give the recorded text exactly. If there are none, and the text was not typed,
/// returns the programs whose result differs from it only in upper and lower case.
fn text_programs(value: &Value, literal: &str, field: Field) -> Vec<Program> {
    let all = MARKS.iter().flat_map(|marks| {
        BORDERS.iter().flat_map(move |border| {
            CASES.iter().map(move |case| Program::Text {
                case: *case,
                marks: *marks,
                border: *border,
            })
        })
    });
    let outputs: Vec<(Program, String)> = all
        .filter_map(|program| Some((program, apply(program, value).pop()?)))
        .collect();
    let matching = |is_match: &dyn Fn(&str) -> bool| -> Vec<Program> {
        let fitting = outputs.iter().filter(|(_, output)| is_match(output));
        fitting.map(|(program, _)| *program).collect()
    };
    let exact = matching(&|output| output == literal);
    if exact.is_empty() && field != Field::Text {
        return matching(&|output| is_equal(field, output, literal));
    }
    exact
}

fn date_programs(value: &Value, literal: &str) -> Vec<Program> {
    /// Maximum length of a written date. Unit: characters. Source: the longest month names.
    const LONGEST: usize = 40;
    let [token] = value.tokens.as_slice() else {
        return Vec::new();
    };
    if token.dates.is_empty() || literal.chars().count() > LONGEST {
        return Vec::new();
    }
    let literal = fold(literal);
    let mut programs = Vec::new();
    for reading in &token.dates {
        for format in FORMATS {
            let in_language = |language: Option<Language>| {
                let text = format.write(reading.date, language);
                text.is_some_and(|text| fold(&text) == literal)
                    .then_some(Program::Date {
                        format,
                        language,
                        order: reading.order,
                    })
            };
            if !format.has_name() {
                programs.extend(in_language(None));
                continue;
            }
            let known: Vec<Program> = months::languages()
                .filter_map(|language| in_language(Some(language)))
                .collect();
            // If a program for a language of the goal's month name fits, programs for other languages are dropped.
            let is_of_goal = |program: &&Program| matches!(program, Program::Date { language: Some(language), .. } if token.languages.contains(language));
            let of_goal: Vec<Program> = known.iter().filter(is_of_goal).copied().collect();
            programs.extend(if of_goal.is_empty() { known } else { of_goal });
        }
    }
    programs
}

/// Returns the results of a program, one for each reading of the value, such as the two readings of a numeric date; empty if
/// the program does not apply.
pub(super) fn apply(program: Program, value: &Value) -> Vec<String> {
    match program {
        Program::Verbatim => vec![value.text.clone()],
        Program::Text {
            case,
            marks,
            border,
        } => vec![text(&value.text, case, marks, border)],
        Program::Number {
            convention,
            output,
            zero,
        } => {
            let token = value.single(Kind::Number);
            let written = token.and_then(|token| numbers::write(&token.text, convention, output));
            written
                .map(|text| in_digits(&text, zero))
                .into_iter()
                .collect()
        }
        Program::Date {
            format,
            language,
            order,
        } => dates(value, format, language, order),
        Program::Time(format) => value
            .single(Kind::Time)
            .and_then(|token| Time::read(&token.text))
            .and_then(|time| format.write(time))
            .into_iter()
            .collect(),
    }
}

fn dates(
    value: &Value,
    format: DateFormat,
    language: Option<Language>,
    order: Option<Order>,
) -> Vec<String> {
    let [token] = value.tokens.as_slice() else {
        return Vec::new();
    };
    // The new goal shows its language too, so a program for another language does not apply.
    if language
        .is_some_and(|language| !token.languages.is_empty() && !token.languages.contains(&language))
    {
        return Vec::new();
    }
    let fits = |reading: &&super::dates::Reading| match (order, reading.order) {
        (Some(order), Some(other)) => order == other,
        _ => true,
    };
    token
        .dates
        .iter()
        .filter(fits)
        .filter_map(|reading| format.write(reading.date, language))
        .collect()
}

fn in_digits(text: &str, zero: Option<char>) -> String {
    let Some(zero) = zero else {
        return text.to_owned();
    };
    let digit = |c: char| {
        c.to_digit(10)
            .and_then(|value| char::from_u32(u32::from(zero) + value))
    };
    text.chars().map(|c| digit(c).unwrap_or(c)).collect()
}

fn text(text: &str, case: Case, marks: Marks, border: Border) -> String {
    let text = match marks {
        Marks::Kept => text.to_owned(),
        Marks::Stripped => strip_diacritics(text),
        Marks::German => german(text),
    };
    let text = match case {
        Case::Kept => text,
        Case::Lower => text.to_lowercase(),
        Case::Upper => text.to_uppercase(),
        Case::First => capital(&text),
        Case::Each => text.split(' ').map(capital).collect::<Vec<_>>().join(" "),
    };
    match border {
        Border::Space => text,
        Border::Dash => text.replace(' ', "-"),
        Border::Underscore => text.replace(' ', "_"),
        Border::Joined => text.replace(' ', ""),
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// Returns the parts of a date (year, month, day) that a program writes. For a program other than [`Program::Date`],
/// returns all parts.
pub(super) fn used_parts(program: Program) -> Parts {
    match program {
        Program::Date { format, .. } => format.parts(),
        _ => Parts::ALL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::{fold::compose, lex::lex};

    fn value(text: &str) -> Value {
        let text = compose(text);
        Value::of(&lex(&text), &text)
    }

    /// Finds the programs that turn `old` into `literal`, applies each of them to `new`, and returns the results, sorted
    /// and without duplicates.
    fn results(old: &str, literal: &str, field: Field, new: &str) -> Vec<String> {
        let (old, new) = (value(old), value(new));
        let mut results: Vec<String> = find(&old, literal, field)
            .into_iter()
            .flat_map(|program| apply(program, &new))
            .collect();
        results.sort();
        results.dedup();
        results
    }

    #[test]
    fn typed_text_is_taken_as_it_stands() {
        assert_eq!(
            results(
                "padel rackets",
                "padel rackets",
                Field::Text,
                "Tennis Balls"
            ),
            ["Tennis Balls"]
        );
        assert_eq!(
            results("\"See  you\"", "See  you", Field::Text, "\"a, b\""),
            ["a, b"]
        );
        assert_eq!(
            results(
                "padel rackets",
                "Padel Rackets",
                Field::Text,
                "tennis balls"
            ),
            ["Tennis Balls"]
        );
        assert!(find(&value("padel rackets"), "padel racket", Field::Text).is_empty());
    }

    #[test]
    fn a_page_writes_names_in_its_own_case() {
        assert_eq!(
            results(
                "email notifications",
                "Email notifications",
                Field::Name,
                "SMS notifications"
            ),
            ["SMS notifications"]
        );
    }

    #[test]
    fn a_slug_of_one_word_leaves_its_border_open() {
        assert_eq!(
            results(
                "padel rackets",
                "padel-rackets",
                Field::Path(0),
                "tennis balls"
            ),
            ["tennis-balls"]
        );
        assert_eq!(
            results("Lisbon", "lisbon", Field::Path(0), "Porto"),
            ["porto"]
        );
        assert_eq!(
            results("Lisbon", "lisbon", Field::Path(0), "New York").len(),
            4
        );
        assert_eq!(
            results("PROJ-123", "PROJ-123", Field::Path(1), "PROJ-457"),
            ["PROJ-457"]
        );
        assert_eq!(
            results("roter Schuh", "roter-schuh", Field::Path(0), "blaue Hüte"),
            ["blaue-huete", "blaue-hute", "blaue-hüte"]
        );
    }

    #[test]
    fn numbers_keep_their_form() {
        assert_eq!(results("800", "800", Field::Text, "1200"), ["1200"]);
        assert_eq!(
            results("1,250.00", "1250.00", Field::Text, "12,400.00"),
            ["12400.00"]
        );
        assert_eq!(results("1,250.00", "1250.00", Field::Text, "900").len(), 2);
        assert_eq!(results("1042", "1042", Field::Path(1), "١٠٤٣"), ["1043"]);
        assert_eq!(results("100", "١٠٠", Field::Text, "250"), ["٢٥٠"]);
        assert!(results("1,250.00", "1250.00", Field::Text, "1.250,00").is_empty());
    }

    #[test]
    fn an_ambiguous_date_stays_ambiguous() {
        let day = "3 March 2025";
        assert_eq!(
            results(day, "2025-03-03", Field::Text, "4 May 2025"),
            ["2025-05-04"]
        );
        assert_eq!(
            results(day, "03/03/2025", Field::Text, "4 May 2025"),
            ["04/05/2025", "05/04/2025"]
        );
        assert_eq!(
            results(day, "03/03/2025", Field::Text, "5 May 2025"),
            ["05/05/2025"]
        );
        assert_eq!(
            results(day, "2025-03-03", Field::Text, "04/05/2025"),
            ["2025-04-05", "2025-05-04"]
        );
        assert_eq!(
            results("14/03/2025", "2025-03-14", Field::Text, "04/05/2025"),
            ["2025-05-04"]
        );
    }

    #[test]
    fn a_month_keeps_its_language() {
        assert_eq!(
            results("April 2025", "April", Field::Option, "July 2025"),
            ["July"]
        );
        assert_eq!(
            results("April 2025", "April", Field::Option, "Juli 2025"),
            ["Juli", "juli"]
        );
        assert_eq!(
            results("Märzbericht", "März", Field::Option, "Aprilbericht"),
            ["April"]
        );
        assert_eq!(
            results("2025-03", "March", Field::Option, "2025-07"),
            ["July"]
        );
    }

    #[test]
    fn times_keep_their_form() {
        assert_eq!(
            results("7 pm", "19:00", Field::Option, "8:30 PM"),
            ["20:30"]
        );
        assert_eq!(
            results("19:00", "7:00 PM", Field::Option, "8:30"),
            ["8:30 AM"]
        );
        assert_eq!(results("19:00", "19:00", Field::Option, "20:30"), ["20:30"]);
        assert_eq!(
            results("19:00", "19:00", Field::Option, "9:30"),
            ["09:30", "9:30"]
        );
    }
}
