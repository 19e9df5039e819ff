//! What the loop tells.

use std::{fmt::Debug, sync::Arc};

use super::Event;
use crate::base::RunId;

/// Whoever watches a run.
///
/// # Contract
/// - `emit` returns at once and cannot fail; a sink that writes does so elsewhere, and says in its own documentation what
///   it loses when that goes wrong.
/// - Events of one run arrive in order.
/// - Secrets have been replaced before an event is made.
/// - `failure` returns at once too, and says the same for a run from the first time on.
#[cfg_attr(feature = "testing", mockall::automock)]
pub trait EventSink: Debug + Send + Sync {
    /// Takes one event.
    fn emit(&self, event: &Event);

    /// Why events of this run are lost, as far as it is known by now; `None` while none is, and from a sink that does not
    /// write. The loop asks once a step: it tells the other sinks and the report.
    fn failure(&self, run: &RunId) -> Option<String>;
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

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: &Event) {}

    fn failure(&self, _: &RunId) -> Option<String> {
        None
    }
}
