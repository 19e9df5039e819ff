//! Options of a store on a PostgreSQL server.

use std::time::Duration;

/// Maximum length of the name of a schema. Unit: bytes. Source: PostgreSQL cuts off the end of a longer name.
const MAX_NAME: usize = 63;

/// Options of a [`Postgres`](super::Postgres) store.
///
/// ```
/// use webwise::store::PostgresOptions;
///
/// let mut options = PostgresOptions::default();
/// options.schema = "agents".to_owned();
/// options.max_connections = 8;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// Name of the schema that holds the store's tables: an ASCII letter or `_`, followed by ASCII letters, digits and
    /// `_`, in lower case and 63 bytes at most. It must not begin with `pg_`, because PostgreSQL reserves these names.
    /// Stores in different schemas share nothing. Default: `webwise`.
    pub schema: String,
    /// Maximum number of connections that a handle and its clones have together. If all are in use, a further call waits for
    /// up to `connect_wait`, then fails with `Busy`. Default: 4. Source: chosen; a server has 100 connections by default.
    pub max_connections: u32,
    /// Longest time that a call waits while another writer is changing the same shelf. After this time, the call fails with
    /// `Busy`. Default: 5 s. Source: chosen.
    pub lock_wait: Duration,
    /// Longest time that a new connection may take. Default: 10 s. Source: chosen.
    pub connect_wait: Duration,
    /// Longest time that the server may take to answer one statement, without the time that the statement waits for a
    /// lock. The store waits at most for `lock_wait` and this time together. Default: 30 s. Source: chosen.
    pub answer_wait: Duration,
    /// True if the URL leads to a pooler that may run each transaction on a different connection and does not support
    /// prepared statements. An example is `PgBouncer` in transaction mode without `max_prepared_statements`. If true,
    /// statements are prepared anew at each use. Default: false.
    pub has_pooler: bool,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            schema: "webwise".to_owned(),
            max_connections: 4,
            lock_wait: Duration::from_secs(5),
            connect_wait: Duration::from_secs(10),
            answer_wait: Duration::from_secs(30),
            has_pooler: false,
        }
    }
}

impl PostgresOptions {
    /// Returns the name of the first option with an invalid value, and a description of the valid values. Returns
    /// `None` if all options are valid.
    pub(super) fn wrong(&self) -> Option<(&'static str, &'static str)> {
        let name = self.schema.as_bytes();
        let is_letter = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        let is_name = name.first().is_some_and(is_letter)
            && name
                .iter()
                .all(|byte| is_letter(byte) || byte.is_ascii_digit())
            && name.len() <= MAX_NAME
            && !self.schema.starts_with("pg_");
        if !is_name {
            return Some((
                "schema",
                "a letter or _, then letters, digits and _, in lower case, 63 at most, without pg_ at the beginning",
            ));
        }
        (self.max_connections == 0).then_some(("max_connections", "1 or more"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_sql_would_read_in_another_way_is_refused() {
        let wrong = |schema: &str| {
            PostgresOptions {
                schema: schema.to_owned(),
                ..PostgresOptions::default()
            }
            .wrong()
            .is_some()
        };
        for name in ["webwise", "_", "a1_b", "pg", "_pg_", &"x".repeat(63)] {
            assert!(!wrong(name), "{name}");
        }
        for name in [
            "",
            "1a",
            "A",
            "a\"; DROP SCHEMA public; --",
            "a.b",
            "ä",
            "a b",
            "pg_agents",
            &"x".repeat(64),
        ] {
            assert!(wrong(name), "{name}");
        }
    }
}
