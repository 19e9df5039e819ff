//! How an action ended.

use serde::{Deserialize, Serialize};

use super::ErrorClass;

/// Why an action failed: our class, and the page's or driver's own words beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The closed class.
    pub class: ErrorClass,
    /// What the driver printed: page data, cleaned, at most [`Failure::MAX_DETAIL`] characters; never stored in memory.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    /// Longest detail kept. Unit: characters. Source: chosen; a blocked click prints 1,500, of which the first lines tell.
    pub const MAX_DETAIL: usize = 400;

    /// A failure of this class; the detail is cleaned, squeezed to one line and cut.
    pub fn new(class: ErrorClass, detail: &str) -> Self {
        use crate::base::text::{clean, squeeze, truncate};
        Self {
            class,
            detail: truncate(&squeeze(&clean(detail)), Self::MAX_DETAIL),
        }
    }
}

/// How an action ended. Machinery that broke is an [`Error`](crate::Error) instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is positive evidence that it was carried out.
    Done,
    /// The driver said yes and the page did not change, though this action should have changed it.
    NoEffect,
    /// The page or a guard said no.
    Failed(Failure),
    /// The driver saw it fail, but another page was shown in the meantime: it may have worked. Doing it again may do it twice.
    Unclear(Failure),
}

impl Outcome {
    /// A failure of this class.
    pub fn failed(class: ErrorClass, detail: &str) -> Self {
        Self::Failed(Failure::new(class, detail))
    }

    /// Whether it was carried out with effect.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// The failure's class, if it failed.
    pub const fn class(&self) -> Option<ErrorClass> {
        match self {
            Self::Failed(failure) => Some(failure.class),
            _ => None,
        }
    }

    /// `done`, `no_effect`, `unclear` or the class.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NoEffect => "no_effect",
            Self::Failed(failure) => failure.class.as_str(),
            Self::Unclear(_) => "unclear",
        }
    }
}
