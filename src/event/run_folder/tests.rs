//! Tests that runs do not mix, that nothing is overwritten, and that only old runs of this crate are deleted.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{folder::META, *};
use crate::{
    ErrorKind,
    chat::Usage,
    event::RunSummary,
    page::{ElementRef, MAX_NODES, Node, Observation, Role, Tree},
    working::StopReason,
};

const NOW: &str = "2026-01-02T03:04:05Z";

fn id(run: &str) -> RunId {
    RunId::parse(run).unwrap()
}

fn now() -> DateTime<Utc> {
    NOW.parse().unwrap()
}

fn event_of(run: &str, step: u32, kind: EventKind) -> Event {
    Event::new(kind, id(run), step, now())
}

fn started(run: &str) -> Event {
    let kind = EventKind::RunStarted {
        goal: format!("goal of {run}"),
        start_url: None,
        session: None,
        driver: "scripted".to_owned(),
        attached: false,
        model: "scripted".to_owned(),
        seed: format!("{:032x}", 7),
        tools: vec!["click".to_owned()],
        mode: "tools".to_owned(),
        max_steps: 50,
        approval: "hybrid".to_owned(),
    };
    event_of(run, 0, kind)
}

fn ended(run: &str) -> Event {
    let kind = EventKind::RunEnded {
        answer: Some("42".to_owned()),
        evidence: Some("it is 42".to_owned()),
        extracted: BTreeMap::from([("all".to_owned(), "it is 42".to_owned())]),
        final_url: Some("https://shop.example/".to_owned()),
        error: None,
        summary: RunSummary::new(StopReason::Finished, 1, 0, 1, Usage::default(), false, 5),
    };
    event_of(run, 1, kind)
}

fn warned(run: &str, step: u32, text: &str) -> Event {
    event_of(
        run,
        step,
        EventKind::Warned {
            guard: "stuck".to_owned(),
            text: text.to_owned(),
        },
    )
}

fn looked(run: &str, step: u32, png: &[u8]) -> Event {
    let mut observation =
        Observation::new("https://shop.example/", "Shop", Tree::builder().finish());
    observation.screenshot = Some(png.to_vec());
    event_of(
        run,
        step,
        EventKind::Observed {
            observation: Arc::new(observation),
            elapsed_ms: 1,
        },
    )
}

fn names(path: &Path) -> BTreeSet<String> {
    fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn events(path: &Path) -> Vec<Event> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn meta(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("run_meta.json")).unwrap()).unwrap()
}

#[test]
fn a_run_that_never_starts_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    RunFolder::new(dir.path()).unwrap().close().unwrap();
    assert!(names(dir.path()).is_empty());
}

#[test]
fn each_event_goes_to_its_file_and_the_meta_tells_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path().join("a/b")).unwrap();
    let told = [
        started("run_1"),
        warned("run_1", 1, "line\nbreak"),
        event_of(
            "run_1",
            1,
            EventKind::Tier1Loaded {
                count: 0,
                lessons: Vec::new(),
                items: Vec::new(),
                elapsed_ms: 0,
            },
        ),
        ended("run_1"),
    ];
    for event in &told {
        runs.emit(event);
    }
    runs.close().unwrap();

    let folder = runs.path_of(&id("run_1"));
    assert_eq!(
        events(&folder.join("actions.jsonl")),
        [told[0].clone(), told[1].clone(), told[3].clone()]
    );
    assert_eq!(
        events(&folder.join("memory_events.jsonl")),
        [told[2].clone()]
    );
    let meta = meta(&folder);
    for (key, value) in [
        ("version", json!(2)),
        ("run", json!("run_1")),
        ("status", json!("ended")),
        ("ended_at", json!(NOW)),
        ("seed", json!(format!("{:032x}", 7))),
        ("max_steps", json!(50)),
        ("answer", json!("42")),
        ("evidence", json!("it is 42")),
        ("extracted", json!({ "all": "it is 42" })),
        ("final_url", json!("https://shop.example/")),
        ("error", Value::Null),
    ] {
        assert_eq!(meta.get(key), Some(&value), "{key}");
    }
    assert_eq!(
        (&meta["summary"]["stop"], meta.get("event")),
        (&json!("finished"), None)
    );
    assert_eq!(
        names(&folder),
        ["actions.jsonl", "memory_events.jsonl", "run_meta.json"]
            .map(str::to_owned)
            .into()
    );
}

