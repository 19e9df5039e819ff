//! A store on a PostgreSQL server, for agents on several machines that share one memory.
//!
//! Each call is one transaction. An update takes these steps:
//!
//! 1. It increases the shelf's generation. This creates the shelf's row if needed, and locks it for the transaction.
//! 2. It reads the records, applies the edit, and writes the records that the edit names.
//! 3. It commits with `synchronous_commit`. Only then is the update acknowledged.
//!
//! # Decisions
//!
//! - An edit runs between two statements of its transaction, on the task that called `update`. An edit is short, and other
//!   updates of the process go on meanwhile, because each update has a connection of its own.
//! - A removed shelf leaves nothing behind, so its generations begin again at 1, as in the other stores.
//! - If the connection is lost during the commit, the update is not repeated. It may be stored already, and an edit that
//!   counts something would then count twice. If an edit by which memory learns from a run fails, a later run repeats
//!   it; such an edit changes nothing the second time.
//! - The store does not forget hosts by itself as `JsonFiles` does. A database has enough room, and people can forget hosts
//!   with `Memory`.

mod connections;
mod failure;
mod layout;
mod options;

use std::{collections::BTreeSet, fmt, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;
use sqlx::{Row as _, postgres::PgRow};
use url::Url;

pub use self::options::PostgresOptions;
use self::{
    connections::{Access, Connections},
    failure::Failure,
};
use super::MemoryBackend;
use crate::{
    base::{Error, ErrorKind, Host, Result},
    memory::{
        Change, Committed, Durable, Edit, Namespace, Record, Scope, Shelf, ShelfFilter, ShelfState,
        StoreNotice, apply,
    },
};

/// SQL statement that increases a shelf's generation by 1 and locks its row. It creates a missing row with generation
/// 1.
const COUNT: &str = "INSERT INTO shelves (namespace, collection, host, generation) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (namespace, collection, host) DO UPDATE SET generation = shelves.generation + 1 RETURNING id, generation";
const RECORDS: &str = "SELECT key, body FROM records WHERE shelf = $1 ORDER BY key";
const PUT: &str = "INSERT INTO records (shelf, key, body) SELECT $1, * FROM unnest($2::bytea[], $3::bytea[]) \
    ON CONFLICT (shelf, key) DO UPDATE SET body = excluded.body WHERE records.body <> excluded.body";
const TAKE: &str = "DELETE FROM records WHERE shelf = $1 AND key = ANY($2)";
// One statement, so the records and the generation are of the same moment.
const LOAD: &str = "SELECT generation, key, body FROM shelves LEFT JOIN records ON shelf = id \
    WHERE namespace = $1 AND collection = $2 AND host = $3 ORDER BY key";
const SHELVES: &str = "SELECT namespace, collection, host FROM shelves \
    WHERE namespace = coalesce($1, namespace) AND collection = coalesce($2, collection) AND host = coalesce($3, host) \
    AND ($4 OR EXISTS (SELECT FROM records WHERE shelf = id))";
const REMOVE: &str = "DELETE FROM shelves WHERE namespace = $1 AND collection = $2 AND host = $3";
const REMOVE_EMPTY: &str = "DELETE FROM shelves WHERE id = $1 AND NOT EXISTS (SELECT FROM records WHERE shelf = $1) RETURNING id";

/// A store on a PostgreSQL server, version 10 or newer.
///
/// Any number of programs on any number of machines may use one server. Clones share a handle and its connections. When
/// the first program connects, the store makes its tables in a schema of their own. Afterwards, a user of the database
/// needs only the right to use this schema (`USAGE`) and to read and change its tables. For `load` and `shelves`, the
/// rights to use the schema and to read the tables are enough.
///
/// - **Durability.** An acknowledged change survives a power cut of the server if the server's `fsync` is on (the default).
/// - **Damaged rows.** A record that is not JSON makes its shelf `Corrupt`. Unlike in `JsonFiles`, nothing is salvaged.
/// - **Lost connections.** If the server is gone or the connection is lost, the call returns an error. The next call
///   connects again. If the connection is lost during a commit, nobody can tell whether the change was stored. The error
///   then has the detail `stored: unknown`.
/// - **Missing rights and tables.** The error is not retryable, because waiting does not help. It is `Unauthorized` for
///   a missing right to a table, and `InvalidInput` if a table or column was removed, or if the user may not use their
///   schema.
/// - **Dropped futures.** If the future of a call is dropped, the shelf is unchanged or completely updated. No lock
///   stays behind.
/// - **Encryption.** For a server that demands encryption, the feature `postgres-tls` is needed. With this feature,
///   `?sslmode=verify-full` in the URL checks the server's certificate. Without `sslmode`, a connection is encrypted if the
///   server offers encryption, but the server's certificate is not checked.
/// - **Poolers.** `PgBouncer` works in session mode, and in transaction mode; see [`PostgresOptions::has_pooler`].
///
/// The command line keeps its memory in files. [`Memory`](super::Memory) and [`RunRegistry`](super::RunRegistry) work with
/// this store as with any other.
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> webwise::Result<()> {
/// use webwise::{memory::{Change, Durable, Edit, Namespace, Record, Shelf}, store::{MemoryBackend, Postgres}};
///
/// let store = Postgres::connect("postgres://agent:password@db.example/memory?sslmode=verify-full").await?;
/// let shelf = Shelf::global(&Namespace::default(), "lessons");
/// let record = Record::new("a", &serde_json::json!({ "n": 1 }));
/// let edit = Edit::new(move |_: &[Record]| Ok(vec![Change::Put(record.clone())]));
/// assert_eq!(store.update(&shelf, edit).await?.durable, Durable::Yes);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Postgres(Arc<Connections>);

impl Postgres {
    /// Connects to a server and makes the tables if they are not there.
    ///
    /// The URL has the form `postgres://user:password@host:port/database`, and `postgres:///database?host=/folder` for a
    /// socket in a folder. Parts that the URL leaves out are read from the environment (`PGHOST`, `PGUSER`, `PGPASSWORD` and
    /// so on) and from the password file, as for `psql`.
    ///
    /// # Errors
    /// `InvalidInput` if the URL cannot be understood or the database does not exist; `Unauthorized` if the user or the
    /// password is refused, or if the user may not make the tables; `Unavailable` or `Timeout` if the server cannot be
    /// reached; `Busy` if the server has too many connections, or if another program is still making the tables after
    /// `lock_wait`; `Unsupported` if a newer program has changed the tables, or if encryption is demanded but the
    /// server or this build does not support it. No error contains the password.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, PostgresOptions::default()).await
    }

    /// Connects as [`connect`](Self::connect) does, with other options.
    ///
    /// # Errors
    /// The errors of [`connect`](Self::connect); `InvalidInput` for an option that is wrong.
    pub async fn connect_with(url: &str, options: PostgresOptions) -> Result<Self> {
        const OPERATION: &str = "store.connect";
        let invalid = || Error::new(ErrorKind::InvalidInput, OPERATION);
        if let Some((option, expected)) = options.wrong() {
            return Err(invalid().with("option", option).with("expected", expected));
        }
        let expected = "a URL such as postgres://user:password@host:port/database";
        let parsed = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "postgres" | "postgresql"))
            .ok_or_else(|| invalid().with("expected", expected))?;
        // A password with one of these characters ends up in a part of the URL that errors and logs show.
        let rest = [Some(parsed.path()), parsed.query(), parsed.fragment()];
        if rest.into_iter().flatten().any(|part| part.contains('@')) {
            let expected = "a password whose characters / ? # @ are written as %2F %3F %23 %40";
            return Err(invalid().with("expected", expected));
        }
        let failed = |failure: Failure| {
            let error = failure.into_error(OPERATION, None);
            named(&parsed)
                .into_iter()
                .fold(error, |error, (name, part)| error.with(name, part))
        };
        let server =
            sqlx::ConnectOptions::from_url(&parsed).map_err(|error| failed(error.into()))?;
        let connections = Connections::new(server, options);
        layout::prepare(&connections).await.map_err(failed)?;
        Ok(Self(Arc::new(connections)))
    }

    async fn read(&self, shelf: &Shelf) -> Result<ShelfState, Failure> {
        let [namespace, collection, host] = names(shelf);
        let query = sqlx::query(LOAD);
        let query = query.bind(namespace).bind(collection).bind(host);
        let mut transaction = self.0.begin(Access::Read).await?;
        let rows = transaction.rows(query).await?;
        transaction.roll_back().await;
        let mut state = ShelfState::default();
        for row in &rows {
            state.generation = generation(row, 0)?;
            // A shelf without records has one row without a key.
            if row.try_get::<Option<&[u8]>, _>(1)?.is_some() {
                state.records.push(record(row, 1)?);
            }
        }
        Ok(state)
    }

    async fn write(&self, shelf: &Shelf, edit: &Edit) -> Result<Committed, Failure> {
        let mut transaction = self.0.begin(Access::Write).await?;
        let [namespace, collection, host] = names(shelf);
        let count = sqlx::query(COUNT);
        let counted = transaction
            .rows(count.bind(namespace).bind(collection).bind(host))
            .await?;
        let (id, generation) = (
            counted[0].try_get::<i64, _>(0)?,
            generation(&counted[0], 1)?,
        );
        let rows = transaction.rows(sqlx::query(RECORDS).bind(id)).await?;
        let records: Vec<Record> = rows
            .iter()
            .map(|row| record(row, 0))
            .collect::<Result<_, _>>()?;
        let changes = match edit.changes(&records) {
            Ok(changes) if !changes.is_empty() => changes,
            nothing => {
                transaction.roll_back().await;
                return Ok(Committed {
                    generation: generation - 1,
                    durable: Durable::Yes,
                    changes: nothing.map_err(Failure::Edit)?,
                });
            }
        };
        let written = Written::of(&records, &changes);
        if !written.removed.is_empty() {
            let take = sqlx::query(TAKE).bind(id).bind(written.removed);
            transaction.rows(take).await?;
        }
        if !written.keys.is_empty() {
            let put = sqlx::query(PUT).bind(id);
            transaction
                .rows(put.bind(written.keys).bind(written.bodies))
                .await?;
        }
        transaction.commit().await?;
        Ok(Committed {
            generation,
            durable: Durable::Yes,
            changes,
        })
    }

    async fn list(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>, Failure> {
        let namespace = filter.namespace.as_ref().map(Namespace::as_str);
        let query = sqlx::query(SHELVES)
            .bind(namespace)
            .bind(filter.collection.as_deref())
            .bind(filter.scope.as_ref().map(host))
            .bind(filter.with_empty);
        let mut transaction = self.0.begin(Access::Read).await?;
        let rows = transaction.rows(query).await?;
        transaction.roll_back().await;
        let mut shelves: Vec<Shelf> = rows.iter().map(shelf).collect::<Result<_, _>>()?;
        shelves.sort_unstable();
        Ok(shelves)
    }

    async fn delete(&self, shelf: &Shelf) -> Result<(), Failure> {
        let [namespace, collection, host] = names(shelf);
        let query = sqlx::query(REMOVE);
        let query = query.bind(namespace).bind(collection).bind(host);
        let mut transaction = self.0.begin(Access::Write).await?;
        transaction.rows(query).await?;
        transaction.commit().await
    }

    async fn delete_empty(&self, shelf: &Shelf) -> Result<(), Failure> {
        let [namespace, collection, host] = names(shelf);
        // The first statement locks the row, so the second one sees every record that another writer has added.
        let count = sqlx::query(COUNT);
        let mut transaction = self.0.begin(Access::Write).await?;
        let counted = transaction
            .rows(count.bind(namespace).bind(collection).bind(host))
            .await?;
        let id = counted[0].try_get::<i64, _>(0)?;
        let removed = transaction.rows(sqlx::query(REMOVE_EMPTY).bind(id)).await?;
        if removed.is_empty() {
            transaction.roll_back().await;
            return Ok(());
        }
        transaction.commit().await
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Postgres").field(&self.0).finish()
    }
}

