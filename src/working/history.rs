//! What was done in this run, one entry an action.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, Outcome, Signature},
    page::TargetIdentity,
};

/// Most entries kept. Unit: entries. Source: chosen; a line of the prompt each.
pub const MAX_ENTRIES: usize = 50;
/// Entries that go at once. Unit: entries. Source: chosen; until the next ones go, a prompt begins as the one before it, which a
/// provider caches.
const DROPPED_AT_ONCE: u8 = 10;

/// One action and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Number of the step, from 1.
    pub step: u32,
    /// What was done.
    pub action: Action,
    /// What it was aimed at.
    pub targets: Vec<TargetIdentity>,
    /// How it ended.
    pub outcome: Outcome,
    /// Address of the page before it.
    pub url: String,
    /// The action's signature.
    pub signature: Signature,
    /// The words around its target, where the page has others of that name. Page data.
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

    /// The same with the words around its target.
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
    /// Adds an entry; past the cap the oldest ones go.
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

    /// Entries that the cap took.
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }
}
