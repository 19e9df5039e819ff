//! Navigation: to addresses, back, forward and reload.

use std::{convert::Infallible, future::pending, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    driver::Cdp,
    error::CdpError,
    hub::Hub,
    observe::UNTOLD,
    state::{BrowserState, Frame, Tab},
};
use crate::{action::ErrorClass, browser::rules::web_address};

/// Longest time for a page to answer before a navigation. After this time, the page's script counts as endless. Source:
/// chosen; an answer takes a millisecond, and pages that compute for seconds are rare.
const HUNG: Duration = Duration::from_secs(3);
/// Maximum number of attempts to send a tab to an address while its page navigates elsewhere. Source: chosen; one
/// attempt is enough for most pages.
const SENT: u32 = 3;
/// The address of a tab before its first navigation.
pub(super) const BLANK: &str = "about:blank";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Navigated {
    loader_id: Option<String>,
    error_text: Option<String>,
    #[serde(default)]
    is_download: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: i64,
    url: String,
}

impl Hub {
    pub(super) fn stop_loading(&self) {
        let session = self.state().tab().and_then(|tab| tab.session.clone());
        if let Some(session) = session {
            // Nobody waits for the answer, because events report the effect.
            drop(
                self.wire
                    .call::<Value>(Some(&session), "Page.stopLoading", json!({})),
            );
        }
    }

    /// Stops all loading in the current tab, of its document or of the next one, if it takes too long. While the next
    /// document loads, the browser does not answer calls to the current page. Never returns, so callers run it beside
    /// another wait.
    pub(super) async fn give_up_a_late_document(&self) -> Infallible {
        sleep(self.time_to_load()).await;
        let is_on_its_way = self
            .state()
            .tab()
            .and_then(Tab::main)
            .is_some_and(|main| main.loading);
        if is_on_its_way {
            self.stop_loading();
        }
        pending().await
    }
}

impl Cdp {
    /// Sends the current tab to a web address, and waits until the document has arrived.
    pub(super) async fn goto(&self, address: &str) -> Result<(), CdpError> {
        let url = web_address(address).map_err(|outcome| match outcome {
            crate::action::Outcome::Failed(failure) => CdpError::Refused(failure),
            _ => CdpError::refused(ErrorClass::NavigationFailed, ""),
        })?;
        let work = async {
            for _ in 0..SENT {
                if self.sent_to(&url).await? {
                    return Ok(());
                }
            }
            Err(CdpError::refused(
                ErrorClass::NavigationFailed,
                "the page that is there goes its own way",
            ))
        };
        self.within_the_time_to_load(work).await
    }

    /// Sends the current tab to an address. Returns false if the page meanwhile navigated elsewhere by itself.
    async fn sent_to(&self, url: &str) -> Result<bool, CdpError> {
        let session = self.main_session()?;
        let is_under_way = self
            .hub
            .state()
            .tab()
            .and_then(Tab::main)
            .is_some_and(Frame::moves);
        if is_under_way {
            // A navigation by the page itself would replace this one.
            self.hub.stop_loading();
        }
        let answer: Navigated = self
            .hub
            .call(&session, "Page.navigate", json!({ "url": url }))
            .await?;
        if let Some(why) = answer.error_text.filter(|why| !why.is_empty()) {
            self.await_error_page().await;
            return Err(CdpError::refused(ErrorClass::NavigationFailed, &why));
        }
        if answer.is_download {
            return Err(CdpError::refused(
                ErrorClass::NavigationFailed,
                "the address offers a file",
            ));
        }
        // Without a new document the page only scrolled, which is done already.
        let Some(loader) = answer.loader_id else {
            return Ok(true);
        };
        let last = self.loader()?;
        // A document that redirects at once may be replaced before this check sees it.
        loop {
            let come = self.arrival(|known| known.tab()?.has_come_to(&loader, &last).then_some(()));
            match timeout(UNTOLD, come).await {
                Ok(come) => break come?,
                Err(_)
                    if self
                        .hub
                        .state()
                        .tab()
                        .and_then(Tab::main)
                        .is_some_and(Frame::moves) => {}
                // The page went elsewhere and was stopped on the way.
                Err(_) => return Ok(false),
            }
        }
        Ok(self
            .hub
            .state()
            .tab()
            .is_some_and(|tab| tab.has_let_in(&loader)))
    }

