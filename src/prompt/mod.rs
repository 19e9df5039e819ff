//! The prompt of a step. It consists of a system instruction, which never changes in a run, and one message. The
//! message begins with the parts that change least from step to step.
//!
//! This module is pure: everything in the prompt is passed in as an argument, even the nonces (random numbers) of the
//! fences. A fence is a pair of marks around text from outside. All text from a page is inside a fence, as JSON
//! strings.
//!
//! # Decisions
//!
//! - A question that the model asks a person is inside a fence, because the model may repeat text of a page. The
//!   person's answer is outside the fences, because the person is the user.
//! - The history is inside a fence, because its lines contain names of elements, and names are page text. The nonce of that
//!   fence stays the same for the run, so that a provider can cache the history.
//! - A message repeats the newest tool results of earlier steps, as many as fit. So the model need not note every value
//!   at once.
//! - Nonces are printed in decimal, because three digits take a model only one token.
//! - A message that is too long is cut by whole lines. First the sections about earlier steps and results are cut; the
//!   [priority](pack) of each section decides how many lines it keeps. Then the page is cut. Failures, tips from
//!   lessons, answers and remarks are never cut.
//!
//! # Cuts
//!
//! The table shows what a message keeps of its sections. Each row is for one budget of tokens, and each number counts
//! the lines that a section keeps. Before the cut, the page has 42 lines and every other section has 20. `Plan` and
//! `Notes for this site` are sections that belong to kinds of memory; their priority is 40.
//!
#![doc = include_str!("cuts.md")]

mod action;
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

pub(crate) use action::for_person;
pub use compress::ContentType;
pub(crate) use compress::model::{given, shorten, shorten_tool, shortened};
pub(crate) use fence::{quoted, verbatim};
pub use mode::Mode;
pub(crate) use own_sections::MAX_RESULT_LATER;
pub(crate) use pack::cost;
pub use pack::{Block, Keep, pack};
pub(crate) use page::size as page_size;
pub use page::{excerpts, facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub use step::{LastFailure, StepParts, step};
pub(crate) use step::{MAX_RESULT, fitted};
pub use system::{SystemParts, system};
