//! JSON text whose bytes do not depend on the order of insertion.

use serde_json::{Map, Value};

/// Returns the value with the keys of every object in byte order.
///
/// `serde_json` keeps insertion order as soon as any crate in the build asks for it. The order in a prompt, a hash or a
/// file must not depend on that.
pub fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            Value::Object(
                pairs
                    .into_iter()
                    .map(|(k, v)| (k.clone(), sorted(v)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// Returns the value as compact text with sorted keys. Equal values give equal bytes.
pub fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_give_equal_bytes() {
        let mut map = Map::new();
        map.insert("b".into(), json!([{ "z": 1, "a": 2 }]));
        map.insert("a".into(), json!(null));
        assert_eq!(
            canonical(&Value::Object(map)),
            r#"{"a":null,"b":[{"a":2,"z":1}]}"#
        );
    }
}
