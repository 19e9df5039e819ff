//! What a program without the decision loop does with memory: it asks for advice, lets memory learn from its own runs, and adds
//! what a person knows.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::Memory;
use crate::{
    base::{Error, ErrorKind, Host, Result, short_hash},
    memory::{
        Advice, Change, Edit, Index, MemoryKind, Moment, Record, RunLog, Shelf, ShelfEdit,
        Suggested,
        knowledge::{self, Fact, FactKind},
        lesson::{self, Lesson},
        recipe::{self, Recipe},
    },
    page::KnownElement,
    secret::Redactor,
    store::MemoryBackend,
};

/// What memory has for one moment of a run.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Recalled {
    /// Advice, in the order of the memory kinds.
    pub advice: Vec<Advice>,
    /// The recipes of the page's site, those that fit the goal first. Only for [`Cue::PageShown`](crate::memory::Cue).
    pub recipes: Vec<Suggested>,
    /// The elements that earlier runs used on the page's host.
    pub elements: Vec<KnownElement>,
}

impl<M: MemoryBackend> Memory<M> {
    /// Returns what memory has for this moment: at the start of a run, on a page, or after a failure.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn recall(&self, moment: &Moment<'_>) -> Result<Recalled> {
        let mut recalled = Recalled::default();
        for kind in &self.kinds {
            let mut said = Vec::new();
            for shelf in kind.wants(&self.namespace, moment) {
                let index = self.index(&**kind, &shelf, moment.now).await?;
                let is_above = moment.is_above(&shelf);
                said.extend(index.advise(moment, is_above));
                recalled.recipes.extend(index.recipes(moment));
                if !is_above {
                    let known = index.elements(moment).into_iter();
                    recalled.elements.extend(known.map(|(_, element)| element));
                }
            }
            said.retain(|own| kind.adds(own, &recalled.advice));
            said.truncate(kind.limit(moment));
            recalled.advice.extend(said);
        }
        Ok(recalled)
    }

    async fn index(
        &self,
        kind: &dyn MemoryKind,
        shelf: &Shelf,
        now: DateTime<Utc>,
    ) -> Result<Arc<dyn Index>> {
        let mut records = self.store.load(shelf).await?.records;
        if let Some(edit) = kind.upkeep(shelf, &records, now) {
            self.store.update(shelf, edit).await?;
            records = self.store.load(shelf).await?.records;
        }
        Ok(kind.index(shelf, &records))
    }

    /// Lets every memory kind learn from a run. The values of `secrets` are replaced in all that is stored. Returns what is not
    /// kept of a run that reached its goal, and why, in words for a person.
    ///
    /// # Errors
    /// The errors of the store. What was stored before the error stays. Learning again from the same run counts nothing twice.
    pub async fn learn(&self, log: &RunLog, secrets: &Redactor) -> Result<Vec<String>> {
        for kind in &self.kinds {
            let Some(mut said) = kind.distill(log) else {
                continue;
            };
            secrets.json(&mut said);
            let edits = kind.learn(&self.namespace, &said)?;
            self.apply(edits).await?;
        }
        let not_kept = self.kinds.iter().filter_map(|kind| kind.unlearned(log));
        Ok(not_kept.map(|why| secrets.text(&why)).collect())
    }

    /// Adds a lesson in the words of a person, for one host or for all sites. Prompts show the words as those of the user. Adding
    /// the same words again changes nothing.
    ///
    /// # Errors
    /// `InvalidInput` if a prompt could not show the words as they are: they are empty, have line breaks, or more than
    /// [`Advice::MAX_TEXT`] characters. The errors of the store.
    pub async fn add_lesson(
        &self,
        words: &str,
        host: Option<&Host>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let lesson = Lesson::of_user(words, host, now)?;
        let shelf = match host {
            Some(host) => Shelf::host(&self.namespace, lesson::COLLECTION, host),
            None => Shelf::global(&self.namespace, lesson::COLLECTION),
        };
        let record = lesson.to_record(format!("given-{}", short_hash(words)))?;
        self.add(shelf, vec![record]).await
    }

    /// Adds a fact about a host in the words of a person: its name, such as `export format`, and what is known about it. A fact of
    /// the same name is kept as it is.
    ///
    /// # Errors
    /// `InvalidInput` if a text is empty. The errors of the store.
    pub async fn add_fact(
        &self,
        host: &Host,
        kind: FactKind,
        name: &str,
        words: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let fact = Fact::of_user(kind, name, words, now)?;
        let shelf = Shelf::host(&self.namespace, knowledge::COLLECTION, host);
        self.add(shelf, vec![fact.to_record()?]).await
    }

    /// Adds an element that is in the way on a host, and how to get rid of it: a fact of the kind [`FactKind::Obstacle`].
    ///
    /// # Errors
    /// As [`Memory::add_fact`].
    pub async fn record_obstacle(
        &self,
        host: &Host,
        element: &str,
        way: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        self.add_fact(host, FactKind::Obstacle, element, way, now)
            .await
    }

    /// Adds a recipe that a person wrote. It is shown to runs of the host's site like a recorded one, and is followed only if the
    /// model asks for it. A recipe of the same steps is kept as it is.
    ///
    /// # Errors
    /// `InvalidInput` if no kind of memory keeps recipes. The errors of the store.
    pub async fn add_recipe(&self, host: &Host, recipe: &Recipe) -> Result<()> {
        let kind = self
            .kinds
            .iter()
            .find(|kind| kind.name() == recipe::COLLECTION);
        let kind = kind.ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "memory.add").with("kind", recipe::COLLECTION)
        })?;
        let shelf = Shelf::host(&self.namespace, recipe::COLLECTION, &kind.home(host));
        self.add(shelf, recipe.to_records(&recipe.key())?).await
    }

    /// Adds the records of one item, unless the shelf has the first of them.
    async fn add(&self, shelf: Shelf, records: Vec<Record>) -> Result<()> {
        let edit = Edit::new(move |stored: &[Record]| {
            let is_known = stored.iter().any(|one| one.key == records[0].key);
            let new = records.iter().filter(|_| !is_known);
            Ok(new.cloned().map(Change::Put).collect())
        });
        self.apply(vec![ShelfEdit { shelf, edit }]).await?;
        Ok(())
    }
}