#[test]
fn two_runs_at_the_same_time_do_not_mix() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    let both = ["run_a", "run_b"];
    for run in both {
        runs.emit(&started(run));
    }
    for step in 1..=3 {
        for run in both {
            runs.emit(&looked(run, step, run.as_bytes()));
            runs.emit(&warned(run, step, run));
        }
    }
    runs.emit(&ended("run_a"));
    runs.emit(&warned("run_b", 4, "run_b"));
    runs.emit(&ended("run_b"));
    runs.close().unwrap();
    for (run, lines) in [("run_a", 5), ("run_b", 6)] {
        let folder = runs.path_of(&id(run));
        let actions = events(&folder.join("actions.jsonl"));
        assert_eq!(actions.len(), lines);
        assert!(actions.iter().all(|event| event.run == id(run)));
        assert_eq!(
            fs::read(folder.join("steps/0002-1.png")).unwrap(),
            run.as_bytes()
        );
        assert_eq!(meta(&folder)["goal"], format!("goal of {run}"));
    }
}

#[test]
fn a_folder_that_is_there_is_kept_and_the_new_run_is_told_as_not_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let old = dir.path().join("run_1");
    fs::create_dir(&old).unwrap();
    fs::write(old.join("actions.jsonl"), "precious").unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    for event in [
        started("run_1"),
        started("run_2"),
        warned("run_1", 1, "x"),
        ended("run_1"),
        ended("run_2"),
    ] {
        runs.emit(&event);
    }
    let error = runs.close().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains("run_1"), "{error}");
    assert!(
        runs.failure(&id("run_1"))
            .is_some_and(|why| why.contains("run_1")),
        "the run can ask"
    );
    assert_eq!(runs.failure(&id("run_2")), None);
    assert_eq!(names(&old), BTreeSet::from(["actions.jsonl".to_owned()]));
    assert_eq!(
        fs::read_to_string(old.join("actions.jsonl")).unwrap(),
        "precious"
    );
    assert_eq!(
        meta(&runs.path_of(&id("run_2")))["status"],
        "ended",
        "the other run is recorded"
    );
}

#[test]
fn a_second_run_of_the_same_id_is_not_mixed_into_the_first() {
    for first_ended in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let runs = RunFolder::new(dir.path()).unwrap();
        runs.emit(&started("run_1"));
        runs.emit(&warned("run_1", 1, "first"));
        if first_ended {
            runs.emit(&ended("run_1"));
        }
        runs.emit(&started("run_1"));
        runs.emit(&warned("run_1", 1, "second"));
        runs.emit(&ended("run_1"));
        assert_eq!(runs.close().unwrap_err().kind(), ErrorKind::InvalidInput);
        let folder = runs.path_of(&id("run_1"));
        let text = fs::read_to_string(folder.join("actions.jsonl")).unwrap();
        assert!(text.contains("first") && !text.contains("second"), "{text}");
        assert_eq!(
            meta(&folder)["status"],
            if first_ended { "ended" } else { "running" }
        );
    }
}

