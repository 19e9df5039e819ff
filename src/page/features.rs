//! Counts of the parts of a page, on which the page type and the summary are based.

use super::{
    NodeId, Role, Tree,
    outline::{Area, Outline, is_actionable, is_checkable, is_item},
};
use crate::base::text::tokens_wide;

use super::lexicon::is_price;

/// Minimum number of similar siblings in a collection. Source: chosen; two may be chance.
const MIN_COLLECTION: usize = 3;
/// Minimum length of a text that counts as prose. Unit: letters; an ideograph counts as two. Source: chosen; the text of a
/// long button has 30 letters.
const MIN_PROSE: usize = 80;
/// Maximum number of headings that are kept. Source: chosen.
const MAX_HEADINGS: usize = 8;

/// The kinds of nodes in a subtree, such as links, fields and prices, with one bit for each kind.
type Kinds = u16;
const LINK: Kinds = 1;
const FIELD: Kinds = 1 << 1;
const CHECK: Kinds = 1 << 2;
const BUTTON: Kinds = 1 << 3;
const HEADING: Kinds = 1 << 4;
const PRICE: Kinds = 1 << 5;
const POINTER: Kinds = 1 << 6;
/// The kinds of nodes by which siblings are compared. Two siblings, other than items of a list or table, are similar
/// only if each of these kinds occurs in both or in neither. Other kinds, such as a price, make no difference.
const SHAPE: Kinds = LINK | FIELD | CHECK | BUTTON | HEADING;

/// Counts of the parts of a page. Unless a field says otherwise, a count covers only the main content
/// ([`Outline::is_content`]). `fields`, `checks`, `buttons`, `links`, `images`, `prices` and `articles` leave out
/// everything that is in a collection (a group of similar siblings).
#[derive(Debug, Default)]
pub(super) struct Features {
    /// True if there is anything to read or act on, anywhere on the page.
    pub(super) has_anything: bool,
    /// The open dialogs that are not empty and not inside another dialog.
    pub(super) dialogs: Vec<NodeId>,
    /// The headings, at most [`MAX_HEADINGS`], those of the highest level first.
    pub(super) headings: Vec<NodeId>,
    /// Number of letters in all text. An ideograph counts as two.
    pub(super) letters: usize,
    pub(super) link_letters: usize,
    /// Number of letters in texts of at least [`MIN_PROSE`] letters, without texts in links.
    pub(super) prose: usize,
    pub(super) fields: Vec<NodeId>,
    /// Number of checkboxes and similar controls.
    pub(super) checks: usize,
    pub(super) buttons: usize,
    pub(super) links: usize,
    /// Number of elements that can be acted on, inside and outside collections.
    pub(super) actionable: usize,
    pub(super) images: usize,
    pub(super) prices: usize,
    /// Number of members of the largest collection.
    pub(super) items: usize,
    /// Number of collection members that have both a price and a field.
    pub(super) priced_fields: usize,
    pub(super) priced_items: usize,
    /// The search fields of the whole page, except those in dialogs.
    pub(super) search_fields: Vec<NodeId>,
    pub(super) articles: usize,
}

impl Features {
    pub(super) fn of(tree: &Tree, outline: &Outline) -> Self {
        let kinds = kinds(tree);
        let mut out = Self::default();
        let in_item = out.collections(tree, outline, &kinds);
        let mut in_link = vec![false; tree.len()];
        let mut in_search = vec![false; tree.len()];
        let mut headings: Vec<(u8, NodeId)> = Vec::new();
        for (id, node) in tree.iter() {
            if let Some(parent) = tree.parent(id) {
                in_link[id.index()] = in_link[parent.index()] || tree[parent].role == Role::Link;
                in_search[id.index()] =
                    in_search[parent.index()] || tree[parent].role == Role::Search;
            }
            let place = outline.place(id);
            let text = if node.role.is_editable() {
                None
            } else {
                node.value.as_deref()
            };
            out.has_anything |= is_actionable(node)
                || text.is_some_and(|t| !t.trim().is_empty())
                || (!node.name.is_empty() && !node.role.is_landmark());
            if node.role.is_dialog()
                && tree
                    .parent(id)
                    .is_none_or(|p| outline.place(p).dialog.is_none())
            {
                let says = !node.name.is_empty()
                    || node.value.is_some()
                    || tree.descendants(id).next().is_some();
                out.dialogs.extend(says.then_some(id));
            }
            if place.area == Area::Dialog {
                continue;
            }
            if node.role.is_editable() && (node.role == Role::SearchBox || in_search[id.index()]) {
                out.search_fields.push(id);
            }
            if !outline.is_content(id) {
                continue;
            }
            let alone = !in_item[id.index()];
            // A leaf without a value shows its name.
            let shown = text.or_else(|| {
                let is_leaf = tree.descendants(id).next().is_none() && !node.role.is_editable();
                (is_leaf && node.role != Role::Img).then_some(&*node.name)
            });
            let letters = shown.map_or(0, letters);
            out.letters += letters;
            if in_link[id.index()] || node.role == Role::Link {
                out.link_letters += letters;
            } else if letters >= MIN_PROSE {
                out.prose += letters;
            }
            out.actionable += usize::from(is_actionable(node));
            if node.role == Role::Heading {
                headings.push((node.states.level.unwrap_or(u8::MAX), id));
            }
            if alone {
                match &node.role {
                    role if role.is_editable() => out.fields.push(id),
                    role if is_checkable(role) => out.checks += 1,
                    Role::Button => out.buttons += 1,
                    Role::Link => out.links += 1,
                    Role::Img => out.images += 1,
                    Role::Article => out.articles += 1,
                    _ => {}
                }
                out.prices += usize::from(shown.is_some_and(is_price));
            }
        }
        headings.sort_unstable();
        out.headings = headings
            .into_iter()
            .take(MAX_HEADINGS)
            .map(|(_, id)| id)
            .collect();
        out
    }

