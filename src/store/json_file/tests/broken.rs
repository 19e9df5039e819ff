use std::io;

use super::{watched::Watched, *};
use crate::{ErrorKind, memory::ReadOnly};

const FILE: &str = "default/lessons.json";

/// Returns a store with a shelf to which two commits were made. The shelf's file contains the records `a` and `b`; its
/// backup contains only `a`.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    scene.put(&lessons(), "b", 2).unwrap();
    scene
}

fn kind_of(failure: Failure) -> ErrorKind {
    failure.into_error("store", None).kind()
}

#[test]
fn whatever_breaks_a_file_it_is_kept_whole_and_its_backup_restored() {
    let whole = scene().read(FILE);
    let other = String::from_utf8(whole.clone())
        .unwrap()
        .replace("\"lessons\"", "\"other\"");
    let broken: [(&str, Vec<u8>); 9] = [
        ("empty", Vec::new()),
        ("zeros", vec![0; whole.len()]),
        ("cut", whole[..whole.len() / 2].to_vec()),
        (
            "not UTF-8",
            [b"{\"format\": \"".as_slice(), &[0xff, 0xfe], b"\"}"].concat(),
        ),
        ("not JSON", b"<<<<<<< HEAD".to_vec()),
        ("not an object", b"[1, 2]".to_vec()),
        (
            "another format",
            b"{\"format\": \"theirs\", \"version\": 1}".to_vec(),
        ),
        ("another shelf", other.into_bytes()),
        (
            "no records",
            b"{\"format\": \"webwise-shelf\", \"version\": 1}".to_vec(),
        ),
    ];
    for (what, bytes) in broken {
        let scene = scene();
        scene.write(FILE, &bytes);
        let before = scene.tree();
        let state = scene.files.load(&lessons()).unwrap();
        assert_eq!(
            (state.generation, keys(&state)),
            (1, vec!["a".to_owned()]),
            "{what}: the state before is read"
        );
        assert_eq!(scene.tree(), before, "{what}: reading writes nothing");

        let committed = scene.put(&lessons(), "c", 3).unwrap();
        assert_eq!(
            committed.generation, 3,
            "{what}: no generation is given twice"
        );
        assert_eq!(scene.keys(&lessons()), ["a", "c"], "{what}");
        assert_eq!(
            scene.quarantined(),
            std::slice::from_ref(&bytes),
            "{what}: kept whole"
        );
        let told = scene.told();
        assert!(
            told.iter()
                .any(|kind| matches!(kind, StoreNoticeKind::Quarantined { .. })),
            "{what}: {told:?}"
        );
        assert!(
            told.contains(&StoreNoticeKind::RestoredFromBackup),
            "{what}: {told:?}"
        );
        assert_ne!(
            scene.read("default/lessons.json.bak"),
            bytes,
            "{what}: a broken file never becomes the backup"
        );
    }
}

#[test]
fn without_a_backup_each_record_that_is_whole_is_kept() {
    let scene = scene();
    let mut bytes = scene.read(FILE);
    let at = bytes.windows(3).position(|w| w == b"\"b\"").unwrap();
    bytes.truncate(at + 10);
    scene.write(FILE, &bytes);
    fs::remove_file(scene.path("default/lessons.json.bak")).unwrap();
    assert_eq!(scene.keys(&lessons()), ["a"]);
    assert_eq!(
        scene
            .files
            .shelves(&crate::memory::ShelfFilter::default())
            .unwrap(),
        [lessons()]
    );
    assert_eq!(scene.put(&lessons(), "c", 3).unwrap().generation, 3);
    assert_eq!(scene.keys(&lessons()), ["a", "c"]);
    assert_eq!(scene.quarantined(), [bytes]);
    assert!(
        scene
            .told()
            .contains(&StoreNoticeKind::Salvaged { records: 1 })
    );
}

#[test]
fn a_shelf_of_which_nothing_can_be_read_is_corrupt_and_begins_anew_with_the_next_update() {
    let scene = scene();
    scene.write(FILE, "broken");
    scene.write("default/lessons.json.bak", "broken, too");
    assert_eq!(
        kind_of(scene.files.load(&lessons()).unwrap_err()),
        ErrorKind::Corrupt
    );
    let listed = scene.files.shelves(&crate::memory::ShelfFilter::default());
    assert_eq!(listed.unwrap(), [lessons()], "a caller can tell of it");
    scene.put(&lessons(), "c", 3).unwrap();
    assert_eq!(scene.keys(&lessons()), ["c"]);
    assert_eq!(scene.quarantined().len(), 2, "both are kept");
    assert!(scene.told().contains(&StoreNoticeKind::StartedEmpty));
}

#[test]
fn a_missing_file_with_a_backup_is_one_that_was_lost() {
    let scene = scene();
    fs::remove_file(scene.path(FILE)).unwrap();
    assert_eq!(scene.keys(&lessons()), ["a"]);
    assert_eq!(
        scene
            .files
            .shelves(&crate::memory::ShelfFilter::default())
            .unwrap(),
        [lessons()]
    );
    assert_eq!(scene.put(&lessons(), "c", 3).unwrap().generation, 3);
    assert_eq!(scene.keys(&lessons()), ["a", "c"]);
}

