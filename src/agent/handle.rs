//! A run that goes on by itself, and the handle that watches, steers and ends it.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;

use uuid::Uuid;

use super::{Cancel, Cause, RunReport, Task, task::MAX_GOAL};
use crate::{
    base::{Error, ErrorKind, Result, RunId},
    chat::Usage,
    event::{Event, EventSink, RunSummary},
    working::StopReason,
};

/// Maximum number of events that a handle keeps for subscribers who come later. An event takes 1 to 30 kB.
const KEPT: usize = 2_000;

/// What a handle and its run share.
#[derive(Debug, Default)]
pub(super) struct Controls {
    pub(super) cancel: Cancel,
    paused: watch::Sender<bool>,
    said: Mutex<Said>,
    log: Mutex<Log>,
    /// Changes with each event, and when the run is over.
    news: watch::Sender<()>,
}

/// The instructions that were given during the run.
#[derive(Debug, Default)]
struct Said {
    new: Vec<String>,
    /// Length of all instructions together. Unit: characters.
    length: usize,
}

#[derive(Debug, Default)]
struct Log {
    events: VecDeque<Event>,
    /// Number of events that are no longer kept.
    gone: u64,
    is_over: bool,
    /// The report of a run that is over; `None` if it was given up or panicked.
    report: Option<RunReport>,
}

/// Returns what the lock holds. A holder that panicked has left it whole, because each change is a single one.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Controls {
    pub(super) fn is_paused(&self) -> bool {
        *self.paused.borrow()
    }

    /// Waits until the run is not paused.
    pub(super) async fn unpaused(&self) {
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = self.paused.subscribe().wait_for(|paused| !paused).await;
    }

    /// Returns the instructions that were given since the last call.
    pub(super) fn heard(&self) -> Vec<String> {
        std::mem::take(&mut held(&self.said).new)
    }

    fn end(&self) {
        held(&self.log).is_over = true;
        self.news.send_replace(());
    }
}

impl EventSink for Controls {
    fn emit(&self, event: &Event) {
        let mut log = held(&self.log);
        log.events.push_back(event.clone());
        if log.events.len() > KEPT {
            log.events.pop_front();
            log.gone += 1;
        }
        drop(log);
        self.news.send_replace(());
    }
}

/// Ends the log when the run's future ends, however it ends.
struct Ending(Arc<Controls>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl RunId {
    /// Makes a new id from a version 7 UUID.
    pub fn generate() -> Self {
        Self::from_bits(Uuid::now_v7().as_u128())
    }
}

/// A run that goes on by itself in a task of the runtime. [`DecisionLoop::spawn`](super::DecisionLoop::spawn) starts it.
///
/// A handle can be cloned and shared by all requests of a service that ask for the run. Dropping the last clone cancels the run.
/// The run then stops at the next point where it waits, learns from what it did,
/// and gives the browser back.
///
/// ```
/// # use webwise::{BrowserDriver, DecisionLoop, LlmClient, MemoryBackend, Task};
/// # async fn doc<B: BrowserDriver, L: LlmClient, M: MemoryBackend + 'static>(agent: DecisionLoop<B, L, M>) -> webwise::Result<()> {
/// let run = agent.spawn(Task::new("Order a mug")?.with_start_url("https://shop.example")?);
/// let mut events = run.events();
/// tokio::spawn(async move {
///     while let Some(event) = events.next().await {
///         println!("step {}: {}", event.step, event.kind.name());
///     }
/// });
/// run.instruct("Take the blue one")?;
/// println!("{:?}", run.report().await.answer);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RunHandle {
    id: RunId,
    controls: Arc<Controls>,
    /// What all clones share. The run shares the controls too, but not this.
    _owner: Arc<Owner>,
}

