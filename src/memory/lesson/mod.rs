//! Lessons: what to do when a command fails.
//!
//! Lessons have two tiers. Tier 1 is part of the system instruction from the start. Tier 2 is recalled when a command
//! fails (trigger A) or when a new page is shown (trigger B). A lesson that has proved itself is promoted from tier 2
//! to tier 1.
//!
//! A recovery is what a run did to reach the effect of an action that had failed. It is kept in two forms. One form has
//! the names of elements of the page and is shown only on the page's host. The other form, the template, has no names
//! and is shown on all sites after it has worked on a second site. A click on another, similar element has only the
//! first form.
//!
//! # Decisions
//!
//! - A recovery must restore the effect of the failed action: the same action later succeeds with the same values, or a
//!   known substitute does.
//! - If the model finds a known recovery by itself, the lesson counts as used and helpful, because the recovery worked.
//!   The separate count `followed` says how often the recovery was carried out after the lesson had been shown.
//! - Three unhelpful runs in a row retire a lesson, however often it helped before, because a change of the page can
//!   make a good lesson wrong at once. For a lesson for all sites, these runs must have been on three sites. A lesson
//!   that helped too seldom in all is retired too. A person can bring a retired lesson back.
//! - Only learned templates are promoted. Imported free text of the category `error_recovery` stays in tier 2, even if
//!   a person trusts its words and it is used often.
//! - Memory is asked again each time the page is observed, because a tip is shown only while its target is on the page.
//!   At most three tips are shown for a page, and at most three for a failed command.
//! - The age of a lesson counts from its last use, not from when it was last shown. Otherwise a lesson would never be
//!   removed as long as it is shown.
//! - A success of the same action takes precedence over any substitute: "press Enter, then click" does not mean "press
//!   Enter instead". The success must be on the same kind of page as the failure, and at the same position among equal
//!   elements: "Continue" on the next page is another button.
//! - Nothing is learned from actions inside a frame of a page. The frame may belong to another site, but the lesson
//!   would be credited to the site of the page.
//! - An element's name that repeats text typed by the run is not stored if the text has at least four characters. Pages
//!   offer typed text as a choice, so the name may be the user's own text.
//! - Following a lesson before its failure happens does not count as a use. Otherwise a lesson that nobody needs would
//!   never be removed.
//! - For each lesson, a run adds at most one new site to the list of the lesson's sites, because several sites of one
//!   visit may belong to one owner. A run is counted on at most six sites, so that the lesson can keep all evidence of
//!   the run.
//! - Promotion requires that a run followed the lesson at least once after it was shown. A recovery that works does not
//!   prove that showing it helps.
//! - The form without names is a template whose parts come from fixed sets of words. It is the only hint that crosses
//!   from one site to another.
//! - A click on another element can replace a failed click only if the two elements differ only in their icon or their
//!   place. A run that clicks "Cancel" and then "Save" has two intentions. A run that clicks a star icon and then a bin
//!   icon beside it has one intention.
//! - If a choice in a list or calendar is named differently from the requested value, clicking it proves a recovery
//!   only if the field then showed the value. The name alone proves nothing: the same day in the wrong month has the
//!   same name. If the run typed the value to narrow a list, it is enough that the name begins with the value.

mod admit;
mod another;
mod counted;
mod credit;
mod describe;
mod index;
mod learn;
mod merge;
mod record;
mod recover;
mod rules;
mod seed;
mod site;
mod template;
mod trace;
pub mod v1;
mod words;

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Utc};
use serde_json::Value;

pub use counted::Counted;
pub use index::{LessonIndex, MAX_TIER_1, MAX_TIPS};
pub use record::{
    Category, Counts, Credit, Evidence, Lesson, LessonSource, LessonText, MAX_EVIDENCE, Original,
    Provenance,
};
pub use rules::{
    GENERAL_SITES, HARMS_IN_A_ROW, HELPED_SHARE, MAX_LEARNED, PROMOTION_SITES, PROMOTION_USES,
    PRUNE_AFTER_DAYS, PRUNE_BELOW_USES, wilson,
};
pub use site::{AimedMove, SiteRecovery};
pub use template::{MAX_MOVES, Recovery, Template};
pub use trace::{Found, Trace, TraceStep};
pub use words::{Form, Move, NamedKey, Thing};

use super::{
    Advice, AdviceId, Aim, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment,
    Namespace, Note, Occasion, Record, RunLog, Shelf, ShelfEdit, agent_memory::Converted,
    kind::merged_one,
};
use crate::{
    action::FailureKind,
    base::{Error, ErrorKind, Host, Result, RunId, Site},
};

/// Name of the collection of lessons.
pub const COLLECTION: &str = "lessons";

/// The kind of memory for lessons.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lessons;

