//! What is left of a run: processes, locks, and files that cannot be read. Include it with `#[path]`.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use serde_json::Value;
use webwise::event::RunFolder;

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Locks that somebody holds on a file below a folder.
pub(crate) fn locks(folder: &Path) -> usize {
    let held = fs::read_to_string("/proc/locks").unwrap();
    let inodes: BTreeSet<String> = files(folder)
        .iter()
        .filter_map(|file| Some(fs::symlink_metadata(file).ok()?.ino().to_string()))
        .collect();
    // The sixth word is `major:minor:inode`.
    let inode = |line: &str| {
        line.split_whitespace()
            .find(|w| w.matches(':').count() == 2)
            .map(|w| w.rsplit(':').next().unwrap().to_owned())
    };
    held.lines()
        .filter_map(inode)
        .filter(|inode| inodes.contains(inode))
        .count()
}

/// What cannot be read of the runs in a folder: a meta that is none, a line that is no event.
pub(crate) fn unreadable(runs: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for run in fs::read_dir(runs)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
    {
        let name = run.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with(".new-") {
            // It had no name yet, so nobody reads it.
            continue;
        }
        let meta = fs::read(run.join("run_meta.json"))
            .ok()
            .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        if meta.is_none_or(|meta| meta["run"] != name.as_str() || meta["version"] != 2) {
            wrong.push(format!("{name}/run_meta.json"));
        }
        for file in files(&run)
            .into_iter()
            .filter(|file| file.extension().is_some_and(|e| e == "jsonl"))
        {
            wrong.extend(
                bad_lines(&file)
                    .into_iter()
                    .map(|line| format!("{}: {line}", file.display())),
            );
        }
    }
    wrong
}

/// The lines of a file that do not read back.
pub(crate) fn bad_lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| format!("{error}"));
    let cut = |line: &str| line.chars().take(120).collect();
    if file.ends_with("reasoning.jsonl") {
        let is_fine = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
        return text
            .lines()
            .filter(|line| !is_fine(line))
            .map(cut)
            .collect();
    }
    match RunFolder::read(file) {
        Ok(events) => events
            .zip(text.lines())
            .filter(|(event, _)| event.is_err())
            .map(|(_, line)| cut(line))
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}
