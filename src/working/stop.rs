//! The reasons for which a run stops. Every run ends with exactly one stop reason.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A budget of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// The number of steps.
    Steps,
    /// The number of model calls.
    Calls,
    /// The number of tokens.
    Tokens,
    /// The cost in money.
    Money,
    /// The elapsed (wall-clock) time.
    Time,
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The model reported success, and its evidence was found on the current page or in a text that the run read earlier.
    Finished,
    /// The model reported success twice, and both times its evidence was not found.
    FinishedUnverified,
    /// The model reported that the task cannot be done.
    GaveUp,
    /// The run repeated one action, or one cycle of actions, too often.
    RepeatedAction,
    /// The page stayed unchanged after too many actions in a row, although each should have changed it.
    Stuck,
    /// Too many actions in a row failed or had no effect. Several failures in one reply count once, and an action that
    /// succeeds starts the count anew.
    TooManyErrors,
    /// A budget ran out.
    Budget(BudgetKind),
    /// The person who was asked for approval refused an action and ended the run.
    Rejected,
    /// The caller asked to stop, or ended the run with `finish` before it had stopped. Runs of a
    /// [`GuardedBrowser`](crate::GuardedBrowser) usually end so.
    Cancelled,
    /// The model was unreachable or refused the request, or three replies in a row had no usable call.
    ModelUnusable,
    /// The browser is gone, or its page, or the daemon through which the run uses the browser.
    BrowserLost,
    /// The browser shows a page that the run may not visit, and the run could not go back to an allowed page.
    OutOfScope,
    /// Another run of this decision loop or guarded browser was using the browser, so this run did nothing.
    Busy,
    /// Another process has resumed this run, so this process stopped.
    TakenOver,
}

impl StopReason {
    /// Returns the reason as one word, as the command line prints it. For a budget, the word is `budget_` followed by the
    /// kind, such as `budget_steps`. The JSON of events and files contains a budget as an object: `{"budget": "steps"}`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::FinishedUnverified => "finished_unverified",
            Self::GaveUp => "gave_up",
            Self::RepeatedAction => "repeated_action",
            Self::Stuck => "stuck",
            Self::TooManyErrors => "too_many_errors",
            Self::Budget(BudgetKind::Steps) => "budget_steps",
            Self::Budget(BudgetKind::Calls) => "budget_calls",
            Self::Budget(BudgetKind::Tokens) => "budget_tokens",
            Self::Budget(BudgetKind::Money) => "budget_money",
            Self::Budget(BudgetKind::Time) => "budget_time",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::ModelUnusable => "model_unusable",
            Self::BrowserLost => "browser_lost",
            Self::OutOfScope => "out_of_scope",
            Self::Busy => "busy",
            Self::TakenOver => "taken_over",
        }
    }

    /// Returns true if something other than the run's own steps ended the run: a person, the caller, the time budget,
    /// another run or process, or the loss of the model or browser. Such an end says nothing about the steps.
    pub const fn is_interruption(self) -> bool {
        matches!(
            self,
            Self::Rejected
                | Self::Cancelled
                | Self::Budget(BudgetKind::Time)
                | Self::ModelUnusable
                | Self::BrowserLost
                | Self::Busy
                | Self::TakenOver
        )
    }

    /// Returns true only for [`StopReason::Finished`]: the evidence of the success was found.
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Finished)
    }
}

impl std::error::Error for StopReason {}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
