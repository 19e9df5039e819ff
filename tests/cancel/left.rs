//! What is left of a run: processes, locks, and files that cannot be read.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use webwise::event::Event;

/// How long what was started may outlive its owner. Unit: time. Source: the promise is 3 s on an idle machine; a loaded
/// one gets five times as much, and the figure that is printed tells.
pub(crate) const ORPHAN: Duration = Duration::from_secs(15);

/// A process that no other can be mistaken for: number and time of its start.
pub(crate) type Known = (u32, String);

fn stat(pid: u32) -> Option<(u32, Known)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    // A zombie only waits for its parent to ask how it ended.
    let alive = rest.first().is_some_and(|state| *state != "Z");
    alive.then(|| Some((rest.get(1)?.parse().ok()?, (pid, (*rest.get(19)?).to_owned()))))?
}

/// All processes, with their parents.
fn all() -> Vec<(u32, Known)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| stat(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Whether a process has this folder in its arguments or its environment: whatever a browser consists of has.
fn names(pid: u32, folder: &Path) -> bool {
    let folder = folder.to_str().unwrap();
    ["cmdline", "environ"].iter().any(|file| {
        fs::read(format!("/proc/{pid}/{file}")).is_ok_and(|text| String::from_utf8_lossy(&text).contains(folder))
    })
}

/// The processes that name a folder, a process itself, and everything started by one of them.
pub(crate) fn family(folder: &Path, root: u32) -> BTreeSet<Known> {
    let all = all();
    let mut found: BTreeSet<Known> =
        all.iter().map(|(_, known)| known).filter(|(pid, _)| *pid == root || names(*pid, folder)).cloned().collect();
    loop {
        let pids: BTreeSet<u32> = found.iter().map(|(pid, _)| *pid).collect();
        let before = found.len();
        found.extend(all.iter().filter(|(parent, _)| pids.contains(parent)).map(|(_, known)| known.clone()));
        if found.len() == before {
            return found;
        }
    }
}

/// Waits until none of these lives and none names the folder; gives how long it took and what is left.
pub(crate) fn gone(folder: &Path, known: &BTreeSet<Known>) -> (Duration, BTreeSet<Known>) {
    let begin = Instant::now();
    loop {
        let left: BTreeSet<Known> =
            all().into_iter().map(|(_, one)| one).filter(|one| known.contains(one) || names(one.0, folder)).collect();
        if left.is_empty() || begin.elapsed() > ORPHAN {
            return (begin.elapsed(), left);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

/// Locks that somebody holds on a file below a folder.
pub(crate) fn locks(folder: &Path) -> usize {
    let held = fs::read_to_string("/proc/locks").unwrap();
    let inodes: BTreeSet<String> =
        files(folder).iter().filter_map(|file| Some(fs::symlink_metadata(file).ok()?.ino().to_string())).collect();
    // The sixth word is `major:minor:inode`.
    let inode = |line: &str| {
        line.split_whitespace().find(|w| w.matches(':').count() == 2).map(|w| w.rsplit(':').next().unwrap().to_owned())
    };
    held.lines().filter_map(inode).filter(|inode| inodes.contains(inode)).count()
}

/// What cannot be read of the runs in a folder: a meta that is none, a line that is no event.
pub(crate) fn unreadable(runs: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for run in fs::read_dir(runs).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = run.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with(".new-") {
            // It had no name yet, so nobody reads it.
            continue;
        }
        let meta =
            fs::read(run.join("run_meta.json")).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        if meta.is_none_or(|meta| meta["run"] != name.as_str() || meta["version"] != 1) {
            wrong.push(format!("{name}/run_meta.json"));
        }
        for file in files(&run).into_iter().filter(|file| file.extension().is_some_and(|e| e == "jsonl")) {
            wrong.extend(bad_lines(&file).into_iter().map(|line| format!("{}: {line}", file.display())));
        }
    }
    wrong
}

/// The lines of a file that do not read back.
pub(crate) fn bad_lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| format!("{error}"));
    let is_fine = |line: &&str| {
        if file.ends_with("reasoning.jsonl") {
            serde_json::from_str::<Value>(line).is_ok()
        } else {
            serde_json::from_str::<Event>(line).is_ok()
        }
    };
    text.lines().filter(|line| !is_fine(line)).map(|line| line.chars().take(120).collect()).collect()
}
