//! Reports of a finished run for a person: what happened in it, why memory spoke, and the result.

pub mod explain;
#[cfg(feature = "report")]
mod html;
#[cfg(feature = "report")]
pub(crate) mod lines;
#[cfg(feature = "jsonl")]
mod record;
#[cfg(feature = "report")]
pub(crate) mod words;

#[cfg(feature = "jsonl")]
pub use record::{Picture, RunRecord};
