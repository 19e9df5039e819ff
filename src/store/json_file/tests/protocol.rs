use std::{io, sync::Arc, thread, time::Duration};

use super::{watched::Watched, *};
use crate::{
    ErrorKind,
    memory::{Durable, ShelfFilter},
};

#[test]
fn an_update_sees_what_another_process_wrote() {
    let scene = Scene::new();
    let other = scene.other();
    scene.put(&lessons(), "a", 1).unwrap();
    let count = Edit::new(|now: &[Record]| {
        let n = now[0].body["n"].as_u64().unwrap();
        Ok(vec![Change::Put(Record::new("a", &json!({ "n": n + 1 })))])
    });
    assert_eq!(other.update(&lessons(), &count).unwrap().generation, 2);
    assert_eq!(
        scene.files.update(&lessons(), &count).unwrap().generation,
        3
    );
    assert_eq!(other.load(&lessons()).unwrap().records[0].body["n"], 3);
}

#[test]
fn an_update_is_acknowledged_after_the_last_of_its_steps() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    let files = files(fs.clone());
    files.update(&lessons(), &put("a", 1)).unwrap();
    fs.fail_by(|_, _| None);
    files.update(&lessons(), &put("b", 2)).unwrap();
    assert_eq!(
        fs.calls(),
        [
            "lock locks/3f",
            "list default",
            "read default/lessons.json",
            "create_dir default",
            "create default/lessons.json.tmp",
            "write",
            "sync",
            "link default/lessons.json default/lessons.json.tmp",
            "rename default/lessons.json.tmp default/lessons.json.bak",
            "unlink default/lessons.json.tmp",
            "rename default/lessons.json.tmp default/lessons.json",
            "sync_dir default",
            "unlock",
        ]
    );
}

#[test]
fn a_removal_takes_the_backup_for_good_before_it_takes_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    let files = files(fs.clone());
    files.update(&lessons(), &put("a", 1)).unwrap();
    files.update(&lessons(), &put("a", 2)).unwrap();
    fs.fail_by(|_, _| None);
    files.remove(&lessons()).unwrap();
    let changes = |call: &&String| call.starts_with("unlink ") || call.starts_with("sync_dir ");
    assert_eq!(
        fs.calls().iter().filter(changes).collect::<Vec<_>>(),
        [
            "unlink default/lessons.json.bak",
            "sync_dir default",
            "unlink default/lessons.json",
            "sync_dir default",
        ]
    );
}

#[test]
fn the_backup_is_the_state_before() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    assert!(!scene.path("default/lessons.json.bak").exists());
    for n in 2..5 {
        let before = scene.read("default/lessons.json");
        scene.put(&lessons(), "a", n).unwrap();
        assert_eq!(scene.read("default/lessons.json.bak"), before);
    }
    assert_eq!(scene.tree().len(), 2, "and there is nothing else");
}

#[test]
fn what_is_removed_from_a_shelf_that_is_then_empty_is_in_no_file() {
    for n in 1.. {
        let scene = Scene::new();
        scene.put(&lessons(), "secret", 1).unwrap();
        scene.put(&lessons(), "secret", 2).unwrap();
        let fs = Watched::new(scene.dir.path());
        fs.fail_by(move |call, _| (call == n).then(|| io::ErrorKind::Other.into()));
        let all = Edit::new(|now: &[Record]| {
            let keys = now.iter().map(|record| record.key.clone());
            Ok(keys.map(Change::Remove).collect())
        });
        let result = files(fs.clone()).update(&lessons(), &all);
        let held = scene.keys(&lessons());
        if result.is_ok() {
            let tree = scene.tree();
            let has = |bytes: &Vec<u8>| bytes.windows(6).any(|word| word == b"secret");
            assert!(held.is_empty() && !tree.values().any(has), "call {n}");
        } else if !fs.calls().iter().any(|call| call.starts_with("sync_dir")) {
            assert_eq!(held, ["secret"], "call {n}: nothing was done");
        }
        if fs.calls().len() < n {
            break;
        }
    }
}

#[test]
fn a_backup_that_was_made_before_a_crash_does_not_stop_the_next_update() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    // A kill between backup and replacement leaves one file with two names.
    fs::hard_link(
        scene.path("default/lessons.json"),
        scene.path("default/lessons.json.bak"),
    )
    .unwrap();
    scene.put(&lessons(), "b", 1).unwrap();
    assert_eq!(scene.keys(&lessons()), ["a", "b"]);
    assert_eq!(scene.tree().len(), 2, "nothing is left over");
}

