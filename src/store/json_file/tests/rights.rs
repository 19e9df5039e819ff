use std::{
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    process::Command,
};

use super::*;
use crate::ErrorKind;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn kind_of<T: std::fmt::Debug>(result: Result<T, Failure>) -> ErrorKind {
    result.unwrap_err().into_error("store", None).kind()
}

#[test]
fn what_is_made_is_for_the_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("a/root");
    let files = files(Arc::new(StdFs::new(&root)));
    let shelf = of_host("shop.example");
    for n in 0..2 {
        files.update(&shelf, &put("a", n)).unwrap();
    }
    fs::write(
        root.join("default/domains/shop.example/lessons.json"),
        "broken",
    )
    .unwrap();
    files.update(&shelf, &put("a", 2)).unwrap();
    let (mut seen, mut dirs) = (0, vec![root.clone()]);
    while let Some(dir) = dirs.pop() {
        assert_eq!(mode(&dir), 0o700, "{}", dir.display());
        for entry in fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if entry.is_dir() {
                dirs.push(entry);
            } else {
                assert_eq!(mode(&entry), 0o600, "{}", entry.display());
                seen += 1;
            }
        }
    }
    assert!(
        seen >= 4,
        "a file, its backup, a lock, and one in quarantine"
    );
}

#[test]
fn rights_do_not_depend_on_the_umask() {
    for umask in ["000", "022", "077"] {
        let output = Command::new("sh")
            .args(["-c", &format!("umask {umask} && exec \"$0\" \"$@\"")])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "store::json_file::tests::rights::what_is_made_is_for_the_owner_alone",
            ])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("1 passed"),
            "umask {umask}: {said}"
        );
    }
}

#[test]
fn what_is_open_to_others_is_closed_and_told() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    set_mode(scene.dir.path(), 0o755);
    set_mode(&scene.path("default"), 0o777);
    set_mode(&scene.path("default/lessons.json"), 0o644);
    let store = crate::store::JsonFiles::open(scene.dir.path());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let load = || {
        runtime
            .block_on(crate::store::MemoryBackend::load(&store, &lessons()))
            .unwrap()
    };
    load();
    load();
    let mut told: Vec<_> = crate::store::MemoryBackend::notices(&store)
        .into_iter()
        .map(|n| n.kind)
        .collect();
    let tightened = |path: &str| StoreNoticeKind::ModesTightened {
        path: path.to_owned(),
    };
    told.sort_by_key(|kind| format!("{kind:?}"));
    // The inner folder was open to others, so at first the root did not look like a store's.
    assert_eq!(
        told,
        [
            tightened(""),
            tightened("default"),
            tightened("default/lessons.json")
        ]
    );
    assert_eq!(mode(scene.dir.path()), 0o700);
    assert_eq!(
        (
            mode(&scene.path("default")),
            mode(&scene.path("default/lessons.json"))
        ),
        (0o700, 0o600)
    );
    assert!(
        crate::store::MemoryBackend::notices(&store).is_empty(),
        "each is told once"
    );
}

#[test]
fn a_folder_in_which_others_keep_things_stays_open_to_them() {
    let scene = Scene::new();
    fs::write(scene.path("notes.txt"), "somebody's").unwrap();
    set_mode(scene.dir.path(), 0o755);
    scene.put(&lessons(), "a", 1).unwrap();
    assert_eq!(mode(scene.dir.path()), 0o755);
    assert_eq!(mode(&scene.path("default")), 0o700);
}

#[test]
fn what_belongs_to_another_user_is_refused() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    if rustix::process::geteuid().is_root() {
        for path in ["default/lessons.json", "default", ""] {
            let path = scene.path(path);
            std::os::unix::fs::chown(&path, Some(1), None).unwrap();
            assert_eq!(
                kind_of(scene.files.load(&lessons())),
                ErrorKind::Unavailable,
                "{}",
                path.display()
            );
            assert_eq!(
                kind_of(scene.put(&lessons(), "b", 1)),
                ErrorKind::Unavailable,
                "{}",
                path.display()
            );
            std::os::unix::fs::chown(&path, Some(0), None).unwrap();
        }
        assert_eq!(scene.keys(&lessons()), ["a"]);
    } else {
        // `/usr` belongs to another user.
        let files = files(Arc::new(StdFs::new("/usr")));
        assert_eq!(kind_of(files.load(&lessons())), ErrorKind::Unavailable);
        assert_eq!(
            kind_of(files.update(&lessons(), &put("b", 1))),
            ErrorKind::Unavailable
        );
    }
}

