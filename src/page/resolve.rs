//! Finds the element of a page that is wanted: named in words, seen by an earlier look, or used by earlier runs.
//!
//! # Decisions
//!
//! - An element of an earlier look is still the same if its reference has its identity; its position among equal elements may
//!   have changed. Otherwise it has moved to the only element with its role, its name and its label in the same frames. If
//!   there are several of these, none is certain, and an element without a name of any kind cannot be told from any other.
//! - What earlier runs recorded is used only if the page itself has no answer.

mod words;

use std::sync::OnceLock;

use super::{
    ElementRef, Identities, KnownElement, Locator, LocatorStep, Node, NodeId, PageView, Recorded,
    TargetIdentity, Tree,
    identity::{attributes, capped},
};
pub(crate) use words::Suits;

/// Least distance of the best element of a page from the second best in likeness to a recorded one. If they are nearer, none of
/// them is certain.
const MARGIN: f64 = 0.2;

/// The page on which an element is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Searched<'p> {
    pub(crate) tree: &'p Tree,
    pub(crate) view: &'p PageView,
    /// Computed when they are first needed.
    pub(crate) identities: &'p OnceLock<Identities>,
}

impl Searched<'_> {
    fn element(&self, id: NodeId) -> TargetIdentity {
        let identities = self.identities.get_or_init(|| Identities::of(self.tree));
        identities.element(self.tree, id)
    }
}

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'w> {
    /// The element that a person would mean by a locator, for an action that some kinds of elements suit.
    Words(&'w Locator, Suits),
    /// An element of an earlier look, with its reference then. Without a reference, as after the page was loaded again, it is
    /// never [`Resolved::Same`].
    Seen(Option<&'w ElementRef>, &'w TargetIdentity),
    /// An element on which an earlier run acted.
    Recorded(&'w Recorded),
}

/// What a page has for what is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// The element that is wanted.
    Same(NodeId),
    /// The element that has replaced it.
    Moved(NodeId),
    /// The element that earlier runs knew by other words or another name.
    Known(NodeId),
    /// No element has exactly these words. This one has them among other words, and does not react to clicks.
    PartOf(NodeId),
    /// Several elements, equally well, in document order.
    Ambiguous(Vec<NodeId>),
    /// Nothing on this page.
    Gone,
}

impl Resolved {
    /// Returns the element, if there is exactly one.
    pub(crate) const fn one(&self) -> Option<NodeId> {
        match self {
            Self::Same(id) | Self::Moved(id) | Self::Known(id) => Some(*id),
            Self::PartOf(_) | Self::Ambiguous(_) | Self::Gone => None,
        }
    }
}

/// Finds what is wanted on a page. `known` are the elements that earlier runs used on its host.
pub(crate) fn resolve(page: Searched<'_>, wanted: Wanted<'_>, known: &[KnownElement]) -> Resolved {
    let found = match wanted {
        Wanted::Words(locator, suits) => words::meant(locator, page.tree, page.view, suits),
        Wanted::Seen(reference, identity) => again(page, reference, identity),
        Wanted::Recorded(element) => recorded(page, element),
    };
    let by_memory = match (wanted, &found) {
        (Wanted::Words(locator, _), Resolved::Gone) => once_called(page, locator, known),
        (Wanted::Seen(_, identity), Resolved::Gone | Resolved::Ambiguous(_)) => {
            let mut known = known.iter();
            let own = known.find(|element| element.is_it(identity));
            own.filter(|_| identity.frames.is_empty())
                .and_then(|own| by_marks(page, own))
        }
        _ => None,
    };
    by_memory.map_or(found, Resolved::Known)
}

/// Returns a locator with the role and the name of an element; `None` if the locator would also find other elements, if the
/// name is empty, or if the element is in a frame.
pub(crate) fn by_role_and_name(page: Searched<'_>, id: NodeId) -> Option<Locator> {
    let node = &page.tree[id];
    if node.name.is_empty() || !page.element(id).frames.is_empty() {
        return None;
    }
    let by_role = LocatorStep::Role {
        role: node.role.clone(),
        name: Some(node.name.to_string()),
        exact: true,
    };
    let locator = Locator::new(vec![by_role]).ok()?;
    let found = resolve(page, Wanted::Words(&locator, Suits::All), &[]);
    (found == Resolved::Same(id)).then_some(locator)
}