#[test]
fn every_look_of_a_step_keeps_its_picture_and_so_does_an_action() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    runs.emit(&started("run_1"));
    runs.emit(&looked("run_1", 1, b"first"));
    runs.emit(&looked("run_1", 1, b"second"));
    runs.emit(&event_of(
        "run_1",
        1,
        EventKind::PictureTaken {
            png: b"asked for".to_vec(),
        },
    ));
    runs.emit(&looked("run_1", 2, b"third"));
    runs.close().unwrap();
    let folder = runs.path_of(&id("run_1"));
    for (name, content) in [
        ("0001-1.png", "first"),
        ("0001-2.png", "second"),
        ("0001-3.png", "asked for"),
        ("0002-1.png", "third"),
    ] {
        assert_eq!(
            fs::read_to_string(folder.join("steps").join(name)).unwrap(),
            content,
            "{name}"
        );
    }
    assert_eq!(
        events(&folder.join("actions.jsonl"))[1].kind.name(),
        "pictured"
    );
}

#[test]
fn a_run_that_never_ended_is_written_as_far_as_it_came() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    runs.emit(&started("run_1"));
    runs.emit(&warned("run_1", 1, &"x".repeat(100_000)));
    runs.emit(&warned("run_1", 1, "last"));
    runs.close().unwrap();
    let folder = runs.path_of(&id("run_1"));
    assert_eq!(events(&folder.join("actions.jsonl")).len(), 3);
    assert_eq!(meta(&folder)["status"], "running");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path().join("runs")).unwrap();
    runs.emit(&started("run_1"));
    runs.emit(&looked("run_1", 1, b"png"));
    runs.close().unwrap();
    let folder = runs.path_of(&id("run_1"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for path in [
        dir.path().join("runs"),
        folder.clone(),
        folder.join("steps"),
    ] {
        assert_eq!(mode(&path), 0o700, "{}", path.display());
    }
    for name in [
        "run_meta.json",
        "actions.jsonl",
        "observations.jsonl",
        "steps/0001-1.png",
    ] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
}

#[test]
fn a_disk_that_refuses_is_told_at_the_end_and_blocks_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let runs = RunFolder::new(&file).unwrap();
    for _ in 0..1_000 {
        runs.emit(&started("run_1"));
    }
    assert_eq!(runs.close().unwrap_err().kind(), ErrorKind::Io);
}

#[test]
fn an_old_run_that_cannot_be_removed_leaves_the_new_one_complete_and_is_told_last() {
    let dir = tempfile::tempdir().unwrap();
    // No run can be deleted from a folder that cannot even be listed.
    let failed = || {
        retention::prune(
            &dir.path().join("nowhere"),
            &Retention::default(),
            now(),
            |_| false,
        )
    };
    let record = |run: &str| {
        let mut runs = Runs::new(&RunFolder::builder(dir.path()), Failures::default());
        runs.not_removed(failed());
        runs.take(&started(run));
        runs.take(&ended(run));
        runs.finish().unwrap_err()
    };
    let error = record("run_1");
    assert_eq!(
        (error.kind(), error.operation()),
        (ErrorKind::Io, "event.prune")
    );
    assert_eq!(meta(&dir.path().join("run_1"))["status"], "ended");
    // The failure to write a run whose folder exists matters more than a failure to delete.
    let error = record("run_1");
    assert_ne!(error.operation(), "event.prune", "{error:?}");
}

/// Stores a run as an earlier process would have left it.
fn store(parent: &Path, run: &str, meta: &Value) {
    let folder = parent.join(run);
    fs::create_dir_all(folder.join("steps")).unwrap();
    fs::write(folder.join("steps/0001-1.png"), "png").unwrap();
    fs::write(folder.join("run_meta.json"), meta.to_string()).unwrap();
}

fn days_ago(days: i64) -> DateTime<Utc> {
    now() - chrono::Duration::days(days)
}

fn over(run: &str, days: i64) -> Value {
    let (start, end) = (days_ago(days), days_ago(days));
    json!({ "version": 1, "run": run, "status": "ended", "started_at": start, "ended_at": end })
}

