//! Going to addresses, back and forward: the tool says yes more often than it goes anywhere.

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

/// How long an error page may take to appear after a failed navigation, and how often it is looked for. A navigation
/// that starts before it has appeared is taken for interrupted. Unit: time. Source: measured, under 50 ms.
const ERROR_PAGE: (u32, Duration) = (6, Duration::from_millis(50));
/// How long the browser may take to give a navigation up. Unit: time. Source: chosen; it takes 10 ms.
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
        // Under a dialog the tool says yes and goes nowhere.
        if let Some(dialog) = &state.dialog {
            let outcome = Outcome::failed(ErrorClass::DialogOpen, &dialog.message);
            return Ok(Execution {
                dialog: Some(dialog.clone()),
                ..outcome.into()
            });
        }
        if self.options.common.downloads.is_some() {
            // A new page makes the tool forget which files it has saved, so it is asked once more.
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
            // The browser would go on waiting, and nothing could be read until it is done.
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

    /// Lets the browser put up its error page, so that the next navigation is not taken for one that interrupts it.
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
            // The page on which the browser started is none of the task's: there is nothing to go back to.
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

    /// The tool says yes to a step beyond either end, and stays; so does a step to the same address.
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
