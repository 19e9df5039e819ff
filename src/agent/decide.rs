//! The first half of a step: observe, recall, ask the model, and parse its answer.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Run,
    aim::identities,
    emit::elapsed_ms,
    engine::Asking,
    patience::Patience,
    sight::Sight,
    state::{Queued, Remarks},
};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, CallProblem, parse_calls},
    base::{
        Error, ErrorKind, Result as CrateResult, TokenCount,
        tokens::{ContentType, estimate},
    },
    browser::ObserveRequest,
    chat::{CallMode, ChatRequest, ChatResponse, Image, Usage},
    event::EventKind,
    guard::{CallEstimate, Spent},
    memory::{Advice, AdviceId, Cue, Moment, Placement},
    page::{DialogKind, Node, Observation, Role, TargetIdentity},
    prompt::{StepParts, step},
    secret::mask_fields,
    verify::{PageNow, changes},
    working::{By, History, StopReason},
};

/// Replies in a row without a usable call after which the model counts as unusable. Source: chosen.
const MAX_UNUSABLE: u32 = 3;
/// Most tabs shown. Source: chosen; a page can open hundreds.
const MAX_TABS: usize = 10;
/// The text in place of a frame that may not be shown.
const CLOSED_FRAME: &str = "(a frame of a site that this run may not visit)";
/// The note about a file chooser, which no answer of a dialog can accept.
const CHOOSER: &str =
    "a file chooser is open: call upload with the names of files, or dialog_dismiss";
/// Most tokens that a provider counts for one picture. Source: chosen; providers count 258 to 1,600.
const IMAGE_TOKENS: u64 = 1_600;

/// Size of a request to a model whose window is unknown. Unit: tokens. Source: chosen; half of the smallest window of the models that
/// providers offer today.
const UNKNOWN_ROOM: u64 = 64_000;

