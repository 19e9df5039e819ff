//! Learns from the digests of earlier runs. A digest is the part of a run's log that a kind of memory learns from. It
//! waits in the store if memory could not be updated when its run ended.

use tokio::time::Instant;

use super::{Asking, Engine};
use crate::{
    agent::emit::elapsed_ms,
    base::{ErrorKind, Result},
    memory::{
        Edit, Shelf,
        waiting::{self, Backlog, Group},
    },
    store::MemoryBackend,
};

impl Engine {
    /// Learns from all digests that wait in the store, whichever process stored them.
    pub(in crate::agent) async fn prepare(
        &mut self,
        store: &impl MemoryBackend,
        asking: Asking<'_>,
    ) {
        if self.kinds.is_empty() {
            return;
        }
        for shelf in waiting::shelves(&self.namespace) {
            match self.catch_up(store, &shelf, asking).await {
                Ok(()) => {}
                // Other runs are writing. Nothing is lost: the next start tries again.
                Err(error) if error.kind() == ErrorKind::Busy => return,
                Err(error) => return self.tell(error, asking),
            }
        }
    }

    /// Learns from the digests on this [`Shelf`] of the store, and removes them from the shelf.
    ///
    /// # Errors
    /// The store's error, if the store cannot be used now. Digests from which nothing was learned yet stay on the
    /// shelf.
    async fn catch_up(
        &mut self,
        store: &impl MemoryBackend,
        shelf: &Shelf,
        asking: Asking<'_>,
    ) -> Result<()> {
        let records = self.within(store.load(shelf)).await?.records;
        let mut backlog = Backlog::of(&self.kinds, &self.namespace, &records);
        for error in std::mem::take(&mut backlog.errors) {
            self.tell(error, asking);
        }
        let mut stopped = Ok(());
        for group in std::mem::take(&mut backlog.groups) {
            // If the store refuses one change for now, do not try the others.
            if stopped.is_ok() {
                stopped = self.learn_group(store, &group, &mut backlog, asking).await;
            } else {
                backlog.keep(&group, &group.edits);
            }
        }
        let done = backlog.done();
        if !done.is_empty() {
            let edit = Edit::new(move |_| Ok(done.clone()));
            // After an error the next start learns from these runs again, but each run is counted only once.
            let removed = self.within(store.update(shelf, edit)).await;
            stopped = stopped.and(removed.map(drop));
        }
        stopped
    }

    /// Applies the edits that all waiting runs make to one shelf of the store, in one update. If the store refuses this
    /// update permanently, applies the edits one by one, so that one bad edit does not hold up the others.
    async fn learn_group(
        &mut self,
        store: &impl MemoryBackend,
        group: &Group,
        backlog: &mut Backlog,
        asking: Asking<'_>,
    ) -> Result<()> {
        let mut parts = vec![&group.edits[..]];
        while let Some(part) = parts.pop() {
            let edit = Edit::together(part.iter().map(|(_, edit)| edit.clone()).collect());
            let started = Instant::now();
            let counted = store.update(&group.shelf, self.counting(edit.clone()));
            match self.within(counted).await {
                Ok(committed) => {
                    let runs: Vec<_> = part.iter().map(|(run, _)| run).collect();
                    let committed = (committed, elapsed_ms(started));
                    self.committed(&*group.kind, &group.shelf, &runs, committed, asking);
                }
                Err(error) if error.is_retryable() => {
                    self.keep_here(store, &group.shelf, &edit, asking).await;
                    backlog.keep(group, part);
                    parts.drain(..).for_each(|part| backlog.keep(group, part));
                    return Err(error);
                }
                Err(_) if part.len() > 1 => parts.extend(part.chunks(1).rev()),
                Err(error) => {
                    self.keep_here(store, &group.shelf, &edit, asking).await;
                    backlog.keep(group, part);
                    self.tell(error, asking);
                }
            }
        }
        Ok(())
    }
}
