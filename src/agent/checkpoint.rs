//! Checkpoints: the part of a run's [`State`] that another process needs to go on, and the trait through which the
//! executor writes it.
//!
//! # Decisions
//!
//! - The page is not part of a checkpoint, because the process that resumes the run observes the page again.
//! - A checkpoint is written before each call of the model, and before each action that may have an effect. In the
//!   second case the checkpoint contains that action as the intent. So the last checkpoint contains what the run knew
//!   when the model was last asked, except the page and the texts that the program gave. It also contains the action
//!   whose outcome is unknown.
//! - The checkpoint that is read may be older than the last one, because its file was damaged and the store restored an
//!   earlier version. So the run's manifest and the journal are asked too for the last irreversible action.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;
use url::Url;

use super::state::{Queued, State};
use crate::{
    action::{Action, BrowserAction, Effect, ErrorClass, Failure, Outcome, Signature},
    base::{Error, ErrorKind, Result, text},
    event::Intent,
    page::PageTemplate,
    prompt::MAX_RESULT_LATER,
    registry::{Checkpoint, MAX_CHECKPOINT},
    secret::Redactor,
    verify::Seen,
    working::{By, Place, Step},
};

/// Part of a checkpoint's maximum size that is reserved for the intent (the next action). Unit: bytes. Source: chosen;
/// a reply of the model takes some 10 KiB.
const ROOM_FOR_INTENT: usize = 32 * 1_024;
/// Maximum total size of the extracted texts in a checkpoint that would otherwise be too large. The newest texts are
/// kept. Unit: bytes. Source: chosen.
const LAST_EXTRACTED: usize = 16 * 1024;
/// Number of characters that are kept of a tool's result of more than [`MAX_RESULT_LATER`] characters, in a checkpoint
/// that would otherwise be too large. Source: chosen; a prompt shows the cut result without cutting it again.
const MAX_RESULT: usize = 400;
/// Maximum number of results of tools in a checkpoint that would otherwise be too large. The last results are kept.
/// Source: chosen; this leaves room for earlier pages, which prove answers.
const LAST_RESULTS: usize = 10;
/// Maximum number of steps in a checkpoint that would otherwise be too large. The last steps are kept. Source: chosen;
/// the prompt shows the last 50 steps.
const LAST_STEPS: usize = 50;

#[async_trait]
pub(super) trait Checkpoints: Debug + Send + Sync {
    /// Writes a checkpoint, and into the run's manifest the number of the step of an irreversible action that is about to
    /// be carried out. Returns false if another process has taken over the run. Returns true, but writes nothing, if the
    /// run was removed from the register.
    ///
    /// # Errors
    /// The errors of the store.
    async fn keep(&self, checkpoint: Checkpoint, irreversible: Option<u32>) -> Result<bool>;
}

impl State {
    /// Returns the checkpoint of this state, with secrets replaced. If the checkpoint is too large, the least important
    /// parts of the state are left out.
    ///
    /// # Errors
    /// `Corrupt` if the state or the intent cannot be written as JSON; `TooLarge` if the checkpoint is too large even
    /// without those parts.
    pub(super) fn checkpoint(
        &self,
        intent: Option<&Intent>,
        redactor: &Redactor,
    ) -> Result<Checkpoint> {
        let mut kept = self.clone();
        kept.page.forget();
        kept.lines_read = None;
        kept.queue.clear();
        // The task that resumes the run gives its texts again.
        kept.memory.take_back_all();
        let shed: [fn(&mut Self); 5] = [
            |kept| {
                let shorten = |step: &mut Step| {
                    step.changes = None;
                    step.summary.clear();
                };
                kept.memory
                    .edit_steps(|steps| steps.iter_mut().for_each(shorten));
            },
            |kept| {
                let mut left = LAST_RESULTS;
                let shorten = |step: &mut Step| {
                    let text = step.result().filter(|_| left > 0);
                    let text = text.map(|text| match text.char_indices().nth(MAX_RESULT_LATER) {
                        Some(_) => text::cut(text, MAX_RESULT),
                        None => text.to_owned(),
                    });
                    left -= usize::from(text.is_some());
                    (step.gave, step.short, step.thought) = (None, text, None);
                };
                kept.memory
                    .edit_steps(|steps| steps.iter_mut().rev().for_each(shorten));
            },
            |kept| kept.seen = Seen::default(),
            |kept| {
                let over = kept.steps().len().saturating_sub(LAST_STEPS);
                kept.cut |= over > 0;
                kept.memory.edit_steps(|steps| drop(steps.drain(..over)));
            },
            |kept| kept.memory.keep_extracted(LAST_EXTRACTED),
        ];
        let mut shed = shed.into_iter();
        loop {
            let state = json(&kept, redactor)?;
            let size = state.to_string().len();
            if size <= MAX_CHECKPOINT - ROOM_FOR_INTENT {
                let intent = intent.map(|intent| json(intent, redactor)).transpose()?;
                return Ok(Checkpoint::new(state, intent));
            }
            let Some(shed) = shed.next() else {
                return Err(Error::new(ErrorKind::TooLarge, "run.checkpoint").with("bytes", size));
            };
            shed(&mut kept);
        }
    }