/// Returns the runs that are left after a new run was recorded.
fn left(parent: &Path, retention: Retention) -> BTreeSet<String> {
    let runs = RunFolder::builder(parent)
        .with_retention(retention)
        .build()
        .unwrap();
    runs.emit(&started("run_new"));
    runs.close().unwrap();
    names(parent)
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn runs_that_ended_more_than_thirty_days_ago_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), "run_old", &over("run_old", 31));
    store(dir.path(), "run_young", &over("run_young", 29));
    store(dir.path(), "run_future", &over("run_future", -400));
    assert_eq!(
        left(dir.path(), Retention::default()),
        set(&["run_young", "run_future", "run_new"])
    );
}

#[test]
fn the_oldest_of_too_many_runs_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    for day in 1..=9 {
        // The names sort in the opposite order: the end of a run must decide, not its name.
        let run = format!("run_{}", 10 - day);
        store(dir.path(), &run, &over(&run, day));
    }
    let few = Retention::default().with_max_runs(Some(3));
    assert_eq!(left(dir.path(), few), set(&["run_9", "run_8", "run_new"]));
}

#[test]
fn a_hundred_runs_are_kept_unless_said_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..105 {
        let run = format!("run_{n}");
        store(dir.path(), &run, &over(&run, 1));
    }
    assert_eq!(left(dir.path(), Retention::default()).len(), 100);
    assert_eq!(
        left(&dir.path().join("other"), Retention::forever()),
        set(&["run_new"])
    );
}

#[test]
fn what_is_kept_forever_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), "run_old", &over("run_old", 4_000));
    assert_eq!(
        left(dir.path(), Retention::forever()),
        set(&["run_old", "run_new"])
    );
}

#[test]
fn only_folders_that_are_surely_ours_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let ancient = |run: &str| over(run, 4_000);
    let mut newer = ancient("newer");
    newer["version"] = json!(3);
    store(dir.path(), "newer", &newer);
    store(dir.path(), "renamed", &ancient("run_1"));
    store(dir.path(), "not ours", &ancient("run_1"));
    fs::create_dir(dir.path().join("empty")).unwrap();
    fs::create_dir(dir.path().join("broken")).unwrap();
    fs::write(dir.path().join("broken/run_meta.json"), "{").unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let before = names(dir.path());
    let mut after = left(dir.path(), Retention::default().with_max_runs(Some(0)));
    assert!(after.remove("run_new"));
    assert_eq!(after, before);
}

#[test]
fn a_folder_whose_maker_was_killed_before_it_had_a_name_is_removed_a_day_later() {
    let dir = tempfile::tempdir().unwrap();
    for (name, days) in [(".new-old", 2), (".new-young", 0)] {
        store(dir.path(), name, &over("run_1", 2));
        for file in ["steps", "run_meta.json"] {
            fs::File::open(dir.path().join(name).join(file))
                .unwrap()
                .set_modified(days_ago(days).into())
                .unwrap();
        }
    }
    // Another process has just made this one.
    fs::create_dir(dir.path().join(".new-empty")).unwrap();
    assert_eq!(
        left(dir.path(), Retention::default()),
        set(&[".new-empty", ".new-young", "run_new"])
    );
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(elsewhere.path(), "run_1", &over("run_1", 4_000));
    std::os::unix::fs::symlink(elsewhere.path().join("run_1"), dir.path().join("run_1")).unwrap();
    assert_eq!(
        left(dir.path(), Retention::default()),
        set(&["run_1", "run_new"])
    );
    assert!(elsewhere.path().join("run_1/run_meta.json").exists());
}

fn running(parent: &Path, run: &str, started: i64, written: i64) {
    store(
        parent,
        run,
        &json!({ "version": 1, "run": run, "status": "running", "started_at": days_ago(started) }),
    );
    for name in ["steps", "run_meta.json"] {
        let file = fs::File::open(parent.join(run).join(name)).unwrap();
        file.set_modified(days_ago(written).into()).unwrap();
    }
}

#[test]
fn a_run_that_may_still_go_on_is_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    running(dir.path(), "run_young", 0, 40);
    running(dir.path(), "run_long", 40, 0);
    running(dir.path(), "run_crashed", 40, 40);
    let none = Retention::default().with_max_runs(Some(0));
    assert_eq!(
        left(dir.path(), none),
        set(&["run_young", "run_long", "run_new"])
    );
}

