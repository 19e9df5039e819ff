//! Dates and times of day. This module reads numeric dates such as `2025-03-04`, and times. The module `merge` reads
//! written dates such as `3 March 2025`.

use serde::{Deserialize, Serialize};

use super::fold::{ascii_digits, is_dash};

/// A date, perhaps without its year, month or day. At least one of these parts is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Date {
    pub(super) year: Option<u32>,
    pub(super) month: Option<u32>,
    pub(super) day: Option<u32>,
}

/// The order of day and month in a numeric date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The day comes first: day, month, year.
    DayFirst,
    /// The month comes first: month, day, year.
    MonthFirst,
}

/// One way to read a text as a date. `order` is the order of day and month that this reading assumes; `None` if the
/// format of the text allows only one order. For `14/03/2025`, `order` is set, although only one order gives a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) date: Date,
    pub(super) order: Option<Order>,
}

impl Date {
    /// Creates a date if its parts fit together. For example, 31 February and years outside 1900 to 2100 are refused.
    pub(super) fn new(year: Option<u32>, month: Option<u32>, day: Option<u32>) -> Option<Self> {
        let is_year = year.is_none_or(|year| (1900..=2100).contains(&year));
        let is_month = month.is_none_or(|month| (1..=12).contains(&month));
        let longest = match (month, year) {
            (Some(4 | 6 | 9 | 11), _) => 30,
            (Some(2), Some(year)) if !is_leap(year) => 28,
            (Some(2), _) => 29,
            _ => 31,
        };
        let is_day = day.is_none_or(|day| (1..=longest).contains(&day));
        (is_year && is_month && is_day).then_some(Self { year, month, day })
    }

    /// Reports whether both dates have the same parts: each of year, month and day is known in both dates or in neither.
    pub(super) fn has_parts_of(self, other: Self) -> bool {
        self.year.is_some() == other.year.is_some()
            && self.month.is_some() == other.month.is_some()
            && self.day.is_some() == other.day.is_some()
    }

    /// Returns a normal form of the date: equal dates give the same text, in whatever format they were written.
    pub(super) fn canonical(self) -> String {
        let part = |part: Option<u32>| part.map_or("-".to_owned(), |part| part.to_string());
        format!(
            "date:{}/{}/{}",
            part(self.year),
            part(self.month),
            part(self.day)
        )
    }
}

const fn is_leap(year: u32) -> bool {
    (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400)
}

/// Returns every reading of a numeric date, such as `2025-03-04`, `2025-03`, `4.3.2025` or `03/04/2025`.
pub(super) fn read_numeric(text: &str) -> Vec<Reading> {
    let text = ascii_digits(text);
    let Some(separator) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return Vec::new();
    };
    if !(is_dash(separator) || matches!(separator, '/' | '.')) {
        return Vec::new();
    }
    let parts: Vec<&str> = text.split(separator).collect();
    let is_numeric = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    if !parts.iter().all(is_numeric) {
        return Vec::new();
    }
    let number = |at: usize| parts[at].parse::<u32>().ok();
    let widths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let certain = |year, month, day| {
        Date::new(year, month, day)
            .map(|date| Reading { date, order: None })
            .into_iter()
            .collect()
    };
    match widths.as_slice() {
        [4, 1..=2, 1..=2] => certain(number(0), number(1), number(2)),
        [4, 2] if separator != '.' => certain(number(0), number(1), None),
        [2, 4] => certain(number(1), number(0), None),
        [1..=2, 1..=2, 4] => {
            // If points separate the numbers, the day always comes before the month.
            let orders: &[Order] = match separator {
                '.' => &[Order::DayFirst],
                _ => &[Order::DayFirst, Order::MonthFirst],
            };
            let read = |order: &Order| {
                let (day, month) = match order {
                    Order::DayFirst => (number(0), number(1)),
                    Order::MonthFirst => (number(1), number(0)),
                };
                let order = (orders.len() > 1).then_some(*order);
                Date::new(number(2), month, day).map(|date| Reading { date, order })
            };
            orders.iter().filter_map(read).collect()
        }
        _ => Vec::new(),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) hour: u32,
    pub(super) minute: u32,
    pub(super) second: Option<u32>,
}

