//! Who is asked: before an action that needs approval, and when the model asks a person.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;

use crate::{
    action::{Action, Effect},
    base::RunId,
    page::TargetIdentity,
};

/// What is to be approved.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The run.
    pub run: RunId,
    /// The action; typed secrets are placeholders.
    pub action: Action,
    /// What it is aimed at: page data.
    pub targets: Vec<TargetIdentity>,
    /// How bad it could be.
    pub effect: Effect,
    /// Address of the page.
    pub url: String,
    /// Title of the page: page data.
    pub title: String,
    /// Message of the dialog that is open: page data.
    pub dialog: Option<String>,
}

impl ApprovalRequest {
    /// A request without anything around it.
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

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// It may run.
    Yes,
    /// It may not; the model is told and goes on.
    No,
    /// It may not, and the run shall end.
    Stop,
}

/// A person, or a policy that stands for one. It may take its time; only the run's own time budget ends the wait.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Approver: Debug + Send + Sync {
    /// Whether the action may run.
    async fn approve(&self, request: &ApprovalRequest) -> Approval;

    /// The answer to a question of the model; `None` when nobody is there.
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
