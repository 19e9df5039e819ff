//! Shelves, on which records are kept. A shelf is identified by a namespace, a collection and a scope.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{Error, ErrorKind, Host, Result, sorted};

/// Name of the collection for the data of runs from which memory has not learned yet, because the store did not accept
/// the changes.
pub const PENDING: &str = "pending";

/// A namespace, which separates tenants or experiments. The default is `default`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

impl Namespace {
    /// Parses a name of 1 to 64 letters, digits, `_` and `-`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for any other text.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        // The rules for ids make the name safe as a folder name.
        crate::base::SessionId::parse(text)
            .map(|id| Self(id.into()))
            .map_err(|error| {
                Error::new(ErrorKind::InvalidInput, "namespace.parse").with_source(error)
            })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl TryFrom<String> for Namespace {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(text)
    }
}

impl From<Namespace> for String {
    fn from(namespace: Namespace) -> Self {
        namespace.0
    }
}

/// The sites to which the records of a shelf apply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every site.
    Global,
    /// One host.
    Host(Host),
}

/// The identity of a shelf: a group of records that is loaded as a whole and changed atomically.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shelf {
    /// The tenant or experiment.
    pub namespace: Namespace,
    /// Name of the memory kind that owns the shelf. It comes from the program, never from a page.
    pub collection: String,
    /// The sites to which the records apply.
    pub scope: Scope,
}

impl Shelf {
    /// Returns the shelf of a collection for all sites.
    pub fn global(namespace: &Namespace, collection: &str) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Global,
        }
    }

    /// Returns the shelf of a collection for one host.
    pub fn host(namespace: &Namespace, collection: &str, host: &Host) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Host(host.clone()),
        }
    }

    /// Returns a record's name for people: its key, followed by `@` and the host if the shelf belongs to a host.
    pub fn item_name(&self, key: &str) -> String {
        match &self.scope {
            Scope::Global => key.to_owned(),
            Scope::Host(host) => format!("{key}@{host}"),
        }
    }
}

impl fmt::Display for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace.as_str(), self.collection)?;
        match &self.scope {
            Scope::Global => Ok(()),
            Scope::Host(host) => write!(f, "@{host}"),
        }
    }
}

/// A selection of shelves. A field that is `None` does not restrict the selection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShelfFilter {
    /// The namespace that a shelf must have.
    pub namespace: Option<Namespace>,
    /// The collection that a shelf must have.
    pub collection: Option<String>,
    /// The scope that a shelf must have.
    pub scope: Option<Scope>,
}

impl ShelfFilter {
    /// Returns true if the shelf is selected.
    pub fn matches(&self, shelf: &Shelf) -> bool {
        self.namespace
            .as_ref()
            .is_none_or(|n| *n == shelf.namespace)
            && self
                .collection
                .as_ref()
                .is_none_or(|c| *c == shelf.collection)
            && self.scope.as_ref().is_none_or(|s| *s == shelf.scope)
    }
}

/// Maximum size of a record: its key and its compact body together. An [`Edit`](super::Edit) refuses to make a larger
/// record.
///
/// Unit: bytes. Source: chosen.
pub const MAX_RECORD_BYTES: usize = 2 * 1_024;

/// Maximum depth of nested arrays and objects in a record. Source: chosen; below 128, the depth at which JSON readers
/// stop.
pub const MAX_RECORD_DEPTH: usize = 120;

/// A JSON body stored under a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key, unique on its shelf. A shelf's records are ordered by their keys.
    pub key: String,
    /// The body, with sorted keys. The memory kind defines its fields.
    pub body: Value,
}

impl Record {
    /// Creates a record with this key and body. The keys of the body are sorted, so that equal bodies have equal bytes
    /// in every store.
    pub fn new(key: impl Into<String>, body: &Value) -> Self {
        Self {
            key: key.into(),
            body: sorted(body),
        }
    }

    /// Returns the record with this key.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if there is none.
    pub(crate) fn find<'r>(records: &'r [Self], key: &str) -> Result<&'r Self> {
        let mut records = records.iter();
        records
            .find(|record| record.key == key)
            .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "memory.find").with("key", key))
    }

    /// Returns true if a person wrote or accepted the record. The field `source` of such a record has the value `user`.
    /// Stores never evict these records.
    pub fn is_from_a_person(&self) -> bool {
        self.body.get("source").and_then(Value::as_str) == Some("user")
    }

    /// Returns the size that counts against [`MAX_RECORD_BYTES`]. Unit: bytes.
    pub fn size(&self) -> usize {
        self.key.len() + self.body.to_string().len()
    }
}

pub(crate) fn is_too_deep(body: &Value) -> bool {
    is_deeper_than(body, MAX_RECORD_DEPTH)
}

fn is_deeper_than(value: &Value, max: usize) -> bool {
    let Some(max) = max.checked_sub(1) else {
        return value.is_array() || value.is_object();
    };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper_than(item, max)),
        Value::Object(map) => map.values().any(|item| is_deeper_than(item, max)),
        _ => false,
    }
}

/// The state of a shelf at one generation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShelfState {
    /// Number of committed changes of the shelf; 0 if it was never written.
    pub generation: u64,
    /// The records, ordered by key.
    pub records: Vec<Record>,
}
