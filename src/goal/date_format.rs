//! The formats in which steps write dates and times.

use serde::{Deserialize, Serialize};

use super::{
    dates::{Date, Time},
    months::{self, Language},
};

/// A date format: a pattern of placeholders and literal characters. The placeholders are `YYYY` and `YY` for the year,
/// `MMMM` for the name of the month, `MMM` for its short name, `MM` and `M` for its number, `DD` and `D` for the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct DateFormat(&'static str);

/// The date formats in which a step may have written a date of the goal. A format that is a short number (`MM`, `M`,
/// `DD`, `D`, `YY`) counts only for a text whose label names a date or a part of it, and for the name of a table cell,
/// such as a day in a calendar.
pub(super) const FORMATS: [DateFormat; 48] = [
    DateFormat("YYYY-MM-DD"),
    DateFormat("YYYY/MM/DD"),
    DateFormat("YYYY.MM.DD"),
    DateFormat("YYYYMMDD"),
    DateFormat("DD/MM/YYYY"),
    DateFormat("D/M/YYYY"),
    DateFormat("MM/DD/YYYY"),
    DateFormat("M/D/YYYY"),
    DateFormat("DD.MM.YYYY"),
    DateFormat("D.M.YYYY"),
    DateFormat("DD-MM-YYYY"),
    DateFormat("MM-DD-YYYY"),
    DateFormat("DD/MM/YY"),
    DateFormat("MM/DD/YY"),
    DateFormat("DD.MM.YY"),
    DateFormat("D MMMM YYYY"),
    DateFormat("DD MMMM YYYY"),
    DateFormat("D. MMMM YYYY"),
    DateFormat("MMMM D, YYYY"),
    DateFormat("MMMM D YYYY"),
    DateFormat("D MMM YYYY"),
    DateFormat("DD MMM YYYY"),
    DateFormat("MMM D, YYYY"),
    DateFormat("D de MMMM de YYYY"),
    DateFormat("YYYY年M月D日"),
    DateFormat("YYYY년 M월 D일"),
    DateFormat("YYYY-MM"),
    DateFormat("YYYY/MM"),
    DateFormat("YYYYMM"),
    DateFormat("MM/YYYY"),
    DateFormat("M/YYYY"),
    DateFormat("MM.YYYY"),
    DateFormat("MMMM YYYY"),
    DateFormat("MMM YYYY"),
    DateFormat("YYYY年M月"),
    DateFormat("D MMMM"),
    DateFormat("MMMM D"),
    DateFormat("D MMM"),
    DateFormat("MMM D"),
    DateFormat("YYYY"),
    DateFormat("MMMM"),
    DateFormat("MMM"),
    DateFormat("M月"),
    DateFormat("MM"),
    DateFormat("M"),
    DateFormat("DD"),
    DateFormat("D"),
    DateFormat("YY"),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) year: bool,
    pub(super) month: bool,
    pub(super) day: bool,
}

impl Parts {
    pub(super) const ALL: Self = Self {
        year: true,
        month: true,
        day: true,
    };

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            year: self.year && other.year,
            month: self.month && other.month,
            day: self.day && other.day,
        }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            year: self.year || other.year,
            month: self.month || other.month,
            day: self.day || other.day,
        }
    }

    /// Reports whether `self` contains every part (year, month, day) in which the two dates differ.
    pub(super) fn cover(self, old: Date, new: Date) -> bool {
        (self.year || old.year == new.year)
            && (self.month || old.month == new.month)
            && (self.day || old.day == new.day)
    }
}

impl DateFormat {
    pub(super) fn parts(self) -> Parts {
        Parts {
            year: self.0.contains('Y'),
            month: self.0.contains('M'),
            day: self.0.contains('D'),
        }
    }

    /// Reports whether the month is written as a name.
    pub(super) fn has_name(self) -> bool {
        self.0.contains("MMM")
    }

    /// Reports whether the format is a single number of at most two digits.
    pub(super) fn is_short_number(self) -> bool {
        matches!(self.0, "MM" | "M" | "DD" | "D" | "YY")
    }

