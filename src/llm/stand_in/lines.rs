//! One line of the prompt: an element, or an entry of the history.

use serde_json::{Deserializer, Value};

use super::seen::{Element, Past};

/// The JSON string at the start of a text, and what follows it.
pub(super) fn json_string(text: &str) -> Option<(String, &str)> {
    let (value, rest) = json(text)?;
    match value {
        Value::String(string) => Some((string, rest)),
        _ => None,
    }
}

fn json(text: &str) -> Option<(Value, &str)> {
    let text = text.trim_start();
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

/// `e12 combobox "Size" value "M" options "S" "M" [collapsed]`
pub(super) fn element(line: &str) -> Option<Element> {
    let (reference, rest) = line.split_once(' ')?;
    let (role, rest) = rest.split_once(' ')?;
    let (label, mut rest) = json_string(rest)?;
    let mut element = Element { reference: reference.to_owned(), role: role.to_owned(), label, ..Element::default() };
    let mut key = "";
    loop {
        rest = rest.trim_start();
        if let Some((text, after)) = rest.starts_with('"').then(|| json_string(rest)).flatten() {
            match key {
                "value" => element.value = text,
                "options" => element.options.push(text),
                _ => {}
            }
            rest = after;
        } else if let Some((state, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            element.states.push(state.to_owned());
            rest = after;
        } else if let Some((word, after)) = rest.split_once(' ') {
            (key, rest) = (word, after);
        } else {
            return Some(element);
        }
    }
}

/// `3. fill {"target":"e7","text":"padel"} on searchbox "Search" -> done`
pub(super) fn past(line: &str) -> Option<Past> {
    let (number, rest) = line.split_once(". ")?;
    number.parse::<u32>().ok()?;
    let (rest, outcome) = rest.rsplit_once(" -> ")?;
    let (tool, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    // A long line is cut, and its arguments are then no JSON.
    let (arguments, rest) = json(rest).unwrap_or((Value::Null, rest));
    let target = rest.split_once(" on ").or_else(|| Some(("", rest.strip_prefix("on ")?))).and_then(|(_, target)| {
        let (role, name) = target.split_once(' ')?;
        Some((role.to_owned(), json_string(name)?.0))
    });
    let outcome = outcome.strip_prefix("failed ").unwrap_or(outcome);
    Some(Past { tool: tool.to_owned(), arguments, target, outcome: outcome.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_read_with_everything_beside_its_label() {
        let line = r#"f1e9 combobox "Size \"EU\"" value "M" in "Rain Jacket" options "S" "M" [collapsed] [invalid] [+3 alike]"#;
        let read = element(line).unwrap();
        assert_eq!(
            (read.reference.as_str(), read.role.as_str(), read.label.as_str()),
            ("f1e9", "combobox", "Size \"EU\"")
        );
        assert_eq!((read.value.as_str(), read.options), ("M", vec!["S".to_owned(), "M".to_owned()]));
        assert_eq!(read.states, ["collapsed", "invalid", "+3 alike"]);
        assert!(element("note the page is large").is_none());
    }

    #[test]
    fn an_entry_is_read_with_its_target_and_outcome() {
        let read = past(r#"3. fill {"target":"e7","text":"a -> b"} on searchbox "Search" -> done"#).unwrap();
        assert_eq!((read.tool.as_str(), read.argument("text"), read.target_name()), ("fill", Some("a -> b"), "Search"));
        assert!(read.done());
        let read = past(r#"12. click {"target":"e2"} on button "Go" -> failed intercepted"#).unwrap();
        assert_eq!((read.outcome.as_str(), read.done()), ("intercepted", false));
        let read = past("4. reload -> no_effect").unwrap();
        assert_eq!((read.tool.as_str(), read.target, read.outcome.as_str()), ("reload", None, "no_effect"));
        assert!(past("(3 earlier steps)").is_none());
    }
}
