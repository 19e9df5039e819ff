//! Knowledge: what is known about a host, as facts with a confidence. The confidence in a fact is a number from 0 to 1.
//! It rises when a run observes the fact again, and falls when a run contradicts the fact.
//!
//! A fact is of one of five kinds: timing, selector, pattern, quirk or obstacle. Rules find facts in the steps of a
//! finished run. The model proposes others with `remember`.
//!
//! # Decisions
//!
//! - A lesson responds to the failure of one command on one target. A fact that a rule finds is about one element, and
//!   can be shown whenever this element is on the page. So a fact warns before anything has failed. If a lesson shown
//!   for the same page already names the element, the fact is left out.
//! - If a command failed and other commands then worked on the same target, this becomes a lesson, and never a fact. A
//!   quirk or pattern needs no failure: it is learned when an action was carried out and another action was needed
//!   afterwards.
//! - A fact that a rule finds never takes its value from a page, and its sentence consists of this crate's own words.
//!   Only the element's name in the sentence is untrusted, because the page wrote it. The fact is shown only on its own
//!   host, while the element is on the page. Its words are outside the fence that marks quoted data, with a reference
//!   or a number in place of the name.
//! - The confidence is not stored, but computed from the observations. So the confidence is the same whether memory
//!   learns from a run at once or later, and a run that is undone leaves no trace in it. Each observation is stored
//!   by itself, except the oldest ones, which are stored as one summary. A run in the summary can no longer be undone.
//! - A new value that contradicts the current one begins with half of the usual confidence, because the current value
//!   also contradicts the new one.
//! - Some values are of no use to a run, for example that an element covers nothing. They are kept only to contradict
//!   the current value.
//! - A fact that a run proves is shown to the same run, on the next page with the element. It is stored only when the
//!   run ends.
//! - A run that acts on a fact does not prove the fact. For example, the run may click an obstacle away before it
//!   covers anything. Such a run only renews the time at which the fact was last observed.
//! - A fact that a person accepted keeps its value and a confidence of 1, and never ages. A run that observes another
//!   value is listed with the fact, so that the person can forget the fact.
//! - The model's words are proposals. They are shown as data after a second run has proposed the same words, or as a
//!   person's words after a person has accepted them. An observation by a rule does not confirm such words. It is
//!   stored as a separate fact.
//! - A proposal is kept only if the run stayed on one host. Otherwise text of one site could reach a prompt about
//!   another site.

mod documented;
mod fact;
mod keep;
mod observe;
mod recheck;
mod show;
mod slot;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub use fact::{About, Claim, Fact, FactKind, FactSource, HALF_LIFE_DAYS, MAX_SOURCES, Source};
pub use keep::MAX_FACTS;
pub use slot::{DROP, GAIN, Held, LOSS, SHOWN, START, Slot};

use super::{
    Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment,
    Namespace, Note, Occasion, Origin, PageName, Piece, Record, RunLog, Shelf, ShelfEdit, Standing,
    agent_memory::{Converted, Domain},
    kind::merged_one,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site, text::counted};

/// Name of the collection of facts.
pub const COLLECTION: &str = "knowledge";
/// Maximum number of facts that a prompt shows about the host of the page. Source: chosen.
pub const MAX_SHOWN: usize = 4;

/// The kind of memory for facts about hosts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Knowledge;