#[test]
fn the_root_may_be_a_link_and_nothing_below_it() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("target.json"), "theirs").unwrap();
    let linked = tempfile::tempdir().unwrap();
    symlink(outside.path(), linked.path().join("root")).unwrap();
    let through = files(Arc::new(StdFs::new(linked.path().join("root"))));
    through
        .update(&Shelf::global(&Namespace::default(), "fine"), &put("a", 1))
        .unwrap();
    fs::remove_dir_all(outside.path().join("default")).unwrap();
    fs::remove_dir_all(outside.path().join("locks")).unwrap();

    let shelf = of_host("shop.example");
    let below = "default/domains/shop.example";
    for (planted, is_dir, is_read) in [
        ("default", true, true),
        ("default/domains", true, true),
        (below, true, true),
        ("locks", true, false),
        ("default/domains/shop.example/lessons.json", false, true),
        (
            "default/domains/shop.example/lessons.json.bak",
            false,
            false,
        ),
    ] {
        let scene = Scene::new();
        scene.put(&shelf, "a", 1).unwrap();
        scene.put(&shelf, "b", 1).unwrap();
        let at = scene.path(planted);
        if is_dir {
            fs::remove_dir_all(&at).unwrap();
            symlink(outside.path(), &at).unwrap();
        } else {
            fs::remove_file(&at).unwrap();
            symlink(outside.path().join("target.json"), &at).unwrap();
        }
        assert_eq!(
            kind_of(scene.put(&shelf, "c", 1)),
            ErrorKind::InvalidInput,
            "{planted}"
        );
        if is_read {
            assert_eq!(
                kind_of(scene.files.load(&shelf)),
                ErrorKind::InvalidInput,
                "{planted}"
            );
        }
        assert!(
            fs::symlink_metadata(&at).unwrap().is_symlink(),
            "{planted}: it is left as it is"
        );
        let theirs: Vec<_> = fs::read_dir(outside.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(theirs, ["target.json"], "{planted}");
        assert_eq!(
            fs::read(outside.path().join("target.json")).unwrap(),
            b"theirs",
            "{planted}"
        );
    }
}

#[test]
fn links_in_the_place_of_locks_temporaries_and_quarantine_lead_nowhere() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "theirs").unwrap();
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();

    let lock = scene.path("locks/3f");
    fs::remove_file(&lock).unwrap();
    symlink(&victim, &lock).unwrap();
    assert_eq!(
        kind_of(scene.put(&lessons(), "b", 1)),
        ErrorKind::InvalidInput
    );
    fs::remove_file(&lock).unwrap();

    let temp = scene.path("default/lessons.json.2147483646-x.tmp");
    symlink(&victim, &temp).unwrap();
    scene.put(&lessons(), "b", 1).unwrap();
    assert!(
        fs::symlink_metadata(&temp).unwrap().is_symlink(),
        "what is no file is not swept"
    );

    symlink(outside.path(), scene.path("default/quarantine")).unwrap();
    scene.write("default/lessons.json", "broken");
    assert_eq!(kind_of(scene.put(&lessons(), "c", 1)), ErrorKind::Corrupt);
    assert_eq!(scene.read("default/lessons.json"), b"broken");
    assert_eq!(fs::read(&victim).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_pipe_or_a_folder_in_the_place_of_a_file_does_not_hang_a_reader() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    let file = scene.path("default/lessons.json");
    fs::remove_file(&file).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        kind_of(scene.files.load(&lessons())),
        ErrorKind::InvalidInput
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    set_mode(&file, 0o700);
    assert_eq!(
        kind_of(scene.files.load(&lessons())),
        ErrorKind::InvalidInput
    );
    assert_eq!(
        kind_of(scene.put(&lessons(), "b", 1)),
        ErrorKind::InvalidInput
    );
}
