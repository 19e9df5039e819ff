//! The decision loop of the agent. In a run, this is the only module that awaits the browser, the model and memory.
//! Decisions that need no I/O are made in other modules, which are pure.
//!
//! One step of a run has these parts: `observe -> interpret -> recall -> prompt -> decide -> guard -> approve ->
//! execute -> verify -> record`. After the last step, the run ends with `learn`.
//!
//! Build a [`DecisionLoop`] from a browser, a model and a memory, then [`run`](DecisionLoop::run) a [`Task`].
//! [`Options`] contains the limits and other settings with their defaults. [`State`] is a snapshot of a run, from which
//! the run can be resumed later. An [`Executor`] guards and carries out actions that your program decides, without a
//! model. Your program may also implement traits for the loop, such as these two:
//!
//! - [`Approver`]: a person who approves actions, or a program that does so for a person. Without an approver, an
//!   action that needs approval is refused.
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
//! - `DecisionLoop::run` cannot fail. Every way in which a run can end is a `StopReason`, and the report contains the
//!   results obtained until then.
//! - By default, five errors **in a row** end a run. If all errors of a run were counted, a long run that recovers
//!   from each of its errors would be ended too.
//! - If the page is unchanged after an action, including a hover, the page is observed again, by default 300 ms later.
//!   Only then does the action count as having no effect. Some pages react late, some menus open late, and a false "no
//!   effect" would teach memory a wrong lesson.
//! - An observation that the driver reports as timed out is not repeated, because a second one would take as long
//!   again. If the driver gives no answer at all, the observation is repeated.
//! - A click into a field that already has the focus counts as successful, because the only purpose of such a click is
//!   to give the field the focus. The guard against repetition still counts such clicks. The guard against standstill
//!   does not.
//! - Element references become invalid as soon as another page is shown. The numbering restarts on each page, so a
//!   reference such as `e12` can stand for a different element there. A target given in words is also looked for on the
//!   next page if its host is the same, because the model may know that page from memory. An irreversible action is not
//!   carried out there, because the model has not seen the page. A key press or a locator could act on a wrong page, so
//!   the driver checks the page's origin first.
//! - A reply that cannot be parsed counts as a reply without calls. One such reply does not end a run; three in a row
//!   do.
//! - Every await of the loop has a time limit. The limits for commands, the model, tools and memory are set in
//!   [`Options`]. Only a person who is asked may take as long as the run's time budget allows.
//! - After a success the page is observed once more. If the browser died while the model was thinking, the report says
//!   so. The run still counts as a success, because the evidence for the answer was seen before.

mod absorb;
mod agent_actions;
pub(crate) mod approver;
mod builder;
mod by_hand;
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
mod failure;
mod follow;
mod handle;
mod hook;
mod options;
mod paid;
mod pictures;
mod reading;
mod registered;
mod registration;
mod report;
mod returns;
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
pub use failure::{Cause, RunError, StartPage};
pub use handle::{Events, RunHandle};
pub use hook::Hook;
pub use options::{Context, Images, Options, Replay, WhenBusy};
pub use report::{Answered, RunReport};
pub use run::{Run, StepEnd};
pub use state::State;
pub use task::Task;
pub use tool::{Tool, tool};
