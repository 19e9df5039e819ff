//! One run: its state, and the connections with which it goes on.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use sha2::{Digest, Sha256};
use tokio::time::Instant;
use uuid::Uuid;

use super::{
    DecisionLoop, RunReport, Task,
    absorb::Tried,
    emit::{Emitter, elapsed_ms},
    engine::{Asking, Engine},
    guards::Guards,
    options::Images,
    sight::Sight,
    state::{Queued, State},
    turn::Turn,
};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, BrowserAction, Goto, ToolSet},
    base::{Error, ErrorKind, Nonce, Result, RunId, text},
    chat::CallMode,
    event::{EventKind, RunSummary},
    guard::Spent,
    memory::{AdviceId, Cue, Moment, RunLog},
    page::PageView,
    prompt::{SystemParts, system},
    secret::{Redactor, SecretName, SecretResolver},
    working::{About, By, Step, StopReason},
};

/// The state of a run after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// The run goes on: call `step` again.
    Continue,
    /// The run is over: call `finish`.
    Stopped(StopReason),
}

/// A running task.
///
/// Drive it with [`step`](Self::step) until it stops, then call [`finish`](Self::finish).
pub struct Run<'l, B, L, M> {
    pub(super) parts: &'l DecisionLoop<B, L, M>,
    pub(super) task: Task,
    pub(super) state: State,
    pub(super) emitter: Emitter,
    pub(super) redactor: Redactor,
    pub(super) secrets: SecretResolver,
    pub(super) engine: Engine,
    pub(super) started: Instant,
    pub(super) tools: Arc<ToolSet>,
    pub(super) goal_words: Vec<String>,
    /// The action that is being carried out.
    pub(super) in_flight: Option<Tried>,
    /// The picture of this page that the model was shown.
    pub(super) sight: Option<Sight>,
    recording: Option<String>,
    /// The turn, which is given back when the run is finished or dropped. A run without it is over from the start.
    turn: Option<Turn<'l>>,
}

impl<B, L, M> fmt::Debug for Run<'_, B, L, M> {
    /// Shows the progress only. A queued action may contain an address with a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("task", &self.task)
            .field("run", &self.emitter.run)
            .field("step", &self.emitter.step)
            .field("url", &self.state.page.as_ref().map(|page| &page.head.url))
            .field("spent", &self.state.spent)
            .field("error", &self.state.error)
            .field("stopped", &self.state.stopped)
            .finish_non_exhaustive()
    }
}

impl<'l, B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'l, B, L, M> {
    pub(super) async fn start(parts: &'l DecisionLoop<B, L, M>, task: Task) -> Self {
        let turn = Turn::take(&parts.is_busy);
        let id = task
            .run
            .clone()
            .unwrap_or_else(|| RunId::from_bits(Uuid::now_v7().as_u128()));
        let redactor = task.vault.redactor();
        let mut about = About::new(redactor.text(&task.goal));
        let start = task.start_url.as_ref();
        about.start = start.map(|url| redactor.text(url.as_str()));
        about.session.clone_from(&task.session);
        let seed = parts
            .options
            .seed
            .map_or_else(|| Uuid::new_v4().as_u128(), u128::from);
        let guards = Guards::new(start, task.allow.clone(), !task.vault.is_empty());
        let mut state = State::new(id, about, seed, guards);
        state.queue = Self::opening(&task);
        state.stopped = turn.is_none().then_some(StopReason::Busy);
        let mut run = Self::open(parts, task, state, turn);
        run.begin(seed).await;
        run
    }

    /// Resumes a run whose state was kept. The page is observed anew, because it may have changed meanwhile.
    pub(super) fn resume(
        parts: &'l DecisionLoop<B, L, M>,
        task: Task,
        mut state: State,
    ) -> Result<Self> {
        state.check()?;
        let turn = Turn::take(&parts.is_busy);
        if turn.is_none() {
            state.stopped = Some(StopReason::Busy);
        }
        state.stale = true;
        state.guards = state.guards.within(
            task.start_url.as_ref(),
            task.allow.clone(),
            !task.vault.is_empty(),
        );
        let run = Self::open(parts, task, state, turn);
        run.emitter.emit(EventKind::RunResumed {});
        Ok(run)
    }

