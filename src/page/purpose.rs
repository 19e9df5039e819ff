//! The words of a page that say what an action on one of its elements is for, as a hash.
//!
//! # Decisions
//!
//! - Memory may repeat an action only on a page that gives the same reason for it: a password may be asked for to log in
//!   or to delete an account. So the hash includes more than can make an action grave. If it differs without need, a
//!   run only asks its model.
//! - Memory stores the hash and not the words, because the page wrote them.
//! - No driver reports the method of a form. A form that sends something says so by its buttons and its fields.

use super::{
    Fingerprint, NodeId, Observation, Role, Tree,
    address::PageAddress,
    hash::without_numbers,
    label::is_field,
    outline::{is_checkable, text_within},
};
use crate::base::{short_hash, text};

/// Maximum length of a name or text. Unit: characters. Source: chosen; longer than any heading or label.
const MAX_WORDS: usize = 300;
/// Maximum number of nodes in a button or another element that are searched for its text. Source: chosen; no button has as
/// many.
const MAX_NODES_WITHIN: usize = 128;

/// Returns the hash of these parts of a page:
///
/// - The title without numbers, an open dialog, the main headings, and the headings above the element.
/// - The role, the name, the visible text and the type of the element, and the address to which it links.
/// - The texts, the buttons and the fields of the form around the element, without the values of the fields. For an element
///   that is neither a button nor a field, no form counts. Without an element, or if no form is found, the buttons
///   and the fields of the whole page count.
///
/// `plain` replaces the parts of a text that differ between runs of one task, such as the values of its parameters.
pub(crate) fn purpose(
    page: &Observation,
    element: Option<NodeId>,
    plain: impl Fn(&str) -> String,
) -> Option<Fingerprint> {
    let tree = &page.tree;
    let plain = |words: &str| plain(&text::truncate(&text::squeeze(words), MAX_WORDS));
    let mut title = String::new();
    without_numbers(&plain(&page.title), |c| title.push(c));
    let mut said = vec![vec![title]];
    said.extend(page.dialog.iter().map(|open| vec![plain(&open.message)]));
    let named = |id: NodeId| {
        let node = &tree[id];
        let text = text_within(tree, id, MAX_WORDS);
        vec![
            node.role.as_str().to_owned(),
            plain(&node.name),
            plain(&text),
        ]
    };
    let dialogs = tree.iter().filter(|(_, node)| node.role.is_dialog());
    said.extend(dialogs.map(|(_, node)| vec![plain(&node.name)]));
    said.extend(headings(tree, element).into_iter().map(named));
    let control = |id: NodeId| {
        let property = |name: &str| tree[id].property(name).unwrap_or_default().to_owned();
        let text = visible_text(tree, id);
        vec![
            tree[id].role.as_str().to_owned(),
            plain(&tree[id].name),
            plain(&text),
            property("type"),
            property("autocomplete"),
        ]
    };
    if let Some(id) = element {
        said.push(control(id));
        said.extend(leads_to(page, id).map(|url| vec![plain(&url)]));
    }
    if element.is_none_or(|id| is_control(&tree[id].role)) {
        let form = element.and_then(|id| form(tree, id));
        let (controls, texts) = parts(tree, form);
        said.extend(controls.into_iter().map(control));
        let texts = texts.into_iter().filter(|_| form.is_some());
        said.extend(texts.map(|words| vec![plain(words)]));
    }
    let bytes = serde_json::to_vec(&said).ok()?;
    Fingerprint::parse(&short_hash(bytes)).ok()
}

/// Returns the headings of the highest level on the page, and the headings above the element: the nearest heading before
/// it, the nearest one of a higher level before that, and so on.
fn headings(tree: &Tree, element: Option<NodeId>) -> Vec<NodeId> {
    let all = tree
        .iter()
        .filter(|(_, node)| node.role == Role::Heading)
        .map(|(id, node)| (id, node.states.level.unwrap_or(u8::MAX)));
    let all: Vec<(NodeId, u8)> = all.collect();
    let top = all.iter().map(|(_, level)| *level).min();
    let mut lowest: Option<u8> = None;
    let mut kept: Vec<NodeId> = Vec::new();
    for (id, level) in all.into_iter().rev() {
        let is_above = element.is_some_and(|element| id < element)
            && lowest.is_none_or(|lowest| level < lowest);
        if is_above {
            lowest = Some(level);
        }
        if is_above || Some(level) == top {
            kept.push(id);
        }
    }
    kept
}

fn is_control(role: &Role) -> bool {
    *role == Role::Button || is_field(role)
}

