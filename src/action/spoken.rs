//! Parses locators in forms that models write without being taught: the visible text of an element, or a locator
//! without its quotes.
//!
//! A text in the grammar of another tool, such as `xpath=//a`, is refused with an error that gives the right form.

use crate::{
    base::{Error, ErrorKind, Result},
    page::{Locator, LocatorStep, Role, is_hint},
};

const THEN: &str = " >> ";
/// The strategies of the locator grammar, such as `label`, that take a text.
const STRATEGIES: &[&str] = &[
    "label",
    "placeholder",
    "text",
    "alt",
    "title",
    "testid",
    "css",
    "has-text",
];
/// Prefixes by which a locator in the grammar of another tool is recognised.
const FOREIGN: &[&str] = &[
    "//",
    "xpath=",
    "id=",
    "name=",
    "class=",
    "selector=",
    "data-testid=",
    "aria-label=",
    "page.",
    "getBy",
    "locator(",
    "document.",
    "javascript:",
];
const FORMS: &str = "a ref such as e12, the exact text of one element such as Send, role \"name\" such as button \"Send\", or \
                     strategy=\"value\" such as label=\"User\" or css=\"#id\"";

/// Parses a text as a locator. A text that has no form of the locator grammar is taken as the visible text of an
/// element.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if the text is in the grammar of another tool, or is a malformed locator. The error
/// gives the forms to use.
pub(super) fn locator(text: &str) -> Result<Locator> {
    if let Ok(locator) = Locator::parse(text) {
        return Ok(locator);
    }
    if FOREIGN.iter().any(|start| text.starts_with(start)) || has_attribute_selector(text) {
        return Err(wrong(FORMS));
    }
    let parts: Vec<&str> = text.split(THEN).map(str::trim).collect();
    // A name may contain what stands between the steps of a chain.
    let is_whole = printed(text.split_once(' ').map_or(text, |(_, name)| name)).is_some();
    let is_chain = !is_whole && parts.iter().any(|part| is_in_grammar(part));
    let steps = if is_whole {
        vec![step(text)?]
    } else if is_chain {
        parts.into_iter().map(step).collect::<Result<_>>()?
    } else {
        vec![LocatorStep::Text(unquoted(text))]
    };
    Locator::new(steps).map_err(|_| wrong(FORMS))
}

fn wrong(expected: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, "target").with("expected", expected)
}

fn is_in_grammar(part: &str) -> bool {
    part == "frame" || strategy(part).is_some() || named(part).is_some()
}

fn strategy(part: &str) -> Option<(&str, &str)> {
    let (strategy, value) = part.split_once('=')?;
    let is_ours = STRATEGIES.contains(&strategy) || matches!(strategy, "role" | "nth");
    is_ours.then(|| (strategy, value.trim()))
}

fn step(part: &str) -> Result<LocatorStep> {
    if part == "frame" {
        return Ok(LocatorStep::Frame);
    }
    if let Some((role, name)) = named(part) {
        return Ok(by_role(role, Some(name)));
    }
    let Some((strategy, value)) = strategy(part) else {
        return Ok(LocatorStep::Text(unquoted(part)));
    };
    let make = match strategy {
        "role" => return role(value),
        "nth" => {
            let place = value.parse();
            return place
                .map(LocatorStep::Nth)
                .map_err(|_| wrong("nth=NUMBER, such as nth=0 for the first"));
        }
        "label" => LocatorStep::Label,
        "placeholder" => LocatorStep::Placeholder,
        "alt" => LocatorStep::Alt,
        "title" => LocatorStep::Title,
        "testid" => LocatorStep::TestId,
        "css" => LocatorStep::Css,
        "has-text" => LocatorStep::HasText,
        _ => LocatorStep::Text,
    };
    if let Some(value) = value.strip_suffix(" exact").filter(|_| strategy == "text") {
        return Ok(LocatorStep::ExactText(unquoted(value)));
    }
    Ok(make(unquoted(value)))
}

/// Parses a role with or without a name, such as `button`, `button[name=Send]` or `button "Send"`.
fn role(value: &str) -> Result<LocatorStep> {
    const FORM: &str = "a role of the page, such as role=button[name=\"Send\"]";
    if let Some((role, name)) = named(value) {
        return Ok(by_role(role, Some(name)));
    }
    let (role, name) = match value.split_once("[name=") {
        Some((role, rest)) => (
            role,
            Some(rest.strip_suffix(']').ok_or_else(|| wrong(FORM))?),
        ),
        None => (value, None),
    };
    match Role::parse(role.trim()) {
        Role::Other(_) => Err(wrong(FORM)),
        role => Ok(by_role(role, name.map(unquoted))),
    }
}

/// Parses a role and a quoted name such as `button "Send"`, the form in which a prompt prints an element.
fn named(part: &str) -> Option<(Role, String)> {
    let (role, name) = part.split_once(' ')?;
    match Role::parse(role) {
        Role::Other(_) => None,
        role => in_quotes(name).map(|name| (role, name)),
    }
}

