//! Trajectories: the recorded steps by which runs reached their goals, as a guide for runs with a similar goal.
//!
//! When a run reaches its goal on one host, the steps that it needed are stored: the actions, and the data that identifies
//! their targets. A value of the goal, such as a name, is replaced by a slot, which is the number of the value in the goal.
//! A run with a similar goal on the host is shown the remaining steps from its current page on.
//!
//! - `distill` extracts the needed steps without their values.
//! - `keep` decides which trajectories are kept.
//! - `index` finds the trajectory that fits a goal best.
//! - `rank` computes how well a trajectory fits a goal.
//! - `adapt` removes the parts that do not fit another goal.
//! - `progress` finds out which steps a run has already taken.
//! - `here` checks whether a step can be taken on the current page.
//! - `show` writes a trajectory for prompts.
//! - `replay` takes the steps of a known task without the model.
//! - `values` finds the values of a new goal if it is the task of a trajectory with other values.
//! - `deciding` finds the words by which a goal leaves a decision to the run.
//! - `documented` reads and writes the trajectories of another program.
//!
//! Everything here is pure.
//!
//! # Decisions
//!
//! - The goal is kept. A typed text that is in the goal becomes a slot. If it was typed in another form than in the
//!   goal, that form is kept too. For a parameter or a secret, its name is kept. For any other typed text, only its
//!   length is kept. The name of a target that was chosen from a list is kept only if all of its words are in the goal,
//!   such as the link "Bookings" for a goal about a booking, because another run may have to choose another item.
//! - Similar goals are not the same task. A trajectory is shown to the model as the trajectory of another task. Prompts
//!   show only those words of the earlier goal that the new goal contains too. Steps are taken without the model only
//!   if the goal is the recorded one, word for word. They are taken only from trajectories that this
//!   program recorded, and from an import only if the importing person trusts its source. Any other imported trajectory
//!   is shown after a person has accepted it, but never repeated.
//! - If the new goal is proven to be the recorded task with other values, each slot is shown with the value that the
//!   new goal has in its place, because a model understands a value more easily than a number. The value is taken from
//!   the new goal, never from the record.
//! - The name of a target may contain a value of the goal although the whole name is not a slot. For example, the goal says
//!   "standard delivery" and the name is "Standard delivery (€ 4.90)". So a name is not shown if at least half of its words
//!   are in the earlier goal but not in the new one.
//! - The sentences that show a trajectory in a prompt come from this program. The names in them are untrusted, because pages
//!   wrote them. They are shown only on their own host and inside the fence that marks quoted data.
//! - Only the remaining steps are shown, and only if one of the next steps, or a skipped one, can be taken on the page.
//!   So a run that takes other steps is not disturbed. Only the first few of the remaining steps are shown, so that a
//!   long trajectory takes no more space than a short one.
//! - Runs over several hosts are not recorded, because the names of one host would be shown on another.
//! - A trajectory that was shown to three failed runs in a row is not shown again until a run of the same task
//!   succeeds or a person accepts it.

mod adapt;
mod deciding;
mod distill;
mod documented;
mod here;
mod index;
mod keep;
mod progress;
mod rank;
mod record;
mod replay;
mod show;
mod values;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

pub use distill::MAX_STEPS;
pub use keep::{FAILED_IN_A_ROW, MAX_TRAJECTORIES};
pub use record::{Header, MAX_RESULTS, MAX_RUNS, Trajectory};

use super::{
    Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment,
    Namespace, Note, Occasion, Origin, Record, RunLog, Shelf, ShelfEdit, Standing, StoredStep,
    agent_memory::{Converted, Domain},
    step_records,
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site, Trust, text::counted};

/// Name of the collection of trajectories.
pub const COLLECTION: &str = "trajectories";

/// Options of the memory kind for trajectories.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TrajectoryOptions {
    /// Minimum similarity between the goal of a trajectory and the goal of the run to which it is shown, as computed by
    /// [`overlap`](crate::goal::overlap). A quoted text, a date, a number and a sign each count like a word. Range: 0
    /// to 1. Default: 0.5. Source: chosen.
    pub min_similarity: f64,
    /// If true, trajectories are ranked by a weighted sum: 60 % similarity of the goals, 20 % recency, 10 % speed and 10 %
    /// share of the steps that had a visible effect. If false, they are ranked by similarity alone. Default: false. Source:
    /// chosen.
    pub trace_scoring: bool,
    /// Age above which a trajectory is no longer shown and is removed. The age counts from the end of the last run that
    /// reached its goal by these steps. Unit: days. Default: 30. Source: chosen.
    pub ttl_days: u32,
}

impl Default for TrajectoryOptions {
    fn default() -> Self {
        Self {
            min_similarity: 0.5,
            trace_scoring: false,
            ttl_days: 30,
        }
    }
}

impl TrajectoryOptions {
    fn is_stale(self, header: &Header, now: DateTime<Utc>) -> bool {
        now - header.timestamp > TimeDelta::days(i64::from(self.ttl_days))
    }
}

/// The memory kind for trajectories.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trajectories {
    options: TrajectoryOptions,
}

