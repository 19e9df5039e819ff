//! The current page as the decision loop keeps it: an observation of the page, and what was computed from the
//! observation.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::{
    base::words::{self, LOADS},
    page::{
        ElementRef, Identities, KnownElement, Layout, Node, NodeId, Observation, PageHead,
        PageType, PageView, Resolved, Role, Searched, TargetIdentity, Tree, ViewOptions, Wanted,
        interpret, resolve,
    },
    verify::error_page,
    working::Place,
};

const UNRESPONSIVE: &str = "the page gives no answer, so nothing of it can be seen or used: its script does not end. \
                            go_back, goto, tab_select, tab_new and tab_close lead away from it, and reload may help";

/// Maximum number of words with which a page says only that it loads. Source: chosen.
const MAX_LOADING: usize = 5;

const LEAVE: &str = "Nothing on it is a word of the site or evidence. goto and go_back lead away from it, and reload tries again";

/// An observation of a page, with its interpretation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Looked", into = "Looked")]
pub(crate) struct PageNow {
    /// The number of this observation among the observations of its run.
    pub(crate) look: u64,
    pub(crate) head: PageHead,
    pub(crate) place: Place,
    pub(crate) observation: Arc<Observation>,
    pub(crate) view: Arc<PageView>,
    /// The identities of all elements, computed when the first of them is needed.
    identities: Arc<OnceLock<Identities>>,
    /// The page as lines, computed when it is first shown or searched.
    layout: Arc<OnceLock<Layout>>,
}

/// The serialized form of a page: the observation and its number. Everything else can be computed from them.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Looked {
    look: u64,
    observation: Arc<Observation>,
}

impl From<PageNow> for Looked {
    fn from(page: PageNow) -> Self {
        let (look, observation) = (page.look, page.observation);
        Self { look, observation }
    }
}

impl From<Looked> for PageNow {
    fn from(looked: Looked) -> Self {
        let page = Self::of(Arc::unwrap_or_clone(looked.observation));
        Self {
            look: looked.look,
            ..page
        }
    }
}

impl PartialEq for PageNow {
    fn eq(&self, other: &Self) -> bool {
        self.look == other.look && self.observation == other.observation
    }
}

impl PageNow {
    /// Returns true if the page answers but shows nothing to act on and no text, or only that it loads, as before its scripts have
    /// drawn it.
    pub(crate) fn is_bare(&self) -> bool {
        let seen = &self.observation;
        let says_that_it_loads = || {
            let said = self.tree().roots().map(|root| self.tree().text_of(root));
            let said = words::words(&said.collect::<Vec<_>>().join(" "));
            said.len() <= MAX_LOADING && LOADS.begin(&said) > 0
        };
        let is_idle = self.view.elements.is_empty();
        (self.view.page_type == PageType::Blank || is_idle && says_that_it_loads())
            && self.place.host().is_some()
            && seen.dialog.is_none()
            && !seen.unresponsive
    }

    /// Returns true if the page has a picture, a drawing or a frame.
    pub(crate) fn is_pictured(&self) -> bool {
        let is_picture = |node: &Node| {
            matches!(node.role, Role::Img | Role::Iframe) || node.property("look").is_some()
        };
        self.tree().nodes().iter().any(is_picture)
    }

    pub(crate) fn of(observation: Observation) -> Self {
        let head = PageHead::new(observation.url.clone(), observation.title.clone());
        let mut view = interpret(&head, &observation.tree, &ViewOptions::default());
        if observation.unresponsive {
            view.notes.push(UNRESPONSIVE.to_owned());
        }
        view.notes
            .extend(error_page::told(&observation).map(|told| format!("{told}. {LEAVE}")));
        Self {
            look: 0,
            place: Place::of(head.url.clone()),
            head,
            observation: Arc::new(observation),
            view: Arc::new(view),
            identities: Arc::default(),
            layout: Arc::default(),
        }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.observation.tree
    }

    pub(crate) fn layout(&self) -> &Layout {
        self.layout
            .get_or_init(|| Layout::of(self.tree(), &self.view.elements))
    }

    fn identities(&self) -> &Identities {
        self.identities
            .get_or_init(|| Identities::of(&self.observation.tree))
    }

    /// Returns the whole identity of an element, with its position among its siblings. This may cost a walk over the
    /// page, so call it only for the targets of actions.
    pub(crate) fn identity(&self, id: NodeId) -> TargetIdentity {
        self.identities().identity(self.tree(), id)
    }

    /// Returns the identity of an element without its position among its siblings.
    pub(crate) fn element(&self, id: NodeId) -> TargetIdentity {
        self.identities().element(self.tree(), id)
    }

    /// Finds an element on the page. `known` are the elements that earlier runs used on its host.
    pub(crate) fn resolve(&self, wanted: Wanted<'_>, known: &[KnownElement]) -> Resolved {
        resolve(self.searched(), wanted, known)
    }

    /// Returns the reference that an element of an earlier look has on this page; `None` if the element is gone or not
    /// certain. `reference` is its earlier one; without it, the element is only known by its identity.
    pub(crate) fn again(
        &self,
        reference: Option<&ElementRef>,
        identity: &TargetIdentity,
    ) -> Option<ElementRef> {
        let id = self.resolve(Wanted::Seen(reference, identity), &[]).one()?;
        self.tree()[id].reference.clone()
    }

    pub(crate) fn searched(&self) -> Searched<'_> {
        Searched {
            tree: self.tree(),
            view: &self.view,
            identities: &self.identities,
        }
    }
}
