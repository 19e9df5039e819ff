//! Resolves a locator to the one element that a person would mean by it.
//!
//! A locator matches every node that has the locator's words: a button, the text in it, the row around it. If one match
//! contains another match, the outer one is dropped. If several matches remain, four tests follow in turn:
//!
//! - Can the action be done to the node?
//! - Does the node have exactly the locator's words?
//! - Is the node visible?
//! - Does the node have an interactive role?
//!
//! Each test drops the matches that fail it. If all matches fail a test, this test drops none of them.

use std::collections::BTreeSet;

use super::Resolved;
use crate::{
    base::text::{Folded, squeeze},
    page::{
        Element, Locator, LocatorStep, NodeId, PageView, Role, Tree,
        identity::{authors_name, capped},
    },
};

/// Maximum number of matches that are compared. Source: chosen; if a locator has more matches, it does not mean one element.
const MAX_MATCHES: usize = 200;

/// Maximum number of nodes, from a text outwards, that are examined to see whether a click on the text has an effect.
/// Source: chosen; this covers a text in a paragraph in a card, but not the whole page.
const MAX_AROUND: usize = 4;

/// The elements to which a kind of action can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suits {
    Fields,
    Lists,
    Boxes,
    /// All elements, except a text that contains the locator's words among other words and does not react to clicks. A click
    /// on such a text would do nothing.
    Reacting,
    All,
}

impl Suits {
    const fn takes(self, role: &Role) -> bool {
        match self {
            Self::Fields => role.is_editable(),
            Self::Lists => matches!(role, Role::Combobox | Role::ListBox),
            Self::Boxes => matches!(
                role,
                Role::Checkbox
                    | Role::Radio
                    | Role::Switch
                    | Role::MenuItemCheckbox
                    | Role::MenuItemRadio
            ),
            Self::Reacting | Self::All => true,
        }
    }
}

/// A match of a locator. `exact` is true if the node has exactly the words of the locator, and `same_case` if it also has
/// them with the same capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Match {
    id: NodeId,
    exact: bool,
    same_case: bool,
}

pub(super) fn meant(locator: &Locator, tree: &Tree, view: &PageView, suits: Suits) -> Resolved {
    let Some(by_tree) = locator.find(tree) else {
        return Resolved::Gone;
    };
    let found: BTreeSet<NodeId> = by_tree
        .into_iter()
        .chain(by_label(locator, view))
        .take(MAX_MATCHES)
        .collect();
    if found.is_empty() {
        return by_attribute(locator, tree, view);
    }
    let words = locator.steps().iter().rev().find_map(words_of);
    let folded = words.map(Folded::of);
    let mut matches: Vec<Match> = Vec::new();
    for id in &found {
        let own = Match {
            id: whole(tree, view, &found, *id),
            exact: says(tree, view, *id, |own| folded == Some(Folded::of(own))),
            same_case: says(tree, view, *id, |own| {
                words.is_some_and(|words| squeeze(own) == squeeze(words))
            }),
        };
        match matches.iter_mut().find(|known| known.id == own.id) {
            Some(known) => {
                known.exact |= own.exact;
                known.same_case |= own.same_case;
            }
            None => matches.push(own),
        }
    }
    matches.sort_unstable();
    let is_around = |outer: NodeId| {
        let last = tree.descendants(outer).next_back();
        matches
            .iter()
            .any(|inner| inner.id > outer && Some(inner.id) <= last)
    };
    let mut best: Vec<Match> = matches
        .iter()
        .filter(|each| !is_around(each.id))
        .copied()
        .collect();
    keep(&mut best, |each| suits.takes(&tree[each.id].role));
    keep(&mut best, |each| each.exact);
    // Elements with a label are printed with it, also if the label is not their name.
    keep(&mut best, |each| {
        let is_it = |e: &&Element| e.id == each.id;
        words != Some("")
            || view
                .elements
                .iter()
                .find(is_it)
                .is_some_and(|e| e.label.is_empty())
    });
    // What a field holds was perhaps typed to find the element that has these words.
    keep(&mut best, |each| {
        let node = &tree[each.id];
        !node.role.is_editable() || node.value.as_deref().map(Folded::of) != folded
    });
    keep(&mut best, |each| is_visible(tree, each.id));
    keep(&mut best, |each| tree[each.id].role.is_interactive());
    keep(&mut best, |each| each.same_case);
    let reacts = |each: &Match| {
        let around = std::iter::once(each.id).chain(tree.ancestors(each.id));
        around.take(MAX_AROUND).any(|at| {
            let node = &tree[at];
            node.role.is_interactive() || node.states.pointer || node.states.listens
        })
    };
    match best[..] {
        [] => Resolved::Gone,
        [one] if suits == Suits::Reacting && words.is_some() && !one.exact && !reacts(&one) => {
            Resolved::PartOf(one.id)
        }
        [one] => Resolved::Same(one.id),
        [one, ..] if lead_to_one_page(tree, &best) => Resolved::Same(one.id),
        _ => Resolved::Ambiguous(best.into_iter().map(|each| each.id).collect()),
    }
}