/// Returns the server and the database that a URL names, without user and password.
fn named(url: &Url) -> Vec<(&'static str, String)> {
    let in_query = |wanted: &str| {
        let mut pairs = url.query_pairs();
        pairs
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.into_owned())
    };
    let host = url.host_str().filter(|host| !host.is_empty());
    let host = host.map(|host| {
        url.port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    });
    let database = url.path().trim_start_matches('/');
    let database = (!database.is_empty()).then(|| database.to_owned());
    let parts = [
        ("server", host.or_else(|| in_query("host"))),
        ("database", database),
    ];
    parts
        .into_iter()
        .filter_map(|(name, part)| Some((name, part?)))
        .collect()
}

#[async_trait]
impl MemoryBackend for Postgres {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        let read = self.read(shelf).await;
        read.map_err(|failure| failure.into_error("store.load", Some(shelf)))
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        let written = self.write(shelf, &edit).await;
        written.map_err(|failure| failure.into_error("store.update", Some(shelf)))
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        let listed = self.list(filter).await;
        listed.map_err(|failure| failure.into_error("store.shelves", None))
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        let removed = self.delete(shelf).await;
        removed.map_err(|failure| failure.into_error("store.remove", Some(shelf)))
    }

    async fn remove_empty(&self, shelf: &Shelf) -> Result<()> {
        let removed = self.delete_empty(shelf).await;
        removed.map_err(|failure| failure.into_error("store.remove", Some(shelf)))
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}

