//! The differences between two observations of a page. They are the evidence that an action had an effect, and the
//! prompt shows their summary.

mod look;
mod pairs;
mod summary;

use serde::{Deserialize, Serialize};

pub(crate) use self::summary::MORE_CHANGES;
use self::{
    look::{forget_scrolled, look_change, place_shift},
    pairs::partners,
};
use super::{
    ElementRef, Node, NodeId, PageHead, Role, States, Tree, Tri,
    address::PageAddress,
    fact::{Fact, facts, has_exact_value, icon, look, slots},
    hash::without_numbers,
    identity::authors_name,
    label::{label_of, squeezed},
    outline::{Outline, closed, is_actionable, text_within},
};
use crate::base::text;

/// Maximum number of entries that [`diff()`] puts into each list of a [`PageDiff`]. Source: chosen; a prompt shows a
/// tenth of them.
pub const MAX_CHANGES: usize = 200;
const FOCUS: [&str; 2] = ["lost the focus", "focused"];
/// Maximum length of a page text in a line of [`PageDiff::summary`]. Longer texts are cut. Unit: characters. Source: chosen.
const MAX_LINE_TEXT: usize = 80;

/// An element or text of the page that was added, removed or changed. The page wrote the texts in it, so they are untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// The role of the element or text.
    pub role: Role,
    /// The label of the element; for a text, the text itself. Empty if only numbers in the text changed: then `what`
    /// has the text. At most [`MAX_LABEL`](super::MAX_LABEL) characters.
    pub label: String,
    /// The differences, such as `checked` or `value "a" -> "b"`; empty for an element or text that was added or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what: Vec<String>,
    /// The reference of the element or text in the second observation; `None` if it was removed or has no reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ElementRef>,
    /// True if a person could act on the element in the second observation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts: bool,
}

/// A text of which only the numbers changed. Only a caller that knows the action can judge whether the action caused this.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counted {
    /// The change, ready to be added to [`PageDiff::changed`]. Its label is empty, and its only difference is the text
    /// before and after, such as `"3 items" -> "4 items"`.
    pub change: Change,
    /// The node of the text in the first observation.
    pub at: NodeId,
    /// A number that identifies the text in every observation of the page, whatever numbers the text shows.
    pub slot: u64,
}

/// The differences between two observations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageDiff {
    /// True if another page is shown. A fragment that only names a position in the document does not make another page.
    pub navigated: bool,
    /// The URL of the second observation, cut to [`MAX_LABEL`](super::MAX_LABEL) characters; `None` if it has not
    /// changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The title of the second observation, cut to [`MAX_LABEL`](super::MAX_LABEL) characters; `None` if it has not
    /// changed, or only its numbers have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The elements and texts that were added, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Change>,
    /// The elements and texts that were removed, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Change>,
    /// The elements and texts that stayed but have another value or state, in document order. In the diff of a step,
    /// texts follow of which only the numbers changed, if these changes count as the page's answer to the action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Change>,
    /// Texts of which only the numbers changed, in document order. They do not count as differences, because some numbers,
    /// such as those of a clock, change without an action. They are not serialised.
    #[serde(skip)]
    pub counted: Vec<Counted>,
    /// Drawings, and elements without words, that changed their look or position, in document order. In the diff of a
    /// step, the element that was dragged comes last, and it may have words. Changed looks do not count as differences,
    /// because a look also changes when the pointer is over the element.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Change>,
    /// True if nothing was added or removed, but the order of the content changed.
    #[serde(default)]
    pub reordered: bool,
    /// Number of changes left out of `added`, `removed` and `changed`, because there are more than [`MAX_CHANGES`] of
    /// one sort.
    #[serde(default)]
    pub omitted: u32,
}

/// Compares two observations, ignoring references, layout, and some numbers in texts: see
/// [`Fingerprint::state`](super::Fingerprint::state).
pub fn diff(before: (&PageHead, &Tree), after: (&PageHead, &Tree)) -> PageDiff {
    let mut found = PageDiff::default();
    let (old_head, new_head) = (before.0, after.0);
    if old_head.url != new_head.url {
        found.url = Some(squeezed(&new_head.url));
        let (before, after) = (&old_head.url, &new_head.url);
        found.navigated = !PageAddress::new(before).is_same_page(&PageAddress::new(after));
    }
    let unnumbered = |title: &str| {
        let mut out = String::new();
        without_numbers(title, |c| out.push(c));
        out
    };
    if unnumbered(&old_head.title) != unnumbered(&new_head.title) {
        found.title = Some(squeezed(&new_head.title));
    }
    compare(before.1, after.1, &mut found);
    found
}

