//! The executor: the only code of the loop that observes pages and carries out actions in the browser. Each action is
//! guarded, approved, recorded in the journal, carried out, verified and kept as a step.
//!
//! This code asks neither a model nor memory. A [`Run`](super::Run) lets a model decide and acts through an
//! [`Executor`]. A program that decides its actions itself uses an executor alone.

mod act;
mod aim;
mod approval;
mod contexts;
mod deadline;
mod dialog_words;
mod drop_point;
mod ending;
mod execute;
mod guarded;
mod guards;
mod intent;
mod look;
mod record;
mod scope;

use std::{sync::Arc, time::Duration};

pub(super) use contexts::{Contexts, Owner, RunBrowser};
pub(super) use ending::redacted;
pub use guarded::GuardedBrowser;
pub(super) use guarded::{Guarded, Settings};
pub(super) use {
    aim::{identities, judged},
    deadline::Deadline,
    guards::{Guards, TurnNow},
    look::shows_closed_frame,
    record::{Concluded, InFlight, ends_in_vain},
};

use tokio::time::Instant;
use uuid::Uuid;

use super::{
    Cancel, Context, Options, Task, WhenBusy,
    checkpoint::Checkpoints,
    emit::Emitter,
    state::{Queued, Remarks, State},
};
use crate::{
    BrowserDriver,
    action::{Action, BrowserAction, Goto},
    base::{Error, ErrorKind, Result as CrateResult, RunId},
    browser::Turn,
    event::{EventKind, FanOut},
    guard::Spent,
    page::PageView,
    secret::{Redactor, SecretName, SecretResolver},
    working::{About, By, Step, StopReason, WorkingMemory},
};

/// A run of a [`GuardedBrowser`], in which the caller decides each action.
///
/// If a guard (a check of the loop), a person or the browser refuses an action, the result is a failed step that
/// states the reason, and the run continues, unless the person [ends it](crate::agent::Approval::Stop). If
/// [`carry_out`](Self::carry_out) or [`open_start_page`](Self::open_start_page) returns an error, the run is over, and
/// the error states why.
pub struct Executor {
    parts: Arc<Guarded>,
    /// The browser of this run.
    pub(super) browser: Arc<dyn BrowserDriver>,
    /// Who closes the browser.
    owner: Owner,
    /// The options of this run.
    pub(super) options: Options,
    pub(super) task: Task,
    pub(super) state: State,
    pub(super) emitter: Emitter,
    pub(super) redactor: Redactor,
    pub(super) secrets: SecretResolver,
    pub(super) started: Instant,
    pub(super) in_flight: Option<InFlight>,
    /// True while a step is under way. It stays true if the caller drops the step's future.
    under_way: bool,
    /// True if the current step has taken an action from the queue that no step of the run has recorded yet.
    pub(super) has_taken: bool,
    /// The question that a person was asked and has not answered yet.
    pub(super) asking: Option<String>,
    recording: Option<String>,
    /// The store for checkpoints; `None` if the run is not registered.
    pub(super) checkpoints: Option<Arc<dyn Checkpoints>>,
    /// True if a failure of the register of runs has already been emitted as an event.
    unkept: bool,
    /// The right to use the browser. `None` if another run uses the browser; this run then stops at once.
    turn: Option<Turn>,
}

impl std::fmt::Debug for Executor {
    /// Formats the task and the progress of the run. Queued actions are left out, because they may contain an address
    /// with a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Executor")
            .field("task", &self.task)
            .field("run", &self.emitter.run)
            .field("step", &self.emitter.step)
            .field("url", &self.state.page.url())
            .field("spent", &self.state.spent)
            .field("error", &self.state.error)
            .field("stopped", &self.state.stopped)
            .finish_non_exhaustive()
    }
}

/// The name and the call mode of the run's model, and the run's tools, for the run's first event. `model` and `mode` are empty if a program
/// decides the actions itself.
#[derive(Debug)]
pub(super) struct Decider {
    pub(super) model: String,
    pub(super) mode: &'static str,
    pub(super) tools: Vec<String>,
}

impl Executor {
    async fn start(parts: Arc<Guarded>, task: Task) -> Self {
        let executor = Self::new(parts, task, Context::Shared).await;
        let tools = executor.browser.capabilities().tools;
        executor.tell_started(Decider {
            model: String::new(),
            mode: "",
            tools: tools.iter().map(|tool| tool.as_str().to_owned()).collect(),
        });
        executor
    }