/// The rows of the table `records` to write, and the keys of the rows to delete, when changes of a shelf are stored.
#[derive(Debug, Default, PartialEq, Eq)]
struct Written {
    keys: Vec<Vec<u8>>,
    /// The bodies of the records in `keys`, in the order of `keys`.
    bodies: Vec<Vec<u8>>,
    removed: Vec<Vec<u8>>,
}

impl Written {
    /// Returns the rows to write and to delete: those of the records that the changes name. A record that exists after
    /// all changes is written; any other is deleted.
    fn of(records: &[Record], changes: &[Change]) -> Self {
        let after = apply(records, changes);
        let named: BTreeSet<&str> = changes.iter().map(Change::key).collect();
        let mut written = Self::default();
        for key in named {
            match after.binary_search_by(|record| record.key.as_str().cmp(key)) {
                Ok(at) => {
                    written.keys.push(key.into());
                    written.bodies.push(after[at].body.to_string().into());
                }
                Err(_) => written.removed.push(key.into()),
            }
        }
        written
    }
}

/// Returns the values of the columns that identify a shelf: namespace, collection and host.
fn names(shelf: &Shelf) -> [&str; 3] {
    let namespace = shelf.namespace.as_str();
    [namespace, &shelf.collection, host(&shelf.scope)]
}

