//! Where records are kept: a shelf is a namespace, a collection and a scope.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{Error, ErrorKind, Host, Result, sorted};

/// The collection in which runs wait whose lessons the store could not take.
pub const PENDING: &str = "pending";

/// Keeps tenants and experiments apart. Letters, digits, `_` and `-`; `default` unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

impl Namespace {
    /// Accepts 1 to 64 letters, digits, `_` and `-`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for anything else.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        // The alphabet of an id is the alphabet of a safe folder name.
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

/// What the records of a shelf apply to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Every site.
    Global,
    /// One host.
    Host(Host),
}

/// The unit of loading and of atomic change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Shelf {
    /// Tenant or experiment.
    pub namespace: Namespace,
    /// Name of the memory kind that owns it; a word of our own code, never of a page.
    pub collection: String,
    /// What its records apply to.
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

/// Selects shelves; what is `None` does not restrict.
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
    /// Whether a shelf is selected.
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

/// What a record may take, key and compact body together: durable stores refuse more. A kind compacts within its edits.
///
/// Unit: bytes. Source: the requirements.
pub const MAX_RECORD_BYTES: usize = 2 * 1_024;

/// One JSON body under a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Unique on its shelf; records are ordered by it.
    pub key: String,
    /// The body, keys sorted; its fields belong to the memory kind.
    pub body: Value,
}

impl Record {
    /// A record; the body's keys are sorted here, so that equal bodies are equal bytes in every store.
    pub fn new(key: impl Into<String>, body: &Value) -> Self {
        Self {
            key: key.into(),
            body: sorted(body),
        }
    }

    /// What it takes of [`MAX_RECORD_BYTES`].
    pub fn size(&self) -> usize {
        self.key.len() + self.body.to_string().len()
    }
}

/// What a shelf holds now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShelfState {
    /// Counts the committed changes of the shelf; 0 for one that nobody wrote.
    pub generation: u64,
    /// The records, ordered by key.
    pub records: Vec<Record>,
}