/// Returns true if all matches are links to the same address, as above and below a form. Then it does not matter which is clicked.
fn lead_to_one_page(tree: &Tree, matches: &[Match]) -> bool {
    let address = |each: &Match| {
        let node = &tree[each.id];
        let url = node.property("url").filter(|_| node.role == Role::Link)?;
        (!url.is_empty() && !url.starts_with('#') && !url.starts_with("javascript:")).then_some(url)
    };
    let first = matches.first().and_then(address);
    first.is_some() && matches.iter().all(|each| address(each) == first)
}

/// Returns true if a person sees the node, as far as the driver tells: it has a reference, and is not hidden from screen readers.
fn is_visible(tree: &Tree, id: NodeId) -> bool {
    tree[id].reference.is_some() && tree[id].property("aria-hidden").is_none()
}

fn keep(all: &mut Vec<Match>, test: impl Fn(&Match) -> bool) {
    if all.iter().any(&test) {
        all.retain(test);
    }
}

fn words_of(step: &LocatorStep) -> Option<&str> {
    match step {
        LocatorStep::Role { name, .. } => name.as_deref(),
        LocatorStep::Label(words)
        | LocatorStep::Text(words)
        | LocatorStep::ExactText(words)
        | LocatorStep::Placeholder(words)
        | LocatorStep::Alt(words) => Some(words),
        _ => None,
    }
}

/// Returns the elements whose label contains the locator's words. The label is what the prompt shows for the element,
/// and it may differ from the element's name. Returns none unless the locator is a single step: a text, a label, or a
/// role with a name that need not match exactly.
fn by_label<'v>(locator: &Locator, view: &'v PageView) -> impl Iterator<Item = NodeId> + 'v {
    let (role, words) = match (role_and_name(locator), locator.steps()) {
        (Some((role, name)), _) => (Some(role.clone()), Some(name)),
        (None, [LocatorStep::Text(words) | LocatorStep::Label(words)]) => (None, Some(&**words)),
        _ => (None, None),
    };
    let words = words.map(Folded::of);
    view.elements.iter().filter_map(move |element| {
        let is_role = role.as_ref().is_none_or(|role| *role == element.role);
        let is_it = is_role && Folded::of(&element.label).contains(words.as_ref()?);
        is_it.then_some(element.id)
    })
}

/// Returns the role and the name of a locator that consists of them (`role "name"` in the model's words). Returns `None` for
/// any other locator, and for one whose name must match exactly.
fn role_and_name(locator: &Locator) -> Option<(&Role, &str)> {
    match locator.steps() {
        [
            LocatorStep::Role {
                role,
                name: Some(name),
                exact: false,
            },
        ] => Some((role, name)),
        _ => None,
    }
}

/// Returns the role and the words of a locator of one step; the role is `None` for words alone. Returns `None` for a locator of
/// any other form.
pub(super) fn role_and_words(locator: &Locator) -> Option<(Option<&Role>, &str)> {
    match locator.steps() {
        [
            LocatorStep::Role {
                role,
                name: Some(words),
                ..
            },
        ] => Some((Some(role), words)),
        [LocatorStep::Text(words) | LocatorStep::ExactText(words) | LocatorStep::Label(words)] => {
            Some((None, words))
        }
        _ => None,
    }
}

