//! Sessions: the goals and results of earlier runs on a site, so that a later run can build on these results.
//!
//! Every run is recorded at its end, even if it failed: its goal, its answer, and the address at which it ended. A site
//! keeps the last [`MAX_SESSIONS`] of these records. Callers can give a run a session id. If a run has the same session id
//! as an earlier run, it probably continues the work of the earlier run. So it is shown the answer and the address of the
//! earlier run; on another site, it is shown the goal. Everything here is pure.
//!
//! # Decisions
//!
//! - A session is shown inside the fence that marks quoted data in a prompt: its answer is the model's text, and the model
//!   may have copied it from a page.
//! - The answer and the address are kept only if the run stayed on one site, and are shown only there. Otherwise text of one site
//!   could reach a prompt about another site. A prompt does not show the host of a session either, because the owner of a host
//!   chooses its name.
//! - A run that ended before the model decided anything is not recorded, because it says nothing about a site.
//! - A session from another program's folder or another person's export is not shown until a person accepts it, because
//!   anybody could have written its answer. If the importing person trusts the source, it is shown at once.
//! - Of earlier runs with another session id, or without a session id, only the last one with the same goal, word for word, is
//!   shown, and only if it failed: its answer often says why. In a trial, readers who took the place of the model mistook
//!   the answers of other runs for answers to their own goal.
//! - Once a later run with the same goal has succeeded on the site, an earlier failure is no longer shown to any run. A
//!   prompt with this failure would read as if the goal were still to be reached.
//! - An answer is kept even if it contains claims that no page supports, because sums and counts are such claims too.
//!   Prompts name these claims beside the answer.

mod documented;
mod learn;
mod record;
mod show;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub use learn::MAX_SESSIONS;
pub use record::Session;

use super::{
    AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment, Namespace, Note,
    Occasion, Origin, Record, RunLog, Scope, Shelf, ShelfEdit, Standing,
    agent_memory::{Converted, Domain},
    shelf::home,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site};

/// Name of the collection of sessions.
pub const COLLECTION: &str = "sessions";

/// The memory kind for sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sessions;

/// Returns an edit that removes these sessions.
fn without(is_removed: impl Fn(&Session) -> bool + Send + Sync + 'static) -> Edit {
    Edit::new(move |records: &[Record]| {
        let is_removed =
            |record: &&Record| Session::from_record(record).is_ok_and(|one| is_removed(&one));
        let removed = records.iter().filter(is_removed);
        Ok(removed.map(|one| Change::Remove(one.key.clone())).collect())
    })
}

impl MemoryKind for Sessions {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn home(&self, host: &Host) -> Host {
        home(host)
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => {
                let own = Shelf::host(namespace, COLLECTION, &home(host));
                let has_id = moment.about.session.is_some();
                let others = has_id.then(|| Shelf::global(namespace, COLLECTION));
                std::iter::once(own).chain(others).collect()
            }
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(show::SessionIndex::new(shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        MAX_SESSIONS + show::ELSEWHERE
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let (hosts, session) = learn::session(log)?;
        Some(json!({ "hosts": hosts, "session": session }))
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let corrupt = |error| Error::new(ErrorKind::Corrupt, "session.learn").with_source(error);
        let hosts: Vec<Host> =
            serde_json::from_value(distilled["hosts"].clone()).map_err(corrupt)?;
        let session: Session =
            serde_json::from_value(distilled["session"].clone()).map_err(corrupt)?;
        let edit = |shelf: Shelf, session: Session, most: usize| ShelfEdit {
            shelf,
            edit: Edit::new(move |records| learn::learn(records, &session, most)),
        };
        let own = hosts.iter().map(|host| {
            let shelf = Shelf::host(namespace, COLLECTION, host);
            edit(shelf, session.clone(), MAX_SESSIONS)
        });
        let elsewhere = session.id.is_some().then(|| {
            let shelf = Shelf::global(namespace, COLLECTION);
            edit(shelf, session.elsewhere(), learn::MAX_ELSEWHERE)
        });
        Ok(own.chain(elsewhere).collect())
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(without(move |session| session.run == run))
    }

    /// Returns an edit that removes the sessions of runs that were there.
    fn forget(&self, site: &Site, host: Option<&Host>) -> Result<Edit> {
        let (site, host) = (site.clone(), host.cloned());
        Ok(without(move |session| session.was_on(&site, host.as_ref())))
    }

    fn accept(&self, key: &str, shown: &str, _: DateTime<Utc>) -> Result<Edit> {
        let (key, shown) = (key.to_owned(), shown.to_owned());
        Ok(Edit::new(move |records| {
            learn::accept(records, &key, &shown)
        }))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        learn::admit(record, vouched)
    }

    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        documented::read(domain, now)
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Session::from_record(record).ok().map(|one| one.timestamp)
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        let session = Session::from_record(record)?;
        let (origin, standing) = if session.imported {
            (Origin::Imported, Standing::WaitsForReview)
        } else if session.success && session.id.is_none() {
            (
                Origin::Learned,
                Standing::Silent("succeeded, without a session id"),
            )
        } else {
            (Origin::Learned, Standing::Shown)
        };
        let mut described = Described::new(&session.words(), origin, standing);
        if session.imported {
            // The description is cut like a line of a prompt, but the person must see the whole text to accept it.
            described.text = session.words();
        }
        "session".clone_into(&mut described.is);
        session.result().clone_into(&mut described.results);
        described.details = session.details();
        if let Ok(Value::Object(data)) = serde_json::to_value(&session) {
            described.data = data;
        }
        Ok(described)
    }

    fn describe_item(
        &self,
        _: &Shelf,
        records: &[Record],
        key: &str,
        now: DateTime<Utc>,
    ) -> Result<Described> {
        let record = Record::find(records, key)?;
        let mut described = self.describe(record)?;
        described.prompt = show::told(&Session::from_record(record)?, now);
        Ok(described)
    }

    fn notes(
        &self,
        _: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        _: usize,
    ) -> Vec<Note> {
        // The session itself is on the shelf of its site.
        let own = matches!(shelf.scope, Scope::Host(_)).then_some(&committed.changes);
        let recorded = own.into_iter().flatten().filter_map(|change| {
            let Change::Put(record) = change else {
                return None;
            };
            let session = Session::from_record(record).ok()?;
            (session.run == *run).then(|| Note::Changed {
                id: AdviceId {
                    shelf: shelf.clone(),
                    key: record.key.clone(),
                },
                what: "session_recorded".to_owned(),
                text: session.goal,
                data: json!({ "success": session.success }),
            })
        });
        recorded.collect()
    }
}

#[cfg(test)]
mod tests;
