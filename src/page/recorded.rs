//! The form in which memory keeps an element of a page, and the words of the row or card around an element.
//!
//! # Decisions
//!
//! - An element is recognised by three marks: its name, an attribute that the page's authors gave it, and the nearest named
//!   group around it. An element that was recorded with two or three of them must have at least two; so a field is found
//!   under a new name, and a name alone is not enough where more was known.
//! - Memory keeps no position of an element among others: what stood in the third row may stand in the fourth.

use serde::{Deserialize, Serialize};

use super::{
    NodeId, Role, TargetIdentity, Tree,
    hash::without_numbers,
    outline::{closed, text_within},
};
use crate::base::text::{self, Folded};

/// Attributes by which an element is recognised, the most reliable first.
const TELLING: [&str; 6] = [
    "testid",
    "name",
    "placeholder",
    "autocomplete",
    "alt",
    "icon",
];
/// Weights of the name, the attribute and the group in the likeness of two elements.
const WEIGHTS: [f64; 3] = [0.5, 0.3, 0.2];
/// Maximum length of a group's name. A longer text is a sentence, which may change by the next visit. Unit: characters.
const MAX_GROUP: usize = 40;
/// Maximum number of levels above an element that are searched for its row or card. A button in a card, with wrappers around
/// both, is six levels deep.
const MAX_LEVELS: usize = 12;
/// Maximum number of parts of a row or card.
const MAX_PARTS: usize = 12;
/// Maximum number of nodes in a row or card.
const MAX_NODES: usize = 128;

/// An element of a page, in the form in which a later visit finds it again. The page wrote its texts, so they are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recorded {
    /// The role of the element.
    pub role: Role,
    /// The name of the element, else its label; empty if it has neither, or if a value of the task stands for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// An attribute as name and value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribute: Option<(String, String)>,
    /// The name of the nearest group around the element, unless it is long or has digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role of the landmark (region of the page) around the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmark: Option<Role>,
}

impl Recorded {
    /// Creates an element that is known by its role and name alone.
    pub fn new(role: Role, name: &str) -> Self {
        Self {
            role,
            name: TargetIdentity::cap(name),
            attribute: None,
            group: None,
            landmark: None,
        }
    }

    /// Returns the form in which the element is kept; `None` if it is in a frame, which may belong to another site.
    pub(crate) fn of(identity: &TargetIdentity) -> Option<Self> {
        if !identity.frames.is_empty() {
            return None;
        }
        let label = identity.label.clone().unwrap_or_default();
        let is_named = !identity.name.is_empty();
        let is_lasting = |group: &&String| {
            group.chars().count() <= MAX_GROUP && !group.contains(char::is_numeric)
        };
        Some(Self {
            role: identity.role.clone(),
            name: if is_named {
                identity.name.clone()
            } else {
                label
            },
            attribute: attribute(identity),
            group: identity.ancestors.first().filter(is_lasting).cloned(),
            landmark: identity.landmark.clone(),
        })
    }

    /// Returns true if nothing tells the element from others of its role.
    pub(crate) const fn is_nameless(&self) -> bool {
        self.name.is_empty() && self.attribute.is_none()
    }

    /// Returns the same element under another name. What else was known of it may belong to the name.
    pub(crate) fn called(&self, name: &str) -> Self {
        Self {
            landmark: self.landmark.clone(),
            ..Self::new(self.role.clone(), name)
        }
    }

    /// Returns how much an element of a page is like this one, from 0 to 1. With `loosely`, numbers in the names are not
    /// compared.
    pub(crate) fn likeness(&self, here: &TargetIdentity, loosely: bool) -> f64 {
        let Some(other) = Self::of(here).filter(|other| other.role == self.role) else {
            return 0.0;
        };
        let own = [
            Some(!self.name.is_empty()),
            self.attribute.as_ref().map(|_| true),
            self.group.as_ref().map(|_| true),
        ];
        let own = own.map(|mark| mark == Some(true));
        // A field may be found by its attribute under another name, and anything else only by its name.
        let is_field = self.role.is_editable();
        if !is_field && !self.name.is_empty() && !is_same_but_for_a_count(&self.name, &other.name) {
            return 0.0;
        }
        let has = [
            is_same_name(&self.name, &other.name, loosely),
            self.attribute.is_some() && self.attribute == other.attribute,
            self.group.is_some() && self.group == other.group,
        ];
        let marks = own.iter().zip(has).zip(WEIGHTS);
        let (mut known, mut found, mut whole, mut share) = (0, 0, 0.0, 0.0);
        for ((is_known, has), weight) in marks {
            if *is_known {
                known += 1;
                whole += weight;
                if has {
                    found += 1;
                    share += weight;
                }
            }
        }
        if known == 0 || found < known.min(2) {
            return 0.0;
        }
        share / whole
    }

