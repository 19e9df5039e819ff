//! Keeps the register of runs in a store.

use chrono::{DateTime, Utc};

use super::MemoryBackend;
use crate::{
    base::{Error, ErrorKind, Result, RunId, SessionId},
    memory::{Change, Committed, Edit, Namespace, Record, Shelf, ShelfFilter},
    registry::{
        self, Checkpoint, Continuation, End, Heartbeat, RunFilter, RunManifest, checkpoint_shelf,
        manifest_shelf,
    },
};

/// Maximum number of runs in the result of [`RunRegistry::lineage`]. Source: chosen.
const MAX_LINEAGE: usize = 100;

/// The right to write a run's manifest and checkpoint. The right ends when another process takes over the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    run: RunId,
    number: u32,
}

impl Lease {
    /// Returns the run that the holder of this lease may write.
    pub const fn run(&self) -> &RunId {
        &self.run
    }
}

/// The result of writing data of a run with a [`Lease`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The data was written.
    Yes,
    /// Nothing was written, because another process has taken over the run and holds the run's lease now. The caller
    /// must stop working on the run.
    Taken,
    /// Nothing was written, because the run is no longer in the register: a person had it removed, or it was removed as
    /// an old run when another run started. [`keep`](RunRegistry::keep) also returns this value if `is_first` is false
    /// and the run has no checkpoint.
    Forgotten,
}

/// A run that this process continues, because the run was interrupted or ended without an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Taken {
    /// The right to write the run's manifest and checkpoint.
    pub lease: Lease,
    /// The run's manifest.
    pub manifest: RunManifest,
    /// The run's last checkpoint.
    pub checkpoint: Checkpoint,
}

/// The register of runs: starts, lists, continues and ends them. All times come from the caller.
///
/// A decision loop that is [given a register](crate::agent::Builder::with_registry) records its runs there. A program that
/// carries out runs without the decision loop can record them with [`start`](Self::start), [`beat`](Self::beat),
/// [`keep`](Self::keep) and [`end`](Self::end).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> webwise::Result<()> {
/// use webwise::{RunId, memory::Namespace, registry::{RunFilter, RunManifest}, store::{InMemory, RunRegistry}};
///
/// let runs = RunRegistry::new(InMemory::new(), Namespace::default());
/// let now = "2026-01-02T03:04:05Z".parse().unwrap();
/// let run = RunManifest::new(RunId::parse("run_1")?, "Find the opening hours", now);
/// runs.start(&run).await?;
/// assert_eq!(runs.list(&RunFilter::default(), now).await?, [run]);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct RunRegistry<M> {
    store: M,
    namespace: Namespace,
}

impl<M: MemoryBackend> RunRegistry<M> {
    /// Opens the register of a namespace in this store.
    pub const fn new(store: M, namespace: Namespace) -> Self {
        Self { store, namespace }
    }

    /// Adds a run to the register. Also removes old runs: those whose last heartbeat or end is more than
    /// [`MAX_AGE_DAYS`](crate::registry::MAX_AGE_DAYS) ago, and the oldest ones if there are more than
    /// [`MAX_RUNS`](crate::registry::MAX_RUNS). Runs in progress are never removed.
    ///
    /// # Errors
    /// `InvalidInput` if the register already has a run with this id; the errors of the store.
    pub async fn start(&self, run: &RunManifest) -> Result<Lease> {
        let manifest = run.clone();
        let edit = Edit::new(move |records: &[Record]| registry::start(records, &manifest));
        let committed = self.store.update(&self.manifests(), edit).await?;
        if registry::is_pruned(&committed) {
            // The run counts as started even if old checkpoints cannot be removed. The next start that removes runs
            // tries again.
            let _ = self.sweep().await;
        }
        Ok(Lease {
            run: run.run.clone(),
            number: run.lease,
        })
    }

    async fn sweep(&self) -> Result<()> {
        let filter = ShelfFilter {
            namespace: Some(self.namespace.clone()),
            ..ShelfFilter::default()
        };
        // A run is registered before its checkpoint is written. The shelves are listed before the register is read, so the
        // checkpoint of a new run is never taken for one of a removed run.
        let shelves = self.store.shelves(&filter).await?;
        let manifests = self.store.load(&self.manifests()).await?.records;
        for shelf in registry::orphans(shelves, &manifests) {
            self.store.remove(&shelf).await?;
        }
        Ok(())
    }

