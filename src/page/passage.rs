//! What there is to read beside the elements: text that no label says already, in its place among them.

use std::{cell::OnceCell, collections::HashSet};

use serde::{Deserialize, Serialize};

use super::{
    Element, NodeId, Role, Tree,
    outline::{Area, Outline},
    reading::{name_is_seen, subtrees_with_text},
};
use crate::base::text;

/// A run of text between two elements. Page data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Passage {
    /// Index in [`PageView::elements`](super::PageView::elements) of the element that it stands before; their number for
    /// what stands after the last.
    pub before: usize,
    /// The words, one space apart.
    pub text: String,
    /// Whether it is a heading.
    #[serde(default)]
    pub heading: bool,
    /// Whether it stands in a banner, menu, side column or footer: the first to go when room is short.
    #[serde(default)]
    pub aside: bool,
}

/// Collects at most `max` characters: dialogs first, then content, then the furniture; given in the order of the elements.
pub(super) fn passages(
    tree: &Tree,
    outline: &Outline,
    elements: &[Element],
    max: usize,
) -> Vec<Passage> {
    let said = Said::of(tree, elements);
    let speaks = subtrees_with_text(tree);
    let in_dialogs = elements.iter().take_while(|e| e.in_dialog).count();
    let mut found: Vec<(NodeId, Passage)> = Vec::new();
    let mut chars = 0;
    for turn in [Turn::Dialog, Turn::Content, Turn::Aside] {
        let mut next = if turn == Turn::Dialog { 0 } else { in_dialogs };
        let end = if turn == Turn::Dialog {
            in_dialogs
        } else {
            elements.len()
        };
        let mut hidden_to: Option<NodeId> = None;
        // Only what follows directly on the last passage of this turn is joined to it.
        let mut joins = false;
        for (id, node) in tree.iter() {
            while next < end && elements[next].id <= id {
                next += 1;
                joins = false;
            }
            if hidden_to.is_some_and(|last| id <= last) || Turn::of(outline, id) != turn {
                continue;
            }
            if node.role.is_editable() {
                hidden_to = tree.descendants(id).next_back();
                continue;
            }
            let raw = match node.value.as_deref().filter(|value| !value.is_empty()) {
                Some(value) => value,
                None if !speaks[id.index()] && name_is_seen(&node.role) => &node.name,
                // The caption of choices: without it, two rows of "1" to "5" are the same.
                None if matches!(node.role, Role::Group | Role::RadioGroup) => &node.name,
                None => continue,
            };
            // A single run of text may be far longer than all there is room for.
            let words = text::squeeze(&text::truncate(raw, max.saturating_add(1)));
            let repeats = joins && found.last().is_some_and(|(_, last)| last.text == words);
            if repeats || !words.chars().any(char::is_alphanumeric) || said.covers(tree, id, &words)
            {
                continue;
            }
            let heading = is_heading(tree, id);
            chars += words.chars().count() + 1;
            match found
                .last_mut()
                .filter(|(_, last)| joins && last.heading == heading)
            {
                Some((_, last)) => {
                    last.text.push(' ');
                    last.text.push_str(&words);
                }
                None => found.push((
                    id,
                    Passage {
                        before: next,
                        text: words,
                        heading,
                        aside: turn == Turn::Aside,
                    },
                )),
            }
            joins = true;
            if chars > max {
                return in_order(found);
            }
        }
    }
    in_order(found)
}

/// By the element that they stand before, and in document order before the same one.
fn in_order(mut found: Vec<(NodeId, Passage)>) -> Vec<Passage> {
    found.sort_by_key(|(id, passage)| (passage.before, *id));
    found.into_iter().map(|(_, passage)| passage).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Dialog,
    Content,
    Aside,
}

impl Turn {
    fn of(outline: &Outline, id: NodeId) -> Self {
        match outline.place(id).area {
            Area::Dialog => Self::Dialog,
            Area::Side => Self::Aside,
            Area::Main | Area::Plain => Self::Content,
        }
    }
}

/// Whether the text is a heading or right in one.
fn is_heading(tree: &Tree, id: NodeId) -> bool {
    tree[id].role == Role::Heading
        || tree
            .parent(id)
            .is_some_and(|parent| tree[parent].role == Role::Heading)
}

/// What the elements say already.
struct Said<'e> {
    elements: &'e [Element],
    /// For each node the element that it is or that it is in.
    holder: Vec<Option<u32>>,
    /// Made when it is first asked for: on many pages all text is in elements.
    labels: OnceCell<HashSet<&'e str>>,
}

impl<'e> Said<'e> {
    fn of(tree: &Tree, elements: &'e [Element]) -> Self {
        let mut holder: Vec<Option<u32>> = vec![None; tree.len()];
        for (at, element) in elements.iter().enumerate() {
            holder[element.id.index()] = u32::try_from(at).ok();
        }
        for (id, _) in tree.iter() {
            if holder[id.index()].is_none() {
                holder[id.index()] = tree.parent(id).and_then(|parent| holder[parent.index()]);
            }
        }
        Self {
            elements,
            holder,
            labels: OnceCell::new(),
        }
    }

    fn covers(&self, tree: &Tree, id: NodeId, words: &str) -> bool {
        let in_element = |element: &Element| {
            // The choices of a closed list stand with the list.
            tree[id].role == Role::Option
                || element.label.contains(words)
                || element
                    .value
                    .as_deref()
                    .is_some_and(|value| value.contains(words))
        };
        let holder = self.holder[id.index()].map(|at| &self.elements[at as usize]);
        let labels = || {
            self.labels
                .get_or_init(|| self.elements.iter().map(|e| e.label.as_str()).collect())
        };
        holder.is_some_and(in_element) || labels().contains(words)
    }
}
