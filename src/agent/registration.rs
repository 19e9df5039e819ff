//! Enters a run in the register of runs, writes its checkpoints and records its end. Also resumes a run that was
//! abandoned by its process or ended without an answer.

use std::sync::Arc;

use super::{
    Executor, Run, Task,
    decision_loop::Parts,
    registered::{Register, Registered, within},
    run::place_of,
    state::State,
};
use crate::{
    base::{Error, ErrorKind, Result, Trust, text::counted},
    memory::{Advice, AdviceId, Lasts, Piece, Section},
    registry::{Continuation, End, Heartbeat, RunManifest, manifest_shelf},
    store::{Lease, Taken},
    working::StopReason,
};

/// Number of model calls from one early heartbeat to the next. An early heartbeat does not wait for the regular time,
/// so that the register soon has the new address of the page. Source: chosen.
const TURNS_PER_BEAT: u32 = 3;
/// The section of the prompt about the earlier run that this run continues. It has the same priority as the section
/// `History`. Source: chosen.
const EARLIER: Section = Section::custom("Earlier run", 50, Lasts::Run);

impl Run {
    /// Enters the run in the register of runs, if the loop has one. If this fails, the run goes on without being
    /// registered.
    pub(super) async fn register(&mut self) {
        let Some(register) = self.parts.register.clone() else {
            return;
        };
        let (about, task) = (&self.executor.state.about, &self.executor.task);
        let now = self.executor.settings().clock.now();
        let mut manifest = RunManifest::new(self.id().clone(), &about.goal, now);
        if let Some(start) = &about.start {
            manifest = manifest.starting_at(start);
        }
        manifest.session.clone_from(&about.session);
        manifest.parent.clone_from(&about.parent);
        manifest.artifact_paths.clone_from(&task.artifacts);
        let limit = self.executor.options.memory_timeout;
        match within(limit, register.start(&manifest)).await {
            Ok(lease) => self.hold(register, lease, false),
            Err(error) => _ = self.executor.tell_unkept(error),
        }
    }

    /// Starts the heartbeats and the checkpoints of the run. `is_kept` is true if a checkpoint of the run is already in
    /// the register.
    fn hold(&mut self, register: Register, lease: Lease, is_kept: bool) {
        let registered = Arc::new(Registered::new(
            register,
            lease,
            is_kept,
            Arc::clone(&self.executor.settings().clock),
            self.executor.options.memory_timeout,
        ));
        self.executor.checkpoints = Some(Arc::clone(&registered) as _);
        self.registered = Some(registered);
    }

    /// Resumes a registered run that was abandoned by its process or ended without an answer. The task names the run
    /// by its id.
    pub(super) async fn take_up(parts: Arc<Parts>, task: Task) -> Result<Self> {
        let wrong = |why| Error::new(ErrorKind::InvalidInput, "run.resume").with("why", why);
        let register = parts.register.clone();
        let register = register.ok_or_else(|| wrong("the loop has no register of runs"))?;
        let run = task.run.clone();
        let run = run.ok_or_else(|| wrong("the task does not name the run"))?;
        let limit = parts.guarded.settings.options.memory_timeout;
        // Without the browser, the run would be taken from its process, and then could not go on here either.
        let place_now = place_of(&parts.guarded, &task).await?;
        let turn = place_now.browser.lease().take().ok_or_else(|| {
            Error::new(ErrorKind::Busy, "run.resume").with("why", "another run uses the browser")
        })?;
        // If this version cannot read the state, return the error before the run is taken over, because a process of
        // another version may be able to resume it.
        State::of_checkpoint(&within(limit, register.checkpoint(&run)).await?)?;
        let journaled = match &parts.guarded.settings.journal {
            Some(journal) => within(limit, journal.last_irreversible(&run)).await?,
            None => None,
        };
        let taken = within(
            limit,
            register.resume(&run, parts.guarded.settings.clock.now()),
        )
        .await?;
        let Taken {
            lease,
            manifest,
            checkpoint,
        } = taken;
        let (mut state, intent) = State::of_checkpoint(&checkpoint)?;
        // The address in the state is newer, because the register is given the address only every few turns. If the run
        // cannot continue there, it continues at the address in the register.
        let last = RunManifest {
            current_url: state.last_url().map(str::to_owned),
            final_url: None,
            ..manifest.clone()
        };
        let place = last.resume_url().or_else(|_| manifest.resume_url())?;
        state.go_on(&place, intent, journaled, manifest.irreversible_step);
        let executor = Executor::resume(
            Arc::clone(&parts.guarded),
            task,
            state,
            place_now,
            Some(turn),
        )?;
        let mut run = Self::open(parts, executor);
        run.hold(register, lease, true);
        Ok(run)
    }

