//! Conversion of the crate's locators into the syntax of the tool (playwright-cli), and back.
//!
//! The tool names the target of an action in JavaScript, as in `page.getByRole('button', { name: 'Go'
//! }).first().click()`, and accepts the same syntax. A target that the crate's grammar cannot express, such as a
//! regular expression, gives no locator.

use std::fmt::Write as _;

use crate::page::{Locator, LocatorStep, Role};

/// Returns a locator as the tool accepts it. In a script, `page.` must precede it.
pub(super) fn print(locator: &Locator) -> String {
    let mut out = String::new();
    for (index, step) in locator.steps().iter().enumerate() {
        if index > 0 {
            out.push('.');
        }
        // Writing to a string cannot fail.
        let _ = match step {
            LocatorStep::Role {
                role, name: None, ..
            } => write!(out, "getByRole({})", quote(role.as_str())),
            LocatorStep::Role {
                role,
                name: Some(name),
                exact,
            } => {
                let exact = if *exact { ", exact: true" } else { "" };
                write!(
                    out,
                    "getByRole({}, {{ name: {}{exact} }})",
                    quote(role.as_str()),
                    quote(name)
                )
            }
            LocatorStep::Label(text) => write!(out, "getByLabel({})", quote(text)),
            LocatorStep::Placeholder(text) => write!(out, "getByPlaceholder({})", quote(text)),
            LocatorStep::Text(text) => write!(out, "getByText({})", quote(text)),
            LocatorStep::ExactText(text) => {
                write!(out, "getByText({}, {{ exact: true }})", quote(text))
            }
            LocatorStep::Alt(text) => write!(out, "getByAltText({})", quote(text)),
            LocatorStep::Title(text) => write!(out, "getByTitle({})", quote(text)),
            LocatorStep::TestId(text) => write!(out, "getByTestId({})", quote(text)),
            // The selector engine is named (`css=`), because the text could otherwise choose another engine.
            LocatorStep::Css(css) => write!(out, "locator({})", quote(&format!("css={css}"))),
            LocatorStep::HasText(text) => write!(out, "filter({{ hasText: {} }})", quote(text)),
            LocatorStep::Nth(place) => write!(out, "nth({place})"),
            LocatorStep::Frame => write!(out, "contentFrame()"),
        };
    }
    // Only a locator has methods for frames and filters; `page` has none.
    match locator.steps().first() {
        Some(LocatorStep::HasText(_) | LocatorStep::Nth(_)) => format!("locator('*').{out}"),
        Some(LocatorStep::Frame) => format!("locator('iframe').{out}"),
        _ => out,
    }
}

fn quote(text: &str) -> String {
    format!(
        "'{}'",
        text.replace('\\', "\\\\")
            .replace('\'', "\\'")
            .replace('\n', "\\n")
    )
}

/// Returns the locator of the first element on which the code acts; `None` if the crate's grammar cannot express it.
/// `code` is the section "Ran Playwright code" of a reply.
pub(super) fn parse(code: &str) -> Option<Locator> {
    let line = code
        .lines()
        .find_map(|line| line.trim().strip_prefix("await page."))?;
    let mut rest = line;
    let mut steps = Vec::new();
    loop {
        let open = rest.find('(')?;
        let (method, arguments) = (&rest[..open], &rest[open + 1..]);
        let Some((step, after)) = step(method, arguments)? else {
            break;
        };
        steps.push(step);
        rest = after.strip_prefix('.')?;
    }
    if matches!(
        steps.first(),
        Some(LocatorStep::Nth(_) | LocatorStep::HasText(_) | LocatorStep::Frame)
    ) {
        return None;
    }
    Locator::new(steps).ok()
}

/// Parses one call in a chain. `arguments` is the text after the opening parenthesis. Returns the call's locator step
/// and the text after the call.
///
/// Returns `Some(None)` if the call is the action at the end of the chain, and `None` if the crate's grammar cannot
/// express the call.
#[expect(
    clippy::option_option,
    reason = "not understood, the end of the chain, and a step are three answers"
)]
fn step<'a>(method: &str, arguments: &'a str) -> Option<Option<(LocatorStep, &'a str)>> {
    let empty = || arguments.strip_prefix(')');
    let text = |make: fn(String) -> LocatorStep| {
        let (value, rest) = unquote(arguments)?;
        Some(Some((make(value), rest.strip_prefix(')')?)))
    };
    match method {
        "getByRole" => role(arguments).map(Some),
        "getByLabel" => text(LocatorStep::Label),
        "getByPlaceholder" => text(LocatorStep::Placeholder),
        "getByText" => {
            let (value, rest) = unquote(arguments)?;
            Some(Some(match rest.strip_prefix(", { exact: true })") {
                Some(rest) => (LocatorStep::ExactText(value), rest),
                None => (LocatorStep::Text(value), rest.strip_prefix(')')?),
            }))
        }
        "getByAltText" => text(LocatorStep::Alt),
        "getByTitle" => text(LocatorStep::Title),
        "getByTestId" => text(LocatorStep::TestId),
        "locator" => {
            text(|css| LocatorStep::Css(css.strip_prefix("css=").map(str::to_owned).unwrap_or(css)))
        }
        "filter" => {
            let (value, rest) = unquote(arguments.strip_prefix("{ hasText: ")?)?;
            Some(Some((
                LocatorStep::HasText(value),
                rest.strip_prefix(" })")?,
            )))
        }
        "first" => Some(Some((LocatorStep::Nth(0), empty()?))),
        "last" => Some(Some((LocatorStep::Nth(-1), empty()?))),
        "nth" => {
            let (place, rest) = arguments.split_once(')')?;
            Some(Some((LocatorStep::Nth(place.parse().ok()?), rest)))
        }
        "contentFrame" => Some(Some((LocatorStep::Frame, empty()?))),
        _ => Some(None),
    }
}

