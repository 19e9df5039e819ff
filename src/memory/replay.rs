//! A step that a run takes from memory, without asking its model.

use super::AdviceId;
use crate::action::BrowserAction;

/// The next step of a known task, as an earlier run took it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReplayStep {
    /// The item of memory that contains the steps of the task.
    pub item: AdviceId,
    /// The action, with the values of this run's goal and a reference to an element of the current page.
    pub action: BrowserAction,
    /// The position of the step in the task, from 1.
    pub number: usize,
    /// Number of steps of the task in the earlier run.
    pub of: usize,
}

impl ReplayStep {
    /// Creates a step with its position in the task and the number of all steps.
    pub const fn new(item: AdviceId, action: BrowserAction, number: usize, of: usize) -> Self {
        Self {
            item,
            action,
            number,
            of,
        }
    }
}
