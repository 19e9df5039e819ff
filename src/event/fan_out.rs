//! A sink that passes events to several other sinks.

use std::sync::Arc;

use super::{Event, EventSink};
use crate::base::RunId;

/// An [`EventSink`] that passes each event to several sinks, in the order in which they were added. Its method
/// [`failure`](EventSink::failure) returns the failure of the first sink that reports a failure.
#[derive(Debug, Clone, Default)]
pub struct FanOut(Vec<Arc<dyn EventSink>>);

impl FanOut {
    /// Creates a fan-out without sinks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sink. Each event reaches it after the sinks that were added earlier.
    pub fn with(mut self, sink: Arc<dyn EventSink>) -> Self {
        self.0.push(sink);
        self
    }
}

impl EventSink for FanOut {
    fn emit(&self, event: &Event) {
        for sink in &self.0 {
            sink.emit(event);
        }
    }

    fn failure(&self, run: &RunId) -> Option<String> {
        self.0.iter().find_map(|sink| sink.failure(run))
    }
}