fn role(arguments: &str) -> Option<(LocatorStep, &str)> {
    let (role, rest) = unquote(arguments)?;
    let role = Role::parse(&role);
    if let Some(rest) = rest.strip_prefix(')') {
        return Some((
            LocatorStep::Role {
                role,
                name: None,
                exact: false,
            },
            rest,
        ));
    }
    let (name, rest) = unquote(rest.strip_prefix(", { name: ")?)?;
    let (exact, rest) = match rest.strip_prefix(", exact: true") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    Some((
        LocatorStep::Role {
            role,
            name: Some(name),
            exact,
        },
        rest.strip_prefix(" })")?,
    ))
}

/// Parses a JavaScript string in single quotes at the start of the text. Returns its content and the text after it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('\'')?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return Some((out, &text[at + 2..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    out.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                c @ ('\\' | '\'' | '"' | '/') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_the_tool_printed_for_real_pages_is_understood() {
        for (code, ours) in [
            (
                "await page.getByRole('button', { name: 'Go' }).click();",
                Some(r#"role=button[name="Go"]"#),
            ),
            (
                "await page.getByRole('textbox', { name: 'User name' }).fill('bob');",
                Some(r#"role=textbox[name="User name"]"#),
            ),
            (
                "await page.locator('button').first().hover();",
                Some(r#"css="button" >> nth=0"#),
            ),
            (
                "await page.locator('p').dragTo(page.locator('body'));",
                Some(r#"css="p""#),
            ),
            (
                "await page.locator('iframe').nth(1).contentFrame().getByLabel('It\\'s').check();",
                Some(r#"css="iframe" >> nth=1 >> frame >> label="It's""#),
            ),
            (
                "await page.getByRole('listitem').filter({ hasText: 'Kayak' }).getByRole('button', { name: 'Buy', exact: true }).click({\n  button: 'right'\n});",
                Some(r#"role=listitem >> has-text="Kayak" >> role=button[name="Buy" exact]"#),
            ),
            (
                "await page.getByText('Go', { exact: true }).click();",
                Some(r#"text="Go" exact"#),
            ),
            (
                "await page.getByLabel('Go', { exact: true }).click();",
                None,
            ),
            (
                "await page.getByRole('button', { name: /go/i }).click();",
                None,
            ),
            ("// Press Enter\nawait page.keyboard.press('Enter');", None),
            ("await page.goto('http://127.0.0.1/');", None),
            ("await fileChooser.setFiles([\"/x\"])", None),
            ("await (async page => {})(page);", None),
        ] {
            assert_eq!(
                parse(code).map(|l| l.to_string()).as_deref(),
                ours,
                "{code}"
            );
        }
    }

    fn steps() -> impl Strategy<Value = Vec<LocatorStep>> {
        let text = "[ -~äöü世]{1,12}";
        let first = prop_oneof![
            (
                prop::sample::select(vec![Role::Button, Role::Link, Role::ListItem]),
                prop::option::of(text),
                any::<bool>()
            )
                .prop_map(|(role, name, exact)| LocatorStep::Role {
                    role,
                    exact: exact && name.is_some(),
                    name
                }),
            text.prop_map(LocatorStep::Label),
            text.prop_map(LocatorStep::Text),
            text.prop_map(LocatorStep::ExactText),
            text.prop_map(LocatorStep::TestId),
            text.prop_map(LocatorStep::Placeholder),
            Just(LocatorStep::Css("li > a[href='x']".into())),
        ];
        let next = prop_oneof![
            Just(LocatorStep::Frame),
            (-3..40_i32).prop_map(LocatorStep::Nth),
            text.prop_map(LocatorStep::HasText),
            text.prop_map(LocatorStep::Label),
        ];
        (first, prop::collection::vec(next, 0..4)).prop_map(|(first, rest)| {
            let mut steps = vec![first];
            steps.extend(rest);
            steps
        })
    }

    proptest! {
        #[test]
        fn what_we_print_is_what_we_read(steps in steps()) {
            let locator = Locator::new(steps).unwrap();
            let code = format!("await page.{}.click();", print(&locator));
            prop_assert_eq!(parse(&code), Some(locator), "{}", code);
        }

        #[test]
        fn no_code_breaks_the_reader(code in "(await page\\.)?[a-zA-Z'\\\\(){}., ]{0,60}") {
            parse(&code);
        }
    }
}
