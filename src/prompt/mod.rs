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

mod fence;
mod pack;
mod page;
mod reader;
mod section;
mod step;
mod system;
mod tips;

pub use pack::{Block, Keep, pack};
pub use page::{facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub use step::{LastFailure, StepParts, step};
pub use system::{SystemParts, system};
