//! When an action is over: when the navigation that it began has loaded, or when the page is still.
//!
//! Still means that for a short time no navigation, no request and no change of the document is under way. The page side
//! watches the document, events tell of the rest, and what is to be waited for next is decided by a pure function. A page that
//! is never still is looked at when the time for it is over.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, timeout, timeout_at};

use super::{hub::Hub, known::Known, trouble::Trouble};

/// How long a navigation that a page asked for may take to begin; one that never does was none (a download, a refused one).
/// Unit: time. Source: chosen; it takes a few milliseconds.
const BEGINNING: Duration = Duration::from_millis(500);
/// The share of the time for settling that a page gets which was not still after the action before. Source: chosen.
const RESTLESS: u32 = 4;

/// What was known when an action began.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    /// Requests that had begun.
    requests: u64,
    /// Tabs that were there.
    tabs: usize,
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
}

#[derive(Deserialize)]
struct Quiet {
    quiet: bool,
}

impl Known {
    /// What an action that begins now will be compared with.
    pub(super) fn mark(&self) -> Mark {
        Mark { requests: self.started, tabs: self.tabs.len() }
    }

    /// What is to be waited for.
    pub(super) fn pending(&self, mark: &Mark) -> Pending {
        let Some(tab) = self.tab() else { return Pending::Nothing };
        let Some(main) = tab.main() else { return Pending::Navigation };
        if main.loading && !main.ready {
            return Pending::Navigation;
        }
        if main.asked && !main.loading {
            return Pending::Asked;
        }
        let opened = self.tabs.iter().skip(mark.tabs);
        let is_missing = main.loading
            || tab.frames.values().any(|frame| frame.moves() || frame.loader.is_empty())
            || tab.requests.values().any(|count| *count > mark.requests)
            || opened.into_iter().any(|tab| tab.url.is_empty() || tab.url == "about:blank");
        if is_missing { Pending::Parts } else { Pending::Nothing }
    }
}

impl Hub {
    /// Waits until what began at `mark` is over.
    ///
    /// # Errors
    /// [`Trouble::Late`] if a navigation did not come to its document in time; a dialog, a crash, the end of the browser.
    pub(super) async fn settle(&self, mark: &Mark) -> Result<(), Trouble> {
        let begin = Instant::now();
        let navigation = begin + self.options.navigation_timeout;
        let restless = self.known().tab().is_some_and(|tab| tab.restless);
        let time = if restless { self.options.settle / RESTLESS } else { self.options.settle };
        // For what follows the document that a navigation leads to, the time begins anew.
        let mut end = begin + time;
        let mut was_quiet = false;
        loop {
            let pending = self.known().pending(mark);
            match pending {
                Pending::Nothing if was_quiet || Instant::now() >= end => break,
                Pending::Nothing => was_quiet = self.quiet(end).await?,
                Pending::Asked => {
                    let still = |known: &mut Known| (known.pending(mark) != Pending::Asked).then_some(());
                    if timeout(BEGINNING, self.moved(still)).await.map_or(Ok(true), |moved| moved.map(|()| false))? {
                        self.forget_asked();
                    }
                }
                Pending::Navigation => {
                    let there = |known: &mut Known| (known.pending(mark) != Pending::Navigation).then_some(());
                    timeout_at(navigation, self.moved(there)).await.unwrap_or(Err(Trouble::Late))?;
                    end = Instant::now() + time;
                    was_quiet = false;
                }
                Pending::Parts if Instant::now() >= end => break,
                Pending::Parts => {
                    let complete = |known: &mut Known| (known.pending(mark) != Pending::Parts).then_some(());
                    if let Ok(moved) = timeout_at(end, self.moved(complete)).await {
                        moved?;
                    }
                    was_quiet = false;
                }
            }
        }
        let is_restless = !was_quiet;
        if let Some(tab) = self.known().tab_mut() {
            tab.restless = is_restless;
        }
        Ok(())
    }

    /// Whether the document was still before the time was over.
    async fn quiet(&self, end: Instant) -> Result<bool, Trouble> {
        let Some(page) = self.known().current.clone() else { return Ok(true) };
        let cap = end.saturating_duration_since(Instant::now()).max(self.options.quiet);
        let times = json!([{ "ms": millis(self.options.quiet), "cap": millis(cap) }]);
        // A script that never ends holds the page side up too, so it is not trusted with the time.
        match timeout(cap + self.options.quiet, self.ask::<Quiet>(&page, "quiet", times)).await {
            Ok(Ok(Quiet { quiet })) => Ok(quiet),
            // Another document comes, and that is waited for next; or it is a script that never ends.
            Ok(Err(Trouble::Moved)) | Err(_) => Ok(false),
            Ok(Err(trouble)) => Err(trouble),
        }
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
