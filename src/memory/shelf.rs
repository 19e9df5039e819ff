//! Shelves, on which records are kept: a namespace, a collection and a scope.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{Error, ErrorKind, Host, Result, sorted};

/// The collection of runs that wait because the store could not take their lessons.
pub const PENDING: &str = "pending";

/// A namespace, which separates tenants and experiments. Letters, digits, `_` and `-`. The default is `default`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

impl Namespace {
    /// Accepts 1 to 64 letters, digits, `_` and `-`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for anything else.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        // An id has the alphabet of a safe folder name.
        crate::base::SessionId::parse(text)
            .map(|id| Self(id.into()))
            .map_err(|error| {
                Error::new(ErrorKind::InvalidInput, "namespace.parse").with_source(error)
            })
    }

    /// The name as text.
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

/// The sites that the records of a shelf apply to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every site.
    Global,
    /// One host.
    Host(Host),
}

/// A group of records that is loaded as a whole and changed atomically.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shelf {
    /// Tenant or experiment.
    pub namespace: Namespace,
    /// Name of the memory kind that owns the shelf. It comes from our own code, never from a page.
    pub collection: String,
    /// The sites that its records apply to.
    pub scope: Scope,
}

impl Shelf {
    /// The shelf of a collection for every site.
    pub fn global(namespace: &Namespace, collection: &str) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Global,
        }
    }

    /// The shelf of a collection for one host.
    pub fn host(namespace: &Namespace, collection: &str, host: &Host) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Host(host.clone()),
        }
    }

    /// The name of a record on this shelf for people: its key, and the host of the shelf if it has one.
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

/// A selection of shelves. A field that is `None` selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShelfFilter {
    /// Only this namespace.
    pub namespace: Option<Namespace>,
    /// Only this collection.
    pub collection: Option<String>,
    /// Only this scope.
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

/// Largest record, key and compact body together. An [`Edit`](super::Edit) refuses larger ones; a memory kind shrinks
/// its records.
///
/// Unit: bytes. Source: chosen.
pub const MAX_RECORD_BYTES: usize = 2 * 1_024;

/// Maximum number of levels of arrays and objects in a record. Source: chosen, below the 128 at which JSON readers stop.
pub const MAX_RECORD_DEPTH: usize = 120;

/// One JSON body under a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key, unique on its shelf. Records are ordered by it.
    pub key: String,
    /// The body, with sorted keys. Its fields belong to the memory kind.
    pub body: Value,
}

impl Record {
    /// A record. The keys of the body are sorted here, so that equal bodies have equal bytes in every store.
    pub fn new(key: impl Into<String>, body: &Value) -> Self {
        Self {
            key: key.into(),
            body: sorted(body),
        }
    }

    /// Returns true if a person wrote or accepted the record: its field `source` is `user`. A store never evicts it.
    pub fn is_from_a_person(&self) -> bool {
        self.body.get("source").and_then(Value::as_str) == Some("user")
    }

    /// The size that counts against [`MAX_RECORD_BYTES`]. Unit: bytes.
    pub fn size(&self) -> usize {
        self.key.len() + self.body.to_string().len()
    }
}

/// Returns true if a record is nested too deeply to be read again.
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

/// The current state of a shelf.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShelfState {
    /// Number of committed changes of the shelf; 0 if it was never written.
    pub generation: u64,
    /// The records, ordered by key.
    pub records: Vec<Record>,
}
