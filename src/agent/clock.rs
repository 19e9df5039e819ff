//! What time it is, as a part that tests can hold still.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

/// Tells the time of day. Durations are measured by tokio's clock, which tests can pause.
pub trait Clock: Debug + Send + Sync {
    /// Now.
    fn now(&self) -> DateTime<Utc>;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
