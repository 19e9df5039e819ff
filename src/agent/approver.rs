//! The port to the person who is asked: before an action that needs approval, and when the model has a question.

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
    /// The run.
    pub run: RunId,
    /// The action, with typed secrets as placeholders.
    pub action: Action,
    /// The targets of the action: page data.
    pub targets: Vec<TargetIdentity>,
    /// The worst effect of the action.
    pub effect: Effect,
    /// Address of the page.
    pub url: String,
    /// Title of the page: page data.
    pub title: String,
    /// Message of the open dialog, if there is one: page data.
    pub dialog: Option<String>,
}

impl ApprovalRequest {
    /// A request without any surroundings.
    pub const fn new(run: RunId, action: Action, effect: Effect) -> Self {
        Self {
            run,
            action,
            targets: Vec::new(),
            effect,
            url: String::new(),
            title: String::new(),
            dialog: None,
        }
    }
}

/// The answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The action may run.
    Yes,
    /// The action may not run. The model is told, and the run goes on.
    No,
    /// The action may not run, and the run ends.
    Stop,
}

/// Approves actions and answers questions: a person, or a policy that stands in for one. An answer may take any amount of
/// time; only the run's own time budget ends the wait.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Approver: Debug + Send + Sync {
    /// Decides whether the action may run.
    async fn approve(&self, request: &ApprovalRequest) -> Approval;

    /// Answers a question of the model; `None` if nobody is there.
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
