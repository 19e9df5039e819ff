//! Finds the recipes of a site that fit a goal.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Recipe, RecipeOptions, Slot};
use crate::{
    action::Parameters,
    base::text,
    memory::{Advice, AdviceId, Cue, Index, Moment, Record, Shelf, Suggested},
};

/// Share of a recipe's words, apart from its values, that a goal has if the recipe is shown whole, however long the goal is.
const SHARED: f64 = 0.8;
/// Age at which the recency of a recipe has fallen to 1/e (37 %). Unit: days.
const RECENCY_DAYS: f64 = 14.0;
/// Weights of similarity, recency, speed and share of verified steps in the score of a recipe.
const WEIGHTS: [f64; 4] = [0.6, 0.2, 0.1, 0.1];

/// The recipes of a site that may be shown.
#[derive(Debug)]
pub(super) struct RecipeIndex {
    options: RecipeOptions,
    all: Vec<(AdviceId, Arc<Recipe>)>,
}

impl RecipeIndex {
    /// Indexes the recipes of a shelf. Those that are retired or wait for review are left out.
    pub(super) fn new(options: RecipeOptions, shelf: &Shelf, records: &[Record]) -> Self {
        let all = Recipe::all(records).into_iter();
        let all = all.filter(|(_, one)| !one.header.is_retired() && !one.header.imported);
        let all = all.map(|(key, recipe)| {
            let shelf = shelf.clone();
            (AdviceId { shelf, key }, Arc::new(recipe))
        });
        Self {
            options,
            all: all.collect(),
        }
    }

    fn rank(&self, recipe: &Recipe, likeness: f64, now: DateTime<Utc>) -> f64 {
        if !self.options.trace_scoring {
            return likeness;
        }
        let header = &recipe.header;
        let days = (now - header.timestamp).as_seconds_f64() / 86_400.0;
        let recency = (-days.max(0.0) / RECENCY_DAYS).exp();
        #[expect(clippy::cast_precision_loss, reason = "a duration of less than an age")]
        let minutes = header.duration_ms as f64 / 60_000.0;
        let clear = recipe.steps.iter().filter(|step| !step.unclear).count();
        let verified = share(clear, recipe.steps.len());
        let parts = [likeness, recency, 1.0 / (1.0 + minutes), verified];
        parts
            .iter()
            .zip(WEIGHTS)
            .map(|(part, weight)| part * weight)
            .sum()
    }
}

impl Index for RecipeIndex {
    fn advise(&self, _: &Moment<'_>, _: bool) -> Vec<Advice> {
        Vec::new()
    }

    fn recipes(&self, moment: &Moment<'_>) -> Vec<Suggested> {
        let Cue::PageShown { host, .. } = moment.cue else {
            return Vec::new();
        };
        let goal = &moment.about.goal;
        let fresh = self
            .all
            .iter()
            .filter(|(_, one)| !self.options.is_stale(&one.header, moment.now));
        let mut ranked: Vec<(f64, Suggested)> = fresh
            .filter(|(_, one)| one.is_of(host))
            .map(|(id, recipe)| {
                let likeness = overlap(&recipe.header.goal, goal);
                let fits =
                    likeness >= self.options.min_similarity || shares(recipe, goal) >= SHARED;
                let rank = self.rank(recipe, likeness, moment.now);
                let one = Suggested {
                    item: id.clone(),
                    recipe: Arc::clone(recipe),
                    fits,
                };
                (rank, one)
            })
            .collect();
        ranked.sort_by(|(a, one), (b, other)| {
            let end = |one: &Suggested| one.recipe.header.timestamp;
            let order = (other.fits, b.total_cmp(a), end(other).cmp(&end(one)));
            (order.0.cmp(&one.fits))
                .then(order.1)
                .then(order.2)
                .then_with(|| one.item.cmp(&other.item))
        });
        ranked.into_iter().map(|(_, one)| one).collect()
    }
}

/// Returns how similar two goals are, from 0 to 1: the number of their common words, divided by that of all their different words
/// (the Jaccard index). Two goals without words have the result 0.
pub fn overlap(one: &str, other: &str) -> f64 {
    let words = |goal: &str| -> std::collections::BTreeSet<String> {
        text::words(goal).into_iter().collect()
    };
    let (one, other) = (words(one), words(other));
    share(one.intersection(&other).count(), one.union(&other).count())
}

/// Returns the share of a recipe's words, apart from its values, that a goal has.
fn shares(recipe: &Recipe, goal: &str) -> f64 {
    let mut own = String::new();
    let mut places: Vec<(usize, usize)> = recipe.slots().filter_map(|(_, slot)| slot.at).collect();
    places.sort_unstable();
    let mut from = 0;
    for (start, end) in places {
        own.push_str(recipe.header.goal.get(from..start).unwrap_or_default());
        own.push(' ');
        from = from.max(end);
    }
    own.push_str(recipe.header.goal.get(from..).unwrap_or_default());
    let (own, goal) = (text::words(&own), text::words(goal));
    let found = own.iter().filter(|word| goal.contains(word)).count();
    share(found, own.len())
}

fn share(part: usize, whole: usize) -> f64 {
    let small = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    if whole == 0 {
        0.0
    } else {
        small(part) / small(whole)
    }
}

impl Recipe {
    /// Returns true if a run with this goal and these parameters is the recorded task: its goal is the recorded one, word for
    /// word, and the steps type all of its parameters.
    pub(crate) fn is_task(&self, goal: &str, parameters: &Parameters) -> bool {
        let typed = self.slots().filter_map(|(_, slot)| slot.parameter.as_ref());
        let typed: std::collections::BTreeSet<_> = typed.collect();
        self.header.own
            && !self.header.leaves
            && self.header.goal == text::squeeze(goal)
            && parameters.keys().eq(typed)
    }

    /// Returns the number of first steps whose values a run with the recorded goal has: parameters, secrets, defaults, and
    /// values that stand in the goal.
    pub(super) fn known_steps(&self) -> usize {
        let goal = &self.header.goal;
        let is_known = |slot: &Slot| {
            slot.parameter.is_some() || slot.default.is_some() || slot.literal(goal).is_some()
        };
        let known = self.steps.iter().take_while(|step| {
            let mut slots = step
                .slots()
                .filter(|slot| step.asked.as_ref() != Some(*slot));
            step.left.is_none() && slots.all(is_known)
        });
        known.count()
    }
}
