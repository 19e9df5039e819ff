//! Navigation: to addresses, back and forward. The tool often reports success without navigating.

use std::time::Duration;

use super::{
    driver::{BLANK, PlaywrightCli, Scripted, State},
    evidence::execution,
    observe::class_of,
    scripts,
    transport::Command,
};
use crate::{
    action::{ErrorClass, Outcome},
    base::Result,
    browser::{Execution, rules::web_address},
};

/// Maximum number of attempts to find the browser's error page, and the pause between two. Source: the page was
/// measured to appear within 50 ms.
const ERROR_PAGE: (u32, Duration) = (6, Duration::from_millis(50));
/// Longest time for the browser to stop a navigation. Source: chosen; it takes 10 ms.
const STOP_LOADING: Duration = Duration::from_secs(5);

impl PlaywrightCli {
    pub(super) async fn goto(
        &self,
        state: &mut State,
        address: &str,
        timeout: Duration,
    ) -> Result<Execution> {
        let url = match web_address(address) {
            Ok(url) => url,
            Err(refused) => return Ok(refused.into()),
        };
        // While a dialog is open, the tool reports success without navigating.
        if let Some(dialog) = &state.dialog {
            let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
            return Ok(Execution {
                dialog: Some(dialog.clone()),
                ..outcome.into()
            });
        }
        if self.options.common.downloads.is_some() {
            // When the tool goes to an address, it forgets the downloads that it has not reported yet. So a list of
            // tabs is requested first: the reply to this command also reports the downloads.
            let _ = self.tabs(state, Command::read("tab-list"), timeout).await?;
        }
        let before = state.url().unwrap_or(BLANK).to_owned();
        state.blank_is_fine = false;
        let reply = self
            .send(state, Command::new("goto").arg(url), timeout)
            .await?;
        match reply.error.as_deref().map(class_of) {
            Some(ErrorClass::NavigationFailed) => {
                self.await_error_page(state, &before, timeout).await?;
            }
            // Without the stop, the browser would keep waiting for the server, and the page could not be read until
            // then.
            Some(ErrorClass::Timeout) => {
                self.stop_loading(state, STOP_LOADING).await?;
                state.stalled = true;
            }
            _ => {}
        }
        let stayed =
            reply.dialog.is_some() && reply.page.as_ref().is_none_or(|page| page.url == before);
        let mut execution = execution(reply, "page.goto(")?;
        if stayed && execution.outcome.is_done() {
            execution.outcome = Outcome::failed(ErrorClass::DialogOpen, "");
        }
        Ok(execution)
    }

    /// Waits for the browser's error page after a failed navigation. Without this wait, the browser would report the
    /// next navigation as interrupted. `before` is the address of the page before the failed navigation.
    pub(super) async fn await_error_page(
        &self,
        state: &mut State,
        before: &str,
        timeout: Duration,
    ) -> Result<()> {
        let (looks, every) = ERROR_PAGE;
        for _ in 0..looks {
            let tabs = self.tabs(state, Command::read("tab-list"), timeout).await?;
            if tabs.is_ok_and(|tabs| tabs.iter().any(|tab| tab.current && tab.url != before)) {
                break;
            }
            tokio::time::sleep(every).await;
        }
        Ok(())
    }

    pub(super) async fn go_back(&self, state: &mut State, timeout: Duration) -> Result<Execution> {
        let before = state.url().unwrap_or(BLANK).to_owned();
        let reply = self
            .send_leaving(state, Command::new("go-back"), timeout)
            .await?;
        let now_blank = reply.page.as_ref().is_some_and(|page| page.url == BLANK);
        if now_blank && reply.error.is_none() {
            // The blank page with which the browser starts does not belong to the task, so going back does not end
            // there.
            if before != BLANK {
                self.send(state, Command::new("go-forward"), timeout)
                    .await?;
            }
            return Ok(Outcome::failed(ErrorClass::NoHistory, "").into());
        }
        let stayed = reply.page.as_ref().is_some_and(|page| page.url == before);
        if stayed
            && self
                .place_in_history(state, timeout)
                .await?
                .is_some_and(|(place, _)| place == 0)
        {
            return Ok(Outcome::failed(ErrorClass::NoHistory, "").into());
        }
        execution(reply, "page.goBack(")
    }

    pub(super) async fn go_forward(
        &self,
        state: &mut State,
        timeout: Duration,
    ) -> Result<Execution> {
        let before = state.url().unwrap_or(BLANK).to_owned();
        let reply = self
            .send(state, Command::new("go-forward"), timeout)
            .await?;
        let stayed = reply.page.as_ref().is_some_and(|page| page.url == before);
        if stayed
            && self
                .place_in_history(state, timeout)
                .await?
                .is_some_and(|(place, places)| place + 1 >= places)
        {
            return Ok(Outcome::failed(ErrorClass::NoHistory, "").into());
        }
        execution(reply, "page.goForward(")
    }

    /// Returns the page's position in the history of its tab, from 0, and the length of the history; `None` if a dialog
    /// is open.
    ///
    /// These numbers show whether a step was beyond an end of the history. The tool reports success even for such a
    /// step.
    pub(super) async fn place_in_history(
        &self,
        state: &mut State,
        timeout: Duration,
    ) -> Result<Option<(u64, u64)>> {
        Ok(
            match self
                .script(state, scripts::place_in_history(), timeout)
                .await?
            {
                Scripted::Returned(returned) => returned.place,
                Scripted::Refused(_) | Scripted::Interrupted(_) => None,
            },
        )
    }
}
