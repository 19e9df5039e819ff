//! The port (a trait) to a person, who approves actions and answers the model's questions.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    action::{Action, Effect},
    base::RunId,
    page::TargetIdentity,
};

/// A request to approve an action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The run that asks.
    pub run: RunId,
    /// The action to approve, with placeholders for typed secrets.
    pub action: Action,
    /// The elements that the action would act on. Their names and other texts come from the page.
    pub targets: Vec<TargetIdentity>,
    /// The worst effect that the action may have on the page as it was last observed.
    pub effect: Effect,
    /// Address of the current page.
    pub url: String,
    /// Title of the current page. The page itself has chosen this text.
    pub title: String,
    /// Message of the open dialog; `None` if no dialog is open. The page itself has chosen this text.
    pub dialog: Option<String>,
    /// The number of an earlier step. The run was interrupted during the irreversible action of that step, which may
    /// have been carried out. The action to approve may repeat it. `None` if there is no such step, or if the action to
    /// approve is not irreversible.
    pub doubt: Option<u32>,
}

impl ApprovalRequest {
    /// Makes a request without an address, title, targets or dialog.
    pub const fn new(run: RunId, action: Action, effect: Effect) -> Self {
        Self {
            run,
            action,
            targets: Vec::new(),
            effect,
            url: String::new(),
            title: String::new(),
            dialog: None,
            doubt: None,
        }
    }
}

/// The answer to an [`ApprovalRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The action may run.
    Yes,
    /// The action may not run. The model is told so, and the run continues.
    No,
    /// The action may not run, and the run ends.
    Stop,
}

/// A person, or a policy that acts for a person, who approves actions and answers the model's questions.
///
/// An answer may take any amount of time; only the run's time budget limits the wait.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Approver: Debug + Send + Sync {
    /// Decides whether the action may run.
    async fn approve(&self, request: &ApprovalRequest) -> Approval;

    /// Returns the answer to a question of the model; `None` if nobody is available.
    async fn answer(&self, question: &str) -> Option<String>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: Approver + ?Sized> Approver for $pointer {
            async fn approve(&self, request: &ApprovalRequest) -> Approval {
                (**self).approve(request).await
            }

            async fn answer(&self, question: &str) -> Option<String> {
                (**self).answer(question).await
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);
