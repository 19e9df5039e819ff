//! The trait [`Hook`]: a part of your program that watches the steps of runs and may hold them.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Approval, ApprovalRequest};
use crate::{base::RunId, chat::ChatRequest, working::Step};

/// A part of your program that watches the steps of runs and may hold them, such as a policy, an audit or a rate limit. Each method
/// has a default that does nothing, and may take its time; only the end of the run's time budget or a cancellation ends the wait.
///
/// ```
/// use async_trait::async_trait;
/// use webwise::{action::Effect, agent::{Approval, ApprovalRequest, Hook}};
///
/// /// Lets runs do nothing irreversible outside the office hours.
/// #[derive(Debug)]
/// struct OfficeHours(fn() -> bool);
///
/// #[async_trait]
/// impl Hook for OfficeHours {
///     async fn before_action(&self, request: &ApprovalRequest) -> Approval {
///         if request.effect < Effect::Irreversible || self.0() {
///             return Approval::Yes;
///         }
///         Approval::Deny { reason: "the office is closed: do what can be undone, and report the rest".to_owned() }
///     }
/// }
/// ```
#[async_trait]
pub trait Hook: Debug + Send + Sync + 'static {
    /// Decides whether an action may run, after the guards and before the [approver](super::Approver). Called for every action of
    /// the browser and every call of your tools.
    async fn before_action(&self, request: &ApprovalRequest) -> Approval {
        let _ = request;
        Approval::Yes
    }

    /// Called before each request for a decision of the model.
    async fn before_request(&self, run: &RunId, request: &ChatRequest) {
        let _ = (run, request);
    }

    /// Called after each step in which an action was tried, with secrets replaced.
    async fn after_step(&self, run: &RunId, step: &Step) {
        let _ = (run, step);
    }
}
