//! The place of each node of a page: its neighbours, and the dialog, landmark, frame and area of the page that contain it.
//!
//! All places are found in one pass, in which each node inherits from its parent. A walk up from every node would take
//! quadratic time on a deeply nested page.

use super::{Node, NodeId, Role, Tree};

/// Maximum number of nodes that are searched for the text of one element. Source: chosen; without a limit, nested wrappers
/// would take quadratic time.
const MAX_TEXT_NODES: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Area {
    Dialog,
    Main,
    /// The area of everything that is in none of the other areas.
    #[default]
    Plain,
    /// A banner, menu, footer or side column.
    Side,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) previous: Option<NodeId>,
    pub(super) next: Option<NodeId>,
    /// The dialog that contains the node. If the node is a dialog, this is the node itself. `None` if the node is in no
    /// dialog.
    pub(super) dialog: Option<NodeId>,
    pub(super) landmark: Option<NodeId>,
    pub(super) frame: Option<NodeId>,
    /// The nearest node around this one that has a name and is not a frame.
    pub(super) named: Option<NodeId>,
    pub(super) area: Area,
}

#[derive(Debug)]
pub(super) struct Outline {
    places: Vec<Place>,
    has_main: bool,
}

impl Outline {
    pub(super) fn of(tree: &Tree) -> Self {
        let mut places: Vec<Place> = Vec::with_capacity(tree.len());
        let mut last_child: Vec<Option<NodeId>> = vec![None; tree.len()];
        let mut last_root = None;
        let mut has_main = false;
        for (id, node) in tree.iter() {
            let mut place = Place::default();
            let last = match tree.parent(id) {
                Some(parent) => {
                    let above = places[parent.index()];
                    let role = &tree[parent].role;
                    place.dialog = above.dialog;
                    place.area = above.area;
                    place.landmark = if role.is_landmark() {
                        Some(parent)
                    } else {
                        above.landmark
                    };
                    let is_frame = *role == Role::Iframe;
                    place.frame = if is_frame { Some(parent) } else { above.frame };
                    place.named = if is_frame || tree[parent].name.is_empty() {
                        above.named
                    } else {
                        Some(parent)
                    };
                    &mut last_child[parent.index()]
                }
                None => &mut last_root,
            };
            place.previous = last.replace(id);
            if let Some(previous) = place.previous {
                places[previous.index()].next = Some(id);
            }
            if node.role.is_dialog() {
                place.dialog = Some(id);
                place.area = Area::Dialog;
            } else if place.area != Area::Dialog {
                place.area = match node.role {
                    Role::Main => Area::Main,
                    ref role if role.is_aside() => Area::Side,
                    _ => place.area,
                };
            }
            has_main |= place.area == Area::Main;
            places.push(place);
        }
        Self { places, has_main }
    }

    pub(super) fn place(&self, id: NodeId) -> &Place {
        &self.places[id.index()]
    }

    /// Returns true if the node belongs to the main content. On a page with a main landmark, this is what is inside the
    /// landmark; on any other page, it is the whole page. Banners, menus, footers, side columns and dialogs do not
    /// belong to it in either case.
    pub(super) fn is_content(&self, id: NodeId) -> bool {
        match self.place(id).area {
            Area::Main => true,
            Area::Plain => !self.has_main,
            Area::Dialog | Area::Side => false,
        }
    }
}

/// Returns true if a person could act on the node. One of these conditions must hold:
///
/// - Its role is interactive.
/// - It has a reference and is editable.
/// - It has a reference and the pointer style (the hand cursor), and is not a run of text.
pub(super) fn is_actionable(node: &Node) -> bool {
    node.role.is_interactive()
        || (node.is_editable() && node.reference.is_some())
        || (node.states.pointer && node.reference.is_some() && node.role != Role::Text)
}

pub(super) const fn is_checkable(role: &Role) -> bool {
    matches!(
        role,
        Role::Checkbox | Role::Radio | Role::Switch | Role::MenuItemCheckbox | Role::MenuItemRadio
    )
}

/// Returns the role, or `generic` for a role outside the known set, because the page wrote the name of such a role.
pub(super) fn closed(role: &Role) -> Role {
    if matches!(role, Role::Other(_)) {
        Role::Generic
    } else {
        role.clone()
    }
}

/// Returns true if an element of this role is one of several similar items, such as a list item or a row.
pub(super) const fn is_item(role: &Role) -> bool {
    matches!(
        role,
        Role::ListItem
            | Role::Row
            | Role::Article
            | Role::Option
            | Role::TreeItem
            | Role::MenuItem
            | Role::Tab
    )
}

/// Returns the first words of a node and its descendants: at most `max` characters, from at most [`MAX_TEXT_NODES`]
/// nodes. If one of them has a name and is neither a landmark nor a field, its name replaces all text in it. Fields are
/// left out, with their names and values.
pub(super) fn text_within(tree: &Tree, id: NodeId, max: usize) -> String {
    let mut out = String::new();
    let mut covered_to: Option<NodeId> = None;
    let nodes = std::iter::once(id)
        .chain(tree.descendants(id))
        .take(MAX_TEXT_NODES);
    for at in nodes {
        if covered_to.is_some_and(|last| at <= last) {
            continue;
        }
        let node = &tree[at];
        let named = !node.name.is_empty() && !node.role.is_landmark() && !node.role.is_editable();
        let text = if named {
            &*node.name
        } else {
            node.value.as_deref().unwrap_or_default()
        };
        if named || node.role.is_editable() {
            covered_to = tree.descendants(at).next_back();
        }
        if !node.role.is_editable() {
            push_words(&mut out, text, max);
        }
        if out.len() >= max * 4 {
            break;
        }
    }
    crate::base::text::truncate(&out, max)
}

/// Returns true if a node or one of the nodes in it can be acted on. Looks at the first [`MAX_TEXT_NODES`] nodes only.
pub(super) fn holds_actionable(tree: &Tree, id: NodeId) -> bool {
    std::iter::once(id)
        .chain(tree.descendants(id))
        .take(MAX_TEXT_NODES)
        .any(|at| is_actionable(&tree[at]))
}

/// Appends the words of `text` to `out`, separated by single spaces. Stops once `out` has more than `4 * max` bytes,
/// because it then has at least `max` characters.
pub(super) fn push_words(out: &mut String, text: &str, max: usize) {
    for word in text.split_whitespace() {
        if out.len() > max * 4 {
            return;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}
