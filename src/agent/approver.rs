//! The trait [`Approver`]: a person who approves actions and answers the model's questions.

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
    /// The id of the run that asks for approval.
    pub run: RunId,
    /// The action to approve. Placeholders stand for the secrets that it types.
    pub action: Action,
    /// The elements that the action would act on. The page wrote their names and other texts, so these are untrusted.
    pub targets: Vec<TargetIdentity>,
    /// The worst effect that the action may have. It is judged from the page as it was last observed.
    pub effect: Effect,
    /// Address of the current page.
    pub url: String,
    /// Title of the current page. The page wrote this text, so it is untrusted.
    pub title: String,
    /// Message of the open dialog; `None` if no dialog is open. The page wrote this text, so it is untrusted.
    pub dialog: Option<String>,
    /// The number of an earlier step whose irreversible action was interrupted and may have been carried out, so the
    /// action to approve may repeat it. `None` if there is no such step, or if the action to approve is not
    /// irreversible.
    pub doubt: Option<u32>,
}

impl ApprovalRequest {
    /// Makes a request with these values. All other fields are empty or `None`.
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// The action may run.
    Yes,
    /// The action may not run. The model is told so, and the run continues.
    No,
    /// The action may not run. The model is told the reason, and the run continues.
    Deny {
        /// The reason, for the model.
        reason: String,
    },
    /// Nobody could be asked, so the action may not run. The model is told so, and the run continues.
    Unavailable,
    /// The action may not run, and the run ends.
    Stop,
}

/// A person who approves actions and answers the model's questions, or a program that does so for a person.
///
/// The approver may take any amount of time to decide or to answer. The wait ends early only if the run's time budget
/// is used up or the run is cancelled.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Approver: Debug + Send + Sync + 'static {
    /// Decides whether the action of the request may run.
    async fn approve(&self, request: &ApprovalRequest) -> Approval;

    /// Returns the answer to a question of the model; `None` if nobody is available to answer.
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
