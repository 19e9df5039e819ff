//! Parses one line of the prompt's history.

use serde_json::{Deserializer, Value, json};

use super::seen::Past;
use crate::prompt::json_string;

fn json_value(text: &str) -> Option<(Value, &str)> {
    let text = text.trim_start();
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

/// Parses a history line such as `3. fill searchbox "Search" "padel" -> failed not_editable`. Returns `None` for any
/// other line. If the line has no outcome, the outcome is `done`.
pub(super) fn past(line: &str) -> Option<Past> {
    let (number, rest) = line.split_once(". ")?;
    number.parse::<u32>().ok()?;
    let (tool, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut target = None;
    loop {
        let named = || {
            let (role, after) = rest.split_once(' ').filter(|(role, _)| is_role(role))?;
            let (name, after) = json_string(after)?;
            Some((role, name, after))
        };
        let nameless = || unnamed(rest).map(|(role, after)| (role, String::new(), after));
        let Some((role, name, after)) = named().or_else(nameless) else {
            break;
        };
        target = target.or(Some((role.to_owned(), name)));
        rest = after.trim_start();
    }
    // A list that is too long is cut off and quoted, so it is read as a single string.
    let (argument, rest) = json_value(rest).unwrap_or((Value::Null, rest));
    let arguments = match argument {
        object @ Value::Object(_) => object,
        Value::Null => Value::Null,
        only => json!({ only_argument(tool): only }),
    };
    // The page that the step led to, or the text with which the page answered, follows the outcome.
    let said = rest.split_once("-> ").map_or("done", |(_, said)| said);
    let outcome = match said.split_once(' ') {
        Some(("page" | "same" | "shows", _)) => "done",
        Some(("failed", class)) => class,
        _ => said,
    };
    let outcome = outcome.split(" -> ").next().unwrap_or(outcome);
    Some(Past {
        tool: tool.to_owned(),
        arguments,
        target,
        outcome: outcome.to_owned(),
    })
}

/// Parses an element without a name, as in `2nd textbox "ada"`. Returns its role and the text after it.
fn unnamed(line: &str) -> Option<(&str, &str)> {
    let (position, rest) = line.split_once(' ')?;
    let number = position.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    number.parse::<u32>().ok().filter(|_| number != position)?;
    let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    is_role(role).then_some((role, rest))
}

fn is_role(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Returns the name of a tool's only argument. History lines contain such an argument without its name: `"Enter"` in
/// `press "Enter"` is the argument `key`.
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
        let read = past(r#"12. click link "Go" -> page "/a?b=->c""#).unwrap();
        assert!(read.done());
        let read = past(r##"12. click link "Go" -> same page at "#b""##).unwrap();
        assert!(read.done());
        let read = past(r#"12. click link "Go" -> shows "Not -> done yet""#).unwrap();
        assert!(read.done());
        let read = past(r#"13. fill 2nd textbox in "Login" "ada""#).unwrap();
        assert_eq!(read.target, Some(("textbox".to_owned(), String::new())));
        let read = past(r#"12. press "Enter" -> unclear -> page "/a""#).unwrap();
        assert_eq!(
            (read.outcome.as_str(), read.argument("key")),
            ("unclear", Some("Enter"))
        );
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