/// Cancels the run when the last handle is dropped.
struct Owner(Cancel);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl RunHandle {
    /// Starts the run that `run` makes of the task.
    pub(super) fn spawn<F: Future<Output = RunReport> + Send + 'static>(
        mut task: Task,
        run: impl FnOnce(Task) -> F,
    ) -> Self {
        let id = task.run.get_or_insert_with(RunId::generate).clone();
        let controls = Arc::new(Controls::default());
        task.controls = Some(Arc::clone(&controls));
        let ending = Ending(Arc::clone(&controls));
        let run = run(task);
        tokio::spawn(async move {
            let report = run.await;
            held(&ending.0.log).report = Some(report);
        });
        let owner = Owner(controls.cancel.clone());
        Self {
            id,
            controls,
            _owner: Arc::new(owner),
        }
    }

    /// Returns the run's id.
    pub const fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns the events of the run from its beginning, also those before this call. Of a run with more than 2,000 events,
    /// the first are left out.
    pub fn events(&self) -> Events {
        Events {
            news: self.controls.news.subscribe(),
            controls: Arc::clone(&self.controls),
            next: 0,
        }
    }

    /// Pauses the run: it begins no further action and asks the model nothing until it is [resumed](Self::resume). An action
    /// in progress, or a question to the model, is finished. The time of the pause counts in the run's time budget.
    pub fn pause(&self) {
        self.controls.paused.send_replace(true);
    }

    /// Lets a paused run go on.
    pub fn resume(&self) {
        self.controls.paused.send_replace(false);
    }

    /// Gives the run an instruction of the user, such as "the blue one". Calls of the model that are not carried out yet are
    /// dropped, and all later messages to the model contain the instruction, with secrets replaced. Memory keeps no recipe
    /// of a run that was instructed, because the goal alone does not say what was done.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the instruction is empty, or if all instructions of the run together are longer than
    /// 8,000 characters.
    pub fn instruct(&self, text: impl Into<String>) -> Result<()> {
        let text = text.into();
        let mut said = held(&self.controls.said);
        let length = said.length + text.chars().count();
        if text.trim().is_empty() || length > MAX_GOAL {
            return Err(Error::new(ErrorKind::InvalidInput, "run.instruct")
                .with("text", "all must have 1 to 8000 characters together"));
        }
        said.length = length;
        said.new.push(text);
        Ok(())
    }

    /// Asks the run to stop. It also ends a pause.
    pub fn cancel(&self) {
        self.controls.cancel.cancel();
    }

    /// Returns true if the run has ended.
    pub fn is_finished(&self) -> bool {
        held(&self.controls.log).is_over
    }

    /// Waits for the end of the run and returns its report, each time it is called. If the runtime shuts down meanwhile, or if a
    /// part of your program panicked in the run, the report says so in its `error`, and contains nothing else.
    pub async fn report(&self) -> RunReport {
        let mut news = self.controls.news.subscribe();
        loop {
            news.mark_unchanged();
            {
                let log = held(&self.controls.log);
                if let (true, report) = (log.is_over, &log.report) {
                    return report.clone().unwrap_or_else(|| self.given_up());
                }
            }
            // The sender lives as long as `self.controls`, so the wait cannot fail.
            let _ = news.changed().await;
        }
    }

    fn given_up(&self) -> RunReport {
        let stop = StopReason::Cancelled;
        let summary = RunSummary::new(stop, 0, 0, 0, Usage::default(), false, 0);
        let mut report = RunReport::new(self.id.clone(), summary);
        report.cause = Some(Cause::Cancelled);
        report.error = Some("the run panicked, or its runtime has ended".to_owned());
        report
    }
}

/// The events of one run, from its beginning to its end. Each subscriber has its own place in them.
#[derive(Debug)]
pub struct Events {
    controls: Arc<Controls>,
    news: watch::Receiver<()>,
    next: u64,
}

impl Events {
    /// Returns the next event, waiting for it if necessary; `None` after the last event of the run. If the future is
    /// dropped, no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            self.news.mark_unchanged();
            {
                let log = held(&self.controls.log);
                self.next = self.next.max(log.gone);
                let at = usize::try_from(self.next - log.gone).unwrap_or(usize::MAX);
                if let Some(event) = log.events.get(at) {
                    self.next += 1;
                    return Some(event.clone());
                }
                if log.is_over {
                    return None;
                }
            }
            // The sender lives as long as `self.controls`, so the wait cannot fail.
            let _ = self.news.changed().await;
        }
    }

    /// Returns the events as a stream.
    #[cfg(feature = "stream")]
    pub fn into_stream(self) -> impl futures_util::Stream<Item = Event> + Send + 'static {
        futures_util::stream::unfold(self, async |mut events| {
            let event = events.next().await?;
            Some((event, events))
        })
    }
}
