use std::{
    fs::File,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use super::*;
use crate::{ErrorKind, memory::ShelfFilter};

fn body(bytes: usize) -> Value {
    json!({ "text": "x".repeat(bytes) })
}

fn edit(changes: Vec<Change>) -> Edit {
    Edit::new(move |_| Ok(changes.clone()))
}

fn one(key: &str, body: &Value) -> Edit {
    edit(vec![Change::Put(Record::new(key, body))])
}

fn kind_of<T: std::fmt::Debug>(result: Result<T, Failure>) -> ErrorKind {
    result.unwrap_err().into_error("store", None).kind()
}

fn small(change: impl FnOnce(&mut JsonFilesOptions)) -> Scene {
    let mut scene = Scene::new();
    let mut options = JsonFilesOptions {
        hosts_between_checks: 1,
        ..JsonFilesOptions::default()
    };
    change(&mut options);
    scene.files = files_of(Arc::new(StdFs::new(scene.dir.path())), SCHEMA, options);
    scene
}

/// Makes a host's folder look as if it was last written `hours` hours ago.
fn age(scene: &Scene, host: &str, hours: u64) {
    let dir = File::open(scene.path(&format!("default/domains/{host}"))).unwrap();
    dir.set_modified(SystemTime::now() - Duration::from_hours(hours))
        .unwrap();
}

fn hosts(scene: &Scene) -> Vec<String> {
    let shelves = scene.files.shelves(&ShelfFilter::default()).unwrap();
    shelves
        .iter()
        .map(|shelf| shelf.to_string().replace("default/lessons@", ""))
        .collect()
}

#[test]
fn a_record_over_the_cap_is_refused_unless_it_shrinks() {
    let scene = Scene::new();
    assert_eq!(
        kind_of(scene.files.update(&lessons(), &one("k", &body(2_048)))),
        ErrorKind::TooLarge
    );
    assert!(scene.tree().is_empty());
    scene
        .files
        .update(&lessons(), &one("k", &body(2_000)))
        .unwrap();
    // If a person makes it larger by hand, it is still read, and it may shrink.
    let text = String::from_utf8(scene.read("default/lessons.json")).unwrap();
    scene.write("default/lessons.json", text.replace("xxxx", "yyyyyyyy"));
    assert_eq!(scene.files.load(&lessons()).unwrap().records.len(), 1);
    scene.put(&lessons(), "other", 1).unwrap();
    assert_eq!(
        kind_of(scene.files.update(&lessons(), &one("k", &body(5_000)))),
        ErrorKind::TooLarge
    );
    scene
        .files
        .update(&lessons(), &one("k", &body(3_000)))
        .unwrap();
}

#[test]
fn a_shelf_over_the_cap_is_refused_unless_it_shrinks() {
    let put = |from: usize, to: usize| {
        edit(
            (from..to)
                .map(|n| Change::Put(Record::new(format!("{n:03}"), &body(1_000))))
                .collect(),
        )
    };
    let drop = |from: usize, to: usize| {
        edit(
            (from..to)
                .map(|n| Change::Remove(format!("{n:03}")))
                .collect(),
        )
    };
    let scene = small(|options| options.max_shelf_bytes = 20_000);
    scene.files.update(&lessons(), &put(0, 15)).unwrap();
    let before = scene.tree();
    assert_eq!(
        kind_of(scene.files.update(&lessons(), &put(15, 30))),
        ErrorKind::TooLarge
    );
    assert_eq!(scene.tree(), before);
    // A store with larger caps wrote more, and this store may remove some of it.
    scene.other().update(&lessons(), &put(15, 40)).unwrap();
    assert_eq!(
        kind_of(scene.files.update(&lessons(), &put(40, 41))),
        ErrorKind::TooLarge
    );
    assert_eq!(
        scene
            .files
            .update(&lessons(), &drop(0, 5))
            .unwrap()
            .generation,
        3
    );
}

#[test]
fn a_record_that_could_not_be_read_again_is_refused() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let scene = Scene::new();
    for levels in [121, 126, 500] {
        assert_eq!(
            kind_of(scene.files.update(&lessons(), &one("k", &deep(levels)))),
            ErrorKind::TooLarge
        );
    }
    scene
        .files
        .update(&lessons(), &one("k", &deep(120)))
        .unwrap();
    assert_eq!(
        scene.files.load(&lessons()).unwrap().records[0].body,
        deep(120)
    );
}

