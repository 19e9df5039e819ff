//! The identity of an element: its role, its name and other data. Memory keeps it instead of a reference, which is valid for
//! one page load only.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{
    Locator, Node, NodeId, Role, Tree,
    hash::without_numbers,
    label::{field_label, is_field},
    outline::{Outline, closed, is_item, text_within},
};
use crate::base::text;

/// The position of an element among similar siblings, such as the third of 24.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Collection {
    /// The position, counted from 0.
    pub index: u32,
    /// Number of similar siblings, including the one at `index`; at least 2.
    pub size: u32,
}

/// A visible property that stands in for the name of an element without one. The page wrote this text, so it is untrusted. It
/// has at most [`TargetIdentity::MAX_TEXT`] characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Appearance {
    /// The look of the element, as in `circle #0000ff 20x20 centre 45,70`.
    Look(String),
    /// The words next to the element.
    Beside(String),
}

/// The properties by which an element can be recognised on another load of the same kind of page.
///
/// The page wrote all texts in it, so they are untrusted. Each text that is read from a page is cut to
/// [`TargetIdentity::MAX_TEXT`] characters, except the texts in the locator.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TargetIdentity {
    /// The role of the element.
    pub role: Role,
    /// The accessible name of the element; empty if the element has none.
    #[serde(default)]
    pub name: String,
    /// The label beside a field, or the text in any other element; `None` if the element has a name or there is no such
    /// text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The position of the element among the elements of the page with the same role, name and frame, counted from 0.
    #[serde(default)]
    pub ordinal: u32,
    /// Names of the elements around this element, nearest first, at most 3. Elements without a name are skipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<String>,
    /// The role of the landmark around the element. A landmark is a region of a page, such as the navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
    /// The position of the element, or of an element around it, among similar siblings; `None` if it has none. An element
    /// with a position was probably picked from a list, such as search results, unless it belongs to a navigation menu.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// Attributes that usually stay the same on later page loads, such as `placeholder` and `testid`. Each is a pair of name
    /// and value; the pairs are sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<(String, String)>,
    /// Names of the frames around the element, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// A locator that can find the element on a later load of the page; `None` if the driver gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locator: Option<Locator>,
    /// The visible sign of an element that has no name of any kind. It tells a reader which element it was, and plays no part
    /// in recognising it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
}

impl TargetIdentity {
    /// Returns the best name of the element: the accessible name, else the [`label`](Self::label), else a name that the
    /// page's authors gave in an attribute. Empty if there is none.
    pub fn best_name(&self) -> &str {
        let label = self.label.as_deref();
        let saying = SPOKEN.iter().chain(&TELLING);
        let attributes = saying.map(|name| self.attribute(name));
        std::iter::once(Some(&*self.name))
            .chain([label])
            .chain(attributes)
            .flatten()
            .find(|said| !said.is_empty())
            .unwrap_or_default()
    }

    /// Returns the value of the attribute with this name in [`attributes`](Self::attributes).
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// Maximum length of each text in an identity. Longer texts are cut. Unit: characters. Source: chosen.
    pub const MAX_TEXT: usize = 60;

    /// Returns a text as an identity keeps it: on one line, cut to [`MAX_TEXT`](Self::MAX_TEXT) characters.
    pub(crate) fn cap(page_text: &str) -> String {
        capped(page_text)
    }

    /// Returns true if both identities mean the same element of the same page. Locators and positions among siblings are not
    /// compared, because positions change when siblings are added or removed.
    pub fn is_same_element(&self, other: &Self) -> bool {
        let Self {
            role,
            name,
            label,
            ordinal,
            ancestors,
            landmark,
            collection: _,
            attributes,
            frames,
            locator: _,
            appearance: _,
        } = self;
        *ordinal == other.ordinal
            && *role == other.role
            && *name == other.name
            && *label == other.label
            && *ancestors == other.ancestors
            && *landmark == other.landmark
            && *attributes == other.attributes
            && *frames == other.frames
    }

    /// Creates an identity with only a role and a name.
    pub fn new(role: Role, name: impl Into<String>) -> Self {
        Self {
            role,
            name: name.into(),
            label: None,
            ordinal: 0,
            ancestors: Vec::new(),
            landmark: None,
            collection: None,
            attributes: Vec::new(),
            frames: Vec::new(),
            locator: None,
            appearance: None,
        }
    }

