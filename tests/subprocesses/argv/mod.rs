//! What a model or a page writes reaches playwright-cli byte for byte, and never as one of its options.
//!
//! The tool is this program itself, started again under the tool's name: it records how it was started and says what the
//! tool would say (`fake`), and so does a socket in the place of the daemon's (`daemon`).

use crate::{profile, runner};

mod bed;
mod cases;
mod daemon;
pub(crate) mod fake;
pub(crate) mod rules;
mod tool;
pub(crate) mod values;