#[test]
fn hosts_that_were_written_least_recently_are_forgotten_first() {
    let scene = small(|options| options.max_hosts = 100);
    for (n, hours) in [("a", 5), ("b", 9), ("c", 1), ("d", 7)] {
        scene
            .put(&of_host(&format!("{n}.example")), "k", 1)
            .unwrap();
        scene
            .put(&of_host(&format!("{n}.example")), "k", 2)
            .unwrap();
        age(&scene, &format!("{n}.example"), hours);
    }
    scene.put(&lessons(), "global", 1).unwrap();
    let options = JsonFilesOptions {
        max_hosts: 2,
        ..scene.files.options.clone()
    };
    let strict = files_of(Arc::new(StdFs::new(scene.dir.path())), SCHEMA, options);
    let done = strict.compact().unwrap();
    assert_eq!((done.hosts, done.bytes > 0), (2, true));
    assert_eq!(hosts(&scene), ["default/lessons", "a.example", "c.example"]);
    assert!(
        !scene.path("default/domains/b.example").exists(),
        "with their folders"
    );
    assert_eq!(strict.notices.take().len(), 1);
    assert_eq!(strict.compact().unwrap().hosts, 0, "nothing is left to do");
}

#[test]
fn what_a_person_wrote_or_nobody_understands_is_never_forgotten() {
    let scene = Scene::new();
    for host in [
        "user.example",
        "broken.example",
        "newer.example",
        "notes.example",
        "moved.example",
        "aside.example",
        "plain.example",
    ] {
        scene.put(&of_host(host), "k", 1).unwrap();
    }
    scene
        .files
        .update(
            &of_host("user.example"),
            &one("mine", &json!({ "source": "user" })),
        )
        .unwrap();
    scene.write("default/domains/broken.example/lessons.json", "broken");
    let newer =
        String::from_utf8(scene.read("default/domains/newer.example/lessons.json")).unwrap();
    scene.write(
        "default/domains/newer.example/lessons.json",
        newer.replace("\"version\": 1", "\"version\": 2"),
    );
    scene.write("default/domains/notes.example/notes.txt", "somebody's");
    let moved = scene.read("default/domains/plain.example/lessons.json");
    scene.write("default/domains/moved.example/lessons.json", moved);
    scene.write("default/domains/aside.example/lessons.json", "broken, too");
    scene.put(&of_host("aside.example"), "k", 2).unwrap();
    let options = JsonFilesOptions {
        max_hosts: 0,
        ..JsonFilesOptions::default()
    };
    let strict = files_of(Arc::new(StdFs::new(scene.dir.path())), SCHEMA, options);
    assert_eq!(strict.compact().unwrap().hosts, 1);
    let mut left: Vec<_> = fs::read_dir(scene.path("default/domains"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "aside.example",
            "broken.example",
            "moved.example",
            "newer.example",
            "notes.example",
            "user.example"
        ]
    );
    let told: Vec<_> = strict
        .notices
        .take()
        .into_iter()
        .map(|notice| notice.kind)
        .collect();
    assert!(told.contains(&StoreNoticeKind::OverCaps), "{told:?}");
}

#[test]
fn one_site_cannot_fill_the_store_with_its_subdomains() {
    let scene = small(|_| ());
    let long = "x".repeat(120);
    for n in 0..30 {
        scene
            .put(&of_host(&format!("s{n}.evil.example")), "k", 1)
            .unwrap();
        age(&scene, &format!("s{n}.evil.example"), 100 - n);
        scene
            .put(&of_host(&format!("http://127.0.0.1:{}", 8_000 + n)), "k", 1)
            .unwrap();
        scene
            .put(&of_host(&format!("{n}{long}.long.example")), "k", 1)
            .unwrap();
    }
    scene.put(&of_host("shop.example"), "k", 1).unwrap();
    scene.files.compact().unwrap();
    let left = hosts(&scene);
    let of = |part: &str| left.iter().filter(|host| host.contains(part)).count();
    assert_eq!(
        (of("evil"), of("127.0.0.1"), of(".long."), of("shop")),
        (8, 8, 8, 1),
        "{left:?}"
    );
    assert!(
        left.contains(&"s29.evil.example".to_owned()),
        "the latest stay"
    );
}

