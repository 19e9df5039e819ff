//! The exploration of a site in a guarded browser.

use super::{Executor, GuardedBrowser, Task};
use crate::{
    BrowserDriver,
    action::{BrowserAction, Goto, NoArguments},
    base::{Error, ErrorKind, Result},
    explore::{Frontier, Limits},
    verify::PageNow,
    working::{MapPage, SiteMap, StopReason},
};

/// Opens the pages of a site breadth first and returns its map. No model is asked.
///
/// Each page is opened by its address, in a run of its own with the guards of every run: a page out of scope is left, and
/// each opening is in the events. A dialog is dismissed. A page that cannot be opened is counted and passed over. If the
/// exploration is cancelled, the map so far is returned. `opened` is called with each page.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if the address is not a web address. [`ErrorKind::Unavailable`] with the reason as `why` if
/// the browser is lost or used by another run.
pub async fn explore<B: BrowserDriver>(
    browser: &GuardedBrowser<B>,
    start: &str,
    limits: Limits,
    mut opened: impl FnMut(&MapPage),
) -> Result<SiteMap> {
    let mut frontier = Frontier::new(start, limits)?;
    while let Some(visit) = frontier.next() {
        // Many pages without a change are no sign of being stuck here, so no run sees more than one.
        let task = Task::new("Explore the site")?.with_start_url(start)?;
        let mut executor = browser.start(task);
        let page = match shown(&mut executor, visit.url.as_str()).await {
            Ok(page) => page,
            Err(stop @ (StopReason::BrowserLost | StopReason::Busy)) => {
                return Err(
                    Error::new(ErrorKind::Unavailable, "explore").with("why", stop.as_str())
                );
            }
            Err(StopReason::Cancelled) => {
                frontier.failed();
                break;
            }
            Err(_) => None,
        };
        let Some(page) = page else {
            frontier.failed();
            continue;
        };
        let before = frontier.pages().len();
        frontier.saw(&visit, &page.view, &page.observation);
        frontier.pages()[before..].iter().for_each(&mut opened);
    }
    Ok(frontier.finish())
}

/// Opens an address and returns the page; `None` if it was not opened.
async fn shown<B: BrowserDriver>(
    executor: &mut Executor<'_, B>,
    address: &str,
) -> std::result::Result<Option<PageNow>, StopReason> {
    let goto = BrowserAction::Goto(Goto {
        url: address.to_owned(),
    });
    let is_open = executor.carry_out(goto).await?.outcome.is_done();
    let has_dialog = |page: &PageNow| page.observation.dialog.is_some();
    if executor.state.page.as_ref().is_some_and(has_dialog) {
        executor
            .carry_out(BrowserAction::DialogDismiss(NoArguments {}))
            .await?;
    }
    let page = executor.state.page.clone();
    Ok(page.filter(|page| {
        is_open && !page.observation.unresponsive && page.observation.dialog.is_none()
    }))
}
