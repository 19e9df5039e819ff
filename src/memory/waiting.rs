//! Finished runs that wait on a shelf until memory learns from them at a later run. What waits is the distilled run: the
//! data that a kind of memory [extracts](super::MemoryKind::distill) from a run's log, split into parts that fit into
//! records. This module is pure.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{Change, Edit, MAX_RECORD_BYTES, MemoryKind, Namespace, PENDING, Record, Shelf};
use crate::base::{Error, ErrorKind, Result, RunId, json_len};

/// Maximum number of distilled runs of one kind of memory on one shelf. Source: chosen; a distilled run takes some KiB, and
/// the file of a shelf may take 1 MiB.
const MAX_WAITING: usize = 100;
/// Name of the collection to which waiting runs are added while the shelf [`PENDING`] cannot be written.
const SPARE: &str = "pending-2";

pub(crate) fn shelves(namespace: &Namespace) -> [Shelf; 2] {
    [PENDING, SPARE].map(|name| Shelf::global(namespace, name))
}

pub(crate) fn is_for_waiting(shelf: &Shelf) -> bool {
    [PENDING, SPARE].contains(&&*shelf.collection)
}

/// A distilled run for one kind of memory, joined from its parts.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) kind: String,
    /// The id of the run and its distilled data, or an error if parts are missing or unreadable.
    pub(crate) said: Result<(RunId, Value)>,
    pub(crate) keys: Vec<String>,
}

/// Splits a distilled run into parts that fit into records.
pub(crate) fn parts(kind: &str, run: &RunId, said: &Value) -> Vec<Record> {
    let record = |n: usize, of: usize, part: &str| {
        let body = json!({ "kind": kind, "run": run.as_str(), "part": n, "of": of, "said": part });
        Record::new(format!("{}.{kind}.{n:04}", run.as_str()), &body)
    };
    // The number of bytes for text in a part, after subtracting the fields that every part has.
    let room = MAX_RECORD_BYTES
        .saturating_sub(record(9_999, 9_999, "").size())
        .max(8);
    let (mut texts, mut last, mut taken) = (Vec::new(), String::new(), 0);
    for c in said.to_string().chars() {
        let size = json_len(c);
        if taken + size > room {
            texts.push(std::mem::take(&mut last));
            taken = 0;
        }
        taken += size;
        last.push(c);
    }
    texts.push(last);
    let of = texts.len();
    texts
        .iter()
        .enumerate()
        .map(|(n, text)| record(n, of, text))
        .collect()
}

/// Returns the changes that add a distilled run, split by [`parts`], to the waiting runs.
///
/// # Errors
/// `TooLarge` if [`MAX_WAITING`] other runs already wait for the same kind of memory.
pub(crate) fn add(records: &[Record], parts: &[Record]) -> Result<Vec<Change>> {
    let Some(first) = parts.first() else {
        return Ok(Vec::new());
    };
    let others = all(records).into_iter().filter(|waiting| {
        first.body["kind"] == *waiting.kind && !waiting.keys.contains(&first.key)
    });
    let waiting = others.count();
    if waiting >= MAX_WAITING {
        return Err(Error::new(ErrorKind::TooLarge, "agent.pending").with("waiting", waiting));
    }
    Ok(parts.iter().cloned().map(Change::Put).collect())
}

/// The edits by which memory learns from all runs that wait on a shelf.
#[derive(Debug)]
pub(crate) struct Backlog {
    pub(crate) groups: Vec<Group>,
    pub(crate) errors: Vec<Error>,
    /// The keys of the records to remove, by kind of memory and by run. `None` is a run whose records are unreadable.
    keys: BTreeMap<(String, Option<RunId>), Vec<String>>,
    kept: BTreeSet<(String, Option<RunId>)>,
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: Arc<dyn MemoryKind>,
    pub(crate) shelf: Shelf,
    pub(crate) edits: Vec<(RunId, Edit)>,
}

impl Backlog {
    /// Collects the edits by which these kinds of memory learn from their waiting runs. An unreadable run is removed,
    /// because it would wait forever.
    pub(crate) fn of(
        kinds: &[Arc<dyn MemoryKind>],
        namespace: &Namespace,
        records: &[Record],
    ) -> Self {
        let mut backlog = Self {
            groups: Vec::new(),
            errors: Vec::new(),
            keys: BTreeMap::new(),
            kept: BTreeSet::new(),
        };
        for Waiting { kind, said, keys } in all(records) {
            let Some(kind) = kinds.iter().find(|own| own.name() == kind) else {
                continue;
            };
            let name = kind.name().to_owned();
            let edits = said.and_then(|(run, said)| Ok((run, kind.learn(namespace, &said)?)));
            match edits {
                Ok((run, edits)) => {
                    for edit in edits {
                        backlog
                            .group(kind, edit.shelf)
                            .push((run.clone(), edit.edit));
                    }
                    backlog.remove((name, Some(run)), keys);
                }
                Err(error) => {
                    if error.kind() == ErrorKind::Corrupt {
                        backlog.remove((name, None), keys);
                    }
                    backlog.errors.push(error);
                }
            }
        }
        backlog
    }

    fn group(&mut self, kind: &Arc<dyn MemoryKind>, shelf: Shelf) -> &mut Vec<(RunId, Edit)> {
        let mut groups = self.groups.iter();
        let known = groups
            .position(|group| group.shelf == shelf && group.kind.name() == kind.name())
            .unwrap_or(self.groups.len());
        if known == self.groups.len() {
            self.groups.push(Group {
                kind: Arc::clone(kind),
                shelf,
                edits: Vec::new(),
            });
        }
        &mut self.groups[known].edits
    }

    fn remove(&mut self, run: (String, Option<RunId>), keys: Vec<String>) {
        self.keys.entry(run).or_default().extend(keys);
    }