#[test]
fn however_many_hosts_are_visited_the_store_stays_within_its_caps() {
    let scene = small(|options| {
        options.max_hosts = 64;
        options.max_total_bytes = 40_000;
    });
    let within = || {
        let mut bytes = 0;
        walk(scene.dir.path(), &mut |path| {
            bytes += fs::metadata(path).unwrap().len();
        });
        let count = fs::read_dir(scene.path("default/domains")).unwrap().count();
        bytes <= 40_000 && count <= 64
    };
    let (mut over, mut missed) = (0, 0);
    for n in 0..300 {
        let host = of_host(&format!("site{n}.example"));
        scene.files.update(&host, &one("k", &body(500))).unwrap();
        over = if within() { 0 } else { over + 1 };
        if over > scene.files.options.hosts_between_checks {
            // A program that another test has just started holds a copy of the lock until it runs. A clean-up that finds
            // this lock taken does nothing.
            missed += 1;
            let is_free = || {
                std::thread::sleep(std::time::Duration::from_millis(20));
                scene.files.compact().unwrap();
                within()
            };
            assert!((0..250).any(|_| is_free()), "over its caps after {n} hosts");
            over = 0;
        }
    }
    // Without clean-ups of its own, the store would have been over its caps all the time.
    assert!(missed <= 3, "{missed}");
    assert!(
        hosts(&scene).contains(&"site299.example".to_owned()),
        "the latest is there"
    );
}

#[test]
fn a_host_that_is_being_written_is_not_forgotten() {
    let scene = Scene::new();
    scene.put(&of_host("a.example"), "k", 1).unwrap();
    let place = crate::store::json_file::place::Place::of(&of_host("a.example")).unwrap();
    let options = JsonFilesOptions {
        max_hosts: 0,
        ..JsonFilesOptions::default()
    };
    let strict = files_of(Arc::new(StdFs::new(scene.dir.path())), SCHEMA, options);
    let held = scene.files.fs.try_lock(&place.lock()).unwrap().unwrap();
    assert_eq!(strict.compact().unwrap().hosts, 0);
    drop(held);
    assert_eq!(strict.compact().unwrap().hosts, 1);
    // A forgotten shelf is made again when it is written.
    scene.put(&of_host("a.example"), "k", 2).unwrap();
    assert_eq!(scene.keys(&of_host("a.example")), ["k"]);
}

#[test]
fn as_many_full_lessons_as_are_kept_fit_into_a_file() {
    let evidence = json!({ "run": format!("run_{}", "0".repeat(32)), "site": "shop.example", "used": true,
        "helped": true, "followed": true, "offered": true });
    let full = |n: usize| {
        let mut record = Record::new(
            format!("lesson-{n:016x}"),
            &json!({ "source": "learned", "evidence": [] }),
        );
        while record.size() + evidence.to_string().len() < crate::memory::MAX_RECORD_BYTES {
            record.body["evidence"]
                .as_array_mut()
                .unwrap()
                .push(evidence.clone());
        }
        Change::Put(record)
    };
    let scene = Scene::new();
    let all = (0..crate::memory::lesson::MAX_LEARNED).map(full).collect();
    scene.files.update(&lessons(), &edit(all)).unwrap();
    assert!(
        scene.read("default/lessons.json").len() > 700_000,
        "they are full"
    );
}

#[test]
fn tenants_do_not_forget_for_each_other() {
    let scene = small(|_| ());
    let host: Host = serde_json::from_value("shop.example".into()).unwrap();
    for n in 0..9 {
        let shelf = Shelf::host(
            &Namespace::parse(format!("tenant{n}")).unwrap(),
            "lessons",
            &host,
        );
        scene.put(&shelf, "k", 1).unwrap();
    }
    scene.files.compact().unwrap();
    assert_eq!(hosts(&scene).len(), 9, "{:?}", hosts(&scene));
}
