//! The moments at which memory is asked for advice.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::{
    action::{FailureKind, Parameters},
    base::{Host, RunId},
    memory::{Scope, Shelf},
    page::{Observation, PageTemplate, TargetIdentity},
    working::{About, Step},
};

/// A moment of a run at which memory is asked for advice.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Moment<'a> {
    /// The reason why memory is asked for advice.
    pub cue: &'a Cue,
    /// The task of the run.
    pub about: &'a About,
    /// The steps taken so far.
    pub steps: &'a [Step],
    /// The time by the run's clock.
    pub now: DateTime<Utc>,
    /// The parameters of the run's task. Their values are no part of [`about`](Self::about).
    pub parameters: &'a Parameters,
    /// The run that asks, if it is known. A session that this run itself stored is not shown to it.
    pub run: Option<&'a RunId>,
}

impl<'a> Moment<'a> {
    /// Creates a moment of a run.
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
            parameters: const { &Parameters::new() },
            run: None,
        }
    }

    /// Sets the run that asks memory for advice.
    #[must_use]
    pub const fn of_run(mut self, run: &'a RunId) -> Self {
        self.run = Some(run);
        self
    }

    /// Sets the parameters of the run's task. Without them, no step that types one is repeated.
    #[must_use]
    pub const fn with_parameters(mut self, parameters: &'a Parameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// Returns true if the shelf belongs to a host other than the one that the cue names. Of the shelves that memory
    /// reads for a cue, these are the shelves of parent domains, such as `example.com` for `shop.example.com`.
    pub fn is_above(&self, shelf: &Shelf) -> bool {
        match (&shelf.scope, self.cue) {
            (Scope::Host(own), Cue::PageShown { host, .. }) => own != host,
            (Scope::Host(own), Cue::CommandFailed { host, .. }) => Some(own) != host.as_ref(),
            _ => false,
        }
    }
}

/// The reason why memory is asked for advice.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cue {
    /// The run starts. Advice for [`Section::Lessons`](crate::memory::Section::Lessons) stays in the system instruction
    /// for the whole run. Other advice is shown in the messages.
    RunStarted,
    /// A page was observed (trigger B of lessons). Memory may be asked several times about the same page.
    PageShown {
        /// The host of the page.
        host: Host,
        /// The kind of page, as far as its address shows it.
        page: Option<PageTemplate>,
        /// The page. Memory chooses advice that fits it, for example lessons whose elements are on it.
        seen: Arc<Observation>,
    },
    /// The last command failed or had no effect.
    CommandFailed {
        /// The tool's name.
        command: String,
        /// The kind of failure.
        failure: FailureKind,
        /// The page elements on which the command acted, as they were before it: elements given by a reference when the
        /// model chose the command, all others right before it was carried out.
        targets: Vec<TargetIdentity>,
        /// The browser's error message, which is untrusted because a page may have written parts of it. Memory compares
        /// it with the error patterns of lessons and never stores it.
        detail: String,
        /// The host on which the command failed.
        host: Option<Host>,
        /// The page after the failure; `None` if the browser had left the host on which the command failed.
        seen: Option<Arc<Observation>>,
    },
}
