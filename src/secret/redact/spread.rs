//! Hides secrets that are spread over several nodes of a page: for example a word in two pieces, or one letter in each
//! node.
//!
//! Three selections of the page's texts are each joined without anything between them: all values, all names, and the
//! visible text (the value of a node, or its name if no node inside it has text). A reader could put the texts of any
//! selection together. A secret that covers several nodes is hidden in each of these nodes. If a node around them repeats a
//! piece of the secret, the repetition is hidden too.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
};

use super::Forms;
use crate::{
    page::{Node, NodeId, Tree},
    secret::HIDDEN,
};

/// Maximum length of a node's text that counts as a piece of a short secret. Unit: characters. Source: chosen; a page
/// may show a code with one character in each box, or in pairs of digits.
const MAX_SIGNS: usize = 2;
/// Maximum number of levels above a piece of a secret that are searched for a repetition of the piece. Source: chosen;
/// enough for a label in a cell in a row.
const MAX_LEVELS: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Name,
    Value,
}

/// A function that chooses which text of a node is read, its name or its value; `None` if neither is read. The flag is
/// true if a node below that node has text.
type Order<'a> = &'a dyn Fn(&Node, bool) -> Option<Part>;

/// One text of the page, with its range in the joined text of the page.
struct Piece {
    node: NodeId,
    part: Part,
    range: Range<usize>,
}

/// Replacements in the texts of nodes: for each text, the ranges to replace, each with its new text.
type Cuts = BTreeMap<(NodeId, Part), Vec<(Range<usize>, String)>>;

