//! The loop as a value: its parts and its two ways to run.

use std::sync::{Arc, atomic::AtomicBool};

use super::{Approver, Builder, Cancel, Clock, Options, Run, RunReport, StepEnd, Task, Tool};
use crate::{
    BrowserDriver, LlmClient,
    event::{EventSink, Journal},
    memory::MemoryKind,
    store::MemoryBackend,
};

/// The agent: a browser, a model, a memory, and how they are used.
///
/// It can be used for many runs, one after the other on one browser. A run that is started while another one has the browser ends
/// at once with [`StopReason::Busy`](crate::working::StopReason::Busy).
///
/// ```
/// # async fn doc(browser: impl webwise::BrowserDriver, model: impl webwise::LlmClient) -> webwise::Result<()> {
/// use webwise::{DecisionLoop, Task, store::InMemory};
///
/// let agent = DecisionLoop::builder(browser, model, InMemory::new()).with_max_steps(20).build()?;
/// let report = agent.run(Task::new("Find the opening hours")?.with_start_url("https://example.com")?).await;
/// println!("{}: {:?}", report.summary.stop, report.answer);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DecisionLoop<B, L, M> {
    pub(super) browser: B,
    pub(super) model: L,
    pub(super) memory: M,
    pub(super) options: Options,
    pub(super) sink: Arc<dyn EventSink>,
    pub(super) journal: Option<Arc<dyn Journal>>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) cancel: Cancel,
    pub(super) kinds: Vec<Arc<dyn MemoryKind>>,
    pub(super) tools: Vec<Arc<dyn Tool>>,
    /// Set while a run has the browser.
    pub(super) is_busy: AtomicBool,
}

impl<B, L, M> DecisionLoop<B, L, M> {
    /// Starts to build a loop of these parts.
    pub fn builder(browser: B, model: L, memory: M) -> Builder<B, L, M> {
        Builder::new(browser, model, memory)
    }

    /// The browser: the loop never closes it, its owner does.
    pub const fn browser(&self) -> &B {
        &self.browser
    }

    /// The memory.
    pub const fn memory(&self) -> &M {
        &self.memory
    }

    /// Asks runs of this loop to stop.
    pub fn cancel_handle(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> DecisionLoop<B, L, M> {
    /// Runs a task to its end and learns from it, also when it failed or was stopped.
    ///
    /// Never fails: what went wrong is in the report, with everything that was reached until then. A dropped future
    /// learns nothing and leaves nothing held.
    pub async fn run(&self, task: Task) -> RunReport {
        let mut run = self.start(task).await;
        while let StepEnd::Continue = run.step().await {}
        run.finish().await
    }

    /// Starts a task, to be driven step by step; end it with [`Run::finish`].
    ///
    /// The run has the browser until it is finished or dropped; one that is started meanwhile is stopped from the start.
    pub async fn start(&self, task: Task) -> Run<'_, B, L, M> {
        Run::start(self, task).await
    }
}