    /// Writes a date; `None` if the date lacks a part of the format, or if the language has no such month name.
    pub(super) fn write(self, date: Date, language: Option<Language>) -> Option<String> {
        let mut out = String::new();
        let mut rest = self.0;
        while let Some(c) = rest.chars().next() {
            let run = if c.is_ascii_uppercase() {
                rest.chars().take_while(|next| *next == c).count()
            } else {
                c.len_utf8()
            };
            match &rest[..run] {
                "YYYY" => out.push_str(&date.year?.to_string()),
                "YY" => out.push_str(&two_digits(date.year? % 100)),
                "MMMM" => out.push_str(months::name(date.month?, language?, true)?),
                "MMM" => out.push_str(months::name(date.month?, language?, false)?),
                "MM" => out.push_str(&two_digits(date.month?)),
                "M" => out.push_str(&date.month?.to_string()),
                "DD" => out.push_str(&two_digits(date.day?)),
                "D" => out.push_str(&date.day?.to_string()),
                sign => out.push_str(sign),
            }
            rest = &rest[run..];
        }
        Some(out)
    }
}

fn two_digits(number: u32) -> String {
    format!("{number:02}")
}

/// A format of a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeFormat {
    /// Two digits for hours and two for minutes: `09:05`.
    Padded,
    /// Hours without a leading zero: `9:05`.
    Plain,
    /// Hours and minutes without a separator: `0905`.
    Joined,
    /// Hours, minutes and seconds: `09:05:00`.
    Seconds,
    /// Twelve-hour clock, hours without a leading zero: `9:05 AM`.
    Half,
    /// Twelve-hour clock, hours with a leading zero: `09:05 AM`.
    PaddedHalf,
}

pub(super) const TIME_FORMATS: [TimeFormat; 6] = [
    TimeFormat::Padded,
    TimeFormat::Plain,
    TimeFormat::Joined,
    TimeFormat::Seconds,
    TimeFormat::Half,
    TimeFormat::PaddedHalf,
];

impl TimeFormat {
    /// Writes a time. Returns `None` if the time has seconds other than 0 and the format has no place for them.
    pub(super) fn write(self, time: Time) -> Option<String> {
        let (hour, minute) = (time.hour, time.minute);
        let half = (hour + 11) % 12 + 1;
        let name = if hour < 12 { "AM" } else { "PM" };
        let second = time.second.unwrap_or(0);
        if second != 0 && self != Self::Seconds {
            return None;
        }
        Some(match self {
            Self::Padded => format!("{hour:02}:{minute:02}"),
            Self::Plain => format!("{hour}:{minute:02}"),
            Self::Joined => format!("{hour:02}{minute:02}"),
            Self::Seconds => format!("{hour:02}:{minute:02}:{second:02}"),
            Self::Half => format!("{half}:{minute:02} {name}"),
            Self::PaddedHalf => format!("{half:02}:{minute:02} {name}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(date: Date) -> Vec<String> {
        FORMATS
            .iter()
            .filter_map(|format| format.write(date, Some(Language::En)))
            .collect()
    }

    #[test]
    fn every_form_writes_what_it_names() {
        let all = written(Date::new(Some(2025), Some(3), Some(4)).unwrap());
        assert_eq!(all.len(), FORMATS.len());
        for text in [
            "2025-03-04",
            "04/03/2025",
            "03/04/25",
            "4. March 2025",
            "Mar 4, 2025",
            "4 de March de 2025",
            "2025年3月4日",
        ] {
            assert!(all.iter().any(|form| form == text), "{text} in {all:?}");
        }
        let month = written(Date::new(Some(2025), Some(3), None).unwrap());
        assert!(
            month.iter().all(|form| !form.contains('D')) && month.contains(&"2025-03".to_owned())
        );
        assert_eq!(FORMATS[40].write(Date::default(), Some(Language::En)), None);
    }

    #[test]
    fn times_are_written_in_24_and_12_hours() {
        let time = Time::read("19:05").unwrap();
        assert_eq!(TimeFormat::Half.write(time).unwrap(), "7:05 PM");
        assert_eq!(TimeFormat::Joined.write(time).unwrap(), "1905");
        assert_eq!(
            TimeFormat::Half.write(Time::read("0:30").unwrap()).unwrap(),
            "12:30 AM"
        );
        assert_eq!(
            TimeFormat::Half
                .write(Time::read("12:30").unwrap())
                .unwrap(),
            "12:30 PM"
        );
        assert_eq!(
            TimeFormat::Padded.write(Time::read("12:30:15").unwrap()),
            None
        );
    }

    #[test]
    fn changed_parts_must_be_covered() {
        let date = |year, month| Date::new(Some(year), Some(month), None).unwrap();
        let month = DateFormat("MMMM").parts();
        assert!(month.cover(date(2025, 3), date(2025, 4)));
        assert!(!month.cover(date(2025, 3), date(2024, 3)));
        assert!(
            month
                .or(DateFormat("YYYY").parts())
                .cover(date(2025, 3), date(2024, 4))
        );
        assert_eq!(month.and(DateFormat("YYYY").parts()), Parts::default());
    }
}
