//! Repeats steps that memory has recorded in an earlier run, as long as they need no decision of the model.

use std::sync::Arc;

use super::{
    Run,
    engine::Asking,
    executor::{identities, judged},
    options::Replay,
    state::Queued,
};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{Action, Effect},
    event::EventKind,
    memory::{Cue, Moment, ReplayStep, is_withheld},
    page::PageType,
    working::By,
};

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Queues the next step of the task, if memory has recorded that step in an earlier run. Returns true if a step was
    /// queued.
    ///
    /// Actions that cannot be undone are never taken from memory, whatever the approval mode is.
    pub(super) async fn replay(&mut self) -> bool {
        let Some(step) = self.known_step().await else {
            return false;
        };
        let action = Action::Browser(step.action.clone());
        let page = self.executor.state.page.now();
        let is_final = judged(&step.action, page) == Effect::Irreversible;
        let targets = page.and_then(|page| identities(&action, page));
        let (false, Some(targets)) = (is_final, targets) else {
            return false;
        };
        self.executor.emitter.emit(EventKind::StepReplayed {
            item: step.item.clone(),
            number: step.number,
            of: step.of,
        });
        let state = &mut self.executor.state;
        state.offered.follow(&step.item);
        state.remarks.replayed += 1;
        state.progress.count_replayed();
        state
            .queue
            .add(Queued::new(action, By::Memory, Some(targets)));
        true
    }

    /// Returns the next step of the task as memory has recorded it in an earlier run. Returns `None` if memory has no
    /// such step, or if this run withholds the step. Also returns `None` if the options do not switch replay on, if a
    /// dialog is open, or if there is something that the model must read first. This includes words of the user beside
    /// the goal, such as instructions, because the record does not have them.
    async fn known_step(&mut self) -> Option<ReplayStep> {
        let options = &self.parts.guarded.options;
        let state = &self.executor.state;
        let page = state.page.now()?;
        let is_blocked =
            page.observation.dialog.is_some() || page.view.page_type == PageType::DialogBlocking;
        let task = &self.executor.task;
        let has_more_words =
            !task.instructions.is_empty() || !task.given.is_empty() || !task.site_notes.is_empty();
        if options.replay == Replay::Off
            || is_blocked
            || has_more_words
            || state.remarks.is_unread()
        {
            return None;
        }
        let cue = Cue::PageShown {
            host: page.place.host()?.clone(),
            page: page.place.template().cloned(),
            seen: Arc::clone(&page.observation),
        };
        let moment = Moment::new(
            &cue,
            &state.about,
            state.memory.steps(),
            self.parts.guarded.clock.now(),
        )
        .with_parameters(&task.parameters)
        .of_run(self.executor.id());
        let asking = Asking {
            emitter: &self.executor.emitter,
            redactor: &self.executor.redactor,
        };
        let step = self
            .engine
            .replay(&self.parts.memory, &moment, asking)
            .await?;
        let is_held = is_withheld(&state.seed, &step.item, options.withheld_share);
        (!is_held).then_some(step)
    }
}
