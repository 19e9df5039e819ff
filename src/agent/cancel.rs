//! Stopping a run from outside.

use std::sync::Arc;

use tokio::sync::watch;

/// A handle that stops runs. A clone of the handle stops the same runs as the handle itself.
///
/// A cancelled run stops at the next point where it waits. It keeps the results that it has so far and learns from
/// them.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancel {
    /// Makes a handle that has not been cancelled yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the runs that use this handle to stop.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Returns true after [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    pub(super) async fn cancelled(&self) {
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}
