//! The prompt of a step: a system instruction that never changes in a run, and one message, ordered from stable to
//! volatile parts.
//!
//! Pure: everything in the prompt is an argument, including the nonces of the fences. All text from a page is inside
//! the message's fences, as JSON strings.
//!
//! # Decisions
//!
//! - A question that the model asks a person is inside the fence, and the answer is outside: the model may repeat a page, but
//!   the person is the user.
//! - The history is inside a fence, because its lines contain names of elements, and names are page text. The nonce of that
//!   fence stays the same for the run, so that a provider can cache the history.
//! - Nonces are printed in decimal, because models read three digits as one token.
//! - A message that is too long is cut in whole lines: first the sections about earlier steps and results, which take turns by
//!   [priority](pack), then the page. Failures, tips of lessons, answers and remarks are never cut.
//!
//! # Cuts
//!
//! The lines that a message keeps at each budget, of 20 in each section and of a page with 42. `Plan` and `Notes for this site`
//! are sections of kinds of memory, with priority 40.
//!
#![doc = include_str!("cuts.md")]

mod fence;
mod pack;
mod page;
mod reader;
mod section;
mod step;
mod system;
mod tips;

#[cfg(test)]
mod tests;

pub use pack::{Block, Keep, pack};
pub use page::{facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub use step::{LastFailure, StepParts, step};
pub use system::{SystemParts, system};
