//! Conformance suites, one for each port. Every adapter runs the whole suite of its port.

pub mod browser;
pub mod journal;
pub mod store;
