//! Stopping a run from outside.

use std::sync::Arc;

use tokio::sync::watch;

/// A request to stop runs. Clones share the request.
///
/// A run stops at the next point where it waits, records what it has, and learns from it.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancel {
    /// A handle on which nobody has asked to stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the runs to stop.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Returns true if somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until somebody asks to stop.
    pub(super) async fn cancelled(&self) {
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}
