//! A sink (a receiver of events) that calls a function.

use std::fmt;

use super::{Event, EventSink};

/// An [`EventSink`] that calls a function for each event and loses no event. The agent's loop waits until the function
/// returns, so the function should return quickly.
///
/// ```
/// use webwise::event::Callback;
///
/// let sink = Callback::new(|event| eprintln!("{}", event.kind.name()));
/// # let _ = sink;
/// ```
pub struct Callback(Box<dyn Fn(&Event) + Send + Sync>);

impl Callback {
    /// Creates a sink that calls `f` for each event.
    pub fn new(f: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Box::new(f))
    }
}

impl fmt::Debug for Callback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Callback")
    }
}

impl EventSink for Callback {
    fn emit(&self, event: &Event) {
        (self.0)(event);
    }
}
