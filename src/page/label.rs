//! What to call an element: its name, else its text, else what stands beside it.

use super::{
    NodeId, Role, Tree,
    outline::{Outline, holds_actionable, is_checkable, push_words, text_within},
};
use crate::base::text;

/// Longest label shown. Unit: characters. Source: the requirement for clickable elements.
pub const MAX_LABEL: usize = 160;

/// Levels climbed to find the label of a field. Unit: levels. Source: chosen; a field in a cell in a wrapper needs two.
const MAX_LEVELS: usize = 3;
/// Neighbours looked at on each level. Unit: nodes. Source: chosen; a required-star and a gap may stand between.
const MAX_NEIGHBOURS: usize = 3;

/// The label of an element whose own text, without that of elements in it, is `own`.
pub(super) fn label_of(tree: &Tree, outline: &Outline, id: NodeId, own: &str) -> String {
    let node = &tree[id];
    if !node.name.is_empty() {
        return squeezed(&node.name);
    }
    let is_field = is_field(&node.role);
    if !own.is_empty() && !node.role.is_editable() {
        return text::truncate(own, MAX_LABEL);
    }
    if let Some(label) = is_field.then(|| beside(tree, outline, id)).flatten() {
        return label;
    }
    if let Some(placeholder) = node
        .property("placeholder")
        .filter(|p| !p.trim().is_empty())
    {
        return squeezed(placeholder);
    }
    node.url
        .as_deref()
        .and_then(file_name)
        .map(squeezed)
        .unwrap_or_default()
}

/// Whether it is something that has a label beside it rather than in it.
pub(super) const fn is_field(role: &Role) -> bool {
    role.is_editable() || is_checkable(role) || matches!(role, Role::Slider | Role::ListBox)
}

/// One line of at most [`MAX_LABEL`] characters.
pub(super) fn squeezed(raw: &str) -> String {
    let mut out = String::new();
    push_words(&mut out, raw, MAX_LABEL);
    text::truncate(&out, MAX_LABEL)
}

/// The text beside a field: before it, or after it for a box to tick. Looks past wrappers, never past another field.
pub(super) fn beside(tree: &Tree, outline: &Outline, id: NodeId) -> Option<String> {
    let mut at = id;
    for _ in 0..MAX_LEVELS {
        let place = outline.place(at);
        let after = is_checkable(&tree[id].role)
            .then(|| first_text(tree, place.next, |n| outline.place(n).next))
            .flatten();
        if let Some(found) = after {
            return Some(found);
        }
        if place.previous.is_some() {
            let before = first_text(tree, place.previous, |n| outline.place(n).previous);
            if before.is_some() || place.previous.is_some_and(|p| holds_actionable(tree, p)) {
                return before;
            }
        }
        at = tree
            .parent(at)
            .filter(|parent| is_wrapper(&tree[*parent].role))?;
    }
    None
}

fn first_text(
    tree: &Tree,
    from: Option<NodeId>,
    step: impl Fn(NodeId) -> Option<NodeId>,
) -> Option<String> {
    std::iter::successors(from, |at| step(*at))
        .take(MAX_NEIGHBOURS)
        .take_while(|at| !holds_actionable(tree, *at))
        .map(|at| text_within(tree, at, MAX_LABEL))
        .find(|found| found.chars().any(char::is_alphanumeric))
}

/// Whether the role only lays out what is in it.
pub(super) const fn is_wrapper(role: &Role) -> bool {
    matches!(
        role,
        Role::Generic
            | Role::Cell
            | Role::GridCell
            | Role::Paragraph
            | Role::Definition
            | Role::Group
            | Role::Strong
            | Role::None
            | Role::Presentation
    )
}

/// The last part of the path of a link, without its query.
fn file_name(url: &str) -> Option<&str> {
    let path = url.split(['?', '#']).next()?;
    let path = path.split_once("://").map_or(path, |(_, rest)| {
        rest.split_once('/').map_or("", |(_, path)| path)
    });
    path.rsplit('/')
        .find(|part| !part.is_empty())
        .filter(|part| !part.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_of_a_link_is_never_its_host_or_a_script() {
        assert_eq!(file_name("/img/cart.svg?x=1"), Some("cart.svg"));
        assert_eq!(file_name("https://a.example/help/#top"), Some("help"));
        assert_eq!(file_name("https://a.example/"), None);
        assert_eq!(file_name("javascript:void(0)"), None);
        assert_eq!(file_name("#"), None);
    }
}
