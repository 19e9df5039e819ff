//! The prompt of a step: a system instruction that never changes in a run, and one message, ordered from stable to
//! volatile parts.
//!
//! Pure: everything in the prompt is passed in as an argument, including the nonces (random numbers) of the fences. All
//! text from a page is inside the message's fences, as JSON strings.
//!
//! # Decisions
//!
//! - A question that the model asks a person is inside the fence, because the model may repeat text of a page. The
//!   answer is outside, because the person is the user.
//! - The history is inside a fence, because its lines contain names of elements, and names are page text. The nonce of that
//!   fence stays the same for the run, so that a provider can cache the history.
//! - Later messages repeat tool results of earlier steps, the newest ones, as long as they fit. So the model need not
//!   note every value at once.
//! - Nonces are printed in decimal, because three digits take a model only one token.
//! - A message that is too long is cut by whole lines. First the sections about earlier steps and results are cut; the
//!   [priority](pack) of each section decides how many lines it keeps. Then the page is cut. Failures, tips of lessons,
//!   answers and remarks are never cut.
//!
//! # Cuts
//!
//! The table gives the number of lines that a message keeps at each budget, if each section has 20 lines and the page
//! has 42. `Plan` and `Notes for this site` are sections that belong to kinds of memory; their priority is 40.
//!
#![doc = include_str!("cuts.md")]

mod compress;
mod excerpt;
mod fence;
mod history;
mod mode;
mod own_sections;
mod pack;
mod page;
mod reader;
mod section;
mod step;
mod system;
mod tips;

#[cfg(test)]
mod tests;

pub(crate) use compress::model::{given, shorten, shorten_tool, shortened};
pub(crate) use fence::quoted;
pub use mode::Mode;
pub(crate) use own_sections::MAX_RESULT_LATER;
pub(crate) use pack::cost;
pub use pack::{Block, Keep, pack};
pub(crate) use page::size as page_size;
pub use page::{excerpts, facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub(crate) use step::MAX_RESULT;
pub use step::{LastFailure, StepParts, step};
pub use system::{SystemParts, system};
