//! The list of elements of a page: the nodes that a person could act on, without duplicates.

use std::collections::HashMap;

use super::{
    Element, ElementRef, Node, NodeId, Role, Tree,
    context::add_contexts,
    element::MAX_OPTIONS,
    identity::TELLING,
    label::{MAX_LABEL, label_of, squeezed},
    outline::{Area, Outline, closed, is_actionable, is_checkable, push_words},
};
use crate::base::text;

/// Maximum length of the name of an option in a list. Longer names are cut. Unit: characters. Source: chosen.
const MAX_OPTION: usize = 60;

/// Maximum length of the typed text of a field, if the text is the value of the field's node. Longer texts are cut. A
/// text in nodes inside the field is cut to [`MAX_LABEL`]. Unit: characters. Source: chosen; the `read` tool gives the
/// rest.
const MAX_TYPED: usize = 1_000;

/// Names of properties that [`hints`] copies from a node to its element. It also copies `editable`, and for an element
/// without a label, one property of [`TELLING`]. It copies a `placeholder` only if that is not the label.
const SHOWN: [&str; 7] = [
    "type",
    "placeholder",
    "current",
    "valuetext",
    "range",
    "look",
    "multiple",
];

struct Candidate {
    id: NodeId,
    /// The nearest candidate around this one, as an index into the list of candidates.
    outer: Option<usize>,
    /// The text of the node, without the texts of candidates inside it.
    own: String,
    label: String,
    url: Option<String>,
    options: Vec<String>,
    more_options: usize,
    chosen: Option<String>,
    /// Number of candidates directly inside this one.
    inner: usize,
    last_inner: Option<usize>,
    dropped: bool,
    duplicates: Vec<ElementRef>,
}

/// Returns all elements of a page: first those in dialogs, then the others, both in document order.
pub(super) fn elements(tree: &Tree, outline: &Outline) -> Vec<Element> {
    let mut found = candidates(tree);
    for candidate in &mut found {
        candidate.label = label_of(tree, outline, candidate.id, &candidate.own);
    }
    fold_nested(tree, &mut found);
    fold_links(tree, outline, &mut found);
    // Reserves the space at once: elements are large, and a growing list would copy ten thousand of them several times.
    let mut elements: Vec<Element> =
        Vec::with_capacity(found.iter().filter(|c| !c.dropped).count());
    elements.extend(
        found
            .into_iter()
            .filter(|c| !c.dropped)
            .map(|c| element(tree, outline, c)),
    );
    elements.sort_by_key(|e| !e.in_dialog);
    add_contexts(tree, outline, &mut elements);
    elements
}

fn candidates(tree: &Tree) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::with_capacity(
        tree.nodes()
            .iter()
            .filter(|node| is_actionable(node))
            .count(),
    );
    let mut holder: Vec<Option<usize>> = Vec::with_capacity(tree.len());
    for (id, node) in tree.iter() {
        let outer = tree.parent(id).and_then(|parent| holder[parent.index()]);
        let number = found.len();
        let inside = outer.map(|o| &mut found[o]);
        if is_actionable(node)
            || inside
                .as_ref()
                .is_some_and(|outer| is_branch(node, &tree[outer.id]))
        {
            if let Some(list) = inside {
                if takes_over(list, &tree[list.id].role, node) {
                    holder.push(outer);
                    continue;
                }
                (list.inner, list.last_inner) = (list.inner + 1, Some(number));
            }
            let own = if node.role.is_editable() {
                ""
            } else {
                node.value.as_deref().unwrap_or_default()
            };
            holder.push(Some(number));
            found.push(Candidate {
                id,
                outer,
                own: squeezed(own),
                label: String::new(),
                url: node.url.as_deref().map(str::to_owned),
                options: Vec::new(),
                more_options: 0,
                chosen: None,
                inner: 0,
                last_inner: None,
                dropped: false,
                duplicates: Vec::new(),
            });
        } else {
            if let Some(around) = inside {
                let text = if node.name.is_empty() {
                    node.value.as_deref().unwrap_or_default()
                } else {
                    &node.name
                };
                push_words(&mut around.own, text, MAX_LABEL);
            }
            holder.push(outer);
        }
    }
    found
}