impl Lessons {
    /// Returns an edit that removes everything that was learned from a run. A learned lesson is deleted if no other run
    /// supports it. Counts stay as they are if the lesson no longer keeps the evidence for them.
    pub fn undo(run: RunId) -> Edit {
        Edit::new(move |records| learn::undo(records, &run))
    }

    /// Returns an edit of the global shelf that removes everything that was learned on one host of a site. If `host` is
    /// `None`, the edit removes everything that was learned on the whole site. Evidence that also comes from another
    /// host stays without this host. Counts stay as they are if the lesson no longer keeps the evidence for them.
    pub fn forget(site: Site, host: Option<Host>) -> Edit {
        Edit::new(move |records| learn::forget(records, &site, host.as_ref()))
    }

    /// Returns an edit that marks a lesson as accepted by a person who saw the words `shown`.
    ///
    /// If the lesson is retired, prompts show it again, and its count of harm starts again at zero. A retired lesson that
    /// was not waiting for review is not changed in any other way.
    ///
    /// The edit fails with [`ErrorKind::InvalidInput`] in one of these cases:
    ///
    /// - There is no such lesson.
    /// - The words of the lesson are no longer those in `shown`.
    /// - No prompt can show the words as they are, for example because they have line breaks.
    pub fn trust(key: String, shown: String, now: DateTime<Utc>) -> Edit {
        Edit::new(move |records| {
            let refuse = |why: &str| {
                Error::new(ErrorKind::InvalidInput, "lesson.trust")
                    .with("key", &key)
                    .with("why", why)
            };
            let record = records
                .iter()
                .find(|record| record.key == key)
                .ok_or_else(|| refuse("there is no such lesson"))?;
            let mut lesson = Lesson::from_record(record)?;
            let words = lesson.text.render();
            let is_retired = lesson.retired_by.is_some();
            if is_retired {
                lesson.bring_back();
            }
            if is_retired && !lesson.needs_review() && Advice::shown(&words) == shown {
                return Ok(vec![Change::Put(lesson.to_record(&key)?)]);
            }
            if words != shown {
                return Err(refuse(if Advice::shown(&words) == shown {
                    "it has line breaks, invisible characters or more than 300 characters, which no prompt shows as they are"
                } else {
                    "it says something else now"
                }));
            }
            // A template keeps its text: it is a sentence of this crate, and it names the failure that it answers. An imported
            // recovery for one host also keeps its text, and counts as learned, because it is only shown while its elements are
            // on the page.
            let is_imported = lesson.source == LessonSource::Imported;
            lesson.source = LessonSource::User;
            match lesson.text {
                LessonText::Template(_) => {}
                LessonText::Site(_) if is_imported => lesson.source = LessonSource::Learned,
                LessonText::Site(_) | LessonText::Words(_) => {
                    lesson.failed_command = lesson.command().map(str::to_owned);
                    lesson.text = LessonText::Words(shown.clone());
                }
            }
            lesson.last_used = lesson.last_used.max(now);
            Ok(vec![Change::Put(lesson.to_record(&key)?)])
        })
    }
}

impl MemoryKind for Lessons {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, shelf: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        let needed = learn::upkeep(shelf, records, now).is_ok_and(|changes| !changes.is_empty());
        let shelf = shelf.clone();
        needed.then(|| Edit::new(move |records| learn::upkeep(&shelf, records, now)))
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        let global = Shelf::global(namespace, COLLECTION);
        match moment.cue {
            Cue::RunStarted => vec![global],
            Cue::PageShown { host, .. } => host
                .and_above()
                .iter()
                .map(|host| Shelf::host(namespace, COLLECTION, host))
                .collect(),
            Cue::CommandFailed { host, .. } => {
                let hosts = host.iter().flat_map(Host::and_above);
                hosts
                    .map(|host| Shelf::host(namespace, COLLECTION, &host))
                    .chain([global])
                    .collect()
            }
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(LessonIndex::new(shelf, records))
    }

    fn limit(&self, moment: &Moment<'_>) -> usize {
        match moment.cue {
            Cue::RunStarted => MAX_TIER_1,
            _ => MAX_TIPS,
        }
    }

