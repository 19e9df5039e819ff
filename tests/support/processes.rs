//! Processes of this machine, as /proc tells of them: what was started for a folder, and what of it is left. Include it with
//! `#[path]`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// How long what was started may outlive its owner. Unit: time. Source: the promise is 3 s on an idle machine; a loaded
/// one gets twenty times as much, and the figure that is printed tells.
pub(crate) const ORPHAN: Duration = Duration::from_mins(1);

/// A process that no other can be mistaken for: number and time of its start.
pub(crate) type Known = (u32, String);

fn stat(pid: u32) -> Option<(u32, Known)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    // A zombie only waits for its parent to ask how it ended. But if it has other threads, these are still ending, and its
    // files and locks are not released yet.
    let threads: u32 = rest.get(17)?.parse().ok()?;
    let alive = threads > 1 || rest.first().is_some_and(|state| *state != "Z");
    alive.then(|| {
        Some((
            rest.get(1)?.parse().ok()?,
            (pid, (*rest.get(19)?).to_owned()),
        ))
    })?
}

/// All processes, with their parents.
fn all() -> Vec<(u32, Known)> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    entries
        .filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?))
        .collect()
}

/// Whether a process has this folder in its arguments or its environment: whatever a browser consists of has.
fn names(pid: u32, folder: &Path) -> bool {
    let folder = folder.to_str().expect("a plain path");
    ["cmdline", "environ"].iter().any(|file| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(folder))
    })
}

/// The processes that name a folder, a process itself, and everything started by one of them.
pub(crate) fn family(folder: &Path, root: u32) -> BTreeSet<Known> {
    let all = all();
    let mut found: BTreeSet<Known> = all
        .iter()
        .map(|(_, known)| known)
        .filter(|(pid, _)| *pid == root || names(*pid, folder))
        .cloned()
        .collect();
    loop {
        let pids: BTreeSet<u32> = found.iter().map(|(pid, _)| *pid).collect();
        let before = found.len();
        found.extend(
            all.iter()
                .filter(|(parent, _)| pids.contains(parent))
                .map(|(_, known)| known.clone()),
        );
        if found.len() == before {
            return found;
        }
    }
}

/// Waits until none of these lives and none names the folder; gives how long it took and what is left.
pub(crate) fn gone(folder: &Path, known: &BTreeSet<Known>) -> (Duration, BTreeSet<Known>) {
    let begin = Instant::now();
    loop {
        let left: BTreeSet<Known> = all()
            .into_iter()
            .map(|(_, one)| one)
            .filter(|one| known.contains(one) || names(one.0, folder))
            .collect();
        if left.is_empty() || begin.elapsed() > ORPHAN {
            return (begin.elapsed(), left);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that name a folder.
pub(crate) fn naming(folder: &Path) -> Vec<u32> {
    all()
        .into_iter()
        .map(|(_, (pid, _))| pid)
        .filter(|pid| names(*pid, folder))
        .collect()
}

/// The processes that name a folder and have this among their arguments.
pub(crate) fn naming_with(folder: &Path, argument: &str) -> Vec<u32> {
    let has = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        // Chromium's own children have all of theirs in one.
        String::from_utf8_lossy(&line)
            .split(['\0', ' '])
            .any(|one| one == argument)
    };
    naming(folder).into_iter().filter(has).collect()
}

/// Sends a signal to a process.
pub(crate) fn signal(pid: u32, signal: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), &pid.to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "process {pid} is there to get {signal}");
}
