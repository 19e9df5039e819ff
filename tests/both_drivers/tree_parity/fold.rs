//! Trees without the plain pieces that texts are made of, so that a text is the same however many pieces it has.

use webwise::page::{Node, NodeId, Role, Tree};

/// Deeper trees stay as they are. Unit: levels. Source: chosen; this recurses.
const MAX_DEPTH: usize = 400;

enum Piece {
    Text(String),
    Node(Node, Vec<Piece>),
}

/// The tree with its texts in one piece each, without white space.
pub(crate) fn folded(tree: &Tree) -> Tree {
    if tree
        .iter()
        .any(|(id, _)| tree.ancestors(id).count() > MAX_DEPTH)
    {
        return tree.clone();
    }
    let mut out = Tree::builder();
    for piece in joined(tree, tree.roots()) {
        write(&mut out, piece);
    }
    out.finish()
}

fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

fn joined(tree: &Tree, ids: impl Iterator<Item = NodeId>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for id in ids {
        match (piece(tree, id), out.last_mut()) {
            (None, _) => {}
            (Some(Piece::Text(text)), Some(Piece::Text(before))) => before.push_str(&text),
            (Some(piece), _) => out.push(piece),
        }
    }
    out
}

fn piece(tree: &Tree, id: NodeId) -> Option<Piece> {
    let mut node = super::align::deafened(&tree[id]);
    if node.role == Role::Text {
        return Some(Piece::Text(bare(node.value.as_deref().unwrap_or_default())));
    }
    let mut inside = joined(tree, tree.children(id));
    let value = node.value.as_deref().map(bare);
    if node.role.is_editable() {
        node.value = value.map(Into::into);
        return Some(Piece::Node(node, inside));
    }
    node.value = None;
    if let Some(text) = value {
        inside.insert(0, Piece::Text(text));
    }
    let is_said = matches!(&*inside, [Piece::Text(text)] if *text == bare(&node.name));
    if is_said {
        inside.clear();
    }
    let is_plain = node.role == Role::Generic
        && node.name.is_empty()
        && !node.states.active
        && node.url.is_none();
    // An empty one that can be typed into, or a picture or a part of one that listens, is a node of ours alone.
    let is_picture = node.role == Role::Img && node.name.is_empty() && node.url.is_none();
    if (is_plain || is_picture) && inside.is_empty() {
        return None;
    }
    if is_plain && node.property("editable").is_none() {
        match &*inside {
            [Piece::Text(_)] => return inside.pop(),
            [Piece::Node(inner, _)] if inner.reference.is_some() => return inside.pop(),
            _ => {}
        }
    }
    Some(Piece::Node(node, inside))
}

fn write(out: &mut webwise::page::TreeBuilder, piece: Piece) {
    match piece {
        Piece::Text(text) => out.leaf(Node::text(text)),
        Piece::Node(node, inside) => {
            out.open(node);
            for piece in inside {
                write(out, piece);
            }
            out.close();
        }
    }
}
