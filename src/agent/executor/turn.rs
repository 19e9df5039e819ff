//! Whose turn it is: one run of a loop has the browser at a time.

use std::sync::atomic::{AtomicBool, Ordering};

/// A run's right to the browser, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Turn<'l>(&'l AtomicBool);

impl<'l> Turn<'l> {
    /// Takes the turn; `None` while another run has it.
    pub(in crate::agent) fn take(is_busy: &'l AtomicBool) -> Option<Self> {
        // Made only when it is taken: one that is dropped gives the turn back, whoever has it.
        (!is_busy.swap(true, Ordering::AcqRel)).then(|| Self(is_busy))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
