//! Dates in texts.

use std::{ops::Range, str::FromStr as _};

use chrono::{Month, NaiveDate};

/// A date that a text writes with day, month and year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    /// Its place in the text.
    pub(crate) span: Range<usize>,
    /// The date, with the day first where that is not clear.
    pub(crate) date: NaiveDate,
    /// The date with the month first, if it is not clear whether the day or the month comes first, as in `3/4/2027`.
    pub(crate) or: Option<NaiveDate>,
}

impl Dated {
    pub(crate) fn may_be(&self, date: NaiveDate) -> bool {
        self.date == date || self.or == Some(date)
    }
}

/// Returns the dates of a text, such as `2 July 2026`, `Jul 2nd, 2026`, `2026-07-02`, `02.07.2026` and `7/2/26`.
pub(crate) fn dates(text: &str) -> Vec<Dated> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        match parts.last_mut().filter(|part| part.end == at) {
            Some(part) => part.end = at + c.len_utf8(),
            None => parts.push(at..at + c.len_utf8()),
        }
    }
    let mut found: Vec<Dated> = Vec::new();
    for three in parts.windows(3) {
        let [a, b, c] = three else { continue };
        if found.last().is_some_and(|last| last.span.end > a.start) {
            continue;
        }
        let between = [&text[a.end..b.start], &text[b.end..c.start]];
        let around = (&text[..a.start], &text[c.end..]);
        let span = a.start..c.end;
        let words = [a, b, c].map(|part| &text[part.clone()]);
        if let Some((date, or)) = read(words, between, around) {
            found.push(Dated { span, date, or });
        }
    }
    found
}

/// Returns true if the dates of a text, as numbers, have the month first; `None` if they do not tell.
pub(crate) fn month_first(text: &str) -> Option<bool> {
    let clear = dates(text).into_iter().filter(|dated| dated.or.is_none());
    let mut orders = clear.filter_map(|dated| {
        let (first, rest) = text[dated.span].split_once(['/', '-'])?;
        let second = rest.split(['/', '-']).next()?;
        let (first, second) = (number(first)?, number(second)?);
        (first <= 31 && (first > 12) != (second > 12)).then_some(second > 12)
    });
    let order = orders.next()?;
    orders.all(|other| other == order).then_some(order)
}

/// Returns the date of three words, and the other date that they may be.
fn read(
    [a, b, c]: [&str; 3],
    between: [&str; 2],
    (before, after): (&str, &str),
) -> Option<(NaiveDate, Option<NaiveDate>)> {
    let of = |year: u32, month: u32, day: u32| {
        let year = if year < 100 { 2000 + year } else { year };
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
    };
    let is_beside = |gap: &&str| gap.len() <= 2 && gap.chars().all(|c| " .,-/".contains(c));
    if let (Some(month), true) = (month(b), between.iter().all(is_beside)) {
        return Some((of(number(c)?, month, number(a)?)?, None));
    }
    if let (Some(month), true) = (month(a), between.iter().all(is_beside)) {
        return Some((of(number(c)?, month, number(b)?)?, None));
    }
    // Numbers alone are a date only as one piece: no version, no address of a machine, no cells of a table.
    let mark = between[0];
    let goes_on = after
        .strip_prefix(mark)
        .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    let is_piece = ["-", "/", "."].contains(&mark)
        && between[1] == mark
        && !goes_on
        && !before.ends_with(mark);
    if !is_piece {
        return None;
    }
    if a.len() == 4 {
        return Some((of(number(a)?, number(b)?, number(c)?)?, None));
    }
    let is_whole = c.len() == 4 || c.len() == 2 && (mark == "/" || a.len() == 2 && b.len() == 2);
    let (first, second, year) = (number(a)?, number(b)?, number(c)?);
    if !is_whole {
        return None;
    }
    let (day_first, month_first) = (of(year, second, first), of(year, first, second));
    match (day_first, month_first) {
        (Some(date), _) if mark == "." => Some((date, None)),
        (Some(date), or) => Some((date, or.filter(|or| *or != date))),
        (None, Some(date)) if mark != "." => Some((date, None)),
        _ => None,
    }
}

/// Returns the number of a month that is written as an English word.
fn month(word: &str) -> Option<u32> {
    let word = if word.eq_ignore_ascii_case("sept") {
        "sep"
    } else {
        word
    };
    Some(Month::from_str(word).ok()?.number_from_month())
}

fn number(word: &str) -> Option<u32> {
    // A time may follow.
    let word = word.split_once('T').map_or(word, |(day, _)| day);
    let digits = ["st", "nd", "rd", "th"]
        .into_iter()
        .find_map(|ending| word.strip_suffix(ending))
        .unwrap_or(word);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_found_in_each_form_and_only_if_it_is_whole() {
        let day = NaiveDate::from_ymd_opt(2026, 7, 2).unwrap();
        for text in [
            "2 July 2026",
            "Jul 2nd, 2026",
            "July 2, 2026",
            "Feb. 1: moved to 2026-07-02T09:30",
            "2026-07-02 09:30",
            "02.07.2026",
            "02.07.26.",
            "on 2-Jul-2026 · Interview",
        ] {
            let found = dates(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((found[0].date, found[0].or), (day, None), "{text}");
        }
        for text in ["7/2/26", "2/7/2026"] {
            let found = dates(text);
            assert!(found[0].may_be(day) && found[0].or.is_some(), "{text}");
        }
        assert_eq!(dates("03/25/2027")[0].or, None);
        assert_eq!(month_first("03/04/2027 and 03/25/2027"), Some(true));
        assert_eq!(month_first("25/3/2027"), Some(false));
        assert_eq!(month_first("3/4/2027, 2027-03-25, 2 July 2027"), None);
        for text in [
            "",
            "2 July",
            "July 2026",
            "2.7 of 20260702",
            "31 June 2026",
            "a 2 7 9999999999",
            "2 | 7 | 26",
            "Version 1.2.26",
            "10.5.26.1",
            "2 7 2026",
        ] {
            assert_eq!(dates(text), [], "{text}");
        }
        let text = "Ö on 2 July 2026 10:05";
        let found = dates(text).remove(0);
        assert_eq!((&text[found.span], found.date), ("2 July 2026", day));
    }
}
