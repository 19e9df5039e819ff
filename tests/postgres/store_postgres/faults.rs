//! Servers that are gone, refuse or fall silent; connections that are lost; writers that stop.

use std::{
    error::Error as _,
    fmt::Write as _,
    sync::{Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use sqlx::Connection as _;
use tokio::time::{sleep, timeout};
use webwise::{
    Error, ErrorKind, MemoryBackend as _,
    memory::{Change, Edit, Record, ShelfFilter},
    store::Postgres,
};

use crate::store_postgres::{
    count, counted,
    profile::pick,
    proxy::{Commit, Proxy},
    server::{Server, in_schema, new_schema, url},
    shelf,
};

const PASSWORD: &str = "correct horse";

/// Everything that an error says, with its causes.
fn all_of(error: &Error) -> String {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        let _ = write!(text, " {error} {error:?}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn who_cannot_connect_is_told_why_and_not_the_password() {
    let server = Server::shared();
    let schema = new_schema();
    server
        .sql(&format!("CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'; CREATE SCHEMA {schema} AUTHORIZATION guarded"))
        .await;
    let folder = server.folder().to_str().unwrap();
    let encoded = folder.replace('/', "%2F");
    let with = |password: &str| format!("postgres://guarded:{password}@{encoded}/postgres");
    let nowhere = tempfile::tempdir().unwrap();
    let nowhere = url(nowhere.path(), "guarded", "&password=open-sesame");
    for (url, kind) in [
        (with("open-sesame"), ErrorKind::Unauthorized),
        (nowhere, ErrorKind::Unavailable),
        (
            "postgres://guarded:open-sesame@127.0.0.1:1/postgres".to_owned(),
            ErrorKind::Unavailable,
        ),
        (
            "postgres://guarded:open-sesame@[::1/".to_owned(),
            ErrorKind::InvalidInput,
        ),
        // The password is not encoded.
        (
            "postgres://guarded:/open-sesame@db.example/postgres".to_owned(),
            ErrorKind::InvalidInput,
        ),
        (
            "postgres://guarded:12?open-sesame@db.example/postgres".to_owned(),
            ErrorKind::InvalidInput,
        ),
        (
            "mysql://guarded:open-sesame@db.example/".to_owned(),
            ErrorKind::InvalidInput,
        ),
        (
            format!("postgres:///nothing?host={folder}&user=postgres&password=open-sesame"),
            ErrorKind::InvalidInput,
        ),
        (
            format!(
                "postgres:///postgres?host={folder}&user=postgres&password=open-sesame&sslmode=maybe"
            ),
            ErrorKind::InvalidInput,
        ),
        (
            server.url("postgres", "&password=open-sesame&sslmode=require"),
            ErrorKind::Unsupported,
        ),
    ] {
        let error = Postgres::connect(&url).await.expect_err("nobody is there");
        assert_eq!(error.kind(), kind, "{url}: {error:?}");
        assert!(!all_of(&error).contains("sesame"), "{error:?}");
    }
    let right = with(&PASSWORD.replace(' ', "%20"));
    let store = Postgres::connect_with(&right, in_schema(&schema))
        .await
        .unwrap();
    let shown = format!("{store:?}");
    assert!(
        shown.contains("guarded") && !shown.contains("horse"),
        "{shown}"
    );
    let mut options = in_schema("no name");
    let error = Postgres::connect_with(&right, options.clone()).await;
    assert_eq!(error.unwrap_err().said("option"), Some("schema"));
    options = in_schema(&schema);
    options.max_connections = 0;
    let error = Postgres::connect_with(&right, options).await;
    assert_eq!(error.unwrap_err().said("option"), Some("max_connections"));
}

#[tokio::test]
async fn who_may_only_read_reads_and_is_told_so_when_writing() {
    let (server, schema) = (Server::shared(), new_schema());
    let owner = server.open(&schema).await;
    owner.update(&shelf("a"), count()).await.unwrap();
    server
        .sql(&format!(
            "CREATE ROLE reader LOGIN;
             GRANT USAGE ON SCHEMA {schema} TO reader;
             GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader"
        ))
        .await;
    let url = server.url("reader", "");
    let reader = Postgres::connect_with(&url, in_schema(&schema))
        .await
        .unwrap();
    assert_eq!(counted(&reader, &shelf("a")).await, 1);
    assert_eq!(
        reader.shelves(&ShelfFilter::default()).await.unwrap(),
        [shelf("a")]
    );
    let refused = [
        reader.update(&shelf("a"), count()).await.map(drop),
        reader.update(&shelf("b"), count()).await.map(drop),
        reader.remove(&shelf("a")).await,
        Postgres::connect_with(&url, in_schema(&new_schema()))
            .await
            .map(drop),
    ];
    for refused in refused {
        let error = refused.expect_err("the right is missing");
        assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error:?}");
    }
    assert_eq!(counted(&reader, &shelf("a")).await, 1);
    // The schema is hidden, a column is missing, and so are the tables.
    let steps = [
        (
            format!("REVOKE USAGE ON SCHEMA {schema} FROM reader"),
            &reader,
        ),
        (
            format!("ALTER TABLE {schema}.shelves RENAME generation TO n"),
            &owner,
        ),
        (format!("DROP SCHEMA {schema} CASCADE"), &owner),
    ];
    for (sql, store) in steps {
        server.sql(&sql).await;
        let error = store
            .load(&shelf("a"))
            .await
            .expect_err("no table is there");
        let kind = (error.kind(), error.is_retryable());
        assert_eq!(kind, (ErrorKind::InvalidInput, false), "{sql}: {error:?}");
    }
}

#[tokio::test]
async fn connections_that_were_idle_for_a_minute_are_closed() {
    let (server, schema) = (Server::shared(), new_schema());
    let url = server.url("postgres", &format!("&application_name={schema}"));
    let store = Postgres::connect_with(&url, in_schema(&schema))
        .await
        .unwrap();
    let open = format!("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{schema}'");
    let load = || async { store.load(&shelf("a")).await.unwrap() };
    // A load may end before the next one needs a connection, so it may take several rounds until there are two.
    let opened = async {
        while server.number(&open).await < 2 {
            tokio::join!(load(), load(), load());
        }
    };
    let opened = timeout(Duration::from_mins(1), opened).await;
    opened.expect("loads at once open more than one connection");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    load().await;
    // The server learns of it a moment later.
    let closed = async {
        while server.number(&open).await > 1 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    let closed = timeout(Duration::from_mins(1), closed).await;
    closed.expect("the connections are closed");
}

/// Runs a future on a runtime of its own.
fn on_its_own<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

#[tokio::test]
async fn a_connection_that_is_killed_in_an_update_stores_nothing_and_the_next_call_works() {
    let (server, schema) = (Server::shared(), new_schema());
    let url = server.url("postgres", "&application_name=killed");
    let store = Postgres::connect_with(&url, in_schema(&schema))
        .await
        .unwrap();
    let at = shelf("a");
    store.update(&at, count()).await.unwrap();
    let kill =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'killed'";
    let edit = Edit::new(move |_| {
        // An edit cannot wait for a future.
        thread::scope(|scope| {
            scope
                .spawn(|| on_its_own(Server::shared().sql(kill)))
                .join()
        })
        .unwrap();
        Ok(vec![Change::Put(Record::new("n", &json!({ "n": 99 })))])
    });
    let error = store
        .update(&at, edit)
        .await
        .expect_err("the connection is gone");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
    assert_eq!(
        error.said("stored"),
        None,
        "it is known that nothing is stored: {error:?}"
    );
    assert_eq!(counted(&store, &at).await, 1);
    // Killed while nobody uses it: nobody notices.
    server.sql(kill).await;
    store.update(&at, count()).await.unwrap();
    assert_eq!(counted(&store, &at).await, 2);
}

#[tokio::test]
async fn a_connection_that_is_lost_in_a_commit_leaves_it_unknown_what_is_stored() {
    let (server, schema) = (Server::shared(), new_schema());
    let proxy = Proxy::before(server.folder());
    let mut options = in_schema(&schema);
    options.lock_wait = Duration::from_secs(2);
    options.answer_wait = Duration::from_secs(2);
    let url = url(&proxy.folder(), "postgres", "");
    let store = Postgres::connect_with(&url, options).await.unwrap();
    let at = shelf("a");
    store.update(&at, count()).await.unwrap();
    for (commit, kind, stored) in [
        (Commit::IsLost, ErrorKind::Unavailable, 1),
        (Commit::LosesItsAnswer, ErrorKind::Unavailable, 2),
        (Commit::IsSwallowed, ErrorKind::Timeout, 2),
    ] {
        proxy.next(commit);
        let error = store
            .update(&at, count())
            .await
            .expect_err("no answer comes");
        assert_eq!(error.kind(), kind, "{commit:?}: {error:?}");
        assert_eq!(
            error.said("stored"),
            Some("unknown"),
            "{commit:?}: {error:?}"
        );
        assert_eq!(counted(&store, &at).await, stored, "{commit:?}");
    }
    proxy.next(Commit::IsLost);
    let error = store.remove(&at).await.expect_err("no answer comes");
    assert_eq!(error.said("stored"), Some("unknown"), "{error:?}");
    store.update(&at, count()).await.unwrap();
    assert_eq!(counted(&store, &at).await, 3);
}

#[tokio::test]
async fn a_locked_shelf_is_busy_and_the_others_are_not() {
    let (server, schema) = (Server::shared(), new_schema());
    let mut options = in_schema(&schema);
    options.lock_wait = Duration::from_millis(300);
    let store = Postgres::connect_with(&server.url("postgres", ""), options)
        .await
        .unwrap();
    for name in ["a", "b"] {
        store.update(&shelf(name), count()).await.unwrap();
    }
    let mut other = server.admin().await;
    let lock = format!("BEGIN; SELECT FROM {schema}.shelves WHERE collection = 'a' FOR UPDATE");
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock))
        .execute(&mut other)
        .await
        .unwrap();
    let (locked, removed, free) = tokio::join!(
        async { store.update(&shelf("a"), count()).await },
        async { store.remove(&shelf("a")).await },
        async { store.update(&shelf("b"), count()).await },
    );
    free.unwrap();
    for error in [locked.map(drop).unwrap_err(), removed.unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Busy, "{error:?}");
    }
    assert_eq!(
        counted(&store, &shelf("a")).await,
        1,
        "reading waits for nobody"
    );
    other.close().await.unwrap();
    store.update(&shelf("a"), count()).await.unwrap();
}

