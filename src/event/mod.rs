//! The port to whoever watches a run, and its sinks.

mod callback;
mod fan_out;
#[cfg(feature = "jsonl")]
mod jsonl;
mod kinds;
pub(crate) mod port;
mod redacted;
#[cfg(feature = "jsonl")]
mod run_folder;
#[cfg(feature = "tracing")]
mod tracing;

pub use callback::Callback;
pub use fan_out::FanOut;
#[cfg(feature = "jsonl")]
pub use jsonl::Jsonl;
pub use kinds::{Event, EventKind, RunSummary};
pub use port::{EventSink, NoEvents};
#[cfg(feature = "jsonl")]
pub use run_folder::{Retention, RunFolder, RunFolderBuilder};
#[cfg(feature = "tracing")]
pub use tracing::Tracing;
