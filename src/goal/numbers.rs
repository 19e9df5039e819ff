//! Numbers as people write them: with a comma, a point or an apostrophe between thousands, and with the digits of many
//! scripts.

use serde::{Deserialize, Serialize};

use super::fold::ascii_digits;

/// The meaning of the separators in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// Digits without separators: `1250`.
    Plain,
    /// Comma between thousands, point before decimals: `1,250.50`.
    Point,
    /// Point between thousands, comma before decimals: `1.250,50`.
    Comma,
}

/// The form in which a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// The number as it is written in the goal.
    AsIs,
    /// The number without separators between thousands, with a point before decimals: `1250.50`.
    Bare,
    /// The number without decimals: `1250`. Only for numbers without a fraction.
    Integer,
    /// The number with two decimals after a point: `1250.00`.
    Cents,
    /// The number with two decimals after a comma: `1250,00`.
    CommaCents,
    /// The number with commas between thousands and a point before decimals: `1,250` or `1,250.50`.
    Grouped,
    /// The number with commas between thousands and two decimals after a point: `1,250.00`.
    GroupedCents,
    /// The number with points between thousands and a comma before decimals: `1.250` or `1.250,50`.
    CommaGrouped,
    /// The number with points between thousands and two decimals after a comma: `1.250,00`.
    CommaGroupedCents,
}

/// All conventions for the separators in a number, in the order in which they are tried.
pub(super) const CONVENTIONS: [Convention; 3] =
    [Convention::Plain, Convention::Point, Convention::Comma];
pub(super) const OUTPUTS: [Output; 9] = [
    Output::AsIs,
    Output::Bare,
    Output::Integer,
    Output::Cents,
    Output::CommaCents,
    Output::Grouped,
    Output::GroupedCents,
    Output::CommaGrouped,
    Output::CommaGroupedCents,
];

/// Reports whether a text is a number: digits of the scripts that `fold::digit` knows, with single separators between
/// them.
pub(super) fn is_number(text: &str) -> bool {
    let text = separators(&ascii_digits(text));
    let is_digit_or_separator = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'');
    text.chars().all(is_digit_or_separator)
        && text
            .split(|c: char| !c.is_ascii_digit())
            .all(|part| !part.is_empty())
}

/// Replaces Arabic separators and the typographic apostrophe by their ASCII counterparts.
fn separators(text: &str) -> String {
    text.replace('٫', ".").replace('٬', ",").replace('’', "'")
}

pub(super) fn has_no_new_separator(old: &str, new: &str) -> bool {
    let (old, new) = (separators(old), separators(new));
    ['.', ',', '\'']
        .iter()
        .all(|c| !new.contains(*c) || old.contains(*c))
}

/// Reports whether the number begins with a zero that does not change its value, as in `007`.
pub(super) fn has_leading_zero(text: &str) -> bool {
    let text = ascii_digits(text);
    text.len() > 1 && text.starts_with('0') && text.as_bytes()[1].is_ascii_digit()
}

/// Returns the value of a whole number without separators.
pub(super) fn plain_value(text: &str) -> Option<u64> {
    ascii_digits(text).parse().ok()
}

/// Reads a number whose separators have the meaning of `convention`. Returns the digits of its whole part and of its
/// fraction; `None` if the text is no number by this convention.
pub(super) fn read(text: &str, convention: Convention) -> Option<(String, String)> {
    let text = separators(&ascii_digits(text));
    let (group, point) = match convention {
        Convention::Plain => {
            let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            return is_plain.then(|| (text, String::new()));
        }
        Convention::Point => (',', '.'),
        Convention::Comma => ('.', ','),
    };
    let (whole, fraction) = text.split_once(point).unwrap_or((&text, ""));
    let has_fraction = text.contains(point);
    if (has_fraction && fraction.is_empty()) || !fraction.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let groups: Vec<&str> = whole.split([group, '\'']).collect();
    let is_grouped = groups.len() == 1
        || (matches!(groups[0].len(), 1..=3) && groups[1..].iter().all(|part| part.len() == 3));
    let are_digits = groups
        .iter()
        .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    (is_grouped && are_digits).then(|| (groups.concat(), fraction.to_owned()))
}

/// Reads the number `text` by `convention` and writes it in the form `output`. Returns `None` if the text is no number by
/// this convention, or if the form cannot express the number.
pub(super) fn write(text: &str, convention: Convention, output: Output) -> Option<String> {
    let (whole, fraction) = read(text, convention)?;
    let cents = || match fraction.trim_end_matches('0').len() {
        0..=2 => Some(format!("{fraction:0<2}")[..2].to_owned()),
        _ => None,
    };
    let decimals = |point: char| {
        if fraction.is_empty() {
            return String::new();
        }
        format!("{point}{fraction}")
    };
    Some(match output {
        Output::AsIs => ascii_digits(text),
        Output::Bare => format!("{whole}{}", decimals('.')),
        Output::Integer if fraction.chars().all(|c| c == '0') => whole,
        Output::Integer => return None,
        Output::Cents => format!("{whole}.{}", cents()?),
        Output::CommaCents => format!("{whole},{}", cents()?),
        Output::Grouped => format!("{}{}", grouped(&whole, ','), decimals('.')),
        Output::GroupedCents => format!("{}.{}", grouped(&whole, ','), cents()?),
        Output::CommaGrouped => format!("{}{}", grouped(&whole, '.'), decimals(',')),
        Output::CommaGroupedCents => format!("{},{}", grouped(&whole, '.'), cents()?),
    })
}

fn grouped(whole: &str, separator: char) -> String {
    let mut out = String::new();
    for (at, c) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_read_in_their_convention_alone() {
        let read = |text, convention| {
            read(text, convention).map(|(whole, fraction)| format!("{whole}|{fraction}"))
        };
        assert_eq!(
            read("1,250.00", Convention::Point).as_deref(),
            Some("1250|00")
        );
        assert_eq!(read("1.250,00", Convention::Point), None);
        assert_eq!(
            read("1.250,00", Convention::Comma).as_deref(),
            Some("1250|00")
        );
        assert_eq!(read("1,00", Convention::Point), None);
        assert_eq!(read("1,00", Convention::Plain), None);
        assert_eq!(read("980.50", Convention::Point).as_deref(), Some("980|50"));
        assert_eq!(read("١٠٤٣", Convention::Plain).as_deref(), Some("1043|"));
    }

    #[test]
    fn a_number_is_written_in_every_form() {
        let write = |output| write("1,250.50", Convention::Point, output);
        assert_eq!(write(Output::Bare).as_deref(), Some("1250.50"));
        assert_eq!(write(Output::Integer), None);
        assert_eq!(
            write(Output::CommaGroupedCents).as_deref(),
            Some("1.250,50")
        );
        assert_eq!(
            super::write("1234567", Convention::Plain, Output::GroupedCents).as_deref(),
            Some("1,234,567.00")
        );
    }

    #[test]
    fn shapes_of_numbers_are_told_apart() {
        assert!(is_number("1,250.00") && is_number("7") && is_number("٣"));
        assert!(!is_number("1042-1050") && !is_number("1,") && !is_number("5k"));
        assert!(has_leading_zero("007") && !has_leading_zero("0") && !has_leading_zero("0.5"));
        assert!(has_no_new_separator("1,250.00", "980.50") && !has_no_new_separator("100", "1,00"));
    }
}
