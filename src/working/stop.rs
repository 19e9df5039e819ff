//! Stop reasons. Every run ends with exactly one stop reason.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The budget that ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetKind {
    /// Steps.
    Steps,
    /// Model calls.
    Calls,
    /// Tokens.
    Tokens,
    /// Money.
    Money,
    /// Wall time.
    Time,
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The model reported success, and the page shows its evidence.
    Finished,
    /// The model reported success twice, and the page did not show the evidence.
    FinishedUnverified,
    /// The model reported that the task cannot be done.
    GaveUp,
    /// The same action, or the same cycle of actions, was repeated too often.
    RepeatedAction,
    /// The page no longer changed.
    Stuck,
    /// Too many actions in a row failed.
    TooManyErrors,
    /// A budget ran out.
    Budget(BudgetKind),
    /// The person refused an action and ended the run.
    Rejected,
    /// The caller asked to stop.
    Cancelled,
    /// The model was unreachable, refused the request, or gave no usable answer three times in a row.
    ModelUnusable,
    /// The browser, its page or its daemon is gone.
    BrowserLost,
    /// The browser shows a page that the run may not visit, and cannot be brought back.
    OutOfScope,
    /// Another run of the same loop has the browser; this run did nothing.
    Busy,
    /// Another process has taken up this run; this one did nothing more.
    TakenOver,
}

impl StopReason {
    /// Returns the reason as events and files write it; for a budget, `budget_steps` and so on.
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

    /// Returns true if a person, the caller, the time, the model or the browser ended the run, so that its end says nothing about what
    /// the run was doing.
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

    /// Returns true only for [`StopReason::Finished`]: a page confirmed the success.
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
