//! Kinds of failure. Memory looks up a lesson (advice from earlier runs) by the kind of failure.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ErrorClass, Outcome};
use crate::base::{Error, ErrorKind};

/// The kind of failure of a tool call, or the kind of failures to which a lesson (advice that memory learned from
/// earlier runs) applies. It is serialized as `any`, `no_effect`, or the name of the error class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FailureKind {
    /// Any outcome, even a success.
    Any,
    /// The call was carried out, but nothing changed on the page.
    NoEffect,
    /// The call failed with an error of this class.
    Failed(ErrorClass),
}

impl FailureKind {
    /// Returns the kind of failure of an outcome; `None` if the action succeeded or may have succeeded.
    pub const fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Done | Outcome::Unclear(_) => None,
            Outcome::NoEffect => Some(Self::NoEffect),
            Outcome::Failed(failure) => Some(Self::Failed(failure.class)),
        }
    }

    /// Returns the kind as text, as events and files contain it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::NoEffect => "no_effect",
            Self::Failed(class) => class.as_str(),
        }
    }
}

impl TryFrom<String> for FailureKind {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let class = || {
            ErrorClass::ALL
                .iter()
                .copied()
                .find(|class| class.as_str() == text)
                .map(Self::Failed)
        };
        match text.as_str() {
            "any" => Ok(Self::Any),
            "no_effect" => Ok(Self::NoEffect),
            _ => class().ok_or_else(|| {
                Error::new(ErrorKind::InvalidInput, "failure_kind.parse").with("text", &text)
            }),
        }
    }
}

impl From<FailureKind> for String {
    fn from(trouble: FailureKind) -> Self {
        trouble.as_str().to_owned()
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
