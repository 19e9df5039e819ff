//! Fault injection: a model and a browser that fail on demand. Each wraps another model or browser, real or scripted.
//!
//! [`FaultyModel`] and [`FaultyBrowser`] pass a call on to the wrapped model or browser, unless a [`When`] selects the call
//! for a fault. Both record the calls and the faults that happened. So a test can check that a fault did happen before it
//! claims that the fault was survived.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use webwise::{DecisionLoop, Task, store::InMemory, testing::{ScriptedBrowser, ScriptedModel, call}};
//! use webwise::testing::faults::{FaultyModel, ModelFault, When};
//!
//! let browser = ScriptedBrowser::new().with_page("https://x.example/", "Hello", "heading \"Hello\"");
//! let model = ScriptedModel::new([call("finish", serde_json::json!({ "answer": "hi", "evidence": "Hello" }))]);
//! let model = FaultyModel::new(model).with(When::once(1), ModelFault::Empty);
//! let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new()).build()?;
//! let report = agent.run(Task::new("Say hello")?.with_start_url("https://x.example/")?).await;
//! assert!(report.is_success());
//! assert_eq!((report.summary.calls, model.struck().len()), (2, 1));
//! # Ok::<(), webwise::Error>(())
//! # }).unwrap();
//! ```

mod browser;
mod model;
#[cfg(test)]
mod tests;

pub use self::{
    browser::{BrowserFault, FaultyBrowser, LookFault},
    model::{FaultyModel, ModelFault},
};

/// The calls to which a fault applies, selected by their number. Calls are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    first: u32,
    times: u32,
}

impl When {
    /// Selects only the call with this number.
    pub const fn once(call: u32) -> Self {
        Self {
            first: call,
            times: 1,
        }
    }

    /// Selects the call with this number and all later ones.
    pub const fn from(call: u32) -> Self {
        Self {
            first: call,
            times: u32::MAX,
        }
    }

    /// Changes the selection to `times` consecutive calls, counted from the first selected call.
    #[must_use]
    pub const fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// Returns true if the call with this number is selected.
    pub const fn strikes(self, call: u32) -> bool {
        call >= self.first && call - self.first < self.times
    }
}
