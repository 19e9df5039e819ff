//! The work after an action: recording it, asking memory about a failure, and applying the rules that stop a run.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    Run, emit::elapsed_ms, engine::Asking, guards::TurnNow, state::Queued, step::references,
};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, BrowserAction, Effect, ErrorClass, FailureKind, Outcome, Signature},
    base::{Host, text},
    event::EventKind,
    memory::{Advice, Cue, Moment},
    page::{PageDiff, TargetIdentity},
    prompt::LastFailure,
    verify::{CallMade, PageNow, empties, moves_the_caret, restored},
    working::{By, Finished, Step, StopReason},
};

/// An action under way, which becomes a [`Step`] when it has ended.
#[derive(Debug, Clone)]
pub(super) struct Tried {
    pub(super) action: Action,
    pub(super) targets: Vec<TargetIdentity>,
    pub(super) effect: Effect,
    pub(super) before: Option<PageNow>,
    pub(super) changes: Option<PageDiff>,
    pub(super) finished: Option<Finished>,
    by: By,
    outcome: Outcome,
    started: Instant,
}

impl Tried {
    /// An action of the queue that is about to be tried on this page.
    pub(super) fn new(next: Queued, before: Option<PageNow>, started: Instant) -> Self {
        Self {
            action: next.action,
            targets: next.targets.unwrap_or_default(),
            effect: Effect::Read,
            before,
            changes: None,
            finished: None,
            by: next.by,
            outcome: Outcome::Done,
            started,
        }
    }

    /// The same action with its outcome.
    pub(super) fn ended(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }
}

/// The note for the model about an action that may have worked.
fn unclear(tool: &str) -> String {
    format!(
        "the page changed while the last {tool} was carried out, so it may have worked: check on this page before you do it again"
    )
}

/// Returns true if an action leaves the page as it is, so that the calls after it can go on without it.
const fn only_looks(action: &Action) -> bool {
    use BrowserAction as A;
    matches!(
        action,
        Action::Agent(_)
            | Action::Browser(
                A::Hover(_)
                    | A::Scroll(_)
                    | A::Wait(_)
                    | A::Snapshot(_)
                    | A::Screenshot(_)
                    | A::TabList(_)
            )
    )
}

