//! Reports of a finished run for a person: why memory spoke in it, and the result.

pub mod explain;
