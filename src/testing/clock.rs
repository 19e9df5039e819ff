//! A clock for tests. It stands still until a test advances it.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

use crate::agent::Clock;

/// A clock that shows the same time until it is advanced.
#[derive(Debug)]
pub struct FixedClock(Mutex<DateTime<Utc>>);

impl FixedClock {
    /// Creates a clock that shows this time, given as RFC 3339 text.
    ///
    /// # Panics
    /// If the text is not a valid time, which is a mistake in the test.
    pub fn at(time: &str) -> Self {
        Self(Mutex::new(
            time.parse().expect("a time such as 2026-01-02T03:04:05Z"),
        ))
    }

    /// Advances the clock by this duration.
    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
