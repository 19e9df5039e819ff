//! Changes of a site's recipes: after a finished run, when there are too many, when a run is undone or a host forgotten, when a
//! person accepts a recipe, and when recipes are imported.

use std::cmp::Reverse;

use super::{
    Given, Header, Left, MAX_RECIPES, MAX_RESULTS, MAX_RUNS, Recipe, RecipeStep,
    learn::Learned,
    record::{owner, removal, replacing},
};
use crate::{
    base::{Error, ErrorKind, Host, Result, RunId},
    memory::{Change, Record},
    page::PageTemplate,
    working::Place,
};

/// Maximum length of the key of an imported record. Unit: bytes. The keys of this crate have 21 bytes.
const MAX_KEY: usize = 64;

/// Returns the changes by which a shelf learns from a run.
pub(super) fn learn(records: &[Record], learned: &Learned) -> Result<Vec<Change>> {
    let before = Recipe::all(records);
    let mut all = before.clone();
    for (key, result) in &learned.results {
        let known = all.iter_mut().find(|(known, _)| known == key);
        let Some((_, Recipe { header, .. })) = known else {
            continue;
        };
        if header.results.iter().all(|(run, _)| *run != learned.run) {
            header.results.push((learned.run.clone(), *result));
            let excess = header.results.len().saturating_sub(MAX_RESULTS);
            header.results.drain(..excess);
        }
    }
    if let Some(new) = &learned.recipe {
        let key = new.key();
        match all.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) if known.header.runs.contains(&learned.run) => {}
            Some((_, known)) => known.repeat(new, learned),
            None => {
                // Of two ways to one goal, word for word, the shorter one is kept, if both begin on the same host: a recipe is
                // shown only on its own hosts.
                let is_way = |known: &Recipe| {
                    known.header.own
                        && !known.header.is_retired()
                        && known.header.goal == new.header.goal
                        && known.begins_on() == new.begins_on()
                };
                let rival = all.iter().position(|(_, known)| is_way(known));
                match rival {
                    Some(at) if all[at].1.steps.len() <= new.steps.len() => {
                        let header = &mut all[at].1.header;
                        header.timestamp = header.timestamp.max(learned.at);
                    }
                    rival => {
                        rival.map(|at| all.remove(at));
                        all.push((key, new.clone()));
                    }
                }
            }
        }
    }
    all.sort_by_key(|(key, known)| {
        (
            known.header.imported,
            Reverse(known.header.timestamp),
            key.clone(),
        )
    });
    all.truncate(MAX_RECIPES);
    changes(records, &before, &all)
}

/// Returns the changes that turn the recipes `before` into those `after`.
fn changes(
    records: &[Record],
    before: &[(String, Recipe)],
    after: &[(String, Recipe)],
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let is_in = |all: &[(String, Recipe)], key: &str| all.iter().any(|(known, _)| known == key);
    for (key, _) in before.iter().filter(|(key, _)| !is_in(after, key)) {
        changes.extend(removal(records, key));
    }
    for one in after.iter().filter(|one| !before.contains(one)) {
        changes.extend(replacing(records, &one.0, one.1.to_records(&one.0)?));
    }
    Ok(changes)
}

impl Recipe {
    /// Merges the same steps of another run into this recipe. What both runs gave in the same place, although their goals
    /// differ, becomes a default.
    fn repeat(&mut self, other: &Self, learned: &Learned) {
        let header = &mut self.header;
        header.timestamp = header.timestamp.max(learned.at);
        if learned.followed {
            return;
        }
        if header.is_retired() {
            // The steps work again, so earlier failures no longer count.
            header.results.clear();
        }
        let was_imported = std::mem::take(&mut header.imported);
        if was_imported || !header.own {
            header.runs.clear();
            (header.own, header.run) = (true, learned.run.clone());
        }
        header.runs.push(learned.run.clone());
        let excess = header.runs.len().saturating_sub(MAX_RUNS);
        header.runs.drain(..excess);
        let differs = header.goal != other.header.goal;
        for (own, new) in self.steps.iter_mut().zip(&other.steps) {
            own.repeat(new, differs, &learned.texts);
        }
        if was_imported {
            self.header.goal.clone_from(&other.header.goal);
            self.steps.clone_from(&other.steps);
        }
    }