    /// Connects a state to the parts of the loop.
    fn open(
        parts: &'l DecisionLoop<B, L, M>,
        task: Task,
        state: State,
        turn: Option<Turn<'l>>,
    ) -> Self {
        let started = Instant::now();
        let redactor = task.vault.redactor();
        let emitter = Emitter {
            sink: Arc::clone(&parts.sink),
            clock: Arc::clone(&parts.clock),
            run: state.run.clone(),
            step: state.spent.steps,
            redactor: redactor.clone(),
        };
        let custom = parts.tools.iter().map(|tool| tool.spec());
        let declared = parts.browser.capabilities().tools;
        let tools = ToolSet::new(&declared, parts.options.scripts, custom);
        // The declared tools stay the same for the whole run, so only tools that can never work in it are left out.
        let tools = match parts.approver {
            Some(_) => tools,
            None => tools.without("ask_human"),
        };
        let sees = parts.model.capabilities().images && parts.options.images != Images::Never;
        let tools = Arc::new(if sees {
            // The other one does all that it does.
            tools.without("click_at")
        } else {
            let pictures = ["screenshot", "click_xy", "drag_xy"];
            pictures.into_iter().fold(tools, ToolSet::without)
        });
        let kinds = if parts.options.memory && turn.is_some() {
            parts.kinds.clone()
        } else {
            Vec::new()
        };
        let longest = parts.options.budget.max_duration;
        let left = longest.map(|max| max.saturating_sub(Duration::from_millis(state.before_ms)));
        let engine = Engine::new(
            kinds,
            parts.options.namespace.clone(),
            parts.options.memory_timeout,
        )
        .with_deadline(left.and_then(|left| started.checked_add(left)));
        Self {
            secrets: SecretResolver::new(Arc::clone(&task.vault)),
            goal_words: text::words(&state.about.goal),
            parts,
            task,
            state,
            emitter,
            redactor,
            engine,
            started,
            tools,
            in_flight: None,
            sight: None,
            recording: None,
            turn,
        }
    }

    /// Tells that the run begins, and writes its system instruction.
    async fn begin(&mut self, seed: u128) {
        let parts = self.parts;
        let (browser, model) = (parts.browser.capabilities(), parts.model.capabilities());
        let about = &self.state.about;
        self.emitter.emit(EventKind::RunStarted {
            goal: about.goal.clone(),
            start_url: about.start.clone(),
            session: about.session.clone(),
            driver: browser.driver,
            attached: browser.attached,
            model: model.model,
            seed: format!("{seed:032x}"),
            tools: self
                .tools
                .specs()
                .iter()
                .map(|spec| spec.name.clone())
                .collect(),
            mode: mode(model.mode).to_owned(),
            max_steps: parts.options.budget.max_steps,
            approval: parts.options.approval.to_string(),
        });
        if let Some(warning) = short_secrets(self.redactor.weak()) {
            self.emitter.emit(EventKind::Warned {
                guard: "secrets".to_owned(),
                text: warning,
            });
        }
        let asking = Asking {
            emitter: &self.emitter,
            redactor: &self.redactor,
        };
        let mut lessons = Vec::new();
        if self.turn.is_some() {
            self.engine.prepare(&parts.memory, asking).await;
            let asked = Instant::now();
            let moment = Moment::new(&Cue::RunStarted, about, &[], parts.clock.now());
            lessons = self.engine.recall(&parts.memory, &moment, asking).await;
            self.emitter.emit(EventKind::Tier1Loaded {
                count: lessons.len(),
                lessons: lessons
                    .iter()
                    .map(|lesson| lesson.text().to_owned())
                    .collect(),
                items: lessons.iter().map(|lesson| lesson.id().clone()).collect(),
                elapsed_ms: elapsed_ms(asked),
            });
        }
        let secrets: Vec<SecretName> = self.task.vault.names().cloned().collect();
        let system = system(&SystemParts {
            goal: &about.goal,
            instructions: &self.task.instructions,
            lessons: &lessons,
            parameters: &self.task.parameters,
            secrets: &secrets,
            max_calls: parts.options.max_calls,
            memory: parts.options.memory,
            tools: (model.mode == CallMode::JsonSchema).then_some(&*self.tools),
        });
        self.state.system = self.redactor.text(&system);
        self.state.standing = lessons.len();
        self.state.offered = lessons.iter().map(|lesson| lesson.id().clone()).collect();
    }

    /// The run as a value, to be kept and continued by [`DecisionLoop::resume`]. Call it between steps: an action under
    /// way is not part of it, nor is a picture.
    ///
    /// No secret appears in it, even if the model guessed one.
    ///
    /// # Errors
    /// `Corrupt` if a secret is also a word of the form itself, such as a role.
    pub fn state(&self) -> Result<State> {
        let mut state = self.state.clone();
        state.before_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        if self.redactor.is_empty() {
            return Ok(state);
        }
        let corrupt = |error| Error::new(ErrorKind::Corrupt, "run.state").with_source(error);
        let mut json = serde_json::to_value(&state).map_err(corrupt)?;
        self.redactor.json(&mut json);
        serde_json::from_value(json).map_err(corrupt)
    }

    /// The first action of a task with a start address, which no model decides.
    fn opening(task: &Task) -> VecDeque<Queued> {
        let goto = task.start_url.as_ref().map(|url| Queued {
            action: Action::Browser(BrowserAction::Goto(Goto {
                url: url.to_string(),
            })),
            by: By::Task,
            targets: Some(Vec::new()),
        });
        goto.into_iter().collect()
    }

