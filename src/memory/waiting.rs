//! Distilled runs ([`distill`](super::MemoryKind::distill)) that wait on a shelf until the next run learns from them.
//! Each is split into parts that fit into records. Pure.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    base::{Error, ErrorKind, Result, RunId, json_len},
    memory::{MAX_RECORD_BYTES, Record},
};

/// A distilled run for one kind of memory, read from the records that contain its parts.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) kind: String,
    /// The run's id and its distilled value; an error if parts are missing or unreadable.
    pub(crate) said: Result<(RunId, Value)>,
    pub(crate) keys: Vec<String>,
}

/// Splits a distilled run into records of the maximum size.
pub(crate) fn parts(kind: &str, run: &RunId, said: &Value) -> Vec<Record> {
    let record = |n: usize, of: usize, part: &str| {
        let body = json!({ "kind": kind, "run": run.as_str(), "part": n, "of": of, "said": part });
        Record::new(format!("{}.{kind}.{n:04}", run.as_str()), &body)
    };
    // Space for text in a part, in addition to the fields that every part has.
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

/// Returns all distilled runs that wait on a shelf, by run and kind.
pub(crate) fn all(records: &[Record]) -> Vec<Waiting> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Record>> = BTreeMap::new();
    for record in records {
        let text = |name: &str| record.body[name].as_str().unwrap_or_default();
        groups
            .entry((text("run"), text("kind")))
            .or_default()
            .push(record);
    }
    let waiting = |((run, kind), parts): ((&str, &str), Vec<&Record>)| Waiting {
        kind: kind.to_owned(),
        said: joined(run, &parts),
        keys: parts.iter().map(|part| part.key.clone()).collect(),
    };
    groups.into_iter().map(waiting).collect()
}

/// Joins the parts of a split value. The parts must be in the order of their keys.
fn joined(run: &str, parts: &[&Record]) -> Result<(RunId, Value)> {
    let corrupt = || Error::new(ErrorKind::Corrupt, "agent.pending").with("run", run);
    let is_whole = parts
        .iter()
        .zip(0_u64..)
        .all(|(part, n)| part.body["part"] == n && part.body["of"] == parts.len());
    if !is_whole {
        return Err(corrupt());
    }
    let text: String = parts
        .iter()
        .filter_map(|part| part.body["said"].as_str())
        .collect();
    let said = serde_json::from_str(&text).map_err(|error| corrupt().with_source(error))?;
    Ok((RunId::parse(run)?, said))
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
    }
}
