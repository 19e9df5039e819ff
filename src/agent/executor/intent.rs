//! Records each action that does more than read, before it is carried out: in a checkpoint of the run, and in the
//! journal.

use super::{Executor, deadline::Deadline};
use crate::{
    action::{Action, Effect, ErrorClass, Outcome},
    base::Error,
    event::{EventKind, Intent},
    page::TargetIdentity,
    working::StopReason,
};

impl Executor {
    /// Records the intent to carry out an action. Returns `None` if the action may be carried out. Refuses an irreversible
    /// action whose intent could not be recorded, and returns the refusal as its outcome.
    ///
    /// # Errors
    /// `TakenOver` if another process has taken over the run.
    pub(in crate::agent) async fn intend(
        &mut self,
        action: &Action,
        targets: &[TargetIdentity],
        effect: Effect,
    ) -> Result<Option<Outcome>, StopReason> {
        if effect == Effect::Read
            || (self.checkpoints.is_none() && self.settings().journal.is_none())
        {
            return Ok(None);
        }
        let mut intent = Intent::new(
            self.emitter.run.clone(),
            self.emitter.step,
            self.settings().clock.now(),
            action.clone(),
            effect,
        );
        intent.targets = targets.to_vec();
        if let Some(page) = self.state.page.now() {
            intent.url.clone_from(&page.head.url);
        }
        let intent = intent.redacted(&self.redactor);
        // The checkpoint comes first: if it shows that another process has taken over the run, the action is not
        // carried out and must not be in the journal. If another action is already under way, no checkpoint is written,
        // because the last one contains the intent of that action.
        let unkept = match self.in_flight {
            None => self.keep(Some(&intent)).await?,
            Some(_) => None,
        };
        let unrecorded = self.journal(&intent).await;
        let Some(why) = unkept.or(unrecorded) else {
            return Ok(None);
        };
        let refused = Outcome::failed(ErrorClass::NotRecorded, &why);
        Ok((effect == Effect::Irreversible).then_some(refused))
    }

    /// Writes a checkpoint of the run, with the intent if there is one. Returns the reason why the checkpoint could not be
    /// written. Returns `None` if it was written, if the run has no checkpoints, or if the run was removed from the
    /// register. Only the first failure of the register in a run is emitted as an event.
    ///
    /// # Errors
    /// `TakenOver` if another process has taken over the run.
    pub(in crate::agent) async fn keep(
        &mut self,
        intent: Option<&Intent>,
    ) -> Result<Option<String>, StopReason> {
        let Some(checkpoints) = self.checkpoints.clone() else {
            return Ok(None);
        };
        let mut state = self.state.clone();
        state.before_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        let kept = match state.checkpoint(intent, &self.redactor) {
            Ok(checkpoint) => {
                let irreversible = intent.filter(|intent| intent.effect == Effect::Irreversible);
                let step = irreversible.map(|intent| intent.step);
                checkpoints.keep(checkpoint, step).await
            }
            Err(error) => Err(error),
        };
        match kept {
            Ok(true) => Ok(None),
            Ok(false) => Err(StopReason::TakenOver),
            Err(error) => Ok(Some(self.tell_unkept(error))),
        }
    }

    /// Returns the text of a failure of the register of runs, with secrets replaced. The first failure in a run is also
    /// emitted as an event.
    pub(in crate::agent) fn tell_unkept(&mut self, error: Error) -> String {
        let operation = error.operation().to_owned();
        let error = self.describe(error);
        if !std::mem::replace(&mut self.unkept, true) {
            let error = error.clone();
            self.emitter
                .emit(EventKind::MemoryFailed { operation, error });
        }
        error
    }

    /// Records an intent in the journal. Returns the reason why that failed; `None` if it succeeded or if there is no
    /// journal.
    async fn journal(&mut self, intent: &Intent) -> Option<String> {
        let journal = self.settings().journal.clone()?;
        let deadline = Deadline::after(self.options.journal_timeout);
        let kept = deadline.wait("agent.journal", journal.intent(intent)).await;
        let why = self.describe(kept.err()?);
        if intent.effect != Effect::Irreversible && self.state.unrecorded.is_none() {
            self.emitter
                .emit(EventKind::RecordingFailed { error: why.clone() });
            self.state.unrecorded = Some(why.clone());
        }
        Some(why)
    }
}
