//! The right to use the browser, which only one run has at a time.

use std::sync::atomic::{AtomicBool, Ordering};

/// The right of one run to use the browser. Dropping this value gives the right back.
#[derive(Debug)]
pub(in crate::agent) struct Turn<'l>(&'l AtomicBool);

impl<'l> Turn<'l> {
    /// Takes the right to use the browser; `None` while another run has it.
    pub(super) fn take(is_busy: &'l AtomicBool) -> Option<Self> {
        // Construct a `Turn` only if the right was taken, because dropping a `Turn` gives the right back, even if
        // another run has it.
        (!is_busy.swap(true, Ordering::AcqRel)).then(|| Self(is_busy))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
