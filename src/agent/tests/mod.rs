//! Tests of the loop that use private parts of the crate.

mod checkpoint;
mod condense;
mod executor;
mod explore;
mod going_back;
mod growth;
mod handle;
mod hooks;
mod journal;
mod learning;
mod memory;
mod panics;
mod questions;
mod reading;
mod results;
mod told;
mod verdicts;
mod window;
