//! The prompt: a system instruction with constant bytes, then one message for each step, from stable to volatile.
//!
//! Pure: everything shown is an argument, including the nonce of the fence. All text from a page stands inside the
//! fences of the message, as JSON strings.
//!
//! # Decisions
//!
//! - A question to a person stands in the fence, the answer outside of it: the model may repeat a page, the person is
//!   the user.
//! - History stands inside the fence of its message: its lines name elements, and names are page text; the price is
//!   that a provider's cache ends before it.
//! - Nonces are printed in decimal: models read three digits as one token.

mod fence;
mod pack;
mod page;
mod reader;
mod section;
mod step;
mod system;

pub use pack::{Block, Keep, pack};
pub use page::{facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub use step::{LastFailure, StepParts, step};
pub use system::{SystemParts, system};