    /// The run's id.
    pub const fn id(&self) -> &RunId {
        &self.emitter.run
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        Duration::from_millis(self.state.before_ms).saturating_add(self.started.elapsed())
    }

    /// A nonce that nothing outside the run can know, for the message of a step or for the whole run.
    pub(super) fn nonce(&self, step: Option<u32>) -> Nonce {
        let mut hash = Sha256::new();
        hash.update(self.state.seed);
        hash.update(self.emitter.run.as_str().as_bytes());
        if let Some(step) = step {
            hash.update(step.to_le_bytes());
        }
        let digest = hash.finalize();
        Nonce::new(
            digest
                .iter()
                .take(8)
                .fold(0, |bits, byte| bits << 8 | u64::from(*byte)),
        )
    }

    /// Records that these items stand in the next prompt.
    pub(super) fn offer(&mut self, items: Vec<AdviceId>) {
        // The system instruction stands in every prompt.
        self.state.offered_now = (0..self.state.standing).collect();
        for item in items {
            let known = self.state.offered.iter().position(|known| *known == item);
            self.state
                .offered_now
                .push(known.unwrap_or(self.state.offered.len()));
            if known.is_none() {
                self.state.offered.push(item);
            }
        }
    }

    /// An error as text for people and models, with secrets replaced.
    pub(super) fn describe(&self, error: Error) -> String {
        format!("{:?}", error.map_text(|text| self.redactor.text(text)))
    }

    /// The steps so far, one for each action that was tried.
    pub fn steps(&self) -> &[Step] {
        &self.state.steps
    }

    /// The page, as it was last observed.
    pub fn page(&self) -> Option<&PageView> {
        self.state.page.as_ref().map(|page| &*page.view)
    }

    /// The amounts spent so far.
    pub const fn spent(&self) -> &Spent {
        &self.state.spent
    }

    /// The same action with secrets replaced.
    pub(super) fn clean(&self, action: &Action) -> Action {
        action.redacted(&self.redactor)
    }

    /// Emits once that events are being lost.
    pub(super) fn watch_recording(&mut self) {
        if self.recording.is_none()
            && let Some(error) = self.emitter.failure()
        {
            let error = self.redactor.text(&error);
            self.emitter.emit(EventKind::RecordingFailed {
                error: error.clone(),
            });
            self.recording = Some(error);
        }
    }

    /// Ends the run: learns from it and returns the report. A run that was not stopped counts as cancelled.
    pub async fn finish(mut self) -> RunReport {
        let stop = self.state.stopped.unwrap_or(StopReason::Cancelled);
        if self.parts.options.memory && self.turn.is_some() {
            let log = RunLog::new(
                self.emitter.run.clone(),
                self.state.about.clone(),
                self.parts.clock.now(),
                stop.is_success(),
                std::mem::take(&mut self.state.steps),
                std::mem::take(&mut self.state.offered),
            );
            let asking = Asking {
                emitter: &self.emitter,
                redactor: &self.redactor,
            };
            self.engine.learn(&self.parts.memory, &log, asking).await;
        }
        if stop.is_success() {
            self.look_once_more().await;
        }
        let elapsed_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        let summary = RunSummary::new(
            stop,
            self.state.spent.steps,
            self.state.errors,
            self.state.spent.calls,
            self.state.spent.usage,
            self.state.estimated,
            elapsed_ms,
        )
        .with_cost(self.parts.options.prices.map(|_| self.state.spent.cost));
        self.watch_recording();
        // As with events, everything that leaves is redacted once more.
        let clean = |text: String| self.redactor.text(&text);
        self.state.answer = self.state.answer.map(clean);
        self.state.evidence = self.state.evidence.map(clean);
        self.state.unverified = self.state.unverified.into_iter().map(clean).collect();
        self.state.error = self.state.error.map(clean);
        self.state.extracted = self.redactor.pairs(self.state.extracted);
        let final_url = self.state.page.map(|page| clean(page.head.url));
        self.emitter.emit(EventKind::RunEnded {
            answer: self.state.answer.clone(),
            evidence: self.state.evidence.clone(),
            extracted: self.state.extracted.clone(),
            final_url: final_url.clone(),
            error: self.state.error.clone(),
            summary: summary.clone(),
        });
        RunReport {
            run: self.emitter.run.clone(),
            summary,
            answer: self.state.answer,
            evidence: self.state.evidence,
            unverified: self.state.unverified,
            extracted: self.state.extracted,
            final_url,
            error: self.state.error,
            recording: self
                .recording
                .or_else(|| self.emitter.failure().map(|text| self.redactor.text(&text)))
                .or(self.state.unrecorded),
        }
    }
}

/// The note about secrets that cannot be searched for everywhere; `None` if there are none.
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

/// The mode as events write it.
const fn mode(mode: CallMode) -> &'static str {
    match mode {
        CallMode::Tools => "tools",
        CallMode::JsonSchema => "json_schema",
    }
}