    /// Returns the host of the first step; `None` if it is not known.
    fn begins_on(&self) -> Option<Host> {
        let page = self.steps.first()?.page.as_ref()?;
        Place::of(page.as_str()).host().cloned()
    }

    /// Returns true if a step was taken on this host, or led to it.
    pub(super) fn is_of(&self, host: &Host) -> bool {
        let pages = self
            .steps
            .iter()
            .flat_map(|step| [&step.page, &step.leads_to]);
        let hosts = pages.flatten().map(|page| Place::of(page.as_str()));
        hosts.into_iter().any(|place| place.host() == Some(host))
    }
}

impl RecipeStep {
    fn repeat(&mut self, new: &Self, differs: bool, texts: &[(String, String)]) {
        let mut is_same_choice = true;
        for (own, other) in self.slots_mut().zip(new.slots()) {
            let is_same = own.hash == other.hash;
            is_same_choice &= is_same;
            if !differs {
                continue;
            }
            let text = texts.iter().find(|(name, _)| *name == other.name);
            own.default = text.filter(|_| is_same).map(|(_, text)| text.clone());
        }
        let is_known = |step: &Self| step.slots().all(|slot| slot.default.is_some());
        if differs
            && is_same_choice
            && matches!(self.left, Some(Left::Chosen | Left::Found))
            && is_known(self)
        {
            self.left = None;
        }
        // Only what both runs saw is required of a page.
        if self.heading != new.heading {
            self.heading = None;
        }
        if self.leads_to != new.leads_to {
            self.leads_to = common(self.leads_to.take(), new.leads_to.as_ref());
        }
        self.waits |= new.waits;
        self.effect = self.effect.max(new.effect);
        for (own, other) in self.targets.iter_mut().zip(&new.targets) {
            if own.attribute != other.attribute {
                own.attribute = None;
            }
            if own.group != other.group {
                own.group = None;
            }
        }
    }
}

/// Returns the template with `:x` where two templates differ; `None` if they differ in more than segments of their paths.
fn common(own: Option<PageTemplate>, other: Option<&PageTemplate>) -> Option<PageTemplate> {
    let (own, other) = (own?, other?);
    let parts = |page: &PageTemplate| -> Vec<String> {
        page.as_str().split('/').map(str::to_owned).collect()
    };
    let (one, two) = (parts(&own), parts(other));
    if one.len() != two.len() || one.iter().take(3).ne(two.iter().take(3)) {
        return None;
    }
    let joined: Vec<&str> = one
        .iter()
        .zip(&two)
        .map(|(one, two)| if one == two { one.as_str() } else { ":x" })
        .collect();
    PageTemplate::try_from(joined.join("/")).ok()
}

/// Returns the changes that remove what was learned from a run. A recipe that no other run took is removed.
pub(super) fn undo(records: &[Record], run: &RunId) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for (key, known) in Recipe::all(records) {
        let mut header = known.header.clone();
        header.runs.retain(|other| other != run);
        header.results.retain(|(other, _)| other != run);
        if header.run == *run {
            let Some(other) = header.runs.last().cloned() else {
                changes.extend(removal(records, &key));
                continue;
            };
            header.run = other;
        }
        if header == known.header {
            continue;
        }
        // A default needs two runs.
        let mut without = Recipe { header, ..known };
        if without.header.runs.len() < 2 {
            for slot in without.steps.iter_mut().flat_map(RecipeStep::slots_mut) {
                slot.default = None;
            }
            for step in &mut without.steps {
                let is_choice = step.named.is_some() || step.item.is_some();
                let is_of_goal = step.slots().any(|slot| slot.at.is_some());
                if is_choice && !is_of_goal && step.left.is_none() {
                    step.left = Some(Left::Chosen);
                }
            }
        }
        changes.extend(replacing(records, &key, without.to_records(&key)?));
    }
    Ok(changes)
}

/// Returns the changes that remove the recipes with a step on this host.
pub(super) fn forget(records: &[Record], host: &Host) -> Vec<Change> {
    let all = Recipe::all(records);
    let own = all.iter().filter(|(_, recipe)| recipe.is_of(host));
    own.flat_map(|(key, _)| removal(records, key)).collect()
}

