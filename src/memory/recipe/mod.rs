//! Recipes: the recorded steps by which runs reached their goals, for later runs to follow with other values.
//!
//! When a run reaches its goal, the steps that it needed are stored: the actions, and the marks by which their targets are found
//! again. What it typed or chose becomes a slot, named after its field. A run on the same site is shown the recipes that fit its
//! goal, and its model follows one with a single call: `follow(recipe, values, first, last)`. The guarded executor takes the
//! steps and stops where the page is not as it was recorded.
//!
//! - `learn` makes a recipe of a run's log, and `slots` finds its values in the goal.
//! - `answer` keeps where the words of the answer stood.
//! - `keep` decides which recipes are kept, and what two runs teach together.
//! - `index` finds the recipes that fit a goal, and `show` writes them for prompts.
//! - `follow` decides the next step on a page.
//! - `documented` reads the recorded runs of another program.
//!
//! Everything here is pure.
//!
//! # Decisions
//!
//! - Nothing decides by itself whether a new goal is the recorded task with other values: a language model reads both better than
//!   rules do. Without the model's word, steps are taken only if the goal is the recorded one, word for word.
//! - Only typed and chosen texts are slots, and names of items that stand in the goal. An item that was chosen by what the page
//!   showed is left to the model, until a run with another goal makes the same choice.
//! - The goal is kept with its values, and is shown without those of the slots. Of a value that is not in the goal only a hash is
//!   kept, until a second run with another goal gives the same value: then it is a default, which is shown.
//! - Names of page elements and goals are texts of others, so recipes stand inside the run's fence.
//! - A recipe belongs to a registrable domain, because a task may go over its hosts. Each step keeps its host and is taken only
//!   there. What a run did on another site is not kept, because the names of one site would be shown on another.

mod answer;
mod documented;
mod follow;
mod index;
mod keep;
mod learn;
mod record;
mod show;
mod slots;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

pub use answer::ReadAgain;
pub(crate) use follow::{Asked, Following, Here, Next, PAUSE};
pub use index::overlap;
pub use record::{
    FAILED_IN_A_ROW, Given, Header, Left, MAX_RESULTS, MAX_RUNS, MAX_STEP_BYTES, QuerySlot, Recipe,
    RecipeStep, Slot,
};
pub use show::MAX_SHOWN;
pub(crate) use show::MAX_SIZE;

use super::{
    AdviceId, Change, Committed, Cue, Described, Edit, Index, MemoryKind, Moment, Namespace, Note,
    Occasion, Origin, Record, RunLog, Shelf, ShelfEdit, Standing,
    agent_memory::{Converted, Domain},
};
use crate::base::{Error, ErrorKind, Host, Result, RunId, Site, text::counted};

/// Name of the collection of recipes.
pub const COLLECTION: &str = "recipes";
/// Maximum number of steps of a recipe; the same as the default maximum number of steps of a run.
pub const MAX_STEPS: usize = 50;
/// Maximum number of recipes that memory keeps for one site.
pub const MAX_RECIPES: usize = 20;

/// Options of the memory kind for recipes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RecipeOptions {
    /// Minimum [`overlap`] between the goal of a recipe and that of a run to which it is shown whole. Range: 0 to 1. Default: 0.5.
    pub min_similarity: f64,
    /// If true, recipes are ranked by a weighted sum: 60 % similarity of the goals, 20 % recency, 10 % speed and 10 % share of the
    /// steps whose effect was seen. If false, they are ranked by similarity alone. Default: false.
    pub trace_scoring: bool,
    /// Age above which a recipe is no longer shown and is removed. The age counts from the end of the last run that reached its
    /// goal by these steps. Unit: days. Default: 30.
    pub ttl_days: u32,
}

impl Default for RecipeOptions {
    fn default() -> Self {
        Self {
            min_similarity: 0.5,
            trace_scoring: false,
            ttl_days: 30,
        }
    }
}

impl RecipeOptions {
    fn is_stale(self, header: &Header, now: DateTime<Utc>) -> bool {
        now - header.timestamp > TimeDelta::days(i64::from(self.ttl_days))
    }
}

/// The memory kind for recipes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recipes {
    options: RecipeOptions,
}

impl Recipes {
    /// Creates the memory kind for recipes with these options.
    pub const fn new(options: RecipeOptions) -> Self {
        Self { options }
    }

    fn prune(self, records: &[Record], now: DateTime<Utc>) -> Vec<Change> {
        let all = Recipe::all(records).into_iter();
        all.filter(|(_, one)| self.options.is_stale(&one.header, now))
            .flat_map(|(key, _)| record::removal(records, &key))
            .collect()
    }
}

