//! Records of memory as a person reads them.

use std::fmt;

use serde_json::{Map, Value};

use super::Advice;
use crate::base::Host;

/// Where a record comes from.
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

/// The part of a record in prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Prompts show it where it applies.
    Shown,
    /// No prompt shows it yet, for this reason.
    Silent(&'static str),
    /// No prompt shows it before a person has accepted its words.
    WaitsForReview,
    /// No prompt shows it any more, because it did harm.
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

/// A record as a person reads it, described by the kind of memory that owns it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// The words, as a prompt shows them.
    pub text: String,
    /// Where the record comes from.
    pub origin: Origin,
    /// Its part in prompts.
    pub standing: Standing,
    /// What it is, in a few words for a list; may be empty.
    pub is: String,
    /// What came of it, in a few words for a list; may be empty.
    pub results: String,
    /// The hosts that taught it, beside the host of its shelf.
    pub hosts: Vec<Host>,
    /// Everything else about it: what each line is, and the line.
    pub details: Vec<(&'static str, String)>,
    /// The same for programs, under names of the kind's own.
    pub data: Map<String, Value>,
}

impl Described {
    /// A record that says these words, which are put into the form that a prompt shows.
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