    /// Returns the identity of a node of the tree, without a locator, which the driver adds.
    ///
    /// Costs one walk over the tree.
    pub fn of(tree: &Tree, id: NodeId) -> Self {
        Identities::of(tree).identity(tree, id)
    }
}

/// Computes the identities of elements of one tree, after a single walk over it. Create one value for all identities that
/// are needed. Its methods must get the tree from which it was made.
#[derive(Debug)]
pub(crate) struct Identities {
    outline: Outline,
    /// For each node, its position among the nodes with the same role, name and frame.
    ordinals: Vec<u32>,
}

impl Identities {
    pub(crate) fn of(tree: &Tree) -> Self {
        let outline = Outline::of(tree);
        let mut twins: HashMap<(&Role, &str, Option<NodeId>), u32> = HashMap::new();
        let ordinals = tree
            .iter()
            .map(|(id, node)| {
                let key = (&node.role, &*node.name, outline.place(id).frame);
                let next = twins.entry(key).or_default();
                let ordinal = *next;
                *next = next.saturating_add(1);
                ordinal
            })
            .collect();
        Self { outline, ordinals }
    }

    /// Returns the whole identity of an element. A call may cost a walk over the tree.
    pub(crate) fn identity(&self, tree: &Tree, id: NodeId) -> TargetIdentity {
        TargetIdentity {
            collection: collection(tree, &self.outline, id),
            ..self.element(tree, id)
        }
    }

    /// Returns the identity of an element without its position among similar siblings. Looks at a limited number of nodes.
    pub(crate) fn element(&self, tree: &Tree, id: NodeId) -> TargetIdentity {
        let node = &tree[id];
        let place = self.outline.place(id);
        let frames = std::iter::successors(place.frame, |at| self.outline.place(*at).frame);
        let mut frames: Vec<String> = frames
            .take(MAX_FRAMES)
            .map(|frame| capped(&tree[frame].name))
            .collect();
        frames.reverse();
        TargetIdentity {
            label: label(tree, &self.outline, id),
            ordinal: self.ordinals[id.index()],
            ancestors: groups(tree, &self.outline, id),
            landmark: place.landmark.map(|landmark| tree[landmark].role.clone()),
            attributes: attributes(node),
            frames,
            ..TargetIdentity::new(closed(&node.role), capped(&node.name))
        }
    }
}

/// Maximum number of names around the element in an identity. Source: chosen.
const MAX_ANCESTORS: usize = 3;
/// Maximum number of frames around the element in an identity. Source: chosen; a payment form is inside two frames.
const MAX_FRAMES: usize = 4;
/// Maximum number of levels that are searched for similar siblings, from the element up. Source: chosen; a button in a card,
/// with wrappers around both, is six levels deep.
const MAX_COLLECTION_LEVELS: usize = 12;
/// Maximum number of nodes that are examined in one sibling. Source: chosen; no row or card has as many.
const MAX_SIBLING_NODES: usize = 128;
/// Properties of an element that stay the same on later page loads. Source: of the properties that drivers report, those
/// for forms, tests and images.
const STABLE_PROPERTIES: [&str; 8] = [
    "alt",
    "autocomplete",
    "icon",
    "inputmode",
    "name",
    "placeholder",
    "testid",
    "type",
];

/// Attributes that say what an element is, in words for people. The clearest comes first.
const SPOKEN: [&str; 3] = ["icon", "placeholder", "alt"];
/// Attributes that say what a field is for, in words that programs read and people do not. The clearest comes first.
pub(crate) const TELLING: [&str; 4] = ["name", "testid", "autocomplete", "inputmode"];
/// Endings of icon names that only describe the look of the icon, which a click may change.
const LOOKS: [&str; 6] = ["-o", "-fill", "-filled", "-outline", "-outlined", "-solid"];

pub(super) fn capped(page_text: &str) -> String {
    text::truncate(&text::squeeze(page_text), TargetIdentity::MAX_TEXT)
}

/// Returns the names of the nearest nodes around a node, nearest first, at most [`MAX_ANCESTORS`].
pub(super) fn groups(tree: &Tree, outline: &Outline, id: NodeId) -> Vec<String> {
    let named = |id: NodeId| outline.place(id).named;
    let ancestors = std::iter::successors(named(id), |at| named(*at));
    // The name of a cell is what it contains, such as the value of the field in it.
    let names = ancestors
        .filter(|at| !matches!(tree[*at].role, Role::Cell | Role::GridCell))
        .take(MAX_ANCESTORS);
    names.map(|at| capped(&tree[at].name)).collect()
}

