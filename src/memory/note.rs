//! Committed changes of memory, described for those who watch.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AdviceId;
use crate::base::Site;

/// A change in memory. [`Note::Changed`] is for every kind; the others are about lessons, and the events of the same name
/// are documented for other programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// A record of any kind was changed.
    Changed {
        /// The record. Its collection is the name of the kind.
        id: AdviceId,
        /// What happened, in a word of the kind's own, such as `recorded`.
        what: String,
        /// The record's text.
        text: String,
        /// Figures of the kind's own; null if there are none.
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
        /// The command that fails.
        failed_command: Option<String>,
        /// The error: an error class for a learned lesson, a text for a person's.
        error_pattern: Option<String>,
    },
    /// A known lesson was found again, or used.
    Deduplicated {
        /// The lesson's id.
        id: AdviceId,
        /// The lesson's text.
        lesson: String,
        /// Number of uses now.
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
        /// The sites where it was used.
        triggered_domains: Vec<Site>,
    },
    /// A lesson is no longer advice for every run, because later runs no longer support it.
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
    /// A lesson did harm and is no longer shown.
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
    /// The results of a lesson in this run.
    Credited {
        /// The lesson's id.
        id: AdviceId,
        /// The site.
        site: Option<Site>,
        /// The recovery was carried out after its failure.
        used: bool,
        /// The lesson had been shown before.
        followed: bool,
        /// The recovery restored the effect.
        helped: bool,
        /// The recovery did not help.
        harmed: bool,
    },
    /// Stale lessons were removed.
    Pruned {
        /// Number of lessons removed.
        pruned_count: usize,
        /// Number of lessons left on the shelf.
        remaining_count: usize,
    },
    /// The least proven lessons were removed from a full shelf.
    Compacted {
        /// Number of lessons removed.
        removed_count: usize,
        /// Number of lessons left on the shelf.
        remaining_count: usize,
    },
}
