//! The last part of a step: records the action, asks memory about a failure, and applies the rules that stop a run.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    Run,
    emit::elapsed_ms,
    engine::Asking,
    executor::{Concluded, InFlight, TurnNow, ends_in_vain},
    state::Queued,
};
use crate::{
    action::{Action, AgentAction, BrowserAction, BrowserTool, FailureKind, Outcome},
    base::{Host, text},
    event::EventKind,
    memory::{Advice, Cue, Moment, is_withheld},
    page::{KnownElement, PageAddress, Role, TargetIdentity},
    prompt::{LastFailure, quoted},
    verify::{ANOTHER_PAGE, CallMade, PageNow, waited_for_nothing},
    working::StopReason,
};

fn unclear(tool: &str) -> String {
    format!(
        "the page changed while the last {tool} was carried out, so it may have worked: check on this page before you do it again"
    )
}

/// Returns true if the action is one of the loop itself, a look, a wait, a hover or a scroll.
pub(super) const fn only_looks(action: &Action) -> bool {
    use BrowserAction as A;
    match action {
        Action::Agent(_) => true,
        Action::Custom(_) => false,
        Action::Browser(action) => {
            action.tool().is_look() || matches!(action, A::Hover(_) | A::HoverXy(_) | A::Scroll(_))
        }
    }
}

/// Maximum number of messages of a page that are told with the action that led to it, and maximum length of each in characters.
const MAX_ANNOUNCEMENTS: usize = 2;
const MAX_ANNOUNCED: usize = 120;

/// Returns true if the action answers a dialog or gives files to it.
const fn answers_dialog(next: &Queued) -> bool {
    use BrowserAction as A;
    matches!(
        next.action,
        Action::Browser(A::DialogAccept(_) | A::DialogDismiss(_) | A::Upload(_))
    )
}

/// Returns true if the later calls of the reply are carried out although this action did not succeed.
///
/// This is so for actions that only look, except a `wait`, a failed hover, a `go_back_to` and an `ask_human`, because
/// later calls may depend on what these bring about. A hover without effect is not a failure, because many elements do
/// not react to the pointer.
fn lets_others_run(action: &Action, outcome: &Outcome) -> bool {
    use {AgentAction as G, BrowserAction as A};
    match action {
        Action::Browser(A::Wait(_)) | Action::Agent(G::GoBackTo(_) | G::AskHuman(_)) => false,
        Action::Browser(A::Hover(_) | A::HoverXy(_)) => *outcome == Outcome::NoEffect,
        other => only_looks(other),
    }
}

impl Run {
    pub(super) async fn absorb(&mut self, flight: InFlight) -> Result<(), StopReason> {
        let turn = TurnNow {
            number: self.executor.state.spent.calls,
            is_over: self.executor.state.queue.is_empty() || !flight.step.outcome.is_done(),
        };
        // A field that `go_back_to` fills in again may already have its value. The calls after it are still carried
        // out.
        let is_settled = flight.restores && flight.step.outcome == Outcome::NoEffect;
        let before = flight.before.clone();
        let step = flight.step.clone();
        let (action, outcome) = (&step.action, &step.outcome);
        let has_result = self.executor.state.gave.is_some();
        let Concluded { changed, stop } = self.executor.conclude(flight, turn);
        self.watch_evidence();
        if step.by.is_recipe() {
            self.followed_last();
        }
        // What the page did at each step of a recipe would hide what it did at last.
        if !step.by.is_recipe() || !outcome.is_done() {
            self.note_call(action, outcome, changed, before.as_ref());
        }
        if outcome.is_done() && has_result && stop.is_none() {
            self.condense(action).await;
        }
        match outcome {
            Outcome::Done => {
                self.forget_failure(action);
                let opens = |page: &PageNow| page.observation.dialog.is_some();
                if !before.as_ref().is_some_and(opens)
                    && self.executor.state.page.now().is_some_and(opens)
                    && !self
                        .executor
                        .state
                        .queue
                        .iter()
                        .next()
                        .is_some_and(answers_dialog)
                {
                    self.executor
                        .drop_queue("the call before them opened a dialog");
                }
            }
            // The action is neither a success nor a failure. Memory is not asked for an alternative, because the
            // action may have worked.
            Outcome::Unclear(_) => {
                self.executor
                    .drop_queue("it is not known whether the call before them worked");
                self.executor
                    .state
                    .remarks
                    .notes
                    .push(unclear(action.tool_name()));
            }
            Outcome::NoEffect | Outcome::Failed(_) => {
                let goes_on = lets_others_run(action, outcome) || ends_in_vain(action);
                if !goes_on && !is_settled {
                    self.executor
                        .drop_queue("the call before them did not succeed");
                }
                let host = before.as_ref().and_then(|page| page.place.host().cloned());
                self.recall_for_failure(action, step.targets, outcome, host)
                    .await;
                let memory = &self.executor.state.memory;
                let before = memory.failed_before(self.executor.emitter.step);
                // The last of several equal keys or scrolls usually has no effect.
                let before = before
                    .filter(|_| !ends_in_vain(action))
                    .map(|step| step.number);
                self.executor.state.remarks.last_failure = Some(LastFailure {
                    command: action.tool_name().to_owned(),
                    outcome: step.outcome,
                    before,
                });
            }
        }
        stop.map_or(Ok(()), Err)
    }

