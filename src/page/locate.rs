//! Finds the nodes of a tree that a locator matches. Some steps of locators, such as CSS selectors, cannot be evaluated,
//! because a tree does not contain the data that they need.

use std::ops::Range;

use super::{Locator, LocatorStep, Node, NodeId, Role, Tree};
use crate::base::text::{Folded, squeeze};

impl Locator {
    /// Returns the nodes that the locator matches, in document order. Returns `None` if the locator cannot be evaluated
    /// on a tree: it has a step for a CSS selector, a test id, a title or a frame, or it begins with
    /// [`LocatorStep::HasText`] or [`LocatorStep::Nth`].
    ///
    /// ```
    /// use webwise::page::{Locator, Node, Role, Tree};
    ///
    /// let mut page = Tree::builder();
    /// page.leaf(Node::new(Role::Button, "Buy now"));
    /// let tree = page.finish();
    /// assert_eq!(Locator::parse(r#"role=button[name="buy"]"#)?.find(&tree).unwrap().len(), 1);
    /// assert_eq!(Locator::parse(r##"css="#buy""##)?.find(&tree), None);
    /// # Ok::<(), webwise::Error>(())
    /// ```
    pub fn find(&self, tree: &Tree) -> Option<Vec<NodeId>> {
        let mut found: Option<Vec<NodeId>> = None;
        for step in self.steps() {
            found = Some(match step {
                LocatorStep::HasText(text) => {
                    let shown = Shown::of(tree, text);
                    found?.into_iter().filter(|id| shown.is_in(*id)).collect()
                }
                LocatorStep::Nth(place) => nth(&found?, *place).into_iter().collect(),
                LocatorStep::Css(_)
                | LocatorStep::TestId(_)
                | LocatorStep::Title(_)
                | LocatorStep::Frame => {
                    return None;
                }
                step => inside(tree, found.as_deref(), |node| matches(node, step)),
            });
        }
        found
    }
}

/// Returns the nodes below those in `within` for which `test` returns true. Searches the whole tree if `within` is `None`.
fn inside(tree: &Tree, within: Option<&[NodeId]>, test: impl Fn(&Node) -> bool) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = match within {
        None => tree
            .iter()
            .map(|(id, _)| id)
            .filter(|id| test(&tree[*id]))
            .collect(),
        Some(roots) => {
            // The nodes found so far are in document order and may contain each other. Still, each node below them is
            // searched only once.
            let mut searched_to: Option<NodeId> = None;
            let mut found = Vec::new();
            for root in roots {
                let last = tree.descendants(*root).next_back();
                if last > searched_to {
                    let below = tree.descendants(*root);
                    let new = below
                        .rev()
                        .take_while(|id| searched_to.is_none_or(|to| *id > to));
                    found.extend(new.filter(|id| test(&tree[*id])));
                    searched_to = last;
                }
            }
            found
        }
    };
    found.sort_unstable();
    found
}

/// The places at which a text occurs in the joined texts of all nodes, compared as in [`contains`]. One search in the joined
/// texts replaces a search in each node.
struct Shown {
    /// For each node, the range of its own words and of the words of the nodes inside it, in the joined text.
    spans: Vec<Range<usize>>,
    /// The positions in the joined text at which the wanted text begins, in order.
    starts: Vec<usize>,
    len: usize,
}

impl Shown {
    fn of(tree: &Tree, wanted: &str) -> Self {
        let mut all = String::new();
        let mut begins: Vec<Range<usize>> = Vec::with_capacity(tree.len());
        for node in tree.nodes() {
            let begin = all.len();
            for part in [&*node.name, node.value.as_deref().unwrap_or_default()] {
                let part = Folded::of(part);
                if !part.as_str().is_empty() {
                    all.push(' ');
                    all.push_str(part.as_str());
                }
            }
            begins.push(begin..all.len());
        }
        let spans = tree
            .iter()
            .map(|(id, _)| {
                let last = tree.descendants(id).next_back().unwrap_or(id);
                begins[id.index()].start..begins[last.index()].end
            })
            .collect();
        let wanted = Folded::of(wanted);
        let wanted = wanted.as_str();
        let step = wanted.chars().next().map_or(1, char::len_utf8);
        let next = |from: usize| Some(from + all.get(from..)?.find(wanted)?);
        let starts = std::iter::successors(next(0), |at| next(at + step)).collect();
        Self {
            spans,
            starts,
            len: wanted.len(),
        }
    }

    fn is_in(&self, id: NodeId) -> bool {
        let span = &self.spans[id.index()];
        let first = self.starts.partition_point(|start| *start < span.start);
        self.starts
            .get(first)
            .is_some_and(|start| start + self.len <= span.end)
    }
}

