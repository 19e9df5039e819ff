#![doc = include_str!("../README.md")]

pub mod action;
pub mod agent;
pub mod base;
pub mod browser;
pub mod chat;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "demo-site")]
pub mod demo;
pub mod event;
pub mod guard;
pub mod llm;
pub mod memory;
pub mod page;
pub mod prompt;
pub mod report;
pub mod secret;
#[cfg(feature = "stand-in")]
pub mod stand_in;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod verify;
pub mod working;

pub use agent::{DecisionLoop, RunReport, Task};
pub use base::{Error, ErrorKind, Host, Nonce, Origin, Result, RunId, SessionId, Site, Trust};
pub use browser::BrowserDriver;
pub use event::EventSink;
pub use llm::LlmClient;
pub use store::MemoryBackend;
