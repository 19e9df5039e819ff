//! One run: everything that changes while it goes on.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    sync::Arc,
    time::Duration,
};

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
    reading::LinesRead,
    sight::Sight,
    turn::Turn,
};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, BrowserAction, CallProblem, Goto, ToolSet},
    base::{Error, Host, Nonce, RunId, text},
    chat::CallMode,
    event::{EventKind, RunSummary},
    guard::Spent,
    memory::{Advice, AdviceId, Cue, Moment, RunLog},
    page::{ElementRef, Observation, PageView, TargetIdentity},
    prompt::{LastFailure, SystemParts, system},
    secret::{Redactor, SecretName, SecretResolver},
    verify::{CallMade, Numbers, PageNow, Seen},
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

/// An action in the queue, with its targets as they were when it was decided.
#[derive(Debug, Clone)]
pub(super) struct Queued {
    pub(super) action: Action,
    pub(super) by: By,
    /// The targets, in the order of the references; `None` if one of them was not on the page that the action was
    /// decided for.
    pub(super) targets: Option<Vec<TargetIdentity>>,
}

/// Everything that the next message tells besides the page.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    pub(super) calls: Vec<CallMade>,
    pub(super) last_failure: Option<LastFailure>,
    pub(super) found: Vec<String>,
    pub(super) read: Vec<String>,
    /// Lines of a reading that should be kept.
    pub(super) facts: Vec<String>,
    pub(super) results: Vec<(String, String)>,
    pub(super) answers: Vec<(String, String)>,
    pub(super) refused: Vec<CallProblem>,
    /// Pictures of elements that were asked for.
    pub(super) pictures: Vec<Vec<u8>>,
    /// The picture of the window, if it was asked for.
    pub(super) window: Option<Vec<u8>>,
    pub(super) notes: Vec<String>,
    /// Warnings of the guards after the last call: an earlier one's may not be true any more.
    pub(super) warnings: Vec<String>,
}

/// A running task.
///
/// Drive it with [`step`](Self::step) until it stops, then call [`finish`](Self::finish).
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about a run, each asked on its own"
)]
pub struct Run<'l, B, L, M> {
    pub(super) parts: &'l DecisionLoop<B, L, M>,
    pub(super) task: Task,
    pub(super) about: About,
    pub(super) emitter: Emitter,
    pub(super) redactor: Redactor,
    pub(super) secrets: SecretResolver,
    pub(super) engine: Engine,
    pub(super) started: Instant,
    seed: u128,

    pub(super) system: String,
    pub(super) tools: Arc<ToolSet>,
    pub(super) goal_words: Vec<String>,

    pub(super) page: Option<PageNow>,
    /// The page before the last action, if it was the same page, and the duration of that action.
    pub(super) earlier: Option<(PageNow, Duration)>,
    /// Texts that the pages of this run have shown.
    pub(super) seen: Seen,
    /// Numbers on this page that are known to tick or to answer actions.
    pub(super) numbers: Numbers,
    /// True if an action was begun since the page was observed.
    pub(super) stale: bool,
    /// The action that is being carried out.
    pub(super) in_flight: Option<Tried>,
    /// The page that memory was asked about last, and its host.
    pub(super) asked_for: Option<(Host, Arc<Observation>)>,
    /// The picture of this page that the model was shown.
    pub(super) sight: Option<Sight>,
    pub(super) queue: VecDeque<Queued>,
    pub(super) remarks: Remarks,
    /// The lines of the last page that were read.
    pub(super) lines_read: Option<LinesRead>,
    /// Findings that matter for the goal, in lines of page data.
    pub(super) known: Vec<String>,
    /// Notes of the model.
    pub(super) notes: Vec<String>,
    pub(super) advice: Vec<Advice>,
    /// Positions in `offered` of what stands in the current prompt.
    pub(super) offered_now: Vec<usize>,
    /// Number of the items in the system instruction, which are the first of `offered`.
    standing: usize,

    pub(super) guards: Guards,
    pub(super) spent: Spent,
    pub(super) estimated: bool,
    pub(super) errors: u32,
    pub(super) errors_in_row: u32,
    /// The model call whose reply had the last error, because one reply counts once.
    pub(super) error_call: Option<u32>,
    pub(super) unusable_in_row: u32,
    pub(super) finish_refused: bool,
    /// True if the current action led to a page that had to be left. Nothing is learned from it.
    pub(super) left_scope: bool,
    /// True if a secret was typed, or shown by a page. No picture is taken after that.
    pub(super) secret_seen: bool,
    /// Fields of this page that a secret was typed into.
    pub(super) typed_into: BTreeSet<ElementRef>,

    pub(super) steps: Vec<Step>,
    /// Every advice that was shown, in the order in which it first was.
    offered: Vec<AdviceId>,
    pub(super) answer: Option<String>,
    pub(super) evidence: Option<String>,
    /// Claims of the answer that its evidence does not support.
    pub(super) unverified: Vec<String>,
    pub(super) extracted: BTreeMap<String, String>,
    pub(super) error: Option<String>,
    pub(super) stopped: Option<StopReason>,
    recording: Option<String>,
    /// The reason why an intent was not recorded.
    pub(super) unrecorded: Option<String>,
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
            .field("url", &self.page.as_ref().map(|page| &page.head.url))
            .field("spent", &self.spent)
            .field("error", &self.error)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

