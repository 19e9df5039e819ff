//! Lists, statuses, lineages, bounds, forgetting.

use serde_json::json;
use webwise::{
    MemoryBackend,
    base::Host,
    memory::{Change, Edit, Namespace, Record, Shelf, ShelfFilter},
    registry::{
        Checkpoint, End, Heartbeat, MAX_CHECKPOINT, MAX_RUNS, RunFilter, RunManifest, RunStatus,
    },
    store::{Held, InMemory, JsonFiles, Lease, Memory, RunRegistry},
};

use crate::registry::{at, begun, id};

const SHOP: &str = "https://www.shop.example/";
const DESK: &str = "https://desk.example/";

fn filter(change: impl FnOnce(&mut RunFilter)) -> RunFilter {
    let mut filter = RunFilter::default();
    change(&mut filter);
    filter
}

fn names(runs: &[RunManifest]) -> Vec<&str> {
    runs.iter().map(|run| run.run.as_str()).collect()
}

fn checkpoint(text: &str) -> Checkpoint {
    Checkpoint::new(json!({ "text": text }), None)
}

/// A register with runs of several hosts, sessions and statuses.
async fn register<M: MemoryBackend>(store: M) -> (RunRegistry<M>, Vec<Lease>) {
    let runs = RunRegistry::new(store, Namespace::default());
    let mut leases = Vec::new();
    for (run, minute, url, session) in [
        ("run_1", 0, SHOP, Some("a")),
        ("run_2", 1, DESK, Some("b")),
        ("run_3", 2, SHOP, Some("b")),
        ("run_4", 3, SHOP, None),
    ] {
        let manifest = begun(run, minute, url, session);
        leases.push(runs.start(&manifest).await.unwrap());
    }
    let mut end = End::new(true, true);
    end.final_url = Some("https://u:p@www.shop.example/order/17?page=2#top".to_owned());
    end.result = Some("12.50 EUR".to_owned());
    assert_eq!(runs.end(&leases[0], &end, at(3)).await.unwrap(), Held::Yes);
    let failed = End::new(false, false);
    assert_eq!(
        runs.end(&leases[1], &failed, at(3)).await.unwrap(),
        Held::Yes
    );
    let sign = Heartbeat::new(Some(format!("{SHOP}cart")), 4);
    assert_eq!(
        runs.beat(&leases[3], &sign, at(4)).await.unwrap(),
        Held::Yes
    );
    (runs, leases)
}

#[tokio::test]
async fn runs_are_listed_newest_first_by_domain_session_and_status() {
    let (runs, _) = register(InMemory::new()).await;
    let list = async |filter: RunFilter| {
        let found = runs.list(&filter, at(4)).await.unwrap();
        names(&found).join(" ")
    };
    assert_eq!(list(RunFilter::default()).await, "run_4 run_3 run_2 run_1");
    assert_eq!(list(filter(|f| f.limit = Some(2))).await, "run_4 run_3");
    let host = |name| Some(Host::of_domain(name).unwrap());
    assert_eq!(
        list(filter(|f| f.domain = host("shop.example"))).await,
        "run_4 run_3 run_1",
        "the host of the runs is below it"
    );
    assert_eq!(list(filter(|f| f.domain = host("shop.test"))).await, "");
    let session = |name: &str| Some(name.parse_session());
    assert_eq!(
        list(filter(|f| f.session = session("b"))).await,
        "run_3 run_2"
    );
    for (status, expected) in [
        (RunStatus::Running, "run_4"),
        (RunStatus::Completed, "run_1"),
        (RunStatus::Failed, "run_2"),
        // Two minutes without a sign of life.
        (RunStatus::Abandoned, "run_3"),
    ] {
        assert_eq!(list(filter(|f| f.status = Some(status))).await, expected);
    }
    let done = runs.get(&id("run_1"), at(4)).await.unwrap().unwrap();
    assert_eq!(
        (done.final_url.as_deref(), done.success, done.completed_at),
        (
            Some("https://www.shop.example/order/17?page=2#top"),
            Some(true),
            Some(at(3))
        )
    );
    let known = runs.get(&id("run_4"), at(4)).await.unwrap().unwrap();
    assert_eq!(
        (known.turn_count, known.current_url.as_deref()),
        (4, Some("https://www.shop.example/cart"))
    );
    assert_eq!(runs.get(&id("run_9"), at(4)).await.unwrap(), None);
    assert!(runs.start(&begun("run_1", 9, SHOP, None)).await.is_err());
}

trait ParseSession {
    fn parse_session(&self) -> webwise::SessionId;
}

impl ParseSession for str {
    fn parse_session(&self) -> webwise::SessionId {
        webwise::SessionId::parse(self).unwrap()
    }
}