#[tokio::test]
async fn calls_beyond_the_connections_wait_and_then_say_so() {
    let (server, schema) = (Server::shared(), new_schema());
    let mut options = in_schema(&schema);
    options.max_connections = 1;
    options.connect_wait = Duration::from_secs(3);
    let store = Postgres::connect_with(&server.url("postgres", ""), options)
        .await
        .unwrap();
    let at = shelf("a");
    store.update(&at, count()).await.unwrap();
    let (two, three) = tokio::join!(store.update(&at, count()), store.update(&at, count()));
    assert!(
        two.is_ok() && three.is_ok(),
        "they take turns: {two:?} {three:?}"
    );
    let mut other = server.admin().await;
    let lock = format!("BEGIN; SELECT FROM {schema}.shelves FOR UPDATE");
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock))
        .execute(&mut other)
        .await
        .unwrap();
    let waiting = tokio::spawn({
        let (store, at) = (store.clone(), at.clone());
        async move { store.update(&at, count()).await }
    });
    while server.number(&waiting_for_a_lock(&schema)).await == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    let error = store
        .load(&at)
        .await
        .expect_err("the one connection is in use");
    assert_eq!(error.kind(), ErrorKind::Busy, "{error:?}");
    other.close().await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(counted(&store, &at).await, 4);
}

