//! What may be on a disk when the power comes back.
//!
//! The model follows POSIX and knows no particular file system: of the changes of names that were not synced, any may be
//! there and any may be missing, later ones without earlier ones too; a file that was not synced has its old content, all of
//! the new one, a part of it, zeros, or nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
    sync::Arc,
};

use super::{
    Disk,
    disk::{File, Node, apply},
};
use crate::profile::pick;

/// Unsynced changes of names of which every choice is tried. Source: chosen; an update has four or five.
const MAX_PENDING: usize = 10;
/// Contents that are tried together when several files are open. Source: chosen; an update has one open file.
const MAX_TOGETHER: usize = 1_024;
/// Between two places where a file may be torn: in the quick profile and in the full one. Unit: bytes. Source: chosen; odd, so
/// that it meets all kinds of places.
const STEP: (usize, usize) = (191, 47);
/// What a disk writes at once. Unit: bytes. Source: the smallest sector.
const BLOCK: usize = 512;

/// What is in each file, by its number.
type Contents = BTreeMap<usize, Arc<Vec<u8>>>;

/// Each disk that a power cut may leave of this one, without repetitions.
pub(crate) fn after_a_cut(disk: &Disk) -> Vec<Disk> {
    let (mut left, mut seen) = (Vec::new(), HashSet::new());
    assert!(
        disk.pending.len() <= MAX_PENDING,
        "more changes are open at once than can be tried"
    );
    for choice in 0..1_u32 << disk.pending.len() {
        let mut names = disk.durable.clone();
        for (nth, pending) in disk.pending.iter().enumerate() {
            if choice & 1 << nth != 0 {
                for (path, node) in &pending.effects {
                    apply(&mut names, path.clone(), *node);
                }
            }
        }
        for contents in contents_of(disk, &names) {
            if seen.insert(key(&names, &contents)) {
                left.push(Disk::left(names.clone(), &contents, disk.time()));
            }
        }
    }
    left
}

/// Tells whether two disks hold the same, whatever their files' numbers are.
pub(crate) fn fingerprint(disk: &Disk) -> u64 {
    let contents = disk
        .files
        .iter()
        .enumerate()
        .map(|(inode, file)| (inode, Arc::clone(&file.now)));
    key(&disk.names, &contents.collect())
}

fn key(names: &BTreeMap<PathBuf, Node>, contents: &Contents) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (path, node) in names {
        path.hash(&mut hasher);
        match node {
            Node::Dir => hasher.write_u8(0),
            Node::File(inode) => contents.get(inode).hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// Each choice of contents for the files that have a name. Where several files are open, all choices together when they are
/// few, else those of one file after the other, with all of the rest kept and with all of the rest lost.
fn contents_of(disk: &Disk, names: &BTreeMap<PathBuf, Node>) -> Vec<Contents> {
    let inodes: BTreeSet<usize> = names.values().filter_map(Node::inode).collect();
    let (open, closed): (Vec<usize>, Vec<usize>) = inodes
        .iter()
        .partition(|inode| disk.files[**inode].durable.is_none());
    let sure: Contents = closed
        .iter()
        .map(|inode| (*inode, Arc::clone(&disk.files[*inode].now)))
        .collect();
    let choices: Vec<Vec<Arc<Vec<u8>>>> = open
        .iter()
        .map(|inode| choices(&disk.files[*inode]))
        .collect();
    let together = choices
        .iter()
        .try_fold(1_usize, |all, choices| all.checked_mul(choices.len()));
    if together.is_some_and(|all| all <= MAX_TOGETHER) {
        return open
            .iter()
            .zip(&choices)
            .fold(vec![sure], |all, (inode, choices)| {
                let with = |before: &Contents| {
                    choices
                        .iter()
                        .map(|content| with(before, *inode, content))
                        .collect::<Vec<_>>()
                };
                all.iter().flat_map(with).collect()
            });
    }
    let mut all = Vec::new();
    for rest in [
        |file: &File| Arc::clone(&file.now),
        |file: &File| Arc::clone(&file.before),
    ] {
        let rest = open.iter().fold(sure.clone(), |all, inode| {
            with(&all, *inode, &rest(&disk.files[*inode]))
        });
        for (inode, choices) in open.iter().zip(&choices) {
            all.extend(choices.iter().map(|content| with(&rest, *inode, content)));
        }
    }
    all
}

fn with(contents: &Contents, inode: usize, content: &Arc<Vec<u8>>) -> Contents {
    let mut contents = contents.clone();
    contents.insert(inode, Arc::clone(content));
    contents
}

/// What may be in a file that was written and not synced.
fn choices(file: &File) -> Vec<Arc<Vec<u8>>> {
    let (before, now) = (&file.before, &file.now);
    let len = now.len();
    let mut choices = vec![
        Arc::clone(before),
        Arc::clone(now),
        Arc::default(),
        Arc::new(vec![0; len]),
    ];
    // Torn: the rest is missing, or it is zeros.
    for cut in (1..len).step_by(pick(STEP.0, STEP.1)) {
        let mut torn = now[..cut].to_vec();
        choices.push(Arc::new(torn.clone()));
        torn.resize(len, 0);
        choices.push(Arc::new(torn));
    }
    // Blocks reach the disk in any order: one of them is still what it was.
    for from in (0..len).step_by(BLOCK) {
        let to = (from + BLOCK).min(len);
        let mut mixed = now.to_vec();
        for (at, byte) in mixed.iter_mut().enumerate().take(to).skip(from) {
            *byte = before.get(at).copied().unwrap_or(0);
        }
        choices.push(Arc::new(mixed));
    }
    choices
}
