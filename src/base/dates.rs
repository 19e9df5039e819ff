//! Dates in texts.

use std::{ops::Range, str::FromStr as _};

use chrono::{Month, NaiveDate};

/// Returns the dates that a text writes with day, month and year, such as `2 July 2026`, `Jul 2nd, 2026`, `2026-07-02`, `02.07.2026`
/// and `7/2/26`, each with its place in the text. Where day and month can be told apart in two ways, returns both dates.
pub(crate) fn dates(text: &str) -> Vec<(Range<usize>, NaiveDate)> {
    let mut parts: Vec<(Range<usize>, &str)> = Vec::new();
    let mut at = 0;
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        if !part.is_empty() {
            parts.push((at..at + part.len(), part));
        }
        // Each separator is one character.
        at += part.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    let mut found = Vec::new();
    for three in parts.windows(3) {
        let [(first, a), (_, b), (last, c)] = three else {
            continue;
        };
        let span = first.start..last.end;
        let orders = match (month(a), month(b)) {
            (Some(m), None) => [(number(c), Some(m), number(b)), (None, None, None)],
            (None, Some(m)) => [(number(c), Some(m), number(a)), (None, None, None)],
            _ if a.len() == 4 => [(number(a), number(b), number(c)), (None, None, None)],
            _ => [
                (number(c), number(b), number(a)),
                (number(c), number(a), number(b)),
            ],
        };
        for (year, month, day) in orders {
            let date = year.zip(month).zip(day).and_then(|((year, month), day)| {
                let year = if year < 100 { 2000 + year } else { year };
                NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
            });
            if let Some(date) = date
                && !found.contains(&(span.clone(), date))
            {
                found.push((span.clone(), date));
            }
        }
    }
    found
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
            "02.07.2026",
            "7/2/26",
            "2/7/2026",
            "on 2-Jul-2026 · Interview",
        ] {
            let found = dates(text);
            assert!(found.iter().any(|(_, date)| *date == day), "{text}");
        }
        for text in [
            "",
            "2 July",
            "July 2026",
            "2.7 of 20260702",
            "31 June 2026",
            "a 2 7 9999999999",
        ] {
            assert_eq!(dates(text), [], "{text}");
        }
        let text = "Ö on 2 July 2026 at 5";
        let (span, date) = dates(text).remove(0);
        assert_eq!((&text[span], date), ("2 July 2026", day));
    }
}
