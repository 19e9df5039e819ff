//! The outcome of an action: done, without effect, failed or unclear.

use serde::{Deserialize, Serialize};

use super::ErrorClass;

/// The reason why an action failed: a class from a closed set, and the message of the page or driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The class of the failure.
    pub class: ErrorClass,
    /// The driver's message. It may contain text of the page, so it is cleaned of control characters, cut to
    /// [`Failure::MAX_DETAIL`] characters, and never stored in memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    /// Maximum length of [`Failure::detail`]. Unit: characters. Source: chosen; a driver's message about a blocked
    /// click has about 1,500 characters, and its first lines say enough.
    pub const MAX_DETAIL: usize = 400;

    /// Creates a failure of this class. The detail is cleaned of control characters, put on one line and cut to
    /// [`Failure::MAX_DETAIL`] characters.
    pub fn new(class: ErrorClass, detail: &str) -> Self {
        use crate::base::text::{clean, squeeze, truncate};
        Self {
            class,
            detail: truncate(&squeeze(&clean(detail)), Self::MAX_DETAIL),
        }
    }
}

/// The outcome of an action. If the driver itself breaks down, it returns an [`Error`](crate::Error) instead of an
/// outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is positive evidence that the action was carried out.
    Done,
    /// The driver reported success, but the page did not change as it should have.
    NoEffect,
    /// The action failed, or it was refused by the page, by the driver or by a guard (a check of the loop).
    Failed(Failure),
    /// It is not known whether the action worked. For example, the driver saw it fail but another page appeared
    /// meanwhile, or the run was interrupted while the action was carried out. If the action is tried again, it may be
    /// carried out twice.
    Unclear(Failure),
}

impl Outcome {
    /// Creates an [`Outcome::Failed`] with a failure of this class.
    pub fn failed(class: ErrorClass, detail: &str) -> Self {
        Self::Failed(Failure::new(class, detail))
    }

    /// Returns true if the outcome is [`Outcome::Done`]: there is evidence that the action was carried out.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Returns the error class of [`Outcome::Failed`]; `None` for any other outcome.
    pub const fn class(&self) -> Option<ErrorClass> {
        match self {
            Self::Failed(failure) => Some(failure.class),
            _ => None,
        }
    }

    /// Returns the outcome as text: `done`, `no_effect`, `unclear` or the class of the failure.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NoEffect => "no_effect",
            Self::Failed(failure) => failure.class.as_str(),
            Self::Unclear(_) => "unclear",
        }
    }
}
