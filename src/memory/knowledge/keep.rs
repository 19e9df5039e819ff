//! Rules that decide which facts about a host are kept, and how runs, people and imports change them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{Fact, FactSource, Source, observe::Learned, show::sentence};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId},
    memory::{Advice, Change, Record},
};

/// Maximum number of facts that memory keeps about one host. Facts that a person accepted are never removed, even if
/// there are more. Source: chosen.
pub const MAX_FACTS: usize = 30;

pub(super) fn learn(records: &[Record], host: &Host, learned: &Learned) -> Result<Vec<Change>> {
    let before: BTreeMap<&str, Fact> = records
        .iter()
        .filter_map(|record| Some((&*record.key, Fact::from_record(record).ok()?)))
        .collect();
    let mut now = before.clone();
    for one in learned.seen.iter().filter(|one| one.host == *host) {
        let source = Source {
            run: learned.run.clone(),
            at: learned.at,
            claim: one.claim.clone(),
        };
        if let Some(known) = now.get_mut(&*one.key) {
            known.observe(source);
            continue;
        }
        // A record that cannot be read stays as it is: a newer version may have written it.
        let is_strange = records.iter().any(|record| record.key == one.key);
        let tells = one.claim.as_ref().is_some_and(super::Claim::tells);
        if let (Some((kind, about)), true, false) = (&one.new, tells, is_strange) {
            now.insert(&one.key, Fact::new(*kind, about.clone(), source));
        }
    }
    let strange = records.len() - before.len();
    for key in excess(&now, strange, learned.at) {
        now.remove(&*key);
    }
    let gone = before.keys().filter(|key| !now.contains_key(*key));
    let mut changes: Vec<Change> = gone.map(|key| Change::Remove((*key).to_owned())).collect();
    for (key, fact) in &now {
        if before.get(key) != Some(fact) {
            changes.push(Change::Put(fact.to_record()?));
        }
    }
    Ok(changes)
}

/// Returns the keys of the facts to remove so that at most [`MAX_FACTS`] records are left. Facts that are not shown yet
/// ([`Fact::waits`]) are removed first, then those with the lowest confidence. Facts that a person accepted are never
/// removed. `others` is the number of unreadable records on the shelf, which count too.
fn excess(facts: &BTreeMap<&str, Fact>, others: usize, now: DateTime<Utc>) -> Vec<String> {
    let mut all: Vec<(bool, f64, &str)> = facts
        .iter()
        .filter(|(_, fact)| fact.source != FactSource::User)
        .map(|(key, fact)| {
            let confidence = fact.slot().map_or(0.0, |slot| fact.confidence(&slot, now));
            (!fact.waits(), confidence, *key)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(b.2)));
    let count = (facts.len() + others).saturating_sub(MAX_FACTS);
    let keys = all.into_iter().take(count);
    keys.map(|(_, _, key)| key.to_owned()).collect()
}

pub(super) fn prune(records: &[Record], now: DateTime<Utc>) -> Vec<Change> {
    let is_stale = |record: &&Record| Fact::from_record(record).is_ok_and(|f| f.is_stale(now));
    let stale = records.iter().filter(is_stale);
    stale.map(|r| Change::Remove(r.key.clone())).collect()
}

/// Returns the changes that remove a run's observations, except those that are already summed up in [`Fact::before`]. A
/// fact that has no value without them is removed too.
pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for record in records {
        let Ok(mut fact) = Fact::from_record(record) else {
            continue;
        };
        if !fact.undo(run) {
            continue;
        }
        changes.push(if fact.slot().is_none() {
            Change::Remove(record.key.clone())
        } else {
            Change::Put(fact.to_record()?)
        });
    }
    Ok(changes)
}

/// Returns the change that marks a fact as accepted by a person. Fails if the fact's sentence has changed since the
/// person was shown `shown`.
pub(super) fn accept(
    records: &[Record],
    key: &str,
    shown: &str,
    now: DateTime<Utc>,
) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "knowledge.accept")
            .with("key", key)
            .with("why", why)
    };
    let record = records.iter().find(|record| record.key == key);
    let mut fact = Fact::from_record(record.ok_or_else(|| refuse("there is no such fact"))?)?;
    if Advice::shown(&sentence(&fact)) != shown {
        return Err(refuse("it says something else now"));
    }
    fact.source = FactSource::User;
    fact.contradicted.clear();
    fact.last_seen = fact.last_seen.max(now);
    Ok(vec![Change::Put(fact.to_record()?)])
}

/// Returns the record to import. `vouched` is true if the importing person trusts the source. Otherwise, the fact waits
/// for review.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "knowledge.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let mut fact = Fact::from_record(record).map_err(|_| refuse("is not a fact"))?;
    if fact.key() != record.key {
        return Err(refuse("has a key that is not ours"));
    }
    let is_ours = |source: &Source| source.claim.as_ref().is_none_or(|claim| fact.can_be(claim));
    let before = fact.before.as_ref();
    let is_sound = fact.sources.iter().chain(&fact.contradicted).all(is_ours)
        && before.is_none_or(|slot| slot.held().all(|held| fact.can_be(&held.claim)));
    if !is_sound {
        return Err(refuse("has a value that is not ours"));
    }
    if !vouched {
        fact.source = FactSource::Imported;
    }
    fact.to_record()
}
