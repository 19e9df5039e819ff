//! A clock that stands still.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

use crate::agent::Clock;

/// A clock that shows the same time until it is moved.
#[derive(Debug)]
pub struct FixedClock(Mutex<DateTime<Utc>>);

impl FixedClock {
    /// A clock at this time, in RFC 3339 form.
    ///
    /// # Panics
    /// If the text is not a time, which is a mistake in the test.
    pub fn at(time: &str) -> Self {
        Self(Mutex::new(
            time.parse().expect("a time such as 2026-01-02T03:04:05Z"),
        ))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
