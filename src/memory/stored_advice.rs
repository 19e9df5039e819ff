//! Advice in JSON. Advice that is read from JSON passes the same checks as new advice, so that a forged file cannot put a
//! text into a section where it is not allowed.

use serde::{Deserialize, Serialize};

use super::{Advice, AdviceId, Heading, Lasts, Line, Piece, Section};
use crate::base::{Error, ErrorKind, Result, Trust};

/// The forms of advice in JSON. All of them are read, but only the first is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredAdvice {
    Lines {
        id: AdviceId,
        lines: Vec<Vec<Piece>>,
        trust: Trust,
        section: Section,
    },
    /// The old form of advice, with one line and a placement instead of a section.
    OneLine {
        id: AdviceId,
        pieces: Vec<Piece>,
        trust: Trust,
        placement: Placement,
        #[serde(default)]
        heading: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Placement {
    System,
    Error,
    Site,
}

impl From<Advice> for StoredAdvice {
    fn from(advice: Advice) -> Self {
        let lines = advice.lines().iter().map(|line| line.pieces().to_vec());
        Self::Lines {
            id: advice.id().clone(),
            lines: lines.collect(),
            trust: advice.trust(),
            section: advice.section().clone(),
        }
    }
}

impl TryFrom<StoredAdvice> for Advice {
    type Error = Error;

    fn try_from(stored: StoredAdvice) -> Result<Self> {
        let (id, lines, trust, section) = match stored {
            StoredAdvice::Lines {
                id,
                lines,
                trust,
                section,
            } => (id, lines, trust, section),
            StoredAdvice::OneLine {
                id,
                pieces,
                trust,
                placement,
                heading,
            } => {
                let section = placement.section(heading.as_deref());
                (id, vec![pieces], trust, section)
            }
        };
        let lines = lines.into_iter().take(Self::MAX_LINES);
        let lines = lines.map(|pieces| Line::of(pieces, trust)).collect();
        Self::of(id, lines, trust, section)
            .ok_or_else(|| Error::new(ErrorKind::Corrupt, "advice.read"))
    }
}

impl Placement {
    /// Returns the section that replaces a placement of the old format. Tips with a heading of their own get the
    /// highest priority, because versions with the old format never left out lines of such tips.
    fn section(self, heading: Option<&str>) -> Section {
        match (self, heading) {
            (Self::System, _) => Section::Lessons,
            (Self::Error, _) => Section::ErrorTips,
            (Self::Site, None) => Section::SiteTips,
            (Self::Site, Some(heading)) => Section::Custom {
                heading: Heading::stored(heading),
                priority: u8::MAX,
                lasts: Lasts::Page,
            },
        }
    }
}
