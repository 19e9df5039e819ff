//! Lessons: what to do when a command fails.
//!
//! Two tiers. Tier 1 stands in the system instruction from the start; tier 2 is recalled when a command fails (trigger
//! A) or the site changes (trigger B). Everything here is pure: records come in, advice and edits go out. Today the
//! three seeds are planted, shown, and counted; learning from runs grows here.

mod record;
mod seed;
mod template;

use chrono::{DateTime, Utc};

pub use record::{Category, Counts, Lesson, LessonSource, LessonText};
pub use template::{Recovery, Template};

use super::{
    Advice, AdviceId, Change, Cue, Edit, MemoryKind, Namespace, Placement, Record, RunLog, Shelf, ShelfEdit, Shelves,
};
use crate::base::Trust;

/// Most lessons in the system instruction. Source: the first requirements document.
pub const MAX_TIER_1: usize = 10;
/// Most tips for one failed command. Source: the requirements.
pub const MAX_TIPS: usize = 3;

const COLLECTION: &str = "lessons";

/// The lessons of all sites, as a memory kind.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lessons;

impl MemoryKind for Lessons {
    fn name(&self) -> &'static str {
        COLLECTION
    }

    fn prepare(&self, namespace: &Namespace, now: DateTime<Utc>) -> Vec<ShelfEdit> {
        let edit = Edit::new(move |records| {
            let missing = seed::lessons(now).into_iter().filter(|(key, _)| !records.iter().any(|r| r.key == *key));
            missing.map(|(key, lesson)| Ok(Change::Put(lesson.to_record(key)?))).collect()
        });
        vec![ShelfEdit { shelf: Shelf::global(namespace, COLLECTION), edit }]
    }

    fn wants(&self, namespace: &Namespace, cue: &Cue) -> Vec<Shelf> {
        match cue {
            Cue::RunStarted | Cue::CommandFailed { .. } => vec![Shelf::global(namespace, COLLECTION)],
            Cue::SiteChanged { .. } => Vec::new(),
        }
    }

    fn advise(&self, cue: &Cue, shelves: &Shelves) -> Vec<Advice> {
        let mut found: Vec<(&Shelf, &Record, Lesson)> = shelves
            .iter()
            .filter(|(shelf, _)| shelf.collection == COLLECTION)
            .flat_map(|(shelf, state)| state.records.iter().map(move |record| (shelf, record)))
            .filter_map(|(shelf, record)| Some((shelf, record, Lesson::from_record(record).ok()?)))
            .filter(|(_, _, lesson)| lesson.answers(cue))
            .collect();
        // Most used first, seeds before learned, then by key so that the order never depends on the store.
        found.sort_by(|(_, a, x), (_, b, y)| {
            let rank = |lesson: &Lesson| (std::cmp::Reverse(lesson.counts.used), lesson.source != LessonSource::Seed);
            rank(x).cmp(&rank(y)).then_with(|| a.key.cmp(&b.key))
        });
        let (placement, max) = match cue {
            Cue::RunStarted => (Placement::System, MAX_TIER_1),
            _ => (Placement::Error, MAX_TIPS),
        };
        found
            .into_iter()
            .filter_map(|(shelf, record, lesson)| {
                let id = AdviceId { shelf: shelf.clone(), key: record.key.clone() };
                let trust = match (&lesson.text, lesson.source) {
                    (LessonText::Template(_), _) => Trust::Code,
                    (LessonText::User(_), LessonSource::User) => Trust::User,
                    // Free text that says it was learned or shipped is not what we write.
                    (LessonText::User(_), _) => Trust::Page,
                };
                Advice::new(id, &lesson.text.render(), trust, placement)
            })
            .take(max)
            .collect()
    }

    fn learn(&self, namespace: &Namespace, log: &RunLog) -> Vec<ShelfEdit> {
        let shelf = Shelf::global(namespace, COLLECTION);
        let shown: Vec<String> = log.offered.iter().filter(|id| id.shelf == shelf).map(|id| id.key.clone()).collect();
        if shown.is_empty() {
            return Vec::new();
        }
        let log = log.clone();
        let edit = Edit::new(move |records| {
            let mut changes = Vec::new();
            for record in records.iter().filter(|record| shown.contains(&record.key)) {
                let mut lesson = Lesson::from_record(record)?;
                if lesson.credit(&log) {
                    changes.push(Change::Put(lesson.to_record(&record.key)?));
                }
            }
            Ok(changes)
        });
        vec![ShelfEdit { shelf, edit }]
    }
}

#[cfg(test)]
mod tests;
