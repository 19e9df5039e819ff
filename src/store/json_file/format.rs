//! The format of a shelf's file. This module converts between the text of a file and the values in it.
//!
//! ```json
//! {
//!   "format": "webwise-shelf",
//!   "version": 1,
//!   "generation": 3,
//!   "shelf": { "namespace": "default", "collection": "lessons", "scope": "global" },
//!   "records": { "key": { "any": "body" } }
//! }
//! ```
//!
//! The format is part of the crate's API. Every version that was ever written can be read. Only the newest version is
//! written. Unknown fields are kept. There is no checksum, because people may edit these files.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Map, Value};

use crate::{
    base::sorted,
    memory::{Record, Shelf},
};

const FORMAT: &str = "webwise-shelf";
const SHELF: [&str; 3] = ["namespace", "collection", "scope"];

/// A migration of a file's fields from one version of the format to the next. It keeps unknown fields. It returns
/// `None` if the fields do not have the form of their version.
pub(super) type Step = fn(Map<String, Value>) -> Option<Map<String, Value>>;

#[derive(Debug, Clone, Copy)]
pub(super) struct Schema {
    pub(super) oldest: u64,
    /// The migrations, each from one version to the next, the oldest version first.
    pub(super) steps: &'static [Step],
}

/// All versions of the format in which files were ever written. For a new version, add a migration here, and add a
/// file in the new version to the tests.
pub(super) const SCHEMA: Schema = Schema {
    oldest: 1,
    steps: &[],
};

impl Schema {
    /// Returns the newest version of the format. Files are written in this version.
    pub(super) fn current(self) -> u64 {
        self.oldest + self.steps.len() as u64
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    /// A number that grows by 1 with each commit to the shelf. When a commit restores the shelf from its backup, one
    /// more number is skipped.
    pub(super) generation: u64,
    pub(super) shelf: Shelf,
    pub(super) records: Vec<Record>,
    /// Unknown fields of the file. They were added by a person or by a later version of the program.
    pub(super) extra: BTreeMap<String, Value>,
    /// Unknown fields inside the file's field `shelf`. A later version of the program or a person added them.
    pub(super) shelf_extra: BTreeMap<String, Value>,
    pub(super) version: u64,
}

#[derive(Debug, PartialEq)]
pub(super) enum Parsed {
    Good(Document),
    /// A file in a newer version of the format than this program knows. Contains the records that can be read.
    Newer(Document),
    TooDeep,
    /// A file that names another shelf. Contains the name of that shelf. The rest of the file may be damaged.
    OtherShelf(String),
    /// A file that is not a shelf's file, or that is damaged. Contains the reason.
    Broken(&'static str),
}

/// Parses a file. If `shelf` is not `None` and the file belongs to another shelf, returns [`Parsed::OtherShelf`].
pub(super) fn parse(bytes: &[u8], shelf: Option<&Shelf>, schema: Schema) -> Parsed {
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        // `serde_json` reports its limit of 128 levels only in the text of the error.
        Err(error) if error.to_string().starts_with("recursion limit exceeded") => {
            return Parsed::TooDeep;
        }
        Err(_) if bytes.is_empty() => return Parsed::Broken("it is empty"),
        Err(_) => return Parsed::Broken("it is not JSON"),
    };
    let Value::Object(mut map) = value else {
        return Parsed::Broken("it is not an object");
    };
    if map.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Parsed::Broken("it has another format");
    }
    let Some(version) = map
        .get("version")
        .and_then(Value::as_u64)
        .filter(|v| *v >= schema.oldest)
    else {
        return Parsed::Broken("it has no version that was ever written");
    };
    let is_newer = version > schema.current();
    if !is_newer {
        let done = usize::try_from(version - schema.oldest).unwrap_or(usize::MAX);
        for step in schema.steps.iter().skip(done) {
            let Some(next) = step(map) else {
                return Parsed::Broken("it is not what its version says");
            };
            map = next;
        }
    }
    let Stored {
        shelf: stored,
        extra: shelf_extra,
    } = Stored::of(map.remove("shelf"));
    let stored = match (stored, shelf) {
        (Some(stored), Some(shelf)) if stored != *shelf => {
            return Parsed::OtherShelf(stored.to_string());
        }
        (Some(stored), _) => stored,
        (None, Some(shelf)) if is_newer => shelf.clone(),
        _ => return Parsed::Broken("it does not say whose it is"),
    };
    let generation = map.remove("generation").and_then(|value| value.as_u64());
    let records = map.remove("records");
    let (generation, records) = match (generation, records) {
        (Some(generation), Some(Value::Object(records))) => (generation, records),
        (generation, Some(Value::Object(records))) if is_newer => {
            (generation.unwrap_or_default(), records)
        }
        (generation, _) if is_newer => (generation.unwrap_or_default(), Map::new()),
        _ => return Parsed::Broken("generation or records are missing"),
    };
    map.retain(|key, _| key != "format" && key != "version");
    let document = Document {
        generation,
        shelf: stored,
        records: ordered(records),
        extra: unknown(map),
        shelf_extra,
        version,
    };
    if is_newer {
        Parsed::Newer(document)
    } else {
        Parsed::Good(document)
    }
}

