//! The time until which the executor waits for the browser, and for others that it depends on.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::{
    base::{Error, ErrorKind, Result as CrateResult},
    verify::Timing,
};

/// Upper bound of the time until a deadline.
const LONGEST: Duration = Duration::from_hours(24);

/// The end of a wait, or of an action, or of an observation before a decision. The time for an action includes the wait
/// until the page settles, and the observations that follow the action.
#[derive(Debug, Clone, Copy)]
pub(in crate::agent) struct Deadline {
    began: Instant,
    end: Instant,
}

impl Deadline {
    /// Returns the deadline that ends after this time.
    pub(in crate::agent) fn after(time: Duration) -> Self {
        let began = Instant::now();
        let end = began + time.min(LONGEST);
        Self { began, end }
    }

    /// Returns the time limit that the driver gets for the next call: three quarters of the time left. So time remains
    /// for the calls that follow. For example, the page must still be observed after an action that timed out.
    pub(in crate::agent) fn limit(self) -> Duration {
        self.left() * 3 / 4
    }

    /// Returns the time since the deadline was set, and the time limit of the next call.
    pub(super) fn moment(self) -> Timing {
        let (at, limit) = (self.began.elapsed(), self.limit());
        Timing { at, limit }
    }

    /// Waits for a call of the driver, which has got [`limit`](Self::limit). A driver that ignores its limit is given up
    /// after five sixths of the time left, so that it has time to clean up.
    ///
    /// # Errors
    /// The error of the call; [`ErrorKind::Timeout`] with the operation and the limit if it was given up.
    pub(super) async fn call<T>(
        self,
        operation: &'static str,
        call: impl Future<Output = CrateResult<T>>,
    ) -> CrateResult<T> {
        let (limit, last) = (self.limit(), Instant::now() + self.left() * 5 / 6);
        let late = |_| Err(Self::late(operation, limit));
        timeout_at(last, call).await.unwrap_or_else(late)
    }

    /// Waits for the work until the deadline.
    ///
    /// # Errors
    /// The error of the work; [`ErrorKind::Timeout`] with the operation and the whole time if the work is late.
    pub(in crate::agent) async fn wait<T>(
        self,
        operation: &'static str,
        work: impl Future<Output = CrateResult<T>>,
    ) -> CrateResult<T> {
        let late = |_| Err(Self::late(operation, self.end - self.began));
        timeout_at(self.end, work).await.unwrap_or_else(late)
    }

    /// Returns the error of an operation that brought no answer in this time.
    pub(super) fn late(operation: &'static str, waited: Duration) -> Error {
        Error::new(ErrorKind::Timeout, operation).with("waited", format!("{waited:?}"))
    }

    fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_call_leaves_time_for_the_next_and_all_end_together() {
        let begin = Instant::now();
        let deadline = Deadline::after(Duration::from_secs(30));
        assert_eq!(deadline.limit(), Duration::from_millis(22_500));
        for _ in 0..20 {
            let (began, limit) = (Instant::now(), deadline.limit());
            let silent = std::future::pending::<CrateResult<()>>();
            let error = deadline.call("test.call", silent).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
            assert!(began.elapsed() >= limit);
        }
        assert!(begin.elapsed() <= Duration::from_secs(30));
        assert!(deadline.limit() < Duration::from_millis(1));
        assert!(Deadline::after(Duration::MAX).limit() > Duration::from_hours(1));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_waited_for_may_take_the_whole_time() {
        let slow = |time| async move {
            tokio::time::sleep(Duration::from_millis(time)).await;
            Ok(())
        };
        let deadline = || Deadline::after(Duration::from_secs(2));
        assert!(deadline().wait("test.wait", slow(1_900)).await.is_ok());
        let error = deadline().wait("test.wait", slow(2_100)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(format!("{error:?}").contains("waited: 2s"), "{error:?}");
    }
}
