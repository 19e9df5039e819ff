//! What a finished run says to a person: why memory spoke in it, and what came of that.

pub mod explain;