#[test]
fn whichever_call_fails_the_shelf_is_whole_and_nothing_false_is_acknowledged() {
    let (mut calls, mut refused) = (0, 0);
    for kind in [
        io::ErrorKind::StorageFull,
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::Other,
    ] {
        for n in 1.. {
            let dir = tempfile::tempdir().unwrap();
            let fs = Watched::new(dir.path());
            let files = files(fs.clone());
            files.update(&lessons(), &put("a", 1)).unwrap();
            files.update(&lessons(), &put("a", 2)).unwrap();
            fs.fail_by(move |call, _| (call == n).then(|| kind.into()));
            let result = files.update(&lessons(), &put("a", 3));
            let were = fs.calls();
            fs.fail_by(|_, _| None);
            let is_now = files.load(&lessons()).unwrap().records[0].body["n"]
                .as_u64()
                .unwrap();
            match &result {
                Ok(committed) => assert_eq!(
                    (committed.durable, is_now),
                    (Durable::Yes, 3),
                    "{:?}",
                    were.last()
                ),
                Err(Failure::Io { .. }) => assert!(matches!(is_now, 2 | 3), "{is_now}"),
                Err(other) => panic!("{other:?}"),
            }
            let failed_before_the_rename =
                result.is_err() && !were.iter().any(|call| call.starts_with("sync_dir"));
            assert!(
                !failed_before_the_rename || is_now == 2,
                "what was not saved is not there"
            );
            // Each update removes what a failed update could not remove.
            files.update(&lessons(), &put("a", 4)).unwrap();
            let left: Vec<_> = fs::read_dir(dir.path().join("default"))
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect();
            assert_eq!(left.len(), 2, "{left:?}");
            refused += usize::from(result.is_err());
            if were.len() < n {
                break;
            }
            calls += 1;
        }
    }
    assert!(calls >= 36 && refused >= 30, "{refused} of {calls}");
}

#[test]
fn a_file_that_was_not_made_durable_is_taken_away_and_never_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    let files = files(fs.clone());
    files.update(&lessons(), &put("a", 1)).unwrap();
    fs.fail_by(|_, call| (call == "sync").then(|| io::Error::other("lost pages")));
    let error = files
        .update(&lessons(), &put("a", 2))
        .unwrap_err()
        .into_error("store.update", None);
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let calls = fs.calls();
    assert_eq!(calls.iter().filter(|call| *call == "sync").count(), 1);
    assert_eq!(
        calls[calls.len() - 2..],
        ["unlink default/lessons.json.tmp", "unlock"]
    );
    assert!(!calls.iter().any(|call| call.starts_with("rename")));
}

#[test]
fn a_full_disk_leaves_the_old_file_and_reading_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    let files = files(fs.clone());
    files.update(&lessons(), &put("a", 1)).unwrap();
    fs.fail_by(|_, call| (call == "write").then(|| io::ErrorKind::StorageFull.into()));
    for _ in 0..3 {
        let error = files
            .update(&lessons(), &put("a", 2))
            .unwrap_err()
            .into_error("store.update", None);
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(files.load(&lessons()).unwrap().records[0].body["n"], 1);
    }
    assert_eq!(
        fs::read_dir(dir.path().join("default")).unwrap().count(),
        1,
        "no file is left of what was not saved"
    );
}

#[test]
fn a_file_system_without_second_names_gets_copies() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    fs.fail_by(|_, call| {
        call.starts_with("link")
            .then(|| io::ErrorKind::Unsupported.into())
    });
    let files = files(fs.clone());
    let path = |name: &str| dir.path().join("default").join(name);
    files.update(&lessons(), &put("a", 1)).unwrap();
    let before = fs::read(path("lessons.json")).unwrap();
    files.update(&lessons(), &put("a", 2)).unwrap();
    assert_eq!(fs::read(path("lessons.json.bak")).unwrap(), before);
    fs::write(path("lessons.json"), "broken").unwrap();
    files.update(&lessons(), &put("b", 3)).unwrap();
    assert_eq!(keys(&files.load(&lessons()).unwrap()), ["a", "b"]);
    let kept: Vec<_> = fs::read_dir(path("quarantine"))
        .unwrap()
        .map(|e| fs::read(e.unwrap().path()).unwrap())
        .collect();
    assert_eq!(kept, [b"broken"]);
}

