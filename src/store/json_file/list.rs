//! Lists the shelves of the store. Only this module and the clean-up read several shelves in one call.

use std::path::{Path, PathBuf};

use super::{
    Files,
    failure::Failure,
    format::{Parsed, parse},
    fs::FsKind,
    place::{self, DOMAINS, LOCKS, Place, collection_of},
    salvage,
};
use crate::{
    memory::{Shelf, ShelfFilter, kinds, waiting::is_for_waiting},
    registry::is_registry,
};

impl Files {
    /// Returns the shelves that the filter selects, in order. A shelf that is intact and empty is left out, unless the
    /// filter selects empty shelves, its backup still has records, or the quarantine has a broken file of it.
    ///
    /// The identity of a shelf (namespace, collection and scope) is read from the shelf's file or from its backup. If
    /// neither names a shelf of this path, the identity is derived from the path, but only for collections of this program.
    pub(super) fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>, Failure> {
        let mut shelves = Vec::new();
        for dir in self.dirs(filter)? {
            for entry in self.list(&dir)? {
                let name = entry.name.strip_suffix(".bak").unwrap_or(&entry.name);
                let is_wanted = |collection| {
                    filter
                        .collection
                        .as_deref()
                        .is_none_or(|wanted| wanted == collection)
                };
                if entry.kind == FsKind::File && collection_of(name).is_some_and(is_wanted) {
                    shelves.extend(self.shelf_at(&dir.join(name), filter));
                }
            }
        }
        shelves.sort();
        shelves.dedup();
        Ok(shelves)
    }

    fn dirs(&self, filter: &ShelfFilter) -> Result<Vec<PathBuf>, Failure> {
        if let (Some(namespace), Some(scope)) = (&filter.namespace, &filter.scope) {
            let any = Shelf {
                namespace: namespace.clone(),
                collection: "any".to_owned(),
                scope: scope.clone(),
            };
            return Ok(vec![Place::of(&any)?.dir]);
        }
        let mut dirs = Vec::new();
        for namespace in self
            .list(Path::new(""))?
            .into_iter()
            .filter(|entry| entry.kind == FsKind::Dir)
        {
            if namespace.name == LOCKS {
                continue;
            }
            let namespace = PathBuf::from(namespace.name);
            let domains = namespace.join(DOMAINS);
            let hosts = self
                .list(&domains)?
                .into_iter()
                .filter(|entry| entry.kind == FsKind::Dir);
            dirs.extend(hosts.map(|entry| domains.join(entry.name)));
            dirs.push(namespace);
        }
        Ok(dirs)
    }

    /// Returns the shelf that is stored in the file at this path. Returns `None` if the shelf is unknown, not selected
    /// by the filter, or empty and the filter does not select empty shelves.
    fn shelf_at(&self, path: &Path, filter: &ShelfFilter) -> Option<Shelf> {
        // The shelf's identity is in the file or in its backup. The shelf is then read to find out whether it contains anything.
        let backup = path.with_added_extension("bak");
        let at_path = |shelf: &Shelf| Place::of(shelf).is_ok_and(|place| place.file() == path);
        let whose = [path, &backup].into_iter().find_map(|path| {
            let bytes = self.fs.read(path, self.options.max_file_bytes).ok()?;
            let named = match parse(&bytes, None, self.schema) {
                Parsed::Good(document) | Parsed::Newer(document) => {
                    (document.shelf, document.records.is_empty())
                }
                _ => (salvage::whose(&bytes)?, true),
            };
            Some(named).filter(|(shelf, _)| at_path(shelf))
        });
        let (shelf, is_empty) = whose.or_else(|| {
            let shelf = place::shelf_of(path).filter(is_of_program)?;
            Some((shelf, true))
        })?;
        let is_held =
            filter.with_empty || !is_empty || self.holds_something(&shelf).unwrap_or(true);
        (is_held && filter.matches(&shelf)).then_some(shelf)
    }

    /// Returns true if a shelf has records or broken files, or if its backup has records. Fails if a file cannot be read.
    pub(super) fn holds_something(&self, shelf: &Shelf) -> Result<bool, Failure> {
        let place = Place::of(shelf)?;
        let found = self.find(&place, shelf)?;
        Ok(!found.document.records.is_empty()
            || !found.bad.is_empty()
            || self.backup_has_records(&place, shelf)?
            || !self.quarantined(&place)?.is_empty())
    }
}

fn is_of_program(shelf: &Shelf) -> bool {
    let is_of_kind = || kinds().iter().any(|kind| kind.name() == shelf.collection);
    is_for_waiting(shelf) || is_registry(shelf) || is_of_kind()
}
