//! The page as the loop holds it: what was seen, and what it means.

use std::sync::{Arc, OnceLock};

use crate::{
    base::{Host, Site},
    page::{
        Identities, NodeId, Observation, PageHead, PageTemplate, PageView, TargetIdentity, Tree,
        ViewOptions, interpret,
    },
};

/// The note that the model reads of a page that gives no answer.
const UNRESPONSIVE: &str = "the page gives no answer, so nothing of it can be seen or used: its script does not end. \
                            go_back, goto, tab_select, tab_new and tab_close lead away from it, and reload may help";

/// The page as the loop holds it.
#[derive(Debug, Clone)]
pub(super) struct PageNow {
    pub(super) head: PageHead,
    pub(super) observation: Arc<Observation>,
    pub(super) view: Arc<PageView>,
    /// Made when it is first asked what an element is: one walk over the page, however many are asked for.
    identities: Arc<OnceLock<Identities>>,
}

impl PageNow {
    /// Interprets an observation.
    pub(super) fn of(observation: Observation) -> Self {
        let head = PageHead::new(observation.url.clone(), observation.title.clone());
        let mut view = interpret(&head, &observation.tree, &ViewOptions::default());
        if observation.unresponsive {
            view.notes.push(UNRESPONSIVE.to_owned());
        }
        Self {
            head,
            observation: Arc::new(observation),
            view: Arc::new(view),
            identities: Arc::default(),
        }
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.observation.tree
    }

    fn identities(&self) -> &Identities {
        self.identities
            .get_or_init(|| Identities::of(&self.observation.tree))
    }

    /// Returns the identity of an element with its place among siblings: for what is aimed at, not for every element of a page.
    pub(super) fn identity(&self, id: NodeId) -> TargetIdentity {
        self.identities().identity(self.tree(), id)
    }

    /// The same without the place among siblings.
    pub(super) fn element(&self, id: NodeId) -> TargetIdentity {
        self.identities().element(self.tree(), id)
    }

    /// The elements that are the wanted one.
    pub(super) fn find<'a>(
        &'a self,
        wanted: &'a TargetIdentity,
    ) -> impl Iterator<Item = NodeId> + 'a {
        self.identities().find(self.tree(), wanted)
    }

    pub(super) fn host(&self) -> Option<Host> {
        Host::of(&url::Url::parse(&self.head.url).ok()?).ok()
    }

    pub(super) fn template(&self) -> Option<PageTemplate> {
        PageTemplate::parse(&self.head.url).ok()
    }

    pub(super) fn site(&self) -> Option<Site> {
        Site::of(&url::Url::parse(&self.head.url).ok()?).ok()
    }
}
