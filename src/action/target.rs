//! The target of an action.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::spoken;
use crate::{
    base::{Error, Result},
    page::{ElementRef, Locator, Role},
};

/// The target of an action. It is either a reference, such as `e12`, which the current observation gave to an element,
/// or a locator, which describes the element, such as `text="Reply"`.
///
/// A model uses a locator if the element has no reference, or if the model knows only the words on the element.
///
/// ```
/// use webwise::action::Target;
///
/// assert!(matches!(Target::parse("@e22")?, Target::Ref(_)));
/// assert!(matches!(Target::parse(r#"css="span.star""#)?, Target::Locator(_)));
/// assert_eq!(Target::parse(r#"button "Reply""#)?.to_string(), r#"role=button[name="Reply"]"#);
/// assert_eq!(Target::parse("Reply")?.to_string(), r#"text="Reply""#);
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// A reference to an element. It is valid only for the current observation.
    Ref(ElementRef),
    /// A locator. Its element is looked up when the action runs.
    Locator(Locator),
}

impl Target {
    /// Parses a target as a model writes it:
    ///
    /// - a reference such as `e12`, also with copied marks (`@e12`, `[ref=e12]`, `ref=e12`) or followed by the words that
    ///   prompts print (`e12 button "Reply"`);
    /// - a locator, also without its quotes (`text=Reply`);
    /// - a role and a quoted name (`button "Reply"`);
    /// - any other text, which is taken as the visible text of an element.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) if the text is a malformed locator, or a locator
    /// in the grammar of another tool, such as `XPath`. The error says which forms a target may have.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let bare = text
            .trim_start_matches(['@', '[', '#'])
            .trim_end_matches(']');
        let bare = bare.strip_prefix("ref=").unwrap_or(bare).trim_matches('"');
        if ElementRef::is_valid(bare) {
            return Ok(Self::Ref(ElementRef::parse(bare)?));
        }
        // This is the form in which a prompt prints an element.
        let mut words = text.strip_prefix("- ").unwrap_or(text).split_whitespace();
        if let (Some(reference), Some(next)) = (words.next(), words.next())
            && ElementRef::is_valid(reference)
            && (next.starts_with('"') || !matches!(Role::parse(next), Role::Other(_)))
        {
            return Ok(Self::Ref(ElementRef::parse(reference)?));
        }
        spoken::locator(text).map(Self::Locator)
    }

    /// Returns the reference; `None` if the target is a locator.
    pub const fn as_ref(&self) -> Option<&ElementRef> {
        match self {
            Self::Ref(reference) => Some(reference),
            Self::Locator(_) => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ref(reference) => reference.fmt(f),
            Self::Locator(locator) => locator.fmt(f),
        }
    }
}

impl TryFrom<String> for Target {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.to_string()
    }
}

impl JsonSchema for Target {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Target".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigils_that_models_copy_are_understood() {
        for text in [
            "e22",
            "@e22",
            "[ref=e22]",
            "ref=e22",
            " e22 ",
            "#e22",
            r#"e22 button "Reply" [disabled]"#,
            r#"e22 "star" 1 of 5 [clickable]"#,
            r#"- e22 link "Kayak""#,
        ] {
            assert_eq!(Target::parse(text).unwrap().to_string(), "e22", "{text}");
        }
        assert!(matches!(
            Target::parse("e22 is it").unwrap(),
            Target::Locator(_)
        ));
    }
}