impl Time {
    /// Reads `9:05`, `19:00`, `19:00:30`, `7 pm` or `7:30 PM`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = ascii_digits(text)
            .to_lowercase()
            .replace("a.m", "am")
            .replace("p.m", "pm");
        let half = ["am", "pm"].iter().position(|half| text.ends_with(half));
        let digits = half.map_or(text.as_str(), |_| text[..text.len() - 2].trim_end());
        let parts: Vec<&str> = digits.split(':').collect();
        let is_part = |(at, part): (usize, &&str)| {
            part.chars().all(|c| c.is_ascii_digit())
                && (part.len() == 2 || (at == 0 && part.len() == 1))
        };
        let least = if half.is_some() { 1 } else { 2 };
        if !(least..=3).contains(&parts.len()) || !parts.iter().enumerate().all(is_part) {
            return None;
        }
        let number = |at: usize| parts.get(at).and_then(|part| part.parse::<u32>().ok());
        let hour = number(0)?;
        let hour = match half {
            None => hour,
            Some(half) if (1..=12).contains(&hour) => hour % 12 + if half == 1 { 12 } else { 0 },
            Some(_) => return None,
        };
        let time = Self {
            hour,
            minute: number(1).unwrap_or(0),
            second: number(2),
        };
        let is_time = time.hour < 24 && time.minute < 60 && time.second.is_none_or(|s| s < 60);
        is_time.then_some(time)
    }

    pub(super) fn canonical(self) -> String {
        let second = self
            .second
            .map_or(String::new(), |second| format!(":{second:02}"));
        format!("{:02}:{:02}{second}", self.hour, self.minute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(text: &str) -> Vec<String> {
        read_numeric(text)
            .iter()
            .map(|reading| reading.date.canonical())
            .collect()
    }

    #[test]
    fn numeric_dates_have_every_possible_reading() {
        assert_eq!(readings("2025-03-04"), ["date:2025/3/4"]);
        assert_eq!(readings("2025-03"), ["date:2025/3/-"]);
        assert_eq!(readings("4.3.2025"), ["date:2025/3/4"]);
        assert_eq!(readings("03/04/2025"), ["date:2025/4/3", "date:2025/3/4"]);
        assert_eq!(readings("14/06/2025"), ["date:2025/6/14"]);
        assert_eq!(readings("٢٠٢٥-٠٣-٠٤"), ["date:2025/3/4"]);
        for text in [
            "31/02/2025",
            "1042-1050",
            "2025",
            "1.5",
            "20.25",
            "3/4",
            "1-2-3",
        ] {
            assert!(readings(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn days_fit_their_month() {
        assert!(Date::new(Some(2024), Some(2), Some(29)).is_some());
        assert!(Date::new(Some(2025), Some(2), Some(29)).is_none());
        assert!(Date::new(None, Some(4), Some(31)).is_none());
        assert!(Date::new(Some(77_120), None, None).is_none());
    }

    #[test]
    fn times_are_read_in_24_and_12_hours() {
        assert_eq!(Time::read("9:05").unwrap().canonical(), "09:05");
        assert_eq!(Time::read("19:00:30").unwrap().canonical(), "19:00:30");
        for (text, canonical) in [
            ("7 pm", "19:00"),
            ("7:30 PM", "19:30"),
            ("12 am", "00:00"),
            ("12pm", "12:00"),
        ] {
            assert_eq!(Time::read(text).unwrap().canonical(), canonical);
        }
        for text in [
            "13 pm", "0 am", "pm", "7:5 pm", "24:00", "9:5", "9", "1:2:3:4", "a:00", ":30",
        ] {
            assert_eq!(Time::read(text), None, "{text}");
        }
    }
}
