//! Formats figures and their differences, in words and as JSON.

use serde_json::{Value, json};

use super::{Figures, Metric, compare::Difference};

impl Metric {
    pub(crate) fn shown(self, value: f64) -> String {
        match self {
            Self::Success => format!("{value:.2}"),
            Self::TokensIn | Self::TokensOut => format!("{value:.0}"),
            Self::Steps | Self::FailedActions | Self::ModelCalls | Self::Seconds => {
                format!("{value:.1}")
            }
        }
    }

    /// Returns a difference in this figure as text with its sign, rounded like the figure itself.
    fn signed(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "+" };
        format!("{sign}{}", self.shown(value.abs()))
    }
}

impl Figures {
    pub(crate) fn json(self) -> Value {
        let pairs = Metric::ALL.map(|metric| (metric.as_str().to_owned(), self.of(metric).into()));
        Value::Object(pairs.into_iter().collect())
    }
}

impl Difference {
    pub(crate) fn line(&self) -> String {
        let metric = self.metric;
        let share = self
            .share()
            .map_or_else(String::new, |share| format!("{:+.1} %", 100.0 * share));
        let interval = self.interval.map_or_else(
            || "[too few runs]".to_owned(),
            |(from, to)| format!("[{} to {}]", metric.signed(from), metric.signed(to)),
        );
        format!(
            "{:<14} {:>9} -> {:>9}  {:>9} {share:>9}  {interval}",
            metric.as_str().replace('_', " "),
            metric.shown(self.before),
            metric.shown(self.after),
            metric.signed(self.mean()),
        )
    }

    pub(crate) fn entry(&self) -> (String, Value) {
        let value = json!({
            "before": self.before, "after": self.after, "difference": self.mean(), "share": self.share(),
            "interval": self.interval,
        });
        (self.metric.as_str().to_owned(), value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_with_its_sign_its_share_and_its_interval() {
        let difference = Difference {
            metric: Metric::ModelCalls,
            before: 8.0,
            after: 6.0,
            interval: Some((-2.0, 0.0)),
        };
        let words = difference.line();
        let words: Vec<&str> = words.split_whitespace().collect();
        let expected = "model calls 8.0 -> 6.0 -2.0 -25.0 % [-2.0 to +0.0]";
        assert_eq!(words.join(" "), expected);
        let (name, json) = difference.entry();
        assert_eq!(
            (name.as_str(), &json["share"], &json["interval"]),
            ("model_calls", &json!(-0.25), &json!([-2.0, 0.0]))
        );
        let unknown = Difference {
            before: 0.0,
            interval: None,
            ..difference
        };
        assert!(unknown.line().ends_with("[too few runs]"));
        assert_eq!(unknown.entry().1["share"], Value::Null);
    }
}