fn matches(node: &Node, step: &LocatorStep) -> bool {
    match step {
        LocatorStep::Role { role, name, exact } => {
            node.role == *role
                && name.as_deref().is_none_or(|wanted| {
                    if *exact {
                        squeeze(&node.name) == squeeze(wanted)
                    } else {
                        contains(&node.name, wanted)
                    }
                })
        }
        LocatorStep::Label(text) => node.role.is_interactive() && contains(&node.name, text),
        LocatorStep::Placeholder(text) => node
            .property("placeholder")
            .is_some_and(|shown| contains(shown, text)),
        LocatorStep::Alt(text) => node.role == Role::Img && contains(&node.name, text),
        LocatorStep::Text(text) => {
            contains(&node.name, text) || node.value.as_deref().is_some_and(|v| contains(v, text))
        }
        LocatorStep::ExactText(text) => {
            let is_equal = |own: &str| squeeze(own) == squeeze(text);
            is_equal(&node.name) || node.value.as_deref().is_some_and(is_equal)
        }
        _ => false,
    }
}

fn contains(text: &str, part: &str) -> bool {
    Folded::of(text).contains(&Folded::of(part))
}

fn nth(found: &[NodeId], place: i32) -> Option<NodeId> {
    let index = usize::try_from(place).ok().or_else(|| {
        let from_end = usize::try_from(place.unsigned_abs()).ok()?;
        found.len().checked_sub(from_end)
    })?;
    found.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> Tree {
        let mut b = Tree::builder();
        b.open(Node::new(Role::List, ""));
        for name in ["Kayak", "Canoe"] {
            b.open(Node::new(Role::ListItem, ""));
            b.leaf(Node::text(name));
            b.leaf(Node::new(Role::Button, "Buy"));
            b.close();
        }
        b.close();
        b.finish()
    }

    fn found(locator: &str) -> Option<Vec<usize>> {
        let ids = Locator::parse(locator).unwrap().find(&page())?;
        Some(ids.into_iter().map(NodeId::index).collect())
    }

    #[test]
    fn steps_search_inside_what_the_one_before_found() {
        assert_eq!(found("role=button"), Some(vec![3, 6]));
        assert_eq!(
            found(r#"role=listitem >> has-text="canoe" >> role=button"#),
            Some(vec![6])
        );
        assert_eq!(found("role=button >> nth=-1"), Some(vec![6]));
        assert_eq!(found("role=button >> nth=2"), Some(vec![]));
        assert_eq!(found("role=button >> nth=-3"), Some(vec![]));
        assert_eq!(found(r#"role=button[name="BU" exact]"#), Some(vec![]));
    }

    #[test]
    fn an_exact_text_is_the_whole_text_with_its_case() {
        assert_eq!(found(r#"text="canoe""#), Some(vec![5]));
        assert_eq!(found(r#"text="Canoe" exact"#), Some(vec![5]));
        assert_eq!(found(r#"text="canoe" exact"#), Some(vec![]));
        assert_eq!(found(r#"text="Can" exact"#), Some(vec![]));
    }

    #[test]
    fn a_text_is_found_across_what_is_in_an_element_and_never_across_its_border() {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Group, ""));
        b.open(Node::new(Role::Group, "aa"));
        b.leaf(Node::text("A  b"));
        b.close();
        b.leaf(Node::text("c"));
        b.close();
        b.leaf(Node::new(Role::Group, "c"));
        let tree = b.finish();
        let found = |text: &str| {
            let locator = format!("role=group >> has-text={}", serde_json::Value::from(text));
            let ids = Locator::parse(&locator).unwrap().find(&tree).unwrap();
            ids.into_iter().map(NodeId::index).collect::<Vec<_>>()
        };
        assert_eq!(found("a b c"), [0]);
        assert_eq!(found("aa a"), [0, 1]);
        assert_eq!(found("A B"), [0, 1]);
        assert_eq!(found("c c"), [0; 0]);
        assert_eq!(found("c"), [0, 4]);
        let mut page = Tree::builder();
        page.open(Node::new(Role::Group, "a"));
        page.leaf(Node::new(Role::Group, "aa"));
        let tree = page.finish();
        let locator = Locator::parse(r#"role=group >> has-text="a""#).unwrap();
        assert_eq!(locator.find(&tree).unwrap().len(), 2);
    }

    #[test]
    fn what_a_tree_cannot_tell_is_not_guessed() {
        for locator in [
            r#"css="button""#,
            r#"testid="x""#,
            r#"role=button >> css="b""#,
        ] {
            assert_eq!(found(locator), None, "{locator}");
        }
    }
}
