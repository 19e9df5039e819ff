//! What a committed change of memory means, for whoever watches.

use serde::{Deserialize, Serialize};

use super::AdviceId;
use crate::base::Site;

/// Something that happened to what memory holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Note {
    /// A lesson is new.
    Recorded {
        /// Which.
        id: AdviceId,
        /// What it says.
        lesson: String,
        /// What it is about.
        category: String,
        /// The command that fails.
        failed_command: Option<String>,
        /// How it fails: an error class for what was learned, a text for what a person wrote.
        error_pattern: Option<String>,
    },
    /// A lesson that was known already was found again, or used.
    Deduplicated {
        /// Which.
        id: AdviceId,
        /// What it says.
        lesson: String,
        /// Its uses now.
        new_use_count: u64,
    },
    /// A recovery is now advice for every run.
    Promoted {
        /// Which.
        id: AdviceId,
        /// What it says.
        lesson: String,
        /// Its uses.
        use_count: u64,
        /// Where it was used.
        triggered_domains: Vec<Site>,
    },
    /// A lesson is no longer advice for every run: what followed no longer proves it.
    Demoted {
        /// Which.
        id: AdviceId,
        /// What it says.
        lesson: String,
        /// How often it helped.
        helped: u64,
        /// How often it was followed in vain.
        harmed: u64,
    },
    /// A lesson harmed and is no longer shown.
    Retired {
        /// Which.
        id: AdviceId,
        /// What it says.
        lesson: String,
        /// How often it helped.
        helped: u64,
        /// How often it was followed in vain.
        harmed: u64,
    },
    /// What came of a lesson in this run.
    Credited {
        /// Which.
        id: AdviceId,
        /// Where.
        site: Option<Site>,
        /// Its way out was taken.
        used: bool,
        /// It had been shown before.
        followed: bool,
        /// That restored the effect.
        helped: bool,
        /// It did not.
        harmed: bool,
    },
    /// Stale lessons were removed.
    Pruned {
        /// How many.
        pruned_count: usize,
        /// How many are left on their shelf.
        remaining_count: usize,
    },
    /// The least proven lessons made room on a full shelf.
    Compacted {
        /// How many.
        removed_count: usize,
        /// How many are left on their shelf.
        remaining_count: usize,
    },
}
