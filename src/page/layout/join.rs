//! Finishes the lines of a node once its last line is written: joins them to one line, or makes a group of them.

use super::{
    super::{Node, NodeId, Role, outline::is_actionable},
    Joint, Part,
    build::{Builder, Draft, Frame, Kind, MAX_HEARD},
    digest::weight_of,
};

/// Maximum number of lines that are joined as one run of text. Source: chosen.
const MAX_FLOW: usize = 400;

/// The limits for the parts that may be joined into one line.
#[derive(Clone, Copy)]
struct Room {
    parts: usize,
    /// Maximum total cost of the parts. Unit: estimated tokens.
    weight: usize,
}

/// Limits for a line of running text. Source of all four sets of limits: chosen, by readability on pages of shops, mail
/// programs and administration tools.
const IN_TEXT: Room = Room {
    parts: 20,
    weight: 200,
};
const IN_ROW: Room = Room {
    parts: 40,
    weight: 240,
};
const IN_ITEM: Room = Room {
    parts: 12,
    weight: 80,
};
const IN_HEAD: Room = Room {
    parts: 20,
    weight: 100,
};

impl Builder<'_> {
    /// Joins the lines that a node wrote, or makes a group of them.
    pub(super) fn end(&mut self, frame: &Frame) {
        let Frame {
            id, kind, start, ..
        } = *frame;
        if matches!(kind, Kind::Item | Kind::Head) {
            self.depth -= 1;
        }
        // Other kinds write a line with the reference of the node.
        if matches!(kind, Kind::Wrapper | Kind::Cell | Kind::Item) && is_target(&self.tree[id]) {
            self.show_target(frame);
        }
        let role = &self.tree[id].role;
        let len = self.drafts.len();
        match kind {
            Kind::Wrapper => {
                if len > start + 1 && self.has_own_words(id) {
                    self.flow(start);
                }
            }
            Kind::Cell => {
                if len == start {
                    // An empty cell gets a part too, or the cells after it would move to another column.
                    let part = self.part(id, Role::Text, String::new(), None);
                    self.line(vec![part], None, false);
                } else {
                    self.flow(start);
                }
                if *role == Role::GridCell {
                    self.point_at_cell(start, id);
                }
            }
            Kind::Named => {
                if len > start + 1 && !self.join(start, start, Joint::Flow, IN_ITEM) {
                    self.drafts[start].end = len;
                }
            }
            Kind::Item => self.end_item(start, id),
            Kind::Head => self.end_head(start, role),
        }
    }

    /// Gives the reference of a box that is a click target to its first words, or to its first picture if it has no words.
    ///
    /// Does nothing if words in the box have references, because a click on them is also a click on the box. Also does
    /// nothing if the box contains a control, which a click on the middle of the box may hit, and for a box with more than
    /// [`MAX_HEARD`] items.
    fn show_target(&mut self, frame: &Frame) {
        let tree = self.tree;
        let node = &tree[frame.id];
        let items = self.contents.atoms[frame.id.index()];
        if !(2..=MAX_HEARD).contains(&items) {
            return;
        }
        let mut inside = tree.descendants(frame.id).take(4 * MAX_HEARD as usize);
        if inside.any(|at| tree[at].role.is_interactive()) {
            return;
        }
        let is_plain = |part: &Part| {
            part.element.is_none() && !part.role.is_interactive() && !is_target(&tree[part.node])
        };
        // Each item has a line, and so may each group in the box. More lines are empty cells.
        let lines = self.drafts[frame.start..].iter_mut();
        let lines = lines.take(2 * MAX_HEARD as usize).filter(|d| !d.dropped);
        let parts = lines.flat_map(|draft| &mut draft.line.parts);
        let mut parts: Vec<&mut Part> = parts.filter(|part| is_plain(part)).collect();
        let is_answered = |part: &Part| part.clickable || part.heard;
        if (parts.iter()).any(|part| is_answered(part) && part.reference.is_some()) {
            return;
        }
        let words = parts.iter().position(|part| is_answered(part));
        let picture = || (parts.iter()).position(|part| frame.clickable && part.role == Role::Img);
        if let Some(at) = words.or_else(picture) {
            let part = &mut *parts[at];
            part.clickable |= frame.clickable;
            if part.reference.is_none() {
                part.reference.clone_from(&node.reference);
            }
        }
    }

    /// Gives the reference of a cell of a grid to its first words, because such a cell can be acted on by itself.
    fn point_at_cell(&mut self, start: usize, id: NodeId) {
        let cell = &self.tree[id].reference;
        let first = self.drafts.get_mut(start);
        let words = first.and_then(|draft| draft.line.parts.first_mut());
        if let Some(part) = words.filter(|part| part.element.is_none() && cell.is_some()) {
            part.cell = !part.role.is_interactive();
            part.reference = part.reference.take().or_else(|| cell.clone());
        }
    }

    /// Returns true if a child of the node is a run of text. The elements beside this text then belong to the same sentence.
    fn has_own_words(&self, id: NodeId) -> bool {
        let is_text = |child: NodeId| self.tree[child].role == Role::Text;
        self.tree.children(id).take(IN_TEXT.parts).any(is_text)
    }

    fn end_item(&mut self, start: usize, id: NodeId) {
        let is_row = self.tree[id].role == Role::Row;
        let len = self.drafts.len();
        if len == start + 1 {
            self.drafts.pop();
            return;
        }
        let room = if is_row { IN_ROW } else { IN_ITEM };
        let is_sentence = self.tree[id].role == Role::ListItem && self.has_own_words(id);
        let joint = if is_sentence {
            Joint::Flow
        } else {
            Joint::Beside
        };
        if !self.join(start, start + 1, joint, room) {
            let first = &mut self.drafts[start + 1];
            if first.end == start + 2 && first.line.head.is_none() && !first.dropped {
                first.dropped = true;
                let parts = std::mem::take(&mut first.line.parts);
                self.drafts[start].line.parts = parts;
            }
            self.drafts[start].end = len;
        }
    }

    fn end_head(&mut self, start: usize, role: &Role) {
        let has_name = self.drafts[start]
            .line
            .head
            .as_ref()
            .is_some_and(|head| !head.text.is_empty());
        let lines = self.count(start + 1, 2);
        let is_merged = lines == 1 && self.take_over_list(start);
        let len = self.drafts.len();
        if lines == 0 && !has_name && !role.is_dialog() {
            self.drafts.truncate(start);
        } else if lines == 1 && !has_name && !is_merged && !keeps_its_line(role) {
            self.drafts[start].dropped = true;
        } else {
            let is_table = matches!(role, Role::Table | Role::Grid | Role::TreeGrid | Role::Tree);
            let is_short = |draft: &Draft| draft.dropped || draft.line.parts.len() <= 1;
            let all_short =
                len <= start + 1 + IN_HEAD.parts && self.drafts[start + 1..].iter().all(is_short);
            let has_parts = !self.drafts[start].line.parts.is_empty();
            if has_parts
                || is_table
                || !all_short
                || !self.join(start, start + 1, Joint::Beside, IN_HEAD)
            {
                self.drafts[start].end = len;
            }
        }
    }

    /// Replaces the line of a list by the line of the group around it if the list has no name and the group contains nothing
    /// else. Returns true if this was the case.
    fn take_over_list(&mut self, start: usize) -> bool {
        let is_list = |draft: &Draft| {
            let head = draft.line.head.as_ref();
            !draft.dropped
                && head.is_some_and(|head| head.role == Role::List && head.text.is_empty())
        };
        let Some(inner) = self
            .drafts
            .get_mut(start + 1)
            .filter(|draft| is_list(draft))
        else {
            return false;
        };
        inner.dropped = true;
        let parts = std::mem::take(&mut inner.line.parts);
        self.drafts[start].line.parts = parts;
        true
    }

    /// Returns the number of lines at and after the position `from`, but at most `max`. A group counts as one line.
    fn count(&self, from: usize, max: usize) -> usize {
        let next = |at: usize| {
            let mut at = at;
            while self.drafts.get(at).is_some_and(|draft| draft.dropped) {
                at += 1;
            }
            (at < self.drafts.len()).then_some(at)
        };
        std::iter::successors(next(from), |at| next(self.drafts[*at].end))
            .take(max)
            .count()
    }

    /// Joins the line of each draft from `from` on to the line of the draft `into`, and returns true. Does nothing and
    /// returns false if one of the lines is a group, or if the joined line would exceed the limits `room`.
    fn join(&mut self, into: usize, from: usize, joint: Joint, room: Room) -> bool {
        let len = self.drafts.len();
        // Each kept line has a part and few lines are dropped, so more lines than this do not fit.
        if len - from > 2 * room.parts {
            return false;
        }
        let lines = &self.drafts[from..];
        let fits = |draft: &Draft, at: usize| draft.line.head.is_none() && draft.end == at + 1;
        let plain = lines
            .iter()
            .zip(from..)
            .all(|(d, at)| d.dropped || fits(d, at));
        let parts = || {
            lines
                .iter()
                .filter(|d| !d.dropped)
                .flat_map(|d| &d.line.parts)
        };
        let weight: usize = parts().map(|part| weight_of(part, self.elements)).sum();
        if !plain || parts().count() > room.parts || weight > room.weight {
            return false;
        }
        let mut joined: Vec<Part> = Vec::new();
        for mut draft in self.drafts.split_off(from) {
            if draft.dropped {
                continue;
            }
            if let Some(first) = draft.line.parts.first_mut() {
                first.joint = joint;
            }
            joined.append(&mut draft.line.parts);
        }
        if into == from {
            self.line(joined, None, false);
        } else {
            self.drafts[into].line.parts.append(&mut joined);
        }
        true
    }

    /// Joins the lines of the draft `from` and all later drafts, so that as few lines as possible are left. Does nothing if
    /// one of these lines is a group or an item, or if there are more than [`MAX_FLOW`] of them.
    fn flow(&mut self, from: usize) {
        let len = self.drafts.len();
        let plain = |(draft, at): (&Draft, usize)| {
            draft.dropped || (draft.line.head.is_none() && !draft.line.item && draft.end == at + 1)
        };
        // A longer run is not a text, and must not be walked again for each level of nesting.
        let is_run = (from + 2..=from + MAX_FLOW).contains(&len);
        if !is_run || !self.drafts[from..].iter().zip(from..).all(plain) {
            return;
        }
        let mut line: Vec<Part> = Vec::new();
        let mut weight = 0;
        for mut draft in self.drafts.split_off(from) {
            let more: usize = draft
                .line
                .parts
                .iter()
                .map(|part| weight_of(part, self.elements))
                .sum();
            let count = line.len() + draft.line.parts.len();
            if !line.is_empty() && (weight + more > IN_TEXT.weight || count > IN_TEXT.parts) {
                self.line(std::mem::take(&mut line), None, false);
                weight = 0;
            }
            if let Some(first) = draft.line.parts.first_mut() {
                first.joint = Joint::Flow;
            }
            line.append(&mut draft.line.parts);
            weight += more;
        }
        if !line.is_empty() {
            self.line(line, None, false);
        }
    }
}

/// Returns true if a click on the node itself does something: the node has a reference, and it can be acted on or
/// listens for clicks.
fn is_target(node: &Node) -> bool {
    node.reference.is_some() && (is_actionable(node) || node.states.listens)
}

/// Returns true if a group of this role has a line of its own even if it has no name and contains a single line. Other
/// groups have none in this case, unless the line is that of a list that the group replaces.
const fn keeps_its_line(role: &Role) -> bool {
    role.is_dialog() || role.is_aside() || matches!(role, Role::Alert | Role::Status | Role::Iframe)
}
