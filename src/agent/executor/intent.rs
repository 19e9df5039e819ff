//! Records intents in the journal: each action is recorded before it is carried out.

use tokio::time::timeout;

use super::Executor;
use crate::{
    BrowserDriver,
    action::{Action, Effect, ErrorClass, Outcome},
    base::{Error, ErrorKind},
    event::{EventKind, Intent},
    page::TargetIdentity,
};

impl<B: BrowserDriver> Executor<'_, B> {
    /// Records the intent to carry out an action. If an irreversible action could not be recorded, returns its refusal,
    /// else `None`.
    pub(in crate::agent) async fn intend(
        &mut self,
        action: &Action,
        targets: &[TargetIdentity],
        effect: Effect,
    ) -> Option<Outcome> {
        let journal = self.parts.journal.clone()?;
        if effect == Effect::Read {
            return None;
        }
        let mut intent = Intent::new(
            self.emitter.run.clone(),
            self.emitter.step,
            self.parts.clock.now(),
            action.clone(),
            effect,
        );
        intent.targets = targets.to_vec();
        if let Some(page) = &self.state.page {
            intent.url.clone_from(&page.head.url);
        }
        let intent = intent.redacted(&self.redactor);
        let limit = self.parts.options.journal_timeout;
        let kept = match timeout(limit, journal.intent(&intent)).await {
            Ok(kept) => kept,
            Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.journal")
                .with("waited", format!("{limit:?}"))),
        };
        let why = self.describe(kept.err()?);
        if effect == Effect::Irreversible {
            return Some(Outcome::failed(ErrorClass::NotRecorded, &why));
        }
        if self.state.unrecorded.is_none() {
            self.emitter
                .emit(EventKind::RecordingFailed { error: why.clone() });
            self.state.unrecorded = Some(why);
        }
        None
    }
}
