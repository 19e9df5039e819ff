//! What the loop tells.

use std::{fmt::Debug, sync::Arc};

use super::Event;

/// Whoever watches a run.
///
/// # Contract
/// - `emit` returns at once and cannot fail; a sink that writes does so elsewhere, and says in its own documentation what
///   it loses when that goes wrong.
/// - Events of one run arrive in order.
/// - Secrets have been replaced before an event is made.
#[cfg_attr(feature = "testing", mockall::automock)]
pub trait EventSink: Debug + Send + Sync {
    /// Takes one event.
    fn emit(&self, event: &Event);
}

impl<T: EventSink + ?Sized> EventSink for Box<T> {
    fn emit(&self, event: &Event) {
        (**self).emit(event);
    }
}

impl<T: EventSink + ?Sized> EventSink for Arc<T> {
    fn emit(&self, event: &Event) {
        (**self).emit(event);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: &Event) {}
}
