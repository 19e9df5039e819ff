//! Going to addresses, back, forward and again.

use std::{convert::Infallible, future::pending, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{
    driver::Cdp,
    hub::Hub,
    known::{Frame, Known, Tab},
    observe::UNTOLD,
    trouble::Trouble,
};
use crate::{action::ErrorClass, browser::rules::web_address};

/// How long a document that is to be left may answer nothing until its script counts as one that never ends. Unit: time.
/// Source: chosen; an answer takes a millisecond, and pages that compute for seconds are rare.
const HUNG: Duration = Duration::from_secs(3);
/// How often a page is sent elsewhere that goes its own way meanwhile. Source: chosen; once is enough for most that load
/// themselves again and again.
const SENT: u32 = 3;
/// What a tab shows before it goes anywhere.
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
    /// Tells the current tab to load no more.
    pub(super) fn stop_loading(&self) {
        let session = self.known().tab().and_then(|tab| tab.session.clone());
        if let Some(session) = session {
            // Nobody waits for it; what it ends is told by events.
            drop(
                self.wire
                    .call::<Value>(Some(&session), "Page.stopLoading", json!({})),
            );
        }
    }

    /// While another document is on its way, the browser lets the page answer nothing: one that does not come in time is given
    /// up, and what was asked is answered by the page that is there.
    pub(super) async fn give_up_a_late_document(&self) -> Infallible {
        sleep(self.time_to_load()).await;
        let is_on_its_way = self
            .known()
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
    /// Opens an address in the current tab.
    pub(super) async fn goto(&self, address: &str) -> Result<(), Trouble> {
        let url = web_address(address).map_err(|outcome| match outcome {
            crate::action::Outcome::Failed(failure) => Trouble::Refused(failure),
            _ => Trouble::refused(ErrorClass::NavigationFailed, ""),
        })?;
        let work = async {
            for _ in 0..SENT {
                if self.sent_to(&url).await? {
                    return Ok(());
                }
            }
            Err(Trouble::refused(
                ErrorClass::NavigationFailed,
                "the page that is there goes its own way",
            ))
        };
        self.within_the_time_to_load(work).await
    }

    /// Sends the current tab to an address; whether its document came, and not another one that the page went to meanwhile.
    async fn sent_to(&self, url: &str) -> Result<bool, Trouble> {
        let session = self.main_session()?;
        let is_under_way = self
            .hub
            .known()
            .tab()
            .and_then(Tab::main)
            .is_some_and(Frame::moves);
        if is_under_way {
            // The browser lets where a page wants to go take the place of where it is sent.
            self.hub.stop_loading();
        }
        let answer: Navigated = self
            .hub
            .call(&session, "Page.navigate", json!({ "url": url }))
            .await?;
        if let Some(why) = answer.error_text.filter(|why| !why.is_empty()) {
            self.await_error_page().await;
            return Err(Trouble::refused(ErrorClass::NavigationFailed, &why));
        }
        if answer.is_download {
            return Err(Trouble::refused(
                ErrorClass::NavigationFailed,
                "the address offers a file",
            ));
        }
        // Without a new document the page only scrolled, and is there already.
        let Some(loader) = answer.loader_id else {
            return Ok(true);
        };
        let last = self.loader()?;
        // A document that leads on at once is gone before anybody looks.
        loop {
            let come = self.arrival(|known| known.tab()?.has_come_to(&loader, &last).then_some(()));
            match timeout(UNTOLD, come).await {
                Ok(come) => break come?,
                Err(_)
                    if self
                        .hub
                        .known()
                        .tab()
                        .and_then(Tab::main)
                        .is_some_and(Frame::moves) => {}
                // The page took its own way, and was stopped on it.
                Err(_) => return Ok(false),
            }
        }
        Ok(self
            .hub
            .known()
            .tab()
            .is_some_and(|tab| tab.has_let_in(&loader)))
    }

    /// Loads the page again.
    pub(super) async fn reload(&self) -> Result<(), Trouble> {
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

    /// Goes to the page before (-1) or after (1).
    pub(super) async fn step_in_history(&self, step: isize) -> Result<(), Trouble> {
        let session = self.main_session()?;
        let history: History = self
            .hub
            .call(&session, "Page.getNavigationHistory", json!({}))
            .await?;
        let entry = history
            .current_index
            .checked_add_signed(step)
            .and_then(|index| history.entries.get(index));
        // The page on which a tab begins is none of the task's.
        let entry = entry
            .filter(|entry| entry.url != BLANK)
            .ok_or(Trouble::refused(ErrorClass::NoHistory, ""))?;
        let (before, steps) = (self.loader()?, self.steps()?);
        let work = async {
            let params = json!({ "entryId": entry.id });
            self.hub
                .call::<Value>(&session, "Page.navigateToHistoryEntry", params)
                .await?;
            // A step within one document may even leave the address as it is.
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

    /// A navigation that takes too long is given up, or nothing could be read until it is over.
    async fn within_the_time_to_load(
        &self,
        work: impl Future<Output = Result<(), Trouble>>,
    ) -> Result<(), Trouble> {
        let patience = self.hub.time_to_load();
        let work = async {
            self.end_a_script_in_the_way().await;
            work.await
        };
        if let Ok(done) = timeout(patience, work).await {
            return done;
        }
        self.hub.stop_loading();
        Err(Trouble::refused(
            ErrorClass::Timeout,
            "the address did not load in time",
        ))
    }

    /// Ends a script that never ends by itself: the document that holds it must let the next one in. That has to be done before
    /// anybody knows whether a next one comes, as it does not for the address of a file, so a script gets its time.
    async fn end_a_script_in_the_way(&self) {
        // While another document is on its way the page answers nothing, and no script of it stands in the way.
        let is_there = self
            .hub
            .known()
            .tab()
            .and_then(Tab::main)
            .is_some_and(|main| !(main.loading && main.ready));
        let patience = HUNG.min(self.hub.time_to_load() / 2);
        if is_there
            && let (Err(_), Ok(session)) =
                (timeout(patience, self.place()).await, self.main_session())
        {
            // It interrupts what runs, so it needs no answer of what does.
            drop(self.hub.wire.call::<Value>(
                Some(&session),
                "Runtime.terminateExecution",
                json!({}),
            ));
        }
    }

    async fn arrival(&self, there: impl FnMut(&mut Known) -> Option<()>) -> Result<(), Trouble> {
        self.hub
            .unless_blocked(async {
                self.hub.until(there).await;
                Ok(())
            })
            .await
    }

    /// Lets the browser put up its error page: until it has, it would take the next navigation for one that interrupts it.
    async fn await_error_page(&self) {
        let shown = self
            .hub
            .until(|known| known.tab()?.main().filter(|main| !main.moves()).map(drop));
        // Where none comes, as for an answer without content, the page stays as it was.
        let _ = timeout(self.hub.options.quiet * 10, shown).await;
    }

    fn loader(&self) -> Result<String, Trouble> {
        let known = self.hub.known();
        known
            .tab()
            .and_then(|tab| tab.main())
            .map(|main| main.loader.clone())
            .ok_or(Trouble::Moved)
    }

    fn steps(&self) -> Result<u64, Trouble> {
        let known = self.hub.known();
        known
            .tab()
            .and_then(|tab| tab.main())
            .map(|main| main.steps)
            .ok_or(Trouble::Moved)
    }
}
