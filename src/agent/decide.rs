//! The first half of a step: observe the page, recall advice from memory, ask the model, and parse the model's reply.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    Run,
    emit::elapsed_ms,
    executor::identities,
    paid::Terms,
    sight::IMAGE_TOKENS,
    state::{Queued, Remarks},
};
use crate::{
    action::{Action, CallProblem, ErrorClass, Failure, parse_calls},
    base::{
        ErrorKind, TokenCount, text,
        tokens::{Calibration, estimate},
    },
    chat::{CallMode, ChatRequest, ChatResponse},
    event::EventKind,
    guard::{CallEstimate, Spent},
    memory::{AdviceId, Lasts, places},
    page::TargetIdentity,
    prompt::{StepParts, fitted},
    verify::changes,
    working::{By, StopReason},
};

/// Maximum size of a request to a model whose context window is unknown. Unit: tokens. Source: chosen; half of the
/// smallest context window of the models that providers offer today.
const UNKNOWN_ROOM: u64 = 64_000;

/// Maximum size of a reply of a run whose answer has a type, if the context window has room for four of them: a list of some
/// hundred items. Source: chosen.
const TYPED_OUTPUT: TokenCount = TokenCount(8_192);
/// Parts of the reasons that providers give for a reply that they cut.
const CUT: [&str; 3] = ["length", "max_tokens", "maxtokens"];
/// Maximum length of the model's reasoning that a step keeps. Unit: characters. Source: chosen.
const MAX_THOUGHT: usize = 2_000;

/// Returns the reasoning of a reply. If the reply has no reasoning, returns the text beside the reply's calls. The
/// result is cut to [`MAX_THOUGHT`] characters.
fn thought(response: &ChatResponse) -> Option<String> {
    let beside = (!response.calls.is_empty()).then_some(&response.text);
    let said = response.reasoning.as_ref().or(beside)?.trim();
    (!said.is_empty()).then(|| text::cut(said, MAX_THOUGHT))
}

impl Run {
    /// Asks memory for advice about the current page. Does nothing if memory was already asked about this observation
    /// of the page.
    pub(super) async fn recall_for_page(&mut self) {
        let page = self.executor.state.page.now();
        let here = page.and_then(|page| Some((page.place.host()?.clone(), page)));
        let Some((host, page)) = here else {
            self.executor.state.offered.leave();
            return;
        };
        if self.executor.state.offered.was_asked(page.look) {
            return;
        }
        let look = page.look;
        let Some(cue) = self.executor.page_cue() else {
            return;
        };
        let started = Instant::now();
        let found = self.recall(&cue).await;
        let elapsed_ms = elapsed_ms(started);
        let elements = self.known_elements(&cue).await;
        self.recall_recipes(&cue).await;
        let lessons = found
            .iter()
            .map(|advice| advice.text().to_owned())
            .collect();
        let items: Vec<AdviceId> = found.iter().map(|advice| advice.id().clone()).collect();
        let offered = &mut self.executor.state.offered;
        // For another page of the same host, an event is emitted only if memory gives different advice for it.
        if offered.arrive((&host, look), found, elements) {
            self.executor.emitter.emit(EventKind::DomainRecall {
                domain: host,
                matched: items.len(),
                lessons,
                items,
                elapsed_ms,
            });
        }
    }

    /// Returns a request with an empty message and with the parts that all requests of the run have in common.
    pub(super) fn request(&self) -> ChatRequest {
        let options = &self.executor.options;
        let mut request = ChatRequest::new(
            self.executor.state.system.clone(),
            String::new(),
            Arc::clone(&self.tools),
        );
        request.model.clone_from(&options.model);
        request.mode = self.parts.model.capabilities().mode;
        request.max_calls = options.max_calls;
        request.temperature = options.temperature;
        request.max_output = options.max_output;
        if self.executor.task.returns.is_some() {
            let window = self.parts.model.capabilities().context_window;
            let room = window.map_or(TYPED_OUTPUT, |window| {
                TYPED_OUTPUT.min(TokenCount(window.0 / 4))
            });
            request.max_output = request.max_output.max(room);
        }
        request
    }

    pub(super) fn budget(&self, request: &ChatRequest) -> TokenCount {
        let window = self.parts.model.capabilities().context_window;
        room(window, request, self.executor.state.calibration)
    }

