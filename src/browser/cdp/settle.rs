//! Waiting for the effects of an action to end: until all navigations have ended, and the document that is shown then
//! is quiet.
//!
//! A document is quiet if for a short time there is no navigation, no request and no change. Requests for pictures,
//! fonts and media do not count, and neither do things that change all the time. If a page is not quiet in time, it is
//! observed as it is.

use std::{convert::Infallible, time::Duration};

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    error::CdpError,
    hub::Hub,
    observe::Place,
    state::{BrowserState, Frame, is_blank},
};

/// Longest time for a navigation to begin after the page asked for it. A navigation that has not begun by then counts
/// as refused. Source: chosen; a navigation usually begins within a few milliseconds, and once took more than 500 on a
/// machine whose processors were all busy.
const BEGINNING: Duration = Duration::from_millis(1_500);
/// Longest pause between two parts of the response to a script's `fetch` call. After a longer pause, the response is
/// not waited for, because scripts often read only the headers. Source: chosen; parts follow each other within a few
/// milliseconds.
const REST: Duration = Duration::from_millis(100);
/// Maximum number of documents that are waited for after one action, if each replaces the previous one. Source: chosen;
/// twice what sign-in pages need.
const MAX_DOCUMENTS: u32 = 10;
/// Number by which the settling time is divided if the page was not quiet after the previous action. Source: chosen.
const RESTLESS: u32 = 4;

/// The numbers of requests, of tabs, and of windows opened with an empty address, as they were when an action started.
/// By comparison with later numbers they show what is new.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    requests: u64,
    tabs: usize,
    blank: usize,
}

/// The thing to wait for next, until an action has settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    Nothing,
    /// A navigation that the page asked for but that has not begun.
    Asked,
    Navigation,
    /// Parts of the document, requests of scripts, or new windows.
    Parts,
    /// The remaining parts of responses to `fetch` calls of scripts. Each of these responses has begun to arrive.
    Rest,
}

#[derive(Deserialize)]
struct Quiet {
    quiet: bool,
    place: Place,
}

impl BrowserState {
    /// Returns the [`Mark`] of an action that begins now, and forgets the frame of the previous action's element.
    pub(super) fn mark(&mut self) -> Mark {
        self.aimed = None;
        Mark {
            requests: self.started,
            tabs: self.tabs.len(),
            blank: self.blank,
        }
    }

    /// Returns what has to be waited for next. Requests and windows that are older than `mark` do not count.
    pub(super) fn pending(&self, mark: &Mark) -> Pending {
        let Some(tab) = self.tab() else {
            return Pending::Nothing;
        };
        let Some(main) = tab.main() else {
            return Pending::Navigation;
        };
        if main.navigates() {
            return Pending::Navigation;
        }
        if main.asked {
            return Pending::Asked;
        }
        // A window whose content is written by the page that opened it keeps its empty address, so it is not waited
        // for.
        let untold = self
            .tabs
            .iter()
            .skip(mark.tabs)
            .filter(|tab| is_blank(&tab.url))
            .count();
        let requests = || {
            tab.requests
                .values()
                .filter(|request| request.count > mark.requests)
        };
        let is_missing = tab.frames.values().any(Frame::is_awaited)
            || requests().any(|request| !request.answered)
            || untold > self.blank.saturating_sub(mark.blank);
        match () {
            () if is_missing => Pending::Parts,
            () if requests().next().is_some() => Pending::Rest,
            () => Pending::Nothing,
        }
    }

    /// Removes the requests of `fetch` calls whose response has begun to arrive. Called when no part of a response has
    /// arrived for [`REST`].
    pub(super) fn forget_rest(&mut self) {
        if let Some(tab) = self.tab_mut() {
            tab.requests.retain(|_, request| !request.answered);
        }
    }

    /// Gives up waiting for the current tab's documents that are not loaded. Later actions do not wait for them either.
    pub(super) fn give_up(&mut self) {
        for frame in self
            .tab_mut()
            .into_iter()
            .flat_map(|tab| tab.frames.values_mut())
        {
            frame.asked = false;
            frame.vain = frame.moves() || frame.loader.is_empty();
        }
    }
}

