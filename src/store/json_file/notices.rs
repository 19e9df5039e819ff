//! Keeps the notices of the store until the caller collects them.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::memory::{Shelf, StoreNotice, StoreNoticeKind};

/// Maximum number of notices that wait until the caller collects them. While so many notices wait, new ones are
/// dropped. Source: chosen; the first notices show the problem.
const MAX_WAITING: usize = 256;
/// Maximum number of findings (facts about a shelf's file) that are remembered so that they are not reported again. At
/// the maximum, the next new finding replaces all of them. Source: chosen.
const MAX_TOLD: usize = 1_024;

#[derive(Debug, Default)]
pub(super) struct Notices(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Vec<StoreNotice>,
    told: HashSet<StoreNotice>,
}

impl Notices {
    pub(super) fn did(&self, shelf: Option<&Shelf>, kind: StoreNoticeKind) {
        let notice = StoreNotice {
            shelf: shelf.cloned(),
            kind,
        };
        let mut inner = self.lock();
        // A repair replaces the notice of the damage that it repaired.
        if matches!(
            notice.kind,
            StoreNoticeKind::RestoredFromBackup | StoreNoticeKind::Salvaged { .. }
        ) {
            inner.waiting.retain(|other| {
                other.shelf != notice.shelf
                    || !matches!(other.kind, StoreNoticeKind::Damaged { .. })
            });
        }
        if inner.waiting.len() < MAX_WAITING && !inner.waiting.contains(&notice) {
            inner.waiting.push(notice);
        }
    }

    /// Adds a notice of a finding, such as damage in a shelf's file, unless an equal finding was reported before.
    pub(super) fn found(&self, shelf: Option<&Shelf>, kind: StoreNoticeKind) {
        let notice = StoreNotice {
            shelf: shelf.cloned(),
            kind,
        };
        let mut inner = self.lock();
        if inner.told.contains(&notice) || inner.waiting.len() >= MAX_WAITING {
            return;
        }
        if inner.told.len() >= MAX_TOLD {
            inner.told.clear();
        }
        inner.told.insert(notice.clone());
        inner.waiting.push(notice);
    }

    pub(super) fn tightened(&self, paths: Vec<PathBuf>) {
        for path in paths {
            // The path is written with the same separator on every system.
            let path = path
                .iter()
                .map(|part| part.to_string_lossy())
                .collect::<Vec<_>>()
                .join("/");
            self.did(None, StoreNoticeKind::ModesTightened { path });
        }
    }

    pub(super) fn take(&self) -> Vec<StoreNotice> {
        std::mem::take(&mut self.lock().waiting)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