    pub(super) async fn new(parts: Arc<Guarded>, task: Task, auto: Context) -> Self {
        let id = task.run.clone().unwrap_or_else(RunId::generate);
        let redactor = task.vault.redactor();
        let mut about = About::new(redactor.text(&task.goal));
        let start = task.start_url.as_ref();
        about.start = start.map(|url| redactor.text(url.as_str()));
        about.session.clone_from(&task.session);
        about.parent = task.parent.as_ref().map(|parent| parent.parent.clone());
        let seed = parts
            .settings
            .options
            .seed
            .map_or_else(|| Uuid::new_v4().as_u128(), u128::from);
        let guards = Guards::new(start, task.allow.clone(), !task.vault.is_empty());
        let mut state = State::new(id, about, seed, guards);
        give_all(&mut state, &task);
        let mut executor = Self::open(parts, task, state);
        executor.enter(auto).await;
        executor
    }

    /// Resumes a run from its state in this place. The page will be observed again. `turn` is the right to use the browser;
    /// `None` if another run has it.
    pub(super) fn resume(
        parts: Arc<Guarded>,
        task: Task,
        mut state: State,
        place: RunBrowser,
        turn: Option<Turn>,
    ) -> CrateResult<Self> {
        state.check()?;
        state.failed = None;
        state.page.touch();
        state.guards = state.guards.within(
            task.start_url.as_ref(),
            task.allow.clone(),
            !task.vault.is_empty(),
        );
        give_all(&mut state, &task);
        let mut executor = Self::open(parts, task, state);
        if turn.is_none() {
            executor.state.stopped = Some(StopReason::Busy);
        }
        (executor.browser, executor.owner) = (place.browser, place.owner);
        executor.turn = turn;
        executor.emitter.emit(EventKind::RunResumed {});
        executor.tell_given();
        Ok(executor)
    }

    /// Takes the browser for this run, and the right to use it. If another run has it, waits or stops this run, as the options
    /// say. `auto` is what [`Context::Auto`] means for this run.
    async fn enter(&mut self, auto: Context) {
        let end = self.end();
        let session = self.task.session.as_ref();
        let place = tokio::select! {
            biased;
            // First, because a run that is cancelled before it began learns too.
            place = self.parts.place(&self.options, session, auto) => Ok(place),
            stop = end => Err(stop),
        };
        match place {
            Ok(Ok(place)) => (self.browser, self.owner) = (place.browser, place.owner),
            Ok(Err(error)) => self.state.stopped = Some(self.lost(error)),
            Err(stop) => self.state.stopped = Some(stop),
        }
        if self.state.stopped.is_some() {
            return;
        }
        let lease = self.browser.lease().clone();
        self.turn = lease.take();
        if self.turn.is_none() && self.options.when_busy == WhenBusy::Wait {
            let end = self.end();
            tokio::select! {
                biased;
                stop = end => self.state.stopped = Some(stop),
                turn = lease.wait() => self.turn = turn,
            }
        }
        if self.turn.is_none() && self.state.stopped.is_none() {
            self.state.stopped = Some(StopReason::Busy);
        }
    }

    /// Makes the executor of a run from its state, without the right to use the browser.
    fn open(parts: Arc<Guarded>, task: Task, state: State) -> Self {
        let redactor = task.vault.redactor();
        let sink = Arc::clone(&parts.settings.sink);
        let sink = match &task.controls {
            Some(controls) => Arc::new(FanOut::new().with(sink).with(Arc::clone(controls) as _)),
            None => sink,
        };
        let emitter = Emitter {
            sink,
            clock: Arc::clone(&parts.settings.clock),
            run: state.run.clone(),
            step: state.spent.steps,
            redactor: redactor.clone(),
        };
        Self {
            secrets: SecretResolver::new(Arc::clone(&task.vault)),
            browser: Arc::clone(&parts.browser),
            owner: Owner::Agent,
            options: task
                .options
                .as_deref()
                .unwrap_or(&parts.settings.options)
                .clone(),
            parts,
            task,
            state,
            emitter,
            redactor,
            started: Instant::now(),
            in_flight: None,
            under_way: false,
            has_taken: false,
            asking: None,
            recording: None,
            checkpoints: None,
            unkept: false,
            turn: None,
        }
    }

    fn tell_given(&self) {
        for (name, text) in self.state.memory.given() {
            let (name, text) = (name.clone(), Some(text.clone()));
            self.emitter.emit(EventKind::Given { name, text });
        }
    }

    pub(super) fn tell_started(&self, decider: Decider) {
        let browser = self.browser.capabilities();
        let about = &self.state.about;
        self.emitter.emit(EventKind::RunStarted {
            goal: about.goal.clone(),
            start_url: about.start.clone(),
            session: about.session.clone(),
            driver: browser.driver,
            attached: browser.attached,
            model: decider.model,
            seed: format!("{:032x}", u128::from_le_bytes(self.state.seed)),
            tools: decider.tools,
            mode: decider.mode.to_owned(),
            max_steps: self.options.budget.max_steps,
            approval: self.options.approval.to_string(),
        });
        self.tell_given();
        if let Some(warning) = short_secrets(self.redactor.too_short()) {
            self.emitter.emit(EventKind::Warned {
                guard: "secrets".to_owned(),
                text: warning,
            });
        }
    }

