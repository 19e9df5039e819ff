//! The emitter of events.

use std::sync::Arc;

use tokio::time::Instant;

use super::Clock;
use crate::{
    base::RunId,
    event::{Event, EventKind, EventSink},
    secret::Redactor,
};

/// An emitter of events. It adds the run, the step and the time to each event, replaces all secrets, and passes the
/// event to the sink.
#[derive(Debug, Clone)]
pub(super) struct Emitter {
    pub(super) sink: Arc<dyn EventSink>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) run: RunId,
    pub(super) step: u32,
    pub(super) redactor: Redactor,
}

impl Emitter {
    pub(super) fn emit(&self, kind: EventKind) {
        let kind = kind.redacted(&self.redactor);
        self.sink.emit(&Event::new(
            kind,
            self.run.clone(),
            self.step,
            self.clock.now(),
        ));
    }

    /// Returns the reason why events of this run are lost; `None` if none are lost.
    pub(super) fn failure(&self) -> Option<String> {
        self.sink.failure(&self.run)
    }
}

pub(super) fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
