//! What belongs to this run: its history and how it ended.
//!
//! Pure. The loop feeds it, `prompt` shows it, memory learns from what is left of it at the end.

mod history;
mod stop;

pub use history::{Entry, History, MAX_ENTRIES};
pub use stop::{BudgetKind, StopReason};
