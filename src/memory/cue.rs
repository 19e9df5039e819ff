//! Moments: when, and about what, memory is asked for advice.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::{
    action::FailureKind,
    base::Host,
    memory::{Scope, Shelf},
    page::{Observation, PageTemplate, TargetIdentity},
    working::{About, Step},
};

/// A moment in a run at which memory is asked: the reason, and the run so far.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Moment<'a> {
    /// The reason why memory is asked.
    pub cue: &'a Cue,
    /// The task.
    pub about: &'a About,
    /// The steps so far.
    pub steps: &'a [Step],
    /// The time by the run's clock.
    pub now: DateTime<Utc>,
}

impl<'a> Moment<'a> {
    /// A moment of a run.
    pub const fn new(
        cue: &'a Cue,
        about: &'a About,
        steps: &'a [Step],
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            cue,
            about,
            steps,
            now,
        }
    }

    /// Returns true if a shelf belongs to a parent name of the page's host.
    pub fn is_above(&self, shelf: &Shelf) -> bool {
        match (&shelf.scope, self.cue) {
            (Scope::Host(own), Cue::PageShown { host, .. }) => own != host,
            (Scope::Host(own), Cue::CommandFailed { host, .. }) => Some(own) != host.as_ref(),
            _ => false,
        }
    }
}

/// The reason why memory is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cue {
    /// The run starts. The advice stands in the system instruction for the whole run.
    RunStarted,
    /// A page is shown that memory was not asked about yet (trigger B).
    PageShown {
        /// The host of the page.
        host: Host,
        /// The kind of page; `None` if its address does not tell.
        page: Option<PageTemplate>,
        /// The page. Advice about an element that is not on it is not given.
        seen: Arc<Observation>,
    },
    /// The last command failed or had no effect (trigger A).
    CommandFailed {
        /// The tool's name.
        command: String,
        /// The kind of failure.
        failure: FailureKind,
        /// The targets of the command, as they were when it was decided.
        targets: Vec<TargetIdentity>,
        /// The browser's message: page data, compared with patterns and never stored.
        detail: String,
        /// The host on which it happened.
        host: Option<Host>,
        /// The page now; `None` if it is no longer a page of that host.
        seen: Option<Arc<Observation>>,
    },
}