#[test]
fn however_often_a_file_is_lost_no_generation_is_given_twice() {
    let losses: [fn(&Scene); 3] = [
        |scene| fs::remove_file(scene.path(FILE)).unwrap(),
        |scene| scene.write(FILE, "without a generation"),
        |scene| {
            fs::remove_file(scene.path(FILE)).unwrap();
            let mut backup = scene.read("default/lessons.json.bak");
            backup.truncate(backup.len() - 4);
            scene.write("default/lessons.json.bak", backup);
        },
    ];
    for lose in losses {
        let scene = scene();
        let mut given = vec![2];
        for n in 3..6 {
            lose(&scene);
            given.push(scene.put(&lessons(), "c", n).unwrap().generation);
        }
        assert!(given.is_sorted_by(|a, b| a < b), "{given:?}");
        assert_eq!(scene.keys(&lessons()), ["a", "c"]);
    }
}

#[test]
fn nothing_of_another_host_is_read_here() {
    let scene = Scene::new();
    let (a, b) = (of_host("a.example"), of_host("b.example"));
    scene.put(&a, "secret of a", 1).unwrap();
    scene.put(&b, "of b", 1).unwrap();
    let of_a = scene.read("default/domains/a.example/lessons.json");
    for bytes in [&of_a[..], &of_a[..of_a.len() - 2]] {
        scene.write("default/domains/b.example/lessons.json", bytes);
        assert_eq!(
            kind_of(scene.files.load(&b).unwrap_err()),
            ErrorKind::Corrupt
        );
    }
    scene.put(&b, "new", 1).unwrap();
    assert_eq!(scene.keys(&b), ["new"]);
    assert_eq!(scene.quarantined().len(), 1);
}

#[test]
fn the_same_broken_file_is_kept_once_and_at_most_five_are_kept() {
    let scene = scene();
    for _ in 0..4 {
        scene.write(FILE, "the same");
        scene.put(&lessons(), "c", 3).unwrap();
    }
    assert_eq!(scene.quarantined().len(), 1);
    for n in 2..=5 {
        scene.write(FILE, format!("another {n}"));
        scene.put(&lessons(), "c", n).unwrap();
    }
    scene.write(FILE, "one too many");
    scene.told();
    let before = scene.tree();
    for _ in 0..2 {
        assert_eq!(
            kind_of(scene.put(&lessons(), "d", 4).unwrap_err()),
            ErrorKind::Corrupt
        );
    }
    assert_eq!(
        scene.tree(),
        before,
        "it stays where it is, and nothing is deleted"
    );
    assert!(
        scene.files.load(&lessons()).is_ok(),
        "the backup is still read"
    );
    let full = StoreNoticeKind::ReadOnly {
        why: ReadOnly::QuarantineFull,
    };
    assert_eq!(
        scene.told().iter().filter(|kind| **kind == full).count(),
        1,
        "told once"
    );
    // Another shelf has five quarantined files of its own.
    let other = Shelf::global(&Namespace::default(), "other");
    scene.write("default/other.json", "broken");
    scene.put(&other, "a", 1).unwrap();
}

#[test]
fn an_empty_shelf_is_listed_until_nothing_older_of_it_is_left() {
    let listed = |scene: &Scene| {
        let all = scene.files.shelves(&crate::memory::ShelfFilter::default());
        all.unwrap()
    };
    let empty = Edit::new(|now: &[Record]| {
        let keys = now.iter().map(|record| record.key.clone());
        Ok(keys.map(Change::Remove).collect())
    });
    let plain = scene();
    plain.files.update(&lessons(), &empty).unwrap();
    assert_eq!(listed(&plain), []);
    let text = String::from_utf8(plain.read(FILE)).unwrap();

    let edited = scene();
    edited.write(FILE, text);
    let quarantined = scene();
    quarantined.write(FILE, "broken");
    quarantined.files.update(&lessons(), &empty).unwrap();
    for scene in [edited, quarantined] {
        assert_eq!(scene.keys(&lessons()), [""; 0]);
        assert_eq!(listed(&scene), [lessons()]);
        scene.files.remove(&lessons()).unwrap();
        assert!(scene.tree().is_empty() && listed(&scene).is_empty());
    }
}

#[test]
fn what_cannot_be_put_aside_is_never_overwritten() {
    for failing in [
        "link default/lessons.json default/quarantine",
        "create_dir default/quarantine",
        "list default/quarantine",
        "sync_dir default/quarantine",
    ] {
        let scene = scene();
        scene.write(FILE, "broken");
        let fs = Watched::new(scene.dir.path());
        fs.fail_by(move |_, call| {
            call.starts_with(failing)
                .then(|| io::ErrorKind::StorageFull.into())
        });
        let files = files(fs);
        // The second update may find the entry of the first one in the quarantine, but not know that it is durable.
        for _ in 0..2 {
            assert_eq!(
                kind_of(files.update(&lessons(), &put("c", 3)).unwrap_err()),
                ErrorKind::Corrupt,
                "{failing}"
            );
        }
        assert_eq!(scene.read(FILE), b"broken", "{failing}");
        assert_eq!(
            keys(&files.load(&lessons()).unwrap()),
            ["a"],
            "{failing}: it is still read"
        );
    }
}