    /// Returns true if a node may be this element, so that it is worth to compute the node's identity.
    pub(super) fn may_be(&self, node: &super::Node) -> bool {
        let has_attribute = || {
            let own = self.attribute.as_ref();
            own.is_some_and(|(name, value)| node.property(name) == Some(value))
        };
        node.reference.is_some()
            && closed(&node.role) == self.role
            && (self.name.is_empty()
                || node.name.is_empty()
                || is_same_name(&self.name, &TargetIdentity::cap(&node.name), true)
                || has_attribute())
    }
}

fn attribute(identity: &TargetIdentity) -> Option<(String, String)> {
    TELLING.iter().find_map(|name| {
        let value = identity.attribute(name)?;
        Some(((*name).to_owned(), value.to_owned()))
    })
}

/// Returns true if two names are equal but for a text in parentheses at their end, such as in `Cart (3)`.
fn is_same_but_for_a_count(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let bare = name
            .trim_end()
            .strip_suffix(')')
            .and_then(|name| name.rsplit_once('('));
        Folded::of(bare.map_or(name, |(bare, _)| bare.trim_end()))
    };
    plain(one) == plain(other)
}

fn is_same_name(one: &str, other: &str, loosely: bool) -> bool {
    let plain = |name: &str| {
        let mut out = String::new();
        without_numbers(name, |c| out.push(c));
        Folded::of(&out)
    };
    !one.is_empty()
        && if loosely {
            plain(one) == plain(other)
        } else {
            Folded::of(one) == Folded::of(other)
        }
}

/// Returns the row or card around an element: the largest node around it that contains no other element with its role and name,
/// if the page has such others; otherwise the nearest table row or list item.
fn item_around(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let own = &tree[id];
    // Fields of one column may have no names, and differ in the numbers of an attribute.
    let told = |node: &super::Node| {
        let mut out = String::new();
        let attribute = node.property("name").filter(|_| node.name.is_empty());
        without_numbers(attribute.unwrap_or(&node.name), |c| out.push(c));
        out
    };
    let own_told = told(own);
    // The search of the page's head is no counterpart of that of its content.
    let part = |at: NodeId| {
        let is_part = |at: &NodeId| {
            let role = &tree[*at].role;
            role.is_landmark() && !matches!(role, Role::Region | Role::Form)
        };
        tree.ancestors(at).find(is_part)
    };
    let own_part = part(id);
    let is_like = |(at, node): &(NodeId, &super::Node)| {
        *at != id
            && node.role == own.role
            && node.name.is_empty() == own.name.is_empty()
            && (node.name == own.name || node.name.is_empty())
            && told(node) == own_told
            && node.reference.is_some()
            && part(*at) == own_part
    };
    let others: Vec<NodeId> = tree.iter().filter(is_like).map(|(at, _)| at).collect();
    let around = || tree.ancestors(id).take(MAX_LEVELS);
    if others.is_empty() {
        let is_heading = |at: NodeId| matches!(tree[at].role, Role::ColumnHeader | Role::RowHeader);
        let ends = |at: &NodeId| tree[*at].role.is_landmark() || tree[*at].role.is_dialog();
        // A table with headings of its rows, and none of its columns, lays out a form.
        let is_of_data = |at: &NodeId| {
            let table = tree
                .ancestors(*at)
                .find(|at| matches!(tree[*at].role, Role::Table | Role::Grid | Role::TreeGrid));
            let has = |role: Role| {
                let mut inside = table.into_iter().flat_map(|at| tree.descendants(at));
                inside.any(|at| tree[at].role == role)
            };
            has(Role::ColumnHeader) || !has(Role::RowHeader)
        };
        return around()
            .take_while(|at| !ends(at) && !is_heading(*at))
            .find(|at| match tree[*at].role {
                Role::Row => is_of_data(at),
                Role::ListItem => true,
                _ => false,
            });
    }
    let holds_other = |at: NodeId| {
        let last = tree.descendants(at).next_back();
        others
            .iter()
            .any(|other| *other > at && Some(*other) <= last)
    };
    around().take_while(|at| !holds_other(*at)).last()
}

