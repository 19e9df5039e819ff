//! The two ports (traits) that record a run. An [`EventSink`] receives each event after the event happened. A [`Journal`]
//! records an action before the action is carried out.
//!
//! | adapter | feature | port | when to use it |
//! | --- | --- | --- | --- |
//! | `RunFolder` | `jsonl` | sink and journal | to keep each run as a folder that can be read back; the command line uses it |
//! | `Jsonl` | `jsonl` | sink | to write all events into one file |
//! | `Tracing` | `tracing` | sink | if your program already uses `tracing` |
//! | [`Callback`] | | sink | to show progress: calls a closure for each event |
//! | [`FanOut`] | | sink | to use several sinks at once |
//! | [`NoEvents`] | | sink | to record nothing; the default |
//! | `testing::Recorder` | `testing` | sink | in tests: keeps the events in a list |
//!
//! ```
//! use std::sync::Arc;
//! use webwise::event::{Callback, FanOut, NoEvents};
//!
//! let progress = Callback::new(|event| eprintln!("step {}: {}", event.step, event.kind.name()));
//! let sinks = FanOut::new().with(Arc::new(progress)).with(Arc::new(NoEvents));
//! # let _ = sinks;
//! ```
//!
//! To write a sink, implement [`EventSink`]. Its method `emit` must return at once, so a sink that writes to a disk or network
//! does so on a thread of its own. To write a journal, implement [`Journal`] and run `testing::conformance::journal` against
//! it.
//!
//! # Decisions
//!
//! - `EventSink` has a second method, `failure`, because the loop must report lost events and `emit` returns no error.
//! - `RunFolder` implements both ports. So the loop records everything through these ports, and opens no files itself.

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
#[cfg(feature = "cli")]
pub(crate) use jsonl::open_private;
pub use kinds::{Event, EventKind, RunSummary};
pub use port::{EventSink, NoEvents};
#[cfg(feature = "jsonl")]
pub use run_folder::{Retention, RunFolder, RunFolderBuilder, RunLines};
#[cfg(feature = "tracing")]
pub use tracing::Tracing;