impl Hub {
    /// Waits until the effects of an action are over and the page is quiet. Ignores requests and windows that are older
    /// than `mark`. Returns the page's [`Place`]; `None` if the page was not quiet in time.
    ///
    /// # Errors
    /// [`CdpError::Late`] if a navigation did not reach its document in time. Other errors if a dialog opens, the page
    /// crashes, or the browser ends.
    pub(super) async fn settle(&self, mark: &Mark) -> Result<Option<Place>, CdpError> {
        let begin = Instant::now();
        let navigation = begin + self.time_to_load();
        let restless = self.state().tab().is_some_and(|tab| tab.restless);
        let time = if restless {
            self.options.common.settle / RESTLESS
        } else {
            self.options.common.settle
        };
        // The time starts again with each document that a navigation leads to.
        let mut end = navigation.min(begin + time);
        let (mut documents, mut quiet) = (0, None);
        loop {
            let pending = self.state().pending(mark);
            let past = |known: &mut BrowserState| (known.pending(mark) != pending).then_some(());
            match pending {
                Pending::Nothing if quiet.is_some() || Instant::now() >= end => break,
                Pending::Nothing => quiet = self.quiet(end).await?,
                Pending::Asked if Instant::now() >= end + BEGINNING => break,
                Pending::Asked => match timeout(BEGINNING, self.moved(past)).await {
                    Ok(moved) => moved?,
                    Err(_) => self.forget_asked(),
                },
                Pending::Navigation if documents == MAX_DOCUMENTS => break,
                Pending::Navigation => {
                    let arrived = async {
                        tokio::select! {
                            biased;
                            moved = self.moved(past) => moved,
                            never = self.greet() => match never {},
                        }
                    };
                    let Ok(moved) = timeout_at(navigation, arrived).await else {
                        self.state().give_up();
                        return Err(CdpError::Late);
                    };
                    moved?;
                    documents += 1;
                    end = navigation.min(Instant::now() + time);
                    quiet = None;
                }
                Pending::Parts | Pending::Rest if Instant::now() >= end => break,
                Pending::Rest => {
                    let received = self.state().tab().map(|tab| tab.received);
                    let more = |known: &mut BrowserState| {
                        let is_more = known.tab().map(|tab| tab.received) != received;
                        is_more.then_some(()).or_else(|| past(known))
                    };
                    match timeout(REST, self.moved(more)).await {
                        Ok(moved) => moved?,
                        Err(_) => self.state().forget_rest(),
                    }
                    quiet = None;
                }
                Pending::Parts => {
                    if let Ok(moved) = timeout_at(end, self.moved(past)).await {
                        moved?;
                    }
                    quiet = None;
                }
            }
        }
        let mut known = self.state();
        if quiet.is_none() {
            known.give_up();
        }
        if let Some(tab) = known.tab_mut() {
            tab.restless = quiet.is_none();
        }
        Ok(quiet)
    }

    /// Waits until two documents are quiet: the page's, and that of the frame with the action's element. Returns the
    /// page's [`Place`]; `None` if `end` came first or the page's document was replaced.
    async fn quiet(&self, end: Instant) -> Result<Option<Place>, CdpError> {
        let (page, frame) = {
            let known = self.state();
            let Some(page) = known.current.clone() else {
                return Err(CdpError::Lost("the last tab was closed"));
            };
            let frame = known.aimed.clone().filter(|aimed| *aimed != page);
            (page, frame)
        };
        let cap = end
            .saturating_duration_since(Instant::now())
            .max(self.options.quiet);
        let times = json!([{ "ms": millis(self.options.quiet), "cap": millis(cap) }]);
        let ask = async |frame: &str| self.ask::<Quiet>(frame, "quiet", &times).await;
        let page = async {
            match ask(&page).await {
                Ok(told) => Ok(told.quiet.then_some(told.place)),
                // Another document is coming, and is waited for next.
                Err(CdpError::Moved) => Ok(None),
                Err(trouble) => Err(trouble),
            }
        };
        let inside = async {
            let Some(frame) = frame else { return Ok(true) };
            match ask(&frame).await {
                Ok(told) => Ok(told.quiet),
                // The frame is gone, or is navigating to another document, which `settle` waits for as a missing part.
                Err(CdpError::Moved | CdpError::Broken(_)) => Ok(true),
                Err(trouble) => Err(trouble),
            }
        };
        let both = async {
            let (page, inside) = tokio::join!(page, inside);
            let (page, inside) = (page?, inside?);
            Ok(page.filter(|_| inside))
        };
        // An endless script of the page blocks our script too, so the time-out is not left to our script.
        timeout(cap + self.options.quiet, both)
            .await
            .unwrap_or(Ok(None))
    }

    /// Creates our script's world in a new document while the document loads. Never returns, so callers run it beside
    /// another wait.
    async fn greet(&self) -> Infallible {
        let page = self.until(|known| {
            let main = known.tab()?.main()?;
            (!main.ready && main.world.is_none() && main.goes.is_none())
                .then(|| known.current.clone())?
        });
        // An error is ignored here: the next call of the script creates the world again and reports its own error.
        let _ = self.world(&page.await).await;
        std::future::pending().await
    }

    async fn moved(
        &self,
        look: impl FnMut(&mut BrowserState) -> Option<()>,
    ) -> Result<(), CdpError> {
        self.unless_blocked(async {
            self.until(look).await;
            Ok(())
        })
        .await
    }

    fn forget_asked(&self) {
        if let Some(tab) = self.state().tab_mut() {
            for frame in tab.frames.values_mut() {
                frame.asked = false;
            }
        }
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
