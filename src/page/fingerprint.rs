//! Fingerprints, which show whether two pages are of the same kind or in the same state.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{
    Role, Tree,
    fact::{facts, is_ticking, slots},
    hash::StableHash,
    label::is_wrapper,
};
use crate::base::{Error, ErrorKind, Result};

/// A 64-bit hash of a page's structure ([`Fingerprint::structure`]) or content ([`Fingerprint::state`]), written as 16
/// hexadecimal digits. It is the same in every process.
///
/// ```
/// use webwise::page::{Fingerprint, Node, Role, Tree};
///
/// let page = |left: &str| {
///     let mut b = Tree::builder();
///     b.leaf(Node::new(Role::TextBox, "User"));
///     b.leaf(Node::text(format!("Time left: {left}")));
///     b.finish()
/// };
/// assert_eq!(Fingerprint::structure(&page("9")), Fingerprint::structure(&page("10")));
/// assert_eq!(Fingerprint::state(&page("9")), Fingerprint::state(&page("10")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Returns the fingerprint of the kind of page. It covers the roles of the nodes, the levels of headings, the
    /// nesting, and the names of the fields. Numbers in these names are left out.
    ///
    /// Ignores references, texts, values, all other states, wrappers, and the number and order of nodes of one kind.
    /// Also ignores the content of each item of a list, table or menu, except fields. So the pages of two products of
    /// one shop have the same fingerprint. The fingerprint changes when an empty list gets its first item, but not when
    /// a list gets one more item of the same role.
    pub fn structure(tree: &Tree) -> Self {
        let mut kinds: Vec<Vec<u64>> = vec![Vec::new(); tree.len()];
        let mut top: Vec<u64> = Vec::new();
        let mut fields: Vec<u64> = Vec::new();
        for (id, node) in tree.iter().rev() {
            let mut below = std::mem::take(&mut kinds[id.index()]);
            let parent = tree.parent(id);
            if node.role.is_editable() {
                let mut hash = StableHash::new();
                hash.text(node.role.as_str());
                hash.text_without_numbers(&node.name);
                fields.push(hash.finish());
            }
            let into = parent.map_or(&mut top, |parent| &mut kinds[parent.index()]);
            // The content of items differs, so an item counts only by its role.
            let is_item = parent.is_some_and(|parent| is_list(&tree[parent].role));
            if !is_item && is_transparent(&node.role) {
                // Append the shorter list to the longer one, so that deep nesting stays cheap.
                if into.len() < below.len() {
                    std::mem::swap(into, &mut below);
                }
                into.append(&mut below);
            } else if !is_unstable(&node.role) {
                let mut hash = StableHash::new();
                hash.text(node.role.as_str());
                hash.number(
                    node.states
                        .level
                        .filter(|_| node.role == Role::Heading)
                        .map_or(0, u64::from),
                );
                if !is_item {
                    hash_set(&mut hash, &mut below);
                }
                into.push(hash.finish());
            }
        }
        let mut hash = StableHash::new();
        hash_set(&mut hash, &mut top);
        hash_set(&mut hash, &mut fields);
        Self(hash.finish())
    }

    /// Returns the fingerprint of the page's content: names, texts, order, values and states.
    ///
    /// Ignores references, layout, levels, the mark of a required field, and the focus outside fields. Ignores numbers,
    /// except in values of fields and sliders, and in names of enabled controls. So a ticking clock changes nothing,
    /// but a digit typed into a field does, and so does a new number on the cart button. Two states are equal exactly
    /// if [`diff`](super::diff()) finds no difference between the trees.
    pub fn state(tree: &Tree) -> Self {
        Self::state_with(tree, |_| false)
    }

    /// Returns a fingerprint like [`Fingerprint::state`] that also includes the numbers in some texts. `counts` gets the
    /// [slot](super::Counted::slot) of a text, and returns true if its numbers are included.
    pub(crate) fn state_with(tree: &Tree, counts: impl Fn(u64) -> bool) -> Self {
        let mut hash = StableHash::new();
        let facts = facts(tree);
        for (fact, slot) in facts.iter().zip(slots(&facts)) {
            hash.number(fact.key);
            hash.number(fact.detail);
            if let Some(exact) = fact.exact.filter(|_| slot.is_some_and(&counts)) {
                hash.number(exact);
            }
        }
        Self(hash.finish())
    }

    /// Parses 16 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let fine = text.len() == 16
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let bits = fine.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        bits.map(Self).ok_or_else(|| {
            Error::new(ErrorKind::InvalidInput, "fingerprint.parse")
                .with("expected", "16 hexadecimal digits in lower case")
        })
    }
}

fn hash_set(hash: &mut StableHash, set: &mut Vec<u64>) {
    set.sort_unstable();
    set.dedup();
    hash.number(set.len() as u64);
    for kind in set.iter() {
        hash.number(*kind);
    }
}

const fn is_transparent(role: &Role) -> bool {
    is_wrapper(role)
        || matches!(
            role,
            Role::Text | Role::Emphasis | Role::Mark | Role::Time | Role::Code
        )
}

const fn is_unstable(role: &Role) -> bool {
    is_ticking(role) || matches!(role, Role::Tooltip)
}

const fn is_list(role: &Role) -> bool {
    matches!(
        role,
        Role::List
            | Role::Table
            | Role::RowGroup
            | Role::Grid
            | Role::TreeGrid
            | Role::ListBox
            | Role::Combobox
            | Role::Menu
            | Role::Tree
            | Role::Feed
    )
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> Self {
        fingerprint.to_string()
    }
}
