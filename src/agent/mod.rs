//! The loop: the only module that awaits the browser, the model and memory. It leaves every decision that needs no
//! waiting to a pure module.
//!
//! One step: `observe -> interpret -> recall -> prompt -> decide -> guard -> approve -> execute -> verify -> record`.
//! After the last step: `learn`.
//!
//! Build a [`DecisionLoop`] from a browser, a model and a memory, then [`run`](DecisionLoop::run) a [`Task`].
//! [`Options`] holds every number with its default. Two more ports belong to the loop; both are optional:
//!
//! - [`Approver`]: a person, or a policy in place of one. Without one, an action that needs approval is refused.
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
//! Hand them over with [`Builder::with_approver`] and [`Builder::with_tool`].
//!
//! # Decisions
//!
//! - `DecisionLoop::run` cannot fail: all that can go wrong is a `StopReason`; partial results are in the same
//!   report.
//! - Five errors **in a row** end a run: five in all would end a long task that recovers from each.
//! - An unchanged page is looked at twice, 300 ms apart, before an action counts as without effect: pages answer
//!   late; a false "no effect" teaches the wrong lesson.
//! - A look of which the driver says that the time is up is not repeated: it would only take its time twice; one that
//!   was never answered is asked again.
//! - After a hover the loop looks twice: menus open late.
//! - A click into the focused field is done: it asks for the focus; the guards still count the unchanged page.
//! - References need no look at the origin before an action, keys and locators do: a reference is void on a new page.
//! - A reply that nobody can read counts as an answer without a call: one garbled answer must not end a run; three in
//!   a row do.
//! - References of another page are void at once: they begin anew there, and the same one can name another thing.
//! - Every await of the loop has an end: command, model, tool and memory time-outs are options; a person who is asked
//!   may take as long as the run's time allows.
//! - After a success the page is looked at once more: a browser that died while the model thought must be told; the
//!   evidence was seen and counts.

mod absorb;
mod act;
mod agent_actions;
mod aim;
mod approval;
pub(crate) mod approver;
mod builder;
mod cancel;
mod clock;
mod decide;
mod decision_loop;
mod dialog_words;
mod emit;
mod engine;
mod execute;
mod guards;
mod journal;
mod options;
mod patience;
mod reading;
mod report;
mod run;
mod sight;
mod state;
mod step;
mod task;
#[cfg(all(test, feature = "testing"))]
mod tests;
pub(crate) mod tool;
mod turn;

pub use approver::{Approval, ApprovalRequest, Approver};
pub use builder::Builder;
pub use cancel::Cancel;
pub use clock::{Clock, SystemClock};
pub use decision_loop::DecisionLoop;
pub use options::{Images, Options};
pub use report::RunReport;
pub use run::{Run, StepEnd};
pub use state::State;
pub use task::Task;
pub use tool::Tool;
