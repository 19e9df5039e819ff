//! Export of lessons to version 1 of `memory.json`, the file of another program.

use serde_json::{Map, Value};

use super::{Document, Entry, Problems, Source, sites_of};
use crate::{
    action::FailureKind,
    memory::{
        Record, Scope, Shelf,
        lesson::{COLLECTION, Lesson, LessonSource, LessonText},
    },
};

/// Name of the collection for the unknown fields of an imported file, beside its lessons: fields that version 1 of the
/// format does not define.
pub(super) const IMPORTS: &str = "imports";
/// Returns true if the shelf keeps fields of imported files that version 1 of the format does not define.
pub(crate) fn has_foreign_fields(shelf: &Shelf) -> bool {
    shelf.collection == IMPORTS
}

/// Key of the only record in the collection [`IMPORTS`]. It keeps these fields of all imported
/// files.
pub(super) const FILE: &str = "memory_json";

/// Returns the lessons of these shelves as a file `memory.json` of version 1, in the order of the shelves and their records.
///
/// Retired lessons are left out, because version 1 cannot mark them. Results of lessons, and other details for which version
/// 1 has no field, are left out too.
pub fn export(shelves: &[(Shelf, Vec<Record>)]) -> Document {
    let (mut lessons, mut problems, mut extra) = (Vec::new(), Problems::default(), Map::new());
    let mut retired = 0;
    for (shelf, records) in shelves {
        if shelf.collection == IMPORTS {
            let kept = records
                .iter()
                .find(|record| record.key == FILE)
                .map(|record| &record.body["extra"]);
            extra.extend(kept.and_then(Value::as_object).cloned().unwrap_or_default());
        }
        if shelf.collection != COLLECTION {
            continue;
        }
        for record in records {
            match Lesson::from_record(record) {
                Ok(lesson) if lesson.retired_by.is_some() => retired += 1,
                Ok(lesson) => lessons.push((lessons.len() + 1, written(shelf, &lesson))),
                Err(_) => problems.add(None, format!("{} on {shelf} cannot be read", record.key)),
            }
        }
    }
    if retired > 0 {
        problems.add(None, format!("{retired} retired lessons are left out"));
    }
    // Stored fields of an imported file never replace those of version 1.
    extra.retain(|name, _| name != "version" && name != "lessons");
    Document {
        lessons,
        extra,
        problems: problems.told(),
    }
}

pub(super) fn written(shelf: &Shelf, lesson: &Lesson) -> Entry {
    let original = lesson.original.clone().unwrap_or_default();
    let is_words = matches!(lesson.text, LessonText::Words(_));
    let known = |named: Option<&str>| named.map(str::to_owned);
    let (failed_command, error_pattern) = match lesson.trouble() {
        _ if is_words => (lesson.failed_command.clone(), lesson.error_pattern.clone()),
        _ if lesson.original.is_some() => (original.failed_command, original.error_pattern),
        // In version 1, a command without an error would match every failure of that command.
        None | Some(FailureKind::Any) => (None, None),
        Some(trouble) => (known(lesson.command()), known(Some(trouble.as_str()))),
    };
    let domain = match &shelf.scope {
        Scope::Host(host) => lesson
            .domain
            .clone()
            .or_else(|| Some(host.name().to_owned())),
        Scope::Global => lesson.domain.clone(),
    };
    let source = match lesson.source {
        _ if lesson.original.is_some() => {
            Source::parse(&original.source).unwrap_or(Source::Learned)
        }
        LessonSource::Seed => Source::Seed,
        LessonSource::User => Source::User,
        LessonSource::Learned | LessonSource::Imported => Source::Learned,
    };
    let told = sites_of(&original.triggered_domains);
    let mut triggered_domains = original.triggered_domains;
    let since = lesson
        .triggered_domains
        .iter()
        .filter(|site| !told.contains(*site));
    triggered_domains.extend(since.map(|site| site.as_str().to_owned()));
    Entry {
        lesson: original.lesson.unwrap_or_else(|| lesson.text.render()),
        category: lesson.category,
        failed_command,
        error_pattern,
        domain,
        use_count: lesson.counts.used,
        created_at: Some(lesson.created_at.date_naive()),
        last_used: Some(lesson.last_used.date_naive()),
        source,
        triggered_domains,
        extra: original.extra,
    }
}
