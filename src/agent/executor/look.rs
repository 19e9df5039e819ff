//! Observes the page. Removes secrets, and the content of frames and tabs that are out of the run's scope.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use super::{Executor, deadline::Deadline};
use crate::{
    action::BrowserAction,
    agent::emit::elapsed_ms,
    base::{Error, ErrorKind, Result as CrateResult},
    browser::ObserveRequest,
    event::EventKind,
    page::{Node, Observation, Role},
    secret::mask_fields,
    verify::PageNow,
    working::StopReason,
};

/// Maximum number of tabs that the model is shown. Source: chosen; a page can open hundreds.
const MAX_TABS: usize = 10;
const CLOSED_FRAME: &str = "(a frame of a site that this run may not visit)";
/// The operation that an error names if an observation brought no answer in time.
const SILENT: &str = "agent.observe";
/// Time limit for the observation at the end of a successful run. Source: chosen; a working browser answers in less
/// than a second.
const LAST_LOOK: Duration = Duration::from_secs(5);

impl Executor {
    /// Observes the page. Does nothing if the page has already been observed since the last action.
    pub(in crate::agent) async fn observe(&mut self) -> Result<(), StopReason> {
        if self.state.page.is_stale() {
            let mut page = self.look(self.deadline()).await?;
            let before = self.state.page.now().cloned();
            if before.is_some() {
                self.back_in_scope(None, before.as_ref(), &mut page).await?;
            } else if let Err(refusal) = self.state.guards.check_first_page(&page.head.url) {
                // A page out of scope is never shown, even if the browser was there from the start.
                return Err(self.out_of_scope(&refusal));
            }
            self.state.page.set(page);
        }
        Ok(())
    }

    /// Observes and interprets the page, replaces secrets in it, and returns the page.
    pub(in crate::agent) async fn look(
        &mut self,
        deadline: Deadline,
    ) -> Result<PageNow, StopReason> {
        let started = Instant::now();
        let mut observed = self.observed(deadline).await;
        // Observing changes nothing, so it may be repeated. But a driver that reports a time-out would only take the
        // same time again. A driver that does not answer at all may have lost the request, so the observation is
        // repeated.
        let may_pass = |error: &Error| match error.kind() {
            ErrorKind::BrowserLost => false,
            ErrorKind::Timeout => error.operation() == SILENT,
            _ => true,
        };
        if observed.as_ref().is_err_and(may_pass) {
            observed = self.observed(deadline).await;
        }
        let look = self.state.page.count_look();
        let observation = match observed {
            Ok(observation) => self.redacted(observation),
            Err(error) => return Err(self.lost(error)),
        };
        let mut page = PageNow::of(observation);
        page.look = look;
        let elapsed_ms = elapsed_ms(started);
        self.emitter.emit(EventKind::Observed {
            observation: Arc::clone(&page.observation),
            elapsed_ms,
        });
        self.emitter.emit(EventKind::Interpreted {
            view: Arc::clone(&page.view),
        });
        Ok(page)
    }

    async fn observed(&self, deadline: Deadline) -> CrateResult<Observation> {
        let request = ObserveRequest::default()
            .with_timeout(deadline.limit())
            // A picture cannot be redacted, so none is taken after a secret was typed or shown.
            .with_screenshot(self.options.screenshots && !self.state.secret_seen);
        let observation = self.browser.observe(&request);
        deadline.call(SILENT, observation).await
    }

    /// Keeps a picture that the action in progress took, for the next message. Drops it if it may show a secret or a frame
    /// that is out of scope, because a picture cannot be redacted. `after` is the page after the action.
    pub(super) fn keep_picture(&mut self, png: Vec<u8>, action: &BrowserAction, after: &PageNow) {
        if self.state.secret_seen || shows_closed_frame(after) {
            return;
        }
        let window = action.targets().is_empty().then_some(after.look);
        let pictures = &mut self.state.remarks.pictures;
        pictures.add(self.emitter.step, png.clone(), window);
        self.emitter.emit(EventKind::PictureTaken { png });
    }

    pub(in crate::agent) fn deadline(&self) -> Deadline {
        Deadline::after(self.options.command_timeout)
    }

    /// Returns the observation without secrets, and without the content of frames and tabs that are out of scope.
    fn redacted(&mut self, mut observation: Observation) -> Observation {
        let may_show = |url: &str| self.state.guards.may_show_frame(url);
        observation.tree = mask_fields(observation.tree, self.state.page.typed_into())
            .close_frames(may_show, CLOSED_FRAME);
        if observation.tree.nodes().iter().any(is_closed_frame) {
            // The picture shows the frame, and the frame cannot be cut out.
            observation.screenshot = None;
        }
        observation.tabs.truncate(MAX_TABS);
        for tab in &mut observation.tabs {
            if !tab.url.starts_with("about:") && self.state.guards.check_url(&tab.url).is_err() {
                (tab.title, tab.url) = (String::new(), "not allowed in this run".to_owned());
            }
        }
        let mut clean = observation;
        if !self.redactor.is_empty() {
            clean = self.without_secrets(&clean);
        }
        if let Some(dialog) = &mut clean.dialog {
            self.hide_foreign_words(dialog, &clean.url);
        }
        clean
    }

    /// Returns the observation with secrets replaced. The picture is dropped if the run has typed or seen a secret.
    fn without_secrets(&mut self, observation: &Observation) -> Observation {
        let mut clean = self.redactor.observation(observation.clone());
        // A picture would show the secret, whether it was typed, filled in by the browser, or left from another run.
        self.state.secret_seen |= clean != *observation;
        clean.screenshot = clean.screenshot.filter(|_| !self.state.secret_seen);
        clean
    }

    /// Observes the page once more at the end of a successful run, and records an error if the page cannot be observed.
    /// The run still counts as a success, because its evidence was seen before.
    pub(in crate::agent) async fn look_once_more(&mut self) {
        let request = ObserveRequest::default().with_timeout(LAST_LOOK);
        let observation = self.browser.observe(&request);
        let deadline = Deadline::after(LAST_LOOK);
        let looked = match deadline.wait(SILENT, observation).await {
            Ok(seen) if seen.unresponsive => Err(Deadline::late(SILENT, LAST_LOOK)),
            looked => looked,
        };
        if let Err(error) = looked {
            let error = self.describe(error);
            let text = format!(
                "the evidence was seen, and by now the page cannot be looked at any more: {error}"
            );
            self.emitter.emit(EventKind::Warned {
                guard: "finish".to_owned(),
                text,
            });
            self.state.error = Some(error);
        }
    }

    /// Records the error and returns the stop reason for a browser that can no longer be used.
    pub(in crate::agent) fn lost(&mut self, error: Error) -> StopReason {
        self.state.failed = Some(error.kind());
        self.state.error = Some(self.describe(error));
        StopReason::BrowserLost
    }
}

/// Returns true if the page contains a frame whose content was removed because it is out of scope.
pub(in crate::agent) fn shows_closed_frame(page: &PageNow) -> bool {
    page.observation.tree.nodes().iter().any(is_closed_frame)
}

fn is_closed_frame(node: &Node) -> bool {
    node.role == Role::Iframe && node.value.as_deref() == Some(CLOSED_FRAME)
}
