//! The context of an element: the text of its row or card. It distinguishes the element from others with the same role and
//! label.

use std::collections::HashMap;

use super::{
    Element, NodeId, Role, Tree,
    label::is_wrapper,
    outline::{Outline, is_item, text_within},
};
/// Maximum length of the context of an element. Longer contexts are cut. Unit: characters. Source: chosen; a product name
/// fits.
const MAX_CONTEXT: usize = 60;
/// Maximum number of levels above an element that are searched for its row or card. Source: chosen.
const MAX_CONTEXT_LEVELS: usize = 5;
/// Maximum number of nodes of a wrapper that are searched for a second element with the same role and name. Source: chosen;
/// a card never has as many nodes.
const MAX_CARD_NODES: usize = 48;
/// Maximum number of nodes before an element that are searched for its context. Source: chosen.
const MAX_CONTEXT_NEIGHBOURS: usize = 3;

/// Adds the context to each element that has no label, or shares its role and label with another element.
pub(super) fn add_contexts(tree: &Tree, outline: &Outline, elements: &mut [Element]) {
    let mut times: HashMap<(&Role, &str), u32> = HashMap::new();
    for e in elements.iter().filter(|e| !e.label.is_empty()) {
        *times.entry((&e.role, &e.label)).or_default() += 1;
    }
    let contexts: Vec<Option<String>> = elements
        .iter()
        .map(|e| {
            let is_unclear = times
                .get(&(&e.role, &*e.label))
                .is_none_or(|times| *times > 1);
            is_unclear.then(|| context(tree, outline, e)).flatten()
        })
        .collect();
    for (element, context) in elements.iter_mut().zip(contexts) {
        element.context = context;
    }
}

/// Returns the start of the text of the element's row or card, or else the nearest text before the element. Returns `None`
/// if there is no text near the element.
///
/// - The card is the largest wrapper without a second element of the same role and name.
/// - If the element has no name, the card is the nearest wrapper with any text.
fn context(tree: &Tree, outline: &Outline, element: &Element) -> Option<String> {
    let fine = |found: String| {
        (found.chars().any(char::is_alphanumeric) && found != element.label).then_some(found)
    };
    let name = &tree[element.id].name;
    // Empty names are not compared byte by byte: that is slow, because the pointer of an empty box dangles.
    let same_name =
        |other: &str| other.len() == name.len() && (name.is_empty() || *other == **name);
    let is_like =
        |at: &NodeId| tree[*at].role == tree[element.id].role && same_name(&tree[*at].name);
    let mut card = None;
    let mut at = element.id;
    for _ in 0..MAX_CONTEXT_LEVELS {
        let Some(parent) = tree.parent(at) else { break };
        let role = &tree[parent].role;
        if is_item(role) {
            return fine(text_within(tree, parent, MAX_CONTEXT)).or(card);
        }
        let is_flat = tree
            .descendants(parent)
            .take(MAX_CARD_NODES)
            .filter(is_like)
            .nth(1)
            .is_some();
        if is_flat || !(is_wrapper(role) || *role == Role::Form) {
            break;
        }
        card = fine(text_within(tree, parent, MAX_CONTEXT)).or(card);
        if card.is_some() && name.is_empty() {
            break;
        }
        at = parent;
    }
    card.or_else(|| {
        std::iter::successors(outline.place(at).previous, |p| outline.place(*p).previous)
            .take(MAX_CONTEXT_NEIGHBOURS)
            .take_while(|p| !is_like(p))
            .find_map(|p| fine(text_within(tree, p, MAX_CONTEXT)))
    })
}
