//! The right to use a driver's browser, which only one run has at a time.
//!
//! # Decisions
//!
//! - The lease belongs to the driver and not to a loop, because several loops can share one driver, and two runs in one
//!   tab would act on each other's pages.
//! - [`BrowserDriver::lease`](super::BrowserDriver::lease) has no default. Without a place for the lease, a default could
//!   only mean that the driver has none, and then two loops could share it unnoticed.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The right to use a driver's browser, which only one run has at a time.
///
/// Each driver owns one lease. Clones are the same lease, so a driver whose clones share one browser can be cloned with it.
#[derive(Debug, Clone)]
pub struct Lease {
    free: Arc<Semaphore>,
    turns: Arc<AtomicU64>,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(1)),
            turns: Arc::default(),
        }
    }
}

impl Lease {
    /// Returns the lease of a new driver. No run has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the right to use the browser; `None` while another run has it.
    pub(crate) fn take(&self) -> Option<Turn> {
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        Some(self.begin(permit))
    }

    /// Waits until no other run has the right to use the browser, and takes it. Runs that wait take turns in the order in
    /// which they came.
    pub(crate) async fn wait(&self) -> Option<Turn> {
        let permit = Arc::clone(&self.free).acquire_owned().await.ok()?;
        Some(self.begin(permit))
    }

    /// Returns the number of the turn of the run that now has the right; `None` if no run has it. Turns are counted from 1,
    /// and no two have the same number.
    pub(crate) fn turn(&self) -> Option<u64> {
        (self.free.available_permits() == 0).then(|| self.turns.load(Ordering::Acquire))
    }

    fn begin(&self, permit: OwnedSemaphorePermit) -> Turn {
        self.turns.fetch_add(1, Ordering::AcqRel);
        Turn { _permit: permit }
    }
}

/// The right of one run to use the browser. Dropping this value gives the right back.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
}
