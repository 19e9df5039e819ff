//! Counts the tree nodes that the current thread has visited, for tests of a run's cost.

use std::cell::Cell;

thread_local! {
    static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
}

pub(super) fn add(nodes: usize) {
    LOOKED_AT.with(|all| all.set(all.get() + nodes));
}

pub(crate) fn take() -> usize {
    LOOKED_AT.take()
}
