//! What makes memory speak.

use super::lesson::Trouble;
use crate::{base::Host, page::PageTemplate};

/// A moment in a run at which memory is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cue {
    /// The run starts; what is said now stands in the system instruction for the whole run.
    RunStarted,
    /// The page is on another host than before, or of another kind (trigger B).
    PageShown {
        /// The host now.
        host: Host,
        /// The kind of page; none when its address says nothing.
        page: Option<PageTemplate>,
    },
    /// The last command failed or had no effect (trigger A).
    CommandFailed {
        /// The tool's name.
        command: String,
        /// How it went wrong.
        trouble: Trouble,
        /// What the browser said: page data, only compared with patterns and never stored.
        detail: String,
        /// Where it happened.
        host: Option<Host>,
    },
}