/// Returns true if a node inside a candidate is no element of its own, and adds what it says to the candidate:
///
/// - The lines of an editor are its value.
/// - The options of a closed list are selected by name on the list itself.
/// - The read-only field in a list of the page's own shows what is chosen.
fn takes_over(list: &mut Candidate, list_role: &Role, node: &Node) -> bool {
    if *list_role == Role::TextBox && !node.role.is_interactive() {
        return true;
    }
    if *list_role != Role::Combobox {
        return false;
    }
    let value = node.value.as_deref();
    if node.role == Role::TextBox && node.states.readonly {
        let shown = squeezed(value.unwrap_or(&node.name));
        list.chosen = Some(shown).filter(|shown| !shown.is_empty());
        return true;
    }
    if node.role != Role::Option || node.reference.is_some() {
        return false;
    }
    let name = if node.name.is_empty() {
        value.unwrap_or_default()
    } else {
        &node.name
    };
    if node.states.selected == Some(true) {
        list.chosen = Some(squeezed(name));
    }
    if list.options.len() < MAX_OPTIONS {
        list.options
            .push(text::truncate(&text::squeeze(name), MAX_OPTION));
    } else {
        list.more_options += 1;
    }
    true
}

/// Returns true if a node is a list item inside a clickable list item, as in a tree of folders. Such an item is clickable
/// too, but a driver reports the pointer style (the hand cursor) for the outermost item only.
fn is_branch(node: &Node, around: &Node) -> bool {
    node.role == Role::ListItem && around.role == Role::ListItem && node.reference.is_some()
}

/// Drops one of two candidates if one only wraps the other. Also drops a candidate without an interactive role and
/// without own words that wraps several. The innermost are compared first, so that one candidate of a chain of wrappers
/// remains.
fn fold_nested(tree: &Tree, found: &mut [Candidate]) {
    for at in (0..found.len()).rev() {
        let outer = &found[at];
        let (Some(last), inner_count) = (outer.last_inner, outer.inner) else {
            continue;
        };
        let outer_node = &tree[outer.id];
        let bare = !outer.own.chars().any(char::is_alphanumeric);
        if !outer_node.role.is_interactive() {
            // Drops a label around its box, and a wrapper that has the pointer style only because of its content.
            let only_label = inner_count == 1
                && text::Folded::of(&found[last].label) == text::Folded::of(&outer.own);
            if bare || only_label {
                drop_outer(found, at);
            }
            continue;
        }
        let inner_role = &tree[found[last].id].role;
        // A button in a list of options empties it.
        let is_container = outer_node.role == Role::ListBox
            || outer_node.role == *inner_role
            || (outer_node.role == Role::Combobox && *inner_role == Role::Button);
        if inner_count != 1 || !bare || is_container || found[last].dropped {
            continue;
        }
        if inner_role.is_editable() || is_checkable(inner_role) || outer_node.reference.is_none() {
            if found[last].label.is_empty() {
                found[last].label = std::mem::take(&mut found[at].label);
            }
            drop_outer(found, at);
        } else {
            let inner = &mut found[last];
            inner.dropped = true;
            let (label, url) = (std::mem::take(&mut inner.label), inner.url.take());
            let reference = tree[inner.id].reference.clone();
            let outer = &mut found[at];
            // Any label in a link is better than the file name of the link.
            if outer_node.name.is_empty() && !label.is_empty() {
                outer.label = label;
            }
            outer.url = outer.url.take().or(url);
            outer.duplicates.extend(reference);
        }
    }
}

/// Drops a wrapper. The candidates inside it then belong to the candidate around it.
fn drop_outer(found: &mut [Candidate], at: usize) {
    found[at].dropped = true;
    let (outer, inner, last) = (found[at].outer, found[at].inner, found[at].last_inner);
    if let Some(around) = outer {
        found[around].inner = found[around].inner - 1 + inner;
        if found[around].last_inner == Some(at) {
            found[around].last_inner = last;
        }
    }
}

