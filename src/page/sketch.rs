//! Sketches. A sketch contains the names of a page's elements. This is enough to check whether the page has an element that
//! was used on an earlier visit.

use std::collections::HashMap;

use super::{
    NodeId, Role, TargetIdentity, Tree,
    identity::{attributes, capped, groups, label},
    outline::{Outline, closed},
};

/// Returns the elements of the wanted roles. Each has its role, its name, and the names of the groups around it. A nameless
/// element also has its label, its attributes, and its position among the nameless elements of its role. Elements in frames
/// are left out, because a frame may belong to another site.
///
/// Walks over the tree once. [`TargetIdentity::of`] would need a walk for each element.
pub(crate) fn sketch(tree: &Tree, wanted: impl Fn(&Role) -> bool) -> Vec<TargetIdentity> {
    let found = sketch_nodes(tree, wanted).into_iter();
    found.map(|(_, identity)| identity).collect()
}

pub(crate) fn sketch_nodes(
    tree: &Tree,
    wanted: impl Fn(&Role) -> bool,
) -> Vec<(NodeId, TargetIdentity)> {
    let outline = Outline::of(tree);
    let mut nameless: HashMap<&Role, u32> = HashMap::new();
    let mut found = Vec::new();
    for (id, node) in tree.iter() {
        let role = closed(&node.role);
        if !wanted(&role) || outline.place(id).frame.is_some() {
            continue;
        }
        let mut identity = TargetIdentity::new(role, capped(&node.name));
        identity.ancestors = groups(tree, &outline, id);
        if node.name.is_empty() {
            let next = nameless.entry(&node.role).or_default();
            identity.ordinal = *next;
            *next += 1;
            identity.label = label(tree, &outline, id);
            identity.attributes = attributes(node);
        }
        found.push((id, identity));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Node;

    #[test]
    fn an_element_is_called_as_its_identity_calls_it() {
        let mut b = Tree::builder();
        b.leaf(Node::new(Role::Button, "Go"));
        b.leaf(Node::text("Street"));
        b.leaf(Node::new(Role::TextBox, ""));
        b.leaf(Node::new(Role::TextBox, "City"));
        b.leaf(Node::new(Role::TextBox, ""));
        let mut icon = Node::new(Role::Button, "");
        icon.properties = vec![("icon".into(), "trash".into())];
        b.leaf(icon);
        b.open(Node::new(Role::Iframe, "ad"));
        b.leaf(Node::new(Role::Button, "Buy"));
        b.close();
        let tree = b.finish();
        let found = sketch(&tree, |role| matches!(role, Role::Button | Role::TextBox));
        let whole: Vec<TargetIdentity> = tree
            .iter()
            .filter(|(_, node)| matches!(node.role, Role::Button | Role::TextBox))
            .map(|(id, _): (NodeId, _)| TargetIdentity::of(&tree, id))
            .filter(|identity| identity.frames.is_empty())
            .collect();
        let called = |identity: &TargetIdentity| {
            (
                identity.role.clone(),
                identity.name.clone(),
                identity.label.clone(),
                identity.ordinal,
                identity.attributes.clone(),
                identity.ancestors.clone(),
            )
        };
        assert_eq!(found.len(), 5);
        assert_eq!(
            found.iter().map(called).collect::<Vec<_>>(),
            whole.iter().map(called).collect::<Vec<_>>()
        );
    }
}
