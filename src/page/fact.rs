//! What a page says, node by node, without how it is laid out: the common ground of the state fingerprint and the diff.

use std::collections::HashMap;

use super::{Node, NodeId, Role, States, Tree, Tri, hash::StableHash, label::is_wrapper};

/// Longest name searched for the text under it. Unit: bytes. Source: chosen; longer ones would make the walk quadratic.
const MAX_COVER: usize = 300;

/// One thing that a page says.
pub(super) struct Fact {
    pub(super) id: NodeId,
    /// What it is: role and text. Numbers count only in the names of what can be acted on now: a cart link with a count
    /// changes by our action, a clock changes by itself.
    pub(super) key: u64,
    /// How it is: states, and the value exactly as typed.
    pub(super) detail: u64,
    /// Its text with its numbers, if `key` or `detail` leave numbers of it out.
    pub(super) exact: Option<u64>,
}

/// For each fact that has numbers left out, which one it is: its key, and its place among equal ones.
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

/// The facts of a page in document order.
///
/// Layout says nothing, and text that only repeats the name of what it is in is not a fact of its own.
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
        if !acts(node) && !node.role.is_dialog() && is_repeated() {
            continue;
        }
        facts.push(Fact {
            id,
            key: key(node),
            detail: detail(node),
            exact: exact(node),
        });
    }
    facts
}

fn says_something(node: &Node) -> bool {
    let has_text =
        !node.name.is_empty() || node.value.as_deref().is_some_and(|v| !v.trim().is_empty());
    !is_ticking(&node.role)
        && (has_text || acts(node) || node.role.is_dialog() || node.role == Role::Alert)
}

/// Whether it could be acted on; without a look at its reference, which says nothing of the page.
fn acts(node: &Node) -> bool {
    node.role.is_interactive() || node.states.pointer
}

/// Roles that change by themselves.
pub(super) const fn is_ticking(role: &Role) -> bool {
    matches!(role, Role::Timer | Role::Marquee | Role::ScrollBar)
}

fn key(node: &Node) -> u64 {
    let mut hash = StableHash::new();
    // Which wrapper a text is in is layout.
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
        // A click on anything moves the focus; only a field that takes it can be an effect.
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
    hash.finish()
}

/// The texts whose numbers `key` and `detail` leave out, as they stand.
fn exact(node: &Node) -> Option<u64> {
    let value = node.value.as_deref().unwrap_or_default();
    let (name, value) = match (&*node.name, value) {
        ("", text) => (text, ""),
        (name, _) if has_exact_value(&node.role) => (name, ""),
        both => both,
    };
    let is_exact = node.role.is_interactive() && !node.states.disabled;
    let name = if is_exact { "" } else { name };
    [name, value]
        .iter()
        .any(|text| text.contains(char::is_numeric))
        .then(|| {
            let mut hash = StableHash::new();
            hash.text(name);
            hash.text(value);
            hash.finish()
        })
}

/// Whether the value is something that a person sets.
pub(super) const fn has_exact_value(role: &Role) -> bool {
    role.is_editable() || matches!(role, Role::Slider)
}
