//! Checks that a memory backend keeps the contract of [`MemoryBackend`].

use std::{future::Future as _, pin::pin, task::Context};

use serde_json::{Value, json};

use crate::{
    base::{Error, ErrorKind, Host},
    memory::{
        Change, Committed, Durable, Edit, MAX_RECORD_BYTES, MAX_RECORD_DEPTH, Namespace, Record,
        Shelf, ShelfFilter, ShelfState,
    },
    store::MemoryBackend,
};

fn shelf(name: &str) -> Shelf {
    Shelf::global(&Namespace::default(), name)
}

fn put(key: &'static str, n: u64) -> Edit {
    Edit::new(move |_| Ok(vec![Change::Put(Record::new(key, &json!({ "n": n })))]))
}

/// Returns an edit that adds 1 to the number in the record with the key `n`. A missing record counts as 0.
fn count() -> Edit {
    Edit::new(|now| {
        let n = now
            .iter()
            .find(|r| r.key == "n")
            .and_then(|r| r.body["n"].as_u64())
            .unwrap_or(0);
        Ok(vec![Change::Put(Record::new("n", &json!({ "n": n + 1 })))])
    })
}

async fn update(store: &impl MemoryBackend, at: &Shelf, edit: Edit) -> Committed {
    store.update(at, edit).await.expect("an update works")
}

async fn load(store: &impl MemoryBackend, at: &Shelf) -> ShelfState {
    store.load(at).await.expect("loading works")
}

async fn shelves(store: &impl MemoryBackend, filter: &ShelfFilter) -> Vec<Shelf> {
    store.shelves(filter).await.expect("listing works")
}

/// Returns a filter for the shelves of this collection.
fn of_collection(name: &str) -> ShelfFilter {
    ShelfFilter {
        collection: Some(name.to_owned()),
        ..ShelfFilter::default()
    }
}

/// Returns the records of a shelf after `n` edits of [`count`].
fn counted(n: u64) -> [Record; 1] {
    [Record::new("n", &json!({ "n": n }))]
}

/// Runs the checks for which one handle of the store is enough. The store must be empty.
///
/// # Panics
/// At the first rule that the store breaks.
pub async fn check(store: &impl MemoryBackend) {
    a_shelf_that_nobody_wrote_is_empty(store).await;
    an_edit_sees_what_is_stored_now(store).await;
    an_edit_that_fails_changes_nothing(store).await;
    an_edit_without_changes_commits_nothing(store).await;
    records_are_ordered_by_key(store).await;
    shelves_are_listed_and_removed(store).await;
    only_an_empty_shelf_is_removed_as_empty(store).await;
    scopes_and_namespaces_are_apart(store).await;
    keys_and_bodies_survive_as_they_are(store).await;
    a_record_above_the_caps_is_refused(store).await;
    updates_at_the_same_time_lose_nothing(store).await;
    a_healthy_store_has_nothing_to_tell(store);
}

/// Runs every check on a store that outlives its process. The store must be empty, and each call of `open` must return a new
/// handle of it.
///
/// # Panics
/// At the first rule that the store breaks.
pub async fn check_durable<M: MemoryBackend>(open: impl Fn() -> M) {
    check(&open()).await;
    what_is_acknowledged_is_durable_and_there_for_the_next_handle(&open).await;
    two_handles_see_each_others_changes(&open).await;
    updates_of_several_handles_lose_nothing(&open).await;
    an_update_that_is_dropped_leaves_a_whole_shelf(&open).await;
}

async fn a_shelf_that_nobody_wrote_is_empty(store: &impl MemoryBackend) {
    let state = store
        .load(&shelf("never"))
        .await
        .expect("an unknown shelf is no error");
    assert_eq!(
        (state.generation, state.records.len()),
        (0, 0),
        "a shelf that nobody wrote is empty"
    );
    let listed = shelves(store, &ShelfFilter::default()).await;
    assert!(
        !listed.contains(&shelf("never")),
        "reading does not make a shelf"
    );
}

async fn an_edit_sees_what_is_stored_now(store: &impl MemoryBackend) {
    for expected in 1..=5_u64 {
        let committed = update(store, &shelf("counter"), count()).await;
        assert_eq!(
            committed.generation, expected,
            "each commit counts one generation"
        );
    }
    let state = load(store, &shelf("counter")).await;
    assert_eq!(state.records, counted(5), "no update was lost");
}

async fn an_edit_that_fails_changes_nothing(store: &impl MemoryBackend) {
    let at = shelf("failing");
    update(store, &at, put("a", 1)).await;
    let before = load(store, &at).await;
    let edit = Edit::new(|_| Err(Error::new(ErrorKind::TooLarge, "test.edit")));
    let error = store
        .update(&at, edit)
        .await
        .expect_err("the edit's error is the update's error");
    assert_eq!(
        error.kind(),
        ErrorKind::TooLarge,
        "the edit's error arrives as it is"
    );
    assert_eq!(
        load(store, &at).await,
        before,
        "a failed edit changes nothing"
    );
}

