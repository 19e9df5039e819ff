//! The disk is full, or nothing may be written: the old file stays as it is, and the error says what is the matter.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::PathBuf,
    process::Command,
};

use serde_json::json;
use webwise::store::MemoryBackend as _;

use crate::store_hostile::bed::{
    Bed, child, global, is_root, of_host, put, report, start, update, wait, walk,
};

const FULL: &str = "store_hostile::disks::a_full_disk_leaves_the_old_file_and_is_told";
const READ_ONLY: &str =
    "store_hostile::disks::a_folder_that_cannot_be_written_leaves_the_old_file_and_is_told";
/// Somebody who may not do everything.
const STRANGER: u32 = 65_534;
/// Sizes that a file may have. Unit: 512 bytes, as the shell counts.
const LIMITS: [u32; 8] = [0, 1, 2, 3, 4, 6, 8, 12];

fn written(bed: Bed) -> Bed {
    for _ in 0..3 {
        for shelf in [global(), of_host()] {
            update(&bed.open(), &shelf).unwrap();
        }
        // Large enough that some limits end in the middle of a file.
        wait(
            bed.open()
                .update(&global(), put("large", &json!("x".repeat(1_900)))),
        )
        .unwrap();
    }
    bed
}

/// The shelves' files and their last good states.
fn shelves(bed: &Bed) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = bed.files();
    files.retain(|path, _| !path.starts_with("locks"));
    files
}

#[test]
fn a_full_disk_leaves_the_old_file_and_is_told() {
    if let Some(store) = child("full") {
        return report(&update(&store, &global()));
    }
    let (mut refused, mut done) = (0, 0);
    let program = env::current_exe().unwrap();
    for limit in LIMITS {
        let bed = written(Bed::new());
        let before = shelves(&bed);
        // The signal that comes with the refusal would end the program; a full disk sends none.
        let first = format!("trap '' XFSZ; ulimit -f {limit}");
        let told = start(
            &program,
            &first,
            FULL,
            "full",
            &bed.root(),
            |_: &mut Command| {},
        );
        if told["generation"].is_u64() {
            done += 1;
            continue;
        }
        refused += 1;
        assert_eq!(told["error"], "unavailable", "{limit}: {told}");
        assert_eq!(shelves(&bed), before, "{limit}: {told}");
        update(&bed.open(), &global()).unwrap();
    }
    figure!(
        "F1 full disk: {refused} sizes refused with the old file untouched, {done} large enough"
    );
    assert!(refused >= 3 && done >= 1, "{refused} refused, {done} done");
}

#[test]
fn a_folder_that_cannot_be_written_leaves_the_old_file_and_is_told() {
    if let Some(store) = child("read-only") {
        return report(&update(&store, &global()));
    }
    for place in ["", "default"] {
        let bed = written(Bed::on_disk());
        let program = bed.all().join("program");
        fs::copy(env::current_exe().unwrap(), &program).unwrap();
        let readers = [bed.all().to_owned(), program.clone()];
        for path in &readers {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        if is_root() {
            // Rights do not hold root back, so somebody else tries.
            for path in walk(&bed.root()).into_iter().chain([bed.root()]) {
                chown(&path, Some(STRANGER), Some(STRANGER)).unwrap();
            }
        }
        let folder = bed.root().join(place);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
        let before = shelves(&bed);
        let told = start(
            &program,
            "true",
            READ_ONLY,
            "read-only",
            &bed.root(),
            |command| {
                if is_root() {
                    command.uid(STRANGER).gid(STRANGER);
                }
                command.current_dir(bed.all());
            },
        );
        // The locks are there already, and only the folder of the shelf is needed.
        if place.is_empty() {
            assert!(told["generation"].is_u64(), "{told}");
        } else {
            assert_eq!(told["error"], "unavailable", "{told}");
            assert!(
                told["text"].as_str().unwrap().contains("Permission denied"),
                "{told}"
            );
            assert_eq!(shelves(&bed), before, "{told}");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    figure!("F1 read-only folder: refused with the old file untouched");
}
