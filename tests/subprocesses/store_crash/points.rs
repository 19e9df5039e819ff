//! An update is killed at each of its system calls, and its system calls are those that the simulation simulates.

use std::path::Path;

use webwise::store::MemoryBackend as _;

use crate::store_crash::{
    kills, place,
    shelf::{self, count},
    trace::{self, Call, End, Injection},
};

/// Calls of one kind that an update can make at most. Source: chosen; the most frequent one is made some thirty times.
const MAX_CALLS: usize = 300;
/// Tries for a call that the update has made before, before it is believed that it made none this time.
const TRIES: usize = 3;

/// What a store is like before the update that is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
    /// There is none.
    Nothing,
    /// A shelf that was written several times.
    Written,
    /// A shelf whose file is broken, with the last good one beside it.
    Broken,
    /// A shelf with what a killed program left beside it.
    Littered,
}

impl Before {
    pub(crate) const ALL: [Self; 4] = [Self::Nothing, Self::Written, Self::Broken, Self::Littered];

    /// Makes it; gives the least and the most generation that the store may be at after one more update was tried.
    pub(crate) fn make(self, root: &Path) -> (u64, u64) {
        let store = shelf::open(root);
        let write = |times: u64| {
            for _ in 0..times {
                shelf::wait(store.update(&shelf::shelf(), count())).expect("nothing disturbs it");
            }
        };
        match self {
            Self::Nothing => (0, 0),
            Self::Written => {
                write(3);
                (3, 3)
            }
            Self::Broken => {
                write(3);
                let file = place::shelf_file(root);
                let bytes = std::fs::read(&file).expect("it was written");
                std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("it is ours");
                // What was written last is gone with the file; the one before is the last good state.
                (2, 2)
            }
            Self::Littered => {
                write(3);
                place::litter(root);
                (3, 3)
            }
        }
    }
}

/// What the store holds after the update was tried; panics when that is not what it may hold.
pub(crate) fn look(root: &Path, (least, most): (u64, u64), end: &End, what: &str) {
    let store = shelf::open(root);
    let least = if *end == End::Acknowledged {
        least + 1
    } else {
        least
    };
    let state = shelf::wait(store.load(&shelf::shelf()));
    let now =
        shelf::is_one_of(&state, least, most + 1).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
    let next = shelf::wait(store.update(&shelf::shelf(), count()));
    next.unwrap_or_else(|error| panic!("{what}: the next update is refused: {error:?}"));
    let state = shelf::wait(store.load(&shelf::shelf()));
    shelf::is_one_of(&state, now + 1, now + 1)
        .unwrap_or_else(|wrong| panic!("{what}: after the next update {wrong}"));
    let stale = kills::stale(root);
    assert!(
        stale <= 1,
        "{what}: {stale} temporary files after the next update"
    );
}

pub(crate) fn at_every_call() {
    let (mut points, mut kinds) = (0_u32, std::collections::BTreeSet::new());
    for before in Before::ALL {
        let place = place::in_memory();
        before.make(&place.path().join("listed"));
        let listed = trace::update(&place.path().join("listed"), None);
        assert_eq!(listed.end, End::Acknowledged, "{before:?}");
        for (call, made) in trace::counts(&listed.calls) {
            for nth in 1..=MAX_CALLS {
                // What an update does differs little by what was there before, so the quick profile takes an eighth of the others.
                let is_left_out = before != Before::Written && nth % 8 != 1 && nth <= made;
                if !crate::store_crash::profile::full() && is_left_out {
                    continue;
                }
                let killed = (0..if nth <= made { TRIES } else { 1 }).any(|attempt| {
                    let root = place.path().join(format!("{call}-{nth}-{attempt}"));
                    let range = before.make(&root);
                    let when = nth.to_string();
                    let injection = Injection {
                        call: &call,
                        what: "signal=KILL",
                        when: &when,
                    };
                    let traced = trace::update(&root, Some(&injection));
                    let what = format!("{before:?}, killed at {call} {nth}");
                    assert!(
                        matches!(traced.end, End::Killed | End::Acknowledged),
                        "{what}: {:?}",
                        traced.end
                    );
                    look(&root, range, &traced.end, &what);
                    std::fs::remove_dir_all(&root).expect("it is ours");
                    traced.end == End::Killed
                });
                if !killed && nth > made {
                    break;
                }
                points += u32::from(killed);
                kinds.insert(call.clone());
            }
        }
    }
    figure!(
        "C2 killed at every system call: {points} points of {} calls in {} situations, 0 lost, 0 corrupt",
        kinds.len(),
        Before::ALL.len()
    );
    // An update writes a temporary file, flushes it, links, renames, and flushes the folder.
    assert!(
        points >= 43,
        "only {points} points: the tracer saw too little"
    );
}

