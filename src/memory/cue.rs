//! What makes memory speak.

use std::sync::Arc;

use super::lesson::Trouble;
use crate::{
    base::Host,
    page::{Observation, PageTemplate, TargetIdentity},
};

/// A moment in a run at which memory is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cue {
    /// The run starts; what is said now stands in the system instruction for the whole run.
    RunStarted,
    /// A page is shown that memory was not asked about (trigger B).
    PageShown {
        /// The host now.
        host: Host,
        /// The kind of page; none when its address says nothing.
        page: Option<PageTemplate>,
        /// The page: what speaks of something that is not on it has nothing to say.
        seen: Arc<Observation>,
    },
    /// The last command failed or had no effect (trigger A).
    CommandFailed {
        /// The tool's name.
        command: String,
        /// How it went wrong.
        trouble: Trouble,
        /// What it was aimed at, as it was when the command was decided.
        targets: Vec<TargetIdentity>,
        /// What the browser said: page data, only compared with patterns and never stored.
        detail: String,
        /// Where it happened.
        host: Option<Host>,
        /// The page now; none when it is not a page of that host any more.
        seen: Option<Arc<Observation>>,
    },
}
