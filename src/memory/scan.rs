//! A search for secrets in stored records. Pure.

use std::{collections::BTreeSet, sync::Arc};

use super::{AdviceId, MemoryKind, Record, Shelf, diff::item};
use crate::secret::Redactor;

/// The result of a search for secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scan {
    /// Number of items that were searched.
    pub items: usize,
    /// Number of bytes that were searched: keys, bodies and the names of shelves.
    pub bytes: usize,
    /// The items that show a secret, in any form that [`Redactor::FORMS`] lists.
    pub hits: BTreeSet<AdviceId>,
}

/// Searches records for the secrets of a redactor.
pub fn scan(
    shelves: &[(Shelf, Vec<Record>)],
    kinds: &[Arc<dyn MemoryKind>],
    secrets: &Redactor,
) -> Scan {
    let mut scan = Scan::default();
    for (shelf, records) in shelves {
        let name = shelf.to_string();
        let is_named = secrets.contains(&name);
        scan.bytes += name.len();
        let mut items = BTreeSet::new();
        for record in records {
            let body = record.body.to_string();
            scan.bytes += record.key.len() + body.len();
            let key = item(shelf, &record.key, kinds);
            items.insert(key);
            if is_named || secrets.contains(&record.key) || secrets.contains(&body) {
                scan.hits.insert(AdviceId {
                    shelf: shelf.clone(),
                    key: key.to_owned(),
                });
            }
        }
        scan.items += items.len();
    }
    scan
}
