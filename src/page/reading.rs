//! The text of a page in reading order: first open dialogs, then the main content, then banners, menus and footers.

use super::{
    NodeId, Role, Tree,
    outline::{Area, Outline},
};
use crate::base::text;

/// Returns at most `max` characters of the page's text, and true if the page has no further text.
///
/// The main content comes before banners, menus and footers, because a large menu could use up the limit. Values typed into
/// fields are left out, because they are not text of the page. Names of landmarks and fields are left out, because they are
/// not visible.
pub(super) fn visible_text(tree: &Tree, outline: &Outline, max: usize) -> (String, bool) {
    let speaks = subtrees_with_text(tree);
    let mut reader = Reader {
        out: String::new(),
        line: String::new(),
        last: String::new(),
        chars: 0,
        max,
    };
    let rank = |id: NodeId| match outline.place(id).area {
        Area::Dialog => 0,
        _ if outline.is_content(id) => 1,
        Area::Main | Area::Plain | Area::Side => 2,
    };
    for turn in 0..3 {
        let mut hidden_to: Option<NodeId> = None;
        for (id, node) in tree.iter() {
            if hidden_to.is_some_and(|last| id <= last) || rank(id) != turn {
                continue;
            }
            if node.role.is_editable() {
                hidden_to = tree.descendants(id).next_back();
                continue;
            }
            if breaks_line(&node.role) {
                reader.end_line();
            }
            if let Some(value) = node.value.as_deref().filter(|v| !v.is_empty()) {
                reader.push(value);
            } else if !node.name.is_empty() && !speaks[id.index()] && name_is_seen(&node.role) {
                reader.push(&node.name);
            }
            if reader.is_full() {
                return (reader.finish(), false);
            }
        }
        reader.end_line();
    }
    let complete = reader.chars <= max;
    (reader.finish(), complete)
}

/// Returns, for each node, true if a node inside it has text. The outer node's name would only repeat this text.
pub(super) fn subtrees_with_text(tree: &Tree) -> Vec<bool> {
    let mut below = vec![false; tree.len()];
    for (id, node) in tree.iter().rev() {
        let speaks = below[id.index()]
            || node.value.as_deref().is_some_and(|v| !v.is_empty())
            || (!node.name.is_empty() && name_is_seen(&node.role));
        if let Some(parent) = tree.parent(id).filter(|_| speaks) {
            below[parent.index()] = true;
        }
    }
    below
}

pub(super) fn name_is_seen(role: &Role) -> bool {
    !(role.is_landmark()
        || role.is_editable()
        || role.is_dialog()
        || matches!(
            role,
            Role::List | Role::ListBox | Role::Group | Role::RadioGroup | Role::Img | Role::Iframe
        ))
}

const fn breaks_line(role: &Role) -> bool {
    !matches!(
        role,
        Role::Text
            | Role::Generic
            | Role::Link
            | Role::Button
            | Role::Strong
            | Role::Emphasis
            | Role::Mark
            | Role::Code
            | Role::Time
            | Role::Img
            | Role::Cell
            | Role::GridCell
            | Role::Subscript
            | Role::Superscript
            | Role::Option
    )
}

struct Reader {
    out: String,
    line: String,
    last: String,
    chars: usize,
    max: usize,
}

impl Reader {
    fn push(&mut self, part: &str) {
        // A single text may be far longer than what is left of the limit.
        let part = text::squeeze(&text::truncate(part, self.max.saturating_add(1)));
        if !part.is_empty() {
            if !self.line.is_empty() {
                self.line.push(' ');
                self.chars += 1;
            }
            self.chars += part.chars().count();
            self.line.push_str(&part);
        }
    }

    fn end_line(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        if line == self.last {
            self.chars -= line.chars().count();
            return;
        }
        if !self.out.is_empty() {
            self.out.push('\n');
            self.chars += 1;
        }
        self.out.push_str(&line);
        self.last = line;
    }

    const fn is_full(&self) -> bool {
        self.chars > self.max
    }

    fn finish(mut self) -> String {
        self.end_line();
        text::truncate(&self.out, self.max)
    }
}