/// Number of sessions that wait for a row of a schema.
fn waiting_for_a_lock(schema: &str) -> String {
    format!(
        "SELECT count(*) FROM pg_stat_activity JOIN pg_locks USING (pid) \
         WHERE wait_event_type = 'Lock' AND relation = to_regclass('{schema}.shelves')"
    )
}

#[tokio::test]
async fn a_writer_that_stops_keeps_its_shelf_for_some_seconds_and_stores_nothing() {
    let (server, schema) = (Server::shared(), new_schema());
    let (other, at) = (server.open(&schema).await, shelf("a"));
    other.update(&at, count()).await.unwrap();
    let (inside, mut is_inside) = tokio::sync::oneshot::channel();
    let (go_on, goes_on) = mpsc::channel::<()>();
    let inside = Mutex::new((Some(inside), goes_on));
    let edit = Edit::new(move |_| {
        let (inside, goes_on) = &mut *inside.lock().unwrap();
        inside.take().unwrap().send(()).unwrap();
        goes_on.recv().unwrap();
        Ok(vec![Change::Put(Record::new("n", &json!({ "n": 99 })))])
    });
    // A writer that stops takes its whole runtime with it, as a stopped process does.
    let stopped = thread::spawn({
        let (schema, at) = (schema.clone(), at.clone());
        move || {
            on_its_own(async move {
                let store = server.open(&schema).await;
                store.update(&at, edit).await
            })
        }
    });
    (&mut is_inside).await.unwrap();
    let begin = Instant::now();
    let mut waits = 0;
    while let Err(error) = other.update(&at, count()).await {
        assert_eq!(error.kind(), ErrorKind::Busy, "{error:?}");
        waits += 1;
        assert!(waits < 5, "it is locked for good");
    }
    figure!(
        "store_postgres: a writer that stopped kept its shelf for {:.1} s",
        begin.elapsed().as_secs_f64()
    );
    go_on.send(()).unwrap();
    let error = stopped
        .join()
        .unwrap()
        .expect_err("its transaction is gone");
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
    assert_eq!(counted(&other, &at).await, 2);
}

