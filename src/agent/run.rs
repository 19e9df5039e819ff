//! One run of a [`DecisionLoop`]: the model decides, memory advises, and the executor acts.

use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};

use chrono::TimeDelta;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use url::Url;

use super::{
    Executor, RunReport, Task,
    decision_loop::Parts,
    emit::elapsed_ms,
    engine::{Asking, Engine},
    executor::{Decider, Guarded, Owner, RunBrowser},
    options::{Context, Images},
    registered::Registered,
    sight::Sight,
    state::{Queued, State},
};
use crate::{
    action::ToolSet,
    base::{Nonce, Result, RunId, text},
    chat::CallMode,
    event::EventKind,
    guard::Spent,
    memory::{Advice, Cue, RunLog, Section},
    page::{DigestOptions, PageView},
    prompt::{ContentType, SystemParts, system},
    secret::SecretName,
    working::{Step, StopReason, WorkingMemory},
};

/// The state of a run after a step: the run continues, or it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepEnd {
    /// The run continues: call `step` again.
    Continue,
    /// The run is over: call `finish`.
    Stopped(StopReason),
}

/// A run: a task that is being carried out.
///
/// Call [`step`](Self::step) until the run stops, then call [`finish`](Self::finish).
pub struct Run {
    pub(super) parts: Arc<Parts>,
    pub(super) executor: Executor,
    pub(super) engine: Engine,
    pub(super) tools: Arc<ToolSet>,
    pub(super) goal_words: Vec<String>,
    /// The kinds of content that the tools of the embedder declare, by tool name.
    pub(super) content_types: BTreeMap<String, ContentType>,
    /// The picture of the current page in the latest message to the model; `None` if the message has no such picture,
    /// even if it has pictures from earlier steps.
    pub(super) sight: Option<Sight>,
    /// The limits on the page section of the latest message to the model.
    pub(super) shown: DigestOptions,
    pub(super) compressor_failures: u32,
    /// The reason why the model's last reply could not be read; `None` if it could be read.
    pub(super) unreadable: Option<String>,
    /// The run in the register of runs; `None` if this run is not registered.
    pub(super) registered: Option<Arc<Registered>>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("executor", &self.executor)
            .finish_non_exhaustive()
    }
}

impl Run {
    pub(super) async fn start(parts: Arc<Parts>, task: Task) -> Self {
        let executor = Executor::new(Arc::clone(&parts.guarded), task, Context::Fresh).await;
        let mut run = Self::open(parts, executor);
        run.begin().await;
        run
    }

    pub(super) async fn run(parts: Arc<Parts>, task: Task) -> RunReport {
        let mut run = Self::start(parts, task).await;
        while let StepEnd::Continue = run.step().await {}
        run.finish().await
    }

    pub(super) async fn resume(parts: Arc<Parts>, task: Task, mut state: State) -> Result<Self> {
        let place = place_of(&parts.guarded, &task).await?;
        let turn = place.browser.lease().take();
        let last = state.last_url().and_then(|url| Url::parse(url).ok());
        // A run that is over stays so: a person may have ended it.
        let goes_on = state.stopped.is_none() && state.check().is_ok();
        if let Some(last) = last.filter(|_| goes_on && place.owner == Owner::Run) {
            // A browser of the run's own shows nothing yet.
            state.go_on(&last, None, None, None);
        }
        let guarded = Arc::clone(&parts.guarded);
        let executor = Executor::resume(guarded, task, state, place, turn)?;
        Ok(Self::open(parts, executor))
    }

    pub(super) fn open(parts: Arc<Parts>, executor: Executor) -> Self {
        let options = executor.options.clone();
        let custom = parts.tools.iter().map(|tool| tool.spec());
        let declared = executor.browser.capabilities().tools;
        let tools = ToolSet::new(&declared, options.scripts, custom);
        let sees = parts.model.capabilities().images && options.images != Images::Never;
        let mut tools = usable(tools, executor.settings().approver.is_some(), sees);
        if executor.task.files.is_empty() {
            tools = tools.without("upload");
        }
        let kinds = if options.memory && executor.has_turn() {
            parts.kinds.clone()
        } else {
            Vec::new()
        };
        if !options.memory {
            tools = tools.without("remember").without("follow");
        }
        if let Some(returns) = &executor.task.returns {
            tools = tools.returning(&returns.schema);
        }
        let left = options
            .budget
            .max_duration
            .map(|max| max.saturating_sub(Duration::from_millis(executor.state.before_ms)));
        let engine = Engine::new(kinds, options.namespace.clone(), options.memory_timeout)
            .with_deadline(left.and_then(|left| executor.started.checked_add(left)));
        let content_types = parts.tools.iter();
        let content_types =
            content_types.filter_map(|tool| Some((tool.spec().name, tool.content_type()?)));
        Self {
            goal_words: text::words(&executor.state.about.goal),
            content_types: content_types.collect(),
            compressor_failures: 0,
            unreadable: None,
            parts,
            executor,
            engine,
            tools: Arc::new(tools),
            sight: None,
            shown: options.digest,
            registered: None,
        }
    }

