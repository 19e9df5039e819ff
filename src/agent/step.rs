//! One step of the loop, in the documented order.

use tokio::time::Instant;

use super::{Run, StepEnd, absorb::Tried, state::Queued};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, AgentAction, BrowserAction, Target},
    event::EventKind,
    page::ElementRef,
    verify::{find_again, retargeted},
    working::{BudgetKind, StopReason},
};

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Takes one step: asks the model if no action is queued, then carries out one action.
    ///
    /// If the future is dropped, the step is given up. The next step clears the queue and observes the page again.
    pub async fn step(&mut self) -> StepEnd {
        if let Some(stop) = self.state.stopped {
            return StepEnd::Stopped(stop);
        }
        let (cancel, own) = (self.parts.cancel.clone(), self.task.cancel.clone());
        let remaining = self
            .parts
            .options
            .budget
            .max_duration
            .map(|max| max.saturating_sub(self.elapsed()));
        let end = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(StopReason::Cancelled),
            () = own.cancelled() => Err(StopReason::Cancelled),
            () = sleep_or_forever(remaining) => Err(StopReason::Budget(BudgetKind::Time)),
            end = self.advance() => end,
        };
        match end {
            Ok(()) => StepEnd::Continue,
            Err(stop) => {
                self.record_in_flight();
                self.state.stopped = Some(stop);
                StepEnd::Stopped(stop)
            }
        }
    }

    async fn advance(&mut self) -> Result<(), StopReason> {
        self.parts
            .options
            .budget
            .check_before_step(&self.state.spent, self.elapsed())
            .map_err(StopReason::Budget)?;
        self.state.spent.add_step();
        self.emitter.step = self.state.spent.steps;
        self.watch_recording();
        if self.in_flight.is_some() {
            self.record_in_flight();
            self.drop_queue("the step before was given up");
        }
        if self.state.queue.is_empty() {
            self.observe().await?; // 1 observe, 2 interpret
            self.recall_for_page().await; // 3 cues, 4 recall
            self.see().await?;
            let request = self.prompt(); // 5 what fits, 6 prompt
            let response = self.ask(request).await?; // 7 model
            self.read_calls(&response)?; // 8 parse the calls
        }
        let Some(next) = self.next_action() else {
            return Ok(());
        };
        if self.parts.cancel.is_cancelled() || self.task.cancel.is_cancelled() {
            // The person cancelled while the model was thinking, so its decision is not started.
            return Err(StopReason::Cancelled);
        }
        let (next, refused) = self.aim(next);
        if let Some(refused) = refused {
            let tried = Tried::new(next, self.state.page.clone(), Instant::now());
            return self.absorb(tried.ended(refused)).await;
        }
        match next.action.clone() {
            Action::Agent(action) => self.do_agent(action, next).await, // 9 finish? check evidence
            Action::Browser(action) => self.do_browser(action, next).await, // 10 guards .. 15 absorb
            Action::Custom(call) => self.do_custom(call, next).await,
        }
    }

    /// The next action, if its targets are unchanged since it was decided; otherwise the queue is dropped.
    fn next_action(&mut self) -> Option<Queued> {
        let mut next = self.state.queue.pop_front()?;
        let Some(page) = &self.state.page else {
            return Some(next);
        };
        let targets = next.targets.iter().flatten();
        let found: Option<Vec<(ElementRef, ElementRef)>> = references(&next.action)
            .into_iter()
            .zip(targets)
            .map(|(old, wanted)| Some((old.clone(), find_again(page, old, wanted)?)))
            .collect();
        if let Some(found) = found {
            next.action = retargeted(next.action, &found);
            return Some(next);
        }
        self.state.queue.push_front(next);
        self.drop_queue("the page changed and the next target is gone");
        None
    }

    /// Drops the queued actions, and tells the model.
    pub(super) fn drop_queue(&mut self, why: &str) {
        let count = self.state.queue.len();
        self.state.queue.clear();
        if count > 0 {
            self.tell_dropped(count, why);
        }
    }

    /// Tells the model and the sinks that calls were not carried out.
    pub(super) fn tell_dropped(&mut self, count: usize, why: &str) {
        self.state
            .remarks
            .notes
            .push(format!("{count} further calls were not carried out: {why}"));
        self.emitter.emit(EventKind::CallsDropped {
            count,
            why: why.to_owned(),
        });
    }
}

/// The references that an action names, in the order of its arguments.
pub(super) fn references(action: &Action) -> Vec<&ElementRef> {
    let targets = match action {
        Action::Browser(action) => action.targets(),
        Action::Agent(AgentAction::Extract(extract)) => extract.target.iter().collect(),
        Action::Agent(AgentAction::Read(read)) => read.target.iter().collect(),
        _ => Vec::new(),
    };
    targets.into_iter().filter_map(Target::as_ref).collect()
}

/// Reports whether an action is aimed at something of the page, by a reference, by words or by a point.
pub(super) fn has_target(action: &Action) -> bool {
    match action {
        Action::Browser(BrowserAction::ClickXy(_) | BrowserAction::DragXy(_)) => true,
        Action::Browser(action) => !action.targets().is_empty(),
        other => !references(other).is_empty(),
    }
}

async fn sleep_or_forever(time: Option<std::time::Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => std::future::pending().await,
    }
}
