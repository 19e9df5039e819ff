//! Tests of the loop that use private parts of the crate.

mod executor;
mod growth;
mod journal;
mod learning;
mod reading;
mod verdicts;
mod window;
