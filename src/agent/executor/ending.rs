//! The end of a run: cancellation, the time limit, and the report.

use std::{future, time::Duration};

use super::Executor;
use crate::{
    agent::{Cancel, Cause, RunReport},
    event::{EventKind, RunSummary},
    secret::Redactor,
    working::{BudgetKind, Step, StopReason},
};

impl Executor {
    /// Waits until the run is cancelled or its time is up, and returns the stop reason.
    pub(in crate::agent) fn end(&self) -> impl Future<Output = StopReason> + use<> {
        let cancels = self.cancels();
        let longest = self.options.budget.max_duration;
        let left = longest.map(|max| max.saturating_sub(self.elapsed()));
        async move {
            tokio::select! {
                biased;
                () = any_cancelled(cancels) => StopReason::Cancelled,
                () = sleep_or_forever(left) => StopReason::Budget(BudgetKind::Time),
            }
        }
    }

    /// Ends a step. If it ended with a stop reason, marks the run as stopped and records the action in progress. If a
    /// person was asked a question and has not answered it, the run's error then quotes the question. Returns `end`.
    pub(in crate::agent) fn end_step(
        &mut self,
        end: Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        self.under_way = false;
        if let Err(stop) = end {
            self.record_in_flight();
            if let Some(question) = self.asking.take() {
                let error = format!("a question was waiting for an answer: {question}");
                self.state.error = Some(error);
            }
            self.state.stopped = Some(stop);
        }
        end
    }

    /// Emits an event if the sink reports that it is losing events of the run, at most once in a run.
    pub(super) fn watch_recording(&mut self) {
        if self.recording.is_none()
            && let Some(error) = self.emitter.failure()
        {
            let error = self.redactor.text(&error);
            self.emitter.emit(EventKind::RecordingFailed {
                error: error.clone(),
            });
            self.recording = Some(error);
        }
    }

    /// Ends the run and returns the report. A run that has not stopped yet counts as cancelled, because only the
    /// caller can judge whether the goal was reached.
    pub fn finish(mut self) -> RunReport {
        self.record_in_flight();
        self.ended(StopReason::Cancelled)
    }

    /// Ends the run and returns the report. The stop reason is `stop`, unless the run has already stopped for another.
    pub(in crate::agent) fn ended(mut self, stop: StopReason) -> RunReport {
        let stop = self.state.stopped.unwrap_or(stop);
        let cause =
            Cause::of(stop, &self.state).map(|cause| cause.map(|text| self.redactor.text(text)));
        let elapsed_ms = u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX);
        let summary = RunSummary::new(
            stop,
            self.state.spent.steps,
            self.state.progress.errors(),
            self.state.spent.calls,
            self.state.spent.usage,
            self.state.estimated,
            elapsed_ms,
        )
        .with_replayed(self.state.progress.replayed())
        .with_cost(self.options.prices.map(|_| self.state.spent.cost));
        self.watch_recording();
        // Like events, everything that leaves the run is redacted once more.
        let clean = |text: String| self.redactor.text(&text);
        let answer = self.state.answer.map(clean);
        let unused = answer.unused().to_vec();
        let (answer, evidence, unverified) = answer.into_parts();
        self.state.error = self.state.error.map(clean);
        let extracted = self.state.memory.extracted().iter();
        let extracted = extracted.map(|taken| (taken.name.clone(), taken.text.clone()));
        let extracted = self.redactor.pairs(extracted.collect());
        let pages = self.state.memory.pages().visited().into_iter();
        let pages = pages.map(|page| clean(page.url.to_owned())).collect();
        let steps = self.state.memory.edit_steps(std::mem::take);
        let steps = steps.into_iter().map(|step| redacted(step, &self.redactor));
        let steps = steps.collect();
        let final_url = self
            .state
            .page
            .now()
            .map(|page| clean(page.head.url.clone()));
        self.emitter.emit(EventKind::RunEnded {
            answer: answer.clone(),
            evidence: evidence.clone(),
            extracted: extracted.clone(),
            final_url: final_url.clone(),
            error: self.state.error.clone(),
            summary: summary.clone(),
        });
        RunReport {
            run: self.emitter.run.clone(),
            summary,
            cause,
            answer,
            evidence,
            unverified,
            unused,
            extracted,
            steps,
            pages,
            final_url,
            error: self.state.error,
            memory_errors: Vec::new(),
            not_kept: Vec::new(),
            recording: self
                .recording
                .or_else(|| self.emitter.failure().map(|text| self.redactor.text(&text)))
                .or(self.state.unrecorded),
        }
    }
}

/// Waits until one of the handles is cancelled.
async fn any_cancelled([ours, of_task, of_handle]: [Cancel; 3]) {
    tokio::select! {
        () = ours.cancelled() => {}
        () = of_task.cancelled() => {}
        () = of_handle.cancelled() => {}
    }
}

async fn sleep_or_forever(time: Option<Duration>) {
    match time {
        Some(time) => tokio::time::sleep(time).await,
        None => future::pending().await,
    }
}

/// Returns the step with secrets replaced. If a replacement makes the step invalid, only its number, action, outcome
/// and signature are kept.
pub(in crate::agent) fn redacted(step: Step, redactor: &Redactor) -> Step {
    if redactor.is_empty() {
        return step;
    }
    let clean = serde_json::to_value(&step).ok().and_then(|mut json| {
        redactor.json(&mut json);
        serde_json::from_value(json).ok()
    });
    clean.unwrap_or_else(|| {
        let action = step.action.redacted(redactor);
        Step::new(step.number, action, step.outcome, step.signature)
    })
}
