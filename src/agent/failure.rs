//! Why a run did not reach its goal, as a type that a program can match.

use std::fmt;

use serde::Serialize;

use super::{RunReport, state::State};
use crate::{
    base::ErrorKind,
    working::{BudgetKind, StopReason, refused_last},
};

/// Lowest HTTP status of an error.
const ERROR_STATUS: u16 = 400;

/// The cause for which a run did not reach its goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// The model gave no usable reply: the kind of its error, or [`ErrorKind::MalformedReply`] if three replies in a row had no
    /// usable call.
    Model(ErrorKind),
    /// The browser failed with an error of this kind.
    Browser(ErrorKind),
    /// The start page could not be opened, or its server answered with an error, and the run got no further.
    StartPage(StartPage),
    /// A budget ran out.
    Budget(BudgetKind),
    /// A guard ended the run: an action was repeated too often, nothing changed any more, too many actions failed, or the browser
    /// left the allowed sites.
    Guard,
    /// The model reported that the goal cannot be reached.
    GaveUp,
    /// The model reported success, but its evidence was found nowhere.
    Unproven,
    /// An action was not approved.
    Approval,
    /// The caller stopped the run.
    Cancelled,
    /// Another run uses the browser, or another process has taken over the run.
    Busy,
    /// The answer has not the [form](super::Task::returning) that the task asks for.
    Answer,
}

/// Why a start page was of no use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartPage {
    /// The server answered with this HTTP status.
    Status(u16),
    /// The page did not come: what the browser said, such as `net::ERR_NAME_NOT_RESOLVED`.
    Network(String),
}

impl Cause {
    /// Returns the cause as one word, as the command line prints it: the name of the variant, as in `start_page`. As JSON, a
    /// cause is this word, or an object with the word and its detail, as in `{"model": "timeout"}`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::Browser(_) => "browser",
            Self::StartPage(_) => "start_page",
            Self::Budget(_) => "budget",
            Self::Guard => "guard",
            Self::GaveUp => "gave_up",
            Self::Unproven => "unproven",
            Self::Approval => "approval",
            Self::Cancelled => "cancelled",
            Self::Busy => "busy",
            Self::Answer => "answer",
        }
    }

    /// Returns the cause with its text rewritten.
    pub(super) fn map(self, clean: impl Fn(&str) -> String) -> Self {
        match self {
            Self::StartPage(StartPage::Network(why)) => {
                Self::StartPage(StartPage::Network(clean(&why)))
            }
            other => other,
        }
    }

    /// Returns the cause for which a run with this state ended; `None` if it reached its goal.
    pub(super) fn of(stop: StopReason, state: &State) -> Option<Self> {
        let is_misshapen = state.answer.is_misshapen() && !stop.is_interruption();
        if is_misshapen && stop != StopReason::Finished {
            return Some(Self::Answer);
        }
        let unopened = || start_page(state).map(Self::StartPage);
        Some(match stop {
            StopReason::Finished => return None,
            StopReason::FinishedUnverified => unopened().unwrap_or(Self::Unproven),
            StopReason::Budget(kind) => Self::Budget(kind),
            StopReason::Rejected => Self::Approval,
            StopReason::Cancelled => Self::Cancelled,
            StopReason::Busy | StopReason::TakenOver => Self::Busy,
            StopReason::ModelUnusable => {
                Self::Model(state.failed.unwrap_or(ErrorKind::MalformedReply))
            }
            StopReason::BrowserLost => {
                Self::Browser(state.failed.unwrap_or(ErrorKind::BrowserLost))
            }
            StopReason::GaveUp if refused_last(state.steps()).is_some() => Self::Approval,
            StopReason::GaveUp => unopened().unwrap_or(Self::GaveUp),
            StopReason::RepeatedAction
            | StopReason::Stuck
            | StopReason::TooManyErrors
            | StopReason::OutOfScope => unopened().unwrap_or(Self::Guard),
        })
    }
}

fn start_page(state: &State) -> Option<StartPage> {
    if let Some(why) = state.never_opened() {
        return Some(StartPage::Network(why));
    }
    let page = state.page.now()?;
    let status = page.observation.status?;
    let is_first = state.memory.pages().visited().len() <= 1;
    (is_first && status >= ERROR_STATUS).then_some(StartPage::Status(status))
}

/// The error of a run that did not reach its goal.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunError {
    /// The cause.
    pub cause: Cause,
    /// The reason why the run stopped.
    pub stop: StopReason,
    /// The whole report, with what the run found out.
    pub report: Box<RunReport>,
}

impl std::error::Error for RunError {}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run did not reach its goal: {}", self.cause.as_str())?;
        match &self.report.error {
            Some(error) => write!(f, " ({error})"),
            None => Ok(()),
        }
    }
}