#[test]
fn no_update_is_lost_among_threads_and_handles() {
    const EACH: u64 = 25;
    let scene = Scene::new();
    let (one, two) = (Arc::new(scene.other()), Arc::new(scene.other()));
    let count = Edit::new(|now: &[Record]| {
        let n = now
            .first()
            .and_then(|record| record.body["n"].as_u64())
            .unwrap_or(0);
        Ok(vec![Change::Put(Record::new("a", &json!({ "n": n + 1 })))])
    });
    thread::scope(|scope| {
        for files in [&one, &one, &two, &two] {
            let count = count.clone();
            scope.spawn(move || {
                for _ in 0..EACH {
                    // On a busy machine the lock may take longer than a run would wait.
                    while let Err(failure) = files.update(&lessons(), &count) {
                        assert!(matches!(failure, Failure::Busy(_)), "{failure:?}");
                    }
                }
            });
        }
    });
    let state = scene.files.load(&lessons()).unwrap();
    assert_eq!(
        (state.generation, &state.records[0].body["n"]),
        (4 * EACH, &json!(4 * EACH))
    );
}

#[test]
fn a_lock_that_stays_held_is_busy_and_nothing_is_written() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    let before = scene.tree();
    let options = JsonFilesOptions {
        lock_wait: Duration::from_millis(50),
        ..JsonFilesOptions::default()
    };
    let hasty = files_of(Arc::new(StdFs::new(scene.dir.path())), SCHEMA, options);
    let held = scene
        .files
        .fs
        .try_lock("locks/3f".as_ref())
        .unwrap()
        .unwrap();
    let error = hasty
        .update(&lessons(), &put("b", 1))
        .unwrap_err()
        .into_error("store.update", Some(&lessons()));
    assert_eq!(
        (error.kind(), error.is_retryable()),
        (ErrorKind::Busy, true)
    );
    assert!(hasty.load(&lessons()).is_ok(), "readers wait for nobody");
    assert!(matches!(hasty.remove(&lessons()), Err(Failure::Busy(_))));
    // Threads of the same handle wait no longer than others.
    let own = hasty
        .locks
        .acquire(&*scene.files.fs, 3, "locks/03".as_ref(), Duration::ZERO)
        .unwrap();
    assert!(matches!(
        hasty.locks.acquire(
            &*scene.files.fs,
            3,
            "locks/03".as_ref(),
            Duration::from_millis(20)
        ),
        Err(Failure::Busy(_))
    ));
    drop((held, own));
    assert_eq!(scene.tree(), before);
    hasty.update(&lessons(), &put("b", 1)).unwrap();
}

#[test]
fn a_file_system_without_locks_is_refused_loudly() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    // ENOLCK on Linux.
    fs.fail_by(|_, call| {
        call.starts_with("lock ")
            .then(|| io::Error::from_raw_os_error(37))
    });
    let failure = files(fs).update(&lessons(), &put("a", 1)).unwrap_err();
    if cfg!(target_os = "linux") {
        assert_eq!(
            failure.into_error("store.update", None).kind(),
            ErrorKind::Unsupported
        );
    }
    assert!(!dir.path().join("default").exists());
}

#[test]
fn an_edit_that_panics_gives_its_lock_back() {
    let scene = Scene::new();
    let edit = Edit::new(|_| panic!("the edit's own"));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        scene.files.update(&lessons(), &edit)
    }));
    assert!(panicked.is_err());
    scene.put(&lessons(), "a", 1).unwrap();
}

