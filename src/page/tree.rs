//! The page tree: accessible nodes in document order, in one flat list.

mod builder;
mod frames;

use std::{collections::HashMap, ops::Range};

use serde::{Deserialize, Serialize};

pub use builder::{MAX_NODES, TreeBuilder};

use super::{ElementRef, Role};

/// The position of a node in its [`Tree`], counted in document order from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(u32);

impl NodeId {
    /// Returns the node's index in [`Tree::nodes`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The state of an element that can be on, off, or partly on, such as a checkbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tri {
    /// The state is off.
    False,
    /// The state is on.
    True,
    /// The state is partly on. An example is a checkbox above a list in which only some items are ticked.
    Mixed,
}

/// The states of an element, such as checked or disabled. A state that is `None` does not apply to the element, or it
/// is off and the driver does not report that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent states of the accessibility tree, not a mode"
)]
pub struct States {
    /// The state of a checkbox, radio button, switch or menu item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<Tri>,
    /// The state of a toggle button.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressed: Option<Tri>,
    /// True if the element is expanded, such as a menu that shows its items; false if it is collapsed. `None` if the
    /// element can be neither, or if it is collapsed and the driver does not report that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<bool>,
    /// True if an option, tab or row is selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// True if the element cannot be used now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// True if the element has the focus.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    /// True if the mouse pointer becomes a hand when it is on the node. The node is then probably clickable, whatever
    /// its role says. False for a node inside another one with the hand: drivers report only the outermost node.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pointer: bool,
    /// Level of a heading or tree item, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// True if the page itself reports that the value in this field is not valid.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub invalid: bool,
    /// True if the value can be read but not changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub readonly: bool,
    /// True if the page requires a value in this field.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// True if a script of the page listens for clicks on the node, as far as the driver can tell. The driver `cdp`
    /// asks the browser for the listeners. The driver `playwright-cli` sees only the handler `onclick`. Both count
    /// every `summary` element as listening, and `cdp` also counts an element with a cursor for dragging.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub listens: bool,
}

/// One node of a page's accessibility tree. The page wrote all text in the node, so the text is untrusted. Control
/// characters other than line feeds and tabs were removed from the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The role of the node, such as [`Role::Button`]. A piece of text that is no element has the role [`Role::Text`].
    pub role: Role,
    /// The accessible name; empty if the node has none.
    #[serde(default, skip_serializing_if = "str_is_empty")]
    pub name: Box<str>,
    /// The reference by which an action names the node; `None` if the node cannot be acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ElementRef>,
    /// The value of the node, such as the text in a field. For [`Role::Text`], the text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<str>>,
    /// The states of the node, such as checked or disabled.
    #[serde(default)]
    pub states: States,
    /// The address that a link leads to, as written in the page. If the page sets another base for its addresses, the
    /// whole address. For a frame, the address of the document in it; empty if this address is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Box<str>>,
    /// Further properties of the node. Each is a pair of a name and a value. The driver decides the order.
    ///
    /// - A field may have `placeholder`.
    /// - A node that can be acted on may have `type`, `inputmode`, `name`, `autocomplete`, `testid`, `range` (such as
    ///   "0 to 100"), `valuetext` (its value in words), `current` (it is the current item, such as the open page in a
    ///   menu), `editable` (text can be typed into it) and `multiple` (several of its options can be chosen).
    /// - A button, link or menu item may have `title`, if its name says something else.
    /// - A node that can be acted on but has neither name nor text may have `icon` (the name of its icon) or `look`
    ///   (its shape, colour, size and position).
    /// - A grid that does not show all of its rows may have `rows` (such as "20 of 29 rows shown, scrolls").
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<(Box<str>, Box<str>)>,
    parent: Option<NodeId>,
    end: u32,
}

#[expect(clippy::borrowed_box, reason = "serde hands the field over as it is")]
fn str_is_empty(text: &Box<str>) -> bool {
    text.is_empty()
}

impl Node {
    /// Creates a node with a role and a name and nothing else.
    pub fn new(role: Role, name: impl Into<Box<str>>) -> Self {
        Self {
            role,
            name: name.into(),
            reference: None,
            value: None,
            states: States::default(),
            url: None,
            properties: Vec::new(),
            parent: None,
            end: 0,
        }
    }

