//! The state that belongs to one run: its [`WorkingMemory`], which contains its steps, and its stop reason. [`History`] and
//! [`Pages`] are views of the steps.
//!
//! The module does no I/O. The loop adds a [`Step`] for each action. `event` and `prompt` show the steps, and memory learns
//! from them at the end of the run.
//!
//! # Decisions
//!
//! - A step has typed fields for its tool, effect, outcome, page, and who decided; it has no free tags. Queries and
//!   groups use these fields.
//! - The effect of a step decides how long the history shows it: steps that cannot be undone are shown longest. So nobody
//!   gives a step a priority.
//! - Every call of an action is a step of its own. So a step has no number of retries. If the driver no longer finds
//!   the target, the executor may try once more in the same step, because nothing was done yet.
//! - The memory has no token budget of its own. Only the whole message has a budget. If it does not fit, its sections are
//!   cut in the order of their priorities.
//! - A message shows all texts that the program gave, if they fit. Those that have the most in common with the goal come
//!   first, so they are cut last.
//! - The limits of the memory are constants, because they follow from what a message can show. The mode of a run decides
//!   how much of a message the extracted texts may take.
//! - A page is identified by its address, and described by its title and a summary. The elements and text of each
//!   observed page are in the event `interpreted`.

mod history;
mod memory;
mod pages;
pub(crate) mod piece;
mod sitemap;
mod step;
mod stop;
mod tally;
pub(crate) mod words;

pub(crate) use history::is_lasting;
pub use history::{Earlier, Group, History, MAX_ENTRIES, MAX_GROUPS, MAX_LASTING, MAX_PAGES};
pub use memory::{
    Extraction, FRESH, MAX_GIVEN, MAX_GIVEN_TEXT, MAX_LINES, MAX_NOTE, MAX_NOTES, WorkingMemory,
};
pub use pages::{Pages, Snapshot, Visited};
use piece::Piece;
pub use sitemap::{DoubtedLink, LeftOut, MapPage, SiteMap};
pub(crate) use step::refused_last;
pub use step::{About, By, Chosen, Finished, Place, Step};
pub use stop::{BudgetKind, StopReason};
