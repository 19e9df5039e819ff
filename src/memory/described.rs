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

/// The counts for a lesson, a trajectory or a pattern: how often it was shown and used, and how often it helped or not.
/// For a trajectory, only the latest results are counted, at most [`MAX_RESULTS`](super::trajectory::MAX_RESULTS).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Number of runs in which a prompt contained the item. Runs that only replayed steps of a trajectory are counted
    /// too, and so are uses of a pattern that [`credit`](super::pattern::credit) reported.
    pub shown: u64,
    /// Number of times that runs used the item, with or without success:
    ///
    /// - Lesson: the run carried out the recovery that the lesson advises, after the failure or in advance, or it was
    ///   shown the lesson and at least began the recovery. A lesson in free text counts as used if it was shown
    ///   after the failure.
    /// - Trajectory: the run replayed steps of it, or took at least half of its steps by its own decisions.
    /// - Pattern: the run took all of its steps, or tried to take one and failed.
    ///
    /// A run can use a lesson that it was not shown. Descriptions of a lesson do not count the run that taught it;
    /// [`Counts::uses`](super::lesson::Counts::uses) does.
    pub used: u64,
    /// Number of successful uses: the recovery that a lesson advises restored the effect of the failed action or
    /// prevented the failure, all steps of the pattern were carried out, or the run took at least half of the
    /// trajectory's steps and reached its goal.
    pub helped: u64,
    /// Number of times that the item did not help: it was used without success, or, for a trajectory, a run did not reach
    /// its goal although a prompt had shown the trajectory. Interrupted runs do not count.
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

/// The result of a trajectory or pattern in a run: whether the run took its steps, and whether they helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Use {
    /// The run took the steps successfully. For a trajectory, half of the steps are enough if the run reached its goal.
    Helped,
    /// The run skipped a step of a pattern, but no step failed, or the run was interrupted. Or the run reached its goal
    /// without the steps of a trajectory.
    Ignored,
    /// The run took steps of a trajectory, but the end of the run does not show whether they helped. Either the run was
    /// interrupted, or it reached its goal mostly by other steps, or it had another task and replayed only a few steps.
    Used,
    /// The run took steps of a trajectory and did not reach its goal, or a step of a pattern failed.
    Failed,
    /// The run was shown a trajectory, did not take its steps, and did not reach its goal.
    InVain,
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
        matches!(self, Self::Failed | Self::InVain)
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