impl<'l, B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'l, B, L, M> {
    pub(super) async fn start(parts: &'l DecisionLoop<B, L, M>, task: Task) -> Self {
        let started = Instant::now();
        let turn = Turn::take(&parts.is_busy);
        let redactor = task.vault.redactor();
        let secrets: Vec<SecretName> = task.vault.names().cloned().collect();
        let id = task
            .run
            .clone()
            .unwrap_or_else(|| RunId::from_bits(Uuid::now_v7().as_u128()));
        let emitter = Emitter {
            sink: Arc::clone(&parts.sink),
            clock: Arc::clone(&parts.clock),
            run: id,
            step: 0,
            redactor: redactor.clone(),
        };
        let (custom, browser) = (
            parts.tools.iter().map(|tool| tool.spec()),
            parts.browser.capabilities(),
        );
        let tools = ToolSet::new(&browser.tools, parts.options.scripts, custom);
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
        let deadline = parts
            .options
            .budget
            .max_duration
            .and_then(|max| started.checked_add(max));
        let mut engine = Engine::new(
            kinds,
            parts.options.namespace.clone(),
            parts.options.memory_timeout,
        )
        .with_deadline(deadline);

        let mut about = About::new(redactor.text(&task.goal));
        let start = task.start_url.as_ref();
        about.start = start.map(|url| redactor.text(url.as_str()));
        about.session.clone_from(&task.session);
        let seed = parts
            .options
            .seed
            .map_or_else(|| Uuid::new_v4().as_u128(), u128::from);
        emitter.emit(EventKind::RunStarted {
            goal: about.goal.clone(),
            start_url: about.start.clone(),
            session: about.session.clone(),
            driver: browser.driver,
            attached: browser.attached,
            model: parts.model.capabilities().model,
            seed: format!("{seed:032x}"),
            tools: tools.specs().iter().map(|spec| spec.name.clone()).collect(),
            mode: mode(parts.model.capabilities().mode).to_owned(),
            max_steps: parts.options.budget.max_steps,
            approval: parts.options.approval.to_string(),
        });
        if let Some(warning) = short_secrets(redactor.weak()) {
            emitter.emit(EventKind::Warned {
                guard: "secrets".to_owned(),
                text: warning,
            });
        }
        let asking = Asking {
            emitter: &emitter,
            redactor: &redactor,
        };
        let mut lessons = Vec::new();
        if turn.is_some() {
            engine.prepare(&parts.memory, asking).await;
            let asked = Instant::now();
            let moment = Moment::new(&Cue::RunStarted, &about, &[], parts.clock.now());
            lessons = engine.recall(&parts.memory, &moment, asking).await;
            emitter.emit(EventKind::Tier1Loaded {
                count: lessons.len(),
                lessons: lessons
                    .iter()
                    .map(|lesson| lesson.text().to_owned())
                    .collect(),
                items: lessons.iter().map(|lesson| lesson.id().clone()).collect(),
                elapsed_ms: elapsed_ms(asked),
            });
        }

        let system = system(&SystemParts {
            goal: &about.goal,
            instructions: &task.instructions,
            lessons: &lessons,
            parameters: &task.parameters,
            secrets: &secrets,
            max_calls: parts.options.max_calls,
            memory: parts.options.memory,
            tools: (parts.model.capabilities().mode == CallMode::JsonSchema).then_some(&*tools),
        });
        let system = redactor.text(&system);
        let guards = Guards::new(
            task.start_url.as_ref(),
            task.allow.clone(),
            !task.vault.is_empty(),
        );
        Self {
            parts,
            redactor,
            secrets: SecretResolver::new(Arc::clone(&task.vault)),
            engine,
            started,
            seed,
            system,
            tools,
            goal_words: text::words(&about.goal),
            about,
            page: None,
            earlier: None,
            seen: Seen::default(),
            numbers: Numbers::default(),
            stale: false,
            in_flight: None,
            asked_for: None,
            sight: None,
            queue: Self::opening(&task),
            remarks: Remarks::default(),
            known: Vec::new(),
            notes: Vec::new(),
            lines_read: None,
            advice: Vec::new(),
            offered_now: Vec::new(),
            standing: lessons.len(),
            guards,
            spent: Spent::default(),
            estimated: false,
            errors: 0,
            errors_in_row: 0,
            error_call: None,
            unusable_in_row: 0,
            finish_refused: false,
            left_scope: false,
            secret_seen: false,
            typed_into: BTreeSet::new(),
            steps: Vec::new(),
            offered: lessons.iter().map(|lesson| lesson.id().clone()).collect(),
            answer: None,
            evidence: None,
            unverified: Vec::new(),
            extracted: BTreeMap::new(),
            error: None,
            stopped: turn.is_none().then_some(StopReason::Busy),
            recording: None,
            unrecorded: None,
            turn,
            emitter,
            task,
        }
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
        self.started.elapsed()
    }

