//! The layout of a page: lines that keep groups, rows and cards together, put each field beside its label, and leave
//! text in its place.
//!
//! A [`Layout`] contains everything that a person can read or act on, each item once. Lines are numbered, so that the lines
//! that a prompt leaves out can be found and read. [`Layout::digest`] selects the lines to show; the tools `find` and `read`
//! reach the rest. This module is pure.
//!
//! # Decisions
//!
//! - Text is shown between the elements it belongs to, and only if no label repeats it. The prompt shows the kind of
//!   page if the lines do not make it clear. It never shows `PageView::summary`, because the lines already say what the
//!   page contains. The summary is for events and for the record of the run.
//! - The short items of a group, such as a menu, share a line if they fit. Of many similar items, some are shown, with
//!   the call of `read` that returns the others. If a page is cut, banners, menus, side columns and footers get only a
//!   small share of the space, because they are seldom what the goal is about. The lines that match the goal best are
//!   always shown.

mod build;
mod cards;
mod digest;
mod equals;
mod join;
mod order;
mod search;

pub(crate) use build::MAX_LOOK;
use std::ops::Range;

pub(crate) use digest::shown_length;
pub use digest::{Digest, DigestOptions, Shown};
pub use search::Hits;

use super::{Appearance, Element, ElementRef, NodeId, Role, TargetIdentity, Tree};
use crate::base::text;

/// Maximum size of an item that is searched, shown as a hit and kept as a whole, not line by line. Unit: lines. Source:
/// chosen; a shop item with a list of features has seven lines, including its price.
const MAX_ITEM: usize = 8;
/// Maximum number of headings that are shown above a line that a search has found. Source: chosen; the headings of the
/// chapter, the section and the subsection.
const MAX_HEADINGS: usize = 3;
/// Maximum length of the text that distinguishes an element from other elements with the same name; a longer text is cut.
/// Unit: characters. Source: chosen; a product's name fits.
const MAX_SURROUNDINGS: usize = 60;

/// The relation between a part of a line and the part before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// This part continues the text of the part before it.
    Flow,
    /// This part and the part before it come from different cells, or from different lines of the page.
    Beside,
}

/// One part of a line: an element that can be acted on, or words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The node that this part shows.
    pub node: NodeId,
    /// The driver's reference to the node. Words, headings, pictures and groups without a reference get that of a node
    /// that contains them and nothing else. The first words in a clickable box get that of the box if no words in it have
    /// one otherwise. A checkbox or radio button without one gets that of such a node, or of its
    /// label. Any other element that can be acted on has only its own.
    pub reference: Option<ElementRef>,
    /// The role of the node; [`Role::Text`] for plain words.
    pub role: Role,
    /// The label of the element. For a part that is no element, its words; for a picture without a name, its look. The
    /// page wrote this text, so it is untrusted.
    pub text: String,
    /// The index of the element in [`PageView::elements`](super::PageView::elements); `None` if the part is not an
    /// element.
    pub element: Option<usize>,
    /// True if the page reacts to a click on the part, although the role of the part is not interactive.
    pub clickable: bool,
    /// True if a node around these words listens for clicks on its content, so that an action may click these words.
    pub heard: bool,
    /// True for the first words of a cell of a grid. Such a cell can be acted on by itself, also if it is empty.
    pub cell: bool,
    /// The look of a part without words that can be acted on although it is not in the list of elements, as in
    /// `circle #0000ff 20x20 centre 45,70`: its shape, colour, size and position. Sizes and positions are in pixels.
    /// Positions are measured from the top left corner of the document. Empty for any other part. An element has its
    /// look among its [hints](super::Element::hints).
    pub look: String,
    /// Further words about the part: the level of a heading (`[h2]`), the place of an element without words among equal ones
    /// (`1 of 5`), or how many rows of a grid are shown (`(20 of 29 rows shown, scrolls)`). Empty for most parts.
    pub note: String,
    /// The relation between this part and the part before it.
    pub joint: Joint,
}

impl Part {
    /// Returns true if the part is plain words.
    pub fn is_text(&self) -> bool {
        self.role == Role::Text
    }
}

/// One line of a [`Layout`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The nesting depth of the line: the number of groups, items and elements around it that begin with a line of
    /// their own.
    pub depth: usize,
    /// True if the line begins an item: an item of a list, a row or a card.
    pub item: bool,
    /// The group that begins with this line, such as a list or a form; `None` if no group begins here.
    pub head: Option<Part>,
    /// The parts of the line.
    pub parts: Vec<Part>,
    /// True if the line is in a banner, menu, side column or footer. When a page is cut, such lines get only a small share
    /// of the space.
    pub aside: bool,
    /// True if the line is a table row of headings only. It separates the rows before it from the rows after it.
    parts_rows: bool,
    /// Exclusive end of the range of lines that belong to the group, item or element that begins with this line.
    pub(crate) end: usize,
}

