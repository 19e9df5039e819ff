//! Notes about committed changes of memory. They are emitted as events.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AdviceId;
use crate::base::Site;

/// A report of a committed change of memory. Any kind of memory may use [`Note::Changed`]. The other variants are for
/// lessons. Each becomes an event with the same name after `lesson_` or `lessons_`, such as `lesson_recorded`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// A record was changed. Every kind of memory may report this.
    Changed {
        /// The id of the record. The id contains the name of a collection, which is the name of the kind of memory.
        id: AdviceId,
        /// A word for the change, such as `recorded`. The kind of memory to which the record belongs chooses it.
        what: String,
        /// The record's text.
        text: String,
        /// Data chosen by the kind of memory to which the record belongs; null if there are none. If the run used the
        /// record, the data have the fields `used`, `followed`, `helped` and `harmed`. These fields mean the same as in
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
        /// The command whose failure the lesson is about; `None` if the lesson names no command.
        failed_command: Option<String>,
        /// The kind of failure to which the lesson applies, such as `no_effect`, as written by
        /// [`FailureKind::as_str`](crate::action::FailureKind::as_str). `None` if the lesson names no kind of failure.
        error_pattern: Option<String>,
    },
    /// A run learned or used a lesson, and the lesson was already stored.
    Deduplicated {
        /// The id of the stored lesson.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of cases in which the lesson was used, including those of this run. A case is one run on one site.
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
    /// A lesson was used or followed in this run, and the result was added to the lesson's counts.
    Credited {
        /// The lesson's id.
        id: AdviceId,
        /// The site on which the lesson was used or followed.
        site: Option<Site>,
        /// True if the failure that the lesson is about happened, and the lesson's recovery was carried out.
        used: bool,
        /// True if the lesson had been shown before its recovery was carried out.
        followed: bool,
        /// True if the lesson's recovery restored the effect of the failed action, or prevented the failure.
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
    /// The shelf was full, so the lessons with the least evidence were removed.
    Compacted {
        /// Number of lessons removed.
        removed_count: usize,
        /// Number of lessons left on the shelf.
        remaining_count: usize,
    },
}
