//! Shelves, which group the records of a store. A shelf is identified by a namespace, a collection and a scope.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{Error, ErrorKind, Host, Result, sorted};

/// Name of the collection of finished runs from which memory has not learned yet, because the store did not accept the
/// changes.
pub const PENDING: &str = "pending";

/// A name that keeps the shelves of one tenant or experiment apart from the shelves of others. The default is `default`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

impl Namespace {
    /// Parses a namespace of 1 to 64 ASCII letters, digits, `_` and `-`. It must not start with `-`.
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

    /// Returns the namespace as text.
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
    /// The records apply to every site.
    Global,
    /// The records apply to one host. The records of some kinds of memory also apply to the host's subdomains.
    Host(Host),
}

/// The identity of a shelf. A shelf is a group of records that a store loads together and changes in one atomic step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shelf {
    /// The tenant or experiment to which the shelf belongs.
    pub namespace: Namespace,
    /// The collection, named after the kind of memory to which it belongs. A few collections, such as [`PENDING`],
    /// belong to no kind. The name comes from the program, never from a page.
    pub collection: String,
    /// The sites to which the records of the shelf apply.
    pub scope: Scope,
}

impl Shelf {
    /// Returns the shelf whose records belong to this collection and apply to all sites.
    pub fn global(namespace: &Namespace, collection: &str) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Global,
        }
    }

    /// Returns the shelf whose records belong to this collection and apply to one host.
    pub fn host(namespace: &Namespace, collection: &str, host: &Host) -> Self {
        Self {
            namespace: namespace.clone(),
            collection: collection.to_owned(),
            scope: Scope::Host(host.clone()),
        }
    }

    /// Returns the name of a record for people: its key and, if the shelf belongs to a host, `@` and the host.
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

/// A selection of shelves. A field that is `None` matches every shelf.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShelfFilter {
    /// The namespace of the selected shelves.
    pub namespace: Option<Namespace>,
    /// The collection of the selected shelves.
    pub collection: Option<String>,
    /// The scope of the selected shelves.
    pub scope: Option<Scope>,
    /// True if shelves without records are selected too, as long as the store still keeps their names.
    pub with_empty: bool,
}

impl ShelfFilter {
    /// Returns true if the fields of the shelf are selected.
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

/// Maximum size of a record: the length of the key plus the length of the body as compact JSON. An [`Edit`](super::Edit)
/// refuses to make a larger record.
///
/// Unit: bytes. Source: chosen.
pub const MAX_RECORD_BYTES: usize = 2 * 1_024;

/// Maximum depth of nested arrays and objects in a record. Source: chosen; below 128, the limit of JSON readers.
pub const MAX_RECORD_DEPTH: usize = 120;

/// A JSON value that is stored on a shelf under a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The key, unique on the shelf. The records of a shelf are ordered by their keys.
    pub key: String,
    /// The JSON value. The kind of memory defines its fields.
    pub body: Value,
}

impl Record {
    /// Creates a record. The keys of the body's objects are sorted, so that equal bodies have equal bytes in every store.
    pub fn new(key: impl Into<String>, body: &Value) -> Self {
        Self {
            key: key.into(),
            body: sorted(body),
        }
    }

    /// Returns the record with the key `key`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if there is no record with this key.
    pub(crate) fn find<'r>(records: &'r [Self], key: &str) -> Result<&'r Self> {
        let mut records = records.iter();
        records
            .find(|record| record.key == key)
            .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "memory.find").with("key", key))
    }

    /// Returns true if the field `source` of the record is `user`. Lessons, facts and patterns have this value if a
    /// person wrote or accepted them. For records of other kinds, such as sessions, the result is false even if a
    /// person accepted them. A store never removes a record with this value to make space.
    pub fn is_from_a_person(&self) -> bool {
        self.body.get("source").and_then(Value::as_str) == Some("user")
    }

    /// Returns the size of the record, measured as for [`MAX_RECORD_BYTES`]. Unit: bytes.
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

/// The records of a shelf and its generation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShelfState {
    /// A number that grows with each update that changes the shelf. It is 0 if the shelf was never written or was
    /// removed.
    pub generation: u64,
    /// The records, ordered by key.
    pub records: Vec<Record>,
}
/// Returns the host whose shelf keeps what the hosts of a site have in common: its registrable domain. An address of this machine or
/// of an internal network keeps its own, because each port is another application there.
pub(super) fn home(host: &Host) -> Host {
    let domain = host.site().filter(|site| !site.is_internal());
    let domain = domain.and_then(|site| Host::of_domain(site.as_str()).ok());
    domain.unwrap_or_else(|| host.clone())
}
