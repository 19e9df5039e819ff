//! Import of lessons from another store.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{Lesson, LessonSource, LessonText, v1::MAX_ON_A_SHELF};
use crate::{
    base::{Error, ErrorKind, Result, short_hash},
    memory::{
        Advice, Record,
        agent_memory::{Converted, left_out, quoted},
    },
};

/// Maximum length of an imported key. Unit: bytes. Source: chosen; keys made by this crate have 23 bytes.
const MAX_KEY: usize = 64;

/// Returns the record to import for a lesson. Free text is converted to the form that a prompt shows. If `trust` is
/// false, free text and lessons with names of page elements wait for review.
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
    let names = matches!(lesson.text, LessonText::Site(_));
    if (lesson.source == LessonSource::User || names) && !trust {
        lesson.source = LessonSource::Imported;
    }
    if lesson == before {
        return Ok(record.clone());
    }
    lesson.to_record(&record.key)
}

/// Returns lessons for every site in the words of another program's hints, for an import that a person vouches for.
pub(super) fn of_hints(hints: &[String], now: DateTime<Utc>) -> Converted {
    let mut out = Converted::default();
    let mut keys = BTreeSet::new();
    for hint in hints {
        let key = format!("hint-{}", short_hash(hint));
        let record = Lesson::of_user(hint, None, now).and_then(|lesson| lesson.to_record(&key));
        match record {
            Ok(_) if out.records.len() == MAX_ON_A_SHELF || !keys.insert(key) => {}
            Ok(record) => out.records.push(record),
            Err(_) => out.problems.push(format!(
                "hints.json: {:?} left out: it is longer than a prompt shows",
                quoted(hint)
            )),
        }
    }
    let over = hints.len() - out.records.len() - out.problems.len();
    let why = format!("it is there twice, or one of more than {MAX_ON_A_SHELF}");
    out.problems.extend(left_out(over, "hint", &why));
    out.records.sort_by(|a, b| a.key.cmp(&b.key));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{BrowserTool, ErrorClass, FailureKind},
        memory::{
            Aim, apply,
            lesson::{Category, Lessons, Move, Recovery, SiteRecovery},
        },
        page::{Role, TargetIdentity},
    };

    #[test]
    fn names_of_elements_in_an_import_wait_for_a_person() {
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        let recovery = SiteRecovery {
            command: BrowserTool::Click,
            trouble: FailureKind::Failed(ErrorClass::Intercepted),
            aim: Some(Aim::of(&TargetIdentity::new(Role::Button, "Pay"))),
            recovery: Recovery::First(vec![Move::press(crate::memory::lesson::NamedKey::Escape)]),
            moves: Vec::new(),
        };
        let text = LessonText::Site(recovery);
        let lesson = Lesson::new(
            text.clone(),
            Category::SiteSpecific,
            LessonSource::Learned,
            now,
        );
        let record = lesson.to_record("lesson-1").unwrap();
        let admitted = |trust| Lesson::from_record(&admit(&record, trust).unwrap()).unwrap();
        assert!(admitted(true).speaks() && admitted(true) == lesson);
        let waiting = admitted(false);
        assert!(waiting.needs_review() && !waiting.speaks());
        let records = [waiting.to_record("lesson-1").unwrap()];
        let accept = Lessons::trust("lesson-1".to_owned(), text.render(), now);
        let records = apply(&records, &accept.changes(&records).unwrap());
        let accepted = Lesson::from_record(&records[0]).unwrap();
        assert!(accepted.speaks() && accepted.text == text);
        assert_eq!(accepted.source, LessonSource::Learned);
    }
}
