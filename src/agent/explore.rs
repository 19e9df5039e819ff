//! The exploration of a site in a guarded browser.

use super::{Executor, GuardedBrowser, Task};
use crate::{
    action::{BrowserAction, Goto, NoArguments, Outcome},
    base::{Error, ErrorKind, Result},
    explore::{Frontier, Limits},
    verify::PageNow,
    working::{MapPage, SiteMap, StopReason},
};

/// Opens the pages of a site, breadth first, and returns a map of the site. No model is asked. `opened` is called with
/// each page that is added to the map.
///
/// Each page is opened by its address, in a run of its own, which has the same guards and emits the same events as any
/// other run. A dialog is dismissed. A page that cannot be opened is counted and skipped. If the exploration is
/// cancelled, the map made so far is returned.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] if the address is not a web address. [`ErrorKind::Unavailable`] if the start page cannot
/// be opened, if the browser is lost, or if another run uses the browser. The error's detail `why` gives the reason.
pub async fn explore<B>(
    browser: &GuardedBrowser<B>,
    start: &str,
    limits: Limits,
    mut opened: impl FnMut(&MapPage),
) -> Result<SiteMap> {
    let mut frontier = Frontier::new(start, limits)?;
    while let Some(visit) = frontier.next() {
        // Many addresses may lead to the same page, and the guards would stop a run that opens it again and again as
        // stuck. So each address is opened in a run of its own.
        let task = Task::new("Explore the site")?.with_start_url(start)?;
        let mut executor = browser.start(task).await;
        let shown = shown(&mut executor, visit.url.as_str()).await;
        executor.ended(if matches!(shown, Ok(Ok(_))) {
            StopReason::Finished
        } else {
            StopReason::GaveUp
        });
        let page = match shown {
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
            Err(stop) => Err(stop.to_string()),
        };
        let page = match page {
            Ok(page) => page,
            Err(why) if visit.depth == 0 => {
                return Err(Error::new(ErrorKind::Unavailable, "explore.start")
                    .with("url", &visit.url)
                    .with("why", why));
            }
            Err(_) => {
                frontier.failed();
                continue;
            }
        };
        let before = frontier.pages().len();
        frontier.record_page(&visit, &page.view, &page.observation);
        frontier.pages()[before..].iter().for_each(&mut opened);
    }
    Ok(frontier.finish())
}

/// Opens an address and returns the page. The inner error says why the page was not opened. The outer error says why
/// the run is over.
async fn shown(
    executor: &mut Executor,
    address: &str,
) -> std::result::Result<std::result::Result<PageNow, String>, StopReason> {
    let goto = BrowserAction::Goto(Goto {
        url: address.to_owned(),
    });
    let outcome = executor.carry_out(goto).await?.outcome.clone();
    let has_dialog = |page: &PageNow| page.observation.dialog.is_some();
    if executor.state.page.now().is_some_and(has_dialog) {
        executor
            .carry_out(BrowserAction::DialogDismiss(NoArguments {}))
            .await?;
    }
    Ok(match (outcome, executor.state.page.now().cloned()) {
        (Outcome::Done, Some(page)) if page.observation.unresponsive => {
            Err("the page does not answer".to_owned())
        }
        (Outcome::Done, Some(page)) if has_dialog(&page) => {
            Err("a dialog blocks the page".to_owned())
        }
        (Outcome::Done, Some(page)) => Ok(page),
        (Outcome::Failed(failure), _) => Err(failure.detail),
        (outcome, _) => Err(outcome.as_str().replace('_', " ")),
    })
}
