//! The two ports to whoever wants to know of a run: sinks are told what happened, a journal is awaited before it happens.

mod callback;
mod fan_out;
pub(crate) mod journal;
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
pub use journal::{Intent, Journal};
#[cfg(feature = "jsonl")]
pub use jsonl::Jsonl;
pub use kinds::{Event, EventKind, RunSummary};
pub use port::{EventSink, NoEvents};
#[cfg(feature = "jsonl")]
pub use run_folder::{Retention, RunFolder, RunFolderBuilder, RunLines};
#[cfg(feature = "tracing")]
pub use tracing::Tracing;
