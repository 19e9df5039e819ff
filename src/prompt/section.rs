//! The sections of a message that may be cut line by line.

use std::borrow::Cow;

use super::{
    fence::Fence,
    pack::{Block, Keep},
    tips::{Names, TipLine},
};

pub(super) const HISTORY: &str = "History";

/// The place of a section in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// Inside the run's fence, whose marks are the same in all messages of the run. A provider can cache the text up to
    /// the first line that is new or changed.
    Run,
    /// Inside the message's own fence, before the page. The marks of this fence are new for each message.
    BeforePage,
    /// Inside the same fence as [`BeforePage`](Self::BeforePage), after the page.
    AfterPage,
    /// After the fences. For words that a person or this crate vouches for.
    Outside,
}

#[derive(Debug, Clone)]
pub(super) enum Line<'a> {
    /// A line that is written unchanged.
    Ready(String),
    /// A line of advice. In the message, each of its names that come from a page is replaced by a reference, such as
    /// `e12`, or by a numbered short name, such as `n1`.
    Tip(TipLine<'a>),
}

impl Line<'_> {
    /// Returns the line with every page name in full, not as a reference. The size of a line of advice is computed from
    /// this form.
    fn in_full(&self) -> String {
        match self {
            Self::Ready(line) => line.clone(),
            Self::Tip(line) => line.in_full(),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Section<'a> {
    pub(super) heading: &'a str,
    pub(super) zone: Zone,
    lines: Vec<Line<'a>>,
    priority: u8,
    keep: Keep,
    /// Number of lines that were removed from the section.
    pub(super) gone: usize,
}

impl<'a> Section<'a> {
    pub(super) fn new(
        heading: &'a str,
        zone: Zone,
        priority: u8,
        keep: Keep,
        lines: Vec<Line<'a>>,
    ) -> Self {
        Self {
            heading,
            zone,
            lines,
            priority,
            keep,
            gone: 0,
        }
    }

    pub(super) fn block(&self) -> Block {
        let in_full: Vec<String> = self.lines.iter().map(Line::in_full).collect();
        Block::new(&in_full, self.priority, self.keep)
    }

    pub(super) fn cut_to(&self, kept: usize) -> Self {
        let lines = self.keep.shown(&self.lines, kept).to_vec();
        let gone = self.gone + self.lines.len() - lines.len();
        Self {
            lines,
            gone,
            ..*self
        }
    }

    /// Returns the lines as they are written into the message. A mark stands for the removed lines and gives their number.
    pub(super) fn written(&self, names: &mut Names<'a>) -> Vec<Cow<'_, str>> {
        let gone = self.gone;
        let mark = (gone > 0).then(|| match self.keep {
            Keep::Last if self.heading == HISTORY => format!("({gone} earlier steps)"),
            Keep::Last => format!("({gone} earlier lines)"),
            Keep::First => format!("({gone} more lines, without room here)"),
        });
        let lines = self.lines.iter().map(|line| match line {
            Line::Ready(line) => Cow::from(line),
            Line::Tip(line) => names.line(*line).into(),
        });
        let mark = mark.map(Cow::from);
        match self.keep {
            Keep::Last => mark.into_iter().chain(lines).collect(),
            Keep::First => lines.chain(mark).collect(),
        }
    }
}

pub(super) fn write_all<'a>(
    sections: &[Section<'a>],
    zone: Zone,
    names: &mut Names<'a>,
    fence: &mut Fence,
) {
    for section in sections.iter().filter(|section| section.zone == zone) {
        fence.section(section.heading, section.written(names));
    }
}
