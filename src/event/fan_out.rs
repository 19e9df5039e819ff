//! Several sinks as one.

use std::sync::Arc;

use super::{Event, EventSink};
use crate::base::RunId;

/// Hands each event to every sink, in the order in which they were added; the first failure of one is that of all.
#[derive(Debug, Clone, Default)]
pub struct FanOut(Vec<Arc<dyn EventSink>>);

impl FanOut {
    /// No sink yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more.
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
