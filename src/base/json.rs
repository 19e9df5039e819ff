//! JSON text that is the same, byte by byte, in whatever order the keys were inserted.

use serde_json::{Map, Value};

/// Returns the value with the keys of every object sorted in byte order.
///
/// The order of unsorted keys depends on whether any crate in the build enables the feature `preserve_order` of
/// `serde_json`.
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

/// Returns the value as compact JSON text with sorted keys. Equal values give equal bytes.
pub fn canonical(value: &Value) -> String {
    sorted(value).to_string()
}

/// Returns the number of bytes that a character takes in a JSON string, including escapes.
pub fn json_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

/// Returns the text if it takes at most `max` bytes in a JSON string. Otherwise cuts the end off and adds a `…`, so
/// that the result takes at most `max` bytes.
///
/// ```
/// use webwise::base::fitting;
///
/// assert_eq!(fitting("\"a\"", 5), "\"a\"");
/// assert_eq!(fitting("abcdef", 5), "ab…");
/// ```
pub fn fitting(text: &str, max: usize) -> String {
    if text.chars().map(json_len).sum::<usize>() <= max {
        return text.to_owned();
    }
    let mark = '…';
    let Some(mut left) = max.checked_sub(json_len(mark)) else {
        return String::new();
    };
    let mut out: String = text
        .chars()
        .take_while(|c| {
            let room = left.checked_sub(json_len(*c));
            left = room.unwrap_or(0);
            room.is_some()
        })
        .collect();
    out.push(mark);
    out
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

    #[test]
    fn a_length_is_that_of_the_written_string() {
        for c in ('\0'..='\u{ff}').chain(['日', '😀', '\u{2028}']) {
            let written = Value::from(c.to_string()).to_string();
            assert_eq!(json_len(c), written.len() - 2, "{c:?}");
        }
        assert_eq!(fitting("日本語", 9), "日本語");
        assert_eq!(fitting("日本語", 8), "日…");
        assert_eq!(fitting("日本語", 2), "");
    }
}
