//! What every memory backend must do.

use serde_json::json;

use crate::{
    base::{Error, ErrorKind, Host},
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfFilter},
    store::MemoryBackend,
};

fn shelf(name: &str) -> Shelf {
    Shelf::global(&Namespace::default(), name)
}

fn put(key: &'static str, n: u64) -> Edit {
    Edit::new(move |_| Ok(vec![Change::Put(Record::new(key, &json!({ "n": n })))]))
}

/// Runs every check on a fresh, empty store.
///
/// # Panics
/// At the first check that does not hold, with its name.
pub async fn check(store: &impl MemoryBackend) {
    a_shelf_that_nobody_wrote_is_empty(store).await;
    an_edit_sees_what_is_stored_now(store).await;
    an_edit_that_fails_changes_nothing(store).await;
    an_edit_without_changes_commits_nothing(store).await;
    records_are_ordered_by_key(store).await;
    shelves_are_listed_and_removed(store).await;
    scopes_and_namespaces_are_apart(store).await;
}

async fn a_shelf_that_nobody_wrote_is_empty(store: &impl MemoryBackend) {
    let state = store.load(&shelf("never")).await.expect("an unknown shelf is no error");
    assert_eq!((state.generation, state.records.len()), (0, 0), "a shelf that nobody wrote is empty");
    let listed = store.shelves(&ShelfFilter::default()).await.expect("listing works");
    assert!(!listed.contains(&shelf("never")), "reading does not make a shelf");
}

async fn an_edit_sees_what_is_stored_now(store: &impl MemoryBackend) {
    let count = Edit::new(|now| {
        let n = now.iter().find(|r| r.key == "n").and_then(|r| r.body["n"].as_u64()).unwrap_or(0);
        Ok(vec![Change::Put(Record::new("n", &json!({ "n": n + 1 })))])
    });
    for expected in 1..=5_u64 {
        let committed = store.update(&shelf("counter"), count.clone()).await.expect("an update works");
        assert_eq!(committed.generation, expected, "each commit counts one generation");
    }
    let state = store.load(&shelf("counter")).await.expect("loading works");
    assert_eq!(state.records, [Record::new("n", &json!({ "n": 5 }))], "no update was lost");
}

async fn an_edit_that_fails_changes_nothing(store: &impl MemoryBackend) {
    let at = shelf("failing");
    store.update(&at, put("a", 1)).await.expect("an update works");
    let before = store.load(&at).await.expect("loading works");
    let edit = Edit::new(|_| Err(Error::new(ErrorKind::TooLarge, "test.edit")));
    let error = store.update(&at, edit).await.expect_err("the edit's error is the update's error");
    assert_eq!(error.kind(), ErrorKind::TooLarge, "the edit's error arrives as it is");
    assert_eq!(store.load(&at).await.expect("loading works"), before, "a failed edit changes nothing");
}

async fn an_edit_without_changes_commits_nothing(store: &impl MemoryBackend) {
    let at = shelf("idle");
    store.update(&at, put("a", 1)).await.expect("an update works");
    let committed = store.update(&at, Edit::new(|_| Ok(Vec::new()))).await.expect("an empty edit works");
    assert_eq!((committed.generation, committed.changes.len()), (1, 0), "an empty edit keeps the generation");
}

async fn records_are_ordered_by_key(store: &impl MemoryBackend) {
    let at = shelf("ordered");
    for key in ["b", "a", "c"] {
        store.update(&at, put(key, 1)).await.expect("an update works");
    }
    let edit = Edit::new(|_| Ok(vec![Change::Remove("b".into()), Change::Remove("missing".into())]));
    store.update(&at, edit).await.expect("removing works");
    let keys: Vec<String> =
        store.load(&at).await.expect("loading works").records.into_iter().map(|record| record.key).collect();
    assert_eq!(keys, ["a", "c"], "records are ordered and removed ones are gone");
}

async fn shelves_are_listed_and_removed(store: &impl MemoryBackend) {
    let at = shelf("listed");
    store.update(&at, put("a", 1)).await.expect("an update works");
    let filter = ShelfFilter { collection: Some("listed".into()), ..ShelfFilter::default() };
    assert_eq!(
        store.shelves(&filter).await.expect("listing works"),
        std::slice::from_ref(&at),
        "a written shelf is listed"
    );
    store.remove(&at).await.expect("removing works");
    store.remove(&at).await.expect("removing twice is fine");
    assert!(store.shelves(&filter).await.expect("listing works").is_empty(), "a removed shelf is gone");
    assert!(store.load(&at).await.expect("loading works").records.is_empty(), "and so are its records");
}

async fn scopes_and_namespaces_are_apart(store: &impl MemoryBackend) {
    let host = |url: &str| Host::of(&url.parse().expect("a URL")).expect("a host");
    let (ours, theirs) = (Namespace::default(), Namespace::parse("other").expect("a name"));
    let shelves = [
        Shelf::global(&ours, "apart"),
        Shelf::global(&theirs, "apart"),
        Shelf::host(&ours, "apart", &host("https://a.example")),
        Shelf::host(&ours, "apart", &host("http://a.example")),
        Shelf::host(&ours, "apart", &host("https://a.example:8443")),
    ];
    for (n, shelf) in (0..).zip(&shelves) {
        store.update(shelf, put("n", n)).await.expect("an update works");
    }
    for (n, shelf) in (0_u64..).zip(&shelves) {
        let records = store.load(shelf).await.expect("loading works").records;
        assert_eq!(records, [Record::new("n", &json!({ "n": n }))], "{shelf} is a shelf of its own");
    }
}
