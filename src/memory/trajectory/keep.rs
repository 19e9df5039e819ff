//! Changes of a host's trajectories: after a finished run, when there are too many, when a run is undone, when a person
//! accepts a trajectory, and when trajectories are imported.

use std::cmp::Reverse;

use super::{
    Header, MAX_RESULTS, MAX_RUNS, Trajectory, distill::Learned, progress::followed_steps,
};
use crate::{
    base::{Error, ErrorKind, Result, RunId},
    memory::{
        Change, Record, StoredStep, Use, Uses,
        step_records::{owner, removal, replacing},
        way::task_hash,
    },
};

/// Maximum number of trajectories that memory keeps for one host. Source: chosen.
pub const MAX_TRAJECTORIES: usize = 20;
/// Number of consecutive failures after which a trajectory is retired, which means that it is no longer shown. Only runs
/// that were shown the trajectory are counted. Source: chosen, as for lessons.
pub const FAILED_IN_A_ROW: usize = 3;

/// Maximum length of the key of an imported record. Unit: bytes. Source: chosen; the keys of this crate have 21 bytes.
const MAX_KEY: usize = 64;

/// Returns the key of a trajectory. Goals that differ only in values give the same key.
pub(super) fn key(header: &Header) -> String {
    format!("t-{}", task_hash(&header.goal, &header.slots))
}

impl Header {
    /// Returns true if the last [`FAILED_IN_A_ROW`] runs that were shown the trajectory failed. Runs with the result
    /// [`Use::Used`], such as interrupted runs, are not counted.
    pub(super) fn is_retired(&self) -> bool {
        let results = self.results.iter().rev().map(|(_, result)| *result);
        let telling = results.filter(|result| *result != Use::Used);
        telling.take_while(|result| result.is_harm()).count() >= FAILED_IN_A_ROW
    }

    pub(super) fn is_retired_by(&self, run: &RunId) -> bool {
        let harmed = |(last, result): &(RunId, Use)| last == run && result.is_harm();
        self.is_retired() && self.results.last().is_some_and(harmed)
    }

    /// Returns how often the trajectory was shown and used, with the results, as far as the header still keeps them.
    pub fn uses(&self) -> Uses {
        let count = |is: fn(Use) -> bool| {
            let same = self.results.iter().filter(|(_, result)| is(*result));
            same.map(|_| 1).sum()
        };
        Uses {
            shown: count(|_| true),
            used: count(Use::is_use),
            helped: count(|result| result == Use::Helped),
            harmed: count(Use::is_harm),
        }
    }
}

pub(super) fn learn(records: &[Record], learned: &Learned) -> Result<Vec<Change>> {
    let mut all = Trajectory::all(records);
    let run = &learned.header.run;
    let own = key(&learned.header);
    let mut changed: Vec<String> = Vec::new();
    for (key, known) in &mut all {
        let is_new = known.header.results.iter().all(|(other, _)| other != run);
        if is_new
            && learned.offered.contains(key)
            && let Some(result) = result(key, known, learned)
        {
            known.header.results.push((run.clone(), result));
            let excess = known.header.results.len().saturating_sub(MAX_RESULTS);
            known.header.results.drain(..excess);
            changed.push(key.clone());
        }
    }
    if learned.success {
        match all.iter_mut().find(|(known, _)| *known == own) {
            Some((_, known)) if known.header.runs.contains(run) => {}
            // A run that took steps from memory shows that they still work, but is no independent evidence for them.
            Some((_, known)) if learned.replayed => {
                let last = known.header.timestamp.max(learned.header.timestamp);
                known.header.timestamp = last;
                changed.push(own);
            }
            Some((_, known)) => {
                known.repeat(learned.trajectory());
                changed.push(own);
            }
            None => {
                all.push((own.clone(), learned.trajectory()));
                changed.push(own);
            }
        }
    }
    changed.sort_unstable();
    changed.dedup();
    let mut changes = Vec::new();
    all.sort_by(|(a, one), (b, other)| (other.header.timestamp, b).cmp(&(one.header.timestamp, a)));
    for (at, (key, known)) in all.iter().enumerate() {
        if at >= MAX_TRAJECTORIES {
            changes.extend(removal(records, key));
        } else if changed.contains(key) {
            changes.extend(replacing(records, key, known.to_records(key)?));
        }
    }
    Ok(changes)
}

