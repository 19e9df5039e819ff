//! What memory offered to a run: advice, known elements, and what was withheld.

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    base::{Host, Trust},
    memory::{Advice, AdviceId, Lasts, MAX_SIZE, Recipe, Section, Suggested},
    page::KnownElement,
};

/// Maximum number of recipes that are shown with their steps.
const MAX_WHOLE: usize = 2;
/// Maximum number of recipes of which only the goal is shown.
const MAX_LISTED: usize = 5;

/// What memory offered to the run so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Offered {
    /// The advice for the next messages. The lessons of the system instruction are not in it.
    advice: Vec<Advice>,
    /// Ids of all advice in the prompts of the run, and of the items from which steps were taken, in the order of first
    /// appearance. The items of the system instruction come first.
    ids: Vec<AdviceId>,
    /// Number of items in the system instruction, which is part of every prompt.
    standing: usize,
    /// Positions in `ids` of the advice that led to the current step.
    now: Vec<usize>,
    /// Ids of all advice that the run has withheld, in the order of first appearance.
    withheld: Vec<AdviceId>,
    /// The host about which memory was last asked, and the number of the observation that showed this host.
    asked_for: Option<(Host, u64)>,
    /// Elements that earlier runs used on the current page's host, as memory has stored them.
    elements: Vec<KnownElement>,
    /// The recipes that the run may follow, in the order of their names.
    #[serde(default)]
    recipes: Vec<Offer>,
    /// The hosts whose recipes memory was asked for.
    #[serde(default)]
    asked_recipes: BTreeSet<Host>,
}

/// A recipe that the run may follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct Offer {
    /// The name, such as `t1`.
    pub(in crate::agent) name: String,
    pub(in crate::agent) item: AdviceId,
    pub(in crate::agent) recipe: Arc<Recipe>,
    /// True if its steps are shown, false if only its goal is.
    pub(in crate::agent) is_whole: bool,
}

impl Offer {
    /// Returns the lines of the prompt.
    fn advice(&self) -> Option<Advice> {
        let lines = if self.is_whole {
            self.recipe.lines(&self.name)
        } else {
            self.recipe.line(&self.name)
        };
        Advice::with_lines(self.item.clone(), lines, Trust::Code, Section::Recipes)
    }

    /// Returns the number of characters in the prompt.
    fn size(&self) -> usize {
        self.advice()
            .map_or(0, |advice| advice.text().chars().count())
    }
}

impl Offered {
    /// Records that the system instruction contains these items.
    pub(in crate::agent) fn stand(&mut self, items: Vec<AdviceId>) {
        self.standing = items.len();
        self.ids = items;
    }

    pub(in crate::agent) fn advice(&self) -> &[Advice] {
        &self.advice
    }

    pub(in crate::agent) fn elements(&self) -> &[KnownElement] {
        &self.elements
    }

    /// Adds advice for the next messages, without duplicates. Lessons for the system instruction are not added, because the
    /// instruction does not change during a run.
    pub(in crate::agent) fn add(&mut self, found: Vec<Advice>) {
        for found in found {
            if self.is_new(&found) && *found.section() != Section::Lessons {
                self.advice.push(found);
            }
        }
    }

    /// Returns true if memory was not asked for the recipes of this host yet, and counts it as asked.
    pub(in crate::agent) fn asks_recipes(&mut self, host: &Host) -> bool {
        self.asked_recipes.insert(host.clone())
    }

    /// Adds a recipe for the rest of the run, with its steps if it fits the goal and there is room, else with its goal alone.
    pub(in crate::agent) fn add_recipe(&mut self, found: Suggested) {
        let (whole, listed): (Vec<&Offer>, Vec<&Offer>) =
            self.recipes.iter().partition(|one| one.is_whole);
        if self.recipes.iter().any(|one| one.item == found.item) {
            return;
        }
        let mut offer = Offer {
            name: format!("t{}", self.recipes.len() + 1),
            item: found.item,
            recipe: found.recipe,
            is_whole: found.fits && whole.len() < MAX_WHOLE,
        };
        let taken: usize = whole.iter().map(|one| one.size()).sum();
        offer.is_whole &= offer.recipe.is_short() && taken + offer.size() <= MAX_SIZE;
        if offer.is_whole || listed.len() < MAX_LISTED {
            self.advice.extend(offer.advice());
            self.recipes.push(offer);
        }
    }

    pub(in crate::agent) fn recipes(&self) -> impl Iterator<Item = &Offer> {
        self.recipes.iter()
    }