/// Hides each secret that is spread over several nodes of the tree. The secrets in single texts must already have been
/// replaced.
pub(super) fn hidden(forms: &Forms, tree: Tree) -> Tree {
    let mut cuts = Cuts::new();
    let values = |node: &Node, _: bool| node.value.as_ref().map(|_| Part::Value);
    let names = |_: &Node, _: bool| Some(Part::Name);
    let shown = |node: &Node, speaks: bool| match &node.value {
        Some(value) if !value.is_empty() => Some(Part::Value),
        _ => (!speaks).then_some(Part::Name),
    };
    let speaks = with_text_below(&tree);
    let orders: [Order<'_>; 3] = [&values, &names, &shown];
    let mut before: Vec<String> = Vec::new();
    for order in orders {
        let (text, pieces) = read(&tree, &speaks, order);
        if pieces.len() > 1 && !before.contains(&text) {
            find(forms, &text, &pieces, &mut cuts);
            before.push(text);
        }
    }
    if cuts.is_empty() {
        tree
    } else {
        without(tree, cuts)
    }
}

fn with_text_below(tree: &Tree) -> Vec<bool> {
    let mut below = vec![false; tree.len()];
    for (id, node) in tree.iter().rev() {
        let speaks = below[id.index()]
            || !node.name.is_empty()
            || node.value.as_deref().is_some_and(|v| !v.is_empty());
        if let Some(parent) = tree.parent(id).filter(|_| speaks) {
            below[parent.index()] = true;
        }
    }
    below
}

fn read(tree: &Tree, speaks: &[bool], order: Order<'_>) -> (String, Vec<Piece>) {
    let (mut text, mut pieces) = (String::new(), Vec::new());
    for (node, found) in tree.iter() {
        let Some(part) = order(found, speaks[node.index()]) else {
            continue;
        };
        let piece = text_of(found, part).trim();
        if !piece.is_empty() {
            let start = text.len();
            text.push_str(piece);
            pieces.push(Piece {
                node,
                part,
                range: start..text.len(),
            });
        }
    }
    (text, pieces)
}

fn text_of(node: &Node, part: Part) -> &str {
    match part {
        Part::Name => &node.name,
        Part::Value => node.value.as_deref().unwrap_or_default(),
    }
}

fn find(forms: &Forms, text: &str, pieces: &[Piece], cuts: &mut Cuts) {
    for hit in super::clusters(forms.find(text.as_bytes())) {
        let first = pieces.partition_point(|piece| piece.range.end <= hit.range.start);
        let end = pieces.partition_point(|piece| piece.range.start < hit.range.end);
        cut(
            &pieces[first..end.max(first)],
            &hit.range,
            &forms.placeholders[hit.secret],
            cuts,
        );
    }
    // Short secrets are not searched for in running text. But a whole row of texts with one or two characters each may
    // be a short secret.
    for row in pieces
        .chunk_by(|a, b| is_sign(text, a) && is_sign(text, b))
        .filter(|row| row.len() > 1)
    {
        let whole = row[0].range.start..row[row.len() - 1].range.end;
        if let Some(secret) = forms.short.get(&text.as_bytes()[whole.clone()]) {
            cut(row, &whole, &forms.placeholders[secret], cuts);
        }
    }
}

fn is_sign(text: &str, piece: &Piece) -> bool {
    text[piece.range.clone()].chars().count() <= MAX_SIGNS
}

/// Records in `cuts` the part of each piece that must be hidden. `pieces` are the pieces that the hit covers. Does nothing
/// for a single piece, because a secret in a single text was replaced before.
fn cut(pieces: &[Piece], hit: &Range<usize>, placeholder: &str, cuts: &mut Cuts) {
    if pieces.len() < 2 {
        return;
    }
    for (index, piece) in pieces.iter().enumerate() {
        let start = hit.start.max(piece.range.start) - piece.range.start;
        let end = hit.end.min(piece.range.end) - piece.range.start;
        let instead = if index == 0 { placeholder } else { HIDDEN };
        cuts.entry((piece.node, piece.part))
            .or_default()
            .push((start..end, instead.to_owned()));
    }
}

fn without(tree: Tree, cuts: Cuts) -> Tree {
    let mut instead: BTreeMap<(NodeId, Part), String> = BTreeMap::new();
    let mut hidden: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for ((id, part), mut parts) in cuts {
        let text = text_of(&tree[id], part).trim();
        parts.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut out, mut at) = (String::new(), 0);
        for (range, placeholder) in parts {
            // Two of the selections may find the same part of a text. It is replaced once.
            if range.start < at && range.end <= at {
                continue;
            }
            out.push_str(text.get(at..range.start).unwrap_or_default());
            out.push_str(&placeholder);
            if let Some(piece) = text.get(range.clone()).filter(|piece| !piece.is_empty()) {
                hidden.entry(id).or_default().push(piece.to_owned());
            }
            at = range.end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        instead.insert((id, part), out);
    }
    hide_repeated(&tree, &hidden, &mut instead);
    tree.edit(|id, node| {
        if let Some(name) = instead.remove(&(id, Part::Name)) {
            node.name = name.into();
        }
        if let Some(value) = instead.remove(&(id, Part::Value)) {
            node.value = Some(value.into());
        }
    })
}

/// Hides each name or value that is equal to a piece of a secret. Searches only the node of the piece, its descendants, and
/// its [`MAX_LEVELS`] nearest ancestors.
fn hide_repeated(
    tree: &Tree,
    hidden: &BTreeMap<NodeId, Vec<String>>,
    instead: &mut BTreeMap<(NodeId, Part), String>,
) {
    let mut hide = |id: NodeId, is_piece: &dyn Fn(&str) -> bool| {
        for place in [Part::Name, Part::Value] {
            if is_piece(text_of(&tree[id], place).trim()) {
                instead
                    .entry((id, place))
                    .or_insert_with(|| HIDDEN.to_owned());
            }
        }
    };
    for (id, pieces) in hidden {
        for above in tree.ancestors(*id).take(MAX_LEVELS) {
            hide(above, &|text| pieces.iter().any(|piece| piece == text));
        }
    }
    // One walk handles the descendants of all nodes: it maps each piece to the last node in which it is hidden.
    let mut until: HashMap<&str, NodeId> = HashMap::new();
    let Some(first) = hidden.keys().next() else {
        return;
    };
    for (id, _) in tree.iter().skip(first.index()) {
        for piece in hidden.get(&id).into_iter().flatten() {
            let last = tree.descendants(id).next_back().unwrap_or(id);
            let known = until.entry(piece).or_insert(last);
            *known = last.max(*known);
        }
        hide(id, &|text| until.get(text).is_some_and(|last| id <= *last));
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        page::{ElementRef, Node, Role, Tree},
        secret::{Redactor, Secret, SecretName},
    };

    fn redacted(value: &str, build: impl FnOnce(&mut crate::page::TreeBuilder)) -> Tree {
        let mut builder = Tree::builder();
        build(&mut builder);
        let (name, secret) = (SecretName::parse("P").unwrap(), Secret::new(value));
        Redactor::new([(&name, &secret)]).tree(&builder.finish())
    }

    fn texts(tree: &Tree) -> Vec<String> {
        let of = |node: &Node| {
            [
                node.name.to_string(),
                node.value.as_deref().unwrap_or_default().to_owned(),
            ]
        };
        tree.nodes()
            .iter()
            .flat_map(of)
            .filter(|text| !text.is_empty())
            .collect()
    }

    #[test]
    fn a_word_in_two_pieces_is_hidden_in_both_and_what_is_around_it_stays() {
        let tree = redacted("hunter2", |b| {
            b.leaf(Node::text("Your password: hun"));
            b.leaf(Node::text("ter2 was saved"));
            b.leaf(Node::text("terrible"));
        });
        assert_eq!(
            texts(&tree),
            [
                "Your password: <secret:P>",
                "[hidden] was saved",
                "terrible"
            ]
        );
    }

    #[test]
    fn a_letter_a_node_is_hidden_in_every_node_and_the_references_stay() {
        let tree = redacted("hunter2", |b| {
            for (n, letter) in "hunter2".chars().enumerate() {
                let reference = ElementRef::parse(&format!("e{n}")).unwrap();
                b.open(Node::new(Role::Button, letter.to_string()).with_ref(reference));
                b.leaf(Node::text(letter.to_string()));
                b.close();
            }
        });
        assert!(
            texts(&tree)
                .iter()
                .all(|text| text == "[hidden]" || text == "<secret:P>"),
            "{:?}",
            texts(&tree)
        );
        assert_eq!(
            tree.by_ref("e6").map(|id| tree[id].role.clone()),
            Some(Role::Button)
        );
    }

    #[test]
    fn pieces_in_names_and_in_values_are_read_together() {
        let tree = redacted("hunter2", |b| {
            b.leaf(Node::new(Role::Button, "hun"));
            b.open(Node::new(Role::Generic, ""));
            b.leaf(Node::text("ter2"));
            b.close();
        });
        assert_eq!(texts(&tree), ["<secret:P>", "[hidden]"]);
    }

    #[test]
    fn an_encoded_value_in_pieces_is_hidden_too() {
        let tree = redacted("hunter2", |b| {
            b.leaf(Node::text("aHVud"));
            b.leaf(Node::text("GVyMg=="));
            b.leaf(Node::text("hun%74"));
            b.leaf(Node::text("er2"));
        });
        let shown = texts(&tree).join(" ");
        assert!(
            !shown.contains("aHV") && !shown.contains("MyMg") && !shown.contains("er2"),
            "{shown}"
        );
    }

    #[test]
    fn a_short_secret_is_hidden_as_a_row_of_signs_and_not_as_a_part_of_one() {
        let row = |signs: &'static str| {
            move |b: &mut crate::page::TreeBuilder| {
                b.leaf(Node::text("Code"));
                signs.chars().for_each(|sign| {
                    b.leaf(Node::new(Role::TextBox, "Digit").with_value(sign.to_string()));
                });
                b.leaf(Node::text("Continue"));
            }
        };
        let hidden = texts(&redacted("1234", row("1234")));
        assert!(
            !hidden.iter().any(|text| "1234".contains(text.as_str())),
            "{hidden:?}"
        );
        let month = texts(&redacted("1234", row("123456789")));
        assert_eq!(
            month
                .iter()
                .filter(|text| "123456789".contains(text.as_str()))
                .count(),
            9
        );
    }

    #[test]
    fn a_page_that_does_not_show_it_stays_as_it_was() {
        let build = |b: &mut crate::page::TreeBuilder| {
            b.open(Node::new(Role::Main, "hun"));
            b.leaf(Node::text(" hunter "));
            b.leaf(Node::text("3"));
            b.close();
        };
        let mut plain = Tree::builder();
        build(&mut plain);
        assert_eq!(redacted("hunter2", build), plain.finish());
    }
}
