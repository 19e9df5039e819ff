//! The time limit for calls of the browser.

use std::time::Duration;

use tokio::time::Instant;

/// Upper bound of a time limit. Source: chosen.
const LONGEST: Duration = Duration::from_hours(24);

/// The time left for an action, or for an observation before a decision. The time for an action includes the wait until
/// the page settles, and the observations that follow the action.
///
/// Each call may use only a part of the time left, so that time remains for the next call. For example, the page must
/// still be observed after an action that timed out.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct Patience {
    end: Instant,
}

impl Patience {
    pub(in crate::agent) fn new(time: Duration) -> Self {
        Self {
            end: Instant::now() + time.min(LONGEST),
        }
    }

    /// Returns the time limit that the driver gets for the next call: three quarters of the time left. Source: chosen.
    pub(in crate::agent) fn limit(&self) -> Duration {
        self.left() * 3 / 4
    }

    /// Returns the time at which the run stops waiting for a driver that ignores its limit: after five sixths of the
    /// time left. Source: chosen; the driver must have time to clean up.
    pub(in crate::agent) fn last(&self) -> Instant {
        Instant::now() + self.left() * 5 / 6
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_call_leaves_time_for_the_next_and_all_end_together() {
        let begin = Instant::now();
        let patience = Patience::new(Duration::from_secs(30));
        assert_eq!(patience.limit(), Duration::from_millis(22_500));
        for _ in 0..20 {
            assert!(begin + patience.limit() <= patience.last());
            tokio::time::sleep_until(patience.last()).await;
        }
        assert!(begin.elapsed() <= Duration::from_secs(30));
        assert!(patience.limit() < Duration::from_millis(1));
        assert!(Patience::new(Duration::MAX).limit() > Duration::from_hours(1));
    }
}