/// The words around the first target of an action, if the page has other elements of that name.
fn surroundings(page: &PageNow, action: &Action) -> Option<String> {
    let reference = *references(action).first()?;
    let node = page.tree().by_ref(reference.as_str())?;
    page.layout().surroundings(node)
}

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Steps 14 and 15: records the action, asks memory about a failure, and applies the rules that stop a run.
    pub(super) async fn absorb(&mut self, tried: Tried) -> Result<(), StopReason> {
        let verdicts = self.state.guards.record(
            &tried.action,
            &tried.targets,
            &tried.outcome,
            (tried.before.as_ref(), self.state.page.as_ref()),
            &self.state.numbers,
            TurnNow {
                number: self.state.spent.calls,
                is_over: self.state.queue.is_empty() || !tried.outcome.is_done(),
            },
        );
        let (action, outcome) = (tried.action.clone(), tried.outcome.clone());
        let (targets, before) = (tried.targets.clone(), tried.before.clone());
        let changed = self.record(tried, verdicts.signature.clone());
        for event in verdicts.events() {
            self.emitter.emit(event);
        }
        // The guards judge everything that was done so far, so their earlier warnings are out of date.
        self.state.remarks.warnings = verdicts
            .warnings
            .into_iter()
            .map(|(_, text)| text)
            .collect();
        self.note_call(&action, &outcome, changed, before.as_ref());
        match outcome {
            Outcome::Done => self.state.errors_in_row = 0,
            // Neither success nor failure: memory is not asked for another way to do what may already be done.
            Outcome::Unclear(_) => {
                self.drop_queue("it is not known whether the call before them worked");
                self.state.remarks.notes.push(unclear(action.tool_name()));
            }
            Outcome::NoEffect | Outcome::Failed(_) => {
                self.state.errors += 1;
                // Several calls of one reply can fail before the model learns of the first failure. And a caret key is
                // pressed until it no longer has any effect.
                let is_first = self.state.error_call.replace(self.state.spent.calls)
                    != Some(self.state.spent.calls);
                let is_caret = matches!(&action, Action::Browser(key) if moves_the_caret(key));
                if is_first && !is_caret {
                    self.state.errors_in_row += 1;
                }
                if !only_looks(&action) && !is_caret {
                    self.drop_queue("the call before them did not succeed");
                }
                let host = before.as_ref().and_then(|page| page.place.host().cloned());
                self.recall_for_failure(&action, targets, &outcome, host)
                    .await;
                self.state.remarks.last_failure = Some(LastFailure {
                    command: action.tool_name().to_owned(),
                    outcome,
                });
            }
        }
        match verdicts.stop {
            Some(stop) => Err(stop),
            None if self
                .parts
                .options
                .budget
                .is_too_many_errors(self.state.errors_in_row) =>
            {
                Err(StopReason::TooManyErrors)
            }
            None => Ok(()),
        }
    }

    /// Keeps the result of a call for the next message, and its text as evidence for an answer.
    fn note_call(
        &mut self,
        action: &Action,
        outcome: &Outcome,
        changed: Vec<String>,
        before: Option<&PageNow>,
    ) {
        if let Action::Agent(_) = action {
            if action.tool_name() == "extract"
                && outcome.is_done()
                && let (Some((_, text)), Some(page)) =
                    (self.state.remarks.results.last(), &self.state.page)
            {
                self.state.seen.extract(text, &page.observation);
            }
            return;
        }
        let url = |page: Option<&PageNow>| page.map(|page| page.head.url.clone());
        let went_on = url(before) != url(self.state.page.as_ref());
        self.state.remarks.calls.push(CallMade {
            step: self.emitter.step,
            tool: action.tool_name().to_owned(),
            outcome: outcome.clone(),
            changed,
            went_on,
        });
    }

    /// Records an action that was under way when the run ended, with an unknown result.
    pub(super) fn record_in_flight(&mut self) {
        if let Some(tried) = self.in_flight.take() {
            let why = "the run ended while this was carried out; what it did is not known";
            let tried = tried.ended(Outcome::failed(ErrorClass::Other, why));
            let page = tried.before.as_ref();
            let verdicts = self.state.guards.record(
                &tried.action,
                &tried.targets,
                &tried.outcome,
                (page, page),
                &self.state.numbers,
                TurnNow {
                    number: self.state.spent.calls,
                    is_over: true,
                },
            );
            self.state.errors += 1;
            self.record(tried, verdicts.signature);
        }
    }

    /// Step 14: keeps the step, tells the sinks, and returns the lines of its changes.
    pub(super) fn record(&mut self, tried: Tried, signature: Signature) -> Vec<String> {
        let (before, after) = (tried.before.as_ref(), self.state.page.as_ref());
        let place = |page: Option<&PageNow>| page.map(|page| page.place.clone());
        let action = self.clean(&tried.action);
        let mut step = Step::new(self.emitter.step, action, tried.outcome, signature);
        step.turn = self.state.spent.calls;
        step.by = tried.by;
        step.effect = tried.effect;
        step.before = place(before).unwrap_or_default();
        step.after = place(after).unwrap_or_default();
        step.left_scope = std::mem::take(&mut self.state.left_scope);
        step.within = before.and_then(|page| surroundings(page, &step.action));
        step.restores = restored(&self.state.steps, before, after);
        step.empties = empties(&tried.targets, before, after);
        step.offered.clone_from(&self.state.offered_now);
        step.targets = tried.targets;
        step.changes = tried.changes;
        step.finished = tried.finished;
        step.elapsed_ms = elapsed_ms(tried.started);
        let changed = step.changed();
        // What was checked of an answer is an event of its own.
        if step.finished.is_none() {
            self.emitter.emit(EventKind::executed(&step));
        }
        self.state.steps.push(step);
        changed
    }

    /// Trigger A: asks memory about the command that failed.
    async fn recall_for_failure(
        &mut self,
        action: &Action,
        targets: Vec<TargetIdentity>,
        outcome: &Outcome,
        host: Option<Host>,
    ) {
        let Some(failure) = FailureKind::of(outcome) else {
            return;
        };
        let detail = match outcome {
            Outcome::Failed(failure) => format!("{}: {}", failure.class, failure.detail),
            other => other.as_str().to_owned(),
        };
        // Lessons of a host are shown on its own pages only, and the action may have led to another host.
        let seen = self
            .state
            .page
            .as_ref()
            .filter(|page| host.is_some() && page.place.host() == host.as_ref())
            .map(|page| Arc::clone(&page.observation));
        let cue = Cue::CommandFailed {
            command: action.tool_name().to_owned(),
            failure,
            targets,
            detail: detail.clone(),
            host,
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
        self.emitter.emit(EventKind::ErrorRecall {
            command: action.tool_name().to_owned(),
            error_snippet: text::truncate(&detail, 200),
            matched: found.len(),
            lessons: found
                .iter()
                .map(|advice| advice.text().to_owned())
                .collect(),
            items: found.iter().map(|advice| advice.id().clone()).collect(),
            elapsed_ms: elapsed_ms(started),
        });
        self.add_advice(found);
    }

    /// Adds advice from memory, each item once.
    pub(super) fn add_advice(&mut self, found: Vec<Advice>) {
        for advice in found {
            if !self
                .state
                .advice
                .iter()
                .any(|known| known.id() == advice.id() && known.placement() == advice.placement())
            {
                self.state.advice.push(advice);
            }
        }
    }
}
