//! How much of a run went wrong so far.

use serde::{Deserialize, Serialize};

use crate::action::Outcome;

/// Maximum number of successive replies without a usable call.
const MAX_UNUSABLE: u32 = 3;

/// Counts of a run's failures, and of its steps that memory decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Progress {
    errors: u32,
    errors_in_row: u32,
    /// The number of the model call whose reply led to the last error that counted; without a model, the number of the
    /// step. In the count of errors in a row, several errors after one reply count once.
    error_call: Option<u32>,
    unusable_in_row: u32,
    replayed: u32,
    /// True if memory was asked whether it knows the task.
    #[serde(default)]
    asked_for_task: bool,
}

impl Progress {
    /// Counts the outcome of an action after the reply with this number. `is_expected` is true for an action that is
    /// repeated until it has no effect: it is no error in a row.
    pub(in crate::agent) fn count(&mut self, outcome: &Outcome, call: u32, is_expected: bool) {
        match outcome {
            Outcome::Done => self.errors_in_row = 0,
            // The action is neither a success nor a failure.
            Outcome::Unclear(_) => {}
            Outcome::NoEffect | Outcome::Failed(_) => {
                self.errors += 1;
                // Errors in a row are counted once for each reply, because several of its calls can fail before the
                // model learns of the first failure.
                if !is_expected && self.error_call.replace(call) != Some(call) {
                    self.errors_in_row += 1;
                }
            }
        }
    }

    /// Counts an action that was interrupted.
    pub(in crate::agent) const fn count_interrupted(&mut self) {
        self.errors += 1;
    }

    /// Counts a reply. Returns true if too many in a row had no usable call.
    pub(in crate::agent) const fn count_reply(&mut self, is_usable: bool) -> bool {
        self.unusable_in_row = if is_usable {
            0
        } else {
            self.unusable_in_row + 1
        };
        self.unusable_in_row >= MAX_UNUSABLE
    }

    /// Begins the counts in a row again.
    pub(in crate::agent) const fn forgive(&mut self) {
        (self.errors_in_row, self.unusable_in_row) = (0, 0);
    }

    /// Returns true the first time: then memory may know the task.
    pub(in crate::agent) const fn begin_for_task(&mut self) -> bool {
        !std::mem::replace(&mut self.asked_for_task, true)
    }

    /// Counts a step that memory decided.
    pub(in crate::agent) const fn count_replayed(&mut self) {
        self.replayed = self.replayed.saturating_add(1);
    }

    pub(in crate::agent) const fn errors(&self) -> u32 {
        self.errors
    }

    pub(in crate::agent) const fn errors_in_row(&self) -> u32 {
        self.errors_in_row
    }

    pub(in crate::agent) const fn replayed(&self) -> u32 {
        self.replayed
    }
}
