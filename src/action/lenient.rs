//! Lenient parsing of arguments that models get almost right.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::Target;
use crate::page::LocatorStep;

/// Parses a list of texts. A single text is accepted too and becomes a list of one item.
pub(super) fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a text or a list of texts")]
    enum OneOrMany<T> {
        Many(Vec<T>),
        One(T),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::Many(values) => values,
        OneOrMany::One(value) => vec![value],
    })
}

/// Parses a text or a list of texts. The texts of a list become the lines of one text.
pub(super) fn text_or_lines<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    let lines: Vec<String> = one_or_many(deserializer)?;
    Ok(lines.join("\n"))
}

/// Parses a text, or any other value as its JSON.
pub(super) fn text_or_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

/// Parses an object of texts. A number or a truth value becomes its text, and a null is left out.
pub(super) fn texts_by_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let mut texts = BTreeMap::new();
    for (name, value) in BTreeMap::<String, Value>::deserialize(deserializer)? {
        let text = match value {
            Value::Null => continue,
            Value::String(text) => text,
            value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
            _ => return Err(D::Error::custom(format!("{name} must be a text"))),
        };
        texts.insert(name, text);
    }
    Ok(texts)
}

/// Returns the distance that a model gave as the end of a drag: two whole numbers, at least one of them with a sign,
/// such as `-40,0` or `+40, 0`. Returns `None` for any other target. A text such as `3,4` is not a distance, because it
/// may be the name of a cell or one number with a decimal comma.
pub(super) fn distance(target: &Target) -> Option<(i32, i32)> {
    let Target::Locator(locator) = target else {
        return None;
    };
    let [LocatorStep::Text(text)] = locator.steps() else {
        return None;
    };
    let (x, y) = text.split_once(',')?;
    if !text.contains(['-', '+']) {
        return None;
    }
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference to the field"
)]
pub(super) const fn is_zero(number: &i32) -> bool {
    *number == 0
}