    /// Begins the run: emits the first event, enters the run in the register, queues the opening of the start page, and
    /// makes the system instruction.
    async fn begin(&mut self) {
        let parts = Arc::clone(&self.parts);
        let model = parts.model.capabilities();
        self.executor.tell_started(Decider {
            model: self.executor.options.model.clone().unwrap_or(model.model),
            mode: mode(model.mode),
            tools: self
                .tools
                .specs()
                .iter()
                .map(|spec| spec.name.clone())
                .collect(),
        });
        if self.executor.has_turn() {
            self.register().await;
        }
        if let Some(url) = &self.executor.task.start_url {
            let opening = Queued::opening(url.to_string());
            self.executor.state.queue.add(opening);
        }
        let asking = Asking {
            emitter: &self.executor.emitter,
            redactor: &self.executor.redactor,
        };
        let mut lessons = Vec::new();
        if self.executor.has_turn() {
            self.engine.prepare(&parts.memory, asking).await;
            let asked = Instant::now();
            lessons = self.recall(&Cue::RunStarted).await;
            self.executor.emitter.emit(EventKind::Tier1Loaded {
                count: lessons.len(),
                lessons: lessons
                    .iter()
                    .map(|lesson| lesson.text().to_owned())
                    .collect(),
                items: lessons.iter().map(|lesson| lesson.id().clone()).collect(),
                elapsed_ms: elapsed_ms(asked),
            });
        }
        let task = &self.executor.task;
        let secrets: Vec<SecretName> = task.vault.names().cloned().collect();
        let system = system(&SystemParts {
            goal: &self.executor.state.about.goal,
            instructions: &task.instructions,
            lessons: &lessons,
            parameters: &task.parameters,
            secrets: &secrets,
            files: &task.files.keys().map(String::as_str).collect::<Vec<_>>(),
            answer: task.returns.as_ref().map(|returns| &returns.schema),
            max_calls: self.executor.options.max_calls,
            max_steps: self.executor.options.budget.max_steps,
            refused: match &self.executor.settings().approver {
                None => self.executor.options.approval.refused_unasked(),
                Some(_) => None,
            },
            tools: (model.mode == CallMode::JsonSchema).then_some(&*self.tools),
        });
        self.executor.state.system = self.executor.redactor.text(&system);
        let (lessons, others): (Vec<Advice>, Vec<Advice>) = lessons
            .into_iter()
            .partition(|advice| *advice.section() == Section::Lessons);
        let earlier = self.earlier();
        let offered = &mut self.executor.state.offered;
        offered.stand(lessons.iter().map(|lesson| lesson.id().clone()).collect());
        offered.add(others);
        offered.add(earlier.into_iter().collect());
    }

    /// Returns a snapshot of the run, from which [`DecisionLoop::resume`](super::DecisionLoop::resume) resumes the run. Call this method between
    /// steps, because the snapshot does not contain an action in progress. It does not contain pictures either, and no
    /// queued actions if the last step was given up.
    ///
    /// Secrets in the snapshot are replaced, even a secret that the model guessed.
    ///
    /// # Errors
    /// Returns `Corrupt` if a word that the JSON form of the snapshot needs, such as the name of a field, is or
    /// contains a secret. Replacing the secret in that word makes the snapshot unreadable.
    pub fn state(&self) -> Result<State> {
        self.executor.state()
    }

    /// Returns the run's id.
    pub const fn id(&self) -> &RunId {
        self.executor.id()
    }