    /// Creates a node that consists of this text. Its role is [`Role::Text`].
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self {
            value: Some(text.into()),
            ..Self::new(Role::Text, "")
        }
    }

    /// Returns the node with this reference.
    pub fn with_ref(self, reference: ElementRef) -> Self {
        Self {
            reference: Some(reference),
            ..self
        }
    }

    /// Returns the node with this value.
    pub fn with_value(self, value: impl Into<Box<str>>) -> Self {
        Self {
            value: Some(value.into()),
            ..self
        }
    }

    /// Returns the value of the property with this name, such as `placeholder`; `None` if the node has no such
    /// property.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties
            .iter()
            .find(|(key, _)| &**key == name)
            .map(|(_, value)| &**value)
    }

    /// Returns true if text can be typed into the node. This follows from the node's role, or from the property
    /// `editable`.
    pub fn is_editable(&self) -> bool {
        self.role.is_editable() || self.property("editable").is_some()
    }
}

/// The accessible nodes of a page in document order.
///
/// The nodes are in a flat list: the descendants of a node come directly after it. The tree is therefore walked with a
/// loop instead of recursion, and no depth of nesting can exhaust the stack.
///
/// ```
/// use webwise::page::{ElementRef, Node, Role, Tree};
///
/// let mut page = Tree::builder();
/// page.open(Node::new(Role::Form, "Sign in"));
/// page.leaf(Node::new(Role::TextBox, "User").with_ref(ElementRef::parse("e3")?));
/// page.close();
/// let tree = page.finish();
///
/// let user = tree.by_ref("e3").unwrap();
/// assert_eq!(&*tree[tree.parent(user).unwrap()].name, "Sign in");
/// # Ok::<(), webwise::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TreeData", into = "TreeData")]
pub struct Tree {
    nodes: Vec<Node>,
    malformed: u32,
    omitted: u32,
    by_ref: HashMap<ElementRef, NodeId>,
}

/// The serialized form of a tree, without the index of references.
#[derive(Serialize, Deserialize)]
struct TreeData {
    nodes: Vec<Node>,
    #[serde(default)]
    malformed: u32,
    #[serde(default)]
    omitted: u32,
}

impl From<TreeData> for Tree {
    fn from(data: TreeData) -> Self {
        // Both links of a node, `parent` and `end`, are checked or rebuilt, because a file can contain anything.
        let count = u32::try_from(data.nodes.len()).unwrap_or(u32::MAX);
        // The nodes are in memory already, so a limit would only lose some of them.
        let mut builder = Self::builder().with_max_nodes(usize::MAX);
        let mut open: Vec<u32> = Vec::new();
        for (index, node) in (0..count).zip(data.nodes) {
            while open.last().is_some_and(|end| *end <= index) {
                open.pop();
                builder.close();
            }
            let end = node
                .end
                .min(open.last().copied().unwrap_or(count))
                .max(index + 1);
            builder.open(node);
            open.push(end);
        }
        let mut tree = builder.finish();
        (tree.malformed, tree.omitted) = (data.malformed, data.omitted);
        tree
    }
}

impl From<Tree> for TreeData {
    fn from(tree: Tree) -> Self {
        Self {
            nodes: tree.nodes,
            malformed: tree.malformed,
            omitted: tree.omitted,
        }
    }
}

impl Tree {
    /// Returns a builder for a new tree.
    pub fn builder() -> TreeBuilder {
        TreeBuilder::default()
    }

    /// Returns all nodes in document order.
    pub fn nodes(&self) -> &[Node] {
        count(self.nodes.len());
        &self.nodes
    }