/// The operation of an observation that the driver never answered.
const SILENT: &str = "agent.observe";
/// Longest time for the look at the end of a run. Source: chosen; a working browser answers in less than a second.
const LAST_LOOK: Duration = Duration::from_secs(5);

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Observes the page, unless the verification of the last action already did.
    pub(super) async fn observe(&mut self) -> Result<(), StopReason> {
        if self.state.page.is_none() || self.state.stale {
            let mut page = self.look(self.patience()).await?;
            let before = self.state.page.clone();
            if before.is_some() {
                self.back_in_scope(None, before.as_ref(), &mut page).await?;
            } else if let Err(refusal) = self.state.guards.check_first_page(&page.head.url) {
                // A page that the run may not visit is never shown, even if the browser was there from the start.
                return Err(self.out_of_scope(&refusal));
            }
            self.state.page = Some(page);
        }
        Ok(())
    }

    /// Observes and interprets the page. All pages enter the run here, and secrets in them are replaced here.
    pub(super) async fn look(&mut self, patience: Patience) -> Result<PageNow, StopReason> {
        let started = Instant::now();
        let mut observed = self.observed(patience).await;
        // Observing changes nothing, so it may be repeated. A driver that reports a time-out would only take the time
        // twice; one that does not answer may have lost the request.
        let may_pass = |error: &Error| match error.kind() {
            ErrorKind::BrowserLost => false,
            ErrorKind::Timeout => error.operation() == SILENT,
            _ => true,
        };
        if observed.as_ref().is_err_and(may_pass) {
            observed = self.observed(patience).await;
        }
        self.state.stale = false;
        let observation = match observed {
            Ok(observation) => self.redacted(observation),
            Err(error) => return Err(self.lost(error)),
        };
        let mut page = PageNow::of(observation);
        self.state.looks += 1;
        page.look = self.state.looks;
        let elapsed_ms = elapsed_ms(started);
        self.emitter.emit(EventKind::Observed {
            observation: Arc::clone(&page.observation),
            elapsed_ms,
        });
        self.emitter.emit(EventKind::Interpreted {
            view: Arc::clone(&page.view),
        });
        Ok(page)
    }

    async fn observed(&self, patience: Patience) -> CrateResult<Observation> {
        let limit = patience.limit();
        let request = ObserveRequest::default()
            .with_timeout(limit)
            // A picture cannot be redacted, so none is taken after a secret was typed or shown.
            .with_screenshot(self.parts.options.screenshots && !self.state.secret_seen);
        match timeout_at(patience.last(), self.parts.browser.observe(&request)).await {
            Ok(result) => result,
            Err(_) => {
                Err(Error::new(ErrorKind::Timeout, SILENT).with("waited", format!("{limit:?}")))
            }
        }
    }

    /// The time for an observation, or for an action with everything that follows it.
    pub(super) fn patience(&self) -> Patience {
        Patience::new(self.parts.options.command_timeout)
    }

    /// The part of an observation that the run may see: without secrets, and without tabs that it may not visit.
    fn redacted(&mut self, mut observation: Observation) -> Observation {
        let may_show = |url: &str| self.state.guards.may_show_frame(url);
        observation.tree = mask_fields(observation.tree, &self.state.typed_into)
            .close_frames(may_show, CLOSED_FRAME);
        if observation.tree.nodes().iter().any(is_closed_frame) {
            // The picture shows the frame, and cannot be cut.
            observation.screenshot = None;
        }
        observation.tabs.truncate(MAX_TABS);
        for tab in &mut observation.tabs {
            if !tab.url.starts_with("about:") && self.state.guards.check_url(&tab.url).is_err() {
                (tab.title, tab.url) = (String::new(), "not allowed in this run".to_owned());
            }
        }
        let mut clean = observation;
        if !self.redactor.is_empty() {
            clean = self.without_secrets(&clean);
        }
        if let Some(dialog) = &mut clean.dialog {
            self.hide_foreign_words(dialog, &clean.url);
        }
        clean
    }

    /// The observation with secrets replaced. If there was one, no picture is kept.
    fn without_secrets(&mut self, observation: &Observation) -> Observation {
        let mut clean = self.redactor.observation(observation.clone());
        // A secret that the browser filled in, or kept from another run, would be in a picture just like a typed one.
        self.state.secret_seen |= clean != *observation;
        clean.screenshot = clean.screenshot.filter(|_| !self.state.secret_seen);
        clean
    }

    /// Records if the page can no longer be observed. The evidence was seen while it could, so the run succeeded all
    /// the same, but callers that rely on the page must learn of it.
    pub(super) async fn look_once_more(&mut self) {
        let request = ObserveRequest::default().with_timeout(LAST_LOOK);
        let looked = timeout(LAST_LOOK, self.parts.browser.observe(&request)).await;
        let late =
            || Error::new(ErrorKind::Timeout, SILENT).with("waited", format!("{LAST_LOOK:?}"));
        let looked = match looked {
            Ok(Ok(seen)) if !seen.unresponsive => Ok(()),
            Ok(Err(error)) => Err(error),
            Ok(Ok(_)) | Err(_) => Err(late()),
        };
        if let Err(error) = looked {
            let error = self.describe(error);
            let text = format!(
                "the evidence was seen, and by now the page cannot be looked at any more: {error}"
            );
            self.emitter.emit(EventKind::Warned {
                guard: "finish".to_owned(),
                text,
            });
            self.state.error = Some(error);
        }
    }

    /// Ends the run because the browser can no longer be observed.
    pub(super) fn lost(&mut self, error: Error) -> StopReason {
        self.state.error = Some(self.describe(error));
        StopReason::BrowserLost
    }

    /// Trigger B: asks memory about a page that it was not asked about yet.
    pub(super) async fn recall_for_page(&mut self) {
        let page = self.state.page.as_ref();
        let here = page.and_then(|page| Some((page.place.host()?.clone(), page)));
        let Some((host, page)) = here else {
            self.state.asked_for = None;
            self.state
                .advice
                .retain(|advice| advice.placement() != Placement::Site);
            return;
        };
        let asked = self.state.asked_for.as_ref();
        if asked.is_some_and(|(_, look)| *look == page.look) {
            return;
        }
        let (page, seen, look) = (
            page.place.template().cloned(),
            Arc::clone(&page.observation),
            page.look,
        );
        let was_on = self
            .state
            .asked_for
            .replace((host.clone(), look))
            .map(|(host, _)| host);
        let cue = Cue::PageShown {
            host: host.clone(),
            page,
            seen,
        };
        let asking = Asking {
            emitter: &self.emitter,
            redactor: &self.redactor,
        };
        let started = Instant::now();
        let now = self.parts.clock.now();
        let moment = Moment::new(&cue, &self.state.about, &self.state.steps, now);
        let found = self
            .engine
            .recall(&self.parts.memory, &moment, asking)
            .await;
        let elapsed_ms = elapsed_ms(started);
        let items: Vec<AdviceId> = found.iter().map(|advice| advice.id().clone()).collect();
        let shown = self
            .state
            .advice
            .iter()
            .filter(|advice| advice.placement() == Placement::Site)
            .map(Advice::id);
        // Another page of the same host is worth an event only if memory has other advice for it.
        if was_on.as_ref() != Some(&host) || !shown.eq(&items) {
            self.emitter.emit(EventKind::DomainRecall {
                domain: host,
                matched: found.len(),
                lessons: found
                    .iter()
                    .map(|advice| advice.text().to_owned())
                    .collect(),
                items,
                elapsed_ms,
            });
        }
        self.state
            .advice
            .retain(|advice| advice.placement() != Placement::Site);
        self.add_advice(found);
    }

    /// Makes the request: a constant system instruction, and one message about the current state, which fits the model's window.
    pub(super) fn prompt(&mut self) -> ChatRequest {
        let options = &self.parts.options;
        let capabilities = self.parts.model.capabilities();
        let mut request = ChatRequest::new(
            self.state.system.clone(),
            String::new(),
            Arc::clone(&self.tools),
        );
        request.mode = capabilities.mode;
        request.max_calls = options.max_calls;
        request.temperature = options.temperature;
        request.max_output = options.max_output;
        if capabilities.images {
            let asked_for = std::mem::take(&mut self.state.remarks.pictures);
            let shown = self.sight.as_ref().map(|sight| sight.png.clone());
            request
                .images
                .extend(asked_for.into_iter().chain(shown).map(|png| Image { png }));
        }
        let budget = room(capabilities.context_window, &request);
        if let Some(page) = &self.state.page {
            self.state.seen.page(&page.observation);
        }
        let changed = changes(&self.state.remarks.calls);
        let chooser = self.state.page.as_ref().and_then(|page| {
            let dialog = page.observation.dialog.as_ref()?;
            (dialog.kind == DialogKind::FileChooser).then(|| CHOOSER.to_owned())
        });
        let remarks = &self.state.remarks;
        let notes: Vec<String> = remarks
            .warnings
            .iter()
            .chain(&remarks.notes)
            .cloned()
            .chain(chooser)
            .chain(self.sight.as_ref().map(Sight::note))
            .collect();
        let host = self.state.page.as_ref().and_then(|page| page.place.host());
        let site_notes = host.map(|host| self.task.notes_for(host));
        let message = self.state.page.as_ref().map_or_else(String::new, |page| {
            step(&StepParts {
                run_nonce: self.nonce(None),
                nonce: self.nonce(Some(self.emitter.step)),
                goal_words: &self.goal_words,
                advice: &self.state.advice,
                site_notes: site_notes.as_deref().unwrap_or_default(),
                history: History::of(&self.state.steps),
                view: &page.view,
                layout: page.layout(),
                dialog: page.observation.dialog.as_ref(),
                tabs: &page.observation.tabs,
                changed: &changed,
                last_failure: self.state.remarks.last_failure.as_ref(),
                found: &self.state.remarks.found,
                read: &self.state.remarks.read,
                known: &self.state.known,
                noted: &self.state.notes,
                results: &self.state.remarks.results,
                answers: &self.state.remarks.answers,
                refused: &self.state.remarks.refused,
                notes: &notes,
                digest: options.digest,
                budget,
            })
        });
        // Memory's advice was never redacted here, and clean texts can form a secret where they meet.
        request.message = self.redactor.text(&message);
        request
    }

    /// Asks the model, within the budget.
    pub(super) async fn ask(&mut self, request: ChatRequest) -> Result<ChatResponse, StopReason> {
        let estimated_tokens = estimate_request(&request);
        let prices = self.parts.options.prices.as_ref();
        let worst = CallEstimate::new(estimated_tokens, request.max_output, prices);
        let budget = &self.parts.options.budget;
        // The current step is already counted.
        let others = Spent {
            steps: self.state.spent.steps.saturating_sub(1),
            ..self.state.spent
        };
        budget
            .check_before_call(&others, &worst, self.elapsed())
            .map_err(StopReason::Budget)?;
        let offered: Vec<AdviceId> = self
            .state
            .advice
            .iter()
            .map(|advice| advice.id().clone())
            .collect();
        self.emitter.emit(EventKind::ModelAsked {
            system: (self.state.spent.calls == 0).then(|| request.system.clone()),
            message: request.message.clone(),
            estimated_tokens,
            offered: offered.clone(),
        });
        self.offer(offered);
        let started = Instant::now();
        // Counted before the answer, because a call that is given up was made all the same.
        let before = self.state.spent;
        self.state.spent.add_call(None, &worst, prices);
        let limit = self.parts.options.model_timeout;
        let answer =
            match timeout(limit, self.parts.model.complete(&request)).await {
                Ok(answer) => answer,
                Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.ask")
                    .with("waited", format!("{limit:?}"))),
            };
        match answer {
            Ok(response) => {
                // Redacted first, because a cut must not leave half a secret.
                let response = response.redacted(&self.redactor).capped();
                let usage = response
                    .usage
                    .unwrap_or_else(|| estimate_usage(&response, estimated_tokens));
                self.state.estimated |= response.usage.is_none();
                self.state.spent = before;
                self.state.spent.add_call(Some(&usage), &worst, prices);
                let elapsed_ms = elapsed_ms(started);
                self.emitter.emit(EventKind::ModelReplied {
                    response: response.clone(),
                    elapsed_ms,
                });
                Ok(response)
            }
            Err(error) => {
                let kind = error.kind();
                if matches!(kind, ErrorKind::Timeout | ErrorKind::MalformedReply) {
                    // The cost of a call without an answer, or with an unreadable one, is unknown.
                    self.state.estimated = true;
                } else {
                    // The provider refused, so nothing was read or written.
                    self.state.spent = before;
                    self.state
                        .spent
                        .add_call(Some(&Usage::default()), &worst, prices);
                }
                let error = self.describe(error);
                self.emitter.emit(EventKind::ModelFailed {
                    kind,
                    error: error.clone(),
                });
                if kind == ErrorKind::MalformedReply {
                    // An unreadable answer counts as one without calls.
                    return Ok(ChatResponse::default());
                }
                self.state.error = Some(error);
                Err(StopReason::ModelUnusable)
            }
        }
    }

    /// Puts the calls of a reply into the queue. A reply without a usable call is reported to the model; three in a row
    /// end the run.
    pub(super) fn read_calls(&mut self, response: &ChatResponse) -> Result<(), StopReason> {
        self.know_facts();
        self.state.remarks = Remarks::default();
        self.state
            .advice
            .retain(|advice| advice.placement() == Placement::Site);
        let calls = parse_calls(&response.calls, &response.text, &self.tools);
        let calls = match calls {
            Ok(calls) => calls,
            Err(problem) => vec![Err(problem)],
        };
        let total = calls.len();
        let mut taken = 0;
        for call in calls.into_iter().take(self.parts.options.max_calls) {
            taken += 1;
            match call {
                Ok(action) => {
                    let targets = self.identify(&action);
                    self.state.queue.push_back(Queued {
                        action,
                        by: By::Model,
                        targets,
                    });
                }
                Err(problem) => {
                    self.emitter.emit(EventKind::CallRefused {
                        problem: problem.clone(),
                    });
                    self.state.remarks.refused.push(problem);
                    // The calls after one that cannot run were decided on the assumption that it would.
                    break;
                }
            }
        }
        if taken < total {
            let why = if self.state.remarks.refused.is_empty() {
                "too many in one reply"
            } else {
                "the call before them was refused"
            };
            self.tell_dropped(total - taken, why);
        }
        if !self.state.queue.is_empty() {
            self.state.unusable_in_row = 0;
            return Ok(());
        }
        self.state.unusable_in_row += 1;
        if self.state.unusable_in_row < MAX_UNUSABLE {
            return Ok(());
        }
        let why = |problem: &CallProblem| problem.failure.detail.clone();
        self.state.error = self.state.remarks.refused.last().map(why);
        Err(StopReason::ModelUnusable)
    }

    /// The current identities of the elements that an action refers to; `None` if a reference is not on the page.
    fn identify(&self, action: &Action) -> Option<Vec<TargetIdentity>> {
        identities(action, self.state.page.as_ref()?)
    }
}