impl Line {
    /// Returns the head of the line, if it has one, and then its parts.
    pub fn all_parts(&self) -> impl Iterator<Item = &Part> {
        self.head.iter().chain(&self.parts)
    }
}

/// All lines of a page. The lines of open dialogs come first. All other lines follow in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    lines: Vec<Line>,
}

impl Layout {
    /// Creates the layout of a page. `elements` are the [elements](super::PageView::elements) of the page's view.
    ///
    /// ```
    /// use webwise::page::{ElementRef, Layout, Node, PageHead, Role, Tree, ViewOptions, interpret};
    ///
    /// let mut page = Tree::builder();
    /// page.open(Node::new(Role::List, "Boats"));
    /// for name in ["Kayak", "Canoe"] {
    ///     page.open(Node::new(Role::ListItem, ""));
    ///     page.leaf(Node::text(name));
    ///     page.leaf(Node::new(Role::Button, "Buy"));
    ///     page.close();
    /// }
    /// let tree = page.finish();
    /// let view = interpret(&PageHead::default(), &tree, &ViewOptions::default());
    /// let layout = Layout::of(&tree, &view.elements);
    /// let words: Vec<&str> = layout.lines()[1].parts.iter().map(|part| &*part.text).collect();
    /// assert_eq!(words, ["Kayak", "Buy"]);
    /// # Ok::<(), webwise::Error>(())
    /// ```
    pub fn of(tree: &Tree, elements: &[Element]) -> Self {
        build::whole(tree, elements)
    }

    /// Creates a layout of the content of one node. Long texts take several lines.
    pub fn within(tree: &Tree, elements: &[Element], root: NodeId) -> Self {
        build::within(tree, elements, root)
    }

    /// Returns the lines in order.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the range of the lines inside a group. `head` is the node with which the group begins. Returns `None` if no
    /// group begins with this node.
    pub fn inside(&self, head: NodeId) -> Option<Range<usize>> {
        let is_head = |line: &Line| line.head.as_ref().is_some_and(|part| part.node == head);
        let at = self.lines.iter().position(is_head)?;
        Some(at + 1..self.lines[at].end)
    }

    /// Returns the numbers of the lines directly inside the group that begins with the line `of`. If `of` is `None`, returns
    /// those of the lines in no group.
    fn children(&self, of: Option<usize>) -> impl Iterator<Item = usize> {
        let (first, end) = of.map_or((0, self.lines.len()), |at| (at + 1, self.lines[at].end));
        let within = move |next: usize| (next < end).then_some(next);
        std::iter::successors(within(first), move |at| within(self.lines[*at].end))
    }

    /// Returns the number of the first line of the item that contains the line `number`. Returns `None` if the line is in no
    /// item or begins one itself.
    pub(crate) fn item_of(&self, number: usize) -> Option<usize> {
        let around = (0..number).rev();
        let mut depth = self.lines[number].depth;
        for above in around {
            if depth == 0 || self.lines[number].item {
                return None;
            }
            let line = &self.lines[above];
            if line.depth < depth {
                if line.item {
                    return Some(above);
                }
                depth = line.depth;
            }
        }
        None
    }

    /// Returns the lines of the item that contains the line `number`. If there is no such item, or if it has more than
    /// [`MAX_ITEM`] lines, returns only the line `number`.
    pub(crate) fn small_item(&self, number: usize) -> Range<usize> {
        let item = self.item_of(number).unwrap_or(number);
        let end = self.lines[item].end;
        if self.lines[item].item && end - item <= MAX_ITEM {
            item..end
        } else {
            number..number + 1
        }
    }

    /// Returns the line numbers of the headings that apply to a line: the nearest heading above the line, then the nearest
    /// one of higher rank above that, and so on. The highest rank comes first. There are at most [`MAX_HEADINGS`].
    ///
    /// If the page has exactly one heading of rank 1, this heading is left out, because it is the page's title.
    pub(crate) fn headings_of(&self, tree: &Tree, number: usize) -> Vec<usize> {
        let rank = |at: usize| {
            let line = &self.lines[at];
            let first = line
                .all_parts()
                .next()
                .filter(|part| !line.item && part.role == Role::Heading)?;
            Some(tree[first.node].states.level.unwrap_or(u8::MAX))
        };
        let (mut depth, mut least) = (self.lines[number].depth, None);
        let mut found = Vec::new();
        for at in (0..number).rev() {
            if found.len() == MAX_HEADINGS || least == Some(1) {
                break;
            }
            // A less deep line ends the group. Headings inside an earlier group do not apply to the line.
            let is_around = self.lines[at].depth <= depth;
            depth = depth.min(self.lines[at].depth);
            let rank = rank(at).filter(|rank| is_around && least.is_none_or(|least| *rank < least));
            if rank.is_some() {
                least = rank;
                found.push(at);
            }
        }
        let titles = (0..self.lines.len()).filter(|at| rank(*at) == Some(1));
        if least == Some(1) && titles.count() == 1 {
            found.pop();
        }
        found.reverse();
        found
    }

