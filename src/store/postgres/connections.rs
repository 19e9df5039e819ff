//! Connections to the PostgreSQL server, and transactions on them.
//!
//! # Decisions
//!
//! - A connection is used again only if its last transaction has certainly ended. Otherwise the connection is closed,
//!   and the server rolls the transaction back. So if a future is dropped at any point, no transaction stays open. The
//!   connection pool of `sqlx` is not used: it would use the connection again, and while the server is gone, it would
//!   try again until its time limit instead of returning the reason.
//! - The statement that begins a transaction also makes all settings that the transaction needs, for this transaction
//!   alone. So a connection pooler may use another session for each transaction. And no setting of the server, the
//!   database or the user can weaken a promise of the store, except `fsync`, which no transaction can set.
//! - A writer that stops in the middle of a transaction would keep its shelf locked. For that reason, the server ends the
//!   writer's session after [`MAX_IDLE`].

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, Postgres,
    postgres::{PgArguments, PgConnectOptions, PgRow},
    query::Query,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};

use super::{failure::Failure, options::PostgresOptions};

/// Longest time that the server waits for the next statement of a writing transaction before it ends the session, which
/// rolls the transaction back.
/// Source: chosen; an edit takes milliseconds, and another writer waits 5 s for a shelf's lock by default.
const MAX_IDLE: Duration = Duration::from_secs(5);
/// Longest time for which a connection may be unused. A connection that was unused for longer is closed when the next
/// transaction begins. Source: chosen; networks drop connections that were unused for some minutes, and inform neither
/// side.
const MAX_UNUSED: Duration = Duration::from_mins(1);
/// Largest time limit that PostgreSQL accepts. Unit: milliseconds. Source: the range of the settings in PostgreSQL.
const MAX_SETTING_MS: u128 = i32::MAX as u128;

/// The connections that a store and its clones share.
pub(super) struct Connections {
    server: PgConnectOptions,
    options: PostgresOptions,
    /// Limits the number of open connections: a connection needs a permit while it is being opened or in use. An idle
    /// connection has no permit, but is used again before a new one is opened.
    slots: Semaphore,
    /// Open connections that are not in use and have no open transaction, each with the time of its last use.
    idle: Mutex<Vec<(PgConnection, Instant)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// A transaction. If it is dropped without a commit, none of its changes is stored.
pub(super) struct Transaction<'c> {
    connections: &'c Connections,
    connection: PgConnection,
    slot: SemaphorePermit<'c>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The server's options contain the password, so its parts are named one by one.
        f.debug_struct("Connections")
            .field("host", &self.server.get_host())
            .field("port", &self.server.get_port())
            .field("socket", &self.server.get_socket())
            .field("database", &self.server.get_database())
            .field("user", &self.server.get_username())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Connections {
    pub(super) fn new(server: PgConnectOptions, options: PostgresOptions) -> Self {
        // Poolers refuse a connection that asks for a setting which they do not know. This one, `extra_float_digits`,
        // is not needed, because the tables have no floating-point numbers.
        let server = server.extra_float_digits(None).disable_statement_logging();
        let slots = Semaphore::new(options.max_connections as usize);
        Self {
            server,
            options,
            slots,
            idle: Mutex::default(),
        }
    }

    pub(super) fn schema(&self) -> &str {
        &self.options.schema
    }

    /// Begins a transaction on an idle connection, or on a new connection if none is idle.
    pub(super) async fn begin(&self, access: Access) -> Result<Transaction<'_>, Failure> {
        let wait = self.options.connect_wait;
        let slot = timeout(wait, self.slots.acquire()).await;
        let mut slot = slot
            .map_err(|_| Failure::NoConnection(wait))?
            .expect("the semaphore is never closed");
        let sql = self.begin_sql(access);
        loop {
            let known = self.known();
            let is_known = known.is_some();
            let connection = match known {
                Some(connection) => connection,
                None => self.connect().await?,
            };
            let mut transaction = Transaction {
                connections: self,
                connection,
                slot,
            };
            match transaction.script(sql.clone()).await {
                Ok(()) => return Ok(transaction),
                // The server has closed a connection that nobody used. Nothing was asked of it yet, so another one can be used.
                Err(Failure::Server(_)) if is_known => slot = transaction.slot,
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn connect(&self) -> Result<PgConnection, Failure> {
        let wait = self.options.connect_wait;
        let connection = timeout(wait, PgConnection::connect_with(&self.server)).await;
        Ok(connection.map_err(|_| Failure::Silent(wait))??)
    }

    fn begin_sql(&self, access: Access) -> String {
        let schema = self.schema();
        let find = format!("SET LOCAL search_path TO \"{schema}\"");
        if access == Access::Read {
            return format!("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; {find}");
        }
        // 0 would mean no limit.
        let lock_wait = self.options.lock_wait.as_millis().clamp(1, MAX_SETTING_MS);
        let max_idle = MAX_IDLE.as_millis();
        // `remote_apply` promises even more than `on`.
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {find}; \
             SET LOCAL lock_timeout TO {lock_wait}; \
             SET LOCAL idle_in_transaction_session_timeout TO {max_idle}; \
             SELECT set_config('synchronous_commit', 'on', true) \
             WHERE current_setting('synchronous_commit') <> 'remote_apply'"
        )
    }

    /// Returns the idle connection that was used last. Closes idle connections that were unused for [`MAX_UNUSED`].
    fn known(&self) -> Option<PgConnection> {
        let mut idle = self.idle();
        idle.retain(|(_, used)| used.elapsed() < MAX_UNUSED);
        idle.pop().map(|(connection, _)| connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(PgConnection, Instant)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transaction<'_> {
    pub(super) async fn rows(
        &mut self,
        query: Query<'_, Postgres, PgArguments>,
    ) -> Result<Vec<PgRow>, Failure> {
        let query = query.persistent(!self.connections.options.has_pooler);
        let patience = self.patience();
        let rows = timeout(patience, query.fetch_all(&mut self.connection)).await;
        Ok(rows.map_err(|_| Failure::Silent(patience))??)
    }

    /// Runs statements that have no parameters.
    pub(super) async fn script(&mut self, sql: String) -> Result<(), Failure> {
        let patience = self.patience();
        let script = sqlx::raw_sql(AssertSqlSafe(sql));
        let done = timeout(patience, script.execute(&mut self.connection)).await;
        done.map_err(|_| Failure::Silent(patience))??;
        Ok(())
    }

    /// Commits the transaction. When this returns without an error, the change is durable.
    pub(super) async fn commit(mut self) -> Result<(), Failure> {
        let committed = self.script("COMMIT".to_owned()).await;
        committed.map_err(Failure::of_commit)?;
        self.keep_connection();
        Ok(())
    }

    pub(super) async fn roll_back(mut self) {
        // If this fails, the connection is closed, which has the same effect.
        if self.script("ROLLBACK".to_owned()).await.is_ok() {
            self.keep_connection();
        }
    }

    fn keep_connection(self) {
        self.connections
            .idle()
            .push((self.connection, Instant::now()));
        // The permit is returned last, so that who gets it finds the connection.
        drop(self.slot);
    }

    fn patience(&self) -> Duration {
        let options = &self.connections.options;
        options.lock_wait.saturating_add(options.answer_wait)
    }
}