/// Returns the change by which a person accepts an imported recipe or makes a retired one active again. Fails if the recipe's
/// goal has changed since the person saw it as `shown`.
pub(super) fn accept(records: &[Record], key: &str, shown: &str) -> Result<Vec<Change>> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "recipe.accept")
            .with("key", key)
            .with("why", why)
    };
    let mut all = records.iter();
    let record = all.find(|record| record.key == key);
    let record = record.ok_or_else(|| refuse("there is no such recipe"))?;
    let mut header = Header::from_record(record)?;
    if header.words() != shown {
        return Err(refuse("it has another goal now"));
    }
    header.imported = false;
    if header.is_retired() {
        header.results.retain(|(_, result)| !result.is_harm());
    }
    Ok(vec![Change::Put(header.to_record(key)?)])
}

/// Returns the record to import, or the reason for refusing it. If the importing person does not vouch for the source, a recipe
/// loses its results and waits for review, and no run follows it without its model.
pub(super) fn admit(record: &Record, vouched: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Error::new(ErrorKind::InvalidInput, "recipe.admit")
            .with("key", &record.key)
            .with("why", why)
    };
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    if !(1..=MAX_KEY).contains(&record.key.len()) || !record.key.chars().all(is_key) {
        return Err(refuse("has a key that is not ours"));
    }
    if owner(&record.key) != record.key {
        let step: RecipeStep =
            serde_json::from_value(record.body.clone()).map_err(|_| refuse("is not a step"))?;
        let is_plain = step
            .slots()
            .all(|slot| slot.name.len() <= 24 && super::slots::slug(&slot.name) == slot.name);
        let is_of_tool = step
            .form
            .as_ref()
            .is_none_or(|form| form.tool() == step.tool);
        let has_place = |text: &Option<Given>| match (text, &step.form) {
            (Some(_), Some(form)) => form.texts().len() == 1,
            _ => true,
        };
        let has_targets = step.left.is_some()
            || (step.form.as_ref()).is_some_and(|form| form.targets().len() == step.targets.len());
        if !is_plain || !is_of_tool || !has_place(&step.text) || !has_targets {
            return Err(refuse("is a step that no recipe has"));
        }
        return Ok(record.clone());
    }
    let mut header = Header::from_record(record).map_err(|_| refuse("is not a recipe"))?;
    header.imported |= !vouched;
    header.own &= vouched;
    if !vouched {
        header.results.clear();
    }
    header.to_record(&record.key)
}

/// Merges two versions of a recipe: that with the later run, with the runs and results of both.
pub(super) fn merge(known: &[Record], other: &[Record]) -> Result<Vec<Record>> {
    let (Some((key, one)), Some((_, two))) = (
        Recipe::all(known).into_iter().next(),
        Recipe::all(other).into_iter().next(),
    ) else {
        return Ok(known.to_vec());
    };
    let is_newer = (!two.header.imported, two.header.timestamp, two.header.steps)
        > (!one.header.imported, one.header.timestamp, one.header.steps);
    let (mut kept, less) = if is_newer { (two, one) } else { (one, two) };
    if kept.header.imported == less.header.imported && kept.steps == less.steps {
        let header = &mut kept.header;
        let runs = less
            .header
            .runs
            .into_iter()
            .filter(|run| !header.runs.contains(run));
        let mut runs: Vec<RunId> = runs.collect();
        runs.append(&mut header.runs);
        runs.sort();
        header.runs = runs.split_off(runs.len().saturating_sub(MAX_RUNS));
        let known = |results: &[(RunId, crate::memory::Use)], run: &RunId| {
            results.iter().any(|(own, _)| own == run)
        };
        let results = less.header.results.into_iter();
        let new: Vec<_> = results
            .filter(|(run, _)| !known(&header.results, run))
            .collect();
        header.results.extend(new);
        header.results.sort_by(|one, other| one.0.cmp(&other.0));
        let excess = header.results.len().saturating_sub(MAX_RESULTS);
        header.results.drain(..excess);
    }
    kept.to_records(&key)
}
