//! What a run may do, and when it must be told or stopped: one file a guard, values in, values out.
//!
//! Pure. The loop asks [`Scope`] before and after each action, [`classify`] and [`needs_approval`] before it, feeds
//! [`RepeatGuard`] and [`StuckGuard`] after it, and asks the [`Budget`] before each model call. Asking a person, refusing
//! and stopping are the loop's; what is said to the model are templates of ours, never words of the page.

mod approval;
mod budget;
mod repeat;
mod scope;
mod state;
mod stuck;
mod verdict;
mod warned;

pub use approval::{ApprovalMode, PageContext, PageKind, classify, needs_approval};
pub use budget::{Budget, CallEstimate, Money, Prices, Spent};
pub use repeat::{ActionKey, RepeatGuard};
pub use scope::{Blank, Scope, ScopeRefusal};
pub use state::PageState;
pub use stuck::StuckGuard;
pub use verdict::{Verdict, Warning};
pub use warned::WarnedTurns;
