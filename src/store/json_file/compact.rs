//! The clean-up. It deletes the shelves of the hosts that were written least recently, so that the store stays within
//! its caps on hosts and on bytes.
//!
//! A host stays if a person has written something for it, if its folder contains a file that the store does not
//! understand, or if the quarantine contains a broken file of it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use super::{
    Files,
    failure::Failure,
    format::{Document, Parsed, parse},
    fs::{FsEntry, FsKind},
    host_name,
    locks::try_lock,
    place::{DOMAINS, LOCKS, Place, collection_of},
    write::Written,
};
use crate::memory::{Record, Scope, StoreNoticeKind};

/// A clean-up starts when less than `1/HIGH` of a cap is free, and stops when `1/LOW` of the cap is free. Some space
/// must stay free, because updates check the caps only from time to time. Source: chosen.
const HIGH: u64 = 32;
const LOW: u64 = 16;
/// Each check of the caps finds how much the store may still grow before a clean-up starts. A handle of the store
/// checks again when its own writes have used `1/SHARE` of this growth, but not before they have added [`MIN_GROWTH`]
/// bytes or `hosts_between_checks` hosts. Source: chosen; even if eight processes each use their share at once, the
/// store stays below the cap. Near the cap, where the minimums apply, it may exceed the cap on hosts.
const SHARE: u64 = 8;
/// Minimum number of added bytes that makes a check of the caps due. New hosts may make it due earlier. Source: chosen.
const MIN_GROWTH: u64 = 1_024 * 1_024;
/// Longest time that a clean-up waits for the lock of a shelf. If the lock is still held after that time, this
/// shelf and the later ones of the host are not deleted. Source: chosen.
const WAIT: Duration = Duration::from_millis(100);

/// The hosts and bytes that this handle has added to the store since the handle last checked the caps.
#[derive(Debug, Default)]
pub(super) struct Growth(Mutex<Added>);

#[derive(Debug, Default)]
struct Added {
    hosts: u64,
    bytes: u64,
    /// The numbers of new hosts and of added bytes; the next check is due when one of them is reached. `None` before
    /// the first check.
    at: Option<(u64, u64)>,
}

/// The result of a clean-up, which deletes the shelves of the hosts that were written least recently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// Number of hosts that were deleted completely.
    pub hosts: usize,
    /// Total size of the files of these hosts. Files of hosts that were deleted only in part are not counted. Unit:
    /// bytes.
    pub bytes: u64,
}

#[derive(Debug)]
struct HostDir {
    path: PathBuf,
    site: Option<String>,
    age: Duration,
    bytes: u64,
}

impl Files {
    /// Adds a write to the growth of the store. If a check of the caps is due, checks them and cleans up if necessary.
    /// Ignores a failed clean-up.
    pub(super) fn grew(&self, written: &Written, is_host: bool) {
        {
            let mut added = self.growth.0.lock().unwrap_or_else(PoisonError::into_inner);
            added.bytes = added.bytes.saturating_add(written.growth);
            added.hosts += u64::from(is_host && written.is_first);
            let is_due = match added.at {
                None => added.hosts > 0 || added.bytes >= MIN_GROWTH,
                Some((hosts, bytes)) => added.hosts >= hosts || added.bytes >= bytes,
            };
            if !is_due {
                return;
            }
            // During the check, these numbers keep other threads that use this handle from starting another check.
            *added = Added {
                hosts: 0,
                bytes: 0,
                at: Some((u64::MAX, u64::MAX)),
            };
        }
        if self.compact().is_err() {
            let look_again = Some((self.options.hosts_between_checks as u64, MIN_GROWTH));
            self.growth
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .at = look_again;
        }
    }

    /// Checks the caps. If less than `1/HIGH` of a cap is free, deletes hosts until `1/LOW` of it is free or only hosts
    /// that must stay are left. Also deletes hosts of a site that has too many. Does nothing if another clean-up is
    /// running.
    pub(super) fn compact(&self) -> Result<Compacted, Failure> {
        let mut done = Compacted::default();
        let Some(_held) = try_lock(&*self.fs, &Path::new(LOCKS).join("compact"))? else {
            self.look_again_after(0, 0);
            return Ok(done);
        };
        let (mut dirs, mut total) = self.survey()?;
        // The hosts that were written least recently come first.
        dirs.sort_by(|a, b| b.age.cmp(&a.age).then_with(|| a.path.cmp(&b.path)));
        let mut hosts = dirs.len() as u64;
        let max_hosts = self.options.max_hosts as u64;
        let max_bytes = self.options.max_total_bytes;
        let (are_many, is_much) = (hosts > high(max_hosts), total > high(max_bytes));
        let mut of_site: BTreeMap<&str, usize> = BTreeMap::new();
        for site in dirs.iter().filter_map(|dir| dir.site.as_deref()) {
            *of_site.entry(site).or_default() += 1;
        }
        for dir in &dirs {
            let crowd = dir.site.as_deref().and_then(|site| of_site.get_mut(site));
            let is_crowd = crowd
                .as_ref()
                .is_some_and(|count| **count > self.options.max_hosts_per_site);
            let is_over =
                (are_many && hosts > low(max_hosts)) || (is_much && total > low(max_bytes));
            if (is_crowd || is_over) && self.forget(dir)? {
                hosts -= 1;
                total = total.saturating_sub(dir.bytes);
                if let Some(count) = crowd {
                    *count -= 1;
                }
                done.hosts += 1;
                done.bytes += dir.bytes;
            }
        }
        if done.hosts > 0 {
            self.notices.did(
                None,
                StoreNoticeKind::Compacted {
                    hosts: done.hosts,
                    bytes: done.bytes,
                },
            );
        }
        if hosts > max_hosts || total > max_bytes {
            self.notices.found(None, StoreNoticeKind::OverCaps);
        }
        self.look_again_after(
            high(max_hosts).saturating_sub(hosts),
            high(max_bytes).saturating_sub(total),
        );
        Ok(done)
    }

