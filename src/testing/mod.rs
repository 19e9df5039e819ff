//! Tools for tests of this crate and of programs that embed it: a scripted browser, model and kind of memory, a fixed
//! clock, mocks, fault injection, and [suites](conformance) that check implementations of this crate's traits.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use webwise::{DecisionLoop, Task, store::InMemory, testing::{ScriptedBrowser, ScriptedModel, call}};
//!
//! let browser = ScriptedBrowser::new().with_page("https://x.example/", "Hello", "heading \"Hello\"");
//! let model = ScriptedModel::new([call("finish", serde_json::json!({ "answer": "hi", "evidence": "Hello" }))]);
//! let agent = DecisionLoop::builder(browser, model, InMemory::new()).build()?;
//! let report = agent.run(Task::new("Say hello")?.with_start_url("https://x.example/")?).await;
//! assert!(report.is_success());
//! # Ok::<(), webwise::Error>(())
//! # }).unwrap();
//! ```

mod browser;
mod clock;
pub mod conformance;
pub mod faults;
mod kind;
mod model;
mod recorder;
mod tree;

pub use browser::{ScriptedBrowser, ScriptedReply};
pub use clock::FixedClock;
pub use kind::ScriptedKind;
pub use model::{ScriptedModel, call};
pub use recorder::Recorder;
pub use tree::tree;

pub use crate::{
    agent::{approver::MockApprover, tool::MockTool},
    browser::port::MockBrowserDriver,
    event::{journal::MockJournal, port::MockEventSink},
    llm::port::MockLlmClient,
    store::port::MockMemoryBackend,
};
