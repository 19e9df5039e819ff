//! The register of runs in a store.

use chrono::{DateTime, Utc};

use super::MemoryBackend;
use crate::{
    base::{Error, ErrorKind, Result, RunId, SessionId},
    memory::{Change, Committed, Edit, Namespace, Record, Shelf, ShelfFilter},
    registry::{
        self, Beat, Checkpoint, Continuation, End, RunFilter, RunManifest, checkpoint_shelf,
        manifest_shelf,
    },
};

/// Maximum number of ancestors in a lineage. Source: chosen.
const MAX_LINEAGE: usize = 100;

/// The right to write a run's manifest and checkpoint, until another process takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    run: RunId,
    number: u32,
}

impl Lease {
    /// Returns the run.
    pub const fn run(&self) -> &RunId {
        &self.run
    }
}

/// The answer to a write under a [`Lease`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It was written.
    Yes,
    /// Another process has taken the run. Nothing was written, and nothing may be done any more.
    Taken,
    /// Somebody has forgotten the run. Nothing was written.
    Forgotten,
}

/// A run that was taken up again.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Taken {
    /// The right to write it.
    pub lease: Lease,
    /// Its manifest.
    pub manifest: RunManifest,
    /// Its last checkpoint.
    pub checkpoint: Checkpoint,
}

/// The register of runs: starts, lists, continues and ends them. Times come from the caller.
///
/// A loop that is [given one](crate::agent::Builder::with_registry) keeps its runs in it. A program that carries out runs
/// by other means can do the same with [`start`](Self::start), [`beat`](Self::beat), [`keep`](Self::keep) and
/// [`end`](Self::end).
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
    /// Opens the register of a namespace.
    pub const fn new(store: M, namespace: Namespace) -> Self {
        Self { store, namespace }
    }

    /// Adds a run, and removes runs that are too many or too old.
    ///
    /// # Errors
    /// `InvalidInput` if a run with this id is known; the errors of the store.
    pub async fn start(&self, run: &RunManifest) -> Result<Lease> {
        let manifest = run.clone();
        let edit = Edit::new(move |records: &[Record]| registry::start(records, &manifest));
        let committed = self.store.update(&self.manifests(), edit).await?;
        if registry::is_pruned(&committed) {
            // The run has started, whether or not old checkpoints can be removed. The next start tries again.
            let _ = self.sweep().await;
        }
        Ok(Lease {
            run: run.run.clone(),
            number: run.lease,
        })
    }

    /// Removes the checkpoints of runs that are not known any more.
    async fn sweep(&self) -> Result<()> {
        let filter = ShelfFilter {
            namespace: Some(self.namespace.clone()),
            ..ShelfFilter::default()
        };
        // A run is known before its checkpoint is written, so the shelves are listed first.
        let shelves = self.store.shelves(&filter).await?;
        let manifests = self.store.load(&self.manifests()).await?.records;
        for shelf in registry::orphans(shelves, &manifests) {
            self.store.remove(&shelf).await?;
        }
        Ok(())
    }

    /// Returns a run; `None` if it is not known.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn get(&self, run: &RunId, now: DateTime<Utc>) -> Result<Option<RunManifest>> {
        let all = self.list(&RunFilter::default(), now).await?;
        Ok(all.into_iter().find(|known| known.run == *run))
    }

    /// Returns the selected runs, newest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(&self, filter: &RunFilter, now: DateTime<Utc>) -> Result<Vec<RunManifest>> {
        let records = self.store.load(&self.manifests()).await?.records;
        Ok(filter.select(&records, now))
    }

    /// Returns a run with the runs that it goes back to, the oldest last. The list ends where a run is not known any more.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn lineage(&self, run: &RunId, now: DateTime<Utc>) -> Result<Vec<RunManifest>> {
        let mut known = self.list(&RunFilter::default(), now).await?;
        let (mut line, mut next) = (Vec::new(), Some(run.clone()));
        while let Some(run) = next.take().filter(|_| line.len() < MAX_LINEAGE) {
            // A run is taken out, so that a circle ends.
            if let Some(at) = known.iter().position(|known| known.run == run) {
                let run = known.swap_remove(at);
                next.clone_from(&run.parent);
                line.push(run);
            }
        }
        Ok(line)
    }

    /// Gives a sign of life of a run.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn beat(&self, lease: &Lease, sign: &Beat, now: DateTime<Utc>) -> Result<Held> {
        let (of, sign) = (lease.clone(), sign.clone());
        let edit = Edit::new(move |records: &[Record]| {
            registry::beat(records, &of.run, of.number, &sign, now)
        });
        self.write(lease, edit).await
    }

    /// Writes the checkpoint of a run. `is_first` is true for the first one after [`start`](Self::start).
    ///
    /// # Errors
    /// `TooLarge` above [`MAX_CHECKPOINT`](crate::registry::MAX_CHECKPOINT); the errors of the store.
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
        let committed = self.store.update(&self.own(&lease.run), edit).await?;
        self.held(lease, &committed).await
    }

    /// Ends a run. The checkpoint of a run that ended with an answer is removed.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Takes up a run that did not reach its goal: its process is gone, or it ended without an answer. Whoever had it
    /// before cannot write it any more.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if there is no such run, if it ended with an answer, if its last page is no
    /// place to go on from, or if it has no checkpoint; `Busy` if it is going on; the errors of the store.
    pub async fn resume(&self, run: &RunId, now: DateTime<Utc>) -> Result<Taken> {
        // Look before the run is taken: without a checkpoint nobody can go on with it.
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
        // From here on nobody else writes it.
        Ok(Taken {
            lease,
            manifest,
            checkpoint: self.checkpoint(run).await?,
        })
    }

    /// Returns what a new run takes from this one to go on from its last page, in the same session.
    ///
    /// # Errors
    /// `InvalidInput`, with the reason as `why`, if there is no such run or no such page; `Busy` if the run is going on;
    /// the errors of the store.
    pub async fn follow(&self, run: &RunId, now: DateTime<Utc>) -> Result<Continuation> {
        let parent = self.known(run, now).await?;
        Continuation::of(&parent, parent.session.clone(), now)
    }

    /// Returns what a new run takes from this one to go on from its last page in another session.
    ///
    /// # Errors
    /// As for [`follow`](Self::follow).
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

    /// Returns whether a write was refused, and why.
    async fn held(&self, lease: &Lease, committed: &Committed) -> Result<Held> {
        if !committed.changes.is_empty() {
            return Ok(Held::Yes);
        }
        let records = self.store.load(&self.manifests()).await?.records;
        let known = records
            .iter()
            .find(|record| record.key == lease.run.as_str());
        let known = known.map(RunManifest::from_record).transpose()?;
        Ok(match known {
            Some(known) if known.lease != lease.number => Held::Taken,
            _ => Held::Forgotten,
        })
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

/// Returns the manifest that an update has put.
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
