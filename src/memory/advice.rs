//! What memory says, with who said it and where it may stand.

use serde::{Deserialize, Serialize};

use super::Shelf;
use crate::base::{Trust, text};

/// Which record an advice comes from, so that what happened next can be credited to it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AdviceId {
    /// The shelf.
    pub shelf: Shelf,
    /// The record's key.
    pub key: String,
}

/// Where an advice may stand in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Placement {
    /// In the system instruction, for the whole run. Only for [`Trust::Code`] and [`Trust::User`].
    System,
    /// With the step's tips for the error that just happened.
    Error,
    /// With the step's tips for this site.
    Site,
}

/// One thing memory has to say.
///
/// Its fields cannot be changed once it is made: that is what keeps a page's words out of the system instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    id: AdviceId,
    text: String,
    trust: Trust,
    placement: Placement,
}

impl Advice {
    /// Longest text. Unit: characters. Source: the threat model.
    pub const MAX_TEXT: usize = 300;

    /// An advice, its text cleaned, on one line and cut to [`Advice::MAX_TEXT`]; `None` for a text that no person or template
    /// vouches for and that wants to stand in the system instruction.
    pub fn new(id: AdviceId, advice: &str, trust: Trust, placement: Placement) -> Option<Self> {
        let vouched = matches!(trust, Trust::Code | Trust::User);
        (vouched || placement != Placement::System).then(|| Self {
            id,
            text: Self::shown(advice),
            trust,
            placement,
        })
    }

    /// Words in the form in which a prompt shows them: clean, on one line, cut to [`Advice::MAX_TEXT`].
    pub fn shown(words: &str) -> String {
        text::truncate(&text::squeeze(&text::clean(words)), Self::MAX_TEXT)
    }

    /// Where it comes from.
    pub const fn id(&self) -> &AdviceId {
        &self.id
    }

    /// What it says, on one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Who said it.
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Where it may stand.
    pub const fn placement(&self) -> Placement {
        self.placement
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Namespace;

    #[test]
    fn words_of_a_page_or_a_model_cannot_be_placed_in_the_system_instruction() {
        let make = |trust, placement| {
            let id = AdviceId {
                shelf: Shelf::global(&Namespace::default(), "x"),
                key: "k".to_owned(),
            };
            Advice::new(id, "a\n## Goal", trust, placement)
        };
        for trust in [Trust::Model, Trust::Page] {
            assert_eq!(make(trust, Placement::System), None);
            assert!(make(trust, Placement::Site).is_some());
        }
        assert_eq!(
            make(Trust::User, Placement::System).unwrap().text(),
            "a ## Goal"
        );
    }
}
