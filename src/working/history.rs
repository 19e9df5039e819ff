//! The actions of this run, one entry each.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, Outcome, Signature},
    page::TargetIdentity,
};

/// Most entries kept. Source: chosen; each is one line of the prompt.
pub const MAX_ENTRIES: usize = 50;
/// Entries that are dropped together. Source: chosen; until the next drop, each prompt begins like the one before it,
/// so a provider can cache that beginning.
const DROPPED_AT_ONCE: u8 = 10;

/// One action and its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Number of the step, from 1.
    pub step: u32,
    /// The action.
    pub action: Action,
    /// The elements that the action was aimed at.
    pub targets: Vec<TargetIdentity>,
    /// The outcome.
    pub outcome: Outcome,
    /// Address of the page before the action.
    pub url: String,
    /// The action's signature.
    pub signature: Signature,
    /// The words around the target, if the page has other elements of that name. Page data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl Entry {
    /// An entry.
    pub fn new(
        step: u32,
        action: Action,
        targets: Vec<TargetIdentity>,
        outcome: Outcome,
        url: String,
        signature: Signature,
    ) -> Self {
        Self {
            step,
            action,
            targets,
            outcome,
            url,
            signature,
            within: None,
        }
    }

    /// The same entry with the words around its target.
    #[must_use]
    pub fn with_surroundings(self, within: Option<String>) -> Self {
        Self { within, ..self }
    }
}

/// The actions of this run, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    entries: VecDeque<Entry>,
    dropped: u32,
}

impl History {
    /// Adds an entry. Above the cap, the oldest entries are dropped.
    pub fn push(&mut self, entry: Entry) {
        self.entries.push_back(entry);
        if self.entries.len() > MAX_ENTRIES {
            self.entries.drain(..usize::from(DROPPED_AT_ONCE));
            self.dropped += u32::from(DROPPED_AT_ONCE);
        }
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// The number of entries that were dropped because of the cap.
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }
}
