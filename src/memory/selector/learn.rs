//! The elements that a run used, and the decision which elements of a host are kept.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Selector, record::key};
use crate::{
    action::{Action, ErrorClass, Outcome},
    base::{Error, ErrorKind, Host, Result, RunId, text},
    memory::{Change, Record, RunLog, typed::Typed},
    page::{KnownElement, Role},
};

/// Maximum number of elements that memory keeps for one host. Source: chosen.
pub const MAX_SELECTORS: usize = 20;

/// The elements that a run used, from which selectors are learned. If the stored selectors cannot be changed when the run
/// ends, this value is stored and memory learns from it at the next run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Learned {
    pub(super) run: RunId,
    /// The time when the run ended.
    pub(super) at: DateTime<Utc>,
    pub(super) used: Vec<Used>,
}

/// An element that a run used, with the result of one action on it. [`Learned::of`] chooses this action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Used {
    pub(super) host: Host,
    pub(super) role: Role,
    pub(super) name: String,
    /// The attributes by which the element can be found again, at least one, the most reliable first.
    pub(super) marks: Vec<(String, String)>,
    /// True if the element was found by the attributes that an earlier run had stored.
    pub(super) healed: bool,
    pub(super) done: bool,
}

impl Used {
    pub(super) fn key(&self) -> String {
        let first = self.marks.first();
        key(&self.role, first.map(|(name, value)| (&**name, &**value)))
    }
}

impl Learned {
    /// Extracts the elements that a run used, each with the result of one action.
    ///
    /// - A failure counts only if the target had been found by attributes that an earlier run had stored.
    /// - Of several actions on one element, the first such failure counts; if there is none, the last action counts.
    pub(super) fn of(log: &RunLog) -> Self {
        let typed = Typed::of(&log.steps);
        let mut used: BTreeMap<(Host, String), Used> = BTreeMap::new();
        for step in &log.steps {
            let (Action::Browser(_), Some(host)) = (&step.action, step.before.host()) else {
                continue;
            };
            let is_clear = match step.outcome {
                Outcome::Done => true,
                Outcome::Unclear(_) => false,
                // An action that was not approved says nothing about its target.
                Outcome::Failed(ref failure) if failure.class == ErrorClass::Rejected => false,
                Outcome::NoEffect | Outcome::Failed(_) => step.healed,
            };
            if !is_clear || step.unseen || step.left_site() {
                continue;
            }
            // An element in a frame may belong to another site.
            for target in step
                .targets
                .iter()
                .filter(|target| target.frames.is_empty())
            {
                let name = text::squeeze(&text::clean(&target.name));
                let mut marks = KnownElement::marks_of(target);
                marks.retain(|(_, value)| !typed.is_in(value));
                let one = Used {
                    host: host.clone(),
                    role: target.role.clone(),
                    name: if typed.is_in(&name) {
                        String::new()
                    } else {
                        name
                    },
                    marks,
                    healed: step.healed,
                    done: step.outcome.is_done(),
                };
                if one.marks.is_empty() {
                    continue;
                }
                let known = used
                    .entry((host.clone(), one.key()))
                    .or_insert_with(|| one.clone());
                if known.done {
                    *known = one;
                }
            }
        }
        Self {
            run: log.run.clone(),
            at: log.ended_at,
            used: used.into_values().collect(),
        }
    }
}

pub(super) fn learn(records: &[Record], host: &Host, learned: &Learned) -> Result<Vec<Change>> {
    let before = read(records);
    let mut now = before.clone();
    for used in learned.used.iter().filter(|used| used.host == *host) {
        let key = used.key();
        let is_strange = records.iter().any(|record| record.key == key);
        match now.get_mut(&key) {
            Some(known) => known.add(used, &learned.run, learned.at),
            // A record that cannot be read is not replaced, because a newer version of the program may have written it.
            None if is_strange || !used.done => {}
            None => {
                let mut new = Selector::new(used, learned.at);
                new.add(used, &learned.run, learned.at);
                now.insert(key, new);
            }
        }
    }
    let strange = records.len() - before.len();
    let mut all: Vec<(bool, DateTime<Utc>, u64, String)> = now
        .iter()
        .map(|(key, one)| (!one.is_retired(), one.last_used, one.succeeded, key.clone()))
        .collect();
    // Retired elements are removed first, then those used longest ago. Elements of one run have the same age; of these,
    // those that fewer runs used are removed first.
    all.sort();
    let excess = (now.len() + strange).saturating_sub(MAX_SELECTORS);
    for (_, _, _, key) in all.into_iter().take(excess) {
        now.remove(&key);
    }
    changes(&before, &now)
}

/// Returns the changes that remove a run from the uses of all elements. Elements that only this run used successfully are
/// removed.
pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    let before = read(records);
    let mut now = before.clone();
    now.retain(|_, one| !one.remove(run) || one.succeeded > 0);
    changes(&before, &now)
}

/// Returns the change by which a person accepts an imported element or makes a retired one active again. Fails if the
/// element's description has changed since the person saw it as `shown`.
pub(super) fn accept(records: &[Record], key: &str, shown: &str) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "selector.accept")
            .with("key", key)
            .with("why", why)
    };
    let record = records.iter().find(|record| record.key == key);
    let mut one = Selector::from_record(record.ok_or_else(|| refuse("there is no such element"))?)?;
    if crate::memory::Advice::shown(&one.words()) != shown {
        return Err(refuse("it is another element now"));
    }
    one.imported = false;
    if one.is_retired() {
        one.bring_back();
    }
    Ok(vec![Change::Put(one.to_record()?)])
}

/// Returns the record to import, or the reason for refusing it. Without `vouched`, the element waits for review.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "selector.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let mut one = Selector::from_record(record).map_err(|_| refuse("is not an element"))?;
    if one.marks.is_empty() || one.key() != record.key {
        return Err(refuse("has a key that is not ours"));
    }
    one.imported |= !vouched;
    one.to_record()
}

fn read(records: &[Record]) -> BTreeMap<String, Selector> {
    let read = |record: &Record| Some((record.key.clone(), Selector::from_record(record).ok()?));
    records.iter().filter_map(read).collect()
}

fn changes(
    before: &BTreeMap<String, Selector>,
    now: &BTreeMap<String, Selector>,
) -> Result<Vec<Change>> {
    let gone = before.keys().filter(|key| !now.contains_key(*key));
    let mut changes: Vec<Change> = gone.map(|key| Change::Remove(key.clone())).collect();
    for (key, one) in now {
        if before.get(key) != Some(one) {
            changes.push(Change::Put(one.to_record()?));
        }
    }
    Ok(changes)
}