    /// Reloads the current page, and waits until the new document has arrived.
    pub(super) async fn reload(&self) -> Result<(), CdpError> {
        let before = self.loader()?;
        let work = async {
            let session = self.main_session()?;
            self.hub
                .call::<Value>(&session, "Page.reload", json!({}))
                .await?;
            self.arrival(|known| {
                known
                    .tab()?
                    .main()
                    .filter(|main| main.loader != before)
                    .map(drop)
            })
            .await
        };
        self.within_the_time_to_load(work).await
    }

    /// Goes back (`step` is -1) or forward (`step` is 1) by one entry of the tab's history.
    pub(super) async fn step_in_history(&self, step: isize) -> Result<(), CdpError> {
        let session = self.main_session()?;
        let history: History = self
            .hub
            .call(&session, "Page.getNavigationHistory", json!({}))
            .await?;
        let entry = history
            .current_index
            .checked_add_signed(step)
            .and_then(|index| history.entries.get(index));
        // The blank first page of a tab does not belong to the task.
        let entry = entry
            .filter(|entry| entry.url != BLANK)
            .ok_or(CdpError::refused(ErrorClass::NoHistory, ""))?;
        let (before, steps) = (self.loader()?, self.steps()?);
        let work = async {
            let params = json!({ "entryId": entry.id });
            self.hub
                .call::<Value>(&session, "Page.navigateToHistoryEntry", params)
                .await?;
            // A step within one document may even leave the address unchanged.
            self.arrival(|known| {
                known
                    .tab()?
                    .main()
                    .filter(|main| main.loader != before || main.steps != steps)
                    .map(drop)
            })
            .await
        };
        self.within_the_time_to_load(work).await
    }

    /// Carries out a navigation. Stops the loading and fails if the navigation exceeds the time limit for loading.
    async fn within_the_time_to_load(
        &self,
        work: impl Future<Output = Result<(), CdpError>>,
    ) -> Result<(), CdpError> {
        let patience = self.hub.time_to_load();
        let work = async {
            self.end_a_script_in_the_way().await;
            work.await
        };
        if let Ok(done) = timeout(patience, work).await {
            return done;
        }
        self.hub.stop_loading();
        Err(CdpError::refused(
            ErrorClass::Timeout,
            "the address did not load in time",
        ))
    }

    /// Ends the script of the current page if it does not end by itself in time. An endless script keeps the next
    /// document from loading.
    async fn end_a_script_in_the_way(&self) {
        // While another document is on its way, the page does not answer either, but no script is the reason.
        let is_there = self
            .hub
            .state()
            .tab()
            .and_then(Tab::main)
            .is_some_and(|main| !(main.loading && main.ready));
        let patience = HUNG.min(self.hub.time_to_load() / 2);
        if is_there
            && let (Err(_), Ok(session)) =
                (timeout(patience, self.place()).await, self.main_session())
        {
            // The call interrupts the running script, so its answer need not be awaited.
            drop(self.hub.wire.call::<Value>(
                Some(&session),
                "Runtime.terminateExecution",
                json!({}),
            ));
        }
    }

    async fn arrival(
        &self,
        there: impl FnMut(&mut BrowserState) -> Option<()>,
    ) -> Result<(), CdpError> {
        self.hub
            .unless_blocked(async {
                self.hub.until(there).await;
                Ok(())
            })
            .await
    }

    /// Waits for the browser's error page after a failed navigation. Without this wait, the browser would report the
    /// next navigation as interrupted.
    async fn await_error_page(&self) {
        let shown = self
            .hub
            .until(|known| known.tab()?.main().filter(|main| !main.moves()).map(drop));
        // If no error page comes, as after an answer without content, the page stays as it was.
        let _ = timeout(self.hub.options.quiet * 10, shown).await;
    }

    fn loader(&self) -> Result<String, CdpError> {
        let known = self.hub.state();
        known
            .tab()
            .and_then(|tab| tab.main())
            .map(|main| main.loader.clone())
            .ok_or(CdpError::Moved)
    }

    fn steps(&self) -> Result<u64, CdpError> {
        let known = self.hub.state();
        known
            .tab()
            .and_then(|tab| tab.main())
            .map(|main| main.steps)
            .ok_or(CdpError::Moved)
    }
}