fn compare(before: &Tree, after: &Tree, found: &mut PageDiff) {
    let (old, new) = (facts(before), facts(after));
    let mut paired = vec![false; old.len()];
    let (mut added, mut changed): (Vec<&Fact>, Vec<(&Fact, &Fact)>) = (Vec::new(), Vec::new());
    let mut counted: Vec<(usize, &Fact)> = Vec::new();
    let mut looks: Vec<(usize, &Fact)> = Vec::new();
    for (fact, partner) in new.iter().zip(partners(&old, &new)) {
        match partner {
            Some(index) => {
                paired[index] = true;
                if old[index].detail != fact.detail {
                    changed.push((&old[index], fact));
                } else if old[index].exact != fact.exact {
                    counted.push((index, fact));
                }
                // An element that gets a picture loses its look.
                let has_same_icon = icon(&before[old[index].id]) == icon(&after[fact.id]);
                if old[index].look != fact.look && has_same_icon {
                    looks.push((index, fact));
                }
            }
            None => added.push(fact),
        }
    }
    let removed: Vec<&Fact> = old
        .iter()
        .zip(&paired)
        .filter(|(_, paired)| !**paired)
        .map(|(fact, _)| fact)
        .collect();
    found.reordered =
        added.is_empty() && removed.is_empty() && old.iter().zip(&new).any(|(a, b)| a.key != b.key);
    let over = |len: usize| u32::try_from(len.saturating_sub(MAX_CHANGES)).unwrap_or(u32::MAX);
    found.omitted = over(added.len())
        .saturating_add(over(removed.len()))
        .saturating_add(over(changed.len()));

    forget_scrolled(&mut looks, |index, fact| {
        place_shift(look(&before[old[index].id]), look(&after[fact.id]))
    });
    if !counted.is_empty() {
        let slots = slots(&old);
        let counted = first(&counted, |(index, new)| {
            Some(Counted {
                change: renumbered(&before[old[*index].id], &after[new.id]),
                at: old[*index].id,
                slot: slots[*index]?,
            })
        });
        found.counted = counted.into_iter().flatten().collect();
    }
    if !(added.is_empty() && changed.is_empty() && looks.is_empty()) {
        let outline = Outline::of(after);
        let change = |id, what| Change {
            what,
            reference: after[id].reference.clone(),
            acts: is_actionable(&after[id]),
            ..shown(after, &outline, id)
        };
        found.added = first(&added, |fact| change(fact.id, Vec::new()));
        found.looks = first(&looks, |(index, new)| {
            let what = look_change(look(&before[old[*index].id]), look(&after[new.id]));
            change(new.id, what.into_iter().collect())
        });
        found.changed = first(&changed, |(old, new)| {
            change(new.id, differences(&before[old.id], &after[new.id]))
        });
    }
    if !removed.is_empty() {
        let outline = Outline::of(before);
        found.removed = first(&removed, |fact| shown(before, &outline, fact.id));
    }
}

/// Converts the first [`MAX_CHANGES`] items.
fn first<T, U>(items: &[T], convert: impl FnMut(&T) -> U) -> Vec<U> {
    items.iter().take(MAX_CHANGES).map(convert).collect()
}

fn renumbered(old: &Node, new: &Node) -> Change {
    let text = |node: &Node| {
        let value = node.value.as_deref().unwrap_or_default();
        if node.name.is_empty() || value.is_empty() {
            quoted(&format!("{}{value}", node.name))
        } else {
            quoted(&format!("{} {value}", node.name))
        }
    };
    Change {
        role: closed(&new.role),
        label: String::new(),
        what: vec![format!("{} -> {}", text(old), text(new))],
        reference: new.reference.clone(),
        acts: is_actionable(new),
    }
}

fn shown(tree: &Tree, outline: &Outline, id: NodeId) -> Change {
    let node = &tree[id];
    let label = if is_actionable(node) {
        let own = if node.role.is_editable() {
            String::new()
        } else {
            text_within(tree, id, MAX_LINE_TEXT)
        };
        let label = label_of(tree, outline, id, &own);
        if label.is_empty() {
            squeezed(authors_name(node))
        } else {
            label
        }
    } else if node.name.is_empty() {
        squeezed(node.value.as_deref().unwrap_or_default())
    } else {
        squeezed(&node.name)
    };
    Change {
        role: closed(&node.role),
        label,
        what: Vec::new(),
        reference: None,
        acts: false,
    }
}

