//! Notes about committed changes of memory. They are emitted as events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AdviceId;
use crate::base::Site;

/// A report of a committed change of memory. Any kind of memory may use [`Note::Changed`]. The other variants are for
/// lessons; each becomes an event such as `lesson_recorded`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// A record was changed.
    Changed {
        /// The id of the record. It contains the name of the record's kind of memory.
        id: AdviceId,
        /// A word for the change, such as `recorded`.
        what: String,
        /// The record's text; empty if the record was removed.
        text: String,
        /// Further data; null if there are none. If a run used the record, the data have the fields `used`, `followed`,
        /// `helped` and `harmed`, as in [`Note::Credited`].
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
        /// The command whose failure the lesson is about; `None` if the lesson names no command.
        failed_command: Option<String>,
        /// The kind of failure to which the lesson applies, such as `no_effect`, as written by
        /// [`FailureKind::as_str`](crate::action::FailureKind::as_str). `None` if the lesson names no kind of failure.
        error_pattern: Option<String>,
    },
    /// A run learned or used a lesson that was already stored.
    Deduplicated {
        /// The id of the stored lesson.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of cases in which the lesson was used, including this run. A case is one run on one site.
        new_use_count: u64,
    },
    /// A lesson was promoted: from now on it is advice for every run.
    Promoted {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of cases in which the lesson was used. A case is one run on one site.
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
        /// Number of cases in which the lesson helped. A case is one run on one site.
        helped: u64,
        /// Number of cases in which the lesson was followed and did not help. A case is one run on one site.
        harmed: u64,
    },
    /// A lesson was retired: it did harm and is no longer shown.
    Retired {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of cases in which the lesson helped. A case is one run on one site.
        helped: u64,
        /// Number of cases in which the lesson was followed and did not help. A case is one run on one site.
        harmed: u64,
    },
    /// A lesson was used or followed in this run, and the result was counted.
    Credited {
        /// The lesson's id.
        id: AdviceId,
        /// The site on which the lesson was used or followed.
        site: Option<Site>,
        /// True if the case counts as a use, as described for [`Counts::used`](super::lesson::Counts::used).
        used: bool,
        /// True if the run was shown the lesson before it carried out the recovery.
        followed: bool,
        /// True if the lesson's recovery achieved what the failed action was meant to do, or prevented the failure.
        helped: bool,
        /// True if the lesson was followed and did not help.
        harmed: bool,
    },
    /// Learned lessons that no run had used for a long time were removed.
    Pruned {
        /// Number of lessons removed.
        pruned_count: usize,
        /// Number of lessons that the shelf still holds.
        remaining_count: usize,
    },
    /// The shelf was full, so the lessons that had helped least often were removed.
    Compacted {
        /// Number of lessons removed.
        removed_count: usize,
        /// Number of lessons left on the shelf.
        remaining_count: usize,
    },
}
