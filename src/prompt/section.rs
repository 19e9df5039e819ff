//! A section of a message that may be cut, line by line.

use super::{
    fence::Fence,
    pack::{Block, Keep},
};

/// The heading of the steps of the run.
pub(super) const HISTORY: &str = "History";

/// The time for which the lines of a section stand in the messages of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// As long as the run: new lines come last, so a provider may cache what stands before the new ones.
    Run,
    /// In one message.
    Message,
}

/// A section of the message that may be cut.
#[derive(Debug, Clone)]
pub(super) struct Section {
    heading: &'static str,
    lifetime: Lifetime,
    lines: Vec<String>,
    priority: u8,
    keep: Keep,
    /// Number of lines that are not shown.
    pub(super) gone: usize,
}

impl Section {
    pub(super) fn new(
        heading: &'static str,
        lifetime: Lifetime,
        priority: u8,
        keep: Keep,
        lines: impl Iterator<Item = String>,
    ) -> Self {
        Self {
            heading,
            lifetime,
            lines: lines.collect(),
            priority,
            keep,
            gone: 0,
        }
    }

    pub(super) fn block(&self) -> Block {
        Block::new(&self.lines, self.priority, self.keep)
    }

    /// The same section with so many of its lines.
    pub(super) fn cut_to(&self, kept: usize) -> Self {
        let lines = self.block().shown(&self.lines, kept).to_vec();
        let gone = self.gone + self.lines.len() - lines.len();
        Self {
            lines,
            gone,
            ..*self
        }
    }

    /// Writes the section, with a mark where lines are left out.
    fn write(&self, fence: &mut Fence) {
        let gone = self.gone;
        let mark = (gone > 0).then(|| match self.keep {
            Keep::Last if self.heading == HISTORY => format!("({gone} earlier steps)"),
            Keep::Last => format!("({gone} earlier lines)"),
            Keep::First => format!("({gone} more lines, without room here)"),
        });
        let lines = self.lines.iter().cloned();
        match self.keep {
            Keep::Last => fence.section(self.heading, mark.into_iter().chain(lines)),
            Keep::First => fence.section(self.heading, lines.chain(mark)),
        }
    }
}

/// Writes the sections that stand for so long.
pub(super) fn write_all(sections: &[Section], lifetime: Lifetime, fence: &mut Fence) {
    for section in sections {
        if section.lifetime == lifetime {
            section.write(fence);
        }
    }
}
