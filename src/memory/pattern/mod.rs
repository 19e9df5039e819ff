//! Patterns: sequences of steps that tasks with different goals share on a host, such as a login or the way to a section of
//! the site.
//!
//! When a run reaches its goal, the signatures (hashes) of its steps are stored. If a later run reaches another goal
//! and took two or more of the same steps in a row, these steps become a pattern. From then on, every run is shown the
//! pattern on pages on which the pattern's next step can be taken.
//!
//! - `distill` finds the steps of a run that can be part of a pattern.
//! - `common` finds the steps that two runs share.
//! - `rules` determines the type of a pattern.
//! - `keep` decides which patterns are kept.
//! - `record` defines the stored form of patterns.
//! - `show` writes patterns for prompts.
//! - `given` creates patterns from steps that a person or a program gives.
//!
//! Everything here is pure.
//!
//! # Decisions
//!
//! - A trajectory (the recorded steps of an earlier run) is shown if the goal is similar to the earlier goal. A pattern
//!   needs no similar goal: it shows steps that many tasks take on this host. If a trajectory in the same prompt
//!   contains the steps of a pattern, the pattern is left out. A pattern that no person gave is also left out if the next
//!   step of a trajectory is on the page, so that a run is not shown two sequences of steps at once.
//! - A pattern contains only data that both runs share, because the signature of a step is a hash of the data that is
//!   kept of the step. So no value of a single run can get into a pattern. Only the position in a list and the size of
//!   the list come from a single run. Typed texts are replaced by numbers, and items chosen from a list have no names.
//! - Goals that differ only in values that the runs typed or chose count as the same goal. Trajectories, not
//!   patterns, cover runs with the same goal.
//! - Steps that cannot be undone are never learned, because a run with another goal may not want them.
//! - The steps of the last runs are kept as signatures only. The names in a new pattern come from the run from which
//!   memory is learning, and never from the runs before it. So an imported run of another person adds no words. An
//!   imported run counts as evidence only if the importing person vouches for it.
//! - The result of a pattern depends only on its steps: all were carried out, or one failed. Whether the run reached its
//!   goal does not count, because this depends on other steps too.
//! - The key of a pattern is a hash of its steps. The only parts that are not hashed are the numbers that replace typed
//!   texts, the positions in lists and the sizes of lists. An imported step contains nothing but the hashed data and
//!   these numbers. So a person who accepts a pattern by its key accepts exactly these steps.
//! - The sentences come from this program or from the person who gave the pattern. The names in them are untrusted, because
//!   pages wrote them. They are shown only on their own host and inside the fence that marks quoted data.

mod common;
mod distill;
mod given;
mod keep;
mod record;
mod rules;
mod show;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub use given::credit;
pub use record::{
    Evidence, Header, MAX_EVIDENCE, MAX_RESULTS, Pattern, PatternSource, PatternType,
};

use super::{
    Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment,
    Namespace, Note, Occasion, Origin, Record, RunLog, Shelf, ShelfEdit, Standing, step_records,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site, Trust, text::counted};

/// Name of the collection of patterns.
pub const COLLECTION: &str = "patterns";
/// Minimum number of steps of a pattern. Source: chosen; one step says no more than the page itself.
pub const MIN_STEPS: usize = 2;
/// Maximum number of steps of a pattern. Longer sequences become several patterns. Source: chosen; enough to reach a
/// form and fill it in.
pub const MAX_STEPS: usize = 10;
/// Maximum number of patterns that memory keeps for one host. Patterns that a person gave or accepted are never
/// removed, even if there are more. Source: chosen.
pub const MAX_PATTERNS: usize = 100;
/// Number of patterns that memory keeps for a host after the host has exceeded [`MAX_PATTERNS`]. Source: chosen.
pub const KEPT: usize = 80;
/// Maximum number of patterns that a prompt shows. Source: chosen.
pub const MAX_SHOWN: usize = 2;
/// Maximum number of runs of one host whose steps are kept as hashes. The latest runs are kept. Source: chosen.
pub const MAX_RECENT: usize = 10;
/// Number of consecutive failures after which a pattern is no longer shown. Runs that did not try the steps are not counted.
/// Source: chosen; as for lessons.
pub const FAILED_IN_A_ROW: usize = 3;

/// The memory kind for patterns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patterns;

