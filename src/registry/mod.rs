//! The register of runs: which runs there were, how they ended, and which of them can go on.
//!
//! Pure. [`RunManifest`] describes one run, [`RunFilter`] selects runs of a list, and the functions here compute the edits
//! that start, continue and end a run. [`RunRegistry`](crate::store::RunRegistry) reads and writes the store.
//!
//! All manifests of a namespace are on one shelf, so that a list is one read and a limit is kept in the edit that adds a
//! run. What a run needs to go on, its checkpoint, is on a shelf of its own, so that runs do not wait for each other.
//!
//! # Decisions
//!
//! - A lease is a number. It grows each time that somebody resumes the run, and every later write names it. So a process
//!   that was stopped for an hour and wakes up cannot write any more, without a clock that two machines must share.
//! - A run is abandoned if nobody has written its manifest for a minute. That is decided when the manifest is read, because
//!   a killed process cannot write it.
//! - An intent is written together with the checkpoint. So whoever takes the lease reads either the intent, or its
//!   writer is refused before it acts.

mod checkpoint;
mod filter;
mod life;
mod manifest;
#[cfg(test)]
mod tests;

pub use checkpoint::{Checkpoint, MAX_CHECKPOINT};
pub(crate) use checkpoint::{
    checkpoint_shelf, fence, is_registry, manifest_shelf, orphans, read, write,
};
pub use filter::RunFilter;
pub use life::{ABANDONED_AFTER, Beat, Continuation, End, HEARTBEAT, MAX_AGE_DAYS, MAX_RUNS};
pub(crate) use life::{beat, end, is_pruned, start, take};
pub use manifest::{RunManifest, RunStatus};
