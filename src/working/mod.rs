//! The state that belongs to one run: its history and its stop reason.
//!
//! Pure. The loop adds to it, `prompt` shows it, and memory learns from it at the end.

mod history;
mod stop;

pub use history::{Entry, History, MAX_ENTRIES};
pub use stop::{BudgetKind, StopReason};
