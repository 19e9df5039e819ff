//! The builder of a tree. Nodes are added in document order, up to a limit.

use super::{Node, NodeId, Tree};
use crate::base::text;

/// Builds a [`Tree`] in document order.
///
/// A tree has a maximum number of nodes, so that a hostile page with too many nodes stays usable. Further nodes are
/// left out, and only their number is kept ([`Tree::omitted`]).
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
    open: Vec<Option<NodeId>>,
    max_nodes: usize,
}

/// Maximum number of nodes of a tree. Source: chosen; twice the number of nodes of a page with 20,000 buttons, which must
/// stay usable.
pub const MAX_NODES: usize = 40_000;

impl Default for TreeBuilder {
    fn default() -> Self {
        Self {
            tree: Tree::default(),
            open: Vec::new(),
            max_nodes: MAX_NODES,
        }
    }
}

impl TreeBuilder {
    /// Sets the maximum number of nodes of the tree. The default is [`MAX_NODES`].
    pub fn with_max_nodes(self, max: usize) -> Self {
        Self {
            max_nodes: max,
            ..self
        }
    }

    /// Reserves room for this many nodes.
    pub fn with_room_for(mut self, nodes: usize) -> Self {
        let nodes = nodes.min(self.max_nodes);
        self.tree.nodes.reserve(nodes);
        self.tree.by_ref.reserve(nodes);
        self
    }

    /// Adds a node. Nodes that are added later are inside this node, until [`close`](Self::close) ends it.
    ///
    /// A name or text that consists only of an icon font's glyphs is dropped, because it says nothing. The value of a
    /// field is always kept.
    pub fn open(&mut self, node: Node) {
        let parent = self.open.last().copied().flatten();
        let inside_omitted = matches!(self.open.last(), Some(None));
        if inside_omitted || self.tree.nodes.len() >= self.max_nodes {
            self.tree.omitted = self.tree.omitted.saturating_add(1);
            self.open.push(None);
            return;
        }
        let id = NodeId(u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX));
        if let Some(reference) = &node.reference {
            self.tree.by_ref.entry(reference.clone()).or_insert(id);
        }
        let name = if text::is_glyphs(&node.name) {
            Box::default()
        } else {
            node.name
        };
        // The value of a field was typed there, so it is kept even if it consists of such glyphs.
        let is_field = node.role.is_editable();
        let value = node
            .value
            .filter(|value| is_field || !text::is_glyphs(value));
        self.tree.nodes.push(Node {
            name,
            value,
            parent,
            end: id.0 + 1,
            ..node
        });
        self.open.push(Some(id));
    }

    /// Ends the innermost open node. Does nothing if none is open.
    pub fn close(&mut self) {
        if let Some(Some(id)) = self.open.pop() {
            self.tree.nodes[id.index()].end =
                u32::try_from(self.tree.nodes.len()).unwrap_or(u32::MAX);
        }
    }

    /// Adds a node without children.
    pub fn leaf(&mut self, node: Node) {
        self.open(node);
        self.close();
    }

    /// Counts a part of the driver's answer that could not be understood.
    pub fn count_malformed(&mut self) {
        self.tree.malformed = self.tree.malformed.saturating_add(1);
    }

    /// Counts nodes that the caller left out.
    pub fn count_omitted(&mut self, nodes: u32) {
        self.tree.omitted = self.tree.omitted.saturating_add(nodes);
    }

    /// Returns the number of nodes that were opened and not yet closed.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Closes all open nodes and returns the tree.
    pub fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree
    }
}