/// Returns true if this frame was closed.
pub(super) fn is_closed_frame(node: &Node) -> bool {
    node.role == Role::Iframe && node.value.as_deref() == Some(CLOSED_FRAME)
}

/// Returns the size that the message of this request may have: the model's window without the reply and a tenth for what estimates
/// miss, less what the request holds already.
fn room(window: Option<TokenCount>, request: &ChatRequest) -> TokenCount {
    let whole = window.map_or(UNKNOWN_ROOM, |window| {
        let tenth = window.0.div_ceil(10);
        window
            .0
            .saturating_sub(request.max_output.0.saturating_add(tenth))
    });
    TokenCount(whole.saturating_sub(estimate_request(request).0))
}

fn estimate_request(request: &ChatRequest) -> TokenCount {
    let tools: TokenCount = match request.mode {
        CallMode::Tools => request
            .tools
            .declared()
            .iter()
            .map(|spec| {
                estimate(&spec.description, ContentType::Text)
                    + estimate(&spec.parameters.to_string(), ContentType::Json)
            })
            .sum(),
        CallMode::JsonSchema => {
            let schema = request.tools.reply_schema(request.max_calls).to_string();
            estimate(&schema, ContentType::Json)
        }
    };
    let pictures =
        TokenCount(IMAGE_TOKENS * u64::try_from(request.images.len()).unwrap_or(u64::MAX));
    estimate(&request.system, ContentType::Text)
        + estimate(&request.message, ContentType::Text)
        + tools
        + pictures
}

/// The estimated usage of a call, for a provider that does not report it.
fn estimate_usage(response: &ChatResponse, request: TokenCount) -> Usage {
    let calls: TokenCount = response
        .calls
        .iter()
        .map(|call| estimate(&call.arguments.to_string(), ContentType::Json))
        .sum();
    Usage {
        input: request,
        output: calls + estimate(&response.text, ContentType::Text),
        cached: TokenCount(0),
    }
}
