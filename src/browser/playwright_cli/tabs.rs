//! Tabs: opening, choosing and closing them. The list of tabs in the reply proves that the command was carried out.

use std::time::Duration;

use super::{
    driver::{BLANK, PlaywrightCli, State, malformed},
    evidence::failed,
    observe::class_of,
    reply,
    transport::Command,
};
use crate::{
    action::{ErrorClass, Outcome},
    base::Result,
    browser::{
        Execution,
        rules::{LAST_TAB, listing, web_address},
    },
    page::Tab,
};

impl PlaywrightCli {
    /// Runs a command whose result is the list of tabs. Returns the list, or the tool's error text.
    pub(super) async fn tabs(
        &self,
        state: &mut State,
        command: Command,
        timeout: Duration,
    ) -> Result<Result<Vec<Tab>, String>> {
        let reply = self.send_leaving(state, command, timeout).await?;
        if let Some(error) = reply.error {
            return Ok(Err(error));
        }
        let tabs = reply
            .result
            .as_deref()
            .map(reply::parse_tabs)
            .unwrap_or_default();
        if tabs.is_empty() {
            return Err(malformed("no list of tabs"));
        }
        Ok(Ok(tabs))
    }

    /// Updates the state after a tab was opened, chosen or closed. Returns the action's execution, with the list of
    /// tabs as its text.
    fn settle_tabs(state: &mut State, tabs: &[Tab]) -> Execution {
        state.tabs = tabs.len();
        let current = tabs.iter().find(|tab| tab.current);
        state.blank_is_fine = current.is_none_or(|tab| tab.url == BLANK);
        // The stored page may belong to another tab. The dialog is that of the current tab, because the reply told it.
        state.page = None;
        let page = current.map(|tab| (tab.url.clone(), tab.title.clone()));
        Execution {
            page,
            dialog: state.dialog.clone(),
            text: Some(listing(tabs)),
            ..Outcome::Done.into()
        }
    }

    pub(super) async fn tab_list(&self, state: &mut State, timeout: Duration) -> Result<Execution> {
        let tabs = self.tabs(state, Command::read("tab-list"), timeout).await?;
        Ok(tabs.map_or_else(
            |error| failed(&error),
            |tabs| Execution {
                text: Some(listing(&tabs)),
                ..Outcome::Done.into()
            },
        ))
    }

    pub(super) async fn tab_new(
        &self,
        state: &mut State,
        address: Option<&str>,
        timeout: Duration,
    ) -> Result<Execution> {
        let url = match address.map(web_address).transpose() {
            Ok(url) => url,
            Err(refused) => return Ok(refused.into()),
        };
        Ok(
            match self
                .tabs(state, Command::new("tab-new").args(url), timeout)
                .await?
            {
                Ok(tabs) => Self::settle_tabs(state, &tabs),
                Err(error) => {
                    if class_of(&error) != ErrorClass::DialogOpen {
                        // The tab was opened, but shows a blank page or the browser's error page.
                        state.page = None;
                    }
                    failed(&error)
                }
            },
        )
    }

    pub(super) async fn tab_select(
        &self,
        state: &mut State,
        index: u32,
        timeout: Duration,
    ) -> Result<Execution> {
        let command = Command::new("tab-select").arg(index.to_string());
        match self.tabs(state, command, timeout).await? {
            Ok(tabs) if tabs.iter().any(|tab| tab.current && tab.index == index) => {
                Ok(Self::settle_tabs(state, &tabs))
            }
            Ok(_) => Err(malformed("another tab than the one asked for")),
            Err(error) => Ok(failed(&error)),
        }
    }

    pub(super) async fn tab_close(
        &self,
        state: &mut State,
        index: u32,
        timeout: Duration,
    ) -> Result<Execution> {
        let before = match self.tabs(state, Command::read("tab-list"), timeout).await? {
            Ok(tabs) => tabs,
            Err(error) => return Ok(failed(&error)),
        };
        if before.len() < 2 {
            return Ok(Outcome::failed(ErrorClass::BadArguments, LAST_TAB).into());
        }
        if !before.iter().any(|tab| tab.index == index) {
            return Ok(Outcome::failed(ErrorClass::NoSuchTab, "").into());
        }
        match self
            .tabs(
                state,
                Command::new("tab-close").arg(index.to_string()),
                timeout,
            )
            .await?
        {
            Ok(tabs) if tabs.len() < before.len() => Ok(Self::settle_tabs(state, &tabs)),
            Ok(_) => Err(malformed("as many tabs as before")),
            Err(error) => Ok(failed(&error)),
        }
    }
}
