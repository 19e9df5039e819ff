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
    atomic::{AtomicBool, Ordering},
};

/// The right to use a driver's browser, which only one run has at a time.
///
/// Each driver owns one lease. Clones are the same lease, so a driver whose clones share one browser can be cloned with it.
#[derive(Debug, Clone, Default)]
pub struct Lease(Arc<AtomicBool>);

impl Lease {
    /// Returns the lease of a new driver. No run has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the right to use the browser; `None` while another run has it.
    pub(crate) fn take(&self) -> Option<Turn<'_>> {
        // Construct a `Turn` only if the right was taken, because dropping a `Turn` gives the right back, even if
        // another run has it.
        (!self.0.swap(true, Ordering::AcqRel)).then(|| Turn(&self.0))
    }
}

/// The right of one run to use the browser. Dropping this value gives the right back.
#[derive(Debug)]
pub(crate) struct Turn<'l>(&'l AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
