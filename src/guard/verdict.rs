//! Verdicts of the guards, with fixed sentences for the model.

use serde::{Deserialize, Serialize};

/// A problem that a guard found in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "warning", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// An action was repeated on the same target, and each repetition led to a page that the run had seen before.
    Repeated {
        /// Number of times in a row that the action was done.
        times: u32,
    },
    /// A cycle of actions was repeated, and each repeated action led to a page that the run had seen before.
    Cycle {
        /// Number of actions in one pass through the cycle.
        length: u32,
        /// Number of passes through the cycle in a row.
        times: u32,
    },
    /// The same actions were repeated with other typed text, and nothing else on the page is new, except perhaps
    /// numbers.
    Retyped {
        /// Number of actions in one repetition.
        length: u32,
        /// Number of times in a row that these actions were done.
        times: u32,
    },
    /// An action was done often among the last actions, and each time led to the same state of the same page. This
    /// problem alone never ends a run.
    Frequent {
        /// Number of times that the action was done.
        times: u32,
        /// Number of most recent actions that were searched to count `times`.
        last: u32,
    },
    /// Replies only looked at the page, and nothing new was seen.
    Looked {
        /// Number of such replies in a row.
        times: u32,
    },
    /// Actions that should have changed the page left it unchanged.
    Unchanged {
        /// Number of actions in a row that left the page unchanged.
        times: u32,
    },
}

impl Warning {
    /// Returns true if a run ends when the problem goes on.
    pub const fn may_end(self) -> bool {
        !matches!(self, Self::Frequent { .. })
    }

    /// Returns one sentence that tells the model about the problem.
    ///
    /// ```
    /// use webwise::guard::Warning;
    ///
    /// let warning = Warning::Repeated { times: 3 };
    /// assert_eq!(warning.sentence(), "You did the same 3 times and the page is as before. Try another way.");
    /// ```
    pub fn sentence(self) -> String {
        match self {
            Self::Repeated { times } => {
                format!(
                    "You did the same {times} times and the page is as before. Try another way."
                )
            }
            Self::Cycle { length, times } => format!(
                "Your last actions are {times} turns of the same {length} actions and lead back to where you were. \
                Try another way."
            ),
            Self::Retyped { times, .. } => format!(
                "You tried {times} different texts in the same place and, apart from numbers, nothing else changed. \
                Another text will hardly help; try another way."
            ),
            Self::Frequent { times, last } => format!(
                "Of the last {last} actions, {times} were the same and led to the same state of the page. Try another way."
            ),
            Self::Looked { times } => format!(
                "In {times} replies in a row you only looked or waited, and nothing new was shown. Try another way."
            ),
            Self::Unchanged { times } => {
                format!(
                    "Your last {times} actions did not change the page. Look at it again, or try another element."
                )
            }
        }
    }
}

/// The decision of a guard: whether the run goes on, and the warning for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The run goes on.
    Go,
    /// The run goes on, and the model gets the warning.
    Warn(Warning),
    /// The run ends because of this problem.
    Stop(Warning),
}

impl Verdict {
    /// Returns true if the run ends.
    pub const fn is_stop(self) -> bool {
        matches!(self, Self::Stop(_))
    }

    /// Returns the warning of [`Warn`](Self::Warn) or [`Stop`](Self::Stop); `None` for [`Go`](Self::Go).
    pub const fn warning(self) -> Option<Warning> {
        match self {
            Self::Go => None,
            Self::Warn(warning) | Self::Stop(warning) => Some(warning),
        }
    }
}
