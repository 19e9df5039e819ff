//! The loop: the only module that awaits the browser, the model and memory. Decisions that need no I/O are made in pure
//! modules.
//!
//! One step: `observe -> interpret -> recall -> prompt -> decide -> guard -> approve -> execute -> verify -> record`.
//! After the last step: `learn`.
//!
//! Build a [`DecisionLoop`] from a browser, a model and a memory, then [`run`](DecisionLoop::run) a [`Task`].
//! [`Options`] contains the limits and other settings with their defaults. [`State`] is a snapshot of a run, which can
//! be stored and resumed. An [`Executor`] guards and carries out actions that your program decides, without a model.
//! The loop has two more ports (traits); both are optional:
//!
//! - [`Approver`]: a person, or a policy that stands in for one. Without an approver, an action that needs approval is
//!   refused.
//! - [`Tool`]: a tool of your own, offered to the model beside the built-in ones.
//!
//! ```
//! use async_trait::async_trait;
//! use serde_json::{Value, json};
//! use webwise::action::{Effect, ToolSpec};
//! use webwise::agent::{Approval, ApprovalRequest, Approver, Tool};
//!
//! /// Approves reversible actions and answers no questions.
//! #[derive(Debug)]
//! struct Careful;
//!
//! #[async_trait]
//! impl Approver for Careful {
//!     async fn approve(&self, request: &ApprovalRequest) -> Approval {
//!         if request.effect == Effect::Irreversible { Approval::No } else { Approval::Yes }
//!     }
//!
//!     async fn answer(&self, _question: &str) -> Option<String> {
//!         None
//!     }
//! }
//!
//! /// Tells the model a price from the program's own catalogue.
//! #[derive(Debug)]
//! struct Price;
//!
//! #[async_trait]
//! impl Tool for Price {
//!     fn spec(&self) -> ToolSpec {
//!         ToolSpec {
//!             name: "price".to_owned(),
//!             description: "Returns our price of an article.".to_owned(),
//!             parameters: json!({ "type": "object", "properties": { "article": { "type": "string" } } }),
//!         }
//!     }
//!
//!     fn effect(&self) -> Effect {
//!         Effect::Read
//!     }
//!
//!     async fn call(&self, arguments: &Value) -> webwise::Result<String> {
//!         Ok(if arguments["article"] == "mug" { "12.50 EUR" } else { "unknown" }.to_owned())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! assert_eq!(Price.call(&json!({ "article": "mug" })).await?, "12.50 EUR");
//! # Ok::<(), webwise::Error>(())
//! # }).unwrap();
//! ```
//!
//! Pass the approver to [`Builder::with_approver`], and the tool to [`Builder::with_tool`].
//!
//! # Decisions
//!
//! - `DecisionLoop::run` cannot fail: every way to end is a `StopReason`, and the report contains partial results.
//! - Five errors **in a row** end a run. If all errors were counted, a long task that recovers from each of its errors
//!   would be ended.
//! - If the page is unchanged after an action, including a hover, it is observed again 300 ms later. Only then does the
//!   action count as having no effect. Some pages react late, some menus open late, and a false "no effect" would teach
//!   memory a wrong lesson.
//! - An observation that the driver reports as timed out is not repeated, because it would only take the same time
//!   again. If the driver gives no answer at all, the observation is repeated.
//! - A click into a field that already has the focus counts as successful, because its only purpose is the focus. The guards
//!   still count the page as unchanged.
//! - Element references become invalid as soon as another page is shown. The numbering restarts there, so the same
//!   reference can name a different element. Keys and locators work on any page, so the driver checks the page's origin
//!   before an action that uses one of them. An action that uses a reference does not need that check.
//! - A reply that cannot be parsed counts as a reply without calls. One such reply does not end a run; three in a row do.
//! - Every await of the loop has a time limit. The limits for commands, the model, tools and memory are set in
//!   [`Options`]. Only a person may take as long as the run's time budget allows.
//! - After a success the page is observed once more. If the browser died while the model was thinking, the report says
//!   so. The run still counts as a success, because the evidence was seen.

mod absorb;
mod agent_actions;
pub(crate) mod approver;
mod builder;
mod cancel;
mod checkpoint;
mod clock;
mod condense;
mod decide;
mod decision_loop;
mod emit;
mod engine;
mod executor;
mod explore;
mod options;
mod paid;
mod reading;
mod registered;
mod registration;
mod replay;
mod report;
mod run;
mod sight;
mod state;
mod step;
mod task;
#[cfg(all(test, feature = "testing"))]
mod tests;
pub(crate) mod tool;

pub use approver::{Approval, ApprovalRequest, Approver};
pub use builder::Builder;
pub use cancel::Cancel;
pub use clock::{Clock, SystemClock};
pub use decision_loop::DecisionLoop;
pub use executor::{Executor, GuardedBrowser};
pub use explore::explore;
pub use options::{Images, Options, Replay};
pub use report::RunReport;
pub use run::{Run, StepEnd};
pub use state::State;
pub use task::Task;
pub use tool::Tool;
