//! Hides the message of a dialog if it may come from a frame that is out of the run's scope. The browser does not say
//! which frame opened a dialog.

use super::{Executor, look::shows_closed_frame};
use crate::{
    action::{ErrorClass, Outcome},
    browser::Execution,
    page::Dialog,
    verify::HIDDEN,
};

impl Executor {
    /// Hides the message of a dialog if it [may come](Self::may_be_foreign) from a frame that is out of the run's
    /// scope.
    pub(super) fn hide_foreign_words(&self, dialog: &mut Dialog, url: &str) {
        if self.may_be_foreign(&dialog.message, url) {
            HIDDEN.clone_into(&mut dialog.message);
        }
    }

    /// Hides the message of the dialog that an action opened, and a failure that repeats the message of a dialog, if
    /// the message may come from a frame that is out of the run's scope.
    pub(super) fn hide_foreign_words_of(&self, execution: &mut Execution) {
        let here = self.state.page.url().to_owned();
        let url = execution.page.as_ref().map_or(here, |(url, _)| url.clone());
        if let Outcome::Failed(failure) = &mut execution.outcome
            && failure.class == ErrorClass::DialogOpen
            && self.may_be_foreign(&failure.detail, &url)
        {
            failure.detail.clear();
        }
        if let Some(dialog) = &mut execution.dialog {
            self.hide_foreign_words(dialog, &url);
        }
    }

    /// Returns true if the message may come from a frame that is out of the run's scope. On the page of the last
    /// observation, this is judged from that observation, so a frame that was added later is not considered. On another
    /// page, or after another dialog, every message may be foreign if the run has limited scope.
    fn may_be_foreign(&self, message: &str, url: &str) -> bool {
        let Some(page) = self.state.page.now().filter(|page| page.head.url == url) else {
            return self.state.guards.is_bounded();
        };
        match &page.observation.dialog {
            None => shows_closed_frame(page),
            // If the message is unchanged, this dialog was already observed, and the earlier decision holds.
            Some(shown) => {
                shown.message != message
                    && (shown.message == HIDDEN || self.state.guards.is_bounded())
            }
        }
    }
}
