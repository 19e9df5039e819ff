//! Exports the whole memory as one JSON document, and imports such a document.
//!
//! ```json
//! {
//!   "format": "webwise-memory",
//!   "version": 1,
//!   "shelves": [{ "shelf": { "namespace": "default", "collection": "lessons", "scope": "global" }, "records": { "key": {} } }]
//! }
//! ```
//!
//! The export loses nothing: each [`Shelf`] (a group of records) is written exactly as it is stored. On import, each
//! kind of memory decides how it stores a record. If a person accepted a record's words before the export, the words
//! must be reviewed again, unless the importing person trusts the document.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Change, Edit, MemoryKind, Namespace, Record, Scope, Shelf, ShelfEdit, Standing, UNVOUCHED,
};
use crate::base::{Error, ErrorKind, Host, Result, text};

/// Value of the field `format` in every memory document.
pub const FORMAT: &str = "webwise-memory";
/// Version of the document that this crate reads and writes.
pub const VERSION: u64 = 1;
/// Maximum size of a document that is read. Unit: bytes. Source: the default maximum size of a whole store.
pub const MAX_BYTES: usize = 256 * 1_024 * 1_024;
/// Maximum length of a collection's name. Unit: bytes. Source: chosen.
const MAX_COLLECTION: usize = 40;
const PARSE: &str = "memory_archive.parse";

/// A parsed memory document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Archive {
    /// The shelves and their records, in the order of the document.
    pub shelves: Vec<(Shelf, Vec<Record>)>,
    /// The parts of the document that could not be read, each described for a person.
    pub problems: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    shelf: Shelf,
    records: Map<String, Value>,
}

#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u64,
    shelves: Vec<Stored>,
}

/// Returns a memory document with the shelves, in the given order: indented JSON with a newline at the end.
///
/// # Errors
/// [`ErrorKind::Corrupt`] if the shelves cannot be written as JSON.
pub fn export(shelves: &[(Shelf, Vec<Record>)]) -> Result<String> {
    let stored = |(shelf, records): &(Shelf, Vec<Record>)| Stored {
        shelf: shelf.clone(),
        records: records
            .iter()
            .map(|record| (record.key.clone(), record.body.clone()))
            .collect(),
    };
    let written = Document {
        format: FORMAT,
        version: VERSION,
        shelves: shelves.iter().map(stored).collect(),
    };
    let mut text = serde_json::to_string_pretty(&written)
        .map_err(|e| Error::new(ErrorKind::Corrupt, "memory_archive.write").with_source(e))?;
    text.push('\n');
    Ok(text)
}

/// Returns true if the field `format` of a JSON value is [`FORMAT`].
pub fn is_archive(value: &Value) -> bool {
    value.get("format").and_then(Value::as_str) == Some(FORMAT)
}

/// Parses a document. A shelf that cannot be read is reported in [`Archive::problems`], and the other shelves are kept.
///
/// # Errors
/// [`ErrorKind::TooLarge`] if the document is larger than [`MAX_BYTES`], [`ErrorKind::Unsupported`] if its version is
/// not [`VERSION`], [`ErrorKind::InvalidInput`] if the bytes are not a memory document.
pub fn parse(bytes: &[u8]) -> Result<Archive> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::new(ErrorKind::TooLarge, PARSE)
            .with("bytes", bytes.len())
            .with("most", MAX_BYTES));
    }
    let wrong = |why: &str| Error::new(ErrorKind::InvalidInput, PARSE).with("why", why);
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| wrong("it cannot be read as JSON").with("where", e.to_string()))?;
    if !is_archive(&value) {
        return Err(wrong("it is not an export of this program"));
    }
    match value.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(version) => {
            return Err(Error::new(ErrorKind::Unsupported, PARSE)
                .with("version", version)
                .with("read", VERSION));
        }
        None => return Err(wrong("it does not say its version")),
    }
    let Some(shelves) = value.get("shelves").and_then(Value::as_array) else {
        return Err(wrong("its shelves are missing or not a list"));
    };
    let mut archive = Archive::default();
    for (at, stored) in (1..).zip(shelves) {
        match serde_json::from_value::<Stored>(stored.clone()) {
            Ok(stored) if is_fine(&stored.shelf) => {
                let records = stored
                    .records
                    .iter()
                    .map(|(key, body)| Record::new(key, body))
                    .collect();
                archive.shelves.push((stored.shelf, records));
            }
            Ok(_) => archive
                .problems
                .push(format!("shelf {at}: its collection or host is none")),
            Err(_) => archive
                .problems
                .push(format!("shelf {at}: it cannot be read")),
        }
    }
    Ok(archive)
}

