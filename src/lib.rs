//! A browser agent with memory: a language model drives a real browser, and every step is guarded and verified.
//!
#![cfg_attr(feature = "cdp", doc = "```no_run")]
#![cfg_attr(not(feature = "cdp"), doc = "```ignore")]
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
//! A [`DecisionLoop`] runs a [`Task`] and returns a [`RunReport`]. The parts of a loop are ports. A port is a trait with
//! several adapters:
//!
//! | part | trait | adapters and how to write one |
//! | --- | --- | --- |
//! | the browser | [`BrowserDriver`] | [`browser`] |
//! | the language model | [`LlmClient`] | [`llm`] |
//! | the memory that outlives a run | [`MemoryBackend`] | [`store`] |
//! | the receivers of events | [`EventSink`], [`Journal`](event::Journal) | [`event`] |
//! | the person who approves actions | [`Approver`](agent::Approver) | [`agent`] |
//! | tools of your own | [`Tool`](agent::Tool) | [`agent`] |
//!
//! A program that chooses the actions itself uses a [`GuardedBrowser`]. It has the guards and checks of a
//! [`DecisionLoop`] but needs no model and no memory.
//!
//! The modules that decide do no I/O; they take values and return values. [`page`] interprets a page, [`memory`]
//! decides what is remembered, [`goal`] recognises a recorded task, [`prompt`] writes the request, [`guard`] decides
//! what is allowed, [`secret`] keeps secrets out of everything else.
//!
//! # Features
//!
//! | feature | brings | default |
//! | --- | --- | --- |
//! | `playwright-cli` | the driver `browser::PlaywrightCli`, through child processes or its daemon's socket | yes |
//! | `cdp` | the native driver `browser::Cdp`: needs Chromium and no Node | |
//! | `json-file` | `store::JsonFiles`, memory that outlives the process | yes |
//! | `postgres` | `store::Postgres`, memory that several machines share; `postgres-tls` adds TLS | |
//! | `jsonl` | `event::RunFolder` and `event::Jsonl` | yes |
//! | `report` | `report::RunRecord::to_html`: a run as one HTML file | |
//! | `genai` | `llm::GenAi`: Gemini, OpenAI-compatible servers, Anthropic, Ollama | |
//! | `tracing` | `event::Tracing`, events as `tracing` records | |
//! | `testing` | scripted browser and model, mocks, conformance suites | |
//! | `stand-in`, `demo-site`, `cli` | a stand-in for a model (fixed rules), the demo shop, the command line | |
//! | `full` | everything above but `postgres-tls` | |

/// The examples of the README, compiled as tests.
#[cfg(all(doctest, feature = "cdp"))]
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
pub mod goal;
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
pub use store::MemoryBackend;
