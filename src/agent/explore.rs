//! The exploration of a site in a guarded browser.

use super::{GuardedBrowser, Task};
use crate::{
    BrowserDriver,
    action::{BrowserAction, Goto},
    base::{Error, ErrorKind, Result},
    explore::{Frontier, Limits, SiteMap},
    working::{MapPage, StopReason},
};

/// Opens the pages of a site breadth first and returns its map. No model is asked.
///
/// Each page is opened by its address, with the guards of a run: a page out of scope is left, and each opening is in the
/// events. `opened` is called with each page. A page that cannot be opened is counted and passed over.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if the address is not a web address. [`ErrorKind::Unavailable`] with the reason as `why` if
/// the browser is lost, if it is used by another run, if the run is cancelled or if a budget ends.
pub async fn explore<B: BrowserDriver>(
    browser: &GuardedBrowser<B>,
    start: &str,
    limits: Limits,
    mut opened: impl FnMut(&MapPage),
) -> Result<SiteMap> {
    let mut frontier = Frontier::new(start, limits)?;
    let mut executor = browser.start(Task::new("Explore the site")?.with_start_url(start)?);
    while let Some(visit) = frontier.next() {
        let goto = BrowserAction::Goto(Goto {
            url: visit.url.to_string(),
        });
        let is_shown = match executor.carry_out(goto).await {
            Ok(step) => step.outcome.is_done(),
            // What is known by then is of no use to the caller: the map would say that the rest does not exist.
            Err(stop) => return Err(ended(stop)),
        };
        match executor.state.page.as_ref().filter(|_| is_shown) {
            Some(page) if !page.observation.unresponsive => {
                let before = frontier.pages().len();
                frontier.saw(&visit, &page.view, &page.observation);
                frontier.pages()[before..].iter().for_each(&mut opened);
            }
            _ => frontier.failed(),
        }
    }
    Ok(frontier.finish())
}

fn ended(stop: StopReason) -> Error {
    Error::new(ErrorKind::Unavailable, "explore").with("why", stop.as_str())
}