#[test]
fn a_run_of_the_same_sink_is_not_removed_while_it_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let none = Retention::default()
        .with_max_runs(Some(0))
        .with_max_age(Some(Duration::ZERO));
    let runs = RunFolder::builder(dir.path())
        .with_retention(none)
        .build()
        .unwrap();
    runs.emit(&started("run_1"));
    runs.emit(&Event {
        at: now() + chrono::Duration::days(400),
        ..started("run_2")
    });
    runs.close().unwrap();
    assert_eq!(names(dir.path()), set(&["run_1", "run_2"]));
}

fn intents(folder: &Path) -> Vec<Value> {
    fs::read_to_string(folder.join("intents.jsonl"))
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[cfg(feature = "testing")]
#[tokio::test]
async fn the_folder_is_a_journal_for_its_owner_alone() {
    let place = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(place.path()).unwrap();
    let kept = |run: &RunId| {
        let lines = intents(&runs.path_of(run));
        assert!(lines.iter().all(|line| line["version"] == 1));
        lines
            .into_iter()
            .map(|line| serde_json::from_value(line).unwrap())
            .collect()
    };
    crate::testing::conformance::journal::check(&runs, kept).await;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = runs.path_of(&id("run_1")).join("intents.jsonl");
        assert_eq!(
            fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    runs.close().unwrap();
}

#[tokio::test]
async fn an_intent_of_a_run_that_cannot_be_recorded_is_not_kept() {
    use crate::action::{Action, BrowserAction, Effect, NoArguments};

    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("run_1")).unwrap();
    let runs = RunFolder::new(place.path()).unwrap();
    runs.emit(&started("run_1"));
    let action = Action::Browser(BrowserAction::GoBack(NoArguments {}));
    let intent = Intent::new(id("run_1"), 1, now(), action, Effect::Irreversible);
    let refused = runs.intent(&intent).await;
    assert!(refused.is_err(), "{refused:?}");
    assert!(intents(&place.path().join("run_1")).is_empty());
    assert_eq!(runs.close().unwrap_err().kind(), ErrorKind::InvalidInput);
    let closed = runs.intent(&intent).await;
    assert!(closed.is_err(), "{closed:?}");
}

/// Returns a page with this many buttons in two groups, and with a clock and a counter far apart.
fn page(buttons: usize, time: &str, count: &str) -> Observation {
    let mut tree = Tree::builder();
    tree.leaf(Node::text(time));
    tree.open(Node::new(Role::Group, "first"));
    for n in 0..buttons / 2 {
        let reference = ElementRef::parse(&format!("e{n}")).unwrap();
        tree.leaf(Node::new(Role::Button, format!("Buy product {n}")).with_ref(reference));
    }
    tree.close();
    tree.open(Node::new(Role::Group, "second"));
    for n in buttons / 2..buttons {
        let reference = ElementRef::parse(&format!("e{n}")).unwrap();
        tree.leaf(Node::new(Role::Button, format!("Buy product {n}")).with_ref(reference));
    }
    tree.leaf(Node::text(count));
    tree.close();
    Observation::new("https://shop.example/", "Shop", tree.finish())
}

fn observed(step: u32, observation: Observation) -> Event {
    let kind = EventKind::Observed {
        observation: Arc::new(observation),
        elapsed_ms: 1,
    };
    event_of("run_1", step, kind)
}

/// Writes these events, and returns the size of each line and the events that are read back.
fn kept(told: &[Event]) -> (Vec<usize>, Vec<Event>) {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    for event in told {
        runs.emit(event);
    }
    runs.close().unwrap();
    let file = runs.path_of(&id("run_1")).join("observations.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let read = RunFolder::read(&file).unwrap();
    (
        text.lines().map(str::len).collect(),
        read.map(Result::unwrap).collect(),
    )
}

#[test]
fn a_page_that_stays_the_same_costs_a_line_of_no_size_and_reads_back_whole() {
    let told: Vec<Event> = (1..=8)
        .map(|step| observed(step, page(3_000, "14:02", "0")))
        .collect();
    let (sizes, read) = kept(&told);
    assert_eq!(read, told);
    assert!(
        sizes[0] > 150_000 && sizes[1..].iter().all(|size| *size < 300),
        "{sizes:?}"
    );
}

#[test]
fn a_page_that_changes_in_places_costs_what_changed_and_reads_back_whole() {
    let mut told = vec![observed(1, page(3_000, "14:02", "0"))];
    for step in 2..=8 {
        // Each page has a changed clock at the top, a changed counter at the end, and one more button in each group.
        // The new buttons move everything after them.
        let buttons = 3_000 + 2 * usize::try_from(step).unwrap();
        told.push(observed(
            step,
            page(buttons, &format!("14:{step:02}"), &step.to_string()),
        ));
    }
    // Another page and back again: the other page is stored whole if that is smaller.
    told.push(observed(9, page(1, "now", "1")));
    told.push(observed(
        10,
        Observation::new("about:blank", "", Tree::default()),
    ));
    told.push(observed(11, page(10, "now", "2")));
    let (sizes, read) = kept(&told);
    assert_eq!(read, told);
    assert!(
        sizes[0] > 150_000 && sizes[1..].iter().all(|size| *size < 2_000),
        "{sizes:?}"
    );
}

#[test]
fn a_page_of_more_nodes_than_differences_may_have_reads_back_whole() {
    let mut tree = Tree::builder().with_max_nodes(usize::MAX);
    (0..=MAX_NODES).for_each(|_| tree.leaf(Node::text("x")));
    let page = Observation::new("https://shop.example/", "Shop", tree.finish());
    let told = [observed(1, page.clone()), observed(2, page)];
    let (_, read) = kept(&told);
    assert!(read == told, "the pages differ");
}

#[test]
fn a_page_whose_line_before_is_gone_is_told_and_not_made_up() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    for step in 1..=3 {
        runs.emit(&observed(step, page(10, "14:02", &step.to_string())));
    }
    runs.close().unwrap();
    let file = runs.path_of(&id("run_1")).join("observations.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let forged = lines[1].replace("\"lines\":[", "\"lines\":[[9,9],");
    for (content, good) in [
        ([lines[0], lines[2]].join("\n"), vec![true, false]),
        ([lines[0], &forged].join("\n"), vec![true, false]),
        ([lines[1], lines[2]].join("\n"), vec![false, false]),
        (text.clone(), vec![true; 3]),
    ] {
        fs::write(&file, &content).unwrap();
        let read: Vec<_> = RunFolder::read(&file).unwrap().collect();
        let is_good: Vec<bool> = read.iter().map(Result::is_ok).collect();
        assert_eq!(is_good, good, "{read:#?}");
        for error in read.iter().filter_map(|event| event.as_ref().err()) {
            assert_eq!(error.kind(), ErrorKind::Corrupt);
        }
    }
}

#[test]
fn a_damaged_line_loses_the_pages_up_to_the_next_whole_one() {
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::new(dir.path()).unwrap();
    let empty = Observation::new("about:blank", "", Tree::default());
    let pages = ["1", "2", "3"].map(|count| page(10, "14:02", count));
    let pages = pages
        .into_iter()
        .chain([empty, page(10, "now", "4"), page(10, "now", "5")]);
    let told: Vec<Event> = (1..)
        .zip(pages)
        .map(|(step, page)| observed(step, page))
        .collect();
    for event in &told {
        runs.emit(event);
    }
    runs.close().unwrap();
    let file = runs.path_of(&id("run_1")).join("observations.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert!(lines[5].contains("\"since\":5"), "{}", lines[5]);
    lines[1] = "damaged";
    fs::write(&file, lines.join("\n")).unwrap();
    let read: Vec<Option<Event>> = RunFolder::read(&file).unwrap().map(Result::ok).collect();
    let mut told: Vec<Option<Event>> = told.into_iter().map(Some).collect();
    (told[1], told[2]) = (None, None);
    assert_eq!(read, told);
}