/// Resolves a locator that names an element by its role and an attribute (`textbox "@number"`), as the history does if the
/// element has no name or label. The attribute is not visible on the page, so it is compared only if nothing matches the
/// locator's words.
fn by_attribute(locator: &Locator, tree: &Tree, view: &PageView) -> Resolved {
    let Some((role, name)) = role_and_name(locator) else {
        return Resolved::Gone;
    };
    let is_it = |element: &&Element| {
        let node = &tree[element.id];
        element.role == *role
            && element.label.is_empty()
            && node.name.is_empty()
            && node.reference.is_some()
            && capped(authors_name(node)) == name
    };
    let ids: Vec<NodeId> = view.elements.iter().filter(is_it).map(|e| e.id).collect();
    match ids[..] {
        [] => Resolved::Gone,
        [one] => Resolved::Same(one),
        _ => Resolved::Ambiguous(ids),
    }
}

/// Returns the element to which a match belongs.
///
/// - The search goes from the match outwards. It ends at the nearest interactive node that is itself a match.
/// - If there is no such node, the nearest node with a reference is returned, but only if it has no other text than the
///   match.
/// - If there is no such node either, the match is returned.
fn whole(tree: &Tree, view: &PageView, found: &BTreeSet<NodeId>, id: NodeId) -> NodeId {
    let around = || std::iter::once(id).chain(tree.ancestors(id));
    let reacts = around().find(|at| tree[*at].role.is_interactive() && found.contains(at));
    let with_reference = || around().find(|at| tree[*at].reference.is_some());
    let own = |at: NodeId| at == id || squeeze(&tree.text_of(at)) == squeeze(&tree.text_of(id));
    let whole = reacts
        .or_else(|| with_reference().filter(|at| own(*at)))
        .unwrap_or(id);
    // That node may be a duplicate, for which another element stands.
    let reference = tree[whole].reference.as_ref();
    let shown = reference.and_then(|r| view.elements.iter().find(|e| e.answers_to(r)));
    shown.map_or(whole, |element| element.id)
}

