//! Parses locators in forms that models write without being taught: the visible text of an element, or a locator
//! without its quotes.
//!
//! A text in the grammar of another tool, such as `xpath=//a`, is refused with an error that gives the right form.

use crate::{
    base::{Error, ErrorKind, Result},
    page::{Locator, LocatorStep, Role},
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
    let is_chain = parts.iter().any(|part| is_in_grammar(part));
    let steps = if is_chain {
        parts.into_iter().map(step).collect::<Result<_>>()?
    } else {
        vec![LocatorStep::Text(unquoted(text).to_owned())]
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
        return Ok(LocatorStep::Text(unquoted(part).to_owned()));
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
        return Ok(LocatorStep::ExactText(unquoted(value).to_owned()));
    }
    Ok(make(unquoted(value).to_owned()))
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
fn named(part: &str) -> Option<(Role, &str)> {
    let (role, name) = part.split_once(' ')?;
    let name = name.trim();
    let inner = unquoted(name);
    let is_quoted = inner.len() + 2 == name.len();
    match Role::parse(role) {
        Role::Other(_) => None,
        role => is_quoted.then_some((role, inner)),
    }
}

fn by_role(role: Role, name: Option<&str>) -> LocatorStep {
    LocatorStep::Role {
        role,
        name: name.map(str::to_owned),
        exact: false,
    }
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let without = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    without('"').or_else(|| without('\'')).unwrap_or(text)
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