    /// Reads the state of a checkpoint, and its intent: an action whose outcome is not known.
    ///
    /// # Errors
    /// `Unsupported` if another version of this crate wrote the checkpoint; `Corrupt` if the checkpoint cannot be read.
    pub(super) fn of_checkpoint(checkpoint: &Checkpoint) -> Result<(Self, Option<Intent>)> {
        let corrupt = |error| Error::new(ErrorKind::Corrupt, "run.checkpoint").with_source(error);
        Self::check_version(checkpoint.state.get("version"))?;
        let state: Self = serde_json::from_value(checkpoint.state.clone()).map_err(corrupt)?;
        let intent = checkpoint.intent.clone();
        let intent = intent.map(serde_json::from_value).transpose();
        Ok((state, intent.map_err(corrupt)?))
    }

    /// Returns the address of the last page on which a step ended; `None` if no step ended on a page.
    pub(super) fn last_url(&self) -> Option<&str> {
        let mut seen = self.steps().iter().rev().map(|step| step.after.url());
        seen.find(|url| !url.is_empty())
    }

    /// Prepares the state for a process that resumes the run. Queues the opening of the page at `url`, and tells the
    /// model that the run was interrupted. Records the action of the intent as a step with an unclear outcome.
    ///
    /// `journaled` is the last irreversible action that the journal knows, and `marked` is the number of the last
    /// irreversible step that the run's manifest knows. If the checkpoint does not know that step, the action may have been
    /// carried out, as if it were the intent.
    pub(super) fn go_on(
        &mut self,
        url: &Url,
        intent: Option<Intent>,
        journaled: Option<Intent>,
        marked: Option<u32>,
    ) {
        (self.stopped, self.error) = (None, None);
        self.answer.take_back();
        self.progress.forgive();
        // Opening the page again must not count as a repetition.
        self.guards.forget_actions();
        self.queue.clear();
        let thought = self.thought.take();
        if let Some(following) = self.following.take() {
            let (step, name) = (following.number(), &following.name);
            self.remarks.notes.push(format!(
                "it was interrupted before step {step} of {name} was done: look how far it came"
            ));
        }
        self.remarks.notes.push(
            "this run was interrupted, and its last page was opened again: a login and what was typed into fields may be lost"
                .to_owned(),
        );
        if let Some(intent) = intent {
            self.doubt(intent, thought);
        }
        if let Some(intent) = journaled.filter(|intent| !self.knows(intent.step)) {
            self.doubt(intent, None);
        }
        let unseen = self.steps().last().filter(|step| step.unseen);
        let unseen =
            unseen.map(|step| (step.number, step.action.tool_name().to_owned(), step.effect));
        if let Some((number, tool, effect)) = unseen {
            self.warn_of(number, &tool, effect);
        }
        if let Some(step) = marked.filter(|step| !self.knows(*step)) {
            self.spent.steps = self.spent.steps.max(step);
            self.warn_of(step, "irreversible action", Effect::Irreversible);
        }
        self.queue.add(Queued::opening(url.to_string()));
    }

    fn knows(&self, step: u32) -> bool {
        self.steps().last().is_some_and(|last| last.number >= step)
    }

    /// Tells the model that the action of a step may have been carried out. If it cannot be undone, a person must approve
    /// the next action of that kind.
    fn warn_of(&mut self, step: u32, tool: &str, effect: Effect) {
        let irreversible = effect == Effect::Irreversible;
        let also = if irreversible {
            "; it cannot be undone, so a person is asked before anything of that kind is done now"
        } else {
            ""
        };
        self.remarks.notes.push(format!(
            "the {tool} of step {step} was under way when the run was interrupted, so it may have been carried out: look on the page \
             whether it was before you do it again{also}",
        ));
        if irreversible {
            self.doubt = Some(step);
        }
    }

    /// Records the action of an intent as a step whose outcome is not known.
    fn doubt(&mut self, intent: Intent, thought: Option<String>) {
        let place = Place::of(intent.url);
        let template = place.template().map_or("", PageTemplate::as_str);
        let signature = Signature::of(&intent.action, &intent.targets, template);
        let why = "the run was interrupted while this was carried out";
        let outcome = Outcome::Unclear(Failure::new(ErrorClass::Other, why));
        // The opening of the start page, or of the page at which the run was interrupted before.
        let opened = self.last_url().or(self.about.start.as_deref());
        let is_opening = matches!(
            &intent.action,
            Action::Browser(BrowserAction::Goto(goto)) if Some(&*goto.url) == opened
        );
        let mut step = Step::new(intent.step, intent.action, outcome, signature);
        if is_opening {
            step.by = By::Task;
        }
        step.unseen = true;
        step.turn = self.spent.calls;
        step.effect = intent.effect;
        step.targets = intent.targets;
        step.before = place;
        step.thought = thought;
        self.spent.steps = self.spent.steps.max(step.number);
        self.memory.record(step);
    }
}

fn json(value: &impl serde::Serialize, redactor: &Redactor) -> Result<Value> {
    let mut json = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::Corrupt, "run.checkpoint").with_source(error))?;
    redactor.json(&mut json);
    Ok(json)
}