/// Returns true if a text of the node, put into normal form, is equal to `words`.
fn says(tree: &Tree, view: &PageView, id: NodeId, is_it: impl Fn(&str) -> bool) -> bool {
    let node = &tree[id];
    is_it(&node.name)
        || node.value.as_deref().is_some_and(&is_it)
        || view.elements.iter().any(|e| e.id == id && is_it(&e.label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{ElementRef, Node, PageHead, TreeBuilder, ViewOptions, interpret};

    fn node(role: Role, name: &str, reference: &str) -> Node {
        Node::new(role, name).with_ref(ElementRef::parse(reference).unwrap())
    }

    /// Returns the reference of each node that is meant, or `-` for a node without a reference.
    fn means(build: impl FnOnce(&mut TreeBuilder), locator: &str, suits: Suits) -> Vec<String> {
        let mut builder = Tree::builder();
        build(&mut builder);
        let tree = builder.finish();
        let view = interpret(&PageHead::default(), &tree, &ViewOptions::default());
        let locator = Locator::parse(locator).unwrap();
        let ids = match meant(&locator, &tree, &view, suits) {
            Resolved::PartOf(id) => vec![id],
            Resolved::Ambiguous(ids) => ids,
            other => other.one().into_iter().collect(),
        };
        let said = |id: NodeId| tree[id].reference.as_ref().map_or("-", |r| r.as_str());
        ids.into_iter().map(|id| said(id).to_owned()).collect()
    }

    fn mail(b: &mut TreeBuilder) {
        b.leaf(node(Role::Heading, "Reply", "e1"));
        b.open(node(Role::ListItem, "Ada Reply Forward", "e2"));
        b.open(node(Role::Button, "Reply", "e3"));
        b.leaf(Node::text("Reply"));
        b.close();
        b.leaf(node(Role::Button, "Reply all", "e4"));
        b.open(node(Role::Generic, "", "e5"));
        b.leaf(Node::text("Forward"));
        b.close();
        b.close();
        b.open(node(Role::Generic, "", "e6"));
        b.leaf(Node::text("Loose"));
        b.leaf(Node::text("Words"));
        b.close();
    }

    #[test]
    fn links_with_one_name_to_one_page_are_one() {
        for (urls, meant) in [
            (["/issues/3/edit", "/issues/3/edit"], vec!["e1"]),
            (["/issues/3/edit", "/issues/4/edit"], vec!["e1", "e2"]),
            (["#", "#"], vec!["e1", "e2"]),
        ] {
            let build = |b: &mut TreeBuilder| {
                for (url, reference) in urls.into_iter().zip(["e1", "e2"]) {
                    let mut link = node(Role::Link, "Edit", reference);
                    link.properties.push(("url".into(), url.into()));
                    b.leaf(link);
                }
            };
            assert_eq!(means(build, r#"role=link[name="Edit"]"#, Suits::All), meant);
        }
    }

    #[test]
    fn the_row_that_a_search_found_is_meant_and_not_the_field_with_its_words() {
        let found = |b: &mut TreeBuilder| {
            b.leaf(node(Role::SearchBox, "Search", "e1").with_value("Nordhaven"));
            b.leaf(node(Role::Cell, "Nordhaven", "e2"));
        };
        assert_eq!(means(found, "text=\"Nordhaven\"", Suits::All), ["e2"]);
        assert_eq!(means(found, "text=\"Nordhaven\"", Suits::Fields), ["e1"]);
    }

    #[test]
    fn the_words_of_one_element_mean_it() {
        for (locator, meant) in [
            // The button is meant, not the heading, the row around it, the text in it, or the button with more words.
            (r#"text="Reply""#, "e3"),
            (r#"text="reply""#, "e3"),
            (r#"role=button[name="Reply"]"#, "e3"),
            (r#"role=heading[name="Reply"]"#, "e1"),
            (r#"text="Reply al""#, "e4"),
            // A text without a reference stands for the box that contains nothing else.
            (r#"text="Forward""#, "e5"),
            (r#"text="Loose""#, "-"),
            (r#"role=listitem >> role=button[name="all"]"#, "e4"),
        ] {
            assert_eq!(means(mail, locator, Suits::All), [meant], "{locator}");
        }
        for nothing in [
            r#"text="Archive""#,
            r#"css="button""#,
            r#"role=button[name="Reply" exact] >> nth=4"#,
        ] {
            assert_eq!(means(mail, nothing, Suits::All), [""; 0], "{nothing}");
        }
    }

    #[test]
    fn a_part_of_a_text_that_does_not_react_is_no_target_of_a_click() {
        let part = |locator: &str, suits| {
            let mut builder = Tree::builder();
            builder.leaf(node(Role::Paragraph, "Click on the link Next.", "e1"));
            builder.leaf(node(Role::Button, "Go back", "e2"));
            let mut card = node(Role::Generic, "", "e3");
            card.states.pointer = true;
            builder.open(card);
            builder.leaf(node(Role::Heading, "Kayak", "e4"));
            builder.leaf(node(Role::Paragraph, "Two seats, blue", "e5"));
            builder.close();
            let tree = builder.finish();
            let view = interpret(&PageHead::default(), &tree, &ViewOptions::default());
            let found = meant(&Locator::parse(locator).unwrap(), &tree, &view, suits);
            matches!(found, Resolved::PartOf(_))
        };
        assert!(part(r#"text="Next.""#, Suits::Reacting));
        assert!(!part(r#"text="Next.""#, Suits::All));
        assert!(!part(r#"text="Click on the link Next.""#, Suits::Reacting));
        assert!(!part(r#"text="Go""#, Suits::Reacting));
        // The card around the text takes the click.
        assert!(!part(r#"text="Two seats""#, Suits::Reacting));
    }

    #[test]
    fn an_element_without_a_name_is_meant_by_its_attribute_only_if_nothing_else_is() {
        let form = |b: &mut TreeBuilder| {
            let fields = [
                ("", "@number", "e1"),
                ("Street", "@street", "e2"),
                ("Email address", "newsletter", "e3"),
                ("", "email", "e4"),
                ("", "twice", "e5"),
                ("", "twice", "e6"),
            ];
            for (label, attribute, reference) in fields {
                let mut field = node(Role::TextBox, label, reference);
                field.properties.push(("name".into(), attribute.into()));
                b.leaf(field);
            }
        };
        for (locator, meant) in [
            (r#"role=textbox[name="@number"]"#, vec!["e1"]),
            (r#"role=textbox[name="twice"]"#, vec!["e5", "e6"]),
            // A name that a person can read comes first, although it has more words.
            (r#"role=textbox[name="email"]"#, vec!["e3"]),
            (r#"role=textbox[name="number"]"#, vec![]),
            (r#"role=button[name="@number"]"#, vec![]),
            (r#"role=textbox[name="@street"]"#, vec![]),
            (r#"text="@number""#, vec![]),
        ] {
            assert_eq!(means(form, locator, Suits::Fields), meant, "{locator}");
        }
    }

    #[test]
    fn words_of_several_mean_each_of_them() {
        let rows = |b: &mut TreeBuilder| {
            for (row, button) in [("e1", "e2"), ("e3", "e4")] {
                b.open(node(Role::Row, "", row));
                b.leaf(node(Role::Button, "Edit", button));
                b.close();
            }
        };
        assert_eq!(means(rows, r#"text="Edit""#, Suits::All), ["e2", "e4"]);
        assert_eq!(means(rows, "role=button >> nth=1", Suits::All), ["e4"]);
        // Capital letters decide only between elements that have the same words.
        let tabs = |b: &mut TreeBuilder| {
            for (name, link) in [("edit", "e1"), ("Edit", "e2"), ("edit", "e3")] {
                b.leaf(node(Role::Link, name, link));
            }
        };
        assert_eq!(means(tabs, r#"text="Edit""#, Suits::All), ["e2"]);
        assert_eq!(means(tabs, r#"text="edit""#, Suits::All), ["e1", "e3"]);
        assert_eq!(means(tabs, r#"text="EDIT""#, Suits::All).len(), 3);
    }

    #[test]
    fn of_equal_elements_the_visible_one_is_meant() {
        let twice = |b: &mut TreeBuilder| {
            b.leaf(Node::new(Role::Button, "Save"));
            b.leaf(node(Role::Button, "Save", "e1"));
            let mut hidden = node(Role::Button, "Save", "e2");
            hidden
                .properties
                .push(("aria-hidden".into(), "true".into()));
            b.leaf(hidden);
            let mut alone = node(Role::Button, "Send", "e3");
            alone.properties.push(("aria-hidden".into(), "true".into()));
            b.leaf(alone);
        };
        assert_eq!(means(twice, r#"text="Save""#, Suits::Reacting), ["e1"]);
        assert_eq!(means(twice, r#"text="Send""#, Suits::Reacting), ["e3"]);
    }

    #[test]
    fn an_empty_name_means_the_elements_without_a_label() {
        let form = |b: &mut TreeBuilder| {
            b.leaf(Node::text("Colour"));
            b.leaf(node(Role::TextBox, "", "e1"));
            b.leaf(node(Role::Button, "Go", "e2"));
            b.leaf(node(Role::TextBox, "", "e3"));
            b.leaf(node(Role::TextBox, "Name", "e4"));
        };
        let nameless = r#"role=textbox[name="" exact]"#;
        assert_eq!(means(form, nameless, Suits::Fields), ["e3"]);
    }

    #[test]
    fn words_mean_what_the_action_can_be_done_to() {
        let form = |b: &mut TreeBuilder| {
            b.leaf(node(Role::Generic, "User", "e1"));
            b.leaf(node(Role::TextBox, "User name", "e2"));
            b.leaf(node(Role::Button, "User", "e3"));
            b.leaf(node(Role::Checkbox, "User rights", "e4"));
        };
        for (suits, meant) in [
            (Suits::Fields, "e2"),
            (Suits::Boxes, "e4"),
            (Suits::All, "e3"),
        ] {
            assert_eq!(means(form, r#"text="User""#, suits), [meant], "{suits:?}");
        }
    }

    #[test]
    fn a_field_is_meant_by_the_label_that_is_printed() {
        let form = |b: &mut TreeBuilder| {
            b.leaf(Node::text("Colour"));
            b.leaf(node(Role::TextBox, "", "e1"));
        };
        let by = |locator| means(form, locator, Suits::Fields);
        assert_eq!(by(r#"role=textbox[name="Colour"]"#), ["e1"]);
        assert_eq!(by(r#"text="Colour""#), ["e1"]);
    }
}