/// Returns a step that finds an element by its role. Without a name, as a prompt prints `textbox ""`, only elements that have
/// none are meant.
fn by_role(role: Role, name: Option<String>) -> LocatorStep {
    let exact = name.as_deref() == Some("");
    LocatorStep::Role { role, name, exact }
}

fn unquoted(text: &str) -> String {
    in_quotes(text).unwrap_or_else(|| text.trim().to_owned())
}

/// Returns the text in quotes; `None` for a text without quotes around it.
fn in_quotes(text: &str) -> Option<String> {
    let text = text.trim();
    let without = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    let bare = || without('"').or_else(|| without('\'')).map(str::to_owned);
    printed(text).or_else(bare)
}

/// Returns the name in a text as a prompt prints it: a JSON string, after which the values and states of the element may
/// follow, as in `"Send" [disabled]`.
fn printed(text: &str) -> Option<String> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let name = stream.next()?.ok()?;
    is_printed_after(text[stream.byte_offset()..].trim()).then_some(name)
}

/// Returns true if a prompt prints such words after the name of an element. Nothing counts too.
fn is_printed_after(words: &str) -> bool {
    let first = words.split(' ').next().unwrap_or_default();
    words.is_empty()
        || words.starts_with('[')
        || words.starts_with(|c: char| c.is_ascii_digit()) && words.contains(" of ")
        || matches!(first, "value" | "options")
        || is_hint(first)
}

/// Returns true if the text has the form of a CSS selector by attribute, such as `a[href="x"]` or `[data-id=4]`.
fn has_attribute_selector(text: &str) -> bool {
    let Some((before, inside)) = text.split_once('[') else {
        return false;
    };
    let is_tag = before
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "-#.".contains(c));
    is_tag && inside.ends_with(']') && inside.contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_models_write_is_understood() {
        for (text, meant) in [
            ("Reply", r#"text="Reply""#),
            ("\"Reply\"", r#"text="Reply""#),
            ("'Reply'", r#"text="Reply""#),
            ("the search box", r#"text="the search box""#),
            ("--help", r#"text="--help""#),
            ("- +", r#"text="- +""#),
            ("#general", r##"text="#general""##),
            ("Home >> Boats", r#"text="Home >> Boats""#),
            ("button", r#"text="button""#),
            ("text=Reply", r#"text="Reply""#),
            ("text='Reply'", r#"text="Reply""#),
            ("text=Reply exact", r#"text="Reply" exact"#),
            ("label=User name", r#"label="User name""#),
            ("css=#id > a", r##"css="#id > a""##),
            ("role=button", "role=button"),
            ("role=button[name=Reply]", r#"role=button[name="Reply"]"#),
            ("role=button[name='Reply']", r#"role=button[name="Reply"]"#),
            (r#"button "Reply""#, r#"role=button[name="Reply"]"#),
            (r#"role=button "Reply""#, r#"role=button[name="Reply"]"#),
            (
                r#"button "Say \"hi\"""#,
                r#"role=button[name="Say \"hi\""]"#,
            ),
            (
                r#"button "Reply" [disabled] [focused]"#,
                r#"role=button[name="Reply"]"#,
            ),
            (
                r#"combobox "Size" value "M" options "S" "M""#,
                r#"role=combobox[name="Size"]"#,
            ),
            (r#""star" 2 of 5 [clickable]"#, r#"text="star""#),
            (r#""a[href='x']""#, r#"text="a[href='x']""#),
            (r#"link "A >> B""#, r#"role=link[name="A >> B"]"#),
            (
                r#"row "A" >> link "B""#,
                r#"role=row[name="A"] >> role=link[name="B"]"#,
            ),
            (r#"textbox """#, r#"role=textbox[name="" exact]"#),
            (r#""Reply" "Forward""#, r#"text="Reply\" \"Forward""#),
            (
                r#"role=row[name=Bob] >> button "Edit" >> nth=0"#,
                r#"role=row[name="Bob"] >> role=button[name="Edit"] >> nth=0"#,
            ),
        ] {
            assert_eq!(
                locator(text).map(|found| found.to_string()).ok().as_deref(),
                Some(meant),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_not_understood_is_answered_with_a_form_to_use() {
        for (text, form) in [
            ("", "button \"Send\""),
            ("//button[1]", "css=\"#id\""),
            ("xpath=//a", "css=\"#id\""),
            ("id=buy", "css=\"#id\""),
            ("page.getByText('x')", "button \"Send\""),
            ("javascript:alert(1)", "button \"Send\""),
            ("a[href='x']", "css=\"#id\""),
            ("css=a{}", "css=\"#id\""),
            ("role=blink", "role=button[name=\"Send\"]"),
            ("role=button[name=x", "role=button[name=\"Send\"]"),
            ("role=button >> nth=first", "nth=0"),
            ("a\u{202e}b", "button \"Send\""),
        ] {
            let error = locator(text).unwrap_err().to_string();
            assert!(error.contains(form), "{text}: {error}");
        }
    }
}