#[tokio::test]
async fn a_manifest_has_the_documented_names_and_fits_its_record_in_every_script() {
    let (runs, _) = register(InMemory::new()).await;
    let done = runs.get(&id("run_1"), at(4)).await.unwrap().unwrap();
    let json = serde_json::to_value(&done).unwrap();
    for name in [
        "runId",
        "sessionId",
        "status",
        "goal",
        "domain",
        "startUrl",
        "finalUrl",
        "startedAt",
        "updatedAt",
        "completedAt",
        "success",
        "turnCount",
        "result",
    ] {
        assert!(json.get(name).is_some(), "{name}: {json}");
    }
    let mut long = begun(
        &"r".repeat(64),
        0,
        &format!("{SHOP}{}", "a".repeat(170)),
        None,
    );
    let words = "\u{1f600}\"\\".repeat(500);
    long.goal.clone_from(&words);
    long.session = Some("s".repeat(64).parse_session());
    long.parent = Some(id(&"p".repeat(64)));
    long.domain = Some(Host::of_domain(&format!("{}example", "ab.".repeat(40))).unwrap());
    long.final_url = Some(format!("{SHOP}{}", "b".repeat(170)));
    long.artifact_paths = vec!["/".repeat(200)];
    (long.summary, long.result, long.reason) =
        (Some(words.clone()), Some(words.clone()), Some(words));
    let record = long.to_record().unwrap();
    assert!(record.size() <= webwise::memory::MAX_RECORD_BYTES);
    let read = RunManifest::from_record(&record).unwrap();
    assert_eq!(read.final_url, long.final_url, "where to go on is kept");
}

#[tokio::test]
async fn a_hundred_runs_are_kept_with_their_checkpoints_and_none_that_is_going_on_is_removed() {
    let store = InMemory::new();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let mut first = None;
    for n in 0..150 {
        let lease = runs
            .start(&begun(&format!("run_{n:03}"), n, SHOP, None))
            .await;
        let lease = lease.unwrap();
        let first = first.get_or_insert_with(|| lease.clone());
        runs.keep(&lease, &checkpoint("x"), true).await.unwrap();
        // The first goes on, another fails.
        if n == 1 {
            runs.end(&lease, &End::new(false, false), at(n))
                .await
                .unwrap();
        }
        runs.beat(first, &Heartbeat::new(None, 1), at(n))
            .await
            .unwrap();
    }
    let known = runs.list(&RunFilter::default(), at(149)).await.unwrap();
    assert_eq!(
        known.len(),
        MAX_RUNS + 1,
        "the one that is going on is one more"
    );
    assert_eq!(known.last().unwrap().run, id("run_000"));
    let shelves = store.shelves(&ShelfFilter::default()).await.unwrap();
    assert_eq!(shelves.len(), 1 + known.len(), "no checkpoint is left over");
    // A month later.
    let late = 60 * 24 * 31;
    runs.start(&begun("run_late", late, SHOP, None))
        .await
        .unwrap();
    let known = runs.list(&RunFilter::default(), at(late)).await.unwrap();
    assert_eq!(names(&known), ["run_late"]);
    let shelves = store.shelves(&ShelfFilter::default()).await.unwrap();
    assert_eq!(shelves.len(), 1);
}

#[tokio::test]
async fn a_large_checkpoint_comes_back_whole_and_one_too_large_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let runs = RunRegistry::new(JsonFiles::open(place.path()), Namespace::default());
    let lease = runs.start(&begun("run_1", 0, SHOP, None)).await.unwrap();
    for text in ["short", &"\u{65e5}\"\\".repeat(15_000), "shorter"] {
        let kept = Checkpoint::new(json!({ "text": text }), Some(json!({ "step": 3 })));
        assert_eq!(runs.keep(&lease, &kept, true).await.unwrap(), Held::Yes);
        assert_eq!(runs.checkpoint(&id("run_1")).await.unwrap(), kept);
    }
    let large = checkpoint(&"x".repeat(MAX_CHECKPOINT));
    let refused = runs.keep(&lease, &large, false).await.unwrap_err();
    assert_eq!(refused.kind(), webwise::ErrorKind::TooLarge);
    assert!(
        runs.checkpoint(&id("run_1")).await.is_ok(),
        "the one before stays"
    );
}

#[tokio::test]
async fn a_lineage_goes_back_to_the_first_run_and_ends_in_a_circle() {
    let runs = RunRegistry::new(InMemory::new(), Namespace::default());
    for (run, parent) in [
        ("run_1", Some("run_3")),
        ("run_2", Some("run_1")),
        ("run_3", Some("run_2")),
        ("run_4", Some("run_gone")),
    ] {
        let mut manifest = begun(run, 0, SHOP, None);
        manifest.parent = parent.map(id);
        runs.start(&manifest).await.unwrap();
    }
    let line = runs.lineage(&id("run_3"), at(0)).await.unwrap();
    assert_eq!(names(&line), ["run_3", "run_2", "run_1"]);
    assert_eq!(
        names(&runs.lineage(&id("run_4"), at(0)).await.unwrap()),
        ["run_4"]
    );
}