/// Returns the words of the row or card around an element, one text for each of its parts, without those of the element itself.
/// Empty if there is no row or card, or if it says nothing else.
pub(crate) fn item_words(tree: &Tree, id: NodeId) -> Vec<String> {
    let Some(item) = item_around(tree, id) else {
        return Vec::new();
    };
    let own_last = tree.descendants(id).next_back().unwrap_or(id);
    let own = Folded::of(&text_within(tree, id, TargetIdentity::MAX_TEXT));
    let mut parts: Vec<String> = Vec::new();
    for at in tree.descendants(item).take(MAX_NODES) {
        let node = &tree[at];
        let is_own = at >= id && at <= own_last;
        // The name of a cell around the element is what it contains.
        let is_around = tree.ancestors(id).any(|around| around == at);
        if is_own || is_around || node.role.is_editable() || node.role == Role::Button {
            continue;
        }
        let said = match &node.value {
            Some(value) => value,
            None => &node.name,
        };
        let said = TargetIdentity::cap(said);
        let is_new = !said.is_empty() && !parts.contains(&said) && Folded::of(&said) != own;
        if is_new && parts.len() < MAX_PARTS {
            parts.push(said);
        }
    }
    parts
}

/// Returns true if one of the parts of a row or card is `words`.
pub(crate) fn says(parts: &[String], words: &str) -> bool {
    let plain = |said: &str| Folded::of(&text::squeeze(said));
    let words = plain(words);
    !words.as_str().is_empty() && parts.iter().any(|part| plain(part) == words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Identities;

    fn identity(tree: &Tree, reference: &str) -> TargetIdentity {
        let id = tree.by_ref(reference).unwrap();
        Identities::of(tree).element(tree, id)
    }

    #[test]
    fn a_field_is_recognised_by_two_of_three_marks() {
        let before = crate::testing::tree(
            "form \"Ticket\"\n  textbox \"Subject\" e2\n  textbox \"Owner\" e3\n",
        );
        let known = Recorded::of(&identity(&before, "e2")).unwrap();
        let renamed = crate::testing::tree("form \"Ticket\"\n  textbox \"Title\" e5\n");
        assert!(known.likeness(&identity(&renamed, "e5"), false) < 0.1);
        let moved = crate::testing::tree("form \"Other\"\n  textbox \"Subject\" e5\n");
        assert!(known.likeness(&identity(&moved, "e5"), false) < 0.1);
        assert!(known.likeness(&identity(&before, "e2"), false) > 0.99);
        assert!(known.likeness(&identity(&before, "e3"), false) < 0.1);
    }

    #[test]
    fn the_words_of_a_row_are_those_beside_the_element() {
        let tree = crate::testing::tree(
            "table \"\"\n  row \"\"\n    cell \"Ann\"\n    cell \"\"\n      button \"Delete\" e2\n  row \"\"\n    cell \"Bob\"\n    cell \"\"\n      button \"Delete\" e3\n",
        );
        let words = |reference: &str| item_words(&tree, tree.by_ref(reference).unwrap());
        assert_eq!(
            (words("e2"), words("e3")),
            (vec!["Ann".to_owned()], vec!["Bob".to_owned()])
        );
        assert!(says(&words("e2"), "ann") && !says(&words("e2"), "an"));
    }

    #[test]
    fn a_single_row_is_a_row_and_a_form_is_none() {
        let tree = crate::testing::tree(
            "table \"\"\n  row \"\"\n    cell \"Ann\"\n    cell \"\"\n      button \"Delete\" e2\nform \"New\"\n  button \"Save\" e4\n",
        );
        let words = |reference: &str| item_words(&tree, tree.by_ref(reference).unwrap());
        assert_eq!(words("e2"), ["Ann"]);
        assert!(words("e4").is_empty());
    }
}