/// Returns the nearest form, search or dialog around the element. If there is none, returns the nearest node around it that
/// contains a button and a field that takes text.
fn form(tree: &Tree, element: NodeId) -> Option<NodeId> {
    let is_form = |id: &NodeId| {
        let role = &tree[*id].role;
        matches!(role, Role::Form | Role::Search) || role.is_dialog()
    };
    let of = |is: fn(&Role) -> bool| {
        let found = tree.iter().filter(move |(_, node)| is(&node.role));
        found.map(|(id, _)| id).collect::<Vec<_>>()
    };
    let needed = [of(|role| *role == Role::Button), of(Role::is_editable)];
    let holds_both = |id: &NodeId| {
        let last = tree.descendants(*id).next_back();
        needed.iter().all(|found| {
            let next = found.get(found.partition_point(|at| at <= id));
            next.is_some_and(|next| Some(*next) <= last)
        })
    };
    let mut around = tree.ancestors(element);
    around
        .find(is_form)
        .or_else(|| tree.ancestors(element).find(holds_both))
}

/// Returns the buttons and fields of a form, and the texts in it outside of them. Without a form, returns those of the whole
/// page.
fn parts(tree: &Tree, form: Option<NodeId>) -> (Vec<NodeId>, Vec<&str>) {
    let (mut controls, mut texts) = (Vec::new(), Vec::new());
    let last = form.and_then(|form| tree.descendants(form).next_back());
    let is_in = |id: NodeId| form.is_none_or(|form| id > form && Some(id) <= last);
    let mut covered_to: Option<NodeId> = None;
    for (id, node) in tree.iter().filter(|(id, _)| is_in(*id)) {
        if is_control(&node.role) {
            controls.push(id);
            covered_to = covered_to.max(tree.descendants(id).next_back());
        } else if node.role == Role::Text && covered_to.is_none_or(|last| id > last) {
            texts.extend(node.value.as_deref());
        }
    }
    (controls, texts)
}

/// Returns the text in a button or another element, which may differ from its name. A field has none: what it contains is its
/// value.
fn visible_text(tree: &Tree, id: NodeId) -> String {
    let node = &tree[id];
    if is_field(&node.role) && !is_checkable(&node.role) {
        return String::new();
    }
    let within = tree.descendants(id).take(MAX_NODES_WITHIN);
    let texts = within.map(|at| &tree[at]);
    let texts = texts.filter(|node| node.role == Role::Text);
    let words: Vec<&str> = texts.filter_map(|node| node.value.as_deref()).collect();
    words.join(" ")
}

/// Returns the whole address of a link, without the fragment; `None` if the element is no link.
fn leads_to(page: &Observation, id: NodeId) -> Option<String> {
    let written = page.tree[id].url.as_deref()?;
    let whole = url::Url::parse(&page.url).and_then(|base| base.join(written));
    Some(whole.map_or_else(
        |_| written.to_owned(),
        |url| PageAddress::document(url).into(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Node, counted};

    fn of(title: &str, page: &str, element: &str) -> Option<Fingerprint> {
        let tree = crate::testing::tree(page);
        let id = tree.by_ref(element).unwrap();
        let page = Observation::new("https://a.example/x?y#z", title, tree);
        purpose(&page, Some(id), str::to_owned)
    }

    #[test]
    fn a_number_in_the_title_and_what_was_typed_change_nothing() {
        let page = "textbox \"Name\" e1\nbutton \"Go\" e2";
        let inbox = of("Inbox (3)", page, "e1");
        assert!(inbox.is_some());
        assert_eq!(inbox, of("Inbox (14)", page, "e1"));
        assert_ne!(inbox, of("Trash (3)", page, "e1"));
        let typed = "textbox \"Name\" e1 = Ann\n  \"Ann\"\nbutton \"Go\" e2 [focused]";
        assert_eq!(inbox, of("Inbox (3)", typed, "e1"));
    }

    #[test]
    fn a_link_means_its_address_and_the_headings_above_it() {
        let page = |link: &str| {
            format!(
                "heading \"Desk\" [level=1]\nheading \"Cases\" [level=3]\nlink \"Open\" e1 -> {link}\nbutton \"Go\" e2"
            )
        };
        let own = of("", &page("/open?id=1"), "e1");
        assert_eq!(own, of("", &page("https://a.example/open?id=1#top"), "e1"));
        assert_ne!(own, of("", &page("/open?id=2"), "e1"));
        assert_eq!(own, of("", &page("/open?id=1").replace("Go", "Send"), "e1"));
        assert_ne!(
            own,
            of("", &page("/open?id=1").replace("Cases", "Delete"), "e1")
        );
        let before = format!("heading \"News\" [level=3]\n{}", page("/open?id=1"));
        assert_eq!(own, of("", &before, "e1"));
    }

    #[test]
    fn the_form_of_an_element_is_found_by_a_bounded_number_of_nodes_however_deep_it_is() {
        let cost = |depth: usize| {
            let mut page = Tree::builder();
            for _ in 0..depth {
                page.open(Node::new(Role::Generic, ""));
            }
            page.leaf(Node::new(Role::TextBox, "Name"));
            let tree = page.finish();
            let last = tree.iter().next_back().map(|(id, _)| id);
            let page = Observation::new("https://a.example/", "", tree);
            counted::take();
            assert!(purpose(&page, last, str::to_owned).is_some());
            counted::take()
        };
        assert!(cost(10_000) <= 1_100 * cost(10), "it grows with the page");
    }
}
