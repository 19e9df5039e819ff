//! Texts to be typed: literal texts, task parameters and secrets.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{
    base::{Error, ErrorKind, Result, name_type},
    secret::SecretName,
};

name_type!(
    /// The name of a task parameter: 1 to 40 ASCII letters, digits or `_`. The names of secrets follow the same rule.
    ParameterName,
    "parameter_name.parse"
);

/// The parameters of a task. The keys are the names of the parameters.
pub type Parameters = BTreeMap<ParameterName, String>;

/// A text to be typed into a field, or to be chosen in a select box.
///
/// The text is serialized as one string. If the whole string is `<secret:NAME>`, it stands for the secret of that
/// name, and the driver fills in the secret. If the whole string is `<param:NAME>`, it stands for the task parameter
/// of that name, and the loop fills in the parameter's value.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum TextValue {
    /// The text itself, as the model wrote it.
    Literal(String),
    /// The name of a parameter of the task. The loop types the parameter's value.
    Parameter(ParameterName),
    /// The name of a secret. The driver replaces the name by the secret just before it types the text.
    Secret(SecretName),
}

impl TextValue {
    /// Returns the parameter's value as a [`Literal`](Self::Literal) if this text is a
    /// [`Parameter`](Self::Parameter). A literal and a secret are returned unchanged.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the task has no such parameter.
    pub fn resolve(&self, parameters: &Parameters) -> Result<Self> {
        match self {
            Self::Parameter(name) => parameters
                .get(name)
                .map(|value| Self::Literal(value.clone()))
                .ok_or_else(|| {
                    Error::new(ErrorKind::InvalidInput, "text_value.resolve")
                        .with("unknown_parameter", name)
                }),
            other => Ok(other.clone()),
        }
    }

    /// Returns the name of the secret; `None` if the text is not a secret.
    pub const fn secret(&self) -> Option<&SecretName> {
        match self {
            Self::Secret(name) => Some(name),
            _ => None,
        }
    }

    /// Returns true if the text itself contains a line break, which is the key Enter when it is typed.
    pub(crate) fn has_line_break(&self) -> bool {
        matches!(self, Self::Literal(text) if text.contains(['\n', '\r']))
    }
}

impl From<String> for TextValue {
    fn from(text: String) -> Self {
        if let Some(name) = SecretName::from_placeholder(&text) {
            return Self::Secret(name);
        }
        let parameter = text
            .strip_prefix("<param:")
            .and_then(|t| t.strip_suffix('>'));
        match parameter.map(ParameterName::parse) {
            Some(Ok(name)) => Self::Parameter(name),
            _ => Self::Literal(text),
        }
    }
}

impl From<&str> for TextValue {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<TextValue> for String {
    fn from(value: TextValue) -> Self {
        value.to_string()
    }
}

impl fmt::Display for TextValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => f.write_str(text),
            Self::Parameter(name) => write!(f, "<param:{name}>"),
            Self::Secret(name) => f.write_str(&name.placeholder()),
        }
    }
}

impl fmt::Debug for TextValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl JsonSchema for TextValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TextValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_recognised_only_as_the_whole_text() {
        assert!(matches!(
            TextValue::from("<secret:PASSWORD>"),
            TextValue::Secret(_)
        ));
        assert!(matches!(
            TextValue::from("<param:city>"),
            TextValue::Parameter(_)
        ));
        assert!(matches!(
            TextValue::from("my <secret:PASSWORD>"),
            TextValue::Literal(_)
        ));
        assert_eq!(TextValue::from("<param:city>").to_string(), "<param:city>");
    }

    #[test]
    fn an_unknown_parameter_is_an_error_and_not_literal_text() {
        assert!(
            TextValue::from("<param:city>")
                .resolve(&Parameters::new())
                .is_err()
        );
    }
}
