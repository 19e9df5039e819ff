//! What a run knows about the page that its browser shows.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    page::ElementRef,
    verify::{KnownNumbers, PageNow},
};

/// The page as last observed, and what holds only as long as it is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::agent) struct PageState {
    now: Option<PageNow>,
    /// Number of observations so far in the run.
    looks: u64,
    /// Numbers on the page that are known to be clocks, or known to respond to actions.
    numbers: KnownNumbers,
    /// True if the page may have changed after the last observation.
    is_stale: bool,
    /// True if an action opened the page and no message has shown it to the model.
    #[serde(default)]
    is_unseen: bool,
    /// The number of the observation that the last message showed.
    #[serde(default)]
    shown: Option<u64>,
    /// Fields of the page into which a secret was typed.
    typed_into: BTreeSet<ElementRef>,
    /// References of the page that messages have shown.
    #[serde(default)]
    named: BTreeSet<ElementRef>,
}

impl PageState {
    /// Returns the page as last observed; `None` before the first observation.
    pub(in crate::agent) const fn now(&self) -> Option<&PageNow> {
        self.now.as_ref()
    }

    /// Returns the address of the page; empty before the first observation.
    pub(in crate::agent) fn url(&self) -> &str {
        self.now().map_or("", |page| &page.head.url)
    }

    pub(in crate::agent) const fn numbers(&self) -> &KnownNumbers {
        &self.numbers
    }

    pub(in crate::agent) const fn typed_into(&self) -> &BTreeSet<ElementRef> {
        &self.typed_into
    }

    pub(in crate::agent) const fn is_unseen(&self) -> bool {
        self.is_unseen
    }

    /// Returns true if the page must be observed before it is used.
    pub(in crate::agent) const fn is_stale(&self) -> bool {
        self.now.is_none() || self.is_stale
    }

    /// Records that the page may change from here on.
    pub(in crate::agent) const fn touch(&mut self) {
        self.is_stale = true;
    }

    /// Counts an observation, and returns its number.
    pub(in crate::agent) const fn count_look(&mut self) -> u64 {
        self.is_stale = false;
        self.looks += 1;
        self.looks
    }

    /// Keeps the references in a message. With `all`, a picture showed all those of the page.
    pub(in crate::agent) fn name(&mut self, message: &str, all: bool) {
        let Some(page) = &self.now else {
            return;
        };
        let words = message.split(|c: char| !c.is_ascii_alphanumeric());
        let told = words.filter_map(|word| ElementRef::parse(word).ok());
        let is_here = |reference: &ElementRef| page.tree().by_ref(reference.as_str()).is_some();
        self.named.extend(told.filter(is_here));
        let pictured = page.tree().nodes().iter().filter(|_| all);
        self.named
            .extend(pictured.filter_map(|node| node.reference.clone()));
    }

    /// Returns true if the element is on the page, and no message has shown its reference.
    pub(in crate::agent) fn is_guessed(&self, reference: &ElementRef) -> bool {
        let page = self.now.as_ref().map(PageNow::tree);
        let is_here = page.is_some_and(|tree| tree.by_ref(reference.as_str()).is_some());
        is_here && !self.named.contains(reference)
    }

    pub(in crate::agent) fn set(&mut self, page: PageNow) {
        self.now = Some(page);
    }

    pub(in crate::agent) fn set_numbers(&mut self, numbers: KnownNumbers) {
        self.numbers = numbers;
    }

    /// Forgets what holds only for the page before, because an action has opened another one.
    pub(in crate::agent) fn leave(&mut self) {
        self.is_unseen = true;
        self.typed_into.clear();
        self.named.clear();
    }

    /// Records that the page has another address since it was shown, although its elements live on. It may be about another record,
    /// so nothing irreversible is done on it before a message has shown it.
    pub(in crate::agent) const fn unsee(&mut self) {
        self.is_unseen = true;
    }

    /// Records that the model is shown the page.
    pub(in crate::agent) fn show(&mut self) {
        self.is_unseen = false;
        self.shown = self.now.as_ref().map(|page| page.look);
    }

    /// Returns true if the last message showed the page as it was last observed.
    pub(in crate::agent) fn is_shown(&self) -> bool {
        !self.is_stale
            && self
                .now
                .as_ref()
                .is_some_and(|page| self.shown == Some(page.look))
    }

    pub(in crate::agent) fn type_secret_into(&mut self, fields: impl Iterator<Item = ElementRef>) {
        self.typed_into.extend(fields);
    }

    /// Drops all that a process which resumes the run cannot use, because it observes the page anew.
    pub(in crate::agent) fn forget(&mut self) {
        self.now = None;
        self.numbers = KnownNumbers::default();
        self.typed_into.clear();
    }
}
