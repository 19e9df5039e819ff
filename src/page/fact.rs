//! Facts. A fact describes the content of one node of a page, without its layout. State fingerprints and diffs are made from
//! facts.

use std::collections::HashMap;

use super::{Node, NodeId, Role, States, Tree, Tri, hash::StableHash, label::is_wrapper};

/// Maximum length of an element's name that is searched for the texts inside the element. A text found in the name is
/// left out as a repetition. Unit: bytes. Source: chosen; longer names would take quadratic time.
const MAX_COVER: usize = 300;

pub(super) struct Fact {
    pub(super) id: NodeId,
    /// A hash of the role and the text, which identifies the fact. Numbers are left out, because a clock changes by itself.
    /// They are kept in the name of an enabled control, because an action changes the count in a cart link.
    pub(super) key: u64,
    /// Hash of the states, the value and the icon. Of the states, it leaves out `pointer`, `level`, `required`,
    /// `listens`, and the focus outside fields. Numbers are left out of the value, except for fields and sliders, whose
    /// values a person sets.
    pub(super) detail: u64,
    /// Hash of the texts whose numbers `key` or `detail` leaves out, including these numbers; `None` if no number is left
    /// out.
    pub(super) exact: Option<u64>,
    /// Hash of the node's [`look`]; `None` if the driver reports none. The look is not part of the state of the page,
    /// because colours change under the pointer and positions change with scrolling.
    pub(super) look: Option<u64>,
}

/// Returns an identity for each fact that has an [`exact`](Fact::exact) hash; `None` for any other fact. The identity
/// is a hash of the fact's key and of its position among the facts with the same key that have such a hash.
pub(super) fn slots(facts: &[Fact]) -> Vec<Option<u64>> {
    let mut places: HashMap<u64, u64> = HashMap::new();
    let slot = |fact: &Fact| {
        fact.exact?;
        let place = places.entry(fact.key).or_default();
        let mut hash = StableHash::new();
        hash.number(fact.key);
        hash.number(*place);
        *place += 1;
        Some(hash.finish())
    };
    facts.iter().map(slot).collect()
}

/// Returns the facts of a page in document order. Layout is no fact, and neither is text that repeats the name of the
/// element around it.
pub(super) fn facts(tree: &Tree) -> Vec<Fact> {
    let mut cover: Vec<Option<NodeId>> = Vec::with_capacity(tree.len());
    let mut facts = Vec::new();
    for (id, node) in tree.iter() {
        let above = tree.parent(id).and_then(|parent| cover[parent.index()]);
        let covers = !node.name.is_empty() && !node.role.is_landmark() && !node.role.is_dialog();
        cover.push(if covers { Some(id) } else { above });
        if !says_something(node) {
            continue;
        }
        let said = if node.name.is_empty() {
            node.value.as_deref().unwrap_or_default()
        } else {
            &node.name
        };
        let is_repeated = || {
            above.is_some_and(|above| {
                tree[above].name.len() <= MAX_COVER && tree[above].name.contains(said.trim())
            })
        };
        if !acts(node) && !node.role.is_dialog() && icon(node).is_empty() && is_repeated() {
            continue;
        }
        facts.push(Fact {
            id,
            key: key(node),
            detail: detail(node),
            exact: exact(node),
            look: look_hash(node),
        });
    }
    facts
}

fn says_something(node: &Node) -> bool {
    let has_text =
        !node.name.is_empty() || node.value.as_deref().is_some_and(|v| !v.trim().is_empty());
    !is_ticking(&node.role)
        && (has_text
            || acts(node)
            || !look(node).is_empty()
            || !icon(node).is_empty()
            || node.role.is_dialog()
            || node.role == Role::Alert)
}

/// Returns true if the node could be acted on. It need not have a reference, because the driver decides which nodes get one.
fn acts(node: &Node) -> bool {
    node.role.is_interactive() || node.states.pointer
}

pub(super) const fn is_ticking(role: &Role) -> bool {
    matches!(role, Role::Timer | Role::Marquee | Role::ScrollBar)
}

fn key(node: &Node) -> u64 {
    let mut hash = StableHash::new();
    // The wrapper around a text is layout.
    let is_static_text = is_wrapper(&node.role) && !node.states.pointer;
    hash.text(if is_static_text {
        Role::Text.as_str()
    } else {
        node.role.as_str()
    });
    let said = if node.role.is_editable() || !node.name.is_empty() {
        &*node.name
    } else {
        node.value.as_deref().unwrap_or_default()
    };
    if node.role.is_interactive() && !node.states.disabled {
        hash.text(said);
    } else {
        hash.text_without_numbers(said);
    }
    hash.finish()
}

fn detail(node: &Node) -> u64 {
    let mut hash = StableHash::new();
    let States {
        checked,
        pressed,
        expanded,
        selected,
        disabled,
        active,
        invalid,
        pointer: _,
        level: _,
        readonly,
        required: _,
        listens: _,
    } = &node.states;
    let tri = |t: &Option<Tri>| t.map_or(0, |t| t as u64 + 1);
    let flag = |b: &Option<bool>| b.map_or(0, |b| u64::from(b) + 1);
    for state in [
        tri(checked),
        tri(pressed),
        flag(expanded),
        flag(selected),
        u64::from(*disabled),
        // Any click moves the focus; only a field that receives it counts as an effect.
        u64::from(*active && node.role.is_editable()),
        u64::from(*invalid),
        u64::from(*readonly),
    ] {
        hash.number(state);
    }
    let value = node.value.as_deref().unwrap_or_default();
    if has_exact_value(&node.role) {
        hash.text(value);
    } else if !node.name.is_empty() {
        hash.text_without_numbers(value);
    }
    // Most nodes have no icon, so their hash stays equal to the hash that earlier versions stored.
    let icon = icon(node);
    if !icon.is_empty() {
        hash.text(icon);
    }
    hash.finish()
}

fn look_hash(node: &Node) -> Option<u64> {
    let look = look(node);
    (!look.is_empty()).then(|| {
        let mut hash = StableHash::new();
        hash.text(look);
        hash.finish()
    })
}

/// Returns the look (shape, colour, size and position) that the driver reports for a node that has no words; empty if it
/// reports none.
pub(super) fn look(node: &Node) -> &str {
    node.property("look").unwrap_or_default()
}

/// Returns the name of the icon that the prompt shows for an element without a name; empty if there is none.
pub(super) fn icon(node: &Node) -> &str {
    let icon = node.property("icon").filter(|_| node.name.is_empty());
    icon.unwrap_or_default()
}

fn exact(node: &Node) -> Option<u64> {
    let value = node.value.as_deref().unwrap_or_default();
    let (name, value) = match (&*node.name, value) {
        ("", text) => (text, ""),
        (name, _) if has_exact_value(&node.role) => (name, ""),
        both => both,
    };
    let is_exact = node.role.is_interactive() && !node.states.disabled;
    let name = if is_exact { "" } else { name };
    let texts = [name, value];
    texts
        .iter()
        .any(|text| text.contains(char::is_numeric))
        .then(|| {
            let mut hash = StableHash::new();
            for text in texts {
                hash.text(text);
            }
            hash.finish()
        })
}

/// Returns true if elements of this role have a value that a person sets.
pub(super) const fn has_exact_value(role: &Role) -> bool {
    role.is_editable() || matches!(role, Role::Slider)
}
