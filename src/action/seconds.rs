//! A number of seconds, which may have a fraction.

use std::{borrow::Cow, fmt, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number of seconds, in whole milliseconds. In JSON it is a number: `2`, or `0.3`.
///
/// ```
/// use webwise::action::Seconds;
///
/// let short: Seconds = serde_json::from_str("0.3").unwrap();
/// assert_eq!(short, Seconds::from_millis(300));
/// assert_eq!(serde_json::to_string(&Seconds::from(2)).unwrap(), "2");
/// ```
// Milliseconds and not an `f64`, because actions are compared and hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seconds {
    millis: u64,
}

impl Seconds {
    /// Creates a number of seconds from milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self { millis }
    }

    /// Returns the time as a duration.
    pub const fn duration(self) -> Duration {
        Duration::from_millis(self.millis)
    }
}

impl From<u32> for Seconds {
    fn from(seconds: u32) -> Self {
        Self::from_millis(u64::from(seconds) * 1_000)
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A whole number is written without a fraction, as in the steps of earlier versions.
        if self.millis.is_multiple_of(1_000) {
            serializer.serialize_u64(self.millis / 1_000)
        } else {
            serializer.serialize_f64(self.duration().as_secs_f64())
        }
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl de::Visitor<'_> for Number {
            type Value = Seconds;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of seconds, at least 0")
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Seconds, E> {
                Ok(Seconds::from_millis(seconds.saturating_mul(1_000)))
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Seconds, E> {
                match u64::try_from(seconds) {
                    Ok(seconds) => self.visit_u64(seconds),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(seconds), &self)),
                }
            }

            fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<Seconds, E> {
                if seconds.is_nan() || seconds < 0.0 {
                    return Err(E::invalid_value(de::Unexpected::Float(seconds), &self));
                }
                // A time that is not zero stays so.
                let least = if seconds > 0.0 { 1.0 } else { 0.0 };
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the cast saturates, and the sign was checked"
                )]
                let millis = (seconds * 1_000.0).round().max(least) as u64;
                Ok(Seconds::from_millis(millis))
            }
        }

        deserializer.deserialize_any(Number)
    }
}

impl JsonSchema for Seconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seconds".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        f64::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_seconds_is_read_and_written_as_it_is() {
        for text in ["0", "1", "30", "0.3", "0.001", "1.1", "2.299", "29.999"] {
            let read: Seconds = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
        let read = |text| serde_json::from_str::<Seconds>(text).unwrap();
        assert_eq!(read("3.0"), Seconds::from(3));
        assert_eq!(read("0.3").duration(), Duration::from_millis(300));
        assert_eq!(read("0.00001"), Seconds::from_millis(1));
        assert!(read("1e300") > Seconds::from(u32::MAX));
        assert!(read("18446744073709551615") > Seconds::from(u32::MAX));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["-1", "-0.3", "null", "true", "\"soon\"", "[1]"] {
            let error = serde_json::from_str::<Seconds>(text).unwrap_err();
            let error = error.to_string();
            assert!(error.contains("a number of seconds, at least 0"), "{error}");
        }
        let nan = Seconds::deserialize(de::value::F64Deserializer::<de::value::Error>::new(
            f64::NAN,
        ));
        assert!(nan.is_err());
    }
}
