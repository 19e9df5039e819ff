//! One line of the prompt: an element, or an entry of the history.

use serde_json::{Deserializer, Value, json};

use super::seen::{Element, Past};

/// The JSON string at the start of a text, and what follows it.
pub(super) fn json_string(text: &str) -> Option<(String, &str)> {
    let (value, rest) = json_value(text)?;
    match value {
        Value::String(string) => Some((string, rest)),
        _ => None,
    }
}

fn json_value(text: &str) -> Option<(Value, &str)> {
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
    let mut element = Element {
        reference: reference.to_owned(),
        role: role.to_owned(),
        label,
        ..Element::default()
    };
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
        } else if let Some((state, after)) =
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            element.states.push(state.to_owned());
            rest = after;
        } else if let Some((word, after)) = rest.split_once(' ') {
            (key, rest) = (word, after);
        } else {
            return Some(element);
        }
    }
}

/// `menu link e7 "Jackets" e9 "Trousers" button e16 "Log out"`, or `alike 300 link e1 "One" e2 "Two"`
pub(super) fn run(line: &str) -> Vec<Element> {
    let mut found = Vec::new();
    let (mut role, mut rest) = ("", line);
    while let Some((word, after)) = rest.split_once(' ') {
        if let Some((label, after)) = after.starts_with('"').then(|| json_string(after)).flatten() {
            found.push(Element {
                reference: word.to_owned(),
                role: role.to_owned(),
                label,
                ..Element::default()
            });
            rest = after.trim_start();
        } else {
            (role, rest) = (word, after);
        }
    }
    found
}

/// `3. fill searchbox "Search" "padel" -> failed not_editable`; what is done says nothing of how it ended.
pub(super) fn past(line: &str) -> Option<Past> {
    let (number, rest) = line.split_once(". ")?;
    number.parse::<u32>().ok()?;
    let (tool, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut target = None;
    while let Some((role, after)) = rest.split_once(' ').filter(|(role, _)| is_role(role)) {
        let Some((name, after)) = json_string(after) else {
            break;
        };
        target = target.or(Some((role.to_owned(), name)));
        rest = after.trim_start();
    }
    // A long list is cut, and is then no JSON.
    let (argument, rest) = json_value(rest).unwrap_or((Value::Null, rest));
    let arguments = match argument {
        object @ Value::Object(_) => object,
        Value::Null => Value::Null,
        only => json!({ only_argument(tool): only }),
    };
    let outcome = rest
        .rsplit_once("-> ")
        .map_or("done", |(_, outcome)| outcome);
    let outcome = outcome.strip_prefix("failed ").unwrap_or(outcome);
    Some(Past {
        tool: tool.to_owned(),
        arguments,
        target,
        outcome: outcome.to_owned(),
    })
}

fn is_role(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// What an argument that stands alone is called.
fn only_argument(tool: &str) -> &'static str {
    match tool {
        "goto" | "tab_new" => "url",
        "press" => "key",
        "select" => "values",
        "wait" => "seconds",
        "find" => "query",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_read_with_everything_beside_its_label() {
        let line = r#"f1e9 combobox "Size \"EU\"" value "M" in "Rain Jacket" options "S" "M" [collapsed] [invalid]"#;
        let read = element(line).unwrap();
        assert_eq!(
            (
                read.reference.as_str(),
                read.role.as_str(),
                read.label.as_str()
            ),
            ("f1e9", "combobox", "Size \"EU\"")
        );
        assert_eq!(
            (read.value.as_str(), read.options),
            ("M", vec!["S".to_owned(), "M".to_owned()])
        );
        assert_eq!(read.states, ["collapsed", "invalid"]);
        assert!(element("note the page is large").is_none());
    }

    #[test]
    fn a_run_of_elements_is_read_with_the_role_of_each() {
        let read = run(r#"menu link e7 "Jackets" e9 "Log \"in\"" button e16 "Go" and 3 more"#);
        let read: Vec<_> = read
            .iter()
            .map(|e| (e.reference.as_str(), e.role.as_str(), e.label.as_str()))
            .collect();
        assert_eq!(
            read,
            [
                ("e7", "link", "Jackets"),
                ("e9", "link", "Log \"in\""),
                ("e16", "button", "Go")
            ]
        );
        assert_eq!(run(r#"alike 300 link e1 "One" e2 "Two""#).len(), 2);
        assert!(run("menu").is_empty());
    }

    #[test]
    fn an_entry_is_read_with_its_target_and_outcome() {
        let read = past(r#"3. fill searchbox "Search" "a -> b""#).unwrap();
        assert_eq!(
            (
                read.tool.as_str(),
                read.argument("text"),
                read.target_name()
            ),
            ("fill", Some("a -> b"), "Search")
        );
        assert!(read.done());
        let read = past(r#"12. click button "Go" -> failed intercepted"#).unwrap();
        assert_eq!((read.outcome.as_str(), read.done()), ("intercepted", false));
        let read = past(r#"13. fill textbox "Search" {"submit":true,"text":"x"}"#).unwrap();
        assert_eq!(
            (read.argument("text"), &read.arguments["submit"]),
            (Some("x"), &Value::Bool(true))
        );
        let read = past("4. reload -> no_effect").unwrap();
        assert_eq!(
            (read.tool.as_str(), read.target, read.outcome.as_str()),
            ("reload", None, "no_effect")
        );
        assert_eq!(
            past(r#"5. press "Enter""#).unwrap().argument("key"),
            Some("Enter")
        );
        assert_eq!(
            past(r#"6. select combobox "Size" ["M"]"#)
                .unwrap()
                .arguments["values"][0],
            "M"
        );
        assert!(past("(3 earlier steps)").is_none());
    }
}
