//! Durable locators, which find an element again on the next load of a page. Texts in a locator are quoted, so that no text
//! can be mistaken for a part of the locator's syntax.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Role;
use crate::base::{Error, ErrorKind, Result};

/// Maximum length of each text in a locator. Unit: characters. Source: chosen, the same as for stored strings.
pub const MAX_LOCATOR_TEXT: usize = 300;
/// Maximum number of steps of a locator. Source: chosen; drivers print up to 5.
pub const MAX_LOCATOR_STEPS: usize = 8;

/// One step of a [`Locator`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LocatorStep {
    /// Finds elements by role and, if a name is given, by accessible name.
    Role {
        /// The role of the elements.
        role: Role,
        /// The accessible name of the elements. If `exact` is false, case is ignored and a part of the name is enough.
        name: Option<String>,
        /// True if the elements must have exactly this name, with the same upper and lower case.
        exact: bool,
    },
    /// Finds elements, such as form fields, by their label.
    Label(String),
    /// Finds a field by its placeholder text.
    Placeholder(String),
    /// Finds elements by their text. Case is ignored and a part of the text is enough.
    Text(String),
    /// Finds elements by their whole text. Upper and lower case must match.
    ExactText(String),
    /// Finds an image by its `alt` text.
    Alt(String),
    /// Finds elements by their `title` attribute.
    Title(String),
    /// Finds elements by their test id attribute.
    TestId(String),
    /// Finds elements by a CSS selector, which may contain only ASCII letters, digits and `#.-_[]="'>: ()*~^$|,+`. It
    /// may contain neither `>>` nor `://`. A selector without commas that ends in `:visible` matches only visible
    /// elements.
    Css(String),
    /// Keeps only those matches of the previous step that contain this text.
    HasText(String),
    /// Keeps only the match of the previous step at this position, counted from 0. A negative number counts from the end: -1
    /// is the last match.
    Nth(i32),
    /// Directs the search into a frame. The steps before this one find the frame, and the steps after this one search inside
    /// it.
    Frame,
}

/// A chain of steps. Each step searches inside the matches of the step before it, or selects some of them.
///
/// In the text form, a step is written as its kind and its value, such as `role=button`. Texts are JSON strings. Steps
/// are joined by ` >> `:
///
/// ```
/// use webwise::page::Locator;
///
/// let text = r#"role=listitem >> has-text="Kayak" >> role=button[name="Buy"]"#;
/// assert_eq!(Locator::parse(text)?.to_string(), text);
/// assert!(Locator::parse("javascript:alert(1)").is_err());
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Locator(Vec<LocatorStep>);

impl Locator {
    /// Creates a locator from these steps.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] in these cases:
    ///
    /// - There are no steps, or more than [`MAX_LOCATOR_STEPS`].
    /// - A role is not in the known set.
    /// - A text is empty, except the exact name of a role, longer than [`MAX_LOCATOR_TEXT`], or contains a character for which
    ///   [`is_deceptive`](crate::base::text::is_deceptive) returns true. Newlines and tabs are allowed.
    /// - A CSS selector contains text that [`LocatorStep::Css`] does not allow.
    pub fn new(steps: Vec<LocatorStep>) -> Result<Self> {
        let fine = (1..=MAX_LOCATOR_STEPS).contains(&steps.len()) && steps.iter().all(step_is_fine);
        if fine {
            Ok(Self(steps))
        } else {
            Err(invalid("a chain of 1 to 8 steps with short plain texts"))
        }
    }

    /// Returns the steps in order.
    pub fn steps(&self) -> &[LocatorStep] {
        &self.0
    }

    /// Returns the words by which a model gives this locator, `"Send"` or `button "Send"`; `None` if it has no such form.
    pub(crate) fn spoken(&self) -> Option<String> {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match &self.0[..] {
            [
                LocatorStep::Role {
                    role,
                    name,
                    exact: false,
                },
            ] => Some(format!("{role} {}", quoted(name.as_deref()?))),
            [LocatorStep::Text(words)] => Some(quoted(words)),
            _ => None,
        }
    }

    /// Parses a locator from its text form.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the text is not the text form of a locator.
    pub fn parse(text: &str) -> Result<Self> {
        let mut rest = text.trim();
        let mut steps = Vec::new();
        loop {
            let (step, after) = parse_step(rest)?;
            steps.push(step);
            match after.strip_prefix(" >> ") {
                Some(next) => rest = next,
                None if after.is_empty() => return Self::new(steps),
                None => return Err(invalid("` >> ` between steps")),
            }
        }
    }
}

fn invalid(expected: &'static str) -> Error {
    Error::new(ErrorKind::InvalidInput, "locator.parse").with("expected", expected)
}

fn step_is_fine(step: &LocatorStep) -> bool {
    let text_is_fine = |t: &str| {
        !t.is_empty()
            && t.chars().count() <= MAX_LOCATOR_TEXT
            && !t.chars().any(crate::base::text::is_deceptive)
    };
    match step {
        LocatorStep::Role { role, name, exact } => {
            let is_fine = |name| text_is_fine(name) || (*exact && name.is_empty());
            !matches!(role, Role::Other(_)) && name.as_deref().is_none_or(is_fine)
        }
        LocatorStep::Css(css) => {
            text_is_fine(css)
                && css
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "#.-_[]=\"'>: ()*~^$|,+".contains(c))
                && !css.contains(">>")
                && !css.contains("://")
        }
        LocatorStep::Label(t)
        | LocatorStep::Placeholder(t)
        | LocatorStep::Text(t)
        | LocatorStep::ExactText(t)
        | LocatorStep::Alt(t)
        | LocatorStep::Title(t)
        | LocatorStep::TestId(t)
        | LocatorStep::HasText(t) => text_is_fine(t),
        LocatorStep::Nth(_) | LocatorStep::Frame => true,
    }
}

