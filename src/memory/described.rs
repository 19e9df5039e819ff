//! Descriptions of memory records for people.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Advice;
use crate::base::Host;

/// The origin of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// The record is part of the program, which adds it again if it is removed.
    Shipped,
    /// The record was learned from runs or from an exploration of a site.
    Learned,
    /// A person wrote or accepted the record.
    Person,
    /// The record comes from another person's export or another program's memory, and no person has accepted it.
    Imported,
}

/// The standing of a record: whether prompts show it and, if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Prompts show the record wherever it applies.
    Shown,
    /// Prompts do not show the record now, and some records never. The text gives the reason.
    Silent(&'static str),
    /// Prompts do not show the record until a person has accepted its words.
    WaitsForReview,
    /// Prompts no longer show the record, because it did harm.
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

/// The counts for a lesson or a recipe: how often it was shown and used, and how often it helped or not. For a recipe, only the
/// latest results are counted, at most [`MAX_RESULTS`](super::recipe::MAX_RESULTS).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Number of runs in which a prompt contained the item.
    pub shown: u64,
    /// Number of times that runs used the item, with or without success:
    ///
    /// - Lesson: the run carried out the recovery that the lesson advises, after the failure or in advance, or it was
    ///   shown the lesson and at least began the recovery. A lesson in free text counts as used if it was shown
    ///   after the failure.
    /// - Recipe: the run took steps of it.
    ///
    /// A run can use a lesson that it was not shown. Descriptions of a lesson do not count the run that taught it;
    /// [`Counts::uses`](super::lesson::Counts::uses) does.
    pub used: u64,
    /// Number of successful uses: the recovery that a lesson advises restored the effect of the failed action or
    /// prevented the failure, or the model chose the recipe and the run reached its goal.
    pub helped: u64,
    /// Number of times that the item did harm or did not help: a lesson was used without success; a step of a recipe failed, led
    /// to another page than when it was recorded, or filled a field that the run filled again. Interrupted runs do not count.
    pub harmed: u64,
}

impl fmt::Display for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            shown,
            used,
            helped,
            harmed,
        } = self;
        write!(
            f,
            "shown {shown}, used {used}, helped {helped}, harmed {harmed}"
        )
    }
}

/// The result of a recipe in a run: whether the run followed it, and whether that helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Use {
    /// The model chose the recipe, and the run reached its goal.
    Helped,
    /// The run was shown the recipe and took no step of it.
    Ignored,
    /// The run took steps of the recipe, but its end does not show whether they helped.
    Used,
    /// A step of the recipe did not do what was recorded, or the run filled its field again.
    Failed,
}

impl Use {
    /// Returns the result as the data of a [`Note`](super::Note).
    pub(super) fn told(self) -> Value {
        let (used, helped, harmed) = (self.is_use(), self == Self::Helped, self.is_harm());
        json!({ "result": self, "used": used, "followed": used, "helped": helped, "harmed": harmed })
    }

    pub(super) const fn is_use(self) -> bool {
        matches!(self, Self::Helped | Self::Used | Self::Failed)
    }

    pub(super) const fn is_harm(self) -> bool {
        matches!(self, Self::Failed)
    }
}

/// A description of a record for people, written by the kind of memory that owns the record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// The words as a prompt shows them. For an item that waits for review, the complete text to be accepted.
    pub text: String,
    /// The origin of the record.
    pub origin: Origin,
    /// The standing of the record.
    pub standing: Standing,
    /// The type of the record, as a list shows it, such as `pattern of 3 steps, search`; may be empty.
    pub is: String,
    /// The results of the record so far, as a list shows them; may be empty.
    pub results: String,
    /// The hosts on which the record was learned, in addition to the host of its shelf.
    pub hosts: Vec<Host>,
    /// All other details, as pairs of a label and a line of text.
    pub details: Vec<(&'static str, String)>,
    /// The lines by which a prompt shows the item; empty if they say no more than `text`.
    pub prompt: Vec<String>,
    /// The details of the record for programs. Each kind of memory chooses its own field names.
    pub data: Map<String, Value>,
}

impl Described {
    /// Creates a description with these words, converted to the form that a prompt shows.
    pub fn new(words: &str, origin: Origin, standing: Standing) -> Self {
        Self {
            text: Advice::shown(words),
            origin,
            standing,
            is: String::new(),
            results: String::new(),
            hosts: Vec::new(),
            details: Vec::new(),
            prompt: Vec::new(),
            data: Map::new(),
        }
    }
}