    /// Marks the runs of these edits as still waiting, because the edits could not be applied. [`done`](Self::done) then
    /// does not remove them.
    pub(crate) fn keep(&mut self, group: &Group, part: &[(RunId, Edit)]) {
        let name = group.kind.name();
        let runs = part.iter().map(|(run, _)| Some(run.clone()));
        self.kept.extend(runs.map(|run| (name.to_owned(), run)));
    }

    /// Returns the changes that remove the waiting runs, except those marked by [`keep`](Self::keep).
    pub(crate) fn done(self) -> Vec<Change> {
        let done = self
            .keys
            .into_iter()
            .filter(|(run, _)| !self.kept.contains(run));
        done.flat_map(|(_, keys)| keys)
            .map(Change::Remove)
            .collect()
    }
}

fn grouped(records: &[Record]) -> BTreeMap<(&str, &str), Vec<&Record>> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Record>> = BTreeMap::new();
    for record in records {
        let text = |name: &str| record.body[name].as_str().unwrap_or_default();
        groups
            .entry((text("run"), text("kind")))
            .or_default()
            .push(record);
    }
    groups
}

/// Returns the joined text of each waiting run, with the keys of its records. The text has gaps if parts are missing.
pub(crate) fn texts(records: &[Record]) -> Vec<(Vec<&str>, String)> {
    let groups = grouped(records).into_values();
    let texts = groups.map(|parts| {
        let keys = parts.iter().map(|part| &*part.key).collect();
        (keys, text(&parts))
    });
    texts.collect()
}

/// Returns all distilled runs that wait on a shelf, ordered by run and, for each run, by kind of memory.
pub(crate) fn all(records: &[Record]) -> Vec<Waiting> {
    let waiting = |((run, kind), parts): ((&str, &str), Vec<&Record>)| Waiting {
        kind: kind.to_owned(),
        said: joined(run, &parts),
        keys: parts.iter().map(|part| part.key.clone()).collect(),
    };
    grouped(records).into_iter().map(waiting).collect()
}

/// Joins the parts of a value. They must be in the order of their keys.
fn joined(run: &str, parts: &[&Record]) -> Result<(RunId, Value)> {
    let corrupt = || Error::new(ErrorKind::Corrupt, "agent.pending").with("run", run);
    let is_whole = parts
        .iter()
        .zip(0_u64..)
        .all(|(part, n)| part.body["part"] == n && part.body["of"] == parts.len());
    if !is_whole {
        return Err(corrupt());
    }
    let said = serde_json::from_str(&text(parts)).map_err(|error| corrupt().with_source(error))?;
    let run = RunId::parse(run).map_err(|error| corrupt().with_source(error))?;
    Ok((run, said))
}

fn text(parts: &[&Record]) -> String {
    let said = parts.iter().filter_map(|part| part.body["said"].as_str());
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunId {
        RunId::parse("run_1").unwrap()
    }

    #[test]
    fn what_a_run_said_comes_back_whole_from_records_that_a_store_takes() {
        for said in [
            json!(null),
            json!({ "a": "\"\\ \u{1} ö 😀".repeat(900) }),
            json!("x".repeat(5_000)),
        ] {
            let records = parts("lessons", &run(), &said);
            assert!(
                records
                    .iter()
                    .all(|record| record.size() <= MAX_RECORD_BYTES)
            );
            let keys: Vec<String> = records.iter().map(|record| record.key.clone()).collect();
            assert!(keys.is_sorted());
            let waiting = all(&records);
            assert_eq!(waiting.len(), 1);
            assert_eq!((&waiting[0].kind[..], &waiting[0].keys), ("lessons", &keys));
            assert_eq!(waiting[0].said.as_ref().unwrap(), &(run(), said));
        }
    }

    #[test]
    fn what_is_not_whole_is_corrupt_and_no_run_is_read_as_part_of_another() {
        let mut records = parts("lessons", &run(), &json!("x".repeat(5_000)));
        records.extend(parts("lessons", &RunId::parse("run_2").unwrap(), &json!(2)));
        records.remove(1);
        let kinds: Vec<bool> = all(&records)
            .iter()
            .map(|waiting| waiting.said.is_ok())
            .collect();
        assert_eq!(kinds, [false, true]);
        let foreign = [Record::new("x", &json!([1]))];
        assert_eq!(
            all(&foreign)[0].said.as_ref().unwrap_err().kind(),
            ErrorKind::Corrupt
        );
        let body = json!({ "kind": "lessons", "run": "-x", "part": 0, "of": 1, "said": "{}" });
        let unnamed = [Record::new("x", &body)];
        let backlog = Backlog::of(&super::super::kinds(), &Namespace::default(), &unnamed);
        assert_eq!(backlog.errors.len(), 1);
        assert_eq!(backlog.done(), [Change::Remove("x".to_owned())]);
    }

    #[test]
    fn a_kind_of_which_too_many_runs_wait_takes_no_room_from_another() {
        let run = |n| RunId::parse(format!("run_{n}")).unwrap();
        let (mut records, said) = (Vec::new(), json!("x".repeat(3_000)));
        for n in 0..MAX_WAITING {
            let changes = add(&records, &parts("lessons", &run(n), &said)).unwrap();
            records = super::super::apply(&records, &changes);
        }
        assert_eq!(all(&records).len(), MAX_WAITING);
        let full = add(&records, &parts("lessons", &run(MAX_WAITING), &said)).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::TooLarge);
        // The same run again, and a run of another kind.
        for (kind, n) in [("lessons", 0), ("plans", MAX_WAITING)] {
            assert_eq!(
                add(&records, &parts(kind, &run(n), &said)).unwrap().len(),
                2
            );
        }
    }
}