fn host(scope: &Scope) -> &str {
    match scope {
        Scope::Global => "",
        Scope::Host(host) => host.as_str(),
    }
}

fn shelf(row: &PgRow) -> Result<Shelf, Failure> {
    let [namespace, collection, host] = [row.try_get(0)?, row.try_get(1)?, row.try_get(2)?];
    let broken = |_| Failure::Broken(format!("`{namespace}` is no namespace"));
    let scope = match host {
        "" => Scope::Global,
        host => Scope::Host(
            serde_json::from_value::<Host>(Value::from(host))
                .map_err(|error| Failure::Broken(error.to_string()))?,
        ),
    };
    let namespace = Namespace::parse(namespace).map_err(broken)?;
    let collection: &str = collection;
    Ok(Shelf {
        namespace,
        collection: collection.to_owned(),
        scope,
    })
}

fn generation(row: &PgRow, column: usize) -> Result<u64, Failure> {
    let generation = row.try_get::<i64, _>(column)?;
    u64::try_from(generation).map_err(|_| Failure::Broken(format!("generation {generation}")))
}

/// Reads a record from a row. `column` is the column with the record's key; the record's body is in the next column.
fn record(row: &PgRow, column: usize) -> Result<Record, Failure> {
    let key = std::str::from_utf8(row.try_get(column)?)
        .map_err(|error| Failure::Broken(format!("a key is no text: {error}")))?;
    let body = serde_json::from_slice(row.try_get(column + 1)?)
        .map_err(|error| Failure::Broken(format!("the record {key:?} is no JSON: {error}")))?;
    Ok(Record {
        key: key.to_owned(),
        body,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_is_written_once_as_it_is_in_the_end() {
        let record = |key: &str, n: i32| Record::new(key, &json!({ "n": n }));
        let put = |key: &str, n| Change::Put(record(key, n));
        let take = |key: &str| Change::Remove(key.to_owned());
        let before = [record("a", 1), record("b", 1), record("c", 1)];
        let changes = [
            put("a", 2),
            put("a", 3),
            take("b"),
            put("d", 1),
            take("d"),
            take("e"),
            put("f", 1),
        ];
        let written = Written::of(&before, &changes);
        assert_eq!(written.keys, [b"a", b"f"]);
        assert_eq!(written.bodies, [br#"{"n":3}"#, br#"{"n":1}"#]);
        assert_eq!(written.removed, [b"b", b"d", b"e"]);
    }
}