#[test]
fn a_run_is_kept_up_to_its_cap_and_says_from_which_step_on_it_is_not() {
    const CAP: u64 = 20_000;
    let dir = tempfile::tempdir().unwrap();
    let runs = RunFolder::builder(dir.path())
        .with_max_bytes(CAP)
        .build()
        .unwrap();
    runs.emit(&started("run_1"));
    for step in 1..=50 {
        runs.emit(&looked("run_1", step, &[7; 500]));
        runs.emit(&warned("run_1", step, &"x".repeat(1_000)));
    }
    runs.emit(&ended("run_1"));
    runs.close().unwrap();
    let folder = runs.path_of(&id("run_1"));
    let size = |path: &Path| -> u64 {
        let entries = fs::read_dir(path).unwrap().map(Result::unwrap);
        entries
            .filter(|entry| entry.file_type().unwrap().is_file() && entry.file_name() != META)
            .map(|entry| entry.metadata().unwrap().len())
            .sum()
    };
    let actions: Vec<Event> = RunFolder::read(folder.join("actions.jsonl"))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let [.., mark, end] = &actions[..] else {
        panic!("{actions:?}");
    };
    let of = |event: &Event| serde_json::to_vec(event).unwrap().len() as u64 + 1;
    let kept = size(&folder) + size(&folder.join("steps")) - of(mark) - of(end);
    // The room is used up except for the last event, which did not fit.
    assert!(kept <= CAP && kept + 1_500 > CAP, "{kept}");
    let EventKind::RecordingFailed { error } = &mark.kind else {
        panic!("{mark:?}");
    };
    assert!(
        error.contains(&format!("from step {} on", mark.step)),
        "{error}"
    );
    assert_eq!(*end, ended("run_1"));
    assert_eq!(
        (
            &meta(&folder)["nothing_kept_from_step"],
            &meta(&folder)["status"]
        ),
        (&json!(mark.step), &json!("ended"))
    );
    assert!(runs.failure(&id("run_1")).unwrap().contains("is full"));
}

