//! How many nodes of trees this thread has looked at, for tests of what a run costs.

use std::cell::Cell;

thread_local! {
    static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn add(nodes: usize) {
    LOOKED_AT.with(|all| all.set(all.get() + nodes));
}

/// Gives the number so far and begins anew.
pub(crate) fn take() -> usize {
    LOOKED_AT.take()
}