#[test]
fn what_dead_writers_left_is_swept_and_what_living_ones_write_is_not() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    // The largest process number is far below this one.
    let dead = "lessons.json.2147483646-x.tmp";
    let own = format!("lessons.json.{}-x.tmp", std::process::id());
    // The first process of a system lives as long as the system.
    let (living, old) = ("lessons.json.1-x.tmp", "lessons.json.1-old.tmp");
    let others = [
        "other.json.2147483646-x.tmp",
        "lessons2.json.2147483646-x.tmp",
        "lessons.json.notes.txt",
    ];
    for name in [dead, &own, living, old].into_iter().chain(others) {
        scene.write(&format!("default/{name}"), "half");
    }
    let hours = std::time::SystemTime::now() - Duration::from_hours(2);
    fs::File::options()
        .write(true)
        .open(scene.path(&format!("default/{old}")))
        .unwrap()
        .set_modified(hours)
        .unwrap();
    scene.put(&lessons(), "b", 1).unwrap();
    let has = |name: &str| scene.path("default").join(name).exists();
    if cfg!(unix) {
        assert!(!has(dead), "its process is gone");
    }
    assert!(
        !has(&own) && !has(old),
        "this process writes nothing else, and after an hour nobody does"
    );
    assert!(
        has(living) && others.iter().all(|name| has(name)),
        "what may be another's stays"
    );
}

#[test]
fn an_edit_without_changes_says_durable_only_of_what_is() {
    let dir = tempfile::tempdir().unwrap();
    let fs = Watched::new(dir.path());
    let files = files(fs.clone());
    let idle = Edit::new(|_| Ok(Vec::new()));
    assert_eq!(files.update(&lessons(), &idle).unwrap().generation, 0);
    assert!(
        !dir.path().join("default").exists(),
        "nothing is made for it"
    );
    files.update(&lessons(), &put("a", 1)).unwrap();
    fs.fail_by(|_, _| None);
    files.update(&lessons(), &idle).unwrap();
    assert!(
        fs.calls().contains(&"sync_dir default".to_owned()),
        "another process may have ended before it did that"
    );
    assert!(
        !fs.calls()
            .iter()
            .any(|call| call.starts_with("create default")),
        "and nothing is written"
    );
}

#[test]
fn a_forgotten_shelf_leaves_nothing_behind() {
    let scene = Scene::new();
    for n in 0..3 {
        scene.put(&lessons(), "a", n).unwrap();
    }
    scene
        .put(&Shelf::global(&Namespace::default(), "lessons-2"), "a", 1)
        .unwrap();
    scene.write("default/lessons.json", "broken");
    scene.put(&lessons(), "a", 9).unwrap();
    scene.files.remove(&lessons()).unwrap();
    let left: Vec<String> = scene.tree().into_keys().collect();
    assert_eq!(left, ["default/lessons-2.json"]);
    assert_eq!(scene.files.load(&lessons()).unwrap(), ShelfState::default());
    scene.files.remove(&of_host("never.example")).unwrap();
}

#[test]
fn an_emptied_shelf_is_found_and_leaves_no_name_of_its_host_behind() {
    let scene = Scene::new();
    let shelf = of_host("bank.example");
    let take = Edit::new(|_| Ok(vec![Change::Remove("a".to_owned())]));
    let all = ShelfFilter {
        with_empty: true,
        ..ShelfFilter::default()
    };
    for remove in [Files::remove, Files::remove_empty] {
        scene.put(&shelf, "a", 1).unwrap();
        scene.files.update(&shelf, &take).unwrap();
        let empty = scene.files.shelves(&ShelfFilter::default()).unwrap();
        let kept = scene.files.shelves(&all).unwrap();
        assert_eq!((empty, kept), (Vec::new(), vec![shelf.clone()]));
        remove(&scene.files, &shelf).unwrap();
        let folder = scene.path("default/domains");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    }
}

#[test]
fn opening_touches_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("not/yet");
    let store = crate::store::JsonFiles::open(&root);
    assert!(format!("{store:?}").contains("JsonFiles"));
    assert!(!root.exists());
    assert_eq!(store.0.load(&lessons()).unwrap(), ShelfState::default());
    assert!(!root.exists(), "nor does reading");
}

#[test]
fn a_relative_root_is_bound_to_where_the_process_stood() {
    let root = std::env::current_dir().unwrap().join("memory");
    assert!(format!("{:?}", StdFs::new("memory")).contains(&format!("{root:?}")));
}

#[test]
fn a_store_that_cannot_be_made_is_unavailable() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("file"), "").unwrap();
    let files = files(Arc::new(StdFs::new(dir.path().join("file/below"))));
    for failure in [
        files.update(&lessons(), &put("a", 1)).unwrap_err(),
        files.load(&lessons()).unwrap_err(),
    ] {
        assert_eq!(
            failure.into_error("store", None).kind(),
            ErrorKind::Unavailable
        );
    }
}