    /// Records that the evidence of a `finish` later in the reply is not shown now, so that it proves something if it comes back.
    fn watch_evidence(&mut self) {
        let last = self.executor.state.queue.iter().last();
        let waiting = last.filter(|next| next.was_shown);
        if waiting.is_some_and(|next| !self.is_shown(&next.action))
            && let Some(next) = self.executor.state.queue.last_mut()
        {
            next.was_shown = false;
        }
    }

    /// Drops the last failure of a browser tool and the advice about it, because the later action `done` of the same
    /// reply succeeded. Keeps them if `done` only looks at the page.
    fn forget_failure(&mut self, done: &Action) {
        let state = &mut self.executor.state;
        let failed_in_browser =
            |failure: &LastFailure| BrowserTool::parse(&failure.command).is_some();
        if !only_looks(done)
            && state
                .remarks
                .last_failure
                .as_ref()
                .is_some_and(failed_in_browser)
        {
            state.remarks.last_failure = None;
            state.offered.drop_error_tips();
        }
    }

    /// Keeps the outcome of a call of a browser tool or of an embedder's tool, and the changes of the page, for the
    /// next message. Keeps the text of a successful `extract` as possible evidence for an answer.
    fn note_call(
        &mut self,
        action: &Action,
        outcome: &Outcome,
        mut changed: Vec<String>,
        before: Option<&PageNow>,
    ) {
        if let Action::Agent(_) = action {
            if action.tool_name() == "extract"
                && outcome.is_done()
                && let typed = self.executor.typed()
                && let (Some((_, text)), Some(page)) = (
                    self.executor.state.remarks.results.last(),
                    self.executor.state.page.now(),
                )
            {
                let seen = &mut self.executor.state.seen;
                seen.extract(text, &page.observation, &typed);
                if self.executor.task.returns.is_some() {
                    seen.rows(page, &typed);
                }
            }
            return;
        }
        let step = self.executor.state.memory.steps().last();
        let took = step.map_or(u64::MAX, |step| step.elapsed_ms);
        if let (Action::Browser(action), Outcome::Done, Some(page)) = (action, outcome, before) {
            let told = waited_for_nothing(action, &page.observation, took).map(str::to_owned);
            changed.splice(0..0, told);
        }
        let came_from = PageAddress::new(before.map_or("", |page| &page.head.url));
        let went_on = !came_from.is_same_page(&PageAddress::new(self.executor.state.page.url()));
        if went_on && changed.is_empty() {
            changed = self.announced();
        }
        self.executor.state.remarks.calls.push(CallMade {
            step: self.executor.emitter.step,
            tool: action.tool_name().to_owned(),
            outcome: outcome.clone(),
            changed,
            went_on,
        });
    }

