//! Guards: they decide which actions a run may take, when the model is warned, and when the run ends.
//!
//! The guards do no input or output. Before each step and each model call, the agent's loop asks the [`Budget`]. Before
//! each action, it asks [`Scope`], [`classify`] and [`needs_approval`]. After the action, it asks [`Scope`] again and
//! passes the result to [`RepeatGuard`] and, if the action was carried out, to [`StuckGuard`]. Keys that are usually
//! pressed several times, such as those that move the caret, are passed to neither. The sentences of the guards for the
//! model are fixed texts of this crate and contain no words of the page.
//!
//! # Decisions
//!
//! - An action counts as a repetition only if it leads to a page that was seen before in this run: pressing "Next" ten
//!   times is not a loop as long as each page is new.

mod approval;
mod budget;
mod drop;
mod repeat;
mod scope;
mod state;
mod stuck;
mod verdict;
mod warned;

pub use approval::{ApprovalMode, FormKind, PageContext, classify, needs_approval};
pub(crate) use approval::{FormFacts, form_kind, may_submit, submits_itself};
pub use budget::{Budget, CallEstimate, Money, Prices, Spent};
pub(crate) use drop::may_drop_on;
pub use repeat::{ActionKey, RepeatGuard};
pub use scope::{Blank, Scope, ScopeRefusal};
pub use state::PageState;
pub use stuck::StuckGuard;
pub use verdict::{Verdict, Warning};
pub use warned::WarnedTurns;
