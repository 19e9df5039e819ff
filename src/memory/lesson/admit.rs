//! Import of lessons from another store.

use super::{Lesson, LessonSource, LessonText};
use crate::{
    base::{Error, ErrorKind, Result},
    memory::{Advice, Record},
};

/// Maximum length of an imported key. Unit: bytes. Source: chosen; the keys of this crate have 23.
const MAX_KEY: usize = 64;

/// Returns the record to import for a lesson, or the reason for refusing it. The words are converted to the form that a
/// prompt shows, so that a person accepts exactly what the model will read. Without `trust` the lesson waits for
/// review.
pub(super) fn admit(record: &Record, trust: bool) -> Result<Record> {
    let refuse = |why: &str| {
        Err(Error::new(ErrorKind::InvalidInput, "lesson.admit")
            .with("key", &record.key)
            .with("why", why))
    };
    let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(1..=MAX_KEY).contains(&record.key.len()) || !record.key.chars().all(is_key) {
        return refuse("has a key that is not ours");
    }
    let Ok(mut lesson) = Lesson::from_record(record) else {
        // A newer version of this crate may have written the record.
        return if trust {
            Ok(record.clone())
        } else {
            refuse("is not a lesson")
        };
    };
    let before = lesson.clone();
    if let LessonText::Words(words) = &mut lesson.text {
        if lesson.source == LessonSource::Seed || record.key.starts_with("seed-") {
            return refuse("has the place of a seed and words of its own");
        }
        let shown = Advice::shown(words);
        if shown.is_empty() {
            return refuse("says nothing");
        }
        *words = shown;
    }
    if lesson.source == LessonSource::User && !trust {
        lesson.source = LessonSource::Imported;
    }
    if lesson == before {
        return Ok(record.clone());
    }
    lesson.to_record(&record.key)
}