    /// Returns a nonce: a number that marks text from outside in a prompt, and that nobody outside the run can know.
    /// With a `step`, the nonce is for the message of that step; otherwise it is for the whole run.
    pub(super) fn nonce(&self, step: Option<u32>) -> Nonce {
        let mut hash = Sha256::new();
        hash.update(self.executor.state.seed);
        hash.update(self.executor.emitter.run.as_str().as_bytes());
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

    /// Returns the run's own memory: its steps, its notes, and the texts that it read, extracted or was given. It is
    /// not the store that later runs learn from.
    pub const fn memory(&self) -> &WorkingMemory {
        &self.executor.state.memory
    }

    /// Gives the run a text that the work needs and no page shows. The next requests to the model contain the text, as
    /// far as there is room, as data and not as an instruction. Secrets in the text are replaced.
    ///
    /// The run's state, events and run folder contain the text, but the store that later runs learn from does not. The
    /// checkpoints in the register of runs do not contain it either: a run that is resumed from one has only the texts
    /// of the task that resumes it.
    ///
    /// # Errors
    /// Returns the errors of [`WorkingMemory::give`].
    pub fn give(&mut self, name: &str, text: &str) -> Result<()> {
        self.executor.give(name, text)
    }

    /// Removes the text that was given to the run under this name, and returns it; `None` if there is no such text.
    /// If the run is later resumed from its state, the text is not given again, even if the task contains it.
    pub fn take_back(&mut self, name: &str) -> Option<String> {
        self.executor.take_back(name)
    }

    /// Returns the steps so far, one for each action that was tried.
    pub fn steps(&self) -> &[Step] {
        self.executor.steps()
    }

    /// Returns the page as it was last observed; `None` before the first observation.
    pub fn page(&self) -> Option<&PageView> {
        self.executor.page()
    }

    /// Returns the steps, model calls, tokens and money spent so far.
    pub const fn spent(&self) -> &Spent {
        self.executor.spent()
    }

    /// Ends the run, learns from it and returns the report. A run that has not stopped yet counts as cancelled.
    pub async fn finish(mut self) -> RunReport {
        let stop = self.executor.state.stopped.unwrap_or(StopReason::Cancelled);
        // Without its step, the last checkpoint would replace the intent of an action that the caller gave up.
        self.executor.record_in_flight();
        let stop = self.keep_last(stop).await;
        let state = &mut self.executor.state;
        if state.error.is_none() {
            state.error = state.never_opened();
        }
        // If another process has taken over the run, that process learns from it.
        let learns = self.executor.options.memory && stop != StopReason::TakenOver;
        let mut not_kept = Vec::new();
        if learns && self.executor.has_turn() {
            let now = self.executor.settings().clock.now();
            let (offered, withheld) = self.executor.state.offered.take();
            let log = RunLog::new(
                self.executor.id().clone(),
                self.executor.state.about.clone(),
                now,
                stop.is_success(),
                self.executor.state.memory.edit_steps(std::mem::take),
                offered,
            )
            .ended_by(stop)
            // The goal alone does not say what a run did that was instructed.
            .lacking_its_beginning(
                self.executor.state.cut || !self.executor.state.instructed.is_empty(),
            )
            .withholding(withheld)
            .started_at(
                TimeDelta::from_std(self.executor.elapsed())
                    .map_or(now, |span| now.checked_sub_signed(span).unwrap_or(now)),
            );
            let asking = Asking {
                emitter: &self.executor.emitter,
                redactor: &self.executor.redactor,
            };
            let options = &self.executor.options;
            let patience = match stop {
                StopReason::Cancelled => options.memory_timeout,
                _ => options.learning_timeout,
            };
            not_kept = self.engine.unlearned(&log);
            for text in &not_kept {
                self.executor.emitter.emit(EventKind::Warned {
                    guard: "memory".to_owned(),
                    text: text.clone(),
                });
            }
            self.engine
                .learn(&self.parts.memory, &log, patience, asking)
                .await;
            self.executor
                .state
                .memory
                .edit_steps(|steps| *steps = log.steps);
        }
        if stop.is_success() {
            self.executor.look_once_more().await;
        }
        self.leave_register(stop).await;
        self.executor.close_own().await;
        RunReport {
            memory_errors: self.engine.into_failures(),
            not_kept,
            ..self.executor.ended(stop)
        }
    }
}

/// Returns the browser for a run that is resumed.
pub(super) async fn place_of(guarded: &Guarded, task: &Task) -> Result<RunBrowser> {
    let options = task.options.as_deref();
    let options = options.unwrap_or(&guarded.settings.options);
    guarded
        .place(options, task.session.as_ref(), Context::Fresh)
        .await
}

/// Returns the tools that a run offers to its model from beginning to end. Leaves out the tools that can never work in the
/// run, and `click_at` if there is `click_xy`. `asks` is true if the model can ask a person; `sees` is true if it is shown
/// pictures.
fn usable(tools: ToolSet, asks: bool, sees: bool) -> ToolSet {
    let left_out: &[&str] = if !sees {
        &["screenshot", "click_xy", "hover_xy", "drag_xy"]
    } else if tools.contains("click_xy") {
        // `click_xy` can do everything that `click_at` does.
        &["click_at"]
    } else {
        &[]
    };
    let asking = (!asks).then_some("ask_human");
    let left_out = left_out.iter().copied().chain(asking);
    left_out.fold(tools, ToolSet::without)
}

const fn mode(mode: CallMode) -> &'static str {
    match mode {
        CallMode::Tools => "tools",
        CallMode::JsonSchema => "json_schema",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::BrowserTool as T;

    #[test]
    fn a_model_that_sees_pictures_has_click_at_only_if_the_driver_lacks_click_xy() {
        for (declared, sees, wanted) in [
            ([T::ClickAt, T::ClickXy].as_slice(), true, "click_xy"),
            (&[T::ClickAt, T::ClickXy], false, "click_at"),
            (&[T::ClickAt], true, "click_at"),
        ] {
            let tools = ToolSet::new(&declared.iter().copied().collect(), false, []);
            let tools = usable(tools, true, sees);
            let clicks = ["click_at", "click_xy"].into_iter();
            let clicks: Vec<&str> = clicks.filter(|tool| tools.contains(tool)).collect();
            assert_eq!(clicks, [wanted], "{declared:?}, sees pictures: {sees}");
        }
    }
}
