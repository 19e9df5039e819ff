//! Each system call of an update fails once, or from some moment on always, with each error.

use std::{collections::BTreeSet, fs, path::Path, sync::Mutex, thread};

use crate::store_crash::{
    place,
    points::{Before, look},
    profile,
    trace::{self, End, Injection},
};

const ERRORS: [&str; 8] = [
    "ENOSPC", "EIO", "EROFS", "EACCES", "EXDEV", "EMFILE", "ENOLCK", "EINTR",
];
/// Calls that are not the store's, but belong to threads, memory, time, and the end of the program, without which the standard
/// library cannot go on; and calls that cannot fail.
const MACHINERY: [&str; 26] = [
    "brk",
    "clock_nanosleep",
    "clone",
    "clone3",
    "exit",
    "exit_group",
    "futex",
    "geteuid",
    "getpid",
    "getrandom",
    "gettid",
    "madvise",
    "mmap",
    "mprotect",
    "mremap",
    "munmap",
    "nanosleep",
    "prctl",
    "recvfrom",
    "restart_syscall",
    "rseq",
    "rt_sigprocmask",
    "sched_getaffinity",
    "sched_yield",
    "set_robust_list",
    "sigaltstack",
];
/// Calls that a signal may interrupt, so that the store tries again. Source: the manual pages of Linux.
const INTERRUPTIBLE: [&str; 7] = [
    "openat",
    "read",
    "write",
    "flock",
    "fsync",
    "fdatasync",
    "pread64",
];
/// Calls of one kind that an update can make at most. Source: chosen; the most frequent one is made some thirty times.
const MAX_CALLS: usize = 300;
/// Updates that are disturbed side by side.
const WORKERS: usize = 2;

/// The quick profile lets each call fail with `EIO` where a shelf was written, and with the other errors and in the other
/// situations the first of a kind and one of so many. Source: chosen.
const QUICK_EVERY: usize = 8;

/// One error of one call in one situation; once for each time that the call is made.
#[derive(Debug, Clone)]
struct Trial {
    before: Before,
    call: String,
    /// How often the call is made where nothing fails.
    made: usize,
    error: &'static str,
    /// Whether all later calls fail, too.
    stays: bool,
}

/// What came of the injections.
#[derive(Debug, Default)]
struct Tally {
    injected: u32,
    refused: u32,
    acknowledged: u32,
    calls: BTreeSet<String>,
}

/// All trials, or a share of them that still has each call with each error.
fn trials(place: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    for before in [Before::Nothing, Before::Written, Before::Broken] {
        let root = place.join(format!("{before:?}"));
        before.make(&root);
        let listed = trace::update(&root, None);
        assert_eq!(listed.end, End::Acknowledged, "{before:?}");
        for (call, made) in trace::counts(&listed.calls)
            .into_iter()
            .filter(|(call, _)| !MACHINERY.contains(&&**call))
        {
            for error in ERRORS {
                for stays in [false, true] {
                    // A call that is interrupted for ever is one that is tried for ever.
                    let is_endless = stays && error == "EINTR";
                    // Each call with each error where a shelf was written, with two of them for good,
                    // and with one elsewhere.
                    let is_usual = match before {
                        Before::Written => !stays || matches!(error, "EIO" | "ENOSPC"),
                        _ => !stays && error == "EIO",
                    };
                    if !is_endless && (profile::full() || is_usual) {
                        trials.push(Trial {
                            before,
                            call: call.clone(),
                            made,
                            error,
                            stays,
                        });
                    }
                }
            }
        }
    }
    trials
}

impl Trial {
    fn carry_out(&self, place: &Path, tally: &mut Tally) {
        let Self {
            before,
            call,
            made,
            error,
            stays,
        } = self;
        let way = if *stays { "+" } else { "" };
        let is_whole = *before == Before::Written && *error == "EIO" && !stays;
        for nth in 1..=MAX_CALLS {
            if !profile::full() {
                if nth > *made {
                    return;
                }
                if !is_whole && nth % QUICK_EVERY != 1 {
                    continue;
                }
            }
            let root = place.join(format!("{before:?}-{call}-{error}-{nth}{way}"));
            let range = before.make(&root);
            let (what, when) = (format!("error={error}"), format!("{nth}{way}"));
            let traced = trace::update(
                &root,
                Some(&Injection {
                    call,
                    what: &what,
                    when: &when,
                }),
            );
            let what = format!("{before:?}, {error} from {call} {nth}{way}");
            match &traced.end {
                End::Acknowledged => tally.acknowledged += u32::from(traced.hit),
                End::Refused(_) => tally.refused += 1,
                other => panic!("{what}: {other:?}"),
            }
            look(&root, range, &traced.end, &what);
            fs::remove_dir_all(&root).expect("it is ours");
            if !traced.hit {
                return;
            }
            if *error == "EINTR" && INTERRUPTIBLE.contains(&&**call) {
                assert_eq!(
                    traced.end,
                    End::Acknowledged,
                    "{what}: a signal is no reason to give up"
                );
            }
            tally.injected += 1;
            tally.calls.insert(call.clone());
        }
        panic!("{before:?}: {call} is made more than {MAX_CALLS} times");
    }
}

pub(crate) fn at_every_call() {
    let place = place::in_memory();
    let trials = trials(place.path());
    let tally = Mutex::new(Tally::default());
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (trials, tally, place) = (&trials, &tally, place.path());
            scope.spawn(move || {
                let mut mine = Tally::default();
                for trial in trials.iter().skip(worker).step_by(WORKERS) {
                    trial.carry_out(place, &mut mine);
                }
                let mut all = tally.lock().expect("nobody panics here");
                all.injected += mine.injected;
                all.refused += mine.refused;
                all.acknowledged += mine.acknowledged;
                all.calls.append(&mut mine.calls);
            });
        }
    });
    let Tally {
        injected,
        refused,
        acknowledged,
        calls,
    } = tally.into_inner().expect("nobody panics here");
    figure!(
        "C3 errors of system calls: {injected} injections into {} calls, {refused} refused, {acknowledged} acknowledged and \
         present, 0 panics, 0 false acknowledgements, 0 lost",
        calls.len()
    );
    assert!(
        refused > 0 && acknowledged > 0,
        "{refused} refused, {acknowledged} acknowledged"
    );
    // Some processors have the newer form of the last one only.
    for call in ["openat", "write", "fsync", "flock", "linkat", "renameat"] {
        assert!(
            calls.iter().any(|known| known.starts_with(call)),
            "{call} is not among {calls:?}"
        );
    }
}