/// Returns the differences between two nodes of the same role and name as phrases, such as `checked` or `value "a" -> "b"`.
/// Only the quoted values come from the page.
fn differences(old: &Node, new: &Node) -> Vec<String> {
    let mut out = Vec::new();
    let (a, b) = (
        old.value.as_deref().unwrap_or_default(),
        new.value.as_deref().unwrap_or_default(),
    );
    if a != b && (has_exact_value(&new.role) || !new.name.is_empty()) {
        let [a, b] = from_difference(a, b);
        out.push(format!("value {} -> {}", quoted(&a), quoted(&b)));
    }
    if icon(old) != icon(new) {
        out.push(format!(
            "icon {} -> {}",
            quoted(icon(old)),
            quoted(icon(new))
        ));
    }
    let (a, b): (&States, &States) = (&old.states, &new.states);
    let tri = |t: Option<Tri>| t.map_or(0, |t| t as u8 + 1);
    let words: [(u8, u8, [&str; 4]); 7] = [
        (
            tri(a.checked),
            tri(b.checked),
            ["not checkable", "unchecked", "checked", "partly checked"],
        ),
        (
            tri(a.pressed),
            tri(b.pressed),
            ["not pressable", "released", "pressed", "partly pressed"],
        ),
        (
            flag(a.expanded),
            flag(b.expanded),
            ["not expandable", "collapsed", "expanded", ""],
        ),
        (
            flag(a.selected),
            flag(b.selected),
            ["not selected", "not selected", "selected", ""],
        ),
        (
            a.disabled.into(),
            b.disabled.into(),
            ["enabled", "disabled", "", ""],
        ),
        (
            a.invalid.into(),
            b.invalid.into(),
            ["valid", "invalid", "", ""],
        ),
        (focus(old), focus(new), [FOCUS[0], FOCUS[1], "", ""]),
    ];
    out.extend(
        words
            .iter()
            .filter(|(a, b, _)| a != b)
            .map(|(_, b, words)| words[usize::from(*b)].to_owned()),
    );
    out
}

/// Returns 1 if the node is a field that has the focus, else 0. The focus of other nodes is no effect of an action.
fn focus(node: &Node) -> u8 {
    u8::from(node.states.active && node.role.is_editable())
}

fn flag(state: Option<bool>) -> u8 {
    state.map_or(0, |on| u8::from(on) + 1)
}

/// Returns two values from shortly before their first difference on, if they are too long to be quoted whole.
fn from_difference(a: &str, b: &str) -> [String; 2] {
    /// Number of equal characters before the difference that are kept.
    const BEFORE: usize = 15;
    let [a, b] = [a, b].map(text::squeeze);
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    if same <= MAX_LINE_TEXT / 2 {
        return [a, b];
    }
    [a, b].map(|text| {
        let rest: String = text.chars().skip(same - BEFORE).collect();
        format!("…{rest}")
    })
}

fn quoted(page_text: &str) -> String {
    serde_json::Value::from(text::truncate(&text::squeeze(page_text), MAX_LINE_TEXT)).to_string()
}

impl Change {
    /// Returns true if only the focus has changed in this item.
    fn is_focus(&self) -> bool {
        self.what.iter().all(|what| FOCUS.contains(&what.as_str())) && !self.what.is_empty()
    }

    pub(crate) fn is_focused(&self) -> bool {
        self.what.iter().any(|what| what == FOCUS[1])
    }
}

impl PageDiff {
    pub(crate) fn is_focus_alone(&self) -> bool {
        let rest = Self {
            changed: Vec::new(),
            ..self.clone()
        };
        rest.is_empty() && !self.changed.is_empty() && self.changed.iter().all(Change::is_focus)
    }

    /// Returns true if there are no differences. Changed looks, and texts of which only the numbers changed, are not
    /// differences.
    pub fn is_empty(&self) -> bool {
        self.url.is_none()
            && self.title.is_none()
            && self.added.is_empty()
            && self.removed.is_empty()
            && self.changed.is_empty()
            && !self.reordered
    }
}
