//! Memory records in a form for people.

use std::fmt;

use serde_json::{Map, Value};

use super::Advice;
use crate::base::Host;

/// The origin of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// It is part of the program, which adds it again if it is removed.
    Shipped,
    /// Runs taught it.
    Learned,
    /// A person wrote or accepted it.
    Person,
    /// Another program wrote it, and no person has accepted it.
    Imported,
}

/// The standing of a record: does it appear in prompts, and if not, why?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Prompts show it wherever it applies.
    Shown,
    /// Prompts do not show it yet, for this reason.
    Silent(&'static str),
    /// Prompts show it only after a person has accepted its words.
    WaitsForReview,
    /// Prompts no longer show it, because it did harm.
    Retired,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shown => "shown",
            Self::Silent(why) => why,
            Self::WaitsForReview => "waits for you",
            Self::Retired => "retired",
        })
    }
}

/// A record in a form for people, made by the kind of memory that owns the record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// The words as a prompt shows them.
    pub text: String,
    /// The origin of the record.
    pub origin: Origin,
    /// The standing of the record in prompts.
    pub standing: Standing,
    /// A few words for a list that say what kind of record this is; may be empty.
    pub is: String,
    /// A few words for a list about its results so far; may be empty.
    pub results: String,
    /// The hosts that taught it, in addition to the host of its shelf.
    pub hosts: Vec<Host>,
    /// All other details, as pairs of a label and a line of text.
    pub details: Vec<(&'static str, String)>,
    /// The same details for programs, under field names of the kind's choice.
    pub data: Map<String, Value>,
}

impl Described {
    /// A record with these words, which are converted to the form that a prompt shows.
    pub fn new(words: &str, origin: Origin, standing: Standing) -> Self {
        Self {
            text: Advice::shown(words),
            origin,
            standing,
            is: String::new(),
            results: String::new(),
            hosts: Vec::new(),
            details: Vec::new(),
            data: Map::new(),
        }
    }
}