async fn an_edit_without_changes_commits_nothing(store: &impl MemoryBackend) {
    let at = shelf("idle");
    update(store, &at, put("a", 1)).await;
    let committed = store
        .update(&at, Edit::new(|_| Ok(Vec::new())))
        .await
        .expect("an empty edit works");
    assert_eq!(
        (committed.generation, committed.changes.len()),
        (1, 0),
        "an empty edit keeps the generation"
    );
}

async fn records_are_ordered_by_key(store: &impl MemoryBackend) {
    let at = shelf("ordered");
    for key in ["b", "a", "c"] {
        update(store, &at, put(key, 1)).await;
    }
    let edit = Edit::new(|_| {
        Ok(vec![
            Change::Remove("b".into()),
            Change::Remove("missing".into()),
        ])
    });
    update(store, &at, edit).await;
    let keys: Vec<String> = load(store, &at)
        .await
        .records
        .into_iter()
        .map(|record| record.key)
        .collect();
    assert_eq!(
        keys,
        ["a", "c"],
        "records are ordered and removed ones are gone"
    );
}

async fn shelves_are_listed_and_removed(store: &impl MemoryBackend) {
    let at = shelf("listed");
    update(store, &at, put("a", 1)).await;
    let filter = of_collection("listed");
    assert_eq!(
        shelves(store, &filter).await,
        std::slice::from_ref(&at),
        "a written shelf is listed"
    );
    store.remove(&at).await.expect("removing works");
    store.remove(&at).await.expect("removing twice is fine");
    assert!(
        shelves(store, &filter).await.is_empty(),
        "a removed shelf is gone"
    );
    assert!(
        load(store, &at).await.records.is_empty(),
        "and so are its records"
    );
}

async fn only_an_empty_shelf_is_removed_as_empty(store: &impl MemoryBackend) {
    let at = shelf("emptied");
    let filter = ShelfFilter {
        collection: Some("emptied".into()),
        with_empty: true,
        ..ShelfFilter::default()
    };
    update(store, &at, put("a", 1)).await;
    let before = load(store, &at).await;
    store.remove_empty(&at).await.expect("removing works");
    assert_eq!(
        load(store, &at).await,
        before,
        "a shelf with a record stays as it is"
    );
    let edit = Edit::new(|_| Ok(vec![Change::Remove("a".into())]));
    update(store, &at, edit).await;
    for _ in 0..2 {
        store.remove_empty(&at).await.expect("removing works");
        assert_eq!(shelves(store, &filter).await, [], "an empty shelf is gone");
    }
}

async fn scopes_and_namespaces_are_apart(store: &impl MemoryBackend) {
    let host = |url: &str| Host::of(&url.parse().expect("a URL")).expect("a host");
    let (ours, theirs) = (
        Namespace::default(),
        Namespace::parse("other").expect("a name"),
    );
    let shelves = [
        Shelf::global(&ours, "apart"),
        Shelf::global(&theirs, "apart"),
        Shelf::host(&ours, "apart", &host("https://a.example")),
        Shelf::host(&ours, "apart", &host("http://a.example")),
        Shelf::host(&ours, "apart", &host("https://a.example:8443")),
    ];
    for (n, shelf) in (0..).zip(&shelves) {
        update(store, shelf, put("n", n)).await;
    }
    for (n, shelf) in (0_u64..).zip(&shelves) {
        let records = load(store, shelf).await.records;
        assert_eq!(records, counted(n), "{shelf} is a shelf of its own");
    }
}

async fn keys_and_bodies_survive_as_they_are(store: &impl MemoryBackend) {
    let at = shelf("exact");
    let body = json!({
        "text": "Tür ✓ \u{1f6b2} \u{202e}abc\u{0} \"quoted\" \\ \n\t\u{7f}",
        "integers": [u64::MAX, i64::MIN, 0, -1],
        "floats": [0.1 + 0.2, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e21, -0.5, 1.0],
        "nothing": Value::Null, "yes": true, "empty": [{}, [], ""],
        "deep": (0..60).fold(json!("deepest"), |inner, _| json!([inner])),
        "": { "z": 1, "a": { "y": 1, "b": 2 } },
    });
    let keys = [
        "",
        " ",
        "..",
        "a/b",
        "a\nb",
        "schlüssel",
        "\u{1f6b2}",
        "\u{0}",
    ];
    let stored: Vec<Record> = keys.iter().map(|key| Record::new(*key, &body)).collect();
    let changes: Vec<Change> = stored.iter().cloned().map(Change::Put).collect();
    update(store, &at, Edit::new(move |_| Ok(changes.clone()))).await;
    // The shelf is written twice more, so that any change that writing and reading makes to a record is detected.
    update(store, &at, put("later", 1)).await;
    store
        .update(&at, Edit::new(|_| Ok(vec![Change::Remove("later".into())])))
        .await
        .expect("an update works");
    let mut records = load(store, &at).await.records;
    assert!(
        records.is_sorted_by(|a, b| a.key < b.key),
        "records are ordered by key"
    );
    for expected in stored {
        let at = records
            .iter()
            .position(|record| record.key == expected.key)
            .expect("each key is there");
        assert_eq!(records.remove(at), expected, "bodies survive as they are");
    }
    assert!(records.is_empty(), "and nothing else is there");
}

