//! A browser agent with memory: a language model drives a real browser, and every step is guarded and verified.
//!
//! ```no_run
//! use webwise::browser::{BrowserDriver, Cdp, CdpOptions};
//! use webwise::{DecisionLoop, LlmClient, Task, event::Jsonl, store::JsonFiles};
//!
//! async fn opening_hours(model: impl LlmClient) -> webwise::Result<Option<String>> {
//!     let browser = Cdp::launch(&CdpOptions::from_env()?).await?;
//!     let agent = DecisionLoop::builder(browser, model, JsonFiles::open("memory"))
//!         .with_max_steps(40)
//!         .with_sink(Jsonl::create("run.jsonl")?)
//!         .build()?;
//!     let report = agent.run(Task::new("Find the opening hours")?.with_start_url("https://example.com")?).await;
//!     if let Err(error) = agent.browser().close().await {
//!         eprintln!("{error}");
//!     }
//!     Ok(report.answer.filter(|_| report.summary.success))
//! }
//! ```
//!
//! A [`DecisionLoop`] runs a [`Task`] and returns a [`RunReport`]. The parts of a loop are ports. A port is a trait
//! that several types, its adapters, implement:
//!
//! | part | trait | module with the adapters, and how to write an adapter |
//! | --- | --- | --- |
//! | the browser | [`BrowserDriver`] | [`browser`] |
//! | the language model | [`LlmClient`] | [`llm`] |
//! | the memory that outlives a run | [`MemoryBackend`] | [`store`] |
//! | the receivers of events | [`EventSink`], [`Journal`](event::Journal) | [`event`] |
//! | the person who approves actions | [`Approver`](agent::Approver) | [`agent`] |
//! | tools of your own | [`Tool`](agent::Tool) | [`agent`] |
//!
//! A program that uses memory without the loop opens it as [`Memory`].
//!
//! A program that chooses the actions itself uses a [`GuardedBrowser`]. It has the guards and checks of a
//! [`DecisionLoop`] but needs no model and no memory.
//!
//! The modules that decide do no I/O; they take values and return values. [`page`] interprets a page, [`memory`]
//! decides what is remembered, [`prompt`] writes the request, [`guard`] decides
//! what is allowed, [`secret`] keeps secrets out of everything else.
//!
//! Where a comment says `Source: chosen`, the number is a judgement and not a measurement. Any other source, such as
//! `Source: measured` or `Source: a requirement of the project`, says where the number comes from.
//!
//! # Features
//!
//! | feature | what it adds | on by default |
//! | --- | --- | --- |
//! | `cdp` | the driver `browser::Cdp`, which needs Chromium but no Node | yes |
//! | `playwright-cli` | the driver `browser::PlaywrightCli`, through child processes or its daemon's socket | yes |
//! | `json-file` | `store::JsonFiles`, memory that outlives the process | yes |
//! | `postgres` | `store::Postgres`, memory that several machines share; `postgres-tls` adds TLS | |
//! | `jsonl` | `event::RunFolder` and `event::Jsonl` | yes |
//! | `report` | `report::RunRecord::to_html`, which writes a run as one HTML file | |
//! | `genai` | `llm::GenAi`, the client for Gemini, OpenAI-compatible servers, Anthropic and Ollama | |
//! | `stream` | `agent::Events` as a `Stream` | |
//! | `tracing` | `event::Tracing`, events as `tracing` records | |
//! | `testing` | a scripted browser and model, mocks, and conformance suites, which check adapters | |
//! | `stand-in`, `demo-site`, `cli` | a model stand-in that follows fixed rules, the demo shop, the command line | |
//! | `full` | all features above except `postgres-tls` | |

// On docs.rs, each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    test,
    allow(clippy::too_many_lines, reason = "some samples are tables")
)]

/// The examples of the README, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod action;
pub mod agent;
pub mod base;
pub mod browser;
pub mod chat;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "demo-site")]
pub mod demo;
#[cfg(feature = "cli")]
mod eval;
pub mod event;
pub mod explore;
pub mod guard;
pub mod llm;
pub mod memory;
pub mod page;
pub mod prompt;
pub mod registry;
pub mod report;
pub mod secret;
#[cfg(feature = "stand-in")]
pub mod stand_in;
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod verify;
mod vision;
pub mod working;

pub use agent::{DecisionLoop, GuardedBrowser, RunReport, Task};
pub use base::{Error, ErrorKind, Host, Nonce, Origin, Result, RunId, SessionId, Site, Trust};
pub use browser::BrowserDriver;
pub use event::EventSink;
pub use llm::LlmClient;
pub use store::{Memory, MemoryBackend};

/// Crates that a program needs to implement this crate's traits and to make its values, in the versions that fit.
#[doc(no_inline)]
pub use {async_trait, chrono, url};
