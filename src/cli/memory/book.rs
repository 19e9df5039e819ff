//! The lessons of a namespace, and the names by which a person finds them.

use crate::{
    MemoryBackend,
    cli::Refusal,
    memory::{
        Advice, Namespace, Record, Scope, Shelf, ShelfFilter,
        lesson::{COLLECTION, Lesson},
    },
};

/// Most names listed for an ambiguous beginning. Source: chosen.
const MAX_NAMES: usize = 5;

/// One lesson with its shelf.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) shelf: Shelf,
    pub(super) record: Record,
    pub(super) lesson: Lesson,
}

impl Known {
    /// The name of a lesson: its key, and its host if it has one, because two hosts can teach the same.
    pub(super) fn name(&self) -> String {
        match &self.shelf.scope {
            Scope::Global => self.record.key.clone(),
            Scope::Host(host) => format!("{}@{host}", self.record.key),
        }
    }

    /// The scope, in a word.
    pub(super) fn scope(&self) -> String {
        match &self.shelf.scope {
            Scope::Global => "every site".to_owned(),
            Scope::Host(host) => host.to_string(),
        }
    }

    /// The status, in a word: whether the lesson is shown, and if not, why.
    pub(super) fn state(&self) -> &'static str {
        if self.lesson.retired_by.is_some() {
            "retired"
        } else if self.lesson.needs_review() {
            "waits for you"
        } else if self.lesson.speaks() {
            "shown"
        } else {
            "seen on one site"
        }
    }

    /// The text as a prompt would show it.
    pub(super) fn shown(&self) -> String {
        Advice::shown(&self.lesson.text.render())
    }
}

/// The shelves of a filter, always with the global one. A store does not list a shelf that it does not understand, and
/// a person must not take that shelf for forgotten.
pub(super) async fn shelves(
    store: &impl MemoryBackend,
    filter: &ShelfFilter,
    namespace: &Namespace,
) -> Result<Vec<Shelf>, Refusal> {
    let mut shelves = store.shelves(filter).await.map_err(|e| super::broken(&e))?;
    let global = Shelf::global(namespace, COLLECTION);
    if filter.matches(&global) && !shelves.contains(&global) {
        let state = store.load(&global).await.map_err(|e| super::broken(&e))?;
        shelves.extend((!state.records.is_empty()).then_some(global));
    }
    Ok(shelves)
}

/// The lessons, ordered by shelf and key, and the number of unreadable records.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) lessons: Vec<Known>,
    pub(super) unreadable: usize,
}

impl Book {
    pub(super) async fn read(
        store: &impl MemoryBackend,
        namespace: &Namespace,
    ) -> Result<Self, Refusal> {
        let filter = ShelfFilter {
            namespace: Some(namespace.clone()),
            collection: Some(COLLECTION.to_owned()),
            ..ShelfFilter::default()
        };
        let mut book = Self::default();
        for shelf in shelves(store, &filter, namespace).await? {
            for record in store
                .load(&shelf)
                .await
                .map_err(|e| super::broken(&e))?
                .records
            {
                match Lesson::from_record(&record) {
                    Ok(lesson) => book.lessons.push(Known {
                        shelf: shelf.clone(),
                        record,
                        lesson,
                    }),
                    Err(_) => book.unreadable += 1,
                }
            }
        }
        Ok(book)
    }

    /// The lesson with this name, or the only one whose name begins with it.
    pub(super) fn find(&self, name: &str) -> Result<&Known, Refusal> {
        let exact: Vec<&Known> = self
            .lessons
            .iter()
            .filter(|known| known.name() == name || known.record.key == name)
            .collect();
        let found = if exact.is_empty() {
            self.lessons
                .iter()
                .filter(|known| known.name().starts_with(name))
                .collect()
        } else {
            exact
        };
        match found.as_slice() {
            [] => Err(Refusal::usage(format!(
                "nothing is remembered under {name}: `webwise memory list` shows the keys"
            ))),
            [one] => Ok(one),
            several => {
                let mut names: Vec<String> = several
                    .iter()
                    .take(MAX_NAMES)
                    .map(|known| known.name())
                    .collect();
                if several.len() > MAX_NAMES {
                    names.push(format!("{} more", several.len() - MAX_NAMES));
                }
                Err(Refusal::usage(format!(
                    "{name} could be {}: give more of it",
                    names.join(", ")
                )))
            }
        }
    }
}