#[tokio::test]
async fn a_person_forgets_a_host_with_its_runs_and_a_run_that_goes_on_stays_forgotten() {
    let store = InMemory::new();
    let (runs, leases) = register(store.clone()).await;
    runs.keep(&leases[3], &checkpoint("x"), true).await.unwrap();
    let keeper = Memory::new(&store, Namespace::default());
    assert!(keeper.items().await.unwrap().unknown.is_empty());
    assert!(
        keeper.read(None).await.unwrap().is_empty(),
        "it is no memory to export"
    );
    let host = Host::of_domain("www.shop.example").unwrap();
    let forgotten = keeper.forget_host(&host).await.unwrap();
    assert_eq!(forgotten.elsewhere, 3);
    let known = runs.list(&RunFilter::default(), at(4)).await.unwrap();
    assert_eq!(names(&known), ["run_2"]);
    let sign = Heartbeat::default();
    assert_eq!(
        runs.beat(&leases[3], &sign, at(4)).await.unwrap(),
        Held::Forgotten
    );
    let kept = runs
        .keep(&leases[3], &checkpoint("x"), false)
        .await
        .unwrap();
    assert_eq!(kept, Held::Forgotten);
    assert!(runs.checkpoint(&id("run_4")).await.is_err());
    let site = webwise::Site::of(&DESK.parse().unwrap()).unwrap();
    assert_eq!(keeper.forget_site(&site).await.unwrap().elsewhere, 1);
    runs.start(&begun("run_5", 5, SHOP, None)).await.unwrap();
    keeper.forget_all().await.unwrap();
    assert!(
        store
            .shelves(&ShelfFilter::default())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn an_entry_that_cannot_be_read_is_forgotten_by_its_host_or_named() {
    let store = InMemory::new();
    register(store.clone()).await;
    let shelf = Shelf::global(&Namespace::default(), "agent-runs");
    // As a newer program or somebody who edits the file may write it.
    let edit = Edit::new(|records: &[Record]| {
        let mut edited = records.to_vec();
        for record in &mut edited {
            record.body["status"] = json!("paused");
            if record.key == "run_2" {
                record.body["domain"] = json!(7);
            }
        }
        Ok(edited.into_iter().map(Change::Put).collect())
    });
    store.update(&shelf, edit).await.unwrap();
    let keeper = Memory::new(&store, Namespace::default());
    let host = Host::of_domain("www.shop.example").unwrap();
    let error = keeper.forget_host(&host).await.unwrap_err();
    assert_eq!(error.kind(), webwise::ErrorKind::Corrupt);
    let damaged = error.said("damaged").unwrap();
    assert!(
        damaged.contains("its entry run_2 cannot be read"),
        "{damaged}"
    );
    assert_eq!(error.said("changed"), Some("3"));
    let left = store.load(&shelf).await.unwrap().records;
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn a_run_goes_on_only_from_a_page_of_its_own_site() {
    let store = InMemory::new();
    let (runs, leases) = register(store.clone()).await;
    runs.keep(&leases[1], &checkpoint("x"), true).await.unwrap();
    let shelf = store.shelves(&ShelfFilter::default()).await.unwrap();
    let shelf = shelf
        .into_iter()
        .find(|shelf| shelf.collection == "agent-runs")
        .unwrap();
    for (url, why) in [
        ("https://other.example/", "another site"),
        ("https://u:p@desk.example/", "user name"),
        ("file:///etc/passwd", "http or https"),
        ("javascript:alert(1)", "http or https"),
        ("nonsense", "no address"),
    ] {
        // As somebody who edits the file may write it.
        edited(&store, &shelf, url).await;
        for error in [
            runs.resume(&id("run_2"), at(9))
                .await
                .map(drop)
                .unwrap_err(),
            runs.follow(&id("run_2"), at(9))
                .await
                .map(drop)
                .unwrap_err(),
        ] {
            assert!(format!("{error:?}").contains(why), "{url}: {error:?}");
        }
    }
    edited(&store, &shelf, "https://www.desk.example/x").await;
    let earlier = runs
        .fork(&id("run_2"), "fork_1".parse_session(), at(9))
        .await
        .unwrap();
    assert_eq!(earlier.start_url.as_str(), "https://www.desk.example/x");
    assert_eq!(earlier.history, "failed: Find the price");
    assert_eq!(
        runs.resume(&id("run_2"), at(9))
            .await
            .unwrap()
            .manifest
            .lease,
        2
    );
}

async fn edited(store: &InMemory, shelf: &Shelf, url: &'static str) {
    let edit = Edit::new(move |records: &[Record]| {
        let mut record = records
            .iter()
            .find(|record| record.key == "run_2")
            .unwrap()
            .clone();
        record.body["finalUrl"] = json!(url);
        Ok(vec![Change::Put(record)])
    });
    store.update(shelf, edit).await.unwrap();
}