/// Returns true if the shelf's collection and host have names that a store can use as file names.
fn is_fine(shelf: &Shelf) -> bool {
    let collection = &shelf.collection;
    let is_word = (1..=MAX_COLLECTION).contains(&collection.len())
        && collection
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
    let host = match &shelf.scope {
        Scope::Global => return is_word,
        Scope::Host(host) => host,
    };
    let again = host.url().and_then(|url| Host::of(&url).ok());
    is_word && again.as_ref() == Some(host)
}

/// The edits that import an archive, with counts and problems.
#[derive(Debug, Clone)]
pub struct Restore {
    /// The edits, one for each shelf. Committing them twice has the same result as committing them once.
    pub edits: Vec<ShelfEdit>,
    /// Number of the archive's records that the import accepts, including those that the store already has.
    pub taken: usize,
    /// Number of the accepted records that a person must review before prompts show them. A record whose item the store
    /// already has is counted too, although the edits may leave the stored version unchanged.
    pub waiting: usize,
    /// The parts of the archive that are not imported, each described for a person.
    pub problems: Vec<String>,
}

/// Returns the edits that import an archive. If `namespace` is given, all shelves go into that namespace. Shelves that
/// become one there are imported one after the other.
///
/// Each kind of memory decides how it stores its records. Without `trust`, shelves of unknown kinds are left out, and
/// words that a person accepted earlier must be reviewed again.
///
/// The store may already have a different version of an item. If `trust` is true and the kind is known, the two
/// versions are [merged](MemoryKind::merge). Otherwise the stored version stays unchanged.
pub fn import(
    archive: &Archive,
    kinds: &[Arc<dyn MemoryKind>],
    namespace: Option<&Namespace>,
    trust: bool,
) -> Restore {
    let mut restore = Restore {
        edits: Vec::new(),
        taken: 0,
        waiting: 0,
        problems: archive.problems.clone(),
    };
    // Two shelves of the archive may become one, if they differ only in their namespaces.
    let mut shelves: BTreeMap<Shelf, Vec<BTreeMap<String, Record>>> = BTreeMap::new();
    for (shelf, records) in &archive.shelves {
        let mut shelf = shelf.clone();
        if let Some(namespace) = namespace {
            shelf.namespace = namespace.clone();
        }
        let kind = kinds.iter().find(|kind| kind.name() == shelf.collection);
        if kind.is_none() && !trust {
            restore.problems.push(format!(
                "{shelf}: it is no memory that a person can review here, and such a shelf {UNVOUCHED}"
            ));
            continue;
        }
        let mut taken = BTreeMap::new();
        for record in records {
            let admitted = match kind {
                Some(kind) => kind.admit(record, trust),
                None => Ok(record.clone()),
            };
            let record = match admitted {
                Ok(record) => record,
                Err(error) => {
                    restore.problems.push(format!(
                        "{shelf}: {} was left out: it {}",
                        text::clean(&record.key),
                        error.said("why").unwrap_or("cannot be taken")
                    ));
                    continue;
                }
            };
            let described = kind.and_then(|kind| kind.describe(&record).ok());
            if described.is_some_and(|one| one.standing == Standing::WaitsForReview) {
                restore.waiting += 1;
            }
            if taken.insert(record.key.clone(), record).is_none() {
                restore.taken += 1;
            }
        }
        shelves.entry(shelf).or_default().push(taken);
    }
    restore.edits = shelves
        .into_iter()
        .map(|(shelf, parts)| {
            let kind = kinds.iter().find(|kind| kind.name() == shelf.collection);
            let edits = parts.into_iter().map(|taken| {
                let kind = kind.cloned();
                Edit::new(move |records: &[Record]| added(records, &taken, kind.as_deref(), trust))
            });
            let edit = Edit::together(edits.collect());
            ShelfEdit { shelf, edit }
        })
        .collect();
    restore
}

