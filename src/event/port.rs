//! The port (trait) that receives the events of a run.

use std::{fmt::Debug, sync::Arc};

use super::Event;
use crate::base::RunId;

/// A receiver of a run's events.
///
/// # Contract
/// - `emit` returns at once and cannot fail. A sink that writes to a disk or network does so on another thread, and
///   documents which events it loses if writing fails.
/// - Events of one run arrive in order.
/// - Events contain placeholders in place of secrets.
/// - `failure` also returns at once. After it has returned a failure for a run, it always returns the same failure for
///   that run.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use webwise::event::{Event, EventKind, EventSink};
///
/// /// Counts the warnings of all runs.
/// #[derive(Debug, Default)]
/// struct Warnings(AtomicUsize);
///
/// impl EventSink for Warnings {
///     fn emit(&self, event: &Event) {
///         if matches!(event.kind, EventKind::Warned { .. }) {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
///
/// }
///
/// let line = r#"{"event":"warned","guard":"stuck","text":"nothing changed","run":"run_1","step":3,"at":"2026-01-01T00:00:00Z"}"#;
/// let sink = Warnings::default();
/// sink.emit(&serde_json::from_str(line)?);
/// assert_eq!(sink.0.into_inner(), 1);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
pub trait EventSink: Debug + Send + Sync + 'static {
    /// Receives one event.
    fn emit(&self, event: &Event);

    /// Returns the reason why events of this run were lost; `None` as long as no loss is known. A sink that does not
    /// write loses none, and needs no method of its own. The agent's loop asks once in each step. It passes the reason on to
    /// all sinks and to the run's report.
    fn failure(&self, run: &RunId) -> Option<String> {
        let _ = run;
        None
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: EventSink + ?Sized> EventSink for $pointer {
            fn emit(&self, event: &Event) {
                (**self).emit(event);
            }

            fn failure(&self, run: &RunId) -> Option<String> {
                (**self).failure(run)
            }
        }
    )*};
}

forward!(Box<T>, Arc<T>);

/// A sink that ignores every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: &Event) {}
}
