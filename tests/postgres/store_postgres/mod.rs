//! The store on a PostgreSQL server, with a real server: the contract of every store, and its stored layout. `faults`: servers that are
//! gone, refuse or fall silent, and connections that are lost. `crash`: killed clients and servers. `story`: what a run learns, another run
//! reads.

use crate::profile;

mod crash;
mod faults;
mod proxy;
mod server;
mod story;

use std::{fs, path::Path, sync::Mutex, time::Duration};

use serde_json::json;
use tokio::task::JoinSet;
use webwise::{
    ErrorKind, MemoryBackend as _,
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfFilter},
    store::{Postgres, PostgresOptions},
    testing::conformance,
};

use self::{
    profile::pick,
    server::{Server, in_schema, new_schema},
};

/// Number of handles that the suite opens at most. Source: chosen; a suite that opens more fails.
const HANDLES: usize = 16;

fn shelf(name: &str) -> Shelf {
    Shelf::global(&Namespace::default(), name)
}

/// Increments the number in the record `n`.
fn count() -> Edit {
    Edit::new(|now| {
        let n = now.first().map_or(0, |r| r.body["n"].as_u64().unwrap_or(0));
        Ok(vec![Change::Put(Record::new("n", &json!({ "n": n + 1 })))])
    })
}

/// The number in the record `n`.
async fn counted(store: &Postgres, shelf: &Shelf) -> u64 {
    let records = store.load(shelf).await.expect("loading works").records;
    records
        .first()
        .map_or(0, |r| r.body["n"].as_u64().expect("a number"))
}

/// Runs the whole suite on a new schema.
async fn check(options: PostgresOptions) {
    let server = Server::shared();
    let mut handles = Vec::new();
    for _ in 0..HANDLES {
        let url = server.url("postgres", "");
        let handle = Postgres::connect_with(&url, options.clone()).await;
        handles.push(handle.expect("the server is there"));
    }
    let handles = Mutex::new(handles);
    let next = || handles.lock().unwrap().pop().expect("a handle is left");
    conformance::store::check_durable(next).await;
}

#[tokio::test]
async fn the_contract_is_kept() {
    check(in_schema(&new_schema())).await;
    figure!(
        "store_postgres: postgres keeps the contract, and that of a store that outlives its process"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contract_is_kept_on_several_threads() {
    check(in_schema(&new_schema())).await;
}

#[tokio::test]
async fn the_contract_is_kept_without_prepared_statements() {
    let mut options = in_schema(&new_schema());
    options.has_pooler = true;
    check(options).await;
}

/// Stored formats are API: a file here is never changed, and each version that was released has one.
#[tokio::test]
async fn every_released_version_of_the_layout_loads() {
    let server = Server::shared();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/postgres");
    let mut read = 0;
    for file in fs::read_dir(fixtures).unwrap() {
        let schema = new_schema();
        let sql = fs::read_to_string(file.unwrap().path()).unwrap();
        server.sql(&sql.replace("webwise", &schema)).await;
        let store = server.open(&schema).await;
        let shelves = store.shelves(&ShelfFilter::default()).await.unwrap();
        let names: Vec<String> = shelves.iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            ["default/lessons", "default/lessons@http://127.0.0.1:8080"]
        );
        let state = store.load(&shelves[1]).await.unwrap();
        assert_eq!(state.generation, 7);
        let keys: Vec<&str> = state.records.iter().map(|r| &*r.key).collect();
        assert_eq!(keys, ["\0", "fill-textbox"]);
        assert_eq!(state.records[1].body["text"], json!("Tür ✓ \0"));
        let committed = store.update(&shelves[1], count()).await.unwrap();
        assert_eq!(committed.generation, 8);
        read += 1;
    }
    figure!("store_postgres: {read} released versions of the layout load");
    assert!(read > 0);
}

#[tokio::test]
async fn a_newer_layout_is_refused() {
    let (server, schema) = (Server::shared(), new_schema());
    server.open(&schema).await;
    server
        .sql(&format!("UPDATE {schema}.layout SET version = 2"))
        .await;
    let url = server.url("postgres", "");
    let refused = Postgres::connect_with(&url, in_schema(&schema)).await;
    let error = refused.expect_err("it cannot know what a newer program stored");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[tokio::test]
async fn programs_that_start_at_the_same_time_make_one_store() {
    let (server, schema) = (Server::shared(), new_schema());
    for round in 0..pick(5, 50) {
        let schema = format!("{schema}_{round}");
        let mut opening = JoinSet::new();
        for _ in 0..8 {
            let schema = schema.clone();
            opening.spawn(async move { server.open(&schema).await });
        }
        let stores = opening.join_all().await;
        for store in &stores {
            store.update(&shelf("shared"), count()).await.unwrap();
        }
        assert_eq!(counted(&stores[0], &shelf("shared")).await, 8);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_that_count_on_one_shelf_lose_nothing() {
    const TASKS: usize = 20;
    const EACH: u64 = 10;
    let (server, schema) = (Server::shared(), new_schema());
    let mut options = in_schema(&schema);
    // All 20 stand in a line for one row.
    options.lock_wait = Duration::from_mins(1);
    options.connect_wait = Duration::from_mins(1);
    let url = server.url("postgres", "");
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(Postgres::connect_with(&url, options.clone()).await.unwrap());
    }
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let store = stores[task % stores.len()].clone();
        tasks.spawn(async move {
            for _ in 0..EACH {
                store.update(&shelf("hot"), count()).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    let all = TASKS as u64 * EACH;
    let state = stores[0].load(&shelf("hot")).await.unwrap();
    let n = counted(&stores[0], &shelf("hot")).await;
    figure!("store_postgres: {n} of {all} updates by {TASKS} tasks over 4 handles are stored");
    assert_eq!((n, state.generation), (all, all));
}

#[tokio::test]
async fn a_removed_shelf_begins_again() {
    let store = Server::shared().open(&new_schema()).await;
    let at = shelf("removed");
    for _ in 0..3 {
        store.update(&at, count()).await.unwrap();
    }
    store.remove(&at).await.unwrap();
    assert_eq!(store.load(&at).await.unwrap().generation, 0);
    assert_eq!(store.update(&at, count()).await.unwrap().generation, 1);
    let emptied = Edit::new(|_| Ok(vec![Change::Remove("n".to_owned())]));
    assert_eq!(store.update(&at, emptied).await.unwrap().generation, 2);
    let listed = store.shelves(&ShelfFilter::default()).await.unwrap();
    assert!(listed.is_empty(), "a shelf without records: {listed:?}");
    assert_eq!(store.load(&at).await.unwrap().generation, 2);
}
