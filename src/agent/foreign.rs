//! Whose words a dialog holds: a frame that the run may not show can open one, and the browser says nothing of that.

use super::{Run, decide::is_closed_frame};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{ErrorClass, Outcome},
    browser::Execution,
    page::Dialog,
    verify::HIDDEN,
};

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Hides the message of a dialog over a page that has frames out of scope, and in a bounded run over one that was not
    /// seen yet. A frame that came after the last look can still speak.
    pub(super) fn hide_foreign_words(&self, dialog: &mut Dialog, url: &str) {
        if self.may_be_foreign(&dialog.message, url) {
            HIDDEN.clone_into(&mut dialog.message);
        }
    }

    /// The same for what an action tells.
    pub(super) fn hide_foreign_words_of(&self, execution: &mut Execution) {
        let here = self
            .page
            .as_ref()
            .map(|page| page.head.url.clone())
            .unwrap_or_default();
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

    /// Whether nobody can tell that the page itself says this.
    fn may_be_foreign(&self, message: &str, url: &str) -> bool {
        let Some(page) = self.page.as_ref().filter(|page| page.head.url == url) else {
            return self.guards.is_bounded();
        };
        match &page.observation.dialog {
            None => page.observation.tree.nodes().iter().any(is_closed_frame),
            // The same dialog again: what was decided of it holds.
            Some(shown) => {
                shown.message != message && (shown.message == HIDDEN || self.guards.is_bounded())
            }
        }
    }
}