    fn read_hints(&self, hints: &[String], now: DateTime<Utc>) -> Converted {
        admit::of_hints(hints, now)
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let trace = Trace::of(log);
        let says = !trace.found.is_empty() || !trace.offered.is_empty();
        says.then(|| serde_json::to_value(&trace).ok()).flatten()
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let trace: Trace = serde_json::from_value(distilled.clone())
            .map_err(|e| Error::new(ErrorKind::Corrupt, "lesson.learn").with_source(e))?;
        if !trace.is_sound() {
            return Err(Error::new(ErrorKind::Corrupt, "lesson.learn").with("run", &trace.run));
        }
        let is_ours =
            |shelf: &Shelf| shelf.collection == COLLECTION && shelf.namespace == *namespace;
        let mut shelves: BTreeSet<Shelf> = trace
            .offered
            .iter()
            .map(|id| id.shelf.clone())
            .filter(is_ours)
            .collect();
        for (_, failed) in trace.recovered() {
            shelves.insert(Shelf::host(namespace, COLLECTION, &failed.host));
            shelves.insert(Shelf::global(namespace, COLLECTION));
        }
        let trace = Arc::new(trace);
        let edit = |shelf: Shelf| {
            let (at, trace) = (shelf.clone(), Arc::clone(&trace));
            ShelfEdit {
                shelf,
                edit: Edit::new(move |records| learn::learn(&at, records, &trace)),
            }
        };
        Ok(shelves.into_iter().map(edit).collect())
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        Ok(describe::describe(&Lesson::from_record(record)?))
    }

    fn accept(&self, key: &str, shown: &str, now: DateTime<Utc>) -> Result<Edit> {
        Ok(Self::trust(key.to_owned(), shown.to_owned(), now))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        admit::admit(record, vouched)
    }

    fn merge(&self, known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
        merged_one(known, other, |record, other| {
            let (known, other) = (Lesson::from_record(record)?, Lesson::from_record(other)?);
            known.merged(&other).to_record(&record.key)
        })
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        Ok(Self::undo(run.clone()))
    }

    fn forget(&self, site: &Site, host: Option<&Host>) -> Result<Edit> {
        Ok(Self::forget(site.clone(), host.cloned()))
    }

    fn notes(
        &self,
        occasion: Occasion,
        shelf: &Shelf,
        run: &RunId,
        committed: &Committed,
        remaining: usize,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut removed = 0;
        for change in &committed.changes {
            match change {
                Change::Remove(_) => removed += 1,
                Change::Put(record) => {
                    if let Ok(lesson) = Lesson::from_record(record) {
                        let id = AdviceId {
                            shelf: shelf.clone(),
                            key: record.key.clone(),
                        };
                        notes.extend(notes_of(&id, &lesson, run));
                    }
                }
            }
        }
        notes.extend((removed > 0).then_some(match occasion {
            Occasion::Upkeep => Note::Pruned {
                pruned_count: removed,
                remaining_count: remaining,
            },
            Occasion::Learning => Note::Compacted {
                removed_count: removed,
                remaining_count: remaining,
            },
        }));
        notes
    }
}

fn notes_of(id: &AdviceId, lesson: &Lesson, run: &RunId) -> Vec<Note> {
    let (id, text) = (id.clone(), lesson.text.render());
    let mine: Vec<&Evidence> = lesson
        .evidence
        .iter()
        .filter(|evidence| evidence.run == *run)
        .collect();
    let mut notes = Vec::new();
    let has_taught = lesson.provenance.run.as_ref() == Some(run);
    if has_taught {
        notes.push(Note::Recorded {
            id: id.clone(),
            lesson: text.clone(),
            category: lesson.category.as_str().to_owned(),
            failed_command: lesson.command().map(str::to_owned),
            error_pattern: lesson.trouble().map(|trouble| trouble.as_str().to_owned()),
        });
    } else if mine.iter().any(|evidence| evidence.credit.used) {
        let new_use_count = lesson.counts.used;
        notes.push(Note::Deduplicated {
            id: id.clone(),
            lesson: text.clone(),
            new_use_count,
        });
    }
    // The run that taught the lesson was not helped by it.
    let credited = mine.iter().filter(|evidence| evidence.credit.tells());
    for evidence in credited.filter(|_| !has_taught) {
        let Credit {
            used,
            followed,
            helped,
            harmed,
            ..
        } = evidence.credit;
        notes.push(Note::Credited {
            id: id.clone(),
            site: evidence.site.clone(),
            used,
            followed,
            helped,
            harmed,
        });
    }
    if lesson.promoted_by.as_ref() == Some(run) {
        notes.push(Note::Promoted {
            id: id.clone(),
            lesson: text.clone(),
            use_count: lesson.counts.used,
            triggered_domains: lesson.triggered_domains.iter().cloned().collect(),
        });
    }
    if lesson.demoted_by.as_ref() == Some(run) {
        notes.push(Note::Demoted {
            id: id.clone(),
            lesson: text.clone(),
            helped: lesson.counts.helped,
            harmed: lesson.counts.harmed,
        });
    }
    if lesson.retired_by.as_ref() == Some(run) {
        notes.push(Note::Retired {
            id,
            lesson: text,
            helped: lesson.counts.helped,
            harmed: lesson.counts.harmed,
        });
    }
    notes
}

#[cfg(test)]
mod tests;
