//! What makes memory speak.

use crate::{action::ErrorClass, base::Host};

/// A moment in a run at which memory is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cue {
    /// The run starts; what is said now stands in the system instruction for the whole run.
    RunStarted,
    /// The page is on another host than before (trigger B).
    SiteChanged {
        /// The host now.
        host: Host,
    },
    /// The last command failed or had no effect (trigger A).
    CommandFailed {
        /// The tool's name.
        command: String,
        /// The class; `None` when it had no effect.
        class: Option<ErrorClass>,
        /// Where it happened.
        host: Option<Host>,
    },
}
