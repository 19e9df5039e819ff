//! One suite a port: every adapter runs all of it.

pub mod browser;
pub mod journal;
pub mod store;
