//! Reports of finished runs for people: the steps, memory's advice, and the result.

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
