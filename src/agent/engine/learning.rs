//! Learns from a run at its end. If the store does not accept an update in time, a digest of the run (the part of its
//! log that a kind of memory learns from) is stored instead, and the next run learns from the digest.

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{Asking, Engine, tell_notices};
use crate::{
    agent::emit::elapsed_ms,
    base::{Error, ErrorKind, Result, RunId, short_hash},
    memory::{Committed, Edit, MemoryKind, Record, RunLog, Shelf, ShelfEdit, waiting},
    store::MemoryBackend,
};

/// Maximum part of the time for learning that is reserved for storing digests. Source: chosen; twice the time that a
/// store waits for a lock.
const RESERVE: Duration = Duration::from_secs(10);
/// The upper limit of the first pause, and the upper limit of all pauses, before an update of a busy shelf is tried
/// again. Source: chosen; a store that waits for a lock by itself has already waited for seconds.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

impl Engine {
    /// Stores the changes that every kind of memory derives from the run, with one update for each shelf (a part of the
    /// store). Waits up to `patience` while other runs keep a shelf busy. If an update fails, a digest of the run is
    /// stored instead, and the next run learns from it.
    pub(in crate::agent) async fn learn(
        &mut self,
        store: &impl MemoryBackend,
        log: &RunLog,
        patience: Duration,
        asking: Asking<'_>,
    ) {
        let (until, end) = turns(Instant::now(), patience, self.end);
        for kind in self.kinds.clone() {
            let Some(mut said) = kind.distill(log) else {
                continue;
            };
            // The digest contains names from pages, which may contain secrets.
            asking.redactor.json(&mut said);
            let edits = match kind.learn(&self.namespace, &said) {
                Ok(edits) => edits,
                Err(error) => {
                    self.tell_failure(error.with("lost", kind.name()), asking);
                    continue;
                }
            };
            let mut failure = None;
            for ShelfEdit { shelf, edit } in edits {
                let started = Instant::now();
                match self.in_turn(store, &shelf, &edit, until, &log.run).await {
                    Ok(committed) => {
                        let committed = (committed, elapsed_ms(started));
                        self.committed(&*kind, &shelf, &[&log.run], committed, asking);
                    }
                    // The first error of the store shows the cause.
                    Err(error) => _ = failure.get_or_insert(error),
                }
            }
            if let Some(error) = failure {
                let kept = self.keep_for_later(store, &*kind, &said, end, &log.run);
                match kept.await {
                    Ok(()) => self.tell(error, asking),
                    // A lost lesson is reported even if the run has reported another failure before.
                    Err(lost) => self.tell_failure(lost.with("lost", kind.name()), asking),
                }
            }
        }
        tell_notices(store, asking);
    }

    /// Applies an edit to a shelf. While other runs keep the shelf busy, tries again, but not beyond the time `until`.
    async fn in_turn(
        &self,
        store: &impl MemoryBackend,
        shelf: &Shelf,
        edit: &Edit,
        until: Instant,
        run: &RunId,
    ) -> Result<Committed> {
        let mut attempt = 0;
        loop {
            if Instant::now() >= until {
                return Err(Error::new(ErrorKind::Timeout, "agent.learn").with("shelf", shelf));
            }
            let answer = self.until(
                Some(until),
                store.update(shelf, self.counting(edit.clone())),
            );
            match answer.await {
                Err(error) if error.kind() == ErrorKind::Busy => {
                    let pause = pause(run, attempt);
                    if Instant::now() + pause >= until {
                        return Err(error);
                    }
                    sleep(pause).await;
                    attempt += 1;
                }
                answer => return answer,
            }
        }
    }

    /// Stores the digest of a run, so that the next run learns from it. If the first shelf for digests does not accept
    /// it, the second is tried.
    async fn keep_for_later(
        &self,
        store: &impl MemoryBackend,
        kind: &dyn MemoryKind,
        said: &Value,
        end: Instant,
        run: &RunId,
    ) -> Result<()> {
        let parts = waiting::parts(kind.name(), run, said);
        let edit = Edit::new(move |records: &[Record]| waiting::add(records, &parts));
        let shelves = waiting::shelves(&self.namespace);
        let mut kept = Ok(());
        for (left, shelf) in (1..=2).rev().zip(&shelves) {
            let share = end.saturating_duration_since(Instant::now()) / left;
            let until = Instant::now() + share;
            let stored = self.in_turn(store, shelf, &edit, until, run).await;
            if stored.is_ok() {
                return Ok(());
            }
            // The error of the first shelf shows the cause.
            kept = kept.and(stored.map(drop));
        }
        kept
    }
}

/// Returns two deadlines: the end of the updates of memory, and the end of the storing of digests. `patience` is the
/// maximum time for both. `end` is the time at which the engine stops waiting for the store; `None` if the run's time
/// is unlimited.
fn turns(now: Instant, patience: Duration, end: Option<Instant>) -> (Instant, Instant) {
    let left = end.map_or(patience, |end| {
        end.saturating_duration_since(now).min(patience)
    });
    let reserve = (left / 3).min(RESERVE);
    (now + left.saturating_sub(reserve), now + left)
}

/// Returns the pause after a failed attempt. Attempts are counted from 0. The upper limit of the pause doubles with
/// each attempt, up to the second limit of [`PAUSES`]. The pause is at least half of its limit. It differs from run to
/// run, so that runs do not all retry at the same moments.
fn pause(run: &RunId, attempt: u32) -> Duration {
    let (shortest, longest) = PAUSES;
    let limit = shortest.saturating_mul(1 << attempt.min(16)).min(longest);
    let hash = short_hash(format!("{run} {attempt}"));
    let part = u32::from_str_radix(&hash[..4], 16).unwrap_or_default();
    // From half of the limit to the limit.
    limit / 2 + limit / 2 * part / 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_left_for_storing_the_run_as_waiting() {
        let now = Instant::now();
        let seconds = Duration::from_secs;
        for (patience, end, shelves, waiting) in [
            (60, None, 50_000, 60_000),
            (60, Some(600), 50_000, 60_000),
            (60, Some(6), 4_000, 6_000),
            (9, None, 6_000, 9_000),
            (60, Some(0), 0, 0),
        ] {
            let end = end.map(|end| now + seconds(end));
            let (until, last) = turns(now, seconds(patience), end);
            let after = |ms| now + Duration::from_millis(ms);
            assert_eq!((until, last), (after(shelves), after(waiting)));
        }
    }

    #[test]
    fn pauses_grow_up_to_a_limit_and_differ_between_runs() {
        let runs = ["run_1", "run_2"].map(|run| RunId::parse(run).unwrap());
        let (shortest, longest) = PAUSES;
        for attempt in 0..40 {
            let limit = shortest.saturating_mul(1 << attempt.min(16)).min(longest);
            let pauses = runs.each_ref().map(|run| pause(run, attempt));
            let fits = |pause: &Duration| (limit / 2..=limit).contains(pause);
            assert!(pauses.iter().all(fits), "{attempt}: {pauses:?}");
            assert_ne!(pauses[0], pauses[1]);
        }
    }
}
