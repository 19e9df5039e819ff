//! The actions that a run has decided on and not carried out yet.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    action::{Action, BrowserAction, Goto},
    page::TargetIdentity,
    working::By,
};

/// An action in the queue, with its targets as they were when the action was decided on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Queued {
    pub(in crate::agent) action: Action,
    pub(in crate::agent) by: By,
    /// The identities of the targets, in the order of the action's references; `None` if one of the targets was not on
    /// the page for which the action was decided.
    pub(in crate::agent) targets: Option<Vec<TargetIdentity>>,
    /// The address of an earlier page, if `go_back_to` queued this action to open that page again or to restore its
    /// state; otherwise `None`. An action that restores the state is carried out only on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::agent) restores: Option<String>,
    /// The points that the model chose in the picture of the window. Given only if they were replaced in the action by
    /// points of an element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::agent) picked: Vec<(u32, u32)>,
    /// True if this is a `finish` whose evidence was shown when it was decided on, and ever since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::agent) was_shown: bool,
}

impl Queued {
    pub(in crate::agent) const fn new(
        action: Action,
        by: By,
        targets: Option<Vec<TargetIdentity>>,
    ) -> Self {
        Self {
            action,
            by,
            targets,
            restores: None,
            picked: Vec::new(),
            was_shown: false,
        }
    }

    /// Returns the action of the task itself that opens a page.
    pub(in crate::agent) fn opening(url: String) -> Self {
        let goto = Action::Browser(BrowserAction::Goto(Goto { url }));
        Self::new(goto, By::Task, Some(Vec::new()))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::agent) struct Queue(VecDeque<Queued>);

impl Queue {
    pub(in crate::agent) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::agent) fn iter(&self) -> impl Iterator<Item = &Queued> {
        self.0.iter()
    }

    pub(in crate::agent) fn add(&mut self, next: Queued) {
        self.0.push_back(next);
    }

    /// Adds an action before all others.
    pub(in crate::agent) fn add_first(&mut self, next: Queued) {
        self.0.push_front(next);
    }

    pub(in crate::agent) fn take(&mut self) -> Option<Queued> {
        self.0.pop_front()
    }

    /// Returns the last action.
    pub(in crate::agent) fn last_mut(&mut self) -> Option<&mut Queued> {
        self.0.back_mut()
    }

    /// Removes all actions from this position on, and returns their number.
    pub(in crate::agent) fn cut(&mut self, from: usize) -> usize {
        self.0.drain(from..).count()
    }

    /// Removes all actions and returns their number.
    pub(in crate::agent) fn clear(&mut self) -> usize {
        std::mem::take(&mut self.0).len()
    }
}