    /// Returns the recipe of this name.
    pub(in crate::agent) fn recipe(&self, name: &str) -> Option<&Offer> {
        let name = name.trim().to_ascii_lowercase();
        self.recipes.iter().find(|one| one.name == name)
    }

    /// Shows the steps of a recipe from now on.
    pub(in crate::agent) fn show_recipe(&mut self, name: &str) {
        let Some(offer) = self.recipes.iter_mut().find(|one| one.name == name) else {
            return;
        };
        offer.is_whole = true;
        let shown = self
            .advice
            .iter_mut()
            .find(|advice| *advice.id() == offer.item);
        if let (Some(shown), Some(advice)) = (shown, offer.advice()) {
            *shown = advice;
        }
    }

    fn is_new(&self, found: &Advice) -> bool {
        let is_same =
            |known: &Advice| known.id() == found.id() && known.section() == found.section();
        !self.advice.iter().any(is_same)
    }

    /// Drops the advice that lasts as long as this.
    pub(in crate::agent) fn drop_lasting(&mut self, lasts: Lasts) {
        self.advice
            .retain(|advice| advice.section().lasts() != lasts);
    }

    /// Drops the advice about the last failure.
    pub(in crate::agent) fn drop_error_tips(&mut self) {
        self.advice
            .retain(|advice| *advice.section() != Section::ErrorTips);
    }

    /// Returns true if memory was asked about this observation of the page.
    pub(in crate::agent) fn was_asked(&self, look: u64) -> bool {
        self.asked_for
            .as_ref()
            .is_some_and(|(_, asked)| *asked == look)
    }

    /// Notes that the run is on no page of a host.
    pub(in crate::agent) fn leave(&mut self) {
        self.asked_for = None;
        self.elements.clear();
        self.drop_lasting(Lasts::Page);
    }

    /// Replaces the advice and the elements of the page before by those of a page of `host`. Returns true if a person would
    /// want to know of it: the host is another one, or memory gives other advice for this page.
    pub(in crate::agent) fn arrive(
        &mut self,
        (host, look): (&Host, u64),
        found: Vec<Advice>,
        elements: Vec<KnownElement>,
    ) -> bool {
        let was_on = self.asked_for.replace((host.clone(), look));
        let of_page = |all: &[Advice]| {
            let of_page = all.iter().filter(|a| a.section().lasts() == Lasts::Page);
            of_page.map(|a| a.id().clone()).collect::<Vec<_>>()
        };
        let is_news = was_on.is_none_or(|(before, _)| before != *host)
            || of_page(&self.advice) != of_page(&found)
            || found.iter().any(|found| self.is_new(found));
        self.elements = elements;
        self.drop_lasting(Lasts::Page);
        self.add(found);
        is_news
    }

    /// Records that the next prompt contains all advice, beside the items of the system instruction. Returns the ids of the
    /// advice.
    pub(in crate::agent) fn offer(&mut self) -> Vec<AdviceId> {
        let items: Vec<AdviceId> = self.advice.iter().map(|a| a.id().clone()).collect();
        self.now = (0..self.standing).collect();
        for item in &items {
            let place = self.place_of(item);
            self.now.push(place);
        }
        items
    }

    /// Records that the next step comes from this item alone, so no other counts as shown for it.
    pub(in crate::agent) fn follow(&mut self, item: &AdviceId) {
        self.now = vec![self.place_of(item)];
    }

    /// Returns the positions in the run's list of items of those that led to the current step.
    pub(in crate::agent) fn now(&self) -> &[usize] {
        &self.now
    }

    fn place_of(&mut self, item: &AdviceId) -> usize {
        let known = self.ids.iter().position(|known| known == item);
        known.unwrap_or_else(|| {
            self.ids.push(item.clone());
            self.ids.len() - 1
        })
    }

    /// Records that the run withholds an item. Returns false if it was recorded before.
    pub(in crate::agent) fn withhold(&mut self, item: &AdviceId) -> bool {
        let is_new = !self.withheld.contains(item);
        if is_new {
            self.withheld.push(item.clone());
        }
        is_new
    }

    /// Takes the ids of all items that were offered, and of all that were withheld.
    pub(in crate::agent) fn take(&mut self) -> (Vec<AdviceId>, Vec<AdviceId>) {
        (
            std::mem::take(&mut self.ids),
            std::mem::take(&mut self.withheld),
        )
    }
}
