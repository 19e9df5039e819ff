//! The source of the current time, which tests can replace.

use std::fmt::Debug;

use chrono::{DateTime, Utc};

/// A source of the current time. Durations are measured with tokio's clock instead, which tests can pause.
pub trait Clock: Debug + Send + Sync + 'static {
    /// Returns the current time.
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
