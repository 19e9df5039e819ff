//! Salvages a broken file: reads the records in it that are intact, one by one.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::memory::{Record, Shelf, is_too_deep};

/// The bytes that the store writes before each record's key. They cannot occur inside a JSON string.
const RECORD: &[u8] = b"\n    \"";
/// The beginnings of the lines that end the records or begin another field of the file. The entries of such a field look
/// like records.
const ENDS: [&[u8]; 2] = [b"\n  }", b"\n  \""];

/// The records that could be read from a broken file, and the generation of the file's shelf (0 if the generation could
/// not be read).
#[derive(Debug, Default, PartialEq)]
pub(super) struct Salvaged {
    pub(super) generation: u64,
    pub(super) records: Vec<Record>,
}

/// Reads the intact records of a broken file of this shelf. Returns no records if the file names another shelf.
pub(super) fn salvage(bytes: &[u8], shelf: &Shelf) -> Salvaged {
    let mut found = Salvaged::default();
    let Some(at) = after(bytes, b"\"records\":") else {
        return found;
    };
    let head = &bytes[..at];
    if whose(head).is_some_and(|stored| stored != *shelf) {
        return found;
    }
    found.generation = after(head, b"\"generation\":")
        .and_then(|at| value::<u64>(&head[at..]))
        .map_or(0, |(n, _)| n);
    let Some(open) = bytes[at..].iter().position(|b| *b == b'{') else {
        return found;
    };
    let mut rest = &bytes[at + open + 1..];
    let mut records = std::collections::BTreeMap::new();
    while !rest.is_empty() {
        match entry(rest) {
            Some((key, body, length)) => {
                if !is_too_deep(&body) {
                    records.insert(key, body);
                }
                rest = &rest[length..];
                match rest.iter().position(|b| !b.is_ascii_whitespace()) {
                    Some(at) if rest[at] == b',' => rest = &rest[at + 1..],
                    // A closing brace ends the records. Anything else means that something is broken. Then only text that
                    // looks like the start of a record counts as the next record.
                    Some(at) if rest[at] == b'}' => break,
                    _ => rest = next_record(rest),
                }
            }
            None => rest = next_record(rest),
        }
    }
    found.records = records
        .into_iter()
        .map(|(key, body)| Record::new(key, &body))
        .collect();
    found
}

/// Returns the shelf that a broken file names; `None` if the field `shelf` cannot be read.
pub(super) fn whose(bytes: &[u8]) -> Option<Shelf> {
    let at = after(bytes, b"\"shelf\":")?;
    value(&bytes[at..]).map(|(shelf, _)| shelf)
}

fn after(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes
        .windows(text.len())
        .position(|window| window == text)
        .map(|at| at + text.len())
}

/// Parses the JSON value with which the bytes begin. Returns the value and the number of bytes that it takes.
fn value<T: DeserializeOwned>(bytes: &[u8]) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// Parses the record with which the bytes begin. Returns the record's key, its body, and the number of bytes that the
/// record takes.
fn entry(bytes: &[u8]) -> Option<(String, Value, usize)> {
    let (key, end) = value::<String>(bytes)?;
    let colon = end + bytes[end..].iter().position(|b| !b.is_ascii_whitespace())?;
    if bytes[colon] != b':' {
        return None;
    }
    let (body, length) = value::<Value>(&bytes[colon + 1..])?;
    Some((key, body, colon + 1 + length))
}

/// Returns the bytes from the next record's key on. Returns no bytes if no later line of the records looks like the
/// beginning of a record.
fn next_record(bytes: &[u8]) -> &[u8] {
    let is_sought =
        |line: &&[u8]| line.starts_with(RECORD) || ENDS.iter().any(|end| line.starts_with(end));
    // The search stops at the first such line, because a broken file may have thousands of broken records.
    let found = (0..bytes.len()).map(|at| &bytes[at..]).find(is_sought);
    let record = found.filter(|line| line.starts_with(RECORD));
    record.map_or(&[], |line| &line[RECORD.len() - 1..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        memory::Namespace,
        store::json_file::format::{Document, SCHEMA},
    };

    fn shelf() -> Shelf {
        Shelf::global(&Namespace::default(), "lessons")
    }

    fn file(count: usize) -> Vec<u8> {
        let mut document = Document::empty(&shelf(), SCHEMA);
        document.generation = 7;
        document.records = (0..count)
            .map(|n| {
                Record::new(
                    format!("k{n}"),
                    &json!({ "n": n, "text": "a\n    \"fake\": {}", "list": [1, { "x": 2 }] }),
                )
            })
            .collect();
        document.to_bytes(SCHEMA).unwrap()
    }

    #[test]
    fn every_record_before_the_cut_is_kept() {
        let whole = file(4);
        let text = String::from_utf8(whole.clone()).unwrap();
        for end in 0..whole.len() {
            let kept = salvage(&whole[..end], &shelf()).records;
            let expected = (0..4).filter(|n| {
                let at = text.find(&format!("\"k{n}\"")).unwrap();
                // A record is intact only if its closing brace is before the cut.
                end > at + text[at..].find("\n    }").unwrap() + 5
            });
            assert_eq!(kept.len(), expected.count(), "cut at {end}");
        }
    }

    #[test]
    fn one_broken_record_costs_that_record_alone() {
        let whole = file(4);
        let at = after(&whole, b"\"k1\": {").unwrap();
        // The last place is in the indentation of the record's first line.
        for (byte, place) in [(b'}', 8), (0, 8), (0xff, 8), (b'"', 8), (0, 3)] {
            let mut broken = whole.clone();
            broken[at + place] = byte;
            let found = salvage(&broken, &shelf());
            let keys: Vec<&str> = found.records.iter().map(|r| r.key.as_str()).collect();
            assert!(
                keys.contains(&"k0") && keys.contains(&"k2") && keys.contains(&"k3"),
                "{byte}: {keys:?}"
            );
            assert!(
                !keys.contains(&"fake"),
                "{byte}: text of a body is no record"
            );
            assert_eq!(found.generation, 7);
        }
    }

    #[test]
    fn no_entry_of_an_unknown_field_is_taken_for_a_record() {
        let mut document = Document::empty(&shelf(), SCHEMA);
        document.records = vec![
            Record::new("k0", &json!({ "n": 0 })),
            Record::new("k1", &json!({ "n": 1 })),
        ];
        document
            .extra
            .insert("note".to_owned(), json!({ "fake": 1 }));
        let mut bytes = document.to_bytes(SCHEMA).unwrap();
        let at = after(&bytes, b"\"k1\": ").unwrap();
        bytes[at] = b'!';
        let found = salvage(&bytes, &shelf());
        assert_eq!(found.records, [document.records[0].clone()]);
    }

    #[test]
    fn nothing_is_taken_from_another_shelf() {
        let whole = file(4);
        let other = Shelf::global(&Namespace::default(), "other");
        assert_eq!(
            salvage(&whole[..whole.len() - 4], &other),
            Salvaged::default()
        );
    }

    #[test]
    fn nothing_is_found_in_nothing() {
        let zeros = vec![0; 4_096];
        for bytes in [
            &b""[..],
            b"{",
            b"\"records\":",
            b"\"records\": {",
            b"\"records\": [1",
            &zeros,
        ] {
            assert_eq!(salvage(bytes, &shelf()).records, [], "{bytes:?}");
        }
    }
}
