//! A step that a run takes from memory, without asking its model.

use super::AdviceId;
use crate::action::BrowserAction;

/// The next step of a known task, as an earlier run took it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplayStep {
    /// The item of memory that knows the task.
    pub item: AdviceId,
    /// The action, with the values of this run's goal and a reference to an element of the current page.
    pub action: BrowserAction,
    /// The position of the step in the task, from 1.
    pub number: usize,
    /// Number of steps that the task took.
    pub of: usize,
}

impl ReplayStep {
    /// Creates the step with this number, of so many.
    pub const fn new(item: AdviceId, action: BrowserAction, number: usize, of: usize) -> Self {
        Self {
            item,
            action,
            number,
            of,
        }
    }
}
