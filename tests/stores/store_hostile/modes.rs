//! What the store makes is its owner's alone, and what is another user's is not touched.

use std::{
    env, fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
    process::Command,
};

use webwise::{
    ErrorKind,
    memory::StoreNoticeKind,
    store::{JsonFiles, MemoryBackend as _},
};

use crate::store_hostile::bed::{
    Bed, child, count, global, is_root, of_host, report, start, update, wait, walk,
};

const TEST: &str = "store_hostile::modes::whatever_the_umask_folders_are_0700_and_files_0600";
const JOB: &str = "umask";
/// Somebody who is nobody here.
const STRANGER: u32 = 65_534;

fn modes(root: &Path) -> Vec<(String, u32)> {
    let mode = |path: &Path| path.symlink_metadata().unwrap().permissions().mode() & 0o7777;
    let all = walk(root).into_iter().chain([root.to_owned()]);
    all.map(|path| {
        (
            format!(
                "{} {}",
                if path.is_dir() { "folder" } else { "file" },
                path.display()
            ),
            mode(&path),
        )
    })
    .collect()
}

fn assert_private(root: &Path) -> usize {
    let all = modes(root);
    for (what, mode) in &all {
        let expected = if what.starts_with("folder") {
            0o700
        } else {
            0o600
        };
        assert_eq!(*mode, expected, "{what} has {mode:o}");
    }
    all.len()
}

/// Writes, breaks, and writes again, so that everything is there that a store makes.
fn make_all(bed_root: &Path, store: &JsonFiles) {
    for shelf in [global(), of_host(), global()] {
        let result = update(store, &shelf);
        assert!(result.is_ok(), "{result:?}");
    }
    fs::write(bed_root.join("default/things.json"), "broken").unwrap();
}

#[test]
fn whatever_the_umask_folders_are_0700_and_files_0600() {
    if let Some(store) = child(JOB) {
        let root = env::var_os("WEBWISE_STORE_HOSTILE_PLACE").unwrap();
        make_all(Path::new(&root), &store);
        return report(&update(&store, &global()));
    }
    let mut entries = 0;
    for umask in ["000", "077", "022"] {
        let bed = Bed::new();
        let program = env::current_exe().unwrap();
        let told = start(
            &program,
            &format!("umask {umask}"),
            TEST,
            JOB,
            &bed.root(),
            |_: &mut Command| {},
        );
        assert!(told["generation"].is_u64(), "{umask}: {told}");
        let made = assert_private(&bed.root());
        assert!(
            bed.files()
                .keys()
                .any(|path| path.starts_with("default/quarantine")),
            "{umask}: all of it is made"
        );
        entries += made;
    }
    figure!(
        "F1 modes: {entries} folders and files made with umask 000, 022 and 077, all 0700 and 0600"
    );
}

#[test]
fn what_is_open_to_others_is_closed_and_told() {
    let bed = Bed::new();
    make_all(&bed.root(), &bed.open());
    update(&bed.open(), &global()).unwrap();
    for path in walk(&bed.root()).into_iter().chain([bed.root()]) {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
    }
    let store = bed.open();
    for shelf in [global(), of_host()] {
        wait(store.load(&shelf)).unwrap();
        update(&store, &shelf).unwrap();
    }
    let touched = [
        "default",
        "default/things.json",
        "default/domains",
        "default/domains/shop.example",
        "locks",
    ];
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    for path in touched.map(|path| bed.root().join(path)) {
        assert_eq!(
            mode(&path) & 0o077,
            0,
            "{} has {:o}",
            path.display(),
            mode(&path)
        );
    }
    let told = store.notices();
    let tightened = |notice: &&webwise::memory::StoreNotice| {
        matches!(&notice.kind, StoreNoticeKind::ModesTightened { .. })
    };
    assert!(
        told.iter().filter(tightened).count() >= touched.len(),
        "{told:?}"
    );
}

#[test]
fn what_belongs_to_another_user_is_refused() {
    let bed = Bed::new();
    if !is_root() {
        // Who is not root finds folders of another user where the system is.
        let error = update(&JsonFiles::open("/usr"), &global()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
        assert!(!Path::new("/usr/default").exists() && !Path::new("/usr/locks").exists());
        return;
    }
    let places = [
        "",
        "default",
        "default/domains",
        "default/domains/shop.example",
        "locks",
        "default/domains/shop.example/things.json",
    ];
    for place in places {
        let bed_of_it = Bed::new();
        make_all(&bed_of_it.root(), &bed_of_it.open());
        update(&bed_of_it.open(), &global()).unwrap();
        chown(bed_of_it.root().join(place), Some(STRANGER), Some(STRANGER)).unwrap();
        let files = bed_of_it.files();
        let error = wait(bed_of_it.open().update(&of_host(), count())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{place}: {error:?}");
        assert!(
            format!("{error:?}").contains("another user"),
            "{place}: {error:?}"
        );
        assert_eq!(bed_of_it.files(), files, "{place}: nothing was touched");
    }
    drop(bed);
}
