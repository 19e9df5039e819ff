//! One step of a run.

use std::time::Duration;

use tokio::time::Instant;

use super::{
    Run, StepEnd,
    executor::{InFlight, identities, judged},
    state::Queued,
};
use crate::{
    action::{Action, AgentAction, BrowserAction, Effect, Outcome, Target},
    event::EventKind,
    page::{ElementRef, PageAddress, Resolved, Suits, TargetIdentity, Wanted},
    verify::{PageNow, is_field_gone},
    working::{By, Step, StopReason},
};

/// Time between two looks at a page that may still bring what is expected of it.
const LATE: Duration = Duration::from_millis(700);
/// Maximum number of these looks.
const LATE_LOOKS: usize = 3;

impl Run {
    /// Carries out one step: at most one action. If no action is queued, first takes one from memory or asks the model
    /// for actions. Returns whether the run continues.
    ///
    /// If the future is dropped, the step is abandoned. The next step then clears the queue of actions and observes
    /// the page again.
    pub async fn step(&mut self) -> StepEnd {
        if let Some(stop) = self.executor.state.stopped {
            return StepEnd::Stopped(stop);
        }
        let end = self.executor.end();
        let known = self.steps().len();
        let done = tokio::select! {
            biased;
            stop = end => Err(stop),
            done = async {
                let done = self.advance().await;
                self.executor.tell_steps(known).await;
                done
            } => done,
        };
        match self.executor.end_step(done) {
            Ok(()) => StepEnd::Continue,
            Err(stop) => StepEnd::Stopped(stop),
        }
    }

    async fn advance(&mut self) -> Result<(), StopReason> {
        self.listen().await?;
        self.executor.begin_step()?;
        if !self.follow_step().await? && self.executor.state.queue.is_empty() {
            self.executor.observe().await?; // 1 observe, 2 interpret
            self.recall_for_page().await; // 3 cues, 4 recall
            self.begin_for_task();
            if !self.follow_step().await? {
                self.see().await?;
                let request = self.prompt(); // 5 what fits, 6 prompt
                self.keep_turn().await?;
                let response = self.ask(request).await?; // 7 model
                self.read_calls(&response)?; // 8 parse the calls
            }
        }
        self.await_target().await?;
        self.listen().await?;
        let Some(next) = self.next_action() else {
            return Ok(());
        };
        if self.executor.is_cancelled() {
            // The run was cancelled while the model was thinking, so its decision is not carried out.
            return Err(StopReason::Cancelled);
        }
        let (next, refused) = self.aim(next);
        if self.is_blind(&next) {
            self.executor
                .drop_with(1, "it cannot be undone, and its page was not shown before");
            return Ok(());
        }
        self.executor.has_taken = true;
        if let Some(refused) = refused {
            let page = self.executor.state.page.now().cloned();
            let flight = InFlight::new(next, page, Instant::now());
            return self.absorb(flight.ended(refused)).await;
        }
        match next.action.clone() {
            Action::Agent(action) => self.do_agent(action, next).await, // 9 finish? check evidence
            Action::Browser(action) => {
                let flight = self.executor.act(action, next).await?; // 10 guards .. 13 verify
                self.absorb(flight).await // 14, 15
            }
            Action::Custom(call) => self.do_custom(call, next).await,
        }
    }

    /// Waits while the run is paused, and takes note of what the user said since the last time. The model decides anew then.
    async fn listen(&mut self) -> Result<(), StopReason> {
        let Some(controls) = self.executor.task.controls.clone() else {
            return Ok(());
        };
        if controls.is_paused() {
            controls.unpaused().await;
            // The page may have changed meanwhile, also by a person's hand.
            if self.executor.state.page.now().is_some() {
                self.executor.state.page.touch();
                self.executor.observe().await?;
            }
        }
        let heard = controls.heard();
        if heard.is_empty() {
            return Ok(());
        }
        // The start page is opened whatever the user says.
        let is_opening = |next: &Queued| next.by == By::Task;
        if !self.executor.state.queue.iter().any(is_opening) {
            self.executor.drop_queue("the user gave an instruction");
        }
        self.executor.state.following = None;
        for text in heard {
            let text = self.executor.redactor.text(&text);
            self.executor
                .emitter
                .emit(EventKind::Instructed { text: text.clone() });
            self.executor.state.instructed.push(text);
        }
        Ok(())
    }

    /// Changes a target in words, or a point of the picture, into a reference. Also returns an outcome if the action is
    /// refused.
    fn aim(&mut self, mut next: Queued) -> (Queued, Option<Outcome>) {
        let Action::Browser(action) = &mut next.action else {
            return (next, None);
        };
        let points = action.points();
        let refused = match self.aim_by_sight(action) {
            Err(refused) => Some(refused),
            Ok(is_aimed) => {
                if is_aimed {
                    next.picked = points;
                }
                if let (true, Some(_), Some(page)) =
                    (is_aimed, &next.targets, self.executor.state.page.now())
                {
                    next.targets = identities(&Action::Browser(action.clone()), page);
                }
                self.executor.aim(action, &mut next.targets)
            }
        };
        (next, refused)
    }

    /// Returns true if the model chose an irreversible action on an element before any message showed it the current page.
    fn is_blind(&self, next: &Queued) -> bool {
        let Action::Browser(action) = &next.action else {
            return false;
        };
        let is_of_model = next.by == By::Model && next.restores.is_none();
        let page = self.executor.state.page.now();
        self.executor.state.page.is_unseen()
            && is_of_model
            && !action.targets().is_empty()
            && judged(action, page) == Effect::Irreversible
    }