impl MemoryKind for Recipes {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn upkeep(&self, _: &Shelf, records: &[Record], now: DateTime<Utc>) -> Option<Edit> {
        let own = *self;
        let needed = !own.prune(records, now).is_empty();
        needed.then(|| Edit::new(move |records| Ok(own.prune(records, now))))
    }

    fn home(&self, host: &Host) -> Host {
        super::shelf::home(host)
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => {
                vec![Shelf::host(namespace, COLLECTION, &self.home(host))]
            }
            Cue::RunStarted | Cue::CommandFailed { .. } => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(index::RecipeIndex::new(self.options, shelf, records))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        0
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        serde_json::to_value(learn::Learned::of(log)?).ok()
    }

    fn unlearned(&self, log: &RunLog) -> Option<String> {
        learn::unlearned(log)
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let learned: learn::Learned = serde_json::from_value(distilled.clone())
            .map_err(|error| Error::new(ErrorKind::Corrupt, "recipe.learn").with_source(error))?;
        let shelf = Shelf::host(namespace, COLLECTION, &learned.home);
        let edit = Edit::new(move |records| keep::learn(records, &learned));
        Ok(vec![ShelfEdit { shelf, edit }])
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records| keep::undo(records, &run)))
    }

    fn forget(&self, _: &Site, host: Option<&Host>) -> Result<Edit> {
        let host = host.cloned();
        Ok(Edit::new(move |records| {
            let own = host.as_ref().map(|host| keep::forget(records, host));
            Ok(own.unwrap_or_default())
        }))
    }

    fn item<'k>(&self, key: &'k str) -> &'k str {
        record::owner(key)
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

    fn merge(&self, known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
        keep::merge(known, other)
    }

    fn read_domain(&self, domain: &Domain, now: DateTime<Utc>) -> Converted {
        documented::read(domain, now)
    }

    fn changed_at(&self, record: &Record) -> Option<DateTime<Utc>> {
        Header::from_record(record).ok().map(|one| one.timestamp)
    }

    /// Returns a description of a record: the header of a recipe, or one of its steps.
    fn describe(&self, record: &Record) -> Result<Described> {
        let mut described = if record::owner(&record.key) == record.key {
            let header = Header::from_record(record)?;
            let (origin, standing) = match (header.imported, header.is_retired()) {
                (true, _) => (Origin::Imported, Standing::WaitsForReview),
                (false, true) => (Origin::Learned, Standing::Retired),
                (false, false) => (Origin::Learned, Standing::Shown),
            };
            let mut described = Described::new(&header.goal, origin, standing);
            described.text = header.words();
            described.is = format!("recipe of {}", counted(header.steps, "step"));
            described.results = header.uses().to_string();
            let runs = header.runs.iter().map(|run| ("Run", run.to_string()));
            described.details.extend(runs);
            described
        } else {
            let step: RecipeStep =
                serde_json::from_value(record.body.clone()).map_err(|error| {
                    Error::new(ErrorKind::Corrupt, "recipe.read")
                        .with("key", &record.key)
                        .with_source(error)
                })?;
            let mut described = Described::new(&step.to_string(), Origin::Learned, Standing::Shown);
            "step".clone_into(&mut described.is);
            described
        };
        if let Value::Object(data) = &record.body {
            described.data.clone_from(data);
        }
        Ok(described)
    }

    fn describe_item(
        &self,
        _: &Shelf,
        records: &[Record],
        key: &str,
        _: DateTime<Utc>,
    ) -> Result<Described> {
        let mut described = self.describe(Record::find(records, key)?)?;
        let mut all = Recipe::all(records).into_iter();
        // If a step is missing or cannot be read, no prompt shows the recipe.
        if let Some((_, recipe)) = all.find(|(known, _)| known == key) {
            let steps = recipe.steps.iter().zip(1..);
            let steps = steps.map(|(step, n)| ("Step", format!("{n}. {step}")));
            described.details.extend(steps);
            let lines = recipe.lines("t1").into_iter();
            described.prompt = lines
                .map(|line| line.iter().map(ToString::to_string).collect())
                .collect();
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
                    Some((_, result)) => ("recipe_used", result.told()),
                    None if header.run == *run => ("recipe_recorded", data),
                    None => ("recipe_repeated", data),
                };
                let mut told = vec![note(&record.key, what, header.goal.clone(), data)];
                if header.is_retired_by(run) {
                    told.push(note(
                        &record.key,
                        "recipe_retired",
                        header.goal,
                        Value::Null,
                    ));
                }
                told
            }
            Change::Remove(key) if record::owner(key) == key => {
                let what = match occasion {
                    Occasion::Upkeep => "recipe_expired",
                    Occasion::Learning => "recipe_evicted",
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