    /// Returns all nodes with their ids, in document order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(index, node)| {
            count(1);
            (NodeId(u32::try_from(index).unwrap_or(u32::MAX)), node)
        })
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the tree has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of lines or parts of the driver's answer that could not be understood and were kept as text.
    pub const fn malformed(&self) -> u32 {
        self.malformed
    }

    /// Returns the number of nodes that were left out because of a limit. A frame whose content could not be read
    /// counts as one such node.
    pub const fn omitted(&self) -> u32 {
        self.omitted
    }

    /// Returns the node with this reference; `None` if the tree has no such node.
    pub fn by_ref(&self, reference: &str) -> Option<NodeId> {
        ElementRef::parse(reference)
            .ok()
            .and_then(|r| self.by_ref.get(&r).copied())
    }

    /// Returns the parent of a node; `None` for a node at the top level.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self[id].parent
    }

    /// Returns the ancestors of a node: first its parent, last a node at the top level.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Returns all nodes below a node, in document order, without the node itself.
    pub fn descendants(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let range: Range<u32> = id.0 + 1..self[id].end;
        range.map(|id| {
            count(1);
            NodeId(id)
        })
    }

    /// Returns all nodes before a node, the nearest first.
    pub(crate) fn before(id: NodeId) -> impl Iterator<Item = NodeId> {
        (0..id.0).rev().map(|id| {
            count(1);
            NodeId(id)
        })
    }

    /// Returns all nodes after a node, in document order.
    pub(crate) fn after(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let end = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        (id.0 + 1..end).map(|id| {
            count(1);
            NodeId(id)
        })
    }

    /// Returns the direct children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        self.siblings_from(id.0 + 1, self[id].end)
    }

    /// Returns the nodes without a parent, in order.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.siblings_from(0, u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    fn siblings_from(&self, first: u32, end: u32) -> impl Iterator<Item = NodeId> {
        let within = move |next: u32| (next < end).then_some(NodeId(next));
        std::iter::successors(within(first), move |id| within(self[*id].end))
    }

    /// Returns the words of a node and of all nodes below it: names and values in document order, separated by spaces.
    pub fn text_of(&self, id: NodeId) -> String {
        let mut out = String::new();
        for node in std::iter::once(id)
            .chain(self.descendants(id))
            .map(|id| &self[id])
        {
            for part in [&*node.name, node.value.as_deref().unwrap_or_default()] {
                if !part.is_empty() {
                    if !out.is_empty() {
                        out.push(' ');
                    }
                    out.push_str(part);
                }
            }
        }
        out
    }
}

impl Tree {
    /// Returns the tree with each text of the page replaced by the result of `f` for that text. The texts are names,
    /// values, addresses, properties, and roles that [`Role`] does not know. References, states and structure stay as
    /// they are.
    #[must_use]
    pub fn map_text(mut self, mut f: impl FnMut(&str) -> String) -> Self {
        count(self.nodes.len());
        for node in &mut self.nodes {
            if let Role::Other(name) = &node.role {
                node.role = Role::parse(&f(name));
            }
            let pairs = node
                .properties
                .iter_mut()
                .flat_map(|(key, value)| [key, value]);
            for text in std::iter::once(&mut node.name)
                .chain(&mut node.value)
                .chain(&mut node.url)
                .chain(pairs)
            {
                if !text.is_empty() {
                    *text = f(text).into();
                }
            }
        }
        self
    }

    /// Returns the tree after calling `change` for each node. `change` must not change the reference of a node, because
    /// the tree has an index of the references.
    #[must_use]
    pub(crate) fn edit(mut self, mut change: impl FnMut(NodeId, &mut Node)) -> Self {
        count(self.nodes.len());
        for (index, node) in (0..).zip(&mut self.nodes) {
            change(NodeId(index), node);
        }
        self
    }

    /// Returns the tree with its hidden values replaced by `mask`. `hidden` selects nodes. The value of a selected node
    /// and its property `valuetext` are replaced, and so are the names, values, addresses and properties of all nodes
    /// inside it. The addresses of frames stay, because they decide whether the frames may be shown.
    ///
    /// The name of a selected node and its other properties stay, because they describe a field. An empty text stays
    /// empty, so that a reader still sees whether something was typed.
    #[must_use]
    pub fn mask_values(mut self, mut hidden: impl FnMut(&Node) -> bool, mask: &str) -> Self {
        count(self.nodes.len());
        let mut hidden_to = 0;
        for (index, node) in (0_u32..).zip(&mut self.nodes) {
            let is_inside = index < hidden_to;
            if !is_inside && !hidden(node) {
                continue;
            }
            hidden_to = hidden_to.max(node.end);
            let is_frame = node.role == Role::Iframe;
            let name = is_inside.then_some(&mut node.name);
            let url = node.url.as_mut().filter(|_| is_inside && !is_frame);
            let properties = node.properties.iter_mut();
            let properties = properties.filter(|(key, _)| is_inside || &**key == "valuetext");
            let texts = name.into_iter().chain(&mut node.value).chain(url);
            for text in texts.chain(properties.map(|(_, value)| value)) {
                if !text.is_empty() {
                    *text = mask.into();
                }
            }
        }
        self
    }
}