    /// Waits for the target of the next action, if an earlier call of the reply may still bring it onto the page.
    async fn await_target(&mut self) -> Result<(), StopReason> {
        self.look_again_while(|run| {
            let (state, page) = (&run.executor.state, run.executor.state.page.now());
            let Some((next, page)) = state.queue.iter().next().zip(page) else {
                return false;
            };
            let is_blocked = page.observation.dialog.is_some() || page.observation.unresponsive;
            let is_of_model = next.by == By::Model && next.restores.is_none();
            let last = state.memory.steps().last();
            let is_first = last.is_none_or(|step| step.turn != state.spent.calls);
            !is_blocked && !is_first && is_of_model && run.is_missing(next, page)
        })
        .await
    }

    /// Looks at the page again as long as something is missing that may come late, but not without end.
    pub(super) async fn look_again_while(
        &mut self,
        is_missing: impl Fn(&Self) -> bool,
    ) -> Result<(), StopReason> {
        for _ in 0..LATE_LOOKS {
            if !is_missing(self) {
                break;
            }
            tokio::time::sleep(LATE).await;
            self.executor.state.page.touch();
            self.executor.observe().await?;
        }
        Ok(())
    }

    /// Returns true if a target of the action was on the page for which it was decided, or is given in words, and is not on this
    /// page.
    fn is_missing(&self, next: &Queued, page: &PageNow) -> bool {
        let known = self.executor.state.offered.elements();
        let is_unnamed = |target: &Target| match target {
            Target::Locator(words) => {
                let is_none = words
                    .find(page.tree())
                    .is_some_and(|found| found.is_empty());
                let found = page.resolve(Wanted::Words(words, Suits::All), known);
                is_none && matches!(found, Resolved::Gone)
            }
            Target::Ref(_) => false,
        };
        let words = match &next.action {
            Action::Browser(action) => action.targets(),
            _ => Vec::new(),
        };
        self.here(next, page).is_none() || words.into_iter().any(is_unnamed)
    }

    /// Removes the next action from the queue and returns it. Drops the whole queue instead and returns `None` if one
    /// of its targets is gone, if it should restore another page than the one shown, or if it types into a field that
    /// is gone. An action whose target was missing from the start is returned, and refused later.
    fn next_action(&mut self) -> Option<Queued> {
        let mut next = self.executor.state.queue.take()?;
        let Some(page) = self.executor.state.page.now() else {
            return Some(next);
        };
        let opens = matches!(next.action, Action::Browser(BrowserAction::Goto(_)));
        let shown = PageAddress::new(page.place.url());
        let is_elsewhere = |url: &String| !opens && !shown.is_same_page(&PageAddress::new(url));
        if next.restores.as_ref().is_some_and(is_elsewhere) {
            self.executor.drop_with(
                1,
                "go_back_to led to another page than the one to open again",
            );
            return None;
        }
        let types = matches!(next.action, Action::Browser(BrowserAction::Type(_)));
        if types && next.by == By::Model && self.lost_its_field() {
            self.executor.drop_with(
                1,
                "the field that the calls before used is gone, and none has the focus",
            );
            return None;
        }
        if let Some(found) = self.here(&next, page) {
            for (target, new) in next.action.references_mut().into_iter().zip(found) {
                *target = Target::Ref(new);
            }
            return Some(next);
        }
        self.executor.drop_with(
            1,
            "the page changed, and the next target is not there as it was",
        );
        None
    }

    /// Returns the references that the targets of the action have on this page; `None` if one of them is gone. A target that
    /// was missing from the start is left out.
    fn here(&self, next: &Queued, page: &PageNow) -> Option<Vec<ElementRef>> {
        let is_restored = next.restores.is_some();
        // The words of a table may be other words by now. To read them is what the call is for.
        let reads = matches!(
            next.action,
            Action::Agent(AgentAction::Extract(_) | AgentAction::Read(_))
        );
        let is_there = |old: &ElementRef, wanted: &TargetIdentity| {
            let tree = page.tree();
            let id = tree.by_ref(old.as_str());
            reads
                && !self.executor.state.page.is_unseen()
                && id.is_some_and(|id| tree[id].role == wanted.role)
        };
        let again = |old: &ElementRef, wanted: &TargetIdentity| {
            let found = page.again((!is_restored).then_some(old), wanted);
            found.or_else(|| (!is_restored && is_there(old, wanted)).then(|| old.clone()))
        };
        let wanted = next.targets.iter().flatten();
        let pairs = next.action.references().into_iter().zip(wanted);
        pairs.map(|(old, wanted)| again(old, wanted)).collect()
    }

    /// Returns true if the last field that this reply's calls used is gone, and no other field has the focus. Returns
    /// false if a later call used an element that is still there, because it may take the text, as a canvas can.
    fn lost_its_field(&self) -> bool {
        let state = &self.executor.state;
        let of_reply = |step: &&Step| step.turn == state.spent.calls;
        let steps = state.memory.steps().iter().rev().take_while(of_reply);
        let target = |step: &'_ Step| {
            let reference = step.action.references().first().copied().cloned();
            reference.zip(step.targets.first().cloned())
        };
        let Some(page) = state.page.now() else {
            return false;
        };
        for (reference, wanted) in steps.filter_map(target) {
            if wanted.role.is_editable() {
                return is_field_gone(page, &reference, &wanted);
            }
            if page.again(Some(&reference), &wanted).is_some() {
                return false;
            }
        }
        false
    }
}
