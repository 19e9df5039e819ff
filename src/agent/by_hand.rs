//! What memory needs of a run whose actions the caller decides: its log, and the page as a reason to ask for advice. An executor itself
//! knows no memory.

use std::sync::Arc;

use chrono::TimeDelta;

use super::executor::{Executor, redacted};
use crate::memory::{Cue, RunLog};

impl Executor {
    /// Returns the log of the run so far, for [`Memory::learn`](crate::Memory::learn). `success` is the caller's judgement: the goal
    /// was reached. Secrets in the log are replaced.
    pub fn log(&self, success: bool) -> RunLog {
        let now = self.settings().clock.now();
        let steps = self.steps().iter();
        let steps = steps.map(|step| redacted(step.clone(), &self.redactor));
        let started = TimeDelta::from_std(self.elapsed())
            .map_or(now, |span| now.checked_sub_signed(span).unwrap_or(now));
        let about = self.state.about.clone();
        RunLog::new(
            self.id().clone(),
            about,
            now,
            success,
            steps.collect(),
            Vec::new(),
        )
        .started_at(started)
    }

    /// Returns the page as it was last observed, as a reason to ask [memory](crate::Memory::recall) for advice; `None` before the
    /// first observation, and for a page without a host.
    pub fn page_cue(&self) -> Option<Cue> {
        let page = self.state.page.now()?;
        Some(Cue::PageShown {
            host: page.place.host()?.clone(),
            page: page.place.template().cloned(),
            seen: Arc::clone(&page.observation),
        })
    }
}