impl MemoryKind for Patterns {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, COLLECTION, host)],
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(show::PatternIndex::new(shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        MAX_SHOWN
    }

    /// Returns true if the pattern adds something to the advice `said`, which the prompt shows before it. A pattern
    /// adds nothing if one piece of this advice shows all of its steps that name an element. Unless a person gave the
    /// pattern, it also adds nothing if a piece of this advice shows steps of which the first names an element.
    fn adds(&self, own: &Advice, said: &[Advice]) -> bool {
        let is_given = own.trust() == Trust::User;
        let is_said = |other: &Advice| {
            show::is_said(own, other) || (!is_given && show::names_first_step(other))
        };
        !said.iter().any(is_said)
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        serde_json::to_value(distill::Learned::of(log)?).ok()
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let learned: distill::Learned = serde_json::from_value(distilled.clone())
            .map_err(|error| Error::new(ErrorKind::Corrupt, "pattern.learn").with_source(error))?;
        let shelf = Shelf::host(namespace, COLLECTION, &learned.host);
        let edit = Edit::new(move |records| keep::learn(records, &learned));
        Ok(vec![ShelfEdit { shelf, edit }])
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records| keep::undo(records, &run)))
    }

    /// Returns an edit that changes nothing: it is for the global shelf, and patterns are only on the shelves of hosts.
    fn forget(&self, _: &Site, _: Option<&Host>) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    fn item<'k>(&self, key: &'k str) -> &'k str {
        step_records::owner(key)
    }

    fn accept(&self, key: &str, shown: &str, _: DateTime<Utc>) -> Result<Edit> {
        let (key, shown) = (key.to_owned(), shown.to_owned());
        Ok(Edit::new(move |records| {
            keep::accept(records, &key, &shown)
        }))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        keep::admit(record, vouched)
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Header::from_record(record).ok().map(|one| one.last_used)
    }

    /// Returns a description without the pattern's steps, which `describe_item` adds.
    fn describe(&self, record: &Record) -> Result<Described> {
        let header = Header::from_record(record)?;
        let (origin, standing) = match header.source {
            PatternSource::Imported => (Origin::Imported, Standing::WaitsForReview),
            source => {
                let origin = match source {
                    PatternSource::User => Origin::Person,
                    _ => Origin::Learned,
                };
                let is_retired = header.is_retired();
                let standing = if is_retired {
                    Standing::Retired
                } else {
                    Standing::Shown
                };
                (origin, standing)
            }
        };
        let mut described = Described::new(header.description(), origin, standing);
        let steps = counted(header.steps, "step");
        described.is = format!("pattern of {steps}, {}", header.kind.as_str());
        described.results = header.uses().to_string();
        let runs = header
            .evidence
            .iter()
            .map(|one| ("Run", one.run.to_string()));
        described.details.extend(runs);
        described
            .details
            .push(("Last used", header.last_used.to_rfc3339()));
        if let Value::Object(data) = &record.body {
            described.data.clone_from(data);
        }
        Ok(described)
    }

    fn describe_item(
        &self,
        shelf: &Shelf,
        records: &[Record],
        key: &str,
        _: DateTime<Utc>,
    ) -> Result<Described> {
        let mut described = self.describe(Record::find(records, key)?)?;
        let mut all = Pattern::all(records).into_iter();
        // If a step is missing or cannot be read, no prompt shows the pattern.
        if let Some((_, pattern)) = all.find(|(known, _)| known == key) {
            let steps = pattern.steps.iter().zip(1..);
            let steps = steps.map(|(step, n)| ("Step", format!("{n}. {step}")));
            described.details.extend(steps);
            let id = AdviceId {
                shelf: shelf.clone(),
                key: key.to_owned(),
            };
            let lines = show::lines(&pattern, 0);
            let advice = Advice::with_lines(id, lines, show::trust(&pattern), show::SECTION);
            described.prompt = advice.iter().flat_map(Advice::texts).collect();
        }
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
        let note = |key: &str, what: &str, text: String, data| Note::Changed {
            id: AdviceId {
                shelf: shelf.clone(),
                key: key.to_owned(),
            },
            what: what.to_owned(),
            text,
            data,
        };
        let told = committed.changes.iter().flat_map(|change| match change {
            Change::Put(record) if !record.key.contains('.') => {
                let Ok(header) = Header::from_record(record) else {
                    return Vec::new();
                };
                let data =
                    json!({ "type": header.kind, "steps": header.steps, "tasks": header.goals() });
                let (what, data) = match header.results.iter().find(|(of, _)| of == run) {
                    Some((_, result)) => ("pattern_used", result.told()),
                    None if header.created == header.last_used => ("pattern_recorded", data),
                    None => ("pattern_repeated", data),
                };
                let words = header.description();
                let mut told = vec![note(&record.key, what, words.to_owned(), data)];
                if header.is_retired_by(run) {
                    let words = words.to_owned();
                    told.push(note(&record.key, "pattern_retired", words, Value::Null));
                }
                told
            }
            Change::Remove(key) if !key.contains('.') => {
                vec![note(key, "pattern_evicted", String::new(), Value::Null)]
            }
            _ => Vec::new(),
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests;