    /// Returns words that distinguish a node from other nodes with the same role and words: the other words of the item
    /// around the node, or of its line if it is in no item. Returns `None` if there is no such other node, or if there
    /// are no other words.
    pub(crate) fn surroundings(&self, node: NodeId) -> Option<String> {
        let parts = || {
            self.lines
                .iter()
                .zip(0..)
                .flat_map(|(line, at)| line.parts.iter().map(move |part| (at, part)))
        };
        let (at, this) = parts().find(|(_, part)| part.node == node)?;
        let is_like = |part: &Part| part.role == this.role && part.text == this.text;
        parts().filter(|(_, part)| is_like(part)).nth(1)?;
        let item = self.item_of(at).unwrap_or(at);
        let end = if self.lines[item].item {
            self.lines[item].end
        } else {
            item + 1
        };
        let others = self.lines[item..end].iter().flat_map(|line| &line.parts);
        // What all rows have, such as the names of their buttons, distinguishes none of them.
        let is_own = |part: &&Part| {
            let mut alike =
                parts().filter(|(_, other)| other.role == part.role && other.text == part.text);
            part.node != node && alike.nth(1).is_none()
        };
        let words = others.filter(is_own).map(|part| part.text.as_str());
        let words = text::squeeze(&words.collect::<Vec<_>>().join(" "));
        (!words.is_empty()).then(|| text::truncate(&words, MAX_SURROUNDINGS))
    }

    /// Returns what a person sees of a node without a name: its look, else the nearest words before it on its line, else
    /// those after it, else the last words of the line above. Returns `None` if there is none of these.
    pub(crate) fn appearance(&self, tree: &Tree, node: NodeId) -> Option<Appearance> {
        if let Some(look) = tree[node].property("look") {
            return Some(Appearance::Look(TargetIdentity::cap(look)));
        }
        let is_it = |part: &Part| {
            part.node == node || part.reference.is_some() && part.reference == tree[node].reference
        };
        let at = (self.lines.iter()).position(|line| line.all_parts().any(is_it))?;
        let on_line: Vec<&Part> = self.lines[at].all_parts().collect();
        let (before, after) = on_line.split_at(on_line.iter().position(|part| is_it(part))?);
        let above = at.checked_sub(1).map(|above| &self.lines[above]);
        let above = above.into_iter().flat_map(Line::all_parts);
        let has_words = |part: &&Part| !part.text.is_empty();
        let words = before.iter().rev().chain(after).copied().find(has_words);
        let words = words.or_else(|| above.filter(has_words).last())?;
        Some(Appearance::Beside(TargetIdentity::cap(&words.text)))
    }

    /// Returns the number of the line that shows a node. If there is no such line, returns that of the line that shows the
    /// nearest node around it.
    pub(crate) fn line_of(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        let shows = |at: NodeId| {
            let has = |line: &Line| line.all_parts().any(|part| part.node == at);
            self.lines.iter().position(has)
        };
        std::iter::once(node)
            .chain(tree.ancestors(node))
            .find_map(shows)
    }

    pub(crate) fn shown(&self, number: usize) -> Shown<'_> {
        Shown::Line {
            number,
            line: &self.lines[number],
        }
    }

    /// Returns the words of these lines. Each line of the layout begins a new line of the text. Lines without words are
    /// left out.
    pub(crate) fn text(&self, elements: &[Element], lines: Range<usize>) -> String {
        let mut out = String::new();
        for line in &self.lines[lines] {
            let start = out.len();
            let says = |part: &Part| !part.text.is_empty();
            let is_table = line.item && line.all_parts().any(says);
            for part in line.all_parts() {
                let value = part.element.and_then(|at| elements[at].value.as_deref());
                // Without the empty cells of a row, the others would seem to be in other columns.
                let is_gap = is_table && part.role == Role::Cell && !says(part) && value.is_none();
                let own = if is_gap { "\"\"" } else { part.text.as_str() };
                for words in std::iter::once(own).chain(value) {
                    if out.len() > start && !words.is_empty() {
                        out.push_str(if part.joint == Joint::Flow {
                            " "
                        } else {
                            " | "
                        });
                    }
                    out.push_str(words);
                }
            }
            if out.len() > start {
                out.push('\n');
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}
