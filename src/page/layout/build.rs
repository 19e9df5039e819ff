//! The lines of a layout, made in one walk over the tree. A node writes its lines when the walk enters it. The lines are
//! joined or grouped when the walk leaves it. Until the walk ends, a line is a draft, which may be joined to another line or
//! dropped.

use std::collections::HashMap;

use super::{
    super::{
        Element, Node, NodeId, Role, Tree,
        label::squeezed,
        outline::{closed, is_actionable, is_checkable},
    },
    Joint, Layout, Line, Part,
    cards::Contents,
    equals,
};
use crate::base::text;

/// Maximum nesting depth of groups. A deeper group gets no line of its own. Source: chosen.
const MAX_DEPTH: usize = 12;
/// Maximum length of the name of a group. Longer names are cut. Unit: characters. Source: chosen.
const MAX_HEAD: usize = 80;
/// Maximum length of the text about what an element without words looks like ([`Part::look`]). A longer text is cut. Unit:
/// characters. Source: chosen; enough to describe 20 shapes.
pub(crate) const MAX_LOOK: usize = 1_000;
/// Maximum number of nodes inside the label around a checkbox or radio button. Source: chosen; a label contains the box, its
/// words, and nodes that draw the box.
pub(super) const MAX_LABEL: usize = 8;
/// Maximum length of a line in a layout that shows a single node ([`Layout::within`]). A longer text continues on further
/// lines. Unit: characters. Source: chosen.
const MAX_CHUNK: usize = 800;

/// Maximum number of visible items in a node that listens for clicks. If it has more, its listening does not make them
/// possible click targets. Source: chosen; a calendar shows 42 days and the weekdays, and a listener around more items
/// usually serves the whole page.
pub(super) const MAX_HEARD: u32 = 60;

pub(super) struct Draft {
    pub(super) line: Line,
    /// Index just past the drafts that are nested in this one. If there are none, the index just past this draft.
    pub(super) end: usize,
    pub(super) dropped: bool,
    /// True if the line is an item only because its node resembles its neighbour, not because of its role.
    pub(super) card: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A node that only lays out its content.
    Wrapper,
    Cell,
    /// A row, an item of a list, or a card.
    Item,
    /// A group with a line of its own.
    Head,
    /// A heading, a progress bar, a meter, or an element that can be acted on. The first draft of such a node shows the
    /// node's own name or words.
    Named,
}

pub(super) struct Frame {
    pub(super) id: NodeId,
    pub(super) last: NodeId,
    pub(super) kind: Kind,
    /// The index of the first draft that the node wrote.
    pub(super) start: usize,
    /// True if the node or a node around it can be acted on but is not [`Kind::Named`]. The words inside are then
    /// marked as clickable.
    pub(super) clickable: bool,
    /// True if each item inside the node may be a click target, because the node or a node around it listens for clicks.
    pub(super) heard: bool,
}

pub(super) struct Builder<'t> {
    pub(super) tree: &'t Tree,
    pub(super) elements: &'t [Element],
    pub(super) element_of: Vec<Option<u32>>,
    pub(super) contents: Contents,
    pub(super) cards: Vec<bool>,
    /// The places of elements without words among equal siblings.
    places: HashMap<NodeId, String>,
    pub(super) drafts: Vec<Draft>,
    pub(super) open: Vec<Frame>,
    /// Number of items and groups in `open`.
    pub(super) depth: usize,
    /// True if a long text is split into several lines.
    pub(super) in_chunks: bool,
}

pub(super) fn whole(tree: &Tree, elements: &[Element]) -> Layout {
    let mut builder = Builder::new(tree, elements, false);
    builder.walk(tree.iter().map(|(id, _)| id));
    builder.finish()
}

pub(super) fn within(tree: &Tree, elements: &[Element], root: NodeId) -> Layout {
    let mut builder = Builder::new(tree, elements, true);
    let says_all = {
        let node = &tree[root];
        builder.words(root, node.value.as_deref().unwrap_or_default());
        if node.value.as_deref().is_none_or(str::is_empty)
            && tree.descendants(root).next().is_none()
        {
            builder.words(root, &node.name);
        }
        node.role.is_editable()
    };
    if says_all {
        // All options of a list are written. The lines of an editor are its value, which is written already.
        let is_option = |id: NodeId| tree[id].role == Role::Option;
        let is_written = tree[root].value.as_deref().is_some_and(|v| !v.is_empty())
            && !tree.descendants(root).any(is_option);
        for id in tree.descendants(root).filter(|_| !is_written) {
            let node = &tree[id];
            builder.words(
                id,
                if node.name.is_empty() {
                    node.value.as_deref().unwrap_or_default()
                } else {
                    &node.name
                },
            );
        }
    } else {
        builder.walk(tree.descendants(root));
    }
    builder.finish()
}