fn again(page: Searched<'_>, reference: Option<&ElementRef>, wanted: &TargetIdentity) -> Resolved {
    let in_place = reference.and_then(|reference| page.tree.by_ref(reference.as_str()));
    if let Some(id) = in_place {
        let here = TargetIdentity {
            ordinal: wanted.ordinal,
            ..page.element(id)
        };
        if here.is_same_element(wanted) {
            return Resolved::Same(id);
        }
    }
    let is_candidate = |(_, node): &(NodeId, &Node)| {
        node.reference.is_some() && node.role == wanted.role && wanted.name == capped(&node.name)
    };
    let candidates = page.tree.iter().filter(is_candidate).map(|(id, _)| id);
    let alike: Vec<NodeId> = candidates
        .filter(|id| {
            let here = page.element(*id);
            here.label == wanted.label && here.frames == wanted.frames
        })
        .collect();
    // The name of an editor without a label is made of its content, such as the numbers of its lines.
    let is_editor = |id: &NodeId| {
        page.tree[*id].role == wanted.role && page.tree[*id].property("editable").is_some()
    };
    match alike[..] {
        [] => in_place
            .filter(is_editor)
            .map_or(Resolved::Gone, Resolved::Same),
        [one] if !page.element(one).best_name().is_empty() => Resolved::Moved(one),
        _ => Resolved::Ambiguous(alike),
    }
}

/// Returns the elements of a page that are like a recorded one, with their likeness, the best first. Those in its landmark are
/// taken before all others, and those with exactly its name before those whose name has other numbers.
fn likely(page: Searched<'_>, wanted: &Recorded) -> Vec<(f64, NodeId)> {
    let near = page.tree.iter().filter(|(_, node)| wanted.may_be(node));
    let near: Vec<(NodeId, TargetIdentity)> = near.map(|(id, _)| (id, page.element(id))).collect();
    let is_there = |(_, here): &&(NodeId, TargetIdentity)| here.landmark == wanted.landmark;
    let like = |loosely: bool, there: bool| {
        let near = near.iter().filter(|one| !there || is_there(one));
        let mut like: Vec<(f64, NodeId)> = near
            .map(|(id, here)| (wanted.likeness(here, loosely), *id))
            .filter(|(likeness, _)| *likeness > 0.0)
            .collect();
        like.sort_by(|one, other| other.0.total_cmp(&one.0));
        like
    };
    let ways = [(false, true), (false, false), (true, true), (true, false)];
    let mut found = ways.iter().map(|(loosely, there)| like(*loosely, *there));
    found.find(|like| !like.is_empty()).unwrap_or_default()
}

/// Returns all elements of a page that are as much like a recorded one as the best of them, in document order.
pub(crate) fn alike(page: Searched<'_>, wanted: &Recorded) -> Vec<NodeId> {
    let likely = likely(page, wanted);
    let best = likely.first().map_or(0.0, |(likeness, _)| *likeness);
    let near = likely
        .iter()
        .filter(|(likeness, _)| best - likeness < MARGIN);
    let mut alike: Vec<NodeId> = near.map(|(_, id)| *id).collect();
    alike.sort_unstable();
    alike
}

fn recorded(page: Searched<'_>, wanted: &Recorded) -> Resolved {
    let found = alike(page, wanted);
    match found[..] {
        [] => Resolved::Gone,
        [one] => {
            let here = page.element(one);
            let name = if here.name.is_empty() {
                here.label.unwrap_or_default()
            } else {
                here.name
            };
            if name == wanted.name {
                Resolved::Same(one)
            } else {
                Resolved::Known(one)
            }
        }
        _ => Resolved::Ambiguous(found),
    }
}

/// Returns the only element of the page whose name in earlier runs consisted of the words of a locator of one step.
fn once_called(page: Searched<'_>, locator: &Locator, known: &[KnownElement]) -> Option<NodeId> {
    let (role, words) = words::role_and_words(locator)?;
    if !locator.find(page.tree)?.is_empty() {
        return None;
    }
    let called = known
        .iter()
        .filter(|element| element.was_called(role, words));
    let mut found: Vec<NodeId> = called
        .filter_map(|element| by_marks(page, element))
        .collect();
    found.sort_unstable();
    found.dedup();
    match found[..] {
        [one] => Some(one),
        _ => None,
    }
}

/// Finds an element that earlier runs used, by its role and its attributes.
///
/// The attributes are tried in turn, until one is found on any element with the role. If only one element has this attribute,
/// it is the wanted one. Elements in frames are left out, because a frame may belong to another site.
fn by_marks(page: Searched<'_>, known: &KnownElement) -> Option<NodeId> {
    let marked = |mark: &(String, String)| -> Vec<NodeId> {
        let alike = page.tree.iter();
        let alike =
            alike.filter(|(_, node)| node.role == known.role && attributes(node).contains(mark));
        let of_page = alike.filter(|(id, _)| page.element(*id).frames.is_empty());
        of_page.map(|(id, _)| id).collect()
    };
    let found = known
        .marks
        .iter()
        .map(marked)
        .find(|found| !found.is_empty())?;
    match found[..] {
        [one] if page.tree[one].reference.is_some() => Some(one),
        _ => None,
    }
}
