//! The tables of a store. The first program that connects to the database makes them. Every later version of the
//! program can read them.
//!
//! ```text
//! layout     one row: the version of the layout
//! shelves    a row for each shelf; `host` is empty for the shelf of all sites
//! records    a row for each record: its key and its compact JSON body, both as UTF-8
//! ```
//!
//! `SELECT convert_from(key, 'UTF8'), convert_from(body, 'UTF8') FROM webwise.records` shows the records to a person.
//!
//! # Decisions
//!
//! - Keys and bodies are `bytea`, because no other type keeps every record as it is: `text` and `jsonb` cannot hold the NUL
//!   character, `jsonb` rewrites numbers, and the order of `text` depends on the database. The order of bytes is the order
//!   of keys.
//! - A record refers to its shelf by the shelf's number. If it contained the shelf's host instead, a key and a host of
//!   maximum length would not fit into one entry of an index.
//! - The layout has a version number, which the table `layout` contains. A program that does not know the stored version
//!   refuses to connect.

use sqlx::Row as _;

use super::{
    connections::{Access, Connections, Transaction},
    failure::Failure,
};

/// The version of the layout that this program makes and knows.
const VERSION: i32 = 1;
/// Number of the database lock that a program holds while it makes the tables. Source: chosen; the bytes of `webwise`.
const LOCK: i64 = 0x77_65_62_77_69_73_65;

/// Makes the tables if they do not exist.
///
/// Processes that start at the same time wait for each other.
pub(super) async fn prepare(connections: &Connections) -> Result<(), Failure> {
    let schema = connections.schema();
    let mut reading = connections.begin(Access::Read).await?;
    let found = version(&mut reading, schema).await?;
    reading.roll_back().await;
    if let Some(version) = found {
        return known(version);
    }
    let mut making = connections.begin(Access::Write).await?;
    making
        .rows(sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK))
        .await?;
    if let Some(version) = version(&mut making, schema).await? {
        making.roll_back().await;
        return known(version);
    }
    let exists = sqlx::query("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)");
    let exists = making.rows(exists.bind(schema)).await?;
    if !exists[0].try_get::<bool, _>(0)? {
        making.script(format!("CREATE SCHEMA \"{schema}\"")).await?;
    }
    making.script(tables(schema)).await?;
    making.commit().await
}

/// Returns the version of the layout that the database has; `None` if the database has no tables of a store.
async fn version(transaction: &mut Transaction<'_>, schema: &str) -> Result<Option<i32>, Failure> {
    // Not `to_regclass`, which may answer from before this transaction got the lock.
    let exists =
        "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'layout')";
    let exists = transaction.rows(sqlx::query(exists).bind(schema)).await?;
    if !exists[0].try_get::<bool, _>(0)? {
        return Ok(None);
    }
    let rows = transaction
        .rows(sqlx::query("SELECT version FROM layout"))
        .await?;
    match &*rows {
        [row] => Ok(Some(row.try_get(0)?)),
        _ => Err(Failure::Broken(
            "the table `layout` does not have exactly one row".to_owned(),
        )),
    }
}

const fn known(version: i32) -> Result<(), Failure> {
    if version == VERSION {
        Ok(())
    } else {
        Err(Failure::Newer(version))
    }
}

fn tables(schema: &str) -> String {
    format!(
        "CREATE TABLE \"{schema}\".layout (version integer NOT NULL);
         INSERT INTO \"{schema}\".layout VALUES ({VERSION});
         CREATE TABLE \"{schema}\".shelves (
             id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             namespace text NOT NULL,
             collection text NOT NULL,
             host text NOT NULL,
             generation bigint NOT NULL,
             UNIQUE (namespace, collection, host)
         );
         CREATE TABLE \"{schema}\".records (
             shelf bigint NOT NULL REFERENCES \"{schema}\".shelves ON DELETE CASCADE,
             key bytea NOT NULL,
             body bytea NOT NULL,
             PRIMARY KEY (shelf, key)
         )"
    )
}
