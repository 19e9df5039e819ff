//! The wait that a provider asks for before the next request.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Returns the wait that the headers of a reply ask for: `retry-after-ms`, or `retry-after` in seconds or as a date.
///
/// A date is compared with the reply's `date` header, so that a wrong clock on this machine does not matter. Without
/// this header, it is compared with the time of this machine.
pub(super) fn in_headers<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<Duration> {
    if let Some(wait) = header("retry-after-ms").and_then(|text| seconds(text, 0.001)) {
        return Some(wait);
    }
    let text = header("retry-after")?;
    seconds(text, 1.0).or_else(|| {
        let until = date(text)?;
        let now = header("date").and_then(date).unwrap_or_else(Utc::now);
        // A date in the past means no wait.
        Some((until - now).to_std().unwrap_or_default())
    })
}

/// Returns the wait that the body of an error reply asks for: Gemini's `RetryInfo` with a `retryDelay` such as `34.5s`.
pub(super) fn in_body(body: &Value) -> Option<Duration> {
    let error = body.get(0).unwrap_or(body).get("error")?;
    let delay = error
        .get("details")?
        .as_array()?
        .iter()
        .find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds(delay.strip_suffix('s')?, 1.0)
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

fn date(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc2822(text.trim())
        .ok()
        .map(|date| date.to_utc())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wait(headers: &[(&str, &'static str)]) -> Option<Duration> {
        in_headers(|name| {
            headers
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| *value)
        })
    }

    #[test]
    fn seconds_and_milliseconds_are_exact() {
        assert_eq!(wait(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        assert_eq!(
            wait(&[("retry-after", " 0.5 ")]),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            wait(&[("retry-after-ms", "1250"), ("retry-after", "2")]),
            Some(Duration::from_millis(1_250))
        );
    }

    #[test]
    fn a_date_is_measured_from_the_servers_own_clock() {
        let now = ("date", "Wed, 21 Oct 2015 07:28:00 GMT");
        assert_eq!(
            wait(&[now, ("retry-after", "Wed, 21 Oct 2015 07:29:30 GMT")]),
            Some(Duration::from_secs(90))
        );
        assert_eq!(
            wait(&[now, ("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT")]),
            Some(Duration::ZERO)
        );
        assert_eq!(
            wait(&[("retry-after", "Wed, 21 Oct 2015 07:00:00 GMT")]),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn nonsense_is_no_wait() {
        for text in [
            "",
            "soon",
            "-1",
            "NaN",
            "inf",
            "1e300",
            "Wed, 99 Oct 2015 07:28:00 GMT",
        ] {
            assert_eq!(
                in_headers(|name| (name == "retry-after").then_some(text)),
                None,
                "{text}"
            );
        }
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn gemini_says_it_in_the_body() {
        let body = json!({ "error": { "details": [
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure" },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s" }
        ] } });
        assert_eq!(in_body(&body), Some(Duration::from_millis(34_500)));
        assert_eq!(in_body(&json!([body])), Some(Duration::from_millis(34_500)));
        assert_eq!(in_body(&json!({ "error": "busy" })), None);
    }
}