/// Counts the nodes that the current thread has visited, for tests of a run's cost.
#[cfg(test)]
pub(crate) mod counted {
    use std::cell::Cell;

    thread_local! {
        static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn add(nodes: usize) {
        LOOKED_AT.with(|all| all.set(all.get() + nodes));
    }

    pub(crate) fn take() -> usize {
        LOOKED_AT.take()
    }
}

#[cfg(test)]
use counted::add as count;
/// Does nothing. In this crate's tests, `counted::add` replaces it and counts the visited nodes.
#[cfg(not(test))]
const fn count(_: usize) {}

impl std::ops::Index<NodeId> for Tree {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        count(1);
        &self.nodes[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Tree {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Main, ""));
        b.open(Node::new(Role::List, "Results"));
        b.leaf(Node::new(Role::ListItem, "one").with_ref(ElementRef::parse("e2").unwrap()));
        b.leaf(Node::new(Role::ListItem, "two"));
        b.close();
        b.leaf(Node::text("after"));
        b.close();
        b.leaf(Node::new(Role::ContentInfo, "foot"));
        b.finish()
    }

    fn names(tree: &Tree, ids: impl Iterator<Item = NodeId>) -> Vec<&str> {
        ids.map(|id| tree[id].role.as_str()).collect()
    }

    #[test]
    fn glyphs_of_an_icon_font_are_neither_name_nor_text() {
        let mut b = Tree::builder();
        b.open(Node::new(Role::Button, "\u{f1f8}"));
        b.leaf(Node::text(" \u{f1f8}\u{f0001}"));
        b.close();
        b.leaf(Node::new(Role::Button, "\u{f1f8} Delete"));
        let tree = b.finish();
        let said = |node: &Node| (node.name.to_string(), node.value.clone());
        assert_eq!(
            tree.nodes().iter().map(said).collect::<Vec<_>>(),
            [
                (String::new(), None),
                (String::new(), None),
                ("\u{f1f8} Delete".to_owned(), None)
            ]
        );
    }

    #[test]
    fn walks_follow_document_order() {
        let tree = sample();
        let main = tree.roots().next().unwrap();
        assert_eq!(names(&tree, tree.roots()), ["main", "contentinfo"]);
        assert_eq!(names(&tree, tree.children(main)), ["list", "text"]);
        assert_eq!(
            names(&tree, tree.descendants(main)),
            ["list", "listitem", "listitem", "text"]
        );
        let one = tree.by_ref("e2").unwrap();
        assert_eq!(names(&tree, tree.ancestors(one)), ["list", "main"]);
        assert_eq!(tree.text_of(main), "Results one two after");
    }

    #[test]
    fn a_stored_tree_reads_back_equal_and_lies_in_it_do_no_harm() {
        let tree = sample();
        let text = serde_json::to_string(&tree).unwrap();
        assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);

