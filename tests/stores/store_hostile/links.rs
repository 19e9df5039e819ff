//! A symbolic link in the place of anything that the store has: nothing is written or deleted through it.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use webwise::{memory::ShelfFilter, store::MemoryBackend as _};

use crate::store_hostile::bed::{Bed, count, global, of_host, wait};

/// Source: chosen; it takes milliseconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// A link, and the thing outside that it leads to.
struct Planted {
    name: &'static str,
    at: fn(&Bed) -> PathBuf,
    to: &'static str,
}

fn lock_of(bed: &Bed) -> PathBuf {
    let locks = fs::read_dir(bed.root().join("locks")).unwrap().flatten();
    locks
        .map(|entry| entry.path())
        .min()
        .expect("there is a lock")
}

const PLANTED: [Planted; 14] = [
    Planted {
        name: "namespace",
        at: |bed| bed.root().join("default"),
        to: "folder",
    },
    Planted {
        name: "domains",
        at: |bed| bed.root().join("default/domains"),
        to: "folder",
    },
    Planted {
        name: "folder of a host",
        at: |bed| bed.root().join("default/domains/shop.example"),
        to: "folder",
    },
    Planted {
        name: "file",
        at: |bed| bed.root().join("default/things.json"),
        to: "precious",
    },
    Planted {
        name: "file of a host",
        at: |bed| bed.root().join("default/domains/shop.example/things.json"),
        to: "precious",
    },
    Planted {
        name: "file, dangling",
        at: |bed| bed.root().join("default/things.json"),
        to: "nowhere",
    },
    Planted {
        name: "backup",
        at: |bed| bed.root().join("default/things.json.bak"),
        to: "precious",
    },
    Planted {
        name: "backup, dangling",
        at: |bed| bed.root().join("default/things.json.bak"),
        to: "nowhere",
    },
    Planted {
        name: "locks",
        at: |bed| bed.root().join("locks"),
        to: "folder",
    },
    Planted {
        name: "lock",
        at: lock_of,
        to: "precious",
    },
    Planted {
        name: "lock, dangling",
        at: lock_of,
        to: "nowhere",
    },
    Planted {
        name: "temporary file",
        at: |bed| {
            bed.root()
                .join(format!("default/things.json.{}-0.tmp", i32::MAX))
        },
        to: "precious",
    },
    Planted {
        name: "quarantine",
        at: |bed| bed.root().join("default/quarantine"),
        to: "folder",
    },
    Planted {
        name: "pending",
        at: |bed| bed.root().join("default/pending"),
        to: "folder",
    },
];

fn remove(path: &Path) {
    let Ok(metadata) = path.symlink_metadata() else {
        return;
    };
    if metadata.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else {
        fs::remove_file(path).unwrap();
    }
}

/// A store that was written, with the link in it.
fn plant(planted: &Planted, is_broken: bool) -> Bed {
    let bed = Bed::new();
    let store = bed.open();
    for shelf in [global(), of_host()] {
        for _ in 0..2 {
            wait(store.update(&shelf, count())).unwrap();
        }
    }
    if is_broken {
        // So that something has to be put aside.
        for file in [
            "default/things.json",
            "default/domains/shop.example/things.json",
        ] {
            fs::write(bed.root().join(file), "broken").unwrap();
        }
    }
    let at = (planted.at)(&bed);
    remove(&at);
    symlink(bed.outside().join(planted.to), &at).unwrap();
    bed
}

/// What a program does that follows links: writes into the thing, or deletes what is in it.
fn follow(path: &Path) {
    if path.is_dir() {
        fs::write(path.join("things.json"), "written").unwrap();
    } else {
        fs::write(path, "written").unwrap();
    }
}

#[test]
fn nothing_is_written_or_deleted_through_a_link() {
    let (mut refused, mut controls) = (0, 0);
    for planted in &PLANTED {
        for is_broken in [false, true] {
            let bed = plant(planted, is_broken);
            let before = bed.beside();
            for _ in 0..2 {
                let store = bed.open();
                for shelf in [global(), of_host()] {
                    let _ = wait(store.load(&shelf));
                    refused += u32::from(wait(store.update(&shelf, count())).is_err());
                }
                let _ = wait(store.shelves(&ShelfFilter::default()));
                let _ = wait(store.compact());
            }
            for shelf in [global(), of_host()] {
                let _ = wait(bed.open().remove(&shelf));
            }
            assert_eq!(
                bed.beside(),
                before,
                "{}, broken: {is_broken}",
                planted.name
            );
        }
        let bed = plant(planted, false);
        let before = bed.beside();
        follow(&(planted.at)(&bed));
        controls += usize::from(bed.beside() != before);
    }
    figure!(
        "F1 links: {} planted, {refused} updates refused, 0 outside writes, 0 deletes; {controls} followed by a program that follows links",
        PLANTED.len()
    );
    assert_eq!(controls, PLANTED.len(), "each of them leads to something");
    assert!(refused > 0);
}

/// What somebody puts in the place of a file.
fn put_there(what: &str, at: &Path) {
    match what {
        "folder" => {
            fs::create_dir(at).unwrap();
            fs::write(at.join("kept"), "kept").unwrap();
        }
        "pipe" => assert!(Command::new("mkfifo").arg(at).status().unwrap().success()),
        _ => drop(UnixListener::bind(at).unwrap()),
    }
}

#[test]
fn a_folder_a_pipe_or_a_socket_in_the_place_of_a_file_is_refused_at_once_and_stays() {
    let (mut planted_things, mut refused) = (0, 0);
    for planted in PLANTED.iter().filter(|planted| planted.to == "precious") {
        for what in ["folder", "pipe", "socket"] {
            let bed = plant(planted, false);
            let at = (planted.at)(&bed);
            remove(&at);
            put_there(what, &at);
            let kind = at.symlink_metadata().unwrap().file_type();
            let used = async {
                let mut refused = 0;
                for shelf in [global(), of_host()] {
                    let store = bed.open();
                    let _ = store.load(&shelf).await;
                    refused += u32::from(store.update(&shelf, count()).await.is_err());
                    let _ = store.compact().await;
                    let _ = store.shelves(&ShelfFilter::default()).await;
                }
                refused
            };
            // A wait for the other end of a pipe would have no end.
            refused += wait(async { tokio::time::timeout(PATIENCE, used).await })
                .expect("nothing waits for ever");
            assert_eq!(
                at.symlink_metadata().unwrap().file_type(),
                kind,
                "{}: {what}",
                planted.name
            );
            assert!(
                what != "folder" || at.join("kept").exists(),
                "{}: {what}",
                planted.name
            );
            planted_things += 1;
        }
    }
    figure!(
        "F1 no files: {planted_things} folders, pipes and sockets planted, {refused} updates refused, all still there, 0 hung"
    );
    assert!(refused > 0);
}

#[test]
fn the_root_itself_may_be_a_link() {
    let bed = Bed::new();
    let place = bed.all().join("elsewhere");
    fs::create_dir(&place).unwrap();
    symlink(&place, bed.root()).unwrap();
    wait(bed.open().update(&global(), count())).unwrap();
    assert!(place.join("default/things.json").exists());
}
