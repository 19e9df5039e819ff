//! The state that belongs to one run: its steps, the history made from them, and its stop reason.
//!
//! Pure. The loop adds a [`Step`] for each action, `event` and `prompt` show it, and memory learns from the steps at
//! the end.

mod history;
mod sitemap;
mod step;
mod stop;

pub(crate) use history::is_lasting;
pub use history::{Earlier, Group, History, MAX_ENTRIES, MAX_GROUPS, MAX_LASTING};
pub use sitemap::{LeftOut, MapPage, SiteMap};
pub use step::{About, By, Finished, Place, Step};
pub use stop::{BudgetKind, StopReason};