    /// Writes a checkpoint before the model is asked, so that what the model is told is stored, except the page and
    /// the texts that the program gave.
    pub(super) async fn keep_turn(&mut self) -> Result<(), StopReason> {
        let Some(registered) = self.registered.clone() else {
            return Ok(());
        };
        let state = &self.executor.state;
        let url = state.page.now().map(|page| page.head.url.as_str());
        let sign = Heartbeat::new(
            url.map(|url| self.executor.redactor.text(url)),
            state.spent.calls,
        );
        registered.tell(sign, state.spent.calls.is_multiple_of(TURNS_PER_BEAT));
        if let Some(error) = registered.failure() {
            self.executor.tell_unkept(error);
        }
        self.executor.keep(None).await.map(drop)
    }

    /// Unless the run ended with a proven answer, writes a last checkpoint. If the run has no answer at all, it can be
    /// resumed from this checkpoint. Returns `stop`, or [`StopReason::TakenOver`] if another process has taken over
    /// the run.
    pub(super) async fn keep_last(&mut self, stop: StopReason) -> StopReason {
        self.executor.state.stopped = Some(stop);
        if stop.is_success() || stop == StopReason::TakenOver || self.registered.is_none() {
            return stop;
        }
        let kept = self.executor.keep(None).await;
        let stop = kept.err().unwrap_or(stop);
        self.executor.state.stopped = Some(stop);
        stop
    }

    pub(super) async fn leave_register(&mut self, stop: StopReason) {
        let registered = self.registered.take();
        let Some(registered) = registered.filter(|_| stop != StopReason::TakenOver) else {
            return;
        };
        let (state, clean) = (&self.executor.state, |text: &String| {
            self.executor.redactor.text(text)
        });
        let is_answered = matches!(stop, StopReason::Finished | StopReason::FinishedUnverified);
        let mut end = End::new(is_answered, stop.is_success());
        end.final_url = state.page.now().map(|page| clean(&page.head.url));
        end.turns = state.spent.calls;
        end.summary = Some(format!(
            "{}, {} of them failed, {} of the model",
            counted(state.spent.steps, "step"),
            state.progress.errors(),
            counted(state.spent.calls, "call")
        ));
        end.result = state.answer.text().map(clean);
        let claims = state.answer.unverified().join(", ");
        end.unverified = (!claims.is_empty()).then(|| clean(&claims));
        end.reason = Some(match &state.error {
            Some(error) => format!("{stop}: {}", clean(error)),
            None => stop.to_string(),
        });
        let ended = registered
            .end(&end, self.executor.settings().clock.now())
            .await;
        if let Err(error) = ended {
            self.executor.tell_unkept(error);
        }
    }

    /// Returns advice with a line about the earlier run that this run continues; `None` if there is no such run. A
    /// model wrote parts of the line, so it must not be in the system instruction.
    pub(super) fn earlier(&self) -> Option<Advice> {
        let Continuation {
            parent, history, ..
        } = self.executor.task.parent.as_ref()?;
        let id = AdviceId {
            shelf: manifest_shelf(&self.executor.options.namespace),
            key: parent.to_string(),
        };
        let line = [Piece::Words(format!(
            "this run continues another: {history}"
        ))];
        Advice::with_lines(id, [line], Trust::Model, EARLIER)
    }
}
