//! Two trees of one page: which nodes are the same, and what the others differ in.

use std::collections::HashMap;

use webwise::page::{Node, NodeId, Role, States, Tree};

use crate::tree_parity::fold;

/// Maximum number of pairs of nodes that are compared where two trees differ. Source: chosen; past it nodes are compared by
/// their places, which finds fewer equal ones.
const MOST_PAIRS: usize = 16_000_000;

/// All that both drivers say of a node; references are the driver's own, so only whether there is one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Seen<'a> {
    depth: usize,
    role: &'a Role,
    name: &'a str,
    states: &'a States,
    value: Option<&'a str>,
    url: Option<&'a str>,
    properties: &'a [(Box<str>, Box<str>)],
    is_referable: bool,
}

impl Seen<'_> {
    /// In what two nodes differ, most telling first.
    fn differs(&self, other: &Self) -> &'static str {
        if self.role != other.role {
            "role"
        } else if self.name != other.name {
            "name"
        } else if self.value != other.value {
            "value"
        } else if self.states != other.states {
            "states"
        } else if self.depth != other.depth {
            "nesting"
        } else if (self.url, self.properties) != (other.url, other.properties) {
            "properties"
        } else {
            "reference"
        }
    }

    fn line(&self) -> String {
        let text: String = format!("{:?}", (self.name, self.value, self.states))
            .chars()
            .take(160)
            .collect();
        format!("{}{} {text}", "  ".repeat(self.depth.min(20)), self.role)
    }
}

/// One node that is not the same in both trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) cause: &'static str,
    /// The tool's node, and ours.
    pub(crate) nodes: [Option<String>; 2],
}

#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// Nodes that are the same, of the nodes of the larger tree.
    pub(crate) equal: usize,
    pub(crate) nodes: usize,
    pub(crate) differences: Vec<Difference>,
}

impl Comparison {
    /// `0.0..=1.0`; a page that both see empty is the same.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a page has fewer nodes than a float has digits"
    )]
    pub(crate) fn share(&self) -> f64 {
        if self.nodes == 0 {
            1.0
        } else {
            self.equal as f64 / self.nodes as f64
        }
    }
}

fn seen(tree: &Tree) -> Vec<Seen<'_>> {
    let mut depths: Vec<usize> = Vec::with_capacity(tree.len());
    tree.iter()
        .map(|(id, node): (_, &Node)| {
            let depth = tree
                .parent(id)
                .map_or(0, |parent| depths[parent.index()] + 1);
            depths.push(depth);
            Seen {
                depth,
                role: &node.role,
                name: &node.name,
                states: &node.states,
                value: node.value.as_deref(),
                url: node.url.as_deref(),
                properties: &node.properties,
                is_referable: node.reference.is_some(),
            }
        })
        .collect()
}

/// Compares the tool's tree with ours.
///
/// What listens for clicks is left out: the tool cannot tell. Where that makes a piece of a text a node of its own, which it
/// is in our tree only, the texts are compared without their pieces.
pub(crate) fn compare(theirs: &Tree, ours: &Tree) -> Comparison {
    let plain = compare_all(&deaf(theirs), &deaf(ours));
    let listens = |tree: &Tree| tree.iter().any(|(_, node)| is_piece(node));
    if plain.differences.is_empty() || !listens(ours) {
        return plain;
    }
    let whole = compare_all(&fold::folded(theirs), &fold::folded(ours));
    if whole.share() > plain.share() {
        whole
    } else {
        plain
    }
}

/// Whether a node may be there in our tree only.
fn is_piece(node: &Node) -> bool {
    let is_told = node.states.listens || node.states.pointer || node.property("editable").is_some();
    is_told && matches!(node.role, Role::Generic | Role::Img)
}

/// Properties that the drivers ask for where something can be acted on.
const ASKED: [&str; 8] = [
    "autocomplete",
    "current",
    "icon",
    "inputmode",
    "name",
    "testid",
    "type",
    "valuetext",
];

