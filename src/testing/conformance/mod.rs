//! Conformance suites: checks that an implementation keeps the contract of a trait, such as
//! [`BrowserDriver`](crate::browser::BrowserDriver) or [`MemoryBackend`](crate::store::MemoryBackend). This crate's
//! drivers of real browsers, its stores, its journal, and its sinks for one file or several sinks pass the suite of their
//! trait. [`InMemory`](crate::store::InMemory) passes only [`store::check`], because it does not outlive its process.
//! [`Retrying`](crate::llm::Retrying) passes [`model::check`] only without retries, because a client must not retry. The
//! scripted browser, the fault injection and the mocks do not have to pass.

pub mod browser;
pub mod journal;
pub mod model;
pub mod sink;
pub mod store;
