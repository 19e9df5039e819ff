//! Ages in words, such as `3 hours ago`.

use chrono::TimeDelta;

use crate::base::text::counted;

/// Returns an age such as `3 hours ago`, or `just now` below one minute.
pub(crate) fn ago(span: TimeDelta) -> String {
    let (count, unit) = match span.num_minutes() {
        ..1 => return "just now".to_owned(),
        minutes @ 1..60 => (minutes, "minute"),
        minutes @ 60..1_440 => (minutes / 60, "hour"),
        minutes => (minutes / 1_440, "day"),
    };
    format!("{} ago", counted(count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let after = |minutes| ago(TimeDelta::minutes(minutes));
        let told = [-5, 0, 1, 59, 60, 1_439, 1_440, 4_320].map(after);
        let expected = [
            "just now",
            "just now",
            "1 minute ago",
            "59 minutes ago",
            "1 hour ago",
            "23 hours ago",
            "1 day ago",
            "3 days ago",
        ];
        assert_eq!(told, expected);
    }
}