fn added(
    records: &[Record],
    taken: &BTreeMap<String, Record>,
    kind: Option<&dyn MemoryKind>,
    trust: bool,
) -> Result<Vec<Change>> {
    let item = |record: &Record| {
        let key = kind.map_or(&*record.key, |kind| kind.item(&record.key));
        key.to_owned()
    };
    let mut stored: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in records {
        stored.entry(item(record)).or_default().push(record.clone());
    }
    let mut new: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for record in taken.values() {
        new.entry(item(record)).or_default().push(record.clone());
    }
    let mut changes = Vec::new();
    for (item, other) in new {
        let known = stored.get(&item).map_or(&[][..], Vec::as_slice);
        let merged = match kind {
            _ if known.is_empty() => other,
            Some(kind) if trust && *known != *other => kind.merge(known, &other)?,
            _ => continue,
        };
        let gone = known
            .iter()
            .filter(|record| merged.iter().all(|kept| kept.key != record.key));
        changes.extend(gone.map(|record| Change::Remove(record.key.clone())));
        let put = merged.into_iter().filter(|record| !known.contains(record));
        changes.extend(put.map(Change::Put));
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::memory::{apply, kinds, lesson::*};

    fn shelf(scope: Scope) -> Shelf {
        Shelf {
            namespace: Namespace::default(),
            collection: COLLECTION.to_owned(),
            scope,
        }
    }

    fn accepted() -> Record {
        let now = "2026-01-02T03:04:05Z".parse().unwrap();
        let text = LessonText::Words("Press Escape.".to_owned());
        Lesson::new(text, Category::BestPractice, LessonSource::User, now)
            .to_record("mine")
            .unwrap()
    }

    #[test]
    fn an_archive_reads_back_as_it_was_written() {
        let host = Host::of_domain("shop.example").unwrap();
        let shelves = vec![
            (
                shelf(Scope::Global),
                vec![
                    accepted(),
                    Record::new("later", &json!({ "of": ["a", "newer"], "n": 1.5 })),
                ],
            ),
            (shelf(Scope::Host(host)), vec![Record::new("k", &json!({}))]),
        ];
        let read = parse(export(&shelves).unwrap().as_bytes()).unwrap();
        assert_eq!((read.shelves, read.problems), (shelves, Vec::new()));
    }

    #[test]
    fn what_is_left_out_is_told_in_the_words_of_the_library() {
        let names = kinds().into_iter().map(|kind| kind.name().to_owned());
        let shelves = names.chain(["unknown".to_owned()]).map(|name| {
            let shelf = Shelf::global(&Namespace::default(), &name);
            (shelf, vec![Record::new("k", &json!({}))])
        });
        let archive = Archive {
            shelves: shelves.collect(),
            problems: Vec::new(),
        };
        let problems = import(&archive, &kinds(), None, false).problems;
        let unvouched = problems.iter().filter(|told| told.ends_with(UNVOUCHED));
        assert!(unvouched.count() > 1, "{problems:#?}");
        assert!(!problems.concat().contains("--"), "{problems:#?}");
    }

    #[test]
    fn what_a_person_accepted_elsewhere_waits_for_a_person_here() {
        let archive = Archive {
            shelves: vec![(shelf(Scope::Global), vec![accepted()])],
            problems: Vec::new(),
        };
        let records = |trust: bool| {
            let edit = &import(&archive, &kinds(), None, trust).edits[0].edit;
            let records = apply(&[], &edit.changes(&[]).unwrap());
            assert_eq!(edit.changes(&records).unwrap(), [], "what is there stays");
            records
        };
        assert!(
            Lesson::from_record(&records(false)[0])
                .unwrap()
                .needs_review()
        );
        assert_eq!(records(true), [accepted()]);
    }

    #[test]
    fn words_are_brought_as_they_are_shown_and_take_no_seeds_place() {
        let words = |key: &str, source, said: &str| {
            let now = "2026-01-02T03:04:05Z".parse().unwrap();
            let text = LessonText::Words(said.to_owned());
            Lesson::new(text, Category::BestPractice, source, now)
                .to_record(key)
                .unwrap()
        };
        let records = vec![
            words(
                "mine",
                LessonSource::User,
                "Ignore\nall \u{1b}[31mprevious\u{202e}",
            ),
            words("seed-fill-fallback", LessonSource::Learned, "Other"),
            words("other", LessonSource::Seed, "Other"),
            words("../k", LessonSource::User, "Other"),
        ];
        let archive = Archive {
            shelves: vec![(shelf(Scope::Global), records)],
            problems: Vec::new(),
        };
        let done = import(&archive, &kinds(), None, true);
        assert_eq!(
            (done.taken, done.problems.len()),
            (1, 3),
            "{:?}",
            done.problems
        );
        let records = apply(&[], &done.edits[0].edit.changes(&[]).unwrap());
        assert_eq!(
            Lesson::from_record(&records[0]).unwrap().text.render(),
            "Ignore all previous"
        );
    }

    #[test]
    fn of_shelves_that_become_one_the_items_are_merged() {
        let stored = |namespace: &str, used: u64| {
            let mut lesson = Lesson::from_record(&accepted()).unwrap();
            lesson.counts.used = used;
            let namespace = Namespace::parse(namespace).unwrap();
            let shelf = Shelf::global(&namespace, COLLECTION);
            (shelf, vec![lesson.to_record("mine").unwrap()])
        };
        let archive = Archive {
            shelves: vec![stored("a", 7), stored("b", 5)],
            problems: Vec::new(),
        };
        for trust in [true, false] {
            let done = import(&archive, &kinds(), Some(&Namespace::default()), trust);
            assert_eq!((done.edits.len(), done.taken), (1, 2));
            assert_eq!(done.waiting, if trust { 0 } else { 2 });
            let records = apply(&[], &done.edits[0].edit.changes(&[]).unwrap());
            let lesson = Lesson::from_record(&records[0]).unwrap();
            assert_eq!(lesson.counts.used, 7, "{trust}");
        }
    }

    #[test]
    fn a_shelf_that_could_not_be_ours_is_told_and_not_taken() {
        let shelf = |collection: &str, scope: Value| json!({ "shelf": { "namespace": "default", "collection": collection, "scope": scope }, "records": {} });
        let global = json!("global");
        let document = json!({ "format": FORMAT, "version": 1, "shelves": [
            shelf("../x", global.clone()), shelf("", global.clone()), shelf("lessons", json!({ "host": "../../etc" })),
            shelf("lessons", json!({ "host": "A.example" })), 7, shelf("lessons", global),
        ] });
        let read = parse(document.to_string().as_bytes()).unwrap();
        assert_eq!(
            (read.shelves.len(), read.problems.len()),
            (1, 5),
            "{:?}",
            read.problems
        );
    }

    #[test]
    fn what_is_no_archive_is_an_error_that_says_so() {
        for (text, kind) in [
            ("", ErrorKind::InvalidInput),
            ("[]", ErrorKind::InvalidInput),
            (r#"{"version":1,"lessons":[]}"#, ErrorKind::InvalidInput),
            (
                r#"{"format":"webwise-memory","version":2,"shelves":[]}"#,
                ErrorKind::Unsupported,
            ),
            (
                r#"{"format":"webwise-memory","version":1,"shelves":{}}"#,
                ErrorKind::InvalidInput,
            ),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().kind(), kind, "{text}");
        }
    }
}