/// Drops an update at each of many moments: before it is sent, while it waits for the lock, and while it writes.
#[tokio::test]
async fn an_update_that_is_dropped_anywhere_leaves_no_transaction() {
    let (server, schema) = (Server::shared(), new_schema());
    let url = server.url("postgres", "&application_name=dropped");
    let store = Postgres::connect_with(&url, in_schema(&schema))
        .await
        .unwrap();
    let at = shelf("pair");
    let pair = |n: u32| {
        let of = move |key: &str| Change::Put(Record::new(key, &json!({ "n": n })));
        Edit::new(move |_| Ok(vec![of("left"), of("right")]))
    };
    store.update(&at, pair(0)).await.unwrap();
    let (mut dropped, moments) = (0, pick(60, 600));
    for n in 1..=moments {
        let moment = Duration::from_micros(u64::from(n) * 6_000 / u64::from(moments));
        dropped += u32::from(timeout(moment, store.update(&at, pair(n))).await.is_err());
        let records = store.load(&at).await.unwrap().records;
        assert_eq!(records[0].body, records[1].body, "after {moment:?}");
    }
    let mut other = server.admin().await;
    let lock = format!("BEGIN; SELECT FROM {schema}.shelves FOR UPDATE");
    sqlx::raw_sql(sqlx::AssertSqlSafe(lock))
        .execute(&mut other)
        .await
        .unwrap();
    let waiting = timeout(Duration::from_millis(100), store.update(&at, pair(99)));
    assert!(waiting.await.is_err(), "it waits for the lock");
    dropped += 1;
    other.close().await.unwrap();
    store.update(&at, pair(100)).await.unwrap();
    let records = store.load(&at).await.unwrap().records;
    assert_eq!(
        (&records[0].body["n"], &records[1].body["n"]),
        (&json!(100), &json!(100))
    );
    let open = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dropped' AND xact_start IS NOT NULL";
    // A transaction that stays open lets this test hang.
    while server.number(open).await > 0 {
        sleep(Duration::from_millis(5)).await;
    }
    let moments = moments + 1;
    figure!("store_postgres: {dropped} of {moments} updates were dropped, 0 transactions are open");
}

#[tokio::test]
async fn a_commit_waits_for_the_disk_whatever_the_defaults_are() {
    let (server, schema) = (Server::shared(), new_schema());
    server.open(&schema).await;
    // A look from inside the transactions of the store.
    server
        .sql(&format!(
            "CREATE ROLE hasty LOGIN SUPERUSER;
             ALTER ROLE hasty SET synchronous_commit = off;
             ALTER ROLE hasty SET default_transaction_isolation = 'serializable';
             ALTER ROLE hasty SET default_transaction_read_only = on;
             CREATE TABLE {schema}.seen (setting text, isolation text, prepared bigint);
             CREATE FUNCTION {schema}.look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 INSERT INTO {schema}.seen
                     SELECT current_setting('synchronous_commit'), current_setting('transaction_isolation'), count(*)
                     FROM pg_prepared_statements;
                 RETURN NULL;
             END $$;
             CREATE TRIGGER look AFTER INSERT ON {schema}.records EXECUTE FUNCTION {schema}.look()"
        ))
        .await;
    let hasty = server.url("hasty", "");
    for has_pooler in [false, true] {
        let mut options = in_schema(&schema);
        options.has_pooler = has_pooler;
        let store = Postgres::connect_with(&hasty, options).await.unwrap();
        store.update(&shelf("a"), count()).await.unwrap();
        let seen = format!(
            "SELECT count(*) FROM {schema}.seen \
             WHERE setting = 'on' AND isolation = 'read committed' AND (prepared = 0) = {has_pooler}"
        );
        assert_eq!(server.number(&seen).await, 1, "{has_pooler}");
    }
}
