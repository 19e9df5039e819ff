//! Orders the nodes' lines for the layout, dialogs first, and drops repeated words.

use std::ops::Range;

use super::{
    super::{Role, label::is_field},
    Layout, Line, Part,
    build::Builder,
};
use crate::base::text;

/// Signs that separate the links of a path.
const SEPARATORS: &str = "›»>❯→/|·•";

impl Builder<'_> {
    pub(super) fn finish(mut self) -> Layout {
        self.drop_repeated();
        let dialogs = self.dialogs();
        let mut out = Layout::default();
        for dialog in &dialogs {
            self.copy(dialog.clone(), &[], &mut out);
        }
        self.copy(0..self.drafts.len(), &dialogs, &mut out);
        out
    }

    /// Drops words that repeat the label of the field beside them. Also drops a picture if its name repeats the text beside
    /// it.
    fn drop_repeated(&mut self) {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (at, draft) in self.drafts.iter().enumerate().filter(|(_, d)| !d.dropped) {
            places.extend((0..draft.line.parts.len()).map(|part| (at, part)));
        }
        let part = |(at, part): (usize, usize)| &self.drafts[at].line.parts[part];
        // Words that consist of signs only are compared as they are: a minus beside a field without a label is not its
        // label.
        let plain = |text: &str| {
            let words = text.trim_matches(|c: char| !c.is_alphanumeric());
            text::Folded::of(if words.is_empty() { text } else { words })
        };
        let repeats = |this: &Part, other: &Part| {
            let may = match &this.role {
                Role::Text => is_field(&other.role),
                Role::Img => !this.clickable && this.element.is_none(),
                _ => false,
            };
            may && !this.text.is_empty() && plain(&this.text) == plain(&other.text)
        };
        let is_link = |part: Option<&Part>| part.is_some_and(|part| part.role == Role::Link);
        // The signs between the links of a path or a menu.
        let separates = |this: &Part, before: Option<&Part>, after: Option<&Part>| {
            let is_sign = this.text.chars().all(|c| SEPARATORS.contains(c));
            let is_between = is_link(before) && after.is_some_and(|after| !after.text.is_empty());
            this.is_text() && !this.clickable && !this.text.is_empty() && is_sign && is_between
        };
        let mut dropped: Vec<(usize, usize)> = Vec::new();
        for (n, place) in places.iter().enumerate() {
            let this = part(*place);
            let before = n.checked_sub(1).map(|n| part(places[n]));
            let after = places.get(n + 1).map(|place| part(*place));
            if separates(this, before, after)
                || before.is_some_and(|other| repeats(this, other))
                || after.is_some_and(|other| repeats(this, other))
            {
                dropped.push(*place);
            }
        }
        for (at, part) in dropped.into_iter().rev() {
            let end = self.drafts[at].end;
            let line = &mut self.drafts[at].line;
            line.parts.remove(part);
            if line.parts.is_empty() && line.head.is_none() && end == at + 1 {
                self.drafts[at].dropped = true;
            }
        }
        for (at, draft) in self.drafts.iter_mut().enumerate() {
            // A box with a single part is not a card, however it is laid out.
            let alone = draft.end == at + 1 && draft.line.parts.len() <= 1;
            draft.line.item &= !(draft.card && alone);
        }
    }

    /// Returns the drafts of each dialog that is not inside another dialog, as a range.
    fn dialogs(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (at, draft) in self.drafts.iter().enumerate() {
            let is_dialog = draft
                .line
                .head
                .as_ref()
                .is_some_and(|head| head.role.is_dialog());
            if is_dialog && found.last().is_none_or(|last| last.end <= at) {
                found.push(at..draft.end);
            }
        }
        found
    }

    /// Copies a range of drafts to the lines of `out`, except those in `told`, which have been copied already.
    fn copy(&mut self, range: Range<usize>, told: &[Range<usize>], out: &mut Layout) {
        /// A group that contains the current draft. `end` is the index just past the group's drafts, and `line` is the
        /// index of the group's line in `out`. `aside` is true if the group is in a banner, menu, side column or footer.
        struct Group {
            end: usize,
            line: usize,
            aside: bool,
        }
        let mut groups: Vec<Group> = Vec::new();
        let mut told = told.iter().peekable();
        for at in range {
            while told.next_if(|told| told.end <= at).is_some() {}
            let draft = &mut self.drafts[at];
            if draft.dropped || told.peek().is_some_and(|told| told.contains(&at)) {
                continue;
            }
            while let Some(done) = groups.pop_if(|group| group.end <= at) {
                out.lines[done.line].end = out.lines.len();
            }
            let head = draft.line.head.as_ref();
            let aside = groups.last().is_some_and(|group| group.aside)
                || head.is_some_and(|head| head.role.is_aside());
            let line = out.lines.len();
            out.lines.push(Line {
                depth: groups.len(),
                aside,
                parts_rows: draft.line.parts_rows,
                end: line + 1,
                head: draft.line.head.take(),
                parts: std::mem::take(&mut draft.line.parts),
                item: draft.line.item,
            });
            if draft.end > at + 1 {
                groups.push(Group {
                    end: draft.end,
                    line,
                    aside,
                });
            }
        }
        while let Some(done) = groups.pop() {
            out.lines[done.line].end = out.lines.len();
        }
    }
}