impl Trajectories {
    /// Creates the memory kind for trajectories with these options.
    pub const fn new(options: TrajectoryOptions) -> Self {
        Self { options }
    }

    fn prune(self, records: &[Record], now: DateTime<Utc>) -> Vec<Change> {
        let all = Trajectory::all(records).into_iter();
        all.filter(|(_, one)| self.options.is_stale(&one.header, now))
            .flat_map(|(key, _)| step_records::removal(records, &key))
            .collect()
    }
}

impl MemoryKind for Trajectories {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        let own = *self;
        let needed = !own.prune(records, now).is_empty();
        needed.then(|| Edit::new(move |records| Ok(own.prune(records, now))))
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, COLLECTION, host)],
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(index::TrajectoryIndex::new(self.options, shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        1
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let learned = distill::Learned::of(log)?;
        let says = learned.success || !learned.offered.is_empty();
        says.then(|| serde_json::to_value(&learned).ok()).flatten()
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let learned: distill::Learned =
            serde_json::from_value(distilled.clone()).map_err(|error| {
                Error::new(ErrorKind::Corrupt, "trajectory.learn").with_source(error)
            })?;
        let shelf = Shelf::host(namespace, COLLECTION, &learned.host);
        let edit = Edit::new(move |records| keep::learn(records, &learned));
        Ok(vec![ShelfEdit { shelf, edit }])
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records| keep::undo(records, &run)))
    }

    /// Returns an edit that changes nothing, because there are no trajectories on the global shelf.
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

    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        documented::read(domain, now)
    }

    fn write_domain(&self, records: &[Record], domain: &mut Domain) -> Vec<String> {
        documented::write(records, domain)
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Header::from_record(record).ok().map(|one| one.timestamp)
    }

    /// Returns a description of a record: the header of a trajectory, or one of its steps.
    fn describe(&self, record: &Record) -> Result<Described> {
        let corrupt = |error| {
            Error::new(ErrorKind::Corrupt, "trajectory.read")
                .with("key", &record.key)
                .with_source(error)
        };
        let mut described = if record.key.contains('.') {
            let step: StoredStep = serde_json::from_value(record.body.clone()).map_err(corrupt)?;
            let mut described = Described::new(&step.to_string(), Origin::Learned, Standing::Shown);
            "step".clone_into(&mut described.is);
            described
        } else {
            let header = Header::from_record(record)?;
            let (origin, standing) = match (header.imported, header.is_retired()) {
                (true, _) => (Origin::Imported, Standing::WaitsForReview),
                (false, true) => (Origin::Learned, Standing::Retired),
                (false, false) => (Origin::Learned, Standing::Shown),
            };
            let mut described = Described::new(&header.goal, origin, standing);
            described.text = header.words();
            described.is = format!("trajectory of {}", counted(header.steps, "step"));
            described.results = header.uses().to_string();
            let runs = header.runs.iter().map(|run| ("Run", run.to_string()));
            described.details.extend(runs);
            described
        };
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
        now: DateTime<Utc>,
    ) -> Result<Described> {
        let mut described = self.describe(Record::find(records, key)?)?;
        let mut all = Trajectory::all(records).into_iter();
        // If a step is missing or cannot be read, no prompt shows the trajectory.
        if let Some((_, trajectory)) = all.find(|(known, _)| known == key) {
            let steps = trajectory.steps.iter().zip(1..);
            let steps = steps.map(|(step, n)| ("Step", format!("{n}. {step}")));
            described.details.extend(steps);
            let id = AdviceId {
                shelf: shelf.clone(),
                key: key.to_owned(),
            };
            let whole: Vec<usize> = (0..trajectory.steps.len()).collect();
            let goal = &trajectory.header.goal;
            let values = values::values(&trajectory, goal).unwrap_or_default();
            let lines = show::lines(&trajectory, &whole, goal, &values, now);
            let advice = Advice::with_lines(id, lines, Trust::Code, show::SECTION);
            described.prompt = advice.iter().flat_map(Advice::texts).collect();
        }
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
        let told = committed.changes.iter().flat_map(|change| match change {
            Change::Put(record) => {
                let Ok(header) = Header::from_record(record) else {
                    return Vec::new();
                };
                let data = json!({ "steps": header.steps, "runs": header.runs.len() });
                let (what, data) = match header.results.iter().find(|(of, _)| of == run) {
                    Some((_, result)) => ("trajectory_used", result.told()),
                    None if header.run == *run => ("trajectory_recorded", data),
                    None => ("trajectory_repeated", data),
                };
                let mut told = vec![note(&record.key, what, header.goal.clone(), data)];
                if header.is_retired_by(run) {
                    let goal = header.goal;
                    told.push(note(&record.key, "trajectory_retired", goal, Value::Null));
                }
                told
            }
            Change::Remove(key) if !key.contains('.') => {
                let what = match occasion {
                    Occasion::Upkeep => "trajectory_expired",
                    Occasion::Learning => "trajectory_evicted",
                };
                vec![note(key, what, String::new(), Value::Null)]
            }
            Change::Remove(_) => Vec::new(),
        });
        told.collect()
    }
}

#[cfg(test)]
mod tests;