    /// A nonce that nothing outside the run can know, for the message of a step or for the whole run.
    pub(super) fn nonce(&self, step: Option<u32>) -> Nonce {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
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
        self.offered_now = (0..self.standing).collect();
        for item in items {
            let known = self.offered.iter().position(|known| *known == item);
            self.offered_now.push(known.unwrap_or(self.offered.len()));
            if known.is_none() {
                self.offered.push(item);
            }
        }
    }

    /// An error as text for people and models, with secrets replaced.
    pub(super) fn describe(&self, error: Error) -> String {
        format!("{:?}", error.map_text(|text| self.redactor.text(text)))
    }

    /// The steps so far, one for each action that was tried.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The page, as it was last observed.
    pub fn page(&self) -> Option<&PageView> {
        self.page.as_ref().map(|page| &*page.view)
    }

    /// The amounts spent so far.
    pub const fn spent(&self) -> &Spent {
        &self.spent
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
        let stop = self.stopped.unwrap_or(StopReason::Cancelled);
        if self.parts.options.memory && self.turn.is_some() {
            let log = RunLog::new(
                self.emitter.run.clone(),
                self.about.clone(),
                self.parts.clock.now(),
                stop.is_success(),
                std::mem::take(&mut self.steps),
                std::mem::take(&mut self.offered),
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
        let elapsed_ms = elapsed_ms(self.started);
        let summary = RunSummary::new(
            stop,
            self.spent.steps,
            self.errors,
            self.spent.calls,
            self.spent.usage,
            self.estimated,
            elapsed_ms,
        )
        .with_cost(self.parts.options.prices.map(|_| self.spent.cost));
        self.watch_recording();
        // As with events, everything that leaves is redacted once more.
        let clean = |text: String| self.redactor.text(&text);
        self.answer = self.answer.map(clean);
        self.evidence = self.evidence.map(clean);
        self.unverified = self.unverified.into_iter().map(clean).collect();
        self.error = self.error.map(clean);
        self.extracted = self.redactor.pairs(self.extracted);
        let final_url = self.page.map(|page| clean(page.head.url));
        self.emitter.emit(EventKind::RunEnded {
            answer: self.answer.clone(),
            evidence: self.evidence.clone(),
            extracted: self.extracted.clone(),
            final_url: final_url.clone(),
            error: self.error.clone(),
            summary: summary.clone(),
        });
        RunReport {
            run: self.emitter.run.clone(),
            summary,
            answer: self.answer,
            evidence: self.evidence,
            unverified: self.unverified,
            extracted: self.extracted,
            final_url,
            error: self.error,
            recording: self
                .recording
                .or_else(|| self.emitter.failure().map(|text| self.redactor.text(&text)))
                .or(self.unrecorded),
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