impl<'t> Builder<'t> {
    fn new(tree: &'t Tree, elements: &'t [Element], in_chunks: bool) -> Self {
        let mut element_of = vec![None; tree.len()];
        for (at, element) in elements.iter().enumerate() {
            element_of[element.id.index()] = u32::try_from(at).ok();
        }
        let contents = Contents::of(tree, &element_of, elements);
        let cards = contents.cards(tree);
        Self {
            tree,
            elements,
            element_of,
            contents,
            cards,
            places: equals::places(tree),
            drafts: Vec::new(),
            open: Vec::new(),
            depth: 0,
            in_chunks,
        }
    }

    fn walk(&mut self, ids: impl Iterator<Item = NodeId>) {
        for id in ids {
            while self.open.last().is_some_and(|frame| frame.last < id) {
                self.close();
            }
            self.enter(id);
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn enter(&mut self, id: NodeId) {
        let node = &self.tree[id];
        let start = self.drafts.len();
        let kind = self.begin(id, node);
        if matches!(kind, Kind::Item | Kind::Head) {
            self.depth += 1;
        }
        let around = self.open.last();
        let inherited = around.is_some_and(|frame| frame.clickable);
        let heard = around.is_some_and(|frame| frame.heard)
            || (node.states.listens && self.contents.atoms[id.index()] <= MAX_HEARD);
        if let Some(last) = self.tree.descendants(id).next_back() {
            self.open.push(Frame {
                id,
                last,
                kind,
                start,
                clickable: inherited || (kind != Kind::Named && is_actionable(node)),
                heard,
            });
        } else {
            self.end(&Frame {
                id,
                last: id,
                kind,
                start,
                clickable: false,
                heard,
            });
        }
    }

    /// Writes the lines before the content of a node, and returns its kind.
    fn begin(&mut self, id: NodeId, node: &Node) -> Kind {
        let role = closed(&node.role);
        let element = self.element_of[id.index()].map(|at| at as usize);
        if element.is_some() || role.is_interactive() {
            let is_choice = role == Role::Option && element.is_none();
            let is_box = !role.is_interactive() && self.contents.atoms[id.index()] > 1;
            if is_choice || (element.is_none() && self.is_said(&node.name)) {
                return Kind::Wrapper;
            }
            if !is_box {
                self.acting(id, &role, element);
                return Kind::Named;
            }
        }
        let listens = node.states.listens && node.reference.is_some();
        // If a cell listens for clicks on the link inside it, the link is the element, not the cell.
        let holds_it = |at: NodeId| self.tree[at].role.is_interactive();
        if listens
            && !self.tree.descendants(id).take(MAX_DEPTH).any(holds_it)
            && self.contents.atoms[id.index()] <= 1
            && !matches!(role, Role::Text | Role::Iframe)
        {
            self.acting(id, &role, None);
            // A title may differ from the words of the node, and a person reads the words.
            if let Some(value) = node.value.as_deref()
                && !self.own_words(id).contains(&text::squeeze(value))
            {
                self.words(id, value);
            }
            return Kind::Named;
        }
        let kind = match role {
            Role::Heading | Role::ProgressBar | Role::Meter => return self.titled(id, role),
            Role::Img => {
                let said = if node.name.trim().is_empty() {
                    self.look(id)
                } else {
                    squeezed(&node.name)
                };
                if !said.is_empty() && !self.is_said(&said) {
                    let part = self.part(id, role, said, None);
                    self.line(vec![part], None, false);
                }
                return Kind::Wrapper;
            }
            Role::Cell | Role::GridCell | Role::ColumnHeader | Role::RowHeader => Kind::Cell,
            _ if self.depth >= MAX_DEPTH => Kind::Wrapper,
            Role::ListItem | Role::Row | Role::Article => Kind::Item,
            Role::Generic if self.cards[id.index()] => Kind::Item,
            ref role if is_group(role, node) => Kind::Head,
            _ => Kind::Wrapper,
        };
        match kind {
            Kind::Item => {
                let is_heading =
                    |at: NodeId| matches!(self.tree[at].role, Role::ColumnHeader | Role::RowHeader);
                let mut cells = self.tree.children(id).peekable();
                let parts_rows =
                    node.role == Role::Row && cells.peek().is_some() && cells.all(is_heading);
                self.line(Vec::new(), None, true);
                if let Some(draft) = self.drafts.last_mut() {
                    draft.card = node.role == Role::Generic;
                    draft.line.parts_rows = parts_rows;
                }
            }
            Kind::Head => {
                let name = text::truncate(&text::squeeze(&node.name), MAX_HEAD);
                let head = self.part(id, role, name, None);
                self.line(Vec::new(), Some(head), false);
            }
            _ => {}
        }
        if let Some(value) = node.value.as_deref() {
            self.words(id, value);
        } else if kind != Kind::Head && self.tree.descendants(id).next().is_none() {
            self.words(id, &node.name);
        }
        kind
    }

    /// Writes a heading, a progress bar or a meter, unless an element states the same words.
    fn titled(&mut self, id: NodeId, role: Role) -> Kind {
        let words = match &*self.tree[id].name {
            "" => text::squeeze(&self.tree.text_of(id)),
            name => text::squeeze(name),
        };
        let is_it = |at: NodeId| {
            let inner = &self.tree[at];
            inner.role.is_interactive() && text::squeeze(&inner.name) == words
        };
        let is_said = !words.is_empty() && self.is_said(&words);
        if is_said || self.tree.descendants(id).take(MAX_DEPTH).any(is_it) {
            return Kind::Wrapper;
        }
        if !words.is_empty() {
            let mut part = self.part(id, role, words, None);
            (part.clickable, part.heard) = self.answered();
            self.line(vec![part], None, false);
        }
        Kind::Named
    }

    fn acting(&mut self, id: NodeId, role: &Role, element: Option<usize>) {
        let node = &self.tree[id];
        let label =
            element.map_or_else(|| self.own_words(id), |at| self.elements[at].label.clone());
        if label.is_empty()
            && node.reference.is_none()
            && self.tree.descendants(id).next().is_none()
        {
            // It can neither be acted on nor be read.
            return;
        }
        let is_plain = *role == Role::Generic && !label.is_empty();
        let shown = if is_plain { Role::Text } else { role.clone() };
        let mut part = self.part(id, shown, label, element);
        part.clickable = !role.is_interactive();
        // An element has its look among its hints.
        if element.is_none() {
            part.look = self.look(id);
        }
        if node.reference.is_some() || !is_checkable(role) {
            part.reference.clone_from(&node.reference);
        } else if part.reference.is_none() {
            part.reference = self.label_around(id);
        }
        self.line(vec![part], None, false);
    }

    /// Returns the reference of the label around a checkbox or radio button, for use when the box itself cannot be pressed.
    /// Returns `None` if the label contains another such box, or any words besides the name of this one.
    fn label_around(&self, id: NodeId) -> Option<super::ElementRef> {
        let name = text::squeeze(&self.tree[id].name);
        let mut around = self.tree.ancestors(id).take(MAX_DEPTH);
        let label = around.find(|at| self.tree[*at].reference.is_some())?;
        let inside = || self.tree.descendants(label).take(MAX_LABEL + 1);
        let is_other_box = |at: NodeId| at != id && is_checkable(&self.tree[at].role);
        if name.is_empty() || inside().count() > MAX_LABEL || inside().any(is_other_box) {
            return None;
        }
        // The box states the name first.
        let said = text::squeeze(&self.tree.text_of(label));
        let is_label = said == name || said == format!("{name} {name}");
        self.tree[label].reference.clone().filter(|_| is_label)
    }

    /// Returns the look of a node that has no words: its shape, colour, size and position. The look of a drawing leaves
    /// out shapes that have a line of their own.
    fn look(&self, id: NodeId) -> String {
        let look = self.tree[id].property("look").unwrap_or_default();
        let cut = |look: &str| text::truncate(&text::squeeze(look), MAX_LOOK);
        let Some((place, shapes)) = look.split_once(": ") else {
            return cut(look);
        };
        let is_own = |shape: &&str| {
            let mut inside = self.tree.descendants(id);
            inside.any(|at| self.tree[at].property("look") == Some(shape))
        };
        let others = shapes.split("; ").filter(|shape| !is_own(shape));
        match others.collect::<Vec<_>>() {
            others if others.is_empty() => String::new(),
            others => cut(&format!("{place}: {}", others.join("; "))),
        }
    }

    /// Returns the label of a node that is not an element: its name, its words, or the name of its icon.
    fn own_words(&self, id: NodeId) -> String {
        let node = &self.tree[id];
        let icon = || squeezed(node.property("icon").unwrap_or_default());
        [
            squeezed(&node.name),
            squeezed(&self.tree.text_of(id)),
            icon(),
        ]
        .into_iter()
        .find(|words| !words.is_empty())
        .unwrap_or_default()
    }

    /// Writes the words of a node, unless a node around it has already written them.
    fn words(&mut self, id: NodeId, raw: &str) {
        let words = text::squeeze(raw);
        if words.is_empty() || self.is_said(&words) {
            return;
        }
        let (clickable, heard) = self.answered();
        let mut rest = words.as_str();
        while !rest.is_empty() {
            let (now, later) = if self.in_chunks {
                chunk(rest)
            } else {
                (rest, "")
            };
            let mut part = self.part(id, Role::Text, now.to_owned(), None);
            (part.clickable, part.heard) = (clickable, heard);
            self.line(vec![part], None, false);
            rest = later;
        }
    }

    /// Returns the flags `clickable` and `heard` for words in the current node. [`Frame`] describes both.
    fn answered(&self) -> (bool, bool) {
        let around = self.open.last();
        around.map_or((false, false), |frame| (frame.clickable, frame.heard))
    }

    /// Returns true if the nearest heading or element around the current node has already written these words. Inside a
    /// field, always returns true.
    fn is_said(&self, words: &str) -> bool {
        let named = |frame: &&Frame| frame.kind == Kind::Named;
        let Some(around) = self.open.iter().rev().find(named) else {
            return false;
        };
        let node = &self.tree[around.id];
        if node.role.is_editable() {
            return true;
        }
        let said = self
            .drafts
            .get(around.start)
            .and_then(|d| d.line.parts.first());
        said.is_some_and(|part| {
            let value = part
                .element
                .and_then(|at| self.elements[at].value.as_deref());
            part.text.contains(words) || value.is_some_and(|value| value.contains(words))
        })
    }

    pub(super) fn part(
        &self,
        id: NodeId,
        role: Role,
        text: String,
        element: Option<usize>,
    ) -> Part {
        Part {
            node: id,
            reference: self.reference(id),
            note: self.note(id),
            role,
            text,
            element,
            clickable: false,
            heard: false,
            cell: false,
            look: String::new(),
            joint: Joint::Beside,
        }
    }

    fn note(&self, id: NodeId) -> String {
        let node = &self.tree[id];
        let around = || self.tree.parent(id).map(|around| &self.tree[around]);
        let level = match &node.role {
            Role::Heading => node.states.level,
            // A link that is the whole heading is shown in place of it.
            Role::Link => around()
                .filter(|around| around.role == Role::Heading)
                .filter(|around| around.name.is_empty() || around.name == node.name)
                .and_then(|around| around.states.level),
            _ => None,
        };
        if let Some(level) = level {
            return format!("[h{level}]");
        }
        match node.property("rows") {
            Some(rows) => format!("({})", squeezed(rows)),
            None => self.places.get(&id).cloned().unwrap_or_default(),
        }
    }

    /// Returns the reference of the node, or of the nearest node around it that has a reference and contains nothing else.
    fn reference(&self, id: NodeId) -> Option<super::ElementRef> {
        let holds_nothing_else = |at: &NodeId| self.contents.atoms[at.index()] <= 1;
        std::iter::once(id)
            .chain(
                self.tree
                    .ancestors(id)
                    .take_while(holds_nothing_else)
                    .take(MAX_DEPTH),
            )
            .find_map(|at| self.tree[at].reference.clone())
    }

    pub(super) fn line(&mut self, parts: Vec<Part>, head: Option<Part>, item: bool) {
        let at = self.drafts.len();
        self.drafts.push(Draft {
            line: Line {
                depth: 0,
                item,
                head,
                parts,
                aside: false,
                parts_rows: false,
                end: 0,
            },
            end: at + 1,
            dropped: false,
            card: false,
        });
    }

    fn close(&mut self) {
        if let Some(frame) = self.open.pop() {
            self.end(&frame);
        }
    }
}

fn is_group(role: &Role, node: &Node) -> bool {
    match role {
        Role::Main | Role::Document | Role::Application => false,
        Role::Region | Role::Form => !node.name.is_empty(),
        role if role.is_landmark() || role.is_dialog() => true,
        Role::Alert
        | Role::Feed
        | Role::Grid
        | Role::Iframe
        | Role::List
        | Role::Menu
        | Role::MenuBar
        | Role::RadioGroup
        | Role::Status
        | Role::TabList
        | Role::Table
        | Role::Toolbar
        | Role::Tree
        | Role::TreeGrid => true,
        Role::Group | Role::Figure | Role::TabPanel | Role::Log => !node.name.is_empty(),
        _ => false,
    }
}

/// Splits a text into as many words as fit in one line, and the rest.
fn chunk(text: &str) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(MAX_CHUNK) else {
        return (text, "");
    };
    let end = text[..end].rfind(' ').unwrap_or(end);
    (&text[..end], text[end..].trim_start())
}
