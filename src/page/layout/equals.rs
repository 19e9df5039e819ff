//! The places of elements without words among equal siblings, such as the stars of a rating. Nothing else tells them apart.

use std::collections::HashMap;

use super::super::{
    Node, NodeId, Role, Tree,
    label::is_field,
    outline::{holds_actionable, is_actionable},
};

/// Maximum number of equal siblings that are counted. A rating has ten. The place in a larger group, such as a
/// board, says less than the look of the element, which has its position.
const MAX_EQUAL: usize = 20;
/// Maximum number of wrappers around a single element that are passed on the way to its siblings: an item of a list with one
/// wrapper in it.
const MAX_WRAPPERS: usize = 3;
/// Maximum number of nodes in an element without words. An icon has a few.
const MAX_INSIDE: usize = 8;

/// Returns the place of each element without words that has equal siblings, such as `1 of 5`.
pub(super) fn places(tree: &Tree) -> HashMap<NodeId, String> {
    let mut groups: HashMap<_, Vec<NodeId>> = HashMap::new();
    for (id, node) in tree
        .iter()
        .filter(|(id, node)| is_wordless(tree, *id, node))
    {
        let icon = node.property("icon").unwrap_or_default();
        let key = (around(tree, id), &node.role, &*node.name, &node.value, icon);
        groups.entry(key).or_default().push(id);
    }
    let equal = |group: &Vec<NodeId>| (2..=MAX_EQUAL).contains(&group.len());
    let mut places = HashMap::new();
    for group in groups.into_values().filter(equal) {
        let all = group.len();
        let place = |(id, at)| (id, format!("{at} of {all}"));
        places.extend(group.into_iter().zip(1..).map(place));
    }
    places
}

/// Returns true for an element that can be clicked and has no letters or digits.
fn is_wordless(tree: &Tree, id: NodeId, node: &Node) -> bool {
    let says = |text: &str| text.contains(char::is_alphanumeric);
    let speaks = |node: &Node| says(&node.name) || node.value.as_deref().is_some_and(says);
    let inside = || tree.descendants(id).take(MAX_INSIDE + 1);
    (is_actionable(node) || node.states.listens)
        && node.reference.is_some()
        && node.role != Role::Text
        // The label of a field is beside it.
        && !(is_field(&node.role) && node.name.is_empty())
        && !node.role.is_editable()
        && !speaks(node)
        && inside().count() <= MAX_INSIDE
        && !inside().any(|at| speaks(&tree[at]) || holds_actionable(tree, at))
}

/// Returns the nearest node around an element that contains more than the element.
fn around(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let is_alone = |at: &NodeId| tree.children(*at).nth(1).is_none();
    let mut around = tree.ancestors(id);
    around.by_ref().take(MAX_WRAPPERS).find(|at| !is_alone(at))
}
