//! A step that a run takes from memory, without asking its model.

use super::AdviceId;
use crate::action::BrowserAction;

/// The next step of a known task, as an earlier run took it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplayStep {
    /// The item of memory with the steps of the task.
    pub item: AdviceId,
    /// The action, with a reference to an element of the current page.
    pub action: BrowserAction,
    /// The position of the step in the task, counted from 1.
    pub number: usize,
    /// Number of steps of the task.
    pub of: usize,
}

impl ReplayStep {
    /// Creates a step. `number` is its position in the task, counted from 1, and `of` is the number of steps of the task.
    pub const fn new(item: AdviceId, action: BrowserAction, number: usize, of: usize) -> Self {
        Self {
            item,
            action,
            number,
            of,
        }
    }
}
