//! Notes about committed changes of memory, emitted as events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AdviceId;
use crate::base::Site;

/// A committed change of memory. Any kind of memory may use [`Note::Changed`]. The other variants are for lessons and
/// correspond to the documented events of the same names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// A record of any kind was changed.
    Changed {
        /// The id of the record. Its collection is the name of the kind.
        id: AdviceId,
        /// A word for the change, such as `recorded`. The kind of memory to which the record belongs chooses it.
        what: String,
        /// The record's text.
        text: String,
        /// Data chosen by the kind of memory to which the record belongs; null if there is none. If the run used the
        /// record, the data has the fields `used`, `followed`, `helped` and `harmed`, with the same meaning as in
        /// [`Note::Credited`].
        data: Value,
    },
    /// A lesson was added.
    Recorded {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// The lesson's category.
        category: String,
        /// The command whose failure the lesson is about.
        failed_command: Option<String>,
        /// The error to which the lesson applies: an error class for a learned lesson, a text to match for a person's
        /// lesson.
        error_pattern: Option<String>,
    },
    /// A run learned or used a lesson that was already stored.
    Deduplicated {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of uses, including this one.
        new_use_count: u64,
    },
    /// A lesson was promoted: from now on it is advice for every run.
    Promoted {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of uses.
        use_count: u64,
        /// The sites on which the lesson was used.
        triggered_domains: Vec<Site>,
    },
    /// A lesson was demoted: it is no longer advice for every run, because newer runs do not support it.
    Demoted {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of uses that helped.
        helped: u64,
        /// Number of uses that did not help.
        harmed: u64,
    },
    /// A lesson was retired: it did harm and is no longer shown.
    Retired {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of uses that helped.
        helped: u64,
        /// Number of uses that did not help.
        harmed: u64,
    },
    /// A lesson was credited with its results in this run.
    Credited {
        /// The lesson's id.
        id: AdviceId,
        /// The site on which the results were obtained.
        site: Option<Site>,
        /// True if the lesson's failure happened and its recovery was carried out.
        used: bool,
        /// True if the lesson had been shown before its recovery was carried out.
        followed: bool,
        /// True if the recovery restored the effect of the failed action.
        helped: bool,
        /// True if the recovery did not help.
        harmed: bool,
    },
    /// Stale lessons were removed.
    Pruned {
        /// Number of lessons removed.
        pruned_count: usize,
        /// Number of lessons that the shelf still holds.
        remaining_count: usize,
    },
    /// The lessons with the least evidence were removed from a full shelf.
    Compacted {
        /// Number of lessons removed.
        removed_count: usize,
        /// Number of lessons left on the shelf.
        remaining_count: usize,
    },
}