    /// Returns the next request: the constant system instruction, and a message about the current state that fits the
    /// model's context window.
    pub(super) fn prompt(&mut self) -> ChatRequest {
        let (mode, digest) = {
            let options = &self.executor.options;
            (options.mode, options.digest)
        };
        let mut request = self.request();
        let pictured = self.show_pictures(&mut request);
        let budget = self.budget(&request);
        self.executor.state.page.show();
        let typed = self.executor.typed();
        if let Some(page) = self.executor.state.page.now() {
            self.executor.state.seen.page(&page.observation, &typed);
            if self.executor.task.returns.is_some() {
                self.executor.state.seen.rows(page, &typed);
            }
        }
        let remarks = &self.executor.state.remarks;
        let told = remarks.last_failure.as_ref();
        let told = told.map(|failure| (&*failure.command, &failure.outcome));
        let changed = changes(&remarks.calls, told);
        let notes = self.notes(pictured);
        let host = self
            .executor
            .state
            .page
            .now()
            .and_then(|page| page.place.host());
        let files = &self.executor.task.files;
        let files: Vec<&str> = files.keys().map(String::as_str).collect();
        let site_notes = host.map(|host| self.executor.task.notes_for(host));
        let (message, shown) = self.executor.state.page.now().map_or_else(
            || (String::new(), digest),
            |page| {
                fitted(&StepParts {
                    run_nonce: self.nonce(None),
                    nonce: self.nonce(Some(self.executor.emitter.step)),
                    goal_words: &self.goal_words,
                    advice: self.executor.state.offered.advice(),
                    named: &places(self.executor.state.offered.advice(), &page.observation.tree),
                    instructed: &self.executor.state.instructed,
                    site_notes: site_notes.as_deref().unwrap_or_default(),
                    history: self.executor.state.memory.history(),
                    view: &page.view,
                    layout: page.layout(),
                    selected: &page.observation.selected,
                    dialog: page.observation.dialog.as_ref(),
                    files: &files,
                    tabs: &page.observation.tabs,
                    changed: &changed,
                    last_failure: self.executor.state.remarks.last_failure.as_ref(),
                    found: &self.executor.state.remarks.found,
                    read: &self.executor.state.remarks.read,
                    known: self.executor.state.memory.lines(),
                    extracted: self.executor.state.memory.extracted(),
                    max_result: self.executor.options.max_result,
                    now: self.executor.settings().clock.now(),
                    given: self.executor.state.memory.given(),
                    noted: self.executor.state.memory.notes(),
                    results: &self.executor.state.remarks.results,
                    followed: &self.executor.state.remarks.followed,
                    content_types: &self.content_types,
                    answers: &self.executor.state.remarks.answers,
                    refused: &self.executor.state.remarks.refused,
                    notes: &notes,
                    mode,
                    digest,
                    budget,
                })
            },
        );
        self.shown = shown;
        // Advice from memory has not been redacted yet. Also, two texts without secrets can form a secret where they
        // are joined.
        request.message = self.executor.redactor.text(&message);
        let is_pictured = !request.images.is_empty();
        self.executor.state.page.name(&request.message, is_pictured);
        request
    }

    /// Returns the notes of the next message. `pictured` is the one about its pictures.
    fn notes(&self, pictured: Option<String>) -> Vec<String> {
        let state = &self.executor.state;
        let near_end = self
            .executor
            .options
            .budget
            .near_end(&self.spent_before_step(), state.progress.errors_in_row());
        let remarks = &state.remarks;
        remarks
            .warnings
            .iter()
            .chain(&remarks.notes)
            .chain(&near_end)
            .cloned()
            .chain(pictured)
            .collect()
    }

    fn spent_before_step(&self) -> Spent {
        Spent {
            steps: self.executor.state.spent.steps.saturating_sub(1),
            ..self.executor.state.spent
        }
    }

    /// Sends the request to the model and returns the reply. If the call could exceed the run's budget, sends nothing
    /// and returns a stop reason instead.
    pub(super) async fn ask(&mut self, request: ChatRequest) -> Result<ChatResponse, StopReason> {
        let uncalibrated = estimate_request(&request);
        let estimated_tokens = self.executor.state.calibration.applied(uncalibrated);
        let prices = self.executor.options.prices.as_ref();
        let worst = CallEstimate::new(estimated_tokens, request.max_output, prices);
        let budget = &self.executor.options.budget;
        budget
            .check_before_call(&self.spent_before_step(), &worst, self.executor.elapsed())
            .map_err(StopReason::Budget)?;
        let offered = self.executor.state.offered.offer();
        self.executor.emitter.emit(EventKind::ModelAsked {
            system: (self.executor.state.spent.calls == 0).then(|| request.system.clone()),
            message: request.message.clone(),
            estimated_tokens,
            offered,
        });
        for hook in self.executor.settings().hooks.clone() {
            hook.before_request(self.id(), &request).await;
        }
        let started = Instant::now();
        let terms = Terms {
            worst,
            count: Spent::add_call,
            operation: "agent.ask",
            patience: self.executor.options.model_timeout,
        };
        let model = Arc::clone(&self.parts.model);
        let answer = self.pay(&model, &request, terms).await;
        self.unreadable = None;
        match answer {
            Ok(response) => {
                // The tokens of a picture are guessed, so a request with pictures cannot calibrate the estimate for text.
                if let Some(usage) = response.usage.filter(|_| request.images.is_empty()) {
                    self.executor
                        .state
                        .calibration
                        .add(uncalibrated, usage.input);
                }
                let elapsed_ms = elapsed_ms(started);
                self.executor.emitter.emit(EventKind::ModelReplied {
                    response: response.clone(),
                    elapsed_ms,
                });
                Ok(response)
            }
            Err(error) => {
                let kind = error.kind();
                let error = self.executor.describe(error);
                self.executor.emitter.emit(EventKind::ModelFailed {
                    kind,
                    error: error.clone(),
                });
                if kind == ErrorKind::MalformedReply {
                    // An unreadable reply counts as a reply without calls.
                    self.unreadable = Some(error);
                    return Ok(ChatResponse::default());
                }
                self.executor.state.error = Some(error);
                self.executor.state.failed = Some(kind);
                Err(StopReason::ModelUnusable)
            }
        }
    }

