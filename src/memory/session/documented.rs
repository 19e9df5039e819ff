//! Conversion of sessions (records of finished runs) from another program's memory folder, whose format is documented.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;

use super::{MAX_SESSIONS, Session};
use crate::{
    base::{Host, RunId, SessionId, canonical, short_hash},
    memory::{
        agent_memory::{Converted, Domain, item, left_out},
        selector_text::names_reference,
        shelf::home,
    },
    working::Place,
};

/// One session in the folder's file of sessions. `run_id` and `unverified` are in folders that an earlier version of this crate
/// wrote.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    goal: String,
    #[serde(default)]
    outcome: String,
    success: bool,
    #[serde(default)]
    final_url: String,
    timestamp: DateTime<Utc>,
    #[serde(default)]
    turns_used: u32,
    #[serde(default)]
    duration_ms: u64,
    #[serde(default)]
    run_id: Option<RunId>,
    #[serde(default)]
    unverified: String,
}

impl Entry {
    /// Returns true if the session ended on this host. Compares the entry's address, because a [`Session`] does not keep an
    /// address that is long.
    fn ended_on(&self, host: &Host) -> bool {
        let ended = Place::of(&*self.final_url).host().map(home);
        ended == Some(home(host))
    }

    fn session(self, now: DateTime<Utc>) -> Result<Session, String> {
        let words = [&self.goal, &self.outcome, &self.unverified];
        if words.iter().any(|words| names_reference(words)) {
            return Err(
                "left out: it names a reference, which belongs to one load of a page".to_owned(),
            );
        }
        let named = json!([self.id, self.goal, self.timestamp]);
        let run = format!("import-{}", short_hash(canonical(&named)));
        let run = self.run_id.or_else(|| RunId::parse(run).ok());
        let run = run.ok_or("left out: it has no name")?;
        // Such a folder has the run's id in place of a missing one.
        let id = SessionId::parse(self.id).ok();
        let session = Session {
            id: id.filter(|id| id.as_str() != run.as_str()),
            run,
            goal: self.goal,
            outcome: Some(self.outcome),
            unverified: self.unverified,
            success: self.success,
            final_url: Some(self.final_url),
            timestamp: self.timestamp.min(now),
            turns_used: self.turns_used,
            duration_ms: self.duration_ms,
            imported: false,
            hosts: BTreeSet::new(),
        };
        let session = session.cut();
        if session.goal.is_empty() {
            return Err("left out: it has no goal".to_owned());
        }
        Ok(session)
    }
}

/// Converts the sessions of a host to records, and lists the problems found. Only the latest [`MAX_SESSIONS`] are kept. A
/// session that did not end on this host loses its answer and its address.
pub(super) fn read(domain: &Domain, now: DateTime<Utc>) -> Converted {
    let mut out = Converted::default();
    let mut sessions: Vec<Session> = Vec::new();
    for (value, at) in domain.sessions.iter().zip(1..) {
        let read = item::<Entry>(value)
            .and_then(|entry| Ok((entry.ended_on(&domain.host), entry.session(now)?)));
        let (is_here, mut session) = match read {
            Ok(read) => read,
            Err(why) => {
                out.problems.push(format!("session {at}: {why}"));
                continue;
            }
        };
        if !is_here && (session.final_url.is_some() || session.outcome.is_some()) {
            (session.final_url, session.outcome) = (None, None);
            session.unverified.clear();
            let what = "it ended on another host or does not say where, so its answer and address are left out";
            out.problems.push(format!("session {at}: {what}"));
        }
        session.hosts.insert(domain.host.clone());
        sessions.retain(|known| known.run != session.run);
        sessions.push(session);
    }
    sessions.sort_by(|a, b| (b.timestamp, &b.run).cmp(&(a.timestamp, &a.run)));
    let excess = sessions.len().saturating_sub(MAX_SESSIONS);
    sessions.truncate(MAX_SESSIONS);
    let why = format!("the last {MAX_SESSIONS} of a host are kept");
    out.problems.extend(left_out(excess, "session", &why));
    out.records = sessions
        .iter()
        .filter_map(|session| session.to_record().ok())
        .collect();
    out
}