/// The calls that make an update durable stand in the order that the simulation of power cuts proves to be right.
pub(crate) fn order_of_calls() {
    let place = place::in_memory();
    let root = place.path().join("store");
    Before::Written.make(&root);
    let traced = trace::update(&root, None);
    assert_eq!(traced.end, End::Acknowledged);
    let list = || {
        traced
            .calls
            .iter()
            .map(|call| &*call.text)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let is = |call: &Call, names: &[&str], parts: &[&str]| {
        names.contains(&&*call.name) && parts.iter().all(|part| call.text.contains(part))
    };
    let after = |from: usize, what: &str, names: &[&str], parts: &[&str]| {
        let found = traced
            .calls
            .iter()
            .skip(from)
            .position(|call| is(call, names, parts));
        from + 1
            + found
                .unwrap_or_else(|| panic!("{what} does not come after call {from} of\n{}", list()))
    };
    let flush = ["fsync", "fdatasync"];
    let lock = after(0, "the lock", &["flock", "fcntl"], &["LOCK_EX", "/locks/"]);
    let made = after(
        lock,
        "a new file",
        &["openat", "openat2"],
        &["O_CREAT|O_EXCL", "O_NOFOLLOW", ".tmp"],
    );
    let written = after(
        made,
        "its content",
        &["write"],
        &["/default/counted.json.", ".tmp>"],
    );
    let flushed = after(
        written,
        "its flush",
        &flush,
        &["/default/counted.json.", ".tmp>"],
    );
    let renamed = after(
        flushed,
        "its rename",
        &["renameat", "renameat2"],
        &[".tmp\"", "\"counted.json\""],
    );
    let folder = after(renamed, "the flush of its folder", &flush, &["/default>"]);
    after(folder, "the end of the lock", &["close"], &["/locks/"]);
    let last = traced
        .calls
        .iter()
        .rposition(|call| is(call, &["write"], &[".tmp>"]));
    assert!(
        last.is_some_and(|last| last < flushed),
        "nothing is written after the flush:\n{}",
        list()
    );
    let unlocked = traced
        .calls
        .iter()
        .take(folder)
        .any(|call| is(call, &["close"], &["/locks/"]));
    assert!(!unlocked, "the lock is held until all is done:\n{}", list());
    // Nothing is changed outside, and nothing but the folders above is opened, to make the root's own entry durable.
    let at_root = root.display().to_string();
    let changes = [
        "mkdirat",
        "renameat",
        "renameat2",
        "linkat",
        "unlinkat",
        "mkdir",
        "rename",
        "link",
        "unlink",
    ];
    let is_outside = |call: &&Call| {
        let opens_outside =
            is(call, &["open", "openat", "openat2"], &["\"/"]) && !call.text.contains(&at_root);
        let is_above = |path: &str| root.ancestors().any(|above| above == Path::new(path));
        let path = call.text.split('"').nth(1).unwrap_or_default();
        let only_looks = call.text.contains("O_RDONLY")
            && (is_above(path) || path.starts_with("/proc/") || path.starts_with("/sys/"));
        (opens_outside && !only_looks) || (is(call, &changes, &[]) && !call.text.contains(&at_root))
    };
    let outside: Vec<&Call> = traced.calls.iter().filter(is_outside).collect();
    assert!(outside.is_empty(), "{outside:?}");
    figure!(
        "C2 order: lock, new file, content, flush, rename, flush of the folder, unlock; {} calls in all",
        traced.calls.len()
    );
}

/// The simulation takes it for granted that a folder is durable once it is made: each is, before the answer, by a flush of the
/// folder in which its name stands.
pub(crate) fn new_folders() {
    let place = place::in_memory();
    let root = place.path().join("not/there/store");
    let traced = trace::update(&root, None);
    assert_eq!(traced.end, End::Acknowledged);
    let made: Vec<(usize, String)> = traced
        .calls
        .iter()
        .enumerate()
        .filter_map(|(at, call)| Some((at, parent(call)?)))
        .collect();
    for (at, parent) in &made {
        let flush =
            |call: &Call| call.name == "fsync" && call.text.contains(&format!("<{parent}>)"));
        let text = &traced.calls[*at].text;
        assert!(
            traced.calls[at + 1..].iter().any(flush),
            "{parent} is not flushed after {text}"
        );
    }
    figure!(
        "C2 folders: {} made, each name flushed before the answer",
        made.len()
    );
    // Two above the root, the root, the namespace, the locks.
    assert!(made.len() >= 5, "{made:?}");
}

/// In which folder a call has made one.
fn parent(call: &Call) -> Option<String> {
    if !call.text.ends_with("= 0") {
        return None;
    }
    let path = Path::new(call.text.split('"').nth(1)?);
    match call.name.as_str() {
        "mkdir" => Some(path.parent()?.display().to_string()),
        "mkdirat" => Some(call.text.split(['<', '>']).nth(1)?.to_owned()),
        _ => None,
    }
}
