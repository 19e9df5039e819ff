//! Converts dates and times between the formats in which people, fields and calendars write them.

use crate::base::text::Folded;

/// A format in which a field may require a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A date, as in `2016-12-05`.
    Date,
    /// A time, as in `16:08`.
    Time,
}

impl Form {
    /// Returns the format for a pattern in a tip, such as `YYYY-MM-DD`; `None` if the pattern is not known.
    pub(super) fn named(word: &str) -> Option<Self> {
        match word {
            "YYYY-MM-DD" => Some(Self::Date),
            "HH:MM" => Some(Self::Time),
            _ => None,
        }
    }

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
            Self::Date => {
                date(value).map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
            }
            Self::Time => time(value).map(|(hour, minute)| format!("{hour:02}:{minute:02}")),
        }
    }
}

/// Returns true if the texts are equal, or if they are the same date or time in two formats.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b || Form::of(a).is_some_and(|form| form.write(a) == form.write(b))
}

/// Returns the day of the month as a calendar shows it; `None` if the value is not a date.
pub(super) fn day(value: &str) -> Option<String> {
    date(value).map(|(_, _, day)| day.to_string())
}

/// Parses a date such as `2016-12-05`, `12/05/2016` or `5.12.2016` into year, month and day.
fn date(value: &str) -> Option<(u32, u32, u32)> {
    let numbers = |mark: char| -> Option<[u32; 3]> {
        let parts: Vec<u32> = value
            .trim()
            .split(mark)
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()?;
        parts.try_into().ok()
    };
    let (year, month, day) = if let Some([year, month, day]) = numbers('-') {
        (year, month, day)
    } else if let Some([month, day, year]) = numbers('/') {
        // If the first number is above 12, as in 25/12, it is the day.
        if month > 12 {
            (year, day, month)
        } else {
            (year, month, day)
        }
    } else {
        let [day, month, year] = numbers('.')?;
        (year, month, day)
    };
    ((1000..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day))
        .then_some((year, month, day))
}

/// Parses a time such as `16:08` or `4:08 PM` into hour and minute.
fn time(value: &str) -> Option<(u32, u32)> {
    let value = Folded::of(value);
    let value = value.as_str();
    let (clock, half) = match value
        .strip_suffix("am")
        .or_else(|| value.strip_suffix("pm"))
    {
        Some(clock) => (clock.trim_end(), Some(value.ends_with("pm"))),
        None => (value, None),
    };
    let (hour, minute) = clock.split_once(':')?;
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let hour = match half {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(is_afternoon) => hour % 12 + if is_afternoon { 12 } else { 0 },
        None => hour,
    };
    (hour < 24 && minute < 60).then_some((hour, minute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_written_as_fields_ask() {
        for (value, written) in [
            ("12/05/2016", "2016-12-05"),
            ("25/12/2016", "2016-12-25"),
            ("5.12.2016", "2016-12-05"),
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
        for value in ["13:00 PM", "25:00", "1/2", "13/13/2016", "Anna", "3.5"] {
            assert_eq!(Form::of(value), None, "{value}");
        }
        assert_eq!(day("12/05/2016").as_deref(), Some("5"));
        assert!(!same("Anna", "Bert") && same("Anna", "Anna"));
    }
}