        let lying = text
            .replace("\"end\":4", "\"end\":4000000000")
            .replace("\"parent\":0", "\"parent\":77");
        let read: Tree = serde_json::from_str(&lying).unwrap();
        assert_eq!(read.len(), tree.len());
        assert!(
            read.iter()
                .all(|(id, _)| read.ancestors(id).count() <= read.len())
        );
    }

    #[test]
    fn a_stored_tree_with_more_nodes_than_the_default_limit_reads_back_equal() {
        let mut b = Tree::builder().with_max_nodes(usize::MAX);
        (0..MAX_NODES + 10).for_each(|_| b.leaf(Node::text("x")));
        let tree = b.finish();
        let read = Tree::from(TreeData::from(tree.clone()));
        assert!(read == tree, "{} of {} nodes", read.len(), tree.len());
    }

    #[test]
    fn nodes_past_the_cap_are_counted_with_what_is_in_them() {
        let mut b = Tree::builder().with_max_nodes(2);
        b.open(Node::new(Role::Main, ""));
        b.leaf(Node::text("kept"));
        b.open(Node::new(Role::List, ""));
        b.leaf(Node::text("lost"));
        b.close();
        b.close();
        let tree = b.finish();
        assert_eq!((tree.len(), tree.omitted()), (2, 2));
    }

    #[test]
    fn no_depth_exhausts_the_stack() {
        let mut b = Tree::builder();
        for _ in 0..30_000 {
            b.open(Node::new(Role::Generic, ""));
        }
        let tree = b.finish();
        let last = tree.iter().next_back().unwrap().0;
        assert_eq!(tree.ancestors(last).count(), 29_999);
        drop(tree.clone());
    }

    #[test]
    fn every_text_of_a_tree_can_be_replaced_and_nothing_else_changes() {
        let mut b = Tree::builder();
        b.open(Node {
            url: Some("u".into()),
            properties: vec![("k".into(), "v".into())],
            ..Node::new(Role::Link, "n")
        });
        b.leaf(
            Node::new(Role::Other("o".into()), "")
                .with_ref(ElementRef::parse("e2").unwrap())
                .with_value("t"),
        );
        let tree = b.finish();

        let mut seen = Vec::new();
        let mapped = tree.clone().map_text(|text| {
            seen.push(text.to_owned());
            format!("{text}!")
        });
        assert_eq!(seen, ["n", "u", "k", "v", "o", "t"]);
        assert_eq!(mapped.by_ref("e2"), tree.by_ref("e2"));
        assert_eq!(mapped.nodes()[1].role, Role::Other("o!".into()));
        assert_eq!(
            mapped.map_text(|text| text.trim_end_matches('!').to_owned()),
            tree
        );
    }

    #[test]
    fn a_mask_covers_the_value_and_all_that_is_inside_and_keeps_the_label() {
        let mut b = Tree::builder();
        b.open(Node::new(Role::TextBox, "Password").with_value("hunter2"));
        b.open(Node::new(Role::Generic, "hunter2"));
        b.leaf(Node::text("hunter2"));
        b.close();
        b.close();
        b.leaf(Node::new(Role::TextBox, "Empty").with_value(""));
        b.leaf(Node::text("after"));
        let masked = b.finish().mask_values(|node| node.role.is_editable(), "*");
        let texts: Vec<_> = masked
            .nodes()
            .iter()
            .map(|n| (&*n.name, n.value.as_deref()))
            .collect();
        assert_eq!(
            texts,
            [
                ("Password", Some("*")),
                ("*", None),
                ("", Some("*")),
                ("Empty", Some("")),
                ("", Some("after"))
            ]
        );
    }

    #[test]
    fn a_mask_covers_properties_and_addresses_but_not_what_describes_a_field_or_a_frame() {
        let with = |node: Node, properties: &[(&str, &str)], url: &str| Node {
            url: Some(url.into()),
            properties: properties
                .iter()
                .map(|(key, value)| ((*key).into(), (*value).into()))
                .collect(),
            ..node
        };
        let field = [("type", "password"), ("valuetext", "hunter2")];
        let mut b = Tree::builder();
        b.open(with(Node::new(Role::TextBox, "Password"), &field, "/field"));
        b.leaf(with(
            Node::new(Role::Link, ""),
            &[("testid", "hunter2")],
            "/hunter2",
        ));
        b.leaf(with(Node::new(Role::Iframe, ""), &[], "/frame"));
        b.close();
        b.leaf(with(Node::new(Role::Link, ""), &[("testid", "t")], "/t"));
        let tree = b.finish();
        let masked = tree.mask_values(|node| node.role.is_editable(), "*");
        let texts: Vec<_> = masked
            .nodes()
            .iter()
            .map(|node| {
                let values = node.properties.iter().map(|(_, value)| &**value);
                (node.url.as_deref().unwrap(), values.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(
            texts,
            [
                ("/field", vec!["password", "*"]),
                ("*", vec!["*"]),
                ("/frame", vec![]),
                ("/t", vec!["t"])
            ]
        );
    }
}