/// Returns the result of a trajectory that the run was shown; `None` if the run says nothing about the trajectory.
fn result(own: &str, known: &Trajectory, learned: &Learned) -> Option<Use> {
    let is_followed = is_followed(known, learned);
    let is_used = is_followed || learned.repeated.contains(own);
    // A run with another task may have taken only a few steps from memory, such as a login. Then its end says nothing
    // about the trajectory.
    let is_other = learned.replayed && own != key(&learned.header) && !is_followed;
    let says = !is_other && !learned.interrupted;
    match (learned.success, is_used) {
        (true, _) if is_followed => Some(Use::Helped),
        (false, true) if says => Some(Use::Failed),
        (_, true) => Some(Use::Used),
        (true, false) if says => Some(Use::Ignored),
        (false, false) if says => Some(Use::InVain),
        (_, false) => None,
    }
}

fn is_followed(known: &Trajectory, learned: &Learned) -> bool {
    2 * followed_steps(&known.steps, &learned.steps) >= known.steps.len()
}

impl Trajectory {
    /// Returns true if this trajectory contains all steps of `way` in the same order.
    fn took(&self, way: &Self) -> bool {
        let mut taken = self.steps.iter();
        way.steps
            .iter()
            .all(|step| taken.any(|one| step.is_same(one)))
    }

    /// Merges `other`, from another run with the same task, into this trajectory. The steps of one of the two are kept.
    /// Afterwards, `runs` lists only runs that took all of these steps.
    ///
    /// The steps of `other` are kept in each of these cases, and otherwise the steps of this trajectory:
    ///
    /// - `other` has fewer steps, or it has as many steps and is not older.
    /// - This trajectory is imported.
    /// - This trajectory is retired, and `other` does not contain all of its steps.
    fn repeat(&mut self, other: Self) {
        let same = other.took(self);
        let is_retired = self.header.is_retired();
        let rank = |one: &Self| (Reverse(one.steps.len()), one.header.timestamp);
        let runs = if rank(&other) >= rank(self) || self.header.imported || (is_retired && !same) {
            let known = std::mem::replace(self, other);
            self.header.results.clone_from(&known.header.results);
            self.header.timestamp = self.header.timestamp.max(known.header.timestamp);
            let is_vouched = !known.header.imported && known.took(self);
            let own = std::mem::take(&mut self.header.runs);
            let before = if is_vouched {
                known.header.runs
            } else {
                Vec::new()
            };
            [before, own].concat()
        } else if same {
            self.header.repeatable |= other.header.repeatable && self.steps == other.steps;
            self.header.timestamp = self.header.timestamp.max(other.header.timestamp);
            [std::mem::take(&mut self.header.runs), other.header.runs].concat()
        } else {
            return;
        };
        let excess = runs.len().saturating_sub(MAX_RUNS);
        self.header.runs = runs[excess..].to_vec();
        if is_retired {
            // The steps work again, so earlier failures no longer count.
            self.header.results.clear();
        }
    }
}

/// Returns the changes that remove what was learned from a run. A trajectory whose steps no other run took is removed.
pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for (key, known) in Trajectory::all(records) {
        let mut header = known.header.clone();
        header.runs.retain(|other| other != run);
        header.results.retain(|(other, _)| other != run);
        if header.run == *run {
            let Some(other) = header.runs.last().cloned() else {
                changes.extend(removal(records, &key));
                continue;
            };
            header.run = other;
        }
        if header != known.header {
            changes.push(Change::Put(header.to_record(&key)?));
        }
    }
    Ok(changes)
}

/// Returns the change by which a person accepts an imported trajectory or makes a retired one active again. Fails if
/// the trajectory's goal has changed since the person saw it as `shown`.
pub(super) fn accept(records: &[Record], key: &str, shown: &str) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "trajectory.accept")
            .with("key", key)
            .with("why", why)
    };
    let record = records
        .iter()
        .find(|record| record.key == key)
        .ok_or_else(|| refuse("there is no such trajectory"))?;
    let mut header = Header::from_record(record)?;
    if header.words() != shown {
        return Err(refuse("it has another goal now"));
    }
    header.imported = false;
    if header.is_retired() {
        header.results.retain(|(_, result)| !result.is_harm());
    }
    Ok(vec![Change::Put(header.to_record(key)?)])
}

/// Returns the record to import, or the reason for refusing it. If the importing person does not vouch for the source,
/// a trajectory loses its results and waits for review, and no run repeats it without asking its model.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "trajectory.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if !(1..=MAX_KEY).contains(&record.key.len()) || !record.key.chars().all(is_key) {
        return Err(refuse("has a key that is not ours"));
    }
    if owner(&record.key) != record.key {
        return serde_json::from_value::<StoredStep>(record.body.clone())
            .map(|_| record.clone())
            .map_err(|_| refuse("is not a step"));
    }
    let mut header = Header::from_record(record).map_err(|_| refuse("is not a trajectory"))?;
    header.imported |= !vouched;
    header.repeatable &= vouched;
    if !vouched {
        header.results.clear();
    }
    header.to_record(&record.key)
}
