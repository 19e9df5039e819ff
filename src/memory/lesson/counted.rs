//! The short ids of runs that a lesson has counted, but whose entries in its `evidence` it no longer keeps.
//!
//! Memory may learn from runs in any order, and twice from a run that has waited in the store. So the end time of a run
//! does not show whether a lesson has counted the run.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::{RunId, short_hash};

/// Number of runs in a full batch of [`Counted`]. Source: chosen; memory may learn from fifty runs at once, and two
/// batches take 500 bytes of a record's 2 KiB.
const RUNS: usize = 48;
/// Maximum number of batches that a lesson keeps. The oldest batch is dropped first.
const BATCHES: usize = 2;
/// Length of the short form of a run's id. Unit: bytes. Source: chosen; with two full batches, about one run in 17,000
/// is wrongly taken for a counted run.
const SHORT: usize = 4;

/// The latest runs that a lesson has counted and whose evidence the lesson no longer keeps. The lesson does not count
/// them again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted(Vec<Batch>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Batch {
    /// The time at which the last run of the batch ended.
    until: DateTime<Utc>,
    /// The short forms of the runs' ids, without separators.
    runs: String,
}

impl Batch {
    fn runs(&self) -> impl Iterator<Item = &str> {
        let runs = self.runs.as_bytes().chunks_exact(SHORT);
        runs.filter_map(|run| std::str::from_utf8(run).ok())
    }
}

impl Counted {
    /// Returns true if the list contains no run.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the list contains the run, or in rare cases another run whose id has the same short form.
    pub(super) fn holds(&self, run: &RunId) -> bool {
        let short = short(run);
        let mut batches = self.0.iter();
        batches.any(|batch| {
            let mut runs = batch.runs.as_bytes().chunks(SHORT);
            runs.any(|known| known == short.as_bytes())
        })
    }

    /// Adds a run that ended at the time `at`. If the oldest batch is dropped to make space, returns the time at which
    /// its last run ended.
    pub(super) fn add(&mut self, run: &RunId, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        if self.holds(run) {
            return None;
        }
        match self.0.last_mut() {
            Some(batch) if batch.runs.len() < RUNS * SHORT => {
                batch.until = batch.until.max(at);
                batch.runs.push_str(&short(run));
            }
            _ => self.0.push(Batch {
                until: at,
                runs: short(run),
            }),
        }
        (self.0.len() > BATCHES).then(|| self.forget()).flatten()
    }

    /// Adds the runs in `other`, the list of another version of the lesson. Leaves out the runs in `evidence`, and each
    /// batch of `other` whose last run ended at `counted_until` or earlier. If batches are dropped to make space,
    /// returns the time at which the last dropped run ended.
    pub(super) fn unite<'e>(
        &mut self,
        other: &Self,
        evidence: impl Iterator<Item = &'e RunId>,
        counted_until: Option<DateTime<Utc>>,
    ) -> Option<DateTime<Utc>> {
        let own = self.0.iter().flat_map(Batch::runs);
        let mut known: BTreeSet<String> =
            own.map(str::to_owned).chain(evidence.map(short)).collect();
        let mut new = Vec::new();
        let others = other.0.iter();
        for batch in others.filter(|batch| Some(batch.until) > counted_until) {
            let runs = batch.runs().filter(|run| known.insert((*run).to_owned()));
            let runs: String = runs.collect();
            if !runs.is_empty() {
                new.push(Batch { runs, ..*batch });
            }
        }
        if new.is_empty() {
            return None;
        }
        let mut all = std::mem::take(&mut self.0);
        all.extend(new);
        all.sort_by_key(|batch| batch.until);
        for batch in all {
            match self.0.last_mut() {
                Some(last) if last.runs.len() + batch.runs.len() <= RUNS * SHORT => {
                    last.until = batch.until;
                    last.runs.push_str(&batch.runs);
                }
                _ => self.0.push(batch),
            }
        }
        let excess = self.0.len().saturating_sub(BATCHES);
        let dropped = self.0.drain(..excess);
        dropped.map(|batch| batch.until).max()
    }

    /// Drops the oldest batch. Returns the time at which its last run ended.
    pub(super) fn forget(&mut self) -> Option<DateTime<Utc>> {
        (!self.0.is_empty()).then(|| self.0.remove(0).until)
    }
}

/// Returns the short form of a run's id: four letters or digits.
fn short(run: &RunId) -> String {
    let mut rest = u64::from_str_radix(&short_hash(run.as_str()), 16).unwrap_or_default();
    let digits = std::iter::repeat_with(|| {
        let digit = u32::try_from(rest % 36).unwrap_or_default();
        rest /= 36;
        char::from_digit(digit, 36).unwrap_or('0')
    });
    digits.take(SHORT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(n: usize) -> RunId {
        RunId::parse(format!("run_{n}")).unwrap()
    }

    fn at(second: usize) -> DateTime<Utc> {
        DateTime::from_timestamp(i64::try_from(second).unwrap(), 0).unwrap()
    }

    #[test]
    fn the_latest_runs_are_known_and_the_end_of_those_dropped_is_returned() {
        let mut counted = Counted::default();
        // The first run ended last.
        for n in 0..BATCHES * RUNS {
            assert_eq!(counted.add(&run(n), at(1_000 - n)), None);
            assert_eq!(counted.add(&run(n), at(1_000 - n)), None, "known already");
        }
        assert!((0..BATCHES * RUNS).all(|n| counted.holds(&run(n))));
        assert!(!counted.holds(&run(BATCHES * RUNS)));
        assert_eq!(counted.add(&run(BATCHES * RUNS), at(1)), Some(at(1_000)));
        let known = |n: &usize| counted.holds(&run(*n));
        assert_eq!((0..=BATCHES * RUNS).filter(known).min(), Some(RUNS));
    }

    #[test]
    fn two_full_batches_leave_room_in_a_record() {
        let mut counted = Counted::default();
        for n in 0..BATCHES * RUNS {
            counted.add(&run(n), at(n));
        }
        let size = serde_json::to_string(&counted).unwrap().len();
        assert!(size * 4 <= crate::memory::MAX_RECORD_BYTES, "{size} bytes");
        assert_eq!(counted.forget(), Some(at(RUNS - 1)));
        assert_eq!(counted.forget(), Some(at(BATCHES * RUNS - 1)));
        assert_eq!(counted.forget(), None);
        assert!(counted.is_empty());
    }
}