    /// Returns the run with this id; `None` if it is not in the register.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn get(&self, run: &RunId, now: DateTime<Utc>) -> Result<Option<RunManifest>> {
        let all = self.list(&RunFilter::default(), now).await?;
        Ok(all.into_iter().find(|known| known.run == *run))
    }

    /// Returns the runs that the filter selects, newest first.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn list(&self, filter: &RunFilter, now: DateTime<Utc>) -> Result<Vec<RunManifest>> {
        let records = self.store.load(&self.manifests()).await?.records;
        Ok(filter.select(&records, now))
    }

    /// Returns a run, then the run that it continues, and so on. The list ends before the first run that is no longer
    /// in the register.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn lineage(&self, run: &RunId, now: DateTime<Utc>) -> Result<Vec<RunManifest>> {
        let mut known = self.list(&RunFilter::default(), now).await?;
        let (mut line, mut next) = (Vec::new(), Some(run.clone()));
        while let Some(run) = next.take().filter(|_| line.len() < MAX_LINEAGE) {
            // Each run is removed from `known`, so that a cycle of parents ends.
            if let Some(at) = known.iter().position(|known| known.run == run) {
                let run = known.swap_remove(at);
                next.clone_from(&run.parent);
                line.push(run);
            }
        }
        Ok(line)
    }

    /// Registers that a run's process is alive. Also stores the progress of the run, which `sign` contains.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn beat(&self, lease: &Lease, sign: &Heartbeat, now: DateTime<Utc>) -> Result<Held> {
        let (of, sign) = (lease.clone(), sign.clone());
        let edit = Edit::new(move |records: &[Record]| {
            registry::beat(records, &of.run, of.number, &sign, now)
        });
        self.write(lease, edit).await
    }

    /// Writes the checkpoint of a run. `is_first` is true for the first checkpoint after [`start`](Self::start).
    ///
    /// # Errors
    /// `TooLarge` if the checkpoint is larger than [`MAX_CHECKPOINT`](crate::registry::MAX_CHECKPOINT), and the errors
    /// of the store.
    pub async fn keep(
        &self,
        lease: &Lease,
        checkpoint: &Checkpoint,
        is_first: bool,
    ) -> Result<Held> {
        let (of, checkpoint) = (lease.clone(), checkpoint.clone());
        let edit = Edit::new(move |records: &[Record]| {
            registry::write(records, &of.run, of.number, is_first, &checkpoint)
        });
        let own = self.own(&lease.run);
        let committed = self.store.update(&own, edit).await?;
        let held = self.held(lease, &committed).await?;
        // The first checkpoint creates the shelf. So it must not stay if the run was removed from the register meanwhile.
        if is_first && held == Held::Yes && self.lease_number(&lease.run).await?.is_none() {
            self.store.remove(&own).await?;
            return Ok(Held::Forgotten);
        }
        Ok(held)
    }

    /// Ends a run. If it ended with an answer, its checkpoint is removed.
    ///
    /// # Errors
    /// The errors of the store.
    pub async fn end(&self, lease: &Lease, end: &End, now: DateTime<Utc>) -> Result<Held> {
        let (of, at) = (lease.clone(), end.clone());
        let edit = Edit::new(move |records: &[Record]| {
            registry::end(records, &of.run, of.number, &at, now)
        });
        let held = self.write(lease, edit).await?;
        if end.completed && held == Held::Yes {
            self.store.remove(&self.own(&lease.run)).await?;
        }
        Ok(held)
    }

    /// Takes the lease of a run that has ended without an answer, or whose process is gone. The previous holder of the
    /// lease can then no longer write the run's data. [`DecisionLoop::resume_run`](crate::DecisionLoop::resume_run)
    /// calls this function by itself. Call it only in a program that continues a run without that loop.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if there is no such run, or if the run ended with an answer, cannot be
    /// continued from its last page or has no checkpoint. `Busy` if the run is still in progress, or if another process
    /// takes it at the same time. `Corrupt` if the run's manifest or checkpoint cannot be read. The errors of the
    /// store.
    pub async fn resume(&self, run: &RunId, now: DateTime<Utc>) -> Result<Taken> {
        // The checkpoint is read before the lease is taken, because the run cannot be continued without a checkpoint.
        self.checkpoint(run).await?;
        let of = run.clone();
        let edit = Edit::new(move |records: &[Record]| registry::take(records, &of, now));
        let committed = self.store.update(&self.manifests(), edit).await?;
        let manifest = put(&committed)?;
        let (of, number) = (run.clone(), manifest.lease);
        let edit = Edit::new(move |records: &[Record]| Ok(registry::fence(records, &of, number)));
        let lease = Lease {
            run: run.clone(),
            number,
        };
        let fenced = self.store.update(&self.own(run), edit).await?;
        if fenced.changes.is_empty() {
            return Err(Error::new(ErrorKind::Busy, "run.take")
                .with("run", run)
                .with("why", "another process has taken it at the same time"));
        }
        // From here on, no other process can write the run.
        Ok(Taken {
            lease,
            manifest,
            checkpoint: self.checkpoint(run).await?,
        })
    }

    /// Returns the values that a new run needs to continue from the last page of an earlier run. `run` is the earlier
    /// run. The new run is in the same session as the earlier run.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if there is no such run or if it cannot be continued from its last page;
    /// `Busy` if the run is still in progress; the errors of the store.
    pub async fn follow(&self, run: &RunId, now: DateTime<Utc>) -> Result<Continuation> {
        let parent = self.known(run, now).await?;
        Continuation::of(&parent, parent.session.clone(), now)
    }

    /// Returns the values that a new run needs in order to continue from the last page of an earlier run. `run` is the
    /// earlier run, and `session` is the session of the new run.
    ///
    /// # Errors
    /// The errors of [`follow`](Self::follow).
    pub async fn fork(
        &self,
        run: &RunId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<Continuation> {
        Continuation::of(&self.known(run, now).await?, Some(session), now)
    }

    async fn known(&self, run: &RunId, now: DateTime<Utc>) -> Result<RunManifest> {
        let found = self.get(run, now).await?;
        found.ok_or_else(|| missing(run, "there is no such run"))
    }

    /// Reads the last checkpoint of a run.
    ///
    /// # Errors
    /// `InvalidInput` if there is none; `Corrupt` if it cannot be read; the errors of the store.
    pub async fn checkpoint(&self, run: &RunId) -> Result<Checkpoint> {
        let records = self.store.load(&self.own(run)).await?.records;
        let found = registry::read(&records, run)?;
        found.ok_or_else(|| missing(run, "nothing is stored from which it could go on"))
    }

    async fn write(&self, lease: &Lease, edit: Edit) -> Result<Held> {
        let committed = self.store.update(&self.manifests(), edit).await?;
        self.held(lease, &committed).await
    }

    /// Returns whether a write for a run was made. If not, finds out whether another process took over the run or the
    /// run was removed from the register.
    async fn held(&self, lease: &Lease, committed: &Committed) -> Result<Held> {
        if !committed.changes.is_empty() {
            return Ok(Held::Yes);
        }
        Ok(match self.lease_number(&lease.run).await? {
            Some(number) if number != lease.number => Held::Taken,
            _ => Held::Forgotten,
        })
    }

    /// Returns the number of the lease in the run's manifest; `None` if the run is not in the register.
    async fn lease_number(&self, run: &RunId) -> Result<Option<u32>> {
        let records = self.store.load(&self.manifests()).await?.records;
        let known = records.iter().find(|record| record.key == run.as_str());
        let known = known.map(RunManifest::from_record).transpose()?;
        Ok(known.map(|known| known.lease))
    }

    fn manifests(&self) -> Shelf {
        manifest_shelf(&self.namespace)
    }

    fn own(&self, run: &RunId) -> Shelf {
        checkpoint_shelf(&self.namespace, run)
    }
}

fn missing(run: &RunId, why: &str) -> Error {
    Error::new(ErrorKind::InvalidInput, "run.find")
        .with("run", run)
        .with("why", why)
}

fn put(committed: &Committed) -> Result<RunManifest> {
    let mut put = committed.changes.iter().filter_map(|change| match change {
        Change::Put(record) => Some(record),
        Change::Remove(_) => None,
    });
    let record = put.next();
    record.map_or_else(
        || Err(Error::new(ErrorKind::Corrupt, "run.take")),
        RunManifest::from_record,
    )
}
