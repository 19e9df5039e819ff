//! Who may write a run.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use url::Url;
use webwise::{
    DecisionLoop, ErrorKind, Host, Task,
    agent::StepEnd,
    memory::{Namespace, ShelfFilter},
    registry::{Checkpoint, End, Heartbeat, RunStatus},
    store::{Held, InMemory, JsonFiles, Memory, MemoryBackend as _, RunRegistry},
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
    working::StopReason,
};

use crate::registry::{NOW, at, begun, id};

const SHOP: &str = "https://shop.example/";
const DONE: &str = "https://shop.example/done";

#[tokio::test]
async fn whoever_lost_a_run_cannot_write_it_any_more() {
    let runs = RunRegistry::new(InMemory::new(), Namespace::default());
    let checkpoint = |text: &str| Checkpoint::new(json!(text), None);
    let first = runs.start(&begun("run_1", 0, SHOP, None)).await.unwrap();
    runs.keep(&first, &checkpoint("first"), true).await.unwrap();
    let busy = runs.resume(&id("run_1"), at(1)).await.unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy, "{busy:?}");
    let taken = runs.resume(&id("run_1"), at(2)).await.unwrap();
    assert_eq!(taken.checkpoint, checkpoint("first"));
    assert_eq!(
        runs.keep(&first, &checkpoint("late"), false).await.unwrap(),
        Held::Taken
    );
    assert_eq!(
        runs.beat(&first, &Heartbeat::default(), at(2))
            .await
            .unwrap(),
        Held::Taken
    );
    let end = End::new(true, true);
    assert_eq!(runs.end(&first, &end, at(2)).await.unwrap(), Held::Taken);
    assert_eq!(
        runs.checkpoint(&id("run_1")).await.unwrap(),
        checkpoint("first")
    );
    let known = runs.get(&id("run_1"), at(2)).await.unwrap().unwrap();
    assert_eq!((known.status, known.lease), (RunStatus::Running, 2));
    assert_eq!(
        runs.end(&taken.lease, &end, at(2)).await.unwrap(),
        Held::Yes
    );
    let over = runs.resume(&id("run_1"), at(9)).await.unwrap_err();
    assert_eq!(over.kind(), ErrorKind::InvalidInput);
}

#[tokio::test]
async fn the_first_checkpoint_of_a_run_that_was_forgotten_meanwhile_is_not_kept() {
    let store = InMemory::new();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let lease = runs.start(&begun("run_1", 0, SHOP, None)).await.unwrap();
    let host = Host::of(&Url::parse(SHOP).unwrap()).unwrap();
    let keeper = Memory::new(&store, Namespace::default());
    keeper.forget_host(&host).await.unwrap();
    let checkpoint = Checkpoint::new(json!("late"), None);
    for is_first in [true, false] {
        let held = runs.keep(&lease, &checkpoint, is_first).await.unwrap();
        assert_eq!(held, Held::Forgotten);
    }
    for shelf in store.shelves(&ShelfFilter::default()).await.unwrap() {
        let records = store.load(&shelf).await.unwrap().records;
        assert_eq!(records, [], "{shelf}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_resume_one_run_at_the_same_time_one_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let open = || RunRegistry::new(JsonFiles::open(place.path()), Namespace::default());
    let (mut taken, mut refused) = (0, 0);
    for round in 0..5 {
        let run = format!("run_{round}");
        let lease = open().start(&begun(&run, 0, SHOP, None)).await.unwrap();
        let checkpoint = Checkpoint::new(json!(1), None);
        open().keep(&lease, &checkpoint, true).await.unwrap();
        let tries: Vec<_> = (0..8)
            .map(|_| {
                let (runs, run) = (open(), id(&run));
                tokio::spawn(async move { runs.resume(&run, at(2)).await })
            })
            .collect();
        for one in tries {
            match one.await.unwrap() {
                Ok(_) => taken += 1,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Busy, "{error:?}");
                    refused += 1;
                }
            }
        }
    }
    figure!("registry: 5 runs resumed by 8 at a time: {taken} went on, {refused} were refused");
    assert_eq!((taken, refused), (5, 35));
}

fn shop() -> ScriptedBrowser {
    ScriptedBrowser::new()
        .with_page(SHOP, "Shop", "button \"Next\" e1")
        .with_page(DONE, "Done", "heading \"All done\" e2")
        .on(SHOP, r#"click {"target":"e1"}"#, [Reply::Show(DONE)])
}

#[tokio::test]
async fn a_run_that_another_loop_has_taken_stops_before_it_acts() {
    let store = InMemory::new();
    let turns = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&turns);
    let next = || call("click", json!({ "target": "e1" }));
    let finish = || {
        call(
            "finish",
            json!({ "answer": "All done", "evidence": "All done" }),
        )
    };
    let old_browser = shop();
    let old = ScriptedModel::deciding(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(next())
    });
    let old = DecisionLoop::builder(old_browser.clone(), old, store.clone())
        .with_clock(FixedClock::at(NOW))
        .with_registry(store.clone())
        .build()
        .unwrap();
    let task = Task::new("Go on").unwrap().with_start_url(SHOP).unwrap();
    let mut first = old.start(task.with_run_id(id("run_1"))).await;
    assert_eq!(first.step().await, StepEnd::Continue, "the start page");

    let later = FixedClock::at(NOW);
    later.advance(chrono::TimeDelta::minutes(2));
    let new_browser = shop();
    let new = DecisionLoop::builder(
        new_browser.clone(),
        ScriptedModel::new([next(), finish()]),
        store.clone(),
    )
    .with_clock(later)
    .with_registry(store.clone())
    .build()
    .unwrap();
    let runs = RunRegistry::new(store, Namespace::default());
    let task = Task::of_checkpoint(&runs.checkpoint(&id("run_1")).await.unwrap()).unwrap();
    let mut second = new.resume_run(task).await.unwrap();

    // The old process wakes up.
    let end = first.step().await;
    assert_eq!(end, StepEnd::Stopped(StopReason::TakenOver));
    assert_eq!(turns.load(Ordering::Relaxed), 0, "the model is not asked");
    let report = first.finish().await;
    assert_eq!(report.summary.stop, StopReason::TakenOver);
    assert_eq!(
        old_browser.executed().len(),
        1,
        "only the start page was opened"
    );

    while second.step().await == StepEnd::Continue {}
    assert!(second.finish().await.is_success());
    let known = runs.get(&id("run_1"), at(2)).await.unwrap().unwrap();
    assert_eq!(known.status, RunStatus::Completed);
    assert_eq!(new_browser.executed().len(), 2);
}
