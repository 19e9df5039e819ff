//! A driver's report about an action. It is here and not in `browser`, because the pure modules judge it.

use super::Outcome;
use crate::page::{Dialog, Locator, Notice, Trace};

/// The result of one action, and the events that the driver noticed during it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Execution {
    /// The outcome of the action. The loop changes `Done` to `NoEffect` if the page shows no effect.
    pub outcome: Outcome,
    /// Address and title of the page right after the action, if the browser reported them.
    pub page: Option<(String, String)>,
    /// A durable locator of the action's target, which finds the target again on the next load.
    pub locator: Option<Locator>,
    /// The dialog that is open after the action, even if it was open before; `None` if the driver noticed none.
    pub dialog: Option<Dialog>,
    /// Events that the driver noticed during the action, such as a download or a new tab.
    pub notices: Vec<Notice>,
    /// Reactions of the page to the action. The same trace can occur more than once, for example from two frames. The
    /// page tree may not show them. `None` if the driver did not watch, or cannot tell because no event of the action
    /// reached the page.
    pub traces: Option<Vec<Trace>>,
    /// Text that the action asked for: a list of tabs, or the result of a script. It has no control characters except
    /// newlines and tabs.
    pub text: Option<String>,
    /// Screenshot that the action asked for, as a PNG file.
    pub image: Option<Vec<u8>>,
}

impl Execution {
    /// Returns an execution with this outcome. All other fields are empty.
    pub const fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            page: None,
            locator: None,
            dialog: None,
            notices: Vec::new(),
            traces: None,
            text: None,
            image: None,
        }
    }
}

impl From<Outcome> for Execution {
    fn from(outcome: Outcome) -> Self {
        Self::new(outcome)
    }
}