/// Returns a name that the page's authors gave an element in an attribute; empty if there is none.
pub(super) fn authors_name(node: &super::Node) -> &str {
    let names = SPOKEN.iter().chain(&TELLING);
    let names = names.filter_map(|name| node.property(name));
    names
        .map(str::trim)
        .find(|name| !name.is_empty())
        .unwrap_or_default()
}

pub(super) fn label(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    let node = &tree[id];
    if !node.name.is_empty() {
        return None;
    }
    let found = if is_field(&node.role) {
        field_label(tree, outline, id).map(|label| capped(&label))
    } else {
        Some(text_within(tree, id, TargetIdentity::MAX_TEXT))
    };
    found.filter(|label| !label.is_empty())
}

pub(super) fn attributes(node: &super::Node) -> Vec<(String, String)> {
    let stable = |name: &&str| {
        node.property(name).map(|value| {
            let value = if *name == "icon" { icon(value) } else { value };
            ((*name).to_owned(), capped(value))
        })
    };
    STABLE_PROPERTIES
        .iter()
        .filter_map(stable)
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// Returns the name of an icon without an ending for its look: `star` for `star-o` and for `star-fill`. Of several
/// words without capital letters, which are classes, only the first is used.
pub(super) fn icon(hint: &str) -> &str {
    let is_class = !hint.contains(char::is_uppercase);
    let word = hint.split(' ').next().filter(|_| is_class).unwrap_or(hint);
    let bare = LOOKS.iter().find_map(|look| word.strip_suffix(look));
    bare.filter(|word| !word.is_empty()).unwrap_or(word)
}

/// Returns the position of a node among its similar siblings. If it has none, returns that of the nearest node around it
/// that has similar siblings.
fn collection(tree: &Tree, outline: &Outline, id: NodeId) -> Option<Collection> {
    let target = Likeness::of(tree, outline, id);
    for at in std::iter::once(id)
        .chain(tree.ancestors(id))
        .take(MAX_COLLECTION_LEVELS)
    {
        let role = &tree[at].role;
        if ends_search(role) {
            return None;
        }
        if is_container(role) {
            continue;
        }
        let own_roles = (!is_item(role)).then(|| roles_in(tree, at));
        let is_similar = |sibling: NodeId| {
            own_roles
                .as_ref()
                .is_none_or(|own| similar(own, &roles_in(tree, sibling)))
        };
        let is_like = |sibling: &NodeId| {
            *sibling == at
                || (tree[*sibling].role == *role
                    && target.is_in(*sibling, at)
                    && is_similar(*sibling))
        };
        let alike: Vec<NodeId> = match tree.parent(at) {
            Some(parent) => tree.children(parent).filter(is_like).collect(),
            None => tree.roots().filter(is_like).collect(),
        };
        if alike.len() > 1 {
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let index = alike.iter().position(|sibling| *sibling == at).unwrap_or(0);
            return Some(Collection {
                index: count(index),
                size: count(alike.len()),
            });
        }
    }
    None
}

/// Returns true if the search for a collection stops at a node with this role, because it is a part of the page's layout.
fn ends_search(role: &Role) -> bool {
    (role.is_landmark() && !matches!(role, Role::Region | Role::Form))
        || role.is_dialog()
        || *role == Role::Iframe
}

/// Returns true if elements of this role contain a collection and are no members of one.
const fn is_container(role: &Role) -> bool {
    matches!(
        role,
        Role::List | Role::Table | Role::RowGroup | Role::Grid | Role::ListBox | Role::RadioGroup
    )
}

/// An element, with the properties by which its counterparts in other rows or cards are recognised. For example, each
/// row has a delete button, and these buttons are counterparts.
struct Likeness<'t> {
    tree: &'t Tree,
    outline: &'t Outline,
    id: NodeId,
    /// The name or label, without numbers, that a counterpart of the element must have: a field `User` is no counterpart of
    /// a field `Password`. `None` for elements such as links, whose counterparts may have any name.
    said: Option<String>,
}

impl<'t> Likeness<'t> {
    fn of(tree: &'t Tree, outline: &'t Outline, id: NodeId) -> Self {
        Self {
            tree,
            outline,
            id,
            said: said(tree, outline, id),
        }
    }