#[test]
fn a_resumed_run_goes_on_in_its_folder_behind_the_last_whole_line() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("run_1");
    let before = [
        started("run_1"),
        looked("run_1", 1, b"one"),
        warned("run_1", 1, "before"),
    ];
    let runs = RunFolder::new(dir.path()).unwrap();
    for event in &before {
        runs.emit(event);
    }
    runs.close().unwrap();
    for file in ["actions.jsonl", "observations.jsonl"] {
        let path = folder.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{whole}{}", &whole[..30])).unwrap();
    }
    let after = [
        event_of("run_1", 1, EventKind::RunResumed {}),
        looked("run_1", 1, b"two"),
        looked("run_1", 2, b"three"),
        ended("run_1"),
    ];
    let runs = RunFolder::new(dir.path()).unwrap();
    for event in &after {
        runs.emit(event);
    }
    runs.close().unwrap();
    let told = |file: &str| {
        let lines = RunFolder::read(folder.join(file)).unwrap();
        let kinds = lines.map(|event| event.unwrap().kind.name());
        kinds.collect::<Vec<_>>()
    };
    assert_eq!(
        told("actions.jsonl"),
        ["run_started", "warned", "run_resumed", "run_ended"]
    );
    assert_eq!(told("observations.jsonl"), ["observed"; 3]);
    assert_eq!(meta(&folder)["status"], "ended");
    assert_eq!(
        names(&folder.join("steps")),
        ["0001-1.png", "0001-2.png", "0002-1.png"]
            .map(str::to_owned)
            .into()
    );
    // A new run of the same id is still refused.
    let runs = RunFolder::new(dir.path()).unwrap();
    runs.emit(&started("run_1"));
    assert!(runs.close().is_err());
}
