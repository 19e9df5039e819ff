//! When an action is over: when the navigation that it began has loaded, or when the page is still.
//!
//! Still means that for a short time no navigation, no request and no change of the document is under way. The page side
//! watches the document, events tell of the rest, and what is to be waited for next is decided by a pure function. A page that
//! is never still is looked at when the time for it is over.

use std::{convert::Infallible, time::Duration};

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    hub::Hub,
    known::{Frame, Known, is_blank},
    observe::Place,
    trouble::Trouble,
};

/// How long a navigation that a page asked for may take to begin; one that never does was none (a refused one).
/// Unit: time. Source: chosen; it takes a few milliseconds.
const BEGINNING: Duration = Duration::from_millis(500);
/// How long nothing more of an answer may come until it counts as one that nobody reads: scripts often look at its head alone.
/// Unit: time. Source: chosen; the parts of an answer follow each other within a few milliseconds.
const REST: Duration = Duration::from_millis(100);
/// Documents that are waited for after one action: a page that leads to another leads to a third rarely, and one that loads
/// itself again and again is looked at as it is. Unit: documents. Source: chosen; twice what sign-in pages need.
const MAX_DOCUMENTS: u32 = 10;
/// The share of the time for settling that a page gets which was not still after the action before. Source: chosen.
const RESTLESS: u32 = 4;

/// What was known when an action began.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// Requests that had begun.
    requests: u64,
    /// Tabs that were there, and windows that pages had opened to write themselves.
    tabs: usize,
    blank: usize,
}

/// What is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pending {
    Nothing,
    /// The page asked to go somewhere, and nothing has begun.
    Asked,
    /// The page is on its way to another document.
    Navigation,
    /// The document is there, and parts of it are missing.
    Parts,
    /// All that is missing is the rest of answers to scripts.
    Rest,
}

#[derive(Deserialize)]
struct Quiet {
    quiet: bool,
    place: Place,
}

impl Known {
    /// What an action that begins now will be compared with.
    pub(super) fn mark(&mut self) -> Mark {
        self.aimed = None;
        Mark {
            requests: self.started,
            tabs: self.tabs.len(),
            blank: self.blank,
        }
    }

    /// What is to be waited for.
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
        // A window that a page opened to write itself keeps its address.
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

    /// Answers of which no more comes are read by nobody.
    pub(super) fn forget_rest(&mut self) {
        if let Some(tab) = self.tab_mut() {
            tab.requests.retain(|_, request| !request.answered);
        }
    }

    /// Gives up what did not come in time: nothing of it is waited for again.
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
    /// Waits until what began at `mark` is over; tells where the page is then, if it is still.
    ///
    /// # Errors
    /// [`Trouble::Late`] if a navigation did not come to its document in time; a dialog, a crash, the end of the browser.
    pub(super) async fn settle(&self, mark: &Mark) -> Result<Option<Place>, Trouble> {
        let begin = Instant::now();
        let navigation = begin + self.time_to_load();
        let restless = self.known().tab().is_some_and(|tab| tab.restless);
        let time = if restless {
            self.options.common.settle / RESTLESS
        } else {
            self.options.common.settle
        };
        // For what follows the document that a navigation leads to, the time begins anew.
        let mut end = navigation.min(begin + time);
        let (mut documents, mut quiet) = (0, None);
        loop {
            let pending = self.known().pending(mark);
            match pending {
                Pending::Nothing if quiet.is_some() || Instant::now() >= end => break,
                Pending::Nothing => quiet = self.quiet(end).await?,
                Pending::Asked if Instant::now() >= end + BEGINNING => break,
                Pending::Asked => {
                    let still =
                        |known: &mut Known| (known.pending(mark) != Pending::Asked).then_some(());
                    if timeout(BEGINNING, self.moved(still))
                        .await
                        .map_or(Ok(true), |moved| moved.map(|()| false))?
                    {
                        self.forget_asked();
                    }
                }
                Pending::Navigation if documents == MAX_DOCUMENTS => break,
                Pending::Navigation => {
                    let there = |known: &mut Known| {
                        (known.pending(mark) != Pending::Navigation).then_some(())
                    };
                    let arrived = async {
                        tokio::select! {
                            biased;
                            moved = self.moved(there) => moved,
                            never = self.greet() => match never {},
                        }
                    };
                    let Ok(moved) = timeout_at(navigation, arrived).await else {
                        self.known().give_up();
                        return Err(Trouble::Late);
                    };
                    moved?;
                    documents += 1;
                    end = navigation.min(Instant::now() + time);
                    quiet = None;
                }
                Pending::Parts | Pending::Rest if Instant::now() >= end => break,
                Pending::Rest => {
                    let received = self.known().tab().map(|tab| tab.received);
                    let more = |known: &mut Known| {
                        let is_more = known.tab().map(|tab| tab.received) != received;
                        (is_more || known.pending(mark) != Pending::Rest).then_some(())
                    };
                    match timeout(REST, self.moved(more)).await {
                        Ok(moved) => moved?,
                        Err(_) => self.known().forget_rest(),
                    }
                    quiet = None;
                }
                Pending::Parts => {
                    let complete =
                        |known: &mut Known| (known.pending(mark) != Pending::Parts).then_some(());
                    if let Ok(moved) = timeout_at(end, self.moved(complete)).await {
                        moved?;
                    }
                    quiet = None;
                }
            }
        }
        let mut known = self.known();
        if quiet.is_none() {
            known.give_up();
        }
        if let Some(tab) = known.tab_mut() {
            tab.restless = quiet.is_none();
        }
        Ok(quiet)
    }

    /// Where the page is, if the document was still before the time was over, and that of the frame in which something was done.
    async fn quiet(&self, end: Instant) -> Result<Option<Place>, Trouble> {
        let (page, frame) = {
            let known = self.known();
            let Some(page) = known.current.clone() else {
                return Err(Trouble::Lost("the last tab was closed"));
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
                // Another document comes, and that is waited for next.
                Err(Trouble::Moved) => Ok(None),
                Err(trouble) => Err(trouble),
            }
        };
        let inside = async {
            let Some(frame) = frame else { return Ok(true) };
            match ask(&frame).await {
                Ok(told) => Ok(told.quiet),
                // It is gone, or another document comes to it: that is a part of the page that is missing.
                Err(Trouble::Moved | Trouble::Broken(_)) => Ok(true),
                Err(trouble) => Err(trouble),
            }
        };
        let both = async {
            let (page, inside) = tokio::join!(page, inside);
            let (page, inside) = (page?, inside?);
            Ok(page.filter(|_| inside))
        };
        // A script that never ends holds the page side up too, so it is not trusted with the time.
        timeout(cap + self.options.quiet, both)
            .await
            .unwrap_or(Ok(None))
    }

    /// Makes our script world in the document that comes, while it still loads: it is needed as soon as it is there.
    async fn greet(&self) -> Infallible {
        let page = self.until(|known| {
            let main = known.tab()?.main()?;
            (!main.ready && main.world.is_none() && main.goes.is_none())
                .then(|| known.current.clone())?
        });
        // If it cannot be made now, whoever needs it is told why.
        let _ = self.world(&page.await).await;
        std::future::pending().await
    }

    async fn moved(&self, look: impl FnMut(&mut Known) -> Option<()>) -> Result<(), Trouble> {
        self.unless_blocked(async {
            self.until(look).await;
            Ok(())
        })
        .await
    }

    fn forget_asked(&self) {
        if let Some(tab) = self.known().tab_mut() {
            for frame in tab.frames.values_mut() {
                frame.asked = false;
            }
        }
    }
}

/// A time as the page side takes it.
pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