    /// Returns true if `sibling` is or contains a counterpart of the element. The node `own` beside it is or contains
    /// the element. If `own` is the element itself, `sibling` must itself be the counterpart.
    fn is_in(&self, sibling: NodeId, own: NodeId) -> bool {
        let tree = self.tree;
        let mut nodes = std::iter::once(sibling)
            .chain(tree.descendants(sibling))
            .take(MAX_SIBLING_NODES);
        let is_counterpart = |at: NodeId| {
            tree[at].role == tree[self.id].role
                && (self.said.is_none() || said(tree, self.outline, at) == self.said)
        };
        if own == self.id {
            is_counterpart(sibling) && leads_alike(&tree[self.id], &tree[sibling])
        } else {
            nodes.any(is_counterpart)
        }
    }
}

/// Returns true if two links lead to pages that differ in the last part of their path at most. `Go to checkout` beside
/// `Continue shopping` is no item of a list.
fn leads_alike(one: &Node, other: &Node) -> bool {
    let parts = |node: &Node| -> Option<Vec<String>> {
        let path = node.url.as_deref()?.split(['?', '#']).next()?;
        let mut parts: Vec<String> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        if let Some(last) = parts.last_mut() {
            last.clear();
        }
        Some(parts)
    };
    one.role != Role::Link || parts(one) == parts(other)
}

fn said(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    let node = &tree[id];
    if !(node.role.is_editable() || matches!(node.role, Role::Button | Role::Switch | Role::Slider))
    {
        return None;
    }
    let text = if node.name.is_empty() {
        label(tree, outline, id).unwrap_or_default()
    } else {
        capped(&node.name)
    };
    let mut out = String::new();
    without_numbers(&text, |c| out.push(c));
    Some(out)
}

fn roles_in(tree: &Tree, id: NodeId) -> Vec<&Role> {
    let mut roles: Vec<&Role> = tree
        .descendants(id)
        .take(MAX_SIBLING_NODES)
        .map(|at| &tree[at].role)
        .collect();
    roles.sort_unstable();
    roles.dedup();
    roles
}

/// Returns true if at least half of the roles that occur in either list occur in both. No list contains a role twice.
fn similar(a: &[&Role], b: &[&Role]) -> bool {
    let common = a.iter().filter(|role| b.contains(role)).count();
    common * 2 >= a.len() + b.len() - common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Node, counted};

    #[test]
    fn an_icon_is_told_by_what_its_makers_called_it_and_stays_itself_when_it_is_clicked() {
        let with = |icon: &str, name: &str| {
            let mut node = Node::new(Role::Generic, "");
            node.properties = vec![
                ("testid".into(), "row-icon".into()),
                ("icon".into(), icon.into()),
                ("name".into(), name.into()),
            ];
            let mut page = Tree::builder();
            page.leaf(node);
            let tree = page.finish();
            let (id, _) = tree.iter().next().unwrap();
            TargetIdentity::of(&tree, id)
        };
        let star = with("star", "x");
        assert_eq!(star.best_name(), "star");
        assert!(star.is_same_element(&with("star clicked", "x")));
        assert!(star.is_same_element(&with("star-fill", "x")));
        assert!(!star.is_same_element(&with("trash", "x")));
        let long = "word".repeat(100);
        let field = with("", &long);
        assert_eq!(field.best_name().chars().count(), TargetIdentity::MAX_TEXT);
        let title = with("Forward the mail", "");
        assert_eq!(title.best_name(), "Forward the mail");
        assert_eq!(title.attribute("testid"), Some("row-icon"));
    }

    #[test]
    fn an_element_is_told_by_a_bounded_number_of_nodes_however_large_and_deep_its_page_is() {
        let cost = |n: usize| {
            let mut page = Tree::builder();
            for _ in 0..n {
                page.leaf(Node::new(Role::Button, "Add"));
                page.open(Node::new(Role::Generic, ""));
            }
            page.leaf(Node::new(Role::Button, "Add"));
            let tree = page.finish();
            let identities = Identities::of(&tree);
            let last = tree.iter().next_back().unwrap().0;
            counted::take();
            let element = identities.element(&tree, last);
            let cost = counted::take();
            assert_eq!(element.ordinal as usize, n);
            assert!(element.is_same_element(&TargetIdentity::of(&tree, last)));
            cost
        };
        assert_eq!(cost(10), cost(10_000));
    }
}