struct Stored {
    shelf: Option<Shelf>,
    extra: BTreeMap<String, Value>,
}

impl Stored {
    fn of(value: Option<Value>) -> Self {
        let Some(Value::Object(mut map)) = value else {
            return Self {
                shelf: None,
                extra: BTreeMap::new(),
            };
        };
        let known: Map<String, Value> = SHELF
            .iter()
            .filter_map(|key| map.remove_entry(*key))
            .collect();
        Self {
            shelf: serde_json::from_value(Value::Object(known)).ok(),
            extra: unknown(map),
        }
    }
}

/// Returns the unknown fields, sorted by key.
fn unknown(fields: Map<String, Value>) -> BTreeMap<String, Value> {
    fields
        .into_iter()
        .map(|(key, value)| (key, sorted(&value)))
        .collect()
}

fn ordered(records: Map<String, Value>) -> Vec<Record> {
    let mut records: Vec<Record> = records
        .into_iter()
        .map(|(key, body)| Record::new(key, &body))
        .collect();
    records.sort_by(|a, b| a.key.cmp(&b.key));
    records
}

impl Document {
    pub(super) fn empty(shelf: &Shelf, schema: Schema) -> Self {
        let version = schema.current();
        Self {
            generation: 0,
            shelf: shelf.clone(),
            records: Vec::new(),
            extra: BTreeMap::new(),
            shelf_extra: BTreeMap::new(),
            version,
        }
    }

    /// Returns the document as a file in the newest version of the format: readable text, in which the format's own
    /// fields come first, in a fixed order, and all other keys are sorted. Equal documents have equal bytes.
    pub(super) fn to_bytes(&self, schema: Schema) -> Result<Vec<u8>, serde_json::Error> {
        let file = File {
            format: FORMAT,
            version: schema.current(),
            generation: self.generation,
            shelf: Whose {
                shelf: &self.shelf,
                extra: &self.shelf_extra,
            },
            records: Records(&self.records),
            extra: &self.extra,
        };
        let mut bytes = serde_json::to_vec_pretty(&file)?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

#[derive(Serialize)]
struct File<'a> {
    format: &'a str,
    version: u64,
    generation: u64,
    shelf: Whose<'a>,
    records: Records<'a>,
    #[serde(flatten)]
    extra: &'a BTreeMap<String, Value>,
}

#[derive(Serialize)]
struct Whose<'a> {
    #[serde(flatten)]
    shelf: &'a Shelf,
    #[serde(flatten)]
    extra: &'a BTreeMap<String, Value>,
}

struct Records<'a>(&'a [Record]);

impl Serialize for Records<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for record in self.0 {
            map.serialize_entry(&record.key, &record.body)?;
        }
        map.end()
    }
}
