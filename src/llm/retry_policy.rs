//! The schedule of retries: decides whether a model call is repeated, and after which wait.

use std::time::Duration;

use crate::base::Error;

/// The number of retries of a failed model call, and the waits between them.
///
/// ```
/// use std::time::Duration;
/// use webwise::{Error, ErrorKind, llm::RetryPolicy};
///
/// let policy = RetryPolicy::default();
/// let hour = Duration::from_secs(3_600);
/// let limited = Error::new(ErrorKind::RateLimited, "llm.complete").with_retry_after(Duration::from_secs(7));
/// assert_eq!(policy.wait_before(0, &limited, hour, u64::MAX), Some(Duration::from_secs(7)));
/// assert_eq!(policy.wait_before(3, &limited, hour, u64::MAX), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Maximum number of calls after the first call. Default: 3. Source: chosen.
    pub retries: u32,
    /// Upper limit of the random wait before the first retry. The limit doubles with each further retry, up to `cap`.
    /// Default: 1 s. Source: chosen.
    pub base: Duration,
    /// Upper limit of the random wait before any retry. A wait that the provider asks for may be longer. Default: 10 s.
    /// Source: chosen.
    pub cap: Duration,
    /// Longest time for one call. Default: 60 s. Source: chosen; the slowest answers of hosted models took half as
    /// long.
    pub call_timeout: Duration,
    /// Longest time for all calls and waits together. Default: 300 s. Source: chosen; enough for four calls that time out
    /// and the waits between them.
    pub overall: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 3,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(10),
            call_timeout: Duration::from_mins(1),
            overall: Duration::from_mins(5),
        }
    }
}

impl RetryPolicy {
    /// Sets the time limit for each call, for example for a slow model on a small machine.
    ///
    /// If `timeout` is longer than [`overall`](Self::overall), `overall` is raised to it. A call that takes all of this
    /// time is then not repeated.
    #[must_use]
    pub fn with_call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self.overall = self.overall.max(timeout);
        self
    }

    /// Returns the wait before the call is repeated. Returns `None` if the call must not be repeated: because of the
    /// kind of error, because there were enough retries, or because too little time remains.
    ///
    /// `done` is the number of retries so far, `left` is the time that remains of [`RetryPolicy::overall`], and
    /// `random` is uniformly distributed over all values of `u64`. If the provider asked for a wait, exactly that wait
    /// is returned. Otherwise the wait is random, between zero and a limit that doubles with each retry (full jitter).
    pub fn wait_before(
        &self,
        done: u32,
        error: &Error,
        left: Duration,
        random: u64,
    ) -> Option<Duration> {
        if done >= self.retries || !error.is_retryable() {
            return None;
        }
        let wait = error
            .retry_after()
            .unwrap_or_else(|| fraction(self.limit(done), random));
        (wait < left).then_some(wait)
    }

    fn limit(&self, done: u32) -> Duration {
        let doubled = 2_u32
            .checked_pow(done)
            .and_then(|factor| self.base.checked_mul(factor));
        doubled.unwrap_or(self.cap).min(self.cap)
    }
}

/// Returns `whole` times `random / 2^64`.
fn fraction(whole: Duration, random: u64) -> Duration {
    let nanos = (whole.as_nanos().min(u128::from(u64::MAX)) * u128::from(random)) >> 64;
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ErrorKind;

    const LEFT: Duration = Duration::from_hours(1);

    fn error(kind: ErrorKind) -> Error {
        Error::new(kind, "test.call")
    }

    #[test]
    fn a_wait_of_our_own_is_anywhere_below_a_limit_that_doubles_up_to_the_cap() {
        let policy = RetryPolicy {
            retries: 6,
            ..RetryPolicy::default()
        };
        let unavailable = error(ErrorKind::Unavailable);
        let limits: Vec<_> = (0..6)
            .map(|n| {
                policy
                    .wait_before(n, &unavailable, LEFT, u64::MAX)
                    .unwrap()
                    .as_secs_f64()
                    .round()
            })
            .collect();
        assert_eq!(limits, [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]);
        assert_eq!(
            policy.wait_before(5, &unavailable, LEFT, 0),
            Some(Duration::ZERO)
        );
        assert_eq!(
            policy.wait_before(1, &unavailable, LEFT, 1 << 63),
            Some(Duration::from_secs(1))
        );
    }

    #[test]
    fn the_providers_wait_is_kept_exactly() {
        let policy = RetryPolicy::default();
        for wait in [0, 1, 42, 59].map(Duration::from_secs) {
            let limited = error(ErrorKind::RateLimited).with_retry_after(wait);
            assert_eq!(policy.wait_before(0, &limited, LEFT, 7), Some(wait));
        }
    }

    #[test]
    fn a_wait_that_does_not_fit_is_not_begun() {
        let policy = RetryPolicy::default();
        let limited = error(ErrorKind::RateLimited).with_retry_after(Duration::from_mins(1));
        assert_eq!(
            policy.wait_before(0, &limited, Duration::from_mins(1), 0),
            None
        );
        assert!(
            policy
                .wait_before(0, &limited, Duration::from_secs(61), 0)
                .is_some()
        );
        assert_eq!(
            policy.wait_before(0, &error(ErrorKind::Timeout), Duration::ZERO, 0),
            None
        );
    }

    #[test]
    fn what_the_caller_must_change_is_never_tried_again() {
        let policy = RetryPolicy::default();
        for kind in [
            ErrorKind::InvalidInput,
            ErrorKind::Unauthorized,
            ErrorKind::Refused,
            ErrorKind::MalformedReply,
            ErrorKind::Unsupported,
        ] {
            assert_eq!(
                policy.wait_before(0, &error(kind).with_retry_after(Duration::ZERO), LEFT, 0),
                None,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn no_number_of_retries_overflows() {
        let policy = RetryPolicy {
            retries: u32::MAX,
            base: Duration::MAX,
            cap: Duration::MAX,
            ..RetryPolicy::default()
        };
        let wait = policy.wait_before(
            u32::MAX - 1,
            &error(ErrorKind::Busy),
            Duration::MAX,
            u64::MAX,
        );
        assert!(wait.is_some());
    }
}