    /// Finds collections (groups of similar siblings). Returns, for each node, true if it is in a collection.
    fn collections(&mut self, tree: &Tree, outline: &Outline, kinds: &[Kinds]) -> Vec<bool> {
        let mut in_item = vec![false; tree.len()];
        let mut members: Vec<(&Role, Kinds, NodeId)> = Vec::new();
        let parents = std::iter::once(None).chain(tree.iter().map(|(id, _)| Some(id)));
        for parent in parents {
            let all = |id: &NodeId| outline.is_content(*id) && tree[*id].role != Role::Text;
            match parent {
                Some(parent) => members.extend(
                    tree.children(parent)
                        .filter(all)
                        .map(|id| member(tree, kinds, id)),
                ),
                None => members.extend(tree.roots().filter(all).map(|id| member(tree, kinds, id))),
            }
            if members.len() >= MIN_COLLECTION {
                members.sort_unstable();
                for group in members.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
                    if group.len() >= MIN_COLLECTION && is_collection(group, kinds) {
                        self.items = self.items.max(group.len());
                        for (_, _, id) in group {
                            let kinds = kinds[id.index()];
                            self.priced_items += usize::from(kinds & PRICE != 0);
                            self.priced_fields +=
                                usize::from(kinds & PRICE != 0 && kinds & FIELD != 0);
                            in_item[id.index()] = true;
                        }
                    }
                }
            }
            members.clear();
        }
        for (id, _) in tree.iter() {
            in_item[id.index()] |= tree
                .parent(id)
                .is_some_and(|parent| in_item[parent.index()]);
        }
        in_item
    }
}

/// Returns the role of a node, the kinds of nodes inside it, and its id. Siblings with the same role and the same kinds are
/// similar. For an item of a list or table, the kinds are 0, because all such items count as similar.
fn member<'t>(tree: &'t Tree, kinds: &[Kinds], id: NodeId) -> (&'t Role, Kinds, NodeId) {
    let role = &tree[id].role;
    (
        role,
        if is_item(role) {
            0
        } else {
            kinds[id.index()] & SHAPE
        },
        id,
    )
}

/// Returns true if these similar siblings are items to choose from, and not rows of a form or points of a text.
fn is_collection(group: &[(&Role, Kinds, NodeId)], kinds: &[Kinds]) -> bool {
    let most = |wanted: Kinds| {
        group
            .iter()
            .filter(|m| kinds[m.2.index()] & wanted != 0)
            .count()
            * 2
            > group.len()
    };
    let role = group[0].0;
    if role.is_editable()
        || is_checkable(role)
        || *role == Role::Button
        || role.is_landmark() && *role != Role::Region
    {
        return false;
    }
    let is_form_row = most(FIELD) && !most(LINK | PRICE);
    let is_table_row = *role == Role::Row;
    !is_form_row && (is_table_row || most(LINK | CHECK | BUTTON | POINTER | PRICE))
}

fn kinds(tree: &Tree) -> Vec<Kinds> {
    let mut kinds: Vec<Kinds> = vec![0; tree.len()];
    for (id, node) in tree.iter().rev() {
        let own = match &node.role {
            Role::Link => LINK,
            Role::Button => BUTTON,
            Role::Heading => HEADING,
            role if role.is_editable() => FIELD,
            role if is_checkable(role) => CHECK,
            _ => 0,
        };
        let shown = node.value.as_deref().unwrap_or(&node.name);
        let price = if !node.role.is_editable() && is_price(shown) {
            PRICE
        } else {
            0
        };
        let pointer = if node.states.pointer { POINTER } else { 0 };
        let all = kinds[id.index()] | own | price | pointer;
        kinds[id.index()] = all;
        if let Some(parent) = tree.parent(id) {
            kinds[parent.index()] |= all;
        }
    }
    kinds
}

/// Returns the number of letters and digits of a text. An ideograph or a syllable sign counts as two, because it
/// carries about as much meaning as two letters.
fn letters(text: &str) -> usize {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .map(|c| if tokens_wide(c) { 2 } else { 1 })
        .sum()
}
