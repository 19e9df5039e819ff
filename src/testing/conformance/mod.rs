//! Conformance suites: checks that an implementation keeps the contract of a trait, such as
//! [`BrowserDriver`](crate::browser::BrowserDriver) or [`MemoryBackend`](crate::store::MemoryBackend). All
//! implementations in this crate pass the whole suite of their trait.

pub mod browser;
pub mod journal;
pub mod store;