    /// Carries out one action and returns the step that records it. The action's targets are looked up on the current
    /// page.
    ///
    /// # Errors
    /// Returns the reason why the run is over. The run may have ended during this call or earlier.
    pub async fn carry_out(&mut self, action: BrowserAction) -> Result<&Step, StopReason> {
        self.take(action, By::Caller).await
    }

    /// Opens the start page of the task, without asking for approval. Does nothing if the task has no start page.
    ///
    /// # Errors
    /// Returns the reason why the run is over. The run may have ended during this call or earlier.
    pub async fn open_start_page(&mut self) -> Result<(), StopReason> {
        match self.opening() {
            Some(goto) => self.take(goto, By::Task).await.map(|_| ()),
            None => self.state.stopped.map_or(Ok(()), Err),
        }
    }

    async fn take(&mut self, action: BrowserAction, by: By) -> Result<&Step, StopReason> {
        if let Some(stop) = self.state.stopped {
            return Err(stop);
        }
        let end = self.end();
        let done = tokio::select! {
            biased;
            stop = end => Err(stop),
            done = async {
                let known = self.steps().len();
                let done = self.step(action, by).await;
                self.tell_steps(known).await;
                done
            } => done,
        };
        self.end_step(done)?;
        self.state
            .memory
            .steps()
            .last()
            .ok_or(StopReason::Cancelled)
    }

    /// Tells the hooks the steps after the first `known` ones.
    pub(super) async fn tell_steps(&self, known: usize) {
        for step in self.steps().iter().skip(known) {
            let step = redacted(step.clone(), &self.redactor);
            for hook in &self.settings().hooks {
                hook.after_step(self.id(), &step).await;
            }
        }
    }

    async fn step(&mut self, mut action: BrowserAction, by: By) -> Result<(), StopReason> {
        self.begin_step()?;
        // The caller learns everything from the step itself. There is no message to a model, so no remarks are kept for
        // one.
        self.state.remarks = Remarks::default();
        if by != By::Task {
            self.observe().await?;
        }
        if let Some(page) = self.state.page.now() {
            action.resolve_address(&page.head.url);
        }
        let asked = Action::Browser(action.clone());
        let mut targets = match self.state.page.now() {
            Some(page) => identities(&asked, page),
            None => asked.references().is_empty().then(Vec::new),
        };
        let refused = self.aim(&mut action, &mut targets);
        let next = Queued::new(Action::Browser(action.clone()), by, targets);
        let flight = match refused {
            Some(refused) => {
                InFlight::new(next, self.state.page.now().cloned(), Instant::now()).ended(refused)
            }
            None => self.act(action, next).await?,
        };
        let turn = TurnNow {
            number: self.state.spent.steps,
            is_over: true,
        };
        self.conclude(flight, turn).stop.map_or(Ok(()), Err)
    }

    /// Returns the action that opens the start page of the task; `None` if the task has no start page.
    fn opening(&self) -> Option<BrowserAction> {
        let url = self.task.start_url.as_ref()?.to_string();
        Some(BrowserAction::Goto(Goto { url }))
    }

    /// Counts a new step. Returns a stop reason instead if the budget does not allow the step. If the caller gave up the
    /// step before, records its action if that was started, drops all other actions, and has the page observed again.
    pub(super) fn begin_step(&mut self) -> Result<(), StopReason> {
        self.asking = None;
        self.options
            .budget
            .check_before_step(&self.state.spent, self.elapsed())
            .map_err(StopReason::Budget)?;
        self.state.spent.add_step();
        self.emitter.step = self.state.spent.steps;
        self.watch_recording();
        if std::mem::replace(&mut self.under_way, true) {
            self.record_in_flight();
            let taken = usize::from(std::mem::take(&mut self.has_taken));
            self.drop_with(taken, "the step before was given up");
            self.state.page.touch();
        }
        Ok(())
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancels().iter().any(Cancel::is_cancelled)
    }

    /// Returns the handles that stop this run: the agent's, the task's, and that of the run's own handle.
    fn cancels(&self) -> [Cancel; 3] {
        let own = self.task.controls.as_ref();
        let own = own.map_or_else(Cancel::new, |controls| controls.cancel.clone());
        [
            self.settings().cancel.clone(),
            self.task.cancel.clone(),
            own,
        ]
    }