    /// Queues the calls of a reply, up to the first unusable call and up to the maximum number of calls. A call is
    /// usable if it names a tool of the run and has valid arguments. The next message tells the model which call was
    /// refused. Too many successive replies of which no call was queued end the run.
    pub(super) fn read_calls(&mut self, response: &ChatResponse) -> Result<(), StopReason> {
        self.know_facts();
        self.executor.state.remarks = Remarks::default();
        self.executor.state.thought = thought(response);
        self.executor.state.offered.drop_lasting(Lasts::Prompt);
        let calls = parse_calls(&response.calls, &response.text, &self.tools);
        let calls = match calls {
            Ok(calls) => calls,
            Err(mut problem) => {
                let stop = response.stop.as_deref().map(str::to_ascii_lowercase);
                if stop.is_some_and(|stop| CUT.iter().any(|cut| stop.contains(cut))) {
                    let why = "the reply was too long and was cut: give less in one reply";
                    why.clone_into(&mut problem.failure.detail);
                }
                vec![Err(problem)]
            }
        };
        let total = calls.len();
        let mut taken = 0;
        for call in calls.into_iter().take(self.executor.options.max_calls) {
            taken += 1;
            match call.and_then(|action| self.unguessed(action)) {
                Ok(mut action) => {
                    if let (Action::Browser(action), Some(page)) =
                        (&mut action, self.executor.state.page.now())
                    {
                        action.resolve_address(&page.head.url);
                    }
                    let targets = self.identify(&action);
                    let was_shown = self.is_shown(&action);
                    let next = Queued {
                        was_shown,
                        ..Queued::new(action, By::Model, targets)
                    };
                    self.executor.state.queue.add(next);
                }
                Err(problem) => {
                    self.executor.emitter.emit(EventKind::CallRefused {
                        problem: problem.clone(),
                    });
                    self.executor.state.remarks.refused.push(problem);
                    // The calls after a call that cannot run were decided on the assumption that it would run.
                    break;
                }
            }
        }
        if taken < total {
            let why = if self.executor.state.remarks.refused.is_empty() {
                "too many in one reply"
            } else {
                "the call before them was refused"
            };
            self.executor.tell_dropped(total - taken, why);
        }
        let is_usable = !self.executor.state.queue.is_empty();
        if !self.executor.state.progress.count_reply(is_usable) {
            return Ok(());
        }
        let why = |problem: &CallProblem| problem.failure.detail.clone();
        let refused = self.executor.state.remarks.refused.last().map(why);
        // A server that does not speak the protocol is the cause, and not a model that calls no tool.
        self.executor.state.error = self.unreadable.take().or(refused);
        Err(StopReason::ModelUnusable)
    }

    /// Refuses an action on an element of the page that no message has shown, because its reference is a slip.
    fn unguessed(&self, action: Action) -> Result<Action, CallProblem> {
        let mut references = action.references().into_iter();
        let Some(guessed) = references.find(|one| self.executor.state.page.is_guessed(one)) else {
            return Ok(action);
        };
        let why = format!("no message has shown {guessed}: find or read it first");

        Err(CallProblem {
            tool: Some(action.tool_name().to_owned()),
            failure: Failure::new(ErrorClass::BadArguments, &why),
        })
    }

    fn identify(&self, action: &Action) -> Option<Vec<TargetIdentity>> {
        identities(action, self.executor.state.page.now()?)
    }
}

/// Returns the maximum size of the message in this request: the model's context window, minus the tokens reserved for
/// the reply, a tenth for errors of the estimate, and the other parts of the request. The result counts tokens as
/// `estimate` does, before the correction by `calibration`.
fn room(window: Option<TokenCount>, request: &ChatRequest, calibration: Calibration) -> TokenCount {
    let whole = window.map_or(UNKNOWN_ROOM, |window| {
        let tenth = window.0.div_ceil(10);
        window
            .0
            .saturating_sub(request.max_output.0.saturating_add(tenth))
    });
    let whole = calibration.uncalibrated(TokenCount(whole));
    TokenCount(whole.0.saturating_sub(estimate_request(request).0))
}

pub(super) fn estimate_request(request: &ChatRequest) -> TokenCount {
    let tools: TokenCount = match request.mode {
        CallMode::Tools => request.tools.declared_tokens(),
        CallMode::JsonSchema => {
            let schema = request.tools.reply_schema(request.max_calls).to_string();
            estimate(&schema)
        }
    };
    let pictures =
        TokenCount(IMAGE_TOKENS * u64::try_from(request.images.len()).unwrap_or(u64::MAX));
    estimate(&request.system) + estimate(&request.message) + tools + pictures
}