/// Folds links with the same label, address and frame into one, but never a link in a dialog with one outside. On a
/// card, also folds the link on the picture into the link on the title. Links with an address such as `#` or
/// `javascript:` are never folded.
fn fold_links(tree: &Tree, outline: &Outline, found: &mut [Candidate]) {
    let mut seen: HashMap<(String, String, Option<NodeId>, bool), usize> = HashMap::new();
    let mut previous: Option<usize> = None;
    for at in 0..found.len() {
        let link = &found[at];
        if link.dropped || tree[link.id].role != Role::Link {
            continue;
        }
        let Some(url) = link.url.clone().filter(|u| leads_somewhere(u)) else {
            previous = None;
            continue;
        };
        let place = outline.place(link.id);
        let key = (url, link.label.clone(), place.frame, place.dialog.is_some());
        if let Some(first) = seen
            .get(&key)
            .copied()
            .filter(|first| !found[*first].dropped)
        {
            drop_duplicate(tree, found, first, at);
            continue;
        }
        // A link on a picture without a name has no words of its own: its label is the name of its icon, the file name
        // of its address, or empty.
        let unnamed = |c: &Candidate| tree[c.id].name.is_empty() && c.own.is_empty();
        if let Some(before) =
            previous.filter(|p| found[*p].url == found[at].url && !found[*p].dropped)
        {
            if unnamed(&found[at]) {
                drop_duplicate(tree, found, before, at);
                continue;
            }
            if unnamed(&found[before]) {
                drop_duplicate(tree, found, at, before);
            }
        }
        seen.insert(key, at);
        previous = Some(at);
    }
}

fn leads_somewhere(url: &str) -> bool {
    !url.is_empty() && !url.starts_with('#') && !url.starts_with("javascript:")
}

fn drop_duplicate(tree: &Tree, found: &mut [Candidate], kept: usize, dropped: usize) {
    found[dropped].dropped = true;
    let mut references = std::mem::take(&mut found[dropped].duplicates);
    references.extend(tree[found[dropped].id].reference.clone());
    found[kept].duplicates.append(&mut references);
}

fn element(tree: &Tree, outline: &Outline, candidate: Candidate) -> Element {
    let node = &tree[candidate.id];
    let place = outline.place(candidate.id);
    // A typed value keeps its lines and spaces, because it may have to be typed again.
    let kept = |value: &str| {
        if node.role.is_editable() {
            text::truncate(value, MAX_TYPED)
        } else {
            squeezed(value)
        }
    };
    let value = node
        .value
        .as_deref()
        .filter(|v| node.role.is_editable() || shows_more(&candidate.label, v));
    let typed = || {
        let texts = tree
            .children(candidate.id)
            .map(|c| &tree[c])
            .filter(|c| c.role == Role::Text);
        let joined = squeezed(
            &texts
                .filter_map(|c| c.value.as_deref())
                .take(MAX_OPTIONS)
                .collect::<Vec<_>>()
                .join(" "),
        );
        (node.role.is_editable() && !joined.is_empty()).then_some(joined)
    };
    // A list of the page's own may show what is chosen as its content.
    let content = || {
        let inside = tree.descendants(candidate.id).map(|id| &tree[id]);
        let texts = inside.filter(|c| matches!(c.role, Role::Generic | Role::Strong));
        let said = |c: &Node| format!("{} {}", c.name, c.value.as_deref().unwrap_or_default());
        let shown = squeezed(&texts.map(said).collect::<String>());
        let is_own = node.role == Role::Combobox && shows_more(&candidate.label, &shown);
        (is_own && !shown.is_empty()).then_some(shown)
    };
    Element {
        id: candidate.id,
        reference: node.reference.clone(),
        role: closed(&node.role),
        value: value
            .map(kept)
            .or(candidate.chosen)
            .or_else(typed)
            .or_else(content),
        states: node.states.clone(),
        hints: hints(node, &candidate.label),
        url: candidate.url,
        options: candidate.options,
        more_options: candidate.more_options,
        context: None,
        in_dialog: place.area == Area::Dialog,
        landmark: place.landmark.map(|l| tree[l].role.clone()),
        label: candidate.label,
        duplicates: candidate.duplicates,
    }
}

pub(crate) fn is_hint(name: &str) -> bool {
    SHOWN.contains(&name) || TELLING.contains(&name)
}

fn hints(node: &Node, label: &str) -> Vec<(Box<str>, Box<str>)> {
    // The first attribute that says what an element without a label is for. The history uses this attribute too.
    let is_said = |name: &&&str| {
        node.property(name)
            .is_some_and(|value| !value.trim().is_empty())
    };
    let telling = TELLING.iter().filter(|_| label.is_empty()).find(is_said);
    let is_told = |(name, value): &&(Box<str>, Box<str>)| match &**name {
        "editable" => true,
        "placeholder" => **value != *label && !value.trim().is_empty(),
        name => SHOWN.contains(&name) || telling == Some(&name),
    };
    node.properties.iter().filter(is_told).cloned().collect()
}

fn shows_more(label: &str, value: &str) -> bool {
    let value = squeezed(value);
    !value.is_empty() && !label.contains(value.as_str())
}