    /// Returns that another page is shown, with the messages that it shows about the action that led to it; empty if it shows none.
    fn announced(&self) -> Vec<String> {
        let Some(page) = self.executor.state.page.now() else {
            return Vec::new();
        };
        let messages = page.observation.messages().take(MAX_ANNOUNCEMENTS);
        let line = |(role, text): (&Role, String)| {
            format!("+ {} {}", role.as_str(), quoted(&text, MAX_ANNOUNCED))
        };
        let lines: Vec<String> = messages.map(line).collect();
        let opened = (!lines.is_empty()).then(|| ANOTHER_PAGE.to_owned());
        opened.into_iter().chain(lines).collect()
    }

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
        // Lessons about a host are shown only on that host's pages, and the action may have led to another host.
        let seen = self
            .executor
            .state
            .page
            .now()
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
        let started = Instant::now();
        let found = self.recall(&cue).await;
        self.executor.emitter.emit(EventKind::ErrorRecall {
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
        self.executor.state.offered.add(found);
    }

    /// Returns the advice of memory for a cue: the start of the run, a new page or a failed action. Leaves out advice
    /// that this run [withholds](Self::hold_back).
    pub(super) async fn recall(&mut self, cue: &Cue) -> Vec<Advice> {
        let asking = Asking {
            emitter: &self.executor.emitter,
            redactor: &self.executor.redactor,
        };
        let state = &self.executor.state;
        let now = self.executor.settings().clock.now();
        let moment =
            Moment::new(cue, &state.about, state.memory.steps(), now).of_run(self.executor.id());
        let found = self
            .engine
            .recall(&self.parts.memory, &moment, asking)
            .await;
        self.hold_back(found)
    }

    /// Returns the advice without the items that this run withholds, so that runs with and without an item can be
    /// compared. Each withheld item is reported in one event of the run.
    fn hold_back(&mut self, found: Vec<Advice>) -> Vec<Advice> {
        let share = self.executor.options.withheld_share;
        let state = &mut self.executor.state;
        let (held, shown): (Vec<Advice>, Vec<Advice>) = found
            .into_iter()
            .partition(|advice| is_withheld(&state.seed, advice.id(), share));
        let (mut items, mut lessons) = (Vec::new(), Vec::new());
        for advice in held {
            if state.offered.withhold(advice.id()) {
                items.push(advice.id().clone());
                lessons.push(advice.text().to_owned());
            }
        }
        if !items.is_empty() {
            let emitter = &self.executor.emitter;
            emitter.emit(EventKind::AdviceWithheld { lessons, items });
        }
        shown
    }

    /// Returns the elements that earlier runs used on the page's host. Leaves out elements from memory items that this
    /// run withholds.
    pub(super) async fn known_elements(&mut self, cue: &Cue) -> Vec<KnownElement> {
        let asking = Asking {
            emitter: &self.executor.emitter,
            redactor: &self.executor.redactor,
        };
        let state = &self.executor.state;
        let now = self.executor.settings().clock.now();
        let moment =
            Moment::new(cue, &state.about, state.memory.steps(), now).of_run(self.executor.id());
        let known = self
            .engine
            .elements(&self.parts.memory, &moment, asking)
            .await;
        let share = self.executor.options.withheld_share;
        let seed = &self.executor.state.seed;
        known
            .into_iter()
            .filter(|(id, _)| !is_withheld(seed, id, share))
            .map(|(_, element)| element)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{AskHuman, ErrorClass, Find, GoBackTo, HoverXy, OnTarget, Scroll, Target};

    #[test]
    fn the_calls_after_a_failed_look_are_carried_out_unless_they_depend_on_it() {
        let failed = Outcome::failed(ErrorClass::Other, "");
        let hover_xy = HoverXy {
            x: 1,
            y: 1,
            target: None,
        };
        let target = Target::parse("Menu").unwrap();
        let scroll = Scroll {
            direction: None,
            pixels: None,
            target: None,
        };
        let find = Find {
            query: "zebra".to_owned(),
        };
        let ask = AskHuman {
            question: "Which?".to_owned(),
        };
        for (action, others_run) in [
            (
                Action::Browser(BrowserAction::Hover(OnTarget { target })),
                false,
            ),
            (Action::Browser(BrowserAction::HoverXy(hover_xy)), false),
            (
                Action::Agent(AgentAction::GoBackTo(GoBackTo { step: 99 })),
                false,
            ),
            (Action::Agent(AgentAction::AskHuman(ask)), false),
            (Action::Agent(AgentAction::Find(find)), true),
            (Action::Browser(BrowserAction::Scroll(scroll)), true),
        ] {
            assert_eq!(lets_others_run(&action, &failed), others_run, "{action:?}");
            let hovers = matches!(&action, Action::Browser(_));
            assert_eq!(
                lets_others_run(&action, &Outcome::NoEffect),
                hovers || others_run,
                "{action:?}"
            );
        }
    }
}
