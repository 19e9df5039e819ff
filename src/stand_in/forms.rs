//! Converts dates and times between the formats in which people, fields and calendars write them.

use chrono::{Datelike, NaiveDate, NaiveTime};

/// A format in which a field may require a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A date, as in `2016-12-05`.
    Date,
    /// A time, as in `16:08`.
    Time,
}

impl Form {
    /// Returns [`Form::Date`] for a date and [`Form::Time`] for a time, in any format that this module reads; `None`
    /// for any other text.
    pub(super) fn of(value: &str) -> Option<Self> {
        [Self::Date, Self::Time]
            .into_iter()
            .find(|form| form.write(value).is_some())
    }

    /// Converts the value to this format; `None` if it is no date or time, or cannot be converted.
    pub(super) fn write(self, value: &str) -> Option<String> {
        match self {
            Self::Date => Some(date(value)?.to_string()),
            Self::Time => Some(time(value)?.format("%H:%M").to_string()),
        }
    }
}

/// Returns true if the texts are equal, or if they are the same date or time in two formats.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b || Form::of(a).is_some_and(|form| form.write(a) == form.write(b))
}

/// Returns the day of the month as a calendar shows it; `None` if the value is not a date.
pub(super) fn day(value: &str) -> Option<String> {
    date(value).map(|date| date.day().to_string())
}

/// Parses a date such as `2016-12-05` or, with the month first, `12/05/2016`.
fn date(value: &str) -> Option<NaiveDate> {
    let mut formats = ["%Y-%m-%d", "%m/%d/%Y"].iter();
    formats.find_map(|format| NaiveDate::parse_from_str(value, format).ok())
}

/// Parses a time such as `16:08` or `4:08 PM`.
fn time(value: &str) -> Option<NaiveTime> {
    let mut formats = ["%H:%M", "%I:%M %p"].iter();
    formats.find_map(|format| NaiveTime::parse_from_str(value, format).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_written_as_fields_ask() {
        for (value, written) in [
            ("12/05/2016", "2016-12-05"),
            ("4:08 AM", "04:08"),
            ("12:30 AM", "00:30"),
            ("12:30 pm", "12:30"),
            ("9:05 PM", "21:05"),
        ] {
            assert_eq!(
                Form::of(value)
                    .and_then(|form| form.write(value))
                    .as_deref(),
                Some(written)
            );
            assert!(same(value, written) && same(written, value));
        }
        for value in ["13:00 PM", "25:00", "1/2", "25/12/2016", "Anna", "3.5"] {
            assert_eq!(Form::of(value), None, "{value}");
        }
        assert_eq!(day("12/05/2016").as_deref(), Some("5"));
        assert!(!same("Anna", "Bert") && same("Anna", "Anna"));
    }
}