    /// Closes the browser that was opened for this run alone.
    pub(super) async fn close_own(&self) {
        if self.owner == Owner::Run {
            // What cannot be ended now ends when the driver is dropped.
            let _ = self.browser.close().await;
        }
    }

    pub(super) const fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// Returns a copy of the run's state, with secrets replaced.
    pub(super) fn state(&self) -> CrateResult<State> {
        let mut state = self.state.clone();
        state.before_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        if self.under_way {
            // The queue lacks the action of the step that was given up, and its other actions follow that one.
            state.queue.clear();
        }
        if self.redactor.is_empty() {
            return Ok(state);
        }
        let corrupt = |error| Error::new(ErrorKind::Corrupt, "run.state").with_source(error);
        let mut json = serde_json::to_value(&state).map_err(corrupt)?;
        self.redactor.json(&mut json);
        serde_json::from_value(json).map_err(corrupt)
    }

    /// Returns the run's own memory: its steps, its notes, and the texts that it read, extracted or was given. It is
    /// not the store that later runs learn from.
    pub const fn memory(&self) -> &WorkingMemory {
        &self.state.memory
    }

    /// Gives the run a text that the work needs and no page shows. Secrets in the text are replaced.
    ///
    /// # Errors
    /// Returns the errors of [`WorkingMemory::give`].
    pub fn give(&mut self, name: &str, text: &str) -> CrateResult<()> {
        self.state.memory.check_given(name, text)?;
        let [name, text] = [name, text].map(|said| self.redactor.text(said));
        self.state.memory.put(&name, text.clone());
        let text = Some(text);
        self.emitter.emit(EventKind::Given { name, text });
        Ok(())
    }

    /// Removes the text that was given to the run under this name, and returns it; `None` if there is no such text.
    pub fn take_back(&mut self, name: &str) -> Option<String> {
        let name = self.redactor.text(name);
        let taken = self.state.memory.take_back(&name)?;
        let given = EventKind::Given { name, text: None };
        self.emitter.emit(given);
        Some(taken)
    }

    /// Returns the run's id.
    pub const fn id(&self) -> &RunId {
        &self.emitter.run
    }

    /// Returns the steps so far, one for each action that was tried.
    pub fn steps(&self) -> &[Step] {
        self.state.memory.steps()
    }

    /// Returns the page as it was last observed; `None` before the first observation.
    pub fn page(&self) -> Option<&PageView> {
        self.state.page.now().map(|page| &*page.view)
    }

    /// Returns the steps, model calls, tokens and money spent so far.
    pub const fn spent(&self) -> &Spent {
        &self.state.spent
    }

    /// Returns the time that the run has taken, including the time before it was resumed.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(self.state.before_ms).saturating_add(self.started.elapsed())
    }

    /// Returns the description of an error for people and models, with secrets replaced.
    pub(super) fn describe(&self, error: Error) -> String {
        format!("{:?}", error.map_text(|text| self.redactor.text(text)))
    }

    pub(super) fn clean(&self, action: &Action) -> Action {
        action.redacted(&self.redactor)
    }

    /// Drops the queued actions, and reports their number and the reason (`why`) to the model and to the sinks.
    pub(super) fn drop_queue(&mut self, why: &str) {
        self.drop_with(0, why);
    }

    /// Drops the queued actions, and reports them together with `others` that are no longer in the queue.
    pub(super) fn drop_with(&mut self, others: usize, why: &str) {
        let count = others + self.state.queue.clear();
        if count > 0 {
            self.tell_dropped(count, why);
        }
    }

    pub(super) fn tell_dropped(&mut self, count: usize, why: &str) {
        self.state.remarks.dropped(count, why);
        self.emitter.emit(EventKind::CallsDropped {
            count,
            why: why.to_owned(),
        });
    }
}

/// Returns a warning about secrets that are too short to be searched for in all texts; `None` if `names` is empty.
fn short_secrets(names: &[SecretName]) -> Option<String> {
    let names: Vec<&str> = names.iter().map(SecretName::as_str).collect();
    (!names.is_empty()).then(|| {
        format!(
            "shorter than 6 characters: {}; such a secret is replaced only where a value stands, so a page that repeats it \
             in the middle of a sentence shows it",
            names.join(", ")
        )
    })
}

/// Puts the texts of the task into the run's memory, with secrets replaced. A text that the caller has taken back (see
/// `take_back`) is left out.
fn give_all(state: &mut State, task: &Task) {
    let redactor = task.vault.redactor();
    for (name, text) in &task.given {
        let name = redactor.text(name);
        if !state.memory.was_taken_back(&name) {
            state.memory.put(&name, redactor.text(text));
        }
    }
}
