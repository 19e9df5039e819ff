//! The register of runs: which runs there were, how they ended, and which of them can be resumed.
//!
//! This module is pure. [`RunManifest`] describes one run, [`RunFilter`] selects runs for a list, and the functions
//! here compute the changes that start, continue and end a run. [`RunRegistry`](crate::store::RunRegistry) reads and
//! writes the store.
//!
//! All manifests of a namespace are on one [shelf](crate::memory::Shelf) of the store, for two reasons: a list of runs needs
//! one read, and the edit that adds a run can also enforce the maximum number of runs. The checkpoint of each run, which
//! another process needs to resume the run, is on a shelf of its own, so that runs do not wait for each other.
//!
//! # Decisions
//!
//! - A lease is the right to write the data of a run. It is a number that grows each time that a process resumes the
//!   run, and every write contains the lease that the writing process holds. So a process that was suspended for an
//!   hour can no longer write if another one has resumed its run. This does not depend on the clocks of the machines.
//! - A run counts as abandoned if its manifest has not been written for a minute. This is decided when the manifest is
//!   read, because a killed process cannot write it. The reader compares the time of the write with its own clock, so
//!   the clocks of the machines may differ by half a minute at most.
//! - An intent, the action that is about to be carried out, is written together with the checkpoint. So if another
//!   process takes the lease, either it reads the intent, or the write is refused and the earlier process does not act.
//!   If the store fails, an irreversible action is not carried out. Other actions are carried out without a stored
//!   intent.
//! - The manifest contains the number of the step of an irreversible action, written before that action. A checkpoint that
//!   does not know this step is older than the last one: its shelf was damaged and restored from a backup, or somebody
//!   replaced it. The action may have been carried out then. No store needs to tell that it restored a shelf, and a
//!   second process that resumes the run sees it too.

mod checkpoint;
mod documented;
mod filter;
mod life;
mod manifest;
#[cfg(test)]
mod tests;

pub use checkpoint::{Checkpoint, MAX_CHECKPOINT};
pub(crate) use checkpoint::{
    checkpoint_shelf, fence, is_registry, manifest_shelf, orphans, read, write,
};
pub use documented::archived;
pub use filter::RunFilter;
pub use life::{ABANDONED_AFTER, Continuation, End, HEARTBEAT, Heartbeat, MAX_AGE_DAYS, MAX_RUNS};
pub(crate) use life::{beat, end, is_pruned, start, take};
pub use manifest::{RunManifest, RunStatus};