/// The tree without what is only told because something listens.
fn deaf(tree: &Tree) -> Tree {
    let mut out = Tree::builder().with_max_nodes(usize::MAX);
    let mut open: Vec<NodeId> = Vec::new();
    for (id, node) in tree.iter() {
        while open.last().copied() != tree.parent(id) {
            open.pop();
            out.close();
        }
        out.open(deafened(node));
        open.push(id);
    }
    out.finish()
}

/// A node without what is only told because it listens.
pub(crate) fn deafened(node: &Node) -> Node {
    let mut node = node.clone();
    let is_asked = node.role.is_interactive()
        || node.states.pointer
        || node.property("editable").is_some()
        || matches!(
            node.role,
            Role::Img | Role::ProgressBar | Role::Meter | Role::ScrollBar | Role::GridCell
        );
    node.states.listens = false;
    if !is_asked {
        node.properties
            .retain(|(name, _)| !ASKED.contains(&&**name));
    }
    node
}

fn compare_all(theirs: &Tree, ours: &Tree) -> Comparison {
    let (theirs, ours) = (seen(theirs), seen(ours));
    let nodes = theirs.len().max(ours.len());
    let head = theirs.iter().zip(&ours).take_while(|(a, b)| a == b).count();
    let rest = (&theirs[head..], &ours[head..]);
    let tail = rest
        .0
        .iter()
        .rev()
        .zip(rest.1.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (left, right) = (
        &rest.0[..rest.0.len() - tail],
        &rest.1[..rest.1.len() - tail],
    );
    let pairs = matched(left, right);
    let mut differences = Vec::new();
    let mut from = (0, 0);
    for &(a, b) in pairs.iter().chain([&(left.len(), right.len())]) {
        differ(&left[from.0..a], &right[from.1..b], &mut differences);
        from = (a + 1, b + 1);
    }
    Comparison {
        equal: head + tail + pairs.len(),
        nodes,
        differences,
    }
}

/// Pairs of equal nodes in the order of both lists, as many as there are.
fn matched(left: &[Seen<'_>], right: &[Seen<'_>]) -> Vec<(usize, usize)> {
    let mut numbers = HashMap::new();
    let mut number = |seen| {
        let next = numbers.len();
        *numbers.entry(seen).or_insert(next)
    };
    let a: Vec<usize> = left.iter().map(&mut number).collect();
    let b: Vec<usize> = right.iter().map(&mut number).collect();
    if a.len() * b.len() > MOST_PAIRS {
        let same = a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a == b);
        return same.map(|(at, _)| (at, at)).collect();
    }
    // How many pairs the rests from here on have at most.
    let width = b.len() + 1;
    let mut best = vec![0_u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            best[i * width + j] = if a[i] == b[j] {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// The nodes between two that are the same.
fn differ(left: &[Seen<'_>], right: &[Seen<'_>], differences: &mut Vec<Difference>) {
    for at in 0..left.len().max(right.len()) {
        let (theirs, ours) = (left.get(at), right.get(at));
        let cause = match (theirs, ours) {
            (Some(theirs), Some(ours)) => theirs.differs(ours),
            (Some(_), None) => "missing",
            _ => "additional",
        };
        differences.push(Difference {
            cause,
            nodes: [theirs.map(Seen::line), ours.map(Seen::line)],
        });
    }
}

#[cfg(test)]
mod tests {
    use webwise::page::ElementRef;

    use super::*;

    fn list(change: impl Fn(usize, Node) -> Option<Node>) -> Tree {
        let mut tree = Tree::builder();
        tree.open(Node::new(Role::List, "L"));
        for at in 0..5 {
            let node = Node::new(Role::Button, format!("b{at}"))
                .with_ref(ElementRef::parse(&format!("e{at}")).unwrap());
            if let Some(node) = change(at, node) {
                tree.leaf(node);
            }
        }
        tree.close();
        tree.finish()
    }

    type Change = fn(&mut Node);

    fn summary(compared: &Comparison) -> (usize, usize, Vec<&'static str>) {
        let causes = compared
            .differences
            .iter()
            .map(|difference| difference.cause)
            .collect();
        (compared.equal, compared.nodes, causes)
    }

    #[test]
    fn every_part_of_a_node_counts_and_is_named_as_the_cause() {
        let plain = list(|_, node| Some(node));
        let changes: [(&str, Change); 7] = [
            ("role", |node| node.role = Role::Link),
            ("name", |node| node.name = "x".into()),
            ("value", |node| node.value = Some("x".into())),
            ("states", |node| node.states.pointer = true),
            ("properties", |node| node.url = Some("/x".into())),
            ("properties", |node| {
                node.properties = vec![("placeholder".into(), "x".into())];
            }),
            ("reference", |node| node.reference = None),
        ];
        for (cause, change) in changes {
            let changed = list(|at, mut node| {
                if at == 2 {
                    change(&mut node);
                }
                Some(node)
            });
            assert_eq!(summary(&compare(&plain, &changed)), (5, 6, vec![cause]));
        }
        let without = list(|at, node| (at != 2).then_some(node));
        assert_eq!(summary(&compare(&plain, &without)), (5, 6, vec!["missing"]));
        assert_eq!(
            summary(&compare(&without, &plain)),
            (5, 6, vec!["additional"])
        );
        let all = compare(&plain, &plain);
        assert!(
            all.equal == 6
                && all.differences.is_empty()
                && (all.share() - 1.0).abs() < f64::EPSILON
        );
    }

    #[test]
    fn a_node_in_another_place_of_the_tree_is_not_the_same() {
        let flat = list(|_, node| Some(node));
        let mut tree = Tree::builder();
        tree.leaf(Node::new(Role::List, "L"));
        for node in &flat.nodes()[1..] {
            tree.leaf(node.clone());
        }
        let compared = compare(&flat, &tree.finish());
        assert_eq!((compared.equal, compared.differences.len()), (1, 5));
        assert!(
            compared
                .differences
                .iter()
                .all(|difference| difference.cause == "nesting")
        );
    }

    #[test]
    fn what_listens_is_not_compared_and_may_be_a_node_of_its_own() {
        let page = |pieces: &[Node]| {
            let mut tree = Tree::builder();
            tree.open(Node::new(Role::Paragraph, ""));
            for piece in pieces {
                tree.leaf(piece.clone());
            }
            tree.close();
            tree.leaf(Node::new(Role::Button, "Go"));
            tree.finish()
        };
        let mut word = Node::new(Role::Generic, "").with_value("Reply");
        word.states.listens = true;
        word.properties = vec![("testid".into(), "x".into())];
        let mut box_ = Node::new(Role::Generic, "");
        box_.states.listens = true;
        let ours = page(&[Node::text("To"), word, Node::text(", now"), box_]);
        let mut whole = Tree::builder();
        whole.leaf(Node::new(Role::Paragraph, "").with_value("To Reply, now"));
        whole.leaf(Node::new(Role::Button, "Go"));
        let whole = whole.finish();
        let compared = compare(&whole, &ours);
        assert_eq!(compared.equal, compared.nodes, "{:?}", compared.differences);
        let mut other = Tree::builder();
        other.leaf(Node::new(Role::Paragraph, "").with_value("To Forward, now"));
        other.leaf(Node::new(Role::Button, "Go"));
        assert!(!compare(&other.finish(), &ours).differences.is_empty());
    }

    #[test]
    fn references_of_two_drivers_are_not_compared_by_their_numbers() {
        let plain = list(|_, node| Some(node));
        let other = list(|at, node| {
            Some(node.with_ref(ElementRef::parse(&format!("e{}", at + 70)).unwrap()))
        });
        assert_eq!(compare(&plain, &other).equal, 6);
    }
}