/// Parses the JSON string at the start of a text. Returns its value and the rest of the text.
fn quoted(text: &str) -> Result<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match stream.next() {
        Some(Ok(value)) => Ok((value, &text[stream.byte_offset()..])),
        _ => Err(invalid("a JSON string")),
    }
}

fn parse_step(text: &str) -> Result<(LocatorStep, &str)> {
    if let Some(after) = text
        .strip_prefix("frame")
        .filter(|after| after.is_empty() || after.starts_with(" >> "))
    {
        return Ok((LocatorStep::Frame, after));
    }
    let (strategy, rest) = text
        .split_once('=')
        .ok_or_else(|| invalid("strategy=value"))?;
    if strategy == "role" {
        return parse_role(rest);
    }
    if strategy == "nth" {
        let end = rest.find(' ').unwrap_or(rest.len());
        let place = rest[..end]
            .parse()
            .map_err(|_| invalid("a number after nth="))?;
        return Ok((LocatorStep::Nth(place), &rest[end..]));
    }
    let (value, after) = quoted(rest)?;
    if let Some(after) = after.strip_prefix(" exact").filter(|_| strategy == "text") {
        return Ok((LocatorStep::ExactText(value), after));
    }
    let step = match strategy {
        "label" => LocatorStep::Label(value),
        "placeholder" => LocatorStep::Placeholder(value),
        "text" => LocatorStep::Text(value),
        "alt" => LocatorStep::Alt(value),
        "title" => LocatorStep::Title(value),
        "testid" => LocatorStep::TestId(value),
        "css" => LocatorStep::Css(value),
        "has-text" => LocatorStep::HasText(value),
        _ => {
            return Err(invalid(
                "role, label, placeholder, text, alt, title, testid, css, has-text, nth or frame",
            ));
        }
    };
    Ok((step, after))
}

fn parse_role(rest: &str) -> Result<(LocatorStep, &str)> {
    let end = rest
        .find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .unwrap_or(rest.len());
    let role = Role::parse(&rest[..end]);
    let Some(named) = rest[end..].strip_prefix("[name=") else {
        return Ok((
            LocatorStep::Role {
                role,
                name: None,
                exact: false,
            },
            &rest[end..],
        ));
    };
    let (name, after) = quoted(named)?;
    let (exact, after) = match after.strip_prefix(" exact]") {
        Some(after) => (true, after),
        None => (
            false,
            after
                .strip_prefix(']')
                .ok_or_else(|| invalid("`]` after the name"))?,
        ),
    };
    Ok((
        LocatorStep::Role {
            role,
            name: Some(name),
            exact,
        },
        after,
    ))
}

impl fmt::Display for LocatorStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = |text: &str| serde_json::Value::from(text);
        match self {
            Self::Role {
                role, name: None, ..
            } => write!(f, "role={role}"),
            Self::Role {
                role,
                name: Some(name),
                exact,
            } => {
                write!(
                    f,
                    "role={role}[name={}{}]",
                    json(name),
                    if *exact { " exact" } else { "" }
                )
            }
            Self::Label(t) => write!(f, "label={}", json(t)),
            Self::Placeholder(t) => write!(f, "placeholder={}", json(t)),
            Self::Text(t) => write!(f, "text={}", json(t)),
            Self::ExactText(t) => write!(f, "text={} exact", json(t)),
            Self::Alt(t) => write!(f, "alt={}", json(t)),
            Self::Title(t) => write!(f, "title={}", json(t)),
            Self::TestId(t) => write!(f, "testid={}", json(t)),
            Self::Css(t) => write!(f, "css={}", json(t)),
            Self::HasText(t) => write!(f, "has-text={}", json(t)),
            Self::Nth(place) => write!(f, "nth={place}"),
            Self::Frame => f.write_str("frame"),
        }
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" >> ")?;
            }
            write!(f, "{step}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Locator {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Locator> for String {
    fn from(locator: Locator) -> Self {
        locator.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back_as_it_was_printed() {
        for text in [
            "role=button",
            r#"role=button[name="Go \"now\" >> x"]"#,
            r#"role=heading[name="Title" exact] >> nth=-1"#,
            r##"css="#main > li.item[data-id=\"4\"]" >> frame >> label="User name""##,
            r#"testid="row-4" >> has-text="Kayak" >> nth=0"#,
            r#"text="in" exact >> nth=0"#,
            r#"role=textbox[name="" exact]"#,
        ] {
            assert_eq!(Locator::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_leaves_the_grammar_is_refused() {
        for text in [
            "",
            "button",
            "role=blink",
            "role=button >>",
            r#"role=button[name="x""#,
            r#"css="a{}""#,
            r#"css="internal:x >> y""#,
            r#"text="""#,
            r#"role=textbox[name=""]"#,
            "nth=x",
            r#"xpath="//a""#,
            r#"text="a" text="b""#,
            r#"text="a" exactly"#,
            r#"label="a" exact"#,
        ] {
            assert!(Locator::parse(text).is_err(), "{text}");
        }
        let chain = ["role=button"; 9].join(" >> ");
        assert!(Locator::parse(&chain).is_err());
    }
}
