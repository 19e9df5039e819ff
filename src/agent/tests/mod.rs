//! Tests of the loop that look inside the crate.

mod executor;
mod growth;
mod journal;
mod reading;
mod verdicts;
mod window;
