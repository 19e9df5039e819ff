//! Memory records in a form for people.

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
    /// The record was learned from runs.
    Learned,
    /// A person wrote or accepted the record.
    Person,
    /// Another program wrote the record, and no person has accepted it.
    Imported,
}

/// The standing of a record: whether it appears in prompts and, if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Prompts show the record wherever it applies.
    Shown,
    /// Prompts do not show the record yet, for this reason.
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

/// The number of times that an item was shown to runs, and the results. Lessons, trajectories and patterns count in this way, and the list, an
/// explanation and a report show the same counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Number of runs with a prompt that contained the item.
    pub shown: u64,
    /// Number of times that a run did what the item says: it carried out a lesson's recovery, whether after the failure or in
    /// advance, or took steps of a trajectory from memory or at least half of them. A run can do so without having been shown the
    /// item.
    pub used: u64,
    /// Number of times that this led where it should: the action had its effect, or the run reached its goal.
    pub helped: u64,
    /// Number of times that the item was in vain: it was used without effect, or a run that was shown a trajectory did not reach
    /// its goal.
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

/// The result of a run that was shown an item which consists of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Use {
    /// The run took the steps, and they led where they should. For a trajectory, half of the steps are enough if the run reached
    /// its goal.
    Helped,
    /// The run reached its goal in another way, or did not take the steps.
    Ignored,
    /// The run took steps, and its end says nothing about them: somebody else ended it, or it reached its goal in another way.
    Used,
    /// The run took steps of a trajectory and did not reach its goal, or a step of a pattern failed.
    Failed,
    /// The run was shown a trajectory, did not take its steps, and did not reach its goal.
    InVain,
}

impl Use {
    /// Returns the result as the fields of a note.
    pub(super) fn told(self) -> Value {
        let (used, helped, harmed) = (self.is_use(), self == Self::Helped, self.is_harm());
        json!({ "result": self, "used": used, "followed": used, "helped": helped, "harmed": harmed })
    }

    /// Returns true if the run took steps of the item.
    pub(super) const fn is_use(self) -> bool {
        matches!(self, Self::Helped | Self::Used | Self::Failed)
    }

    /// Returns true if the result counts against the item.
    pub(super) const fn is_harm(self) -> bool {
        matches!(self, Self::Failed | Self::InVain)
    }
}

/// A record in a form for people, made by the kind of memory that owns the record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Described {
    /// The words as a prompt shows them. Of an item that waits for review, everything that a person accepts.
    pub text: String,
    /// The origin of the record.
    pub origin: Origin,
    /// The standing of the record in prompts.
    pub standing: Standing,
    /// The kind of record, in a few words for a list; may be empty.
    pub is: String,
    /// The results of the record so far, in a few words for a list; may be empty.
    pub results: String,
    /// The hosts that taught it, in addition to the host of its shelf.
    pub hosts: Vec<Host>,
    /// All other details, as pairs of a label and a line of text.
    pub details: Vec<(&'static str, String)>,
    /// The lines of a prompt with the item, if they say more than its text.
    pub prompt: Vec<String>,
    /// The same details for programs, under field names of the kind's choice.
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
