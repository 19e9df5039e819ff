//! The agent: its parts, and the functions that run it.

use std::{fmt, sync::Arc};

use super::{
    Builder, Cancel, GuardedBrowser, Options, Run, RunHandle, RunReport, State, Task, Tool,
    executor::Guarded, registered::Register,
};
use crate::{LlmClient, base::Result, memory::MemoryKind, store::MemoryBackend};

/// What the runs of an agent share.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) guarded: Arc<Guarded>,
    pub(super) model: Arc<dyn LlmClient>,
    pub(super) memory: Arc<dyn MemoryBackend>,
    pub(super) kinds: Vec<Arc<dyn MemoryKind>>,
    pub(super) tools: Vec<Arc<dyn Tool>>,
    /// The model that shortens long results of tools; `None` if only rules shorten them.
    pub(super) compressor: Option<Arc<dyn LlmClient>>,
    pub(super) register: Option<Register>,
}

/// The agent: a browser, a model, a memory and options.
///
/// It can run many tasks: at once, each with cookies and tabs of its own, if the driver has the capability
/// [`fresh`](crate::browser::BrowserCapabilities::fresh), and otherwise one after the other ([`Options::context`]). A run that needs a
/// browser which another run uses ends at once with [`StopReason::Busy`](crate::working::StopReason::Busy), or waits, as
/// [`Options::when_busy`] says. This concerns runs of one [session](Task::with_session), and runs that share the agent's browser, even if
/// the other run belongs to another loop with the same driver.
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
pub struct DecisionLoop<B, L, M> {
    pub(super) browser: Arc<B>,
    pub(super) model: Arc<L>,
    pub(super) memory: Arc<M>,
    pub(super) parts: Arc<Parts>,
}

impl<B, L, M> Clone for DecisionLoop<B, L, M> {
    fn clone(&self) -> Self {
        Self {
            browser: Arc::clone(&self.browser),
            model: Arc::clone(&self.model),
            memory: Arc::clone(&self.memory),
            parts: Arc::clone(&self.parts),
        }
    }
}

impl<B, L, M> fmt::Debug for DecisionLoop<B, L, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DecisionLoop").field(&self.parts).finish()
    }
}

impl<B, L, M> DecisionLoop<B, L, M> {
    /// Returns a builder for an agent with these parts.
    pub fn builder(browser: B, model: L, memory: M) -> Builder<B, L, M> {
        Builder::new(browser, model, memory)
    }

    /// Returns the agent's browser. The agent never closes it; close it yourself when you are done.
    pub fn browser(&self) -> &B {
        &self.browser
    }

    /// Returns the agent's browser behind the agent's guards (the checks before and after each action). Use it for
    /// actions that your program decides itself. While a run of the agent uses the browser, a run of the guarded
    /// browser ends at once or waits, as [`Options::when_busy`] says.
    pub fn guarded(&self) -> GuardedBrowser<B> {
        GuardedBrowser::of(Arc::clone(&self.browser), Arc::clone(&self.parts.guarded))
    }

    /// Returns the options of the agent's runs.
    pub fn options(&self) -> &Options {
        &self.parts.guarded.settings.options
    }

    /// Returns the agent's model.
    pub fn model(&self) -> &L {
        &self.model
    }

    /// Returns the agent's memory store.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Returns a handle that stops the runs of this agent.
    pub fn cancel_handle(&self) -> Cancel {
        self.parts.guarded.settings.cancel.clone()
    }

    /// Runs a task to its end and learns from the run, even if it failed or was stopped.
    ///
    /// This method never fails. If an error ends the run, the report contains the error and all results obtained
    /// before it. If the future is dropped, nothing is learned and nothing stays locked.
    pub async fn run(&self, task: Task) -> RunReport {
        // Boxed, so that the caller's own future does not contain the whole run.
        Box::pin(Run::run(Arc::clone(&self.parts), task)).await
    }

    /// Runs a task in a task of the runtime, and returns a handle that watches, steers and ends the run.
    ///
    /// # Panics
    /// Panics outside a Tokio runtime.
    pub fn spawn(&self, task: Task) -> RunHandle {
        let parts = Arc::clone(&self.parts);
        RunHandle::spawn(task, |task| Run::run(parts, task))
    }

    /// Starts a run of the task. The caller advances the run with [`Run::step`] and ends it with [`Run::finish`].
    ///
    /// The run holds the browser until it is finished or dropped. Another run of the same driver that is started in the
    /// meantime ends at once or waits, as [`Options::when_busy`] says.
    pub async fn start(&self, task: Task) -> Run {
        Run::start(Arc::clone(&self.parts), task).await
    }

    /// Resumes a run from its stored [`State`]. The run keeps its goal, its steps, the advice from memory, the state
    /// of its guards, and what it has spent of its budgets.
    ///
    /// `task` must be the task that the run was started with, because a state does not contain the task's secrets,
    /// parameters, allowed sites and site notes. The browser must still show the page on which the run was when the
    /// state was taken. The run observes this page again before its next decision. A run with a browser of its own
    /// ([`Options::context`]), which is not in a [session](Task::with_session), gets a new one instead and opens the page
    /// there again; the model is told that a login may be lost.
    ///
    /// # Errors
    /// Returns `Unsupported` if another version of this crate wrote the state, and the errors of
    /// [`BrowserDriver::fresh`](crate::BrowserDriver::fresh).
    pub async fn resume(&self, task: Task, state: State) -> Result<Run> {
        Box::pin(Run::resume(Arc::clone(&self.parts), task, state)).await
    }

    /// Resumes a run from the [register](Builder::with_registry) of runs. It can resume a run whose process is gone,
    /// and a run that ended without an answer. The run keeps its steps, the facts it noted, and what it has spent of
    /// its budgets. Its guards against repetition and standstill start anew. It continues on the page where it was.
    ///
    /// Make the task with [`Task::of_checkpoint`]. Then add the secrets, parameters, given texts, allowed sites and
    /// site notes again. Do not also call [`RunRegistry::resume`](crate::store::RunRegistry::resume) for this run.
    ///
    /// ```
    /// # use webwise::{BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, RunId, Task, store::RunRegistry};
    /// # async fn example<B: BrowserDriver, L: LlmClient, M: MemoryBackend>(
    /// #     agent: &DecisionLoop<B, L, M>, registry: &RunRegistry<M>, id: &RunId,
    /// # ) -> webwise::Result<()> {
    /// let checkpoint = registry.checkpoint(id).await?;
    /// let mut run = agent.resume_run(Task::of_checkpoint(&checkpoint)?).await?;
    /// # let _ = &mut run;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The earlier process may still be alive although its heartbeats (signs of life in the register) have stopped. It
    /// then stops before its next call of the model, or before its next action that does more than read. If an action
    /// was interrupted and may have been carried out, the model is told so. If that action is irreversible, a person
    /// must approve the next irreversible action.
    ///
    /// # Errors
    /// - `InvalidInput` if the loop has no register, or if the run cannot be resumed. The error's detail `why` gives
    ///   the reason.
    /// - `Busy` if the run still sends heartbeats, or if another run uses the browser.
    /// - `Unsupported` if another version of this crate wrote the run's state.
    /// - `Corrupt` if the run's state cannot be read.
    /// - Any error of the store.
    pub async fn resume_run(&self, task: Task) -> Result<Run> {
        Box::pin(Run::take_up(Arc::clone(&self.parts), task)).await
    }
}