#[test]
fn what_is_over_the_caps_of_reading_is_neither_read_nor_touched() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let options = JsonFilesOptions {
        max_file_bytes: 4_096,
        ..JsonFilesOptions::default()
    };
    for bytes in [vec![b' '; 5_000], deep.into_bytes()] {
        let scene = scene();
        scene.write(FILE, bytes);
        let before = scene.tree();
        let files = files_of(
            std::sync::Arc::new(StdFs::new(scene.dir.path())),
            SCHEMA,
            options.clone(),
        );
        assert_eq!(
            kind_of(files.load(&lessons()).unwrap_err()),
            ErrorKind::TooLarge
        );
        assert_eq!(
            kind_of(files.update(&lessons(), &put("c", 3)).unwrap_err()),
            ErrorKind::TooLarge
        );
        assert_eq!(scene.tree(), before);
        let notices = files.notices.take();
        let over_cap = StoreNoticeKind::ReadOnly {
            why: ReadOnly::OverCap,
        };
        assert_eq!(
            notices
                .iter()
                .filter(|notice| notice.kind == over_cap)
                .count(),
            1,
            "{notices:?}"
        );
        assert_eq!(notices[0].shelf, Some(lessons()));
        files.remove(&lessons()).unwrap();
        assert!(
            !scene.path(FILE).exists(),
            "who asks to forget it is obeyed"
        );
    }
}

#[test]
fn no_prefix_and_no_flipped_bit_of_a_file_loses_what_can_be_read() {
    let whole = scene().read(FILE);
    let cuts = (0..whole.len()).map(|end| whole[..end].to_vec());
    let flips = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let mut kept = 0;
    for bytes in cuts.chain(flips) {
        let scene = Scene::new();
        scene.write(FILE, &bytes);
        let _ = scene.files.load(&lessons());
        match scene.put(&lessons(), "c", 3) {
            // The backup holds what was understood, and the quarantine holds the rest.
            Ok(_) => {
                let backup = fs::read(scene.path("default/lessons.json.bak")).ok();
                assert!(
                    scene.quarantined() == [bytes.clone()] || backup == Some(bytes),
                    "nothing is thrown away"
                );
                kept += 1;
            }
            // A flipped bit turned the version into a newer one.
            Err(failure) => {
                assert_eq!(kind_of(failure), ErrorKind::Unsupported);
                assert_eq!(scene.read(FILE), bytes);
            }
        }
    }
    assert!(kept > whole.len());
}

#[test]
fn a_file_that_names_no_shelf_and_is_none_of_this_program_is_ignored() {
    let scene = scene();
    scene.write("default/lessons-old.json", scene.read(FILE));
    scene.write("default/export.json", "[]");
    let listed = scene.files.shelves(&crate::memory::ShelfFilter::default());
    assert_eq!(listed.unwrap(), [lessons()]);
}

#[test]
fn a_file_that_names_another_shelf_does_not_hide_what_its_backup_holds() {
    let visits = |host: &str| Shelf {
        collection: "visits".to_owned(),
        ..of_host(host)
    };
    for shelf in [
        Shelf::global(&Namespace::default(), "visits"),
        // The folder of such a host has a shortened name.
        visits(&format!("{}.example", "x".repeat(200))),
    ] {
        let scene = scene();
        scene.put(&shelf, "a", 1).unwrap();
        scene.put(&shelf, "b", 2).unwrap();
        let place = crate::store::json_file::place::Place::of(&shelf).unwrap();
        fs::write(scene.dir.path().join(place.file()), scene.read(FILE)).unwrap();
        assert_eq!(scene.keys(&shelf), ["a"]);
        let listed = scene.files.shelves(&crate::memory::ShelfFilter::default());
        assert!(listed.unwrap().contains(&shelf), "{shelf}");
    }
}

#[test]
fn a_repair_is_reported_without_the_finding_before_it() {
    for is_salvaged in [false, true] {
        let scene = scene();
        let bytes = scene.read(FILE);
        let at = bytes.windows(3).position(|w| w == b"\"b\"").unwrap();
        scene.write(FILE, &bytes[..at + 10]);
        if is_salvaged {
            fs::remove_file(scene.path("default/lessons.json.bak")).unwrap();
        }
        scene.files.load(&lessons()).unwrap();
        scene.put(&lessons(), "c", 3).unwrap();
        let told = scene.told();
        let is_damage = |kind: &StoreNoticeKind| matches!(kind, StoreNoticeKind::Damaged { .. });
        assert!(!told.iter().any(is_damage), "{told:?}");
        assert_eq!(
            told.contains(&StoreNoticeKind::RestoredFromBackup),
            !is_salvaged
        );
    }
}
