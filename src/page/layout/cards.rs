//! Boxes that a page repeats and that have no role of their own, such as the cards of a shop or the results of a search.

use super::super::{Element, Node, NodeId, Role, Tree, outline::is_checkable};

/// Maximum number of visible items in one card. Source: chosen; a column of a page contains more.
const MAX_CARD: u32 = 30;

pub(super) struct Contents {
    /// For each node, the number of visible items in it. A visible item is a run of text, an element, or a named
    /// picture. An element with an interactive role counts once, whatever it contains. Any other element that contains
    /// several items counts as these items.
    pub(super) atoms: Vec<u32>,
    /// For each node, the kinds of the visible items in it. Each kind is one bit.
    kinds: Vec<u16>,
}

impl Contents {
    pub(super) fn of(tree: &Tree, element_of: &[Option<u32>], elements: &[Element]) -> Self {
        let mut atoms = vec![0_u32; tree.len()];
        let mut kinds = vec![0_u16; tree.len()];
        for (id, node) in tree.iter().rev() {
            let at = id.index();
            let is_element = element_of[at].is_some_and(|e| elements[e as usize].id == id);
            if is_element && (node.role.is_interactive() || atoms[at] <= 1) {
                (atoms[at], kinds[at]) = (1, kind(node));
            } else if says_something(tree, id) {
                atoms[at] += 1;
                kinds[at] |= kind(node);
            }
            if let Some(parent) = tree.parent(id) {
                atoms[parent.index()] = atoms[parent.index()].saturating_add(atoms[at]);
                kinds[parent.index()] |= kinds[at];
            }
        }
        Self { atoms, kinds }
    }

    /// Returns, for each node, true if it is one of several similar boxes that follow each other.
    pub(super) fn cards(&self, tree: &Tree) -> Vec<bool> {
        let mut cards = vec![false; tree.len()];
        let mut last_child: Vec<Option<NodeId>> = vec![None; tree.len()];
        let mut last_root = None;
        for (id, node) in tree.iter() {
            let last = match tree.parent(id) {
                Some(parent) => &mut last_child[parent.index()],
                None => &mut last_root,
            };
            let before = last.replace(id);
            if let Some(before) = before.filter(|before| self.are_alike(tree, *before, id, node)) {
                cards[before.index()] = true;
                cards[id.index()] = true;
            }
        }
        cards
    }

    fn are_alike(&self, tree: &Tree, before: NodeId, id: NodeId, node: &Node) -> bool {
        let is_box = |at: NodeId| {
            tree[at].role == Role::Generic && (2..=MAX_CARD).contains(&self.atoms[at.index()])
        };
        let (one, other) = (self.atoms[before.index()], self.atoms[id.index()]);
        node.role == Role::Generic
            && is_box(before)
            && is_box(id)
            && self.kinds[before.index()] == self.kinds[id.index()]
            && one.max(other) <= 2 * one.min(other) + 1
    }
}

/// Returns true if the node itself, not only its descendants, shows words or a named picture.
fn says_something(tree: &Tree, id: NodeId) -> bool {
    let node = &tree[id];
    let has_value = node.value.as_deref().is_some_and(|v| !v.trim().is_empty());
    let shows_its_name = || {
        // A node without content, such as a cell, shows its name.
        matches!(node.role, Role::Img | Role::Heading) || tree.descendants(id).next().is_none()
    };
    has_value || (!node.name.is_empty() && shows_its_name())
}

fn kind(node: &Node) -> u16 {
    let bit = match &node.role {
        role if role.is_editable() => 0,
        role if is_checkable(role) => 1,
        Role::Link => 2,
        Role::Button => 3,
        // Similar cards may differ in whether they have a picture.
        Role::Img => return 0,
        Role::Heading => 4,
        role if role.is_interactive() => 5,
        _ => 6,
    };
    1 << bit
}
