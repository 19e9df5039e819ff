//! Cues: the moments at which memory is asked for advice.

use std::sync::Arc;

use crate::{
    action::FailureKind,
    base::Host,
    page::{Observation, PageTemplate, TargetIdentity},
};

/// A moment in a run at which memory is asked.
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