async fn a_record_above_the_caps_is_refused(store: &impl MemoryBackend) {
    let at = shelf("capped");
    update(store, &at, put("a", 1)).await;
    let before = load(store, &at).await;
    let long = json!("x".repeat(MAX_RECORD_BYTES));
    let deep = (0..=MAX_RECORD_DEPTH).fold(json!(1), |inner, _| json!([inner]));
    for body in [long, deep] {
        let changes = ["a", "b"].map(|key| Change::Put(Record::new(key, &body)));
        let error = store
            .update(&at, Edit::new(move |_| Ok(changes.to_vec())))
            .await
            .expect_err("a record above the caps is refused");
        assert_eq!(error.kind(), ErrorKind::TooLarge, "and says so: {error}");
        assert_eq!(
            load(store, &at).await,
            before,
            "nothing of the edit is kept"
        );
    }
}

async fn updates_at_the_same_time_lose_nothing(store: &impl MemoryBackend) {
    let at = shelf("hot");
    let many = || async {
        for _ in 0..10 {
            update(store, &at, count()).await;
        }
    };
    tokio::join!(many(), many(), many(), many());
    let state = load(store, &at).await;
    assert_eq!(state.records, counted(40), "no update was lost");
    assert_eq!(state.generation, 40, "each commit counts one generation");
}

fn a_healthy_store_has_nothing_to_tell(store: &impl MemoryBackend) {
    assert_eq!(
        store.notices(),
        [],
        "nothing was broken, and nothing was done but what was asked"
    );
}

async fn what_is_acknowledged_is_durable_and_there_for_the_next_handle<M: MemoryBackend>(
    open: &impl Fn() -> M,
) {
    let at = shelf("kept");
    let committed = update(&open(), &at, put("a", 1)).await;
    assert_eq!(
        (committed.generation, committed.durable),
        (1, Durable::Yes),
        "it is durable when it is acknowledged"
    );
    let state = load(&open(), &at).await;
    assert_eq!(
        (state.generation, state.records),
        (1, vec![Record::new("a", &json!({ "n": 1 }))]),
        "the next one has it"
    );
    let filter = of_collection("kept");
    assert_eq!(shelves(&open(), &filter).await, [at], "and lists it");
}

async fn two_handles_see_each_others_changes<M: MemoryBackend>(open: &impl Fn() -> M) {
    let (at, one, two) = (shelf("shared"), open(), open());
    for n in 0..3_u64 {
        for (store, other) in [(&one, &two), (&two, &one)] {
            let generation = update(store, &at, count()).await.generation;
            let seen = load(other, &at).await;
            assert_eq!(
                seen.generation, generation,
                "the other handle sees it at once, round {n}"
            );
        }
    }
    let state = load(&one, &at).await;
    assert_eq!(
        state.records,
        counted(6),
        "an edit sees what the other handle wrote"
    );
    one.remove(&at).await.expect("removing works");
    assert!(
        load(&two, &at).await.records.is_empty(),
        "a removal is seen, too"
    );
    let again = update(&two, &at, put("a", 1)).await;
    assert_eq!(
        load(&one, &at).await.generation,
        again.generation,
        "and what comes after it"
    );
}

async fn updates_of_several_handles_lose_nothing<M: MemoryBackend>(open: &impl Fn() -> M) {
    let at = shelf("contended");
    let many = |store: M| {
        let at = &at;
        async move {
            let mut done = 0;
            while done < 10 {
                match store.update(at, count()).await {
                    Ok(_) => done += 1,
                    // The update was not done, and the store reported that. On a busy machine, a lock may take longer to get
                    // than the store waits.
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Busy, "{error}"),
                }
            }
        }
    };
    tokio::join!(many(open()), many(open()), many(open()));
    let state = load(&open(), &at).await;
    assert_eq!(state.records, counted(30), "no update was lost");
}

async fn an_update_that_is_dropped_leaves_a_whole_shelf<M: MemoryBackend>(open: &impl Fn() -> M) {
    let at = shelf("dropped");
    let pair = |n: u64| {
        let of = move |key: &str| Change::Put(Record::new(key, &json!({ "n": n })));
        Edit::new(move |_| Ok(vec![of("left"), of("right")]))
    };
    let store = open();
    update(&store, &at, pair(0)).await;
    for n in 1..=10 {
        {
            let mut update = pin!(store.update(&at, pair(n)));
            let waker = std::task::Waker::noop();
            let _ = update.as_mut().poll(&mut Context::from_waker(waker));
        }
        let records = load(&store, &at).await.records;
        assert_eq!(
            records[0].body, records[1].body,
            "all of an edit is there or nothing"
        );
    }
    // If the dropped update still held the shelf's lock, this update would fail.
    update(&store, &at, pair(99)).await;
    let records = load(&store, &at).await.records;
    assert_eq!(
        records[0].body, records[1].body,
        "all of an edit is there or nothing"
    );
}