    fn look_again_after(&self, room_for_hosts: u64, room_for_bytes: u64) {
        let hosts = (room_for_hosts / SHARE).max(self.options.hosts_between_checks as u64);
        let bytes = (room_for_bytes / SHARE).max(MIN_GROWTH);
        *self.growth.0.lock().unwrap_or_else(PoisonError::into_inner) = Added {
            hosts: 0,
            bytes: 0,
            at: Some((hosts, bytes)),
        };
    }

    fn survey(&self) -> Result<(Vec<HostDir>, u64), Failure> {
        let (mut dirs, mut total) = (Vec::new(), 0);
        for namespace in self
            .list(Path::new(""))?
            .iter()
            .filter(|entry| entry.kind == FsKind::Dir)
        {
            if namespace.name == LOCKS {
                continue;
            }
            let namespace = PathBuf::from(&namespace.name);
            for entry in self.list(&namespace)? {
                match entry.kind {
                    FsKind::Dir if entry.name != DOMAINS => {
                        total += size(&self.list(&namespace.join(entry.name))?);
                    }
                    FsKind::Dir | FsKind::Other => {}
                    FsKind::File => total += entry.size,
                }
            }
            let domains = namespace.join(DOMAINS);
            for entry in self
                .list(&domains)?
                .into_iter()
                .filter(|entry| entry.kind == FsKind::Dir)
            {
                let path = domains.join(&entry.name);
                let entries = self.list(&path)?;
                let bytes = size(&entries);
                // The cap on the hosts of a site applies to each namespace separately.
                let site = self.site_of(&path, &entry.name, &entries);
                let site = site.map(|site| format!("{}/{site}", namespace.display()));
                total += bytes;
                dirs.push(HostDir {
                    path,
                    site,
                    age: entry.age,
                    bytes,
                });
            }
        }
        Ok((dirs, total))
    }

    /// Deletes a host's shelves and folder, unless the host must stay. Returns true if the folder was removed.
    fn forget(&self, dir: &HostDir) -> Result<bool, Failure> {
        let entries = self.list(&dir.path)?;
        let mut places = Vec::new();
        for entry in entries
            .iter()
            .filter(|entry| collection_of(&entry.name).is_some())
        {
            match self.place_to_forget(&dir.path.join(&entry.name)) {
                Some(found) => places.push(found),
                None => return Ok(false),
            }
        }
        // The host stays if its folder contains a file of no known shelf.
        let is_known = |entry: &FsEntry| {
            entry.kind == FsKind::File && places.iter().any(|(place, _)| place.owns(&entry.name))
        };
        if !entries.iter().all(is_known) {
            return Ok(false);
        }
        // A broken file in quarantine may hold something that nobody has read. Without its shelf, nobody could remove it.
        for (place, _) in &places {
            if !self.quarantined(place)?.is_empty() {
                return Ok(false);
            }
        }
        for (place, generation) in &places {
            let Ok(_held) = self
                .locks
                .acquire(&*self.fs, place.stripe, &place.lock(), WAIT)
            else {
                return Ok(false);
            };
            // The shelf is checked again, because no other writer can change it now.
            if self
                .place_to_forget(&place.file())
                .is_none_or(|(_, now)| now != *generation)
            {
                return Ok(false);
            }
            self.unlink_shelf(place)?;
        }
        // The removal fails if another writer has begun to write another shelf of this host; the folder then stays.
        Ok(self.fs.remove_dir(&dir.path).is_ok())
    }

    /// Returns the place and the generation of the shelf that is stored in the file at this path. Returns `None` if the
    /// file must stay: the store does not understand it, or a person wrote one of its records.
    fn place_to_forget(&self, path: &Path) -> Option<(Place, u64)> {
        let document = self.document_at(path)?;
        let place = Place::of(&document.shelf)
            .ok()
            .filter(|place| place.file() == path)?;
        (!document.records.iter().any(Record::is_from_a_person))
            .then_some((place, document.generation))
    }

    /// Returns the document in a file, whichever shelf it belongs to; `None` if the store does not understand the file.
    fn document_at(&self, path: &Path) -> Option<Document> {
        let bytes = self.fs.read(path, self.options.max_file_bytes).ok()?;
        match parse(&bytes, None, self.schema) {
            Parsed::Good(document) => Some(document),
            _ => None,
        }
    }

    /// Returns the [site](crate::base::Site) of a folder's host. The host is decoded from the folder's name or, if the
    /// name was shortened, read from a file in the folder. Returns `None` if the host is not known or no URL can have
    /// it.
    fn site_of(&self, dir: &Path, name: &str, entries: &[FsEntry]) -> Option<String> {
        if let Some(host) = host_name::decode(name) {
            return host.site().map(|site| site.to_string());
        }
        let file = entries
            .iter()
            .find(|entry| collection_of(&entry.name).is_some())?;
        match self.document_at(&dir.join(&file.name))?.shelf.scope {
            Scope::Host(host) => host.site().map(|site| site.to_string()),
            Scope::Global => None,
        }
    }
}

fn high(max: u64) -> u64 {
    max - max / HIGH
}

fn low(max: u64) -> u64 {
    max - max / LOW
}

fn size(entries: &[FsEntry]) -> u64 {
    entries
        .iter()
        .filter(|entry| entry.kind == FsKind::File)
        .map(|entry| entry.size)
        .sum()
}
