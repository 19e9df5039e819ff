//! What the model reads: a byte-stable system instruction, then one message a step, from stable to volatile.
//!
//! Pure: everything shown is an argument, the nonce of the fence too. All text that came from a page stands inside the
//! message's fences, as JSON strings.

mod fence;
mod page;
mod reader;
mod step;
mod system;

pub use page::{facts, reading};
pub use reader::{ShownElement, ShownPage, json_string};
pub use step::{LastFailure, StepParts, step};
pub use system::{SystemParts, system};
