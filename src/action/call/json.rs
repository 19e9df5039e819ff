//! Parses JSON as models write it. There may be trailing commas, and other text may follow the JSON. The amount of work
//! is limited, because a reply can be hostile.

use serde_json::Value;

/// Maximum length of a text that is searched for JSON. Unit: bytes. Source: chosen; far more than a usual reply: 2,048
/// tokens have about 8 kB.
pub(super) const MAX_TEXT: usize = 256 * 1_024;
/// Maximum number of bytes that a search reads without finding a value. Bytes that are read twice count twice. Source:
/// chosen; four times the maximum length of a text. A text of up to 2,000 bytes never reaches this number, however many
/// brackets it contains.
const MAX_IN_VAIN: usize = 4 * MAX_TEXT;

/// Returns the value of a text that consists of exactly one JSON object or array; `None` for any other text.
pub(super) fn only_value(text: &str) -> Option<Value> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let (mut values, rest) = Reader::new().values(text);
    if values.len() == 1 && rest.is_empty() {
        values.pop()
    } else {
        None
    }
}

/// A parser of the JSON values in one text. It gives up after it has read [`MAX_IN_VAIN`] bytes without finding a value.
#[derive(Debug)]
pub(super) struct Reader {
    left: usize,
}

impl Reader {
    pub(super) const fn new() -> Self {
        Self { left: MAX_IN_VAIN }
    }

    /// Parses the JSON objects and arrays at the start of the text. Returns these values and the text after them. White
    /// space, commas and semicolons after each value are skipped.
    pub(super) fn values<'t>(&mut self, text: &'t str) -> (Vec<Value>, &'t str) {
        let (mut found, mut rest) = (Vec::new(), text.trim_start());
        while rest.starts_with(['{', '[']) {
            let Some((value, used)) = self.value(rest) else {
                break;
            };
            found.push(value);
            rest = rest[used..]
                .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        }
        (found, rest)
    }

    /// Parses the value at the start of the text. Returns the value and the length of its text in bytes. Trailing
    /// commas are accepted.
    fn value(&mut self, text: &str) -> Option<(Value, usize)> {
        if self.left == 0 {
            return None;
        }
        let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            return Some((value, stream.byte_offset()));
        }
        let end = balanced_end(text);
        self.left = self.left.saturating_sub(end.unwrap_or(text.len()));
        let end = end?;
        Some((
            serde_json::from_str(&without_trailing_commas(&text[..end])).ok()?,
            end,
        ))
    }
}

fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut inside, mut escaped) = (false, false);
    text.char_indices().filter(move |(_, c)| {
        let was_inside = inside;
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            _ => {}
        }
        !was_inside && !inside
    })
}

fn balanced_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in outside_strings(text) {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn without_trailing_commas(text: &str) -> String {
    let mut drop = Vec::new();
    let mut comma = None;
    for (at, c) in outside_strings(text) {
        match c {
            ',' => comma = Some(at),
            '}' | ']' => drop.extend(comma.take()),
            c if c.is_whitespace() => {}
            _ => comma = None,
        }
    }
    // The loop does not see a string after a comma, so a comma is dropped only if the next character after any white space
    // is a closing bracket.
    drop.retain(|at| text[at + 1..].trim_start().starts_with(['}', ']']));
    // The positions are in order, because the loop reached them in order.
    text.char_indices()
        .filter(|(at, _)| drop.binary_search(at).is_err())
        .map(|(_, c)| c)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_commas_before_a_closing_bracket_are_dropped() {
        assert_eq!(
            only_value(r#"{"a":[1,2, ],"b":",}",}"#),
            Some(json!({"a": [1, 2], "b": ",}"}))
        );
        assert_eq!(only_value(r#"{"a":1,,}"#), None);
    }

    #[test]
    fn a_long_text_with_many_trailing_commas_is_repaired() {
        let text = format!("[{}]", "{\"a\":1,},".repeat(8_000));
        assert_eq!(
            only_value(&text).and_then(|value| value.as_array().map(Vec::len)),
            Some(8_000)
        );
    }

    #[test]
    fn a_text_is_one_value_or_none() {
        for text in ["", "{} {}", "{} x", "x {}", "3", &"[".repeat(MAX_TEXT + 1)] {
            assert_eq!(only_value(text), None, "{}", text.len());
        }
    }

    #[test]
    fn a_reader_that_read_too_much_in_vain_gives_up() {
        let mut reader = Reader::new();
        let open = "[".repeat(MAX_TEXT);
        for _ in 0..4 {
            assert!(reader.values(&open).0.is_empty());
        }
        assert!(reader.values("{}").0.is_empty());
        assert_eq!(Reader::new().values("{}").0.len(), 1);
    }
}
