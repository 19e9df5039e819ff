//! An event sink for tests. It keeps all events that it receives.

use std::sync::{Arc, Mutex, PoisonError};

use crate::event::{Event, EventSink};

/// An event sink that records every event. Clones share the list of events.
#[derive(Debug, Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<Event>>>);

impl Recorder {
    /// Creates a recorder without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the events recorded so far, in order.
    pub fn events(&self) -> Vec<Event> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns the names of the events recorded so far, in order.
    pub fn names(&self) -> Vec<&'static str> {
        self.events()
            .iter()
            .map(|event| event.kind.name())
            .collect()
    }
}

impl EventSink for Recorder {
    fn emit(&self, event: &Event) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event.clone());
    }
}
