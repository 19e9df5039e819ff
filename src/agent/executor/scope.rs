//! Leads the browser back if an action or the page itself left the run's scope.

use super::Executor;
use crate::{
    action::{Action, BrowserAction, DialogAccept, Effect, ErrorClass, Goto, NoArguments, Outcome},
    base::ErrorKind,
    guard::ScopeRefusal,
    page::DialogKind,
    verify::PageNow,
    working::StopReason,
};

/// Maximum number of actions to leave a page that is out of scope: three to answer dialogs and one to go back. Source:
/// chosen.
const MAX_LEAVING: usize = 4;
impl Executor {
    /// Leads the browser back if the page that it shows now (`after`) is out of scope. Returns the outcome of the
    /// blocked action; `None` if the page is in scope.
    pub(in crate::agent) async fn back_in_scope(
        &mut self,
        action: Option<&BrowserAction>,
        before: Option<&PageNow>,
        after: &mut PageNow,
    ) -> Result<Option<Outcome>, StopReason> {
        let Err(refusal) = self
            .state
            .guards
            .check_page(action, before, &after.head.url)
        else {
            return Ok(None);
        };
        let back = before
            .map(|page| page.head.url.clone())
            .filter(|url| self.state.guards.check_url(url).is_ok())
            .or_else(|| self.task.start_url.as_ref().map(ToString::to_string));
        let leave = match back {
            Some(url) => BrowserAction::Goto(Goto { url }),
            None => BrowserAction::GoBack(NoArguments {}),
        };
        self.state.left_scope = true;
        let deadline = self.deadline();
        for _ in 0..MAX_LEAVING {
            // A dialog keeps the browser on the page. The page's own question "Leave this page?" is such a dialog too.
            let way = match after.observation.dialog.as_ref().map(|dialog| dialog.kind) {
                Some(DialogKind::BeforeUnload) => {
                    BrowserAction::DialogAccept(DialogAccept { text: None })
                }
                Some(DialogKind::FileChooser) | None => leave.clone(),
                Some(_) => BrowserAction::DialogDismiss(NoArguments {}),
            };
            // The page must be left even if this action cannot be recorded.
            self.intend(&Action::Browser(way.clone()), &[], Effect::Reversible)
                .await?;
            match self.send(way.clone(), None, deadline).await {
                Err(error) if error.kind() == ErrorKind::BrowserLost => {
                    return Err(self.lost(error));
                }
                // Observe the page, because the driver's reply does not prove that the page was left.
                _ => *after = self.look(deadline).await?,
            }
            if self
                .state
                .guards
                .check_page(action, before, &after.head.url)
                .is_ok()
            {
                return Ok(Some(Outcome::failed(
                    ErrorClass::Blocked,
                    refusal.sentence(),
                )));
            }
            if way == leave && after.observation.dialog.is_none() {
                break;
            }
        }
        Err(self.out_of_scope(&refusal))
    }

    /// Records the error and returns the stop reason for a browser that cannot be led back into the run's scope.
    pub(super) fn out_of_scope(&mut self, refusal: &ScopeRefusal) -> StopReason {
        let site = refusal
            .site()
            .map(|site| format!(": {site}"))
            .unwrap_or_default();
        self.state.error = Some(format!(
            "{}{}",
            refusal.sentence(),
            self.redactor.text(&site)
        ));
        match refusal {
            ScopeRefusal::Blank => StopReason::BrowserLost,
            _ => StopReason::OutOfScope,
        }
    }
}
