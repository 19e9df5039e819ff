//! Creates a session (the record of a finished run) from a run's log. Makes the changes that record or accept a
//! session, and the record of an imported session.

use std::collections::BTreeSet;

use super::{Session, record::MAX_HOSTS};
use crate::{
    base::{Error, ErrorKind, Host, Result},
    memory::{Change, Record, RunLog, shelf::home},
    page::ERROR_PAGE,
};

/// Maximum number of sessions that are kept for each site. Source: chosen.
pub const MAX_SESSIONS: usize = 5;
/// Maximum number of sessions with an id that are kept for other sites. Source: chosen.
pub(super) const MAX_ELSEWHERE: usize = 100;

/// Returns the homes of a run's first and last host, and its session. Returns `None` if the run saw no page of a host, or if it ended
/// before the model decided anything.
pub(super) fn session(log: &RunLog) -> Option<(BTreeSet<Host>, Session)> {
    let places = || {
        let steps = log.steps.iter();
        steps.flat_map(|step| [&step.before, &step.after])
    };
    let hosts: Vec<&Host> = places().filter_map(|place| place.host()).collect();
    let ends = [home(hosts.first()?), home(hosts.last()?)];
    let is_one = hosts.iter().all(|host| home(host) == ends[0]);
    let turns_used = log.steps.iter().map(|step| step.turn).max()?;
    if turns_used == 0 {
        return None;
    }
    let last = places().rfind(|place| place.host().is_some());
    // An answer that was given on the browser's own error page tells nothing of the host.
    let ending = log.steps.iter().rfind(|step| step.finished.is_some());
    let finished = ending
        .filter(|step| is_one && step.before.url() != ERROR_PAGE)
        .and_then(|step| step.finished.as_ref());
    let mut last_hosts = BTreeSet::new();
    for host in hosts.into_iter().rev() {
        if last_hosts.len() < MAX_HOSTS {
            last_hosts.insert(host.clone());
        }
    }
    let session = Session {
        id: log.about.session.clone(),
        run: log.run.clone(),
        goal: log.about.goal.clone(),
        outcome: finished.map(|finished| finished.answer.clone()),
        unverified: finished.map_or_else(String::new, |finished| finished.unverified.join(", ")),
        success: log.success,
        final_url: last.filter(|_| is_one).map(|place| place.url().to_owned()),
        timestamp: log.ended_at,
        turns_used,
        duration_ms: log.duration_ms(),
        imported: false,
        hosts: last_hosts,
    };
    Some((ends.into(), session.cut()))
}

/// Returns the changes that record a session and remove the oldest sessions above `most`. Sessions that wait for
/// review are neither counted nor removed.
pub(super) fn learn(records: &[Record], session: &Session, most: usize) -> Result<Vec<Change>> {
    let record = session.to_record()?;
    if records.contains(&record) {
        return Ok(Vec::new());
    }
    let mut known: Vec<(&str, Session)> = records
        .iter()
        .filter(|known| known.key != record.key && !known.is_from_a_person())
        .filter_map(|record| Some((&*record.key, Session::from_record(record).ok()?)))
        // A session that waits for review does not count. Otherwise an imported file with late dates could keep out all other
        // sessions.
        .filter(|(_, session)| !session.imported)
        .collect();
    known.sort_by_key(|(key, session)| (session.timestamp, *key));
    let is_newer = |(_, other): &&(&str, Session)| other.timestamp > session.timestamp;
    if known.iter().filter(is_newer).count() >= most {
        // The run waited in the store while as many later runs were recorded.
        return Ok(Vec::new());
    }
    let removed = (known.len() + 1).saturating_sub(most);
    let mut changes: Vec<Change> = known
        .iter()
        .take(removed)
        .map(|(key, _)| Change::Remove((*key).to_owned()))
        .collect();
    changes.push(Change::Put(record));
    Ok(changes)
}

/// Returns the change that records that a person accepted an imported session. Fails if the session's words are no
/// longer `shown`, the words that the person saw.
pub(super) fn accept(records: &[Record], key: &str, shown: &str) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "session.accept")
            .with("key", key)
            .with("why", why)
    };
    let record = records.iter().find(|record| record.key == key);
    let mut session =
        Session::from_record(record.ok_or_else(|| refuse("there is no such session"))?)?;
    if session.words() != shown {
        return Err(refuse("it says something else now"));
    }
    session.imported = false;
    Ok(vec![Change::Put(session.to_record()?)])
}

/// Returns the record to import, or the reason for refusing it. Without `vouched`, the session waits for review.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "session.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let session = Session::from_record(record).map_err(|_| refuse("is not a session"))?;
    if session.run.as_str() != record.key {
        return Err(refuse("has a key that is not ours"));
    }
    let mut session = session.cut();
    session.imported |= !vouched;
    session.to_record()
}