impl MemoryKind for Knowledge {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        let needed = !keep::prune(records, now).is_empty();
        needed.then(|| Edit::new(move |records| Ok(keep::prune(records, now))))
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, COLLECTION, host)],
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(show::FactIndex::new(shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        MAX_SHOWN
    }

    /// Returns true unless `said`, the advice given before, already names the element that `own` is about.
    fn adds(&self, own: &Advice, said: &[Advice]) -> bool {
        let names = |advice: &Advice| {
            let pieces = advice
                .lines()
                .iter()
                .flat_map(|line| line.pieces().to_vec());
            pieces
                .filter_map(|piece| match piece {
                    Piece::Name(name) => Some(name),
                    Piece::Words(_) => None,
                })
                .collect::<Vec<_>>()
        };
        let own = names(own);
        let is_said = |name: PageName| own.contains(&name);
        !said.iter().flat_map(names).any(is_said)
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let learned = observe::Learned::of(log);
        let says = !learned.seen.is_empty();
        says.then(|| serde_json::to_value(&learned).ok()).flatten()
    }

    fn unlearned(&self, log: &RunLog) -> Option<String> {
        observe::unlearned(log)
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let learned: observe::Learned =
            serde_json::from_value(distilled.clone()).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "knowledge.learn").with_source(error)
            })?;
        let hosts: BTreeSet<Host> = learned.seen.iter().map(|one| one.host.clone()).collect();
        let learned = Arc::new(learned);
        let edit = |host: Host| {
            let learned = Arc::clone(&learned);
            ShelfEdit {
                shelf: Shelf::host(namespace, COLLECTION, &host),
                edit: Edit::new(move |records| keep::learn(records, &host, &learned)),
            }
        };
        Ok(hosts.into_iter().map(edit).collect())
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records| keep::undo(records, &run)))
    }

    /// Returns an edit that changes nothing, because there are no facts on the global shelf.
    fn forget(&self, _: &Site, _: Option<&Host>) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    fn accept(&self, key: &str, shown: &str, now: DateTime<Utc>) -> Result<Edit> {
        let (key, shown) = (key.to_owned(), shown.to_owned());
        Ok(Edit::new(move |records| {
            keep::accept(records, &key, &shown, now)
        }))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        keep::admit(record, vouched)
    }

    fn merge(&self, known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
        merged_one(known, other, |known, other| {
            let (known, other) = (Fact::from_record(known)?, Fact::from_record(other)?);
            known.merged(&other).to_record()
        })
    }

    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        documented::read(domain, now)
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        let fact = Fact::from_record(record)?;
        let slot = fact.slot();
        let confidence = slot
            .as_ref()
            .map(|slot| fact.confidence(slot, fact.last_seen));
        let origin = match fact.source {
            FactSource::Learned => Origin::Learned,
            FactSource::User => Origin::Person,
            FactSource::Imported => Origin::Imported,
        };
        let standing = if fact.waits() {
            Standing::WaitsForReview
        } else if fact.is_shown(fact.last_seen) {
            Standing::Shown
        } else if slot.is_some_and(|slot| slot.value.claim.tells()) {
            Standing::Silent("its confidence is too low")
        } else {
            Standing::Silent("it needs no special action")
        };
        let mut described = Described::new(&show::sentence(&fact), origin, standing);
        described.is = format!("fact, {}", fact.kind.as_str());
        described.results = format!(
            "confidence {:.2}, observed in {}",
            confidence.unwrap_or_default(),
            counted(fact.runs(), "run")
        );
        if !fact.contradicted.is_empty() {
            let runs = counted(fact.contradicted.len(), "run");
            let since = format!(", contradicted by {runs} since a person accepted it");
            described.results.push_str(&since);
        }
        described.details = vec![("Last seen", fact.last_seen.to_rfc3339())];
        let runs = fact.sources.iter().map(|source| source.run.to_string());
        described.details.extend(runs.map(|run| ("Run", run)));
        let others = fact.contradicted.iter().filter_map(|source| {
            let says = show::sentence_of(&fact.about, source.claim.as_ref()?);
            Some((
                "Contradicts",
                format!("{}: {}", source.run, Advice::shown(&says)),
            ))
        });
        described.details.extend(others);
        if let Value::Object(data) = &record.body {
            described.data.clone_from(data);
        }
        described
            .data
            .insert("confidence".to_owned(), json!(confidence));
        Ok(described)
    }

    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        _: usize,
    ) -> Vec<Note> {
        let note = |key: &str, what: &str, text: String, data| Note::Changed {
            id: AdviceId {
                shelf: shelf.clone(),
                key: key.to_owned(),
            },
            what: what.to_owned(),
            text,
            data,
        };
        let told = committed.changes.iter().filter_map(|change| match change {
            Change::Put(record) => {
                let fact = Fact::from_record(record).ok()?;
                let slot = fact.slot()?;
                let mut sources = fact.sources.iter().chain(&fact.contradicted);
                let at = sources.position(|source| source.run == *run)?;
                let source = fact.sources.get(at);
                let claim = source.map(|source| source.claim.as_ref());
                let what = match claim {
                    None => "fact_contradicted",
                    Some(claim) => match claim?.is_same(&slot.value.claim) {
                        true if at == 0 && fact.before.is_none() => "fact_recorded",
                        true => "fact_confirmed",
                        false => "fact_contradicted",
                    },
                };
                let confidence = fact.confidence(&slot, fact.last_seen);
                let data = json!({ "kind": fact.kind, "confidence": confidence });
                Some(note(&record.key, what, show::sentence(&fact), data))
            }
            Change::Remove(key) => {
                let what = match occasion {
                    Occasion::Upkeep => "fact_expired",
                    Occasion::Learning => "fact_evicted",
                };
                Some(note(key, what, String::new(), Value::Null))
            }
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests;
