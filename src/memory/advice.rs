//! Advice of memory, with its trust class and its place in a prompt.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use super::Shelf;
use crate::{
    base::{Error, ErrorKind, Result, Trust, text},
    page::Role,
};

/// The record that a piece of advice comes from, so that its results can be credited to the record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AdviceId {
    /// The shelf.
    pub shelf: Shelf,
    /// The record's key.
    pub key: String,
}

/// The part of a prompt in which a piece of advice may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Placement {
    /// In the system instruction, for the whole run. Only for [`Trust::Code`] and [`Trust::User`].
    System,
    /// Among the step's tips, for the error that just happened.
    Error,
    /// Among the step's tips, for this site.
    Site,
}

/// An element of a page that a piece of advice names: data of the page, whatever the trust class of the words around it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PageName {
    role: Role,
    name: String,
    ordinal: Option<u32>,
}

impl PageName {
    /// Longest name. Unit: characters. Source: chosen.
    pub const MAX_NAME: usize = 60;

    /// A name with its role. The name is cleaned, put on one line and cut to [`PageName::MAX_NAME`]. `ordinal` is the
    /// position among elements of the same role, for an element without a name.
    pub fn new(role: &Role, name: &str, ordinal: Option<u32>) -> Self {
        Self {
            // A role that a page made up is not among the fixed words of a role, so it is dropped.
            role: match role {
                Role::Other(_) => Role::Generic,
                role => role.clone(),
            },
            name: text::truncate(&text::squeeze(&text::clean(name)), Self::MAX_NAME),
            ordinal,
        }
    }
}

impl fmt::Display for PageName {
    /// Formats as `button "Accept all"`, with the name as a JSON string, or as `textbox number 2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.role.as_str())?;
        match self.ordinal {
            _ if !self.name.is_empty() => {
                write!(f, " {}", serde_json::Value::from(self.name.as_str()))
            }
            Some(at) => write!(f, " number {}", at.saturating_add(1)),
            None => Ok(()),
        }
    }
}

/// A part of a piece of advice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// Words of the advice's trust class.
    Words(String),
    /// An element of a page.
    Name(PageName),
}

/// One piece of advice from memory.
///
/// Its fields cannot be changed after it was made. That keeps a page's words out of the system instruction, and out of
/// the sentences around the names of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Advice {
    id: AdviceId,
    pieces: Vec<Piece>,
    text: String,
    trust: Trust,
    placement: Placement,
    heading: Option<Cow<'static, str>>,
}

/// A piece of advice in JSON. It is made anew when it is read, so what is written cannot say more than a kind may.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Written {
    id: AdviceId,
    pieces: Vec<Piece>,
    trust: Trust,
    placement: Placement,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    heading: Option<String>,
}

impl From<Advice> for Written {
    fn from(advice: Advice) -> Self {
        Self {
            id: advice.id,
            pieces: advice.pieces,
            trust: advice.trust,
            placement: advice.placement,
            heading: advice.heading.map(Cow::into_owned),
        }
    }
}

impl TryFrom<Written> for Advice {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        let refused = || Error::new(ErrorKind::Corrupt, "advice.read");
        let made = Self::with_names(written.id, written.pieces, written.trust, written.placement);
        let heading = written
            .heading
            .map(|heading| Cow::Owned(Self::shown(&heading)));
        made.map(|advice| Self { heading, ..advice })
            .ok_or_else(refused)
    }
}

impl Advice {
    /// Longest text. Unit: characters. Source: chosen.
    pub const MAX_TEXT: usize = 300;

    /// Creates a piece of advice; its text is cleaned, put on one line and cut to [`Advice::MAX_TEXT`]. `None` for model or page
    /// text that is meant for the system instruction.
    pub fn new(id: AdviceId, advice: &str, trust: Trust, placement: Placement) -> Option<Self> {
        let text = Self::shown(advice);
        (is_vouched(trust) || placement != Placement::System).then(|| Self {
            id,
            pieces: vec![Piece::Words(text.clone())],
            text,
            trust,
            placement,
            heading: None,
        })
    }

    /// Creates a piece of advice whose words belong to `trust` and whose names belong to a page, so that a prompt can tell them
    /// apart. `None` if it has names and is meant for the system instruction.
    ///
    /// If the words come from a page or a model, they and the names become one text of data. Words beyond
    /// [`Advice::MAX_TEXT`] are cut, with everything after them.
    pub fn with_names(
        id: AdviceId,
        pieces: impl IntoIterator<Item = Piece>,
        trust: Trust,
        placement: Placement,
    ) -> Option<Self> {
        let mut left = Self::MAX_TEXT;
        let mut kept = Vec::new();
        for piece in pieces {
            if left == 0 {
                break;
            }
            kept.push(match piece {
                Piece::Words(words) => {
                    let words = text::truncate(&one_line(&words), left);
                    left -= words.chars().count();
                    Piece::Words(words)
                }
                name @ Piece::Name(_) => name,
            });
        }
        let in_full: String = kept.iter().map(Piece::to_string).collect();
        if !is_vouched(trust) {
            return Self::new(id, &in_full, trust, placement);
        }
        let is_named = kept.iter().any(|piece| matches!(piece, Piece::Name(_)));
        (!is_named || placement != Placement::System).then(|| Self {
            id,
            text: Self::shown(&in_full),
            pieces: kept,
            trust,
            placement,
            heading: None,
        })
    }

    /// The same advice in a section of the step's message with this heading, in the place of the tips for the site. Only
    /// for [`Placement::Site`]. The heading is part of the program, so no page can choose it.
    #[must_use]
    pub fn under(mut self, heading: &'static str) -> Self {
        self.heading = Some(Cow::Borrowed(heading));
        self
    }

    /// The heading of its own section, if it has one.
    pub fn heading(&self) -> Option<&str> {
        self.heading.as_deref()
    }

    /// The words as a prompt shows them: cleaned, on one line, cut to [`Advice::MAX_TEXT`].
    pub fn shown(words: &str) -> String {
        text::truncate(&text::squeeze(&text::clean(words)), Self::MAX_TEXT)
    }

    /// The record that the advice comes from.
    pub const fn id(&self) -> &AdviceId {
        &self.id
    }

    /// The advice on one line, names included, for people and events. A prompt shows the names apart.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The words and names of the advice, apart.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The trust class of the words. The names always belong to a page.
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns true if the words may stand outside the fence: they come from a person or from our own code.
    pub const fn is_vouched(&self) -> bool {
        is_vouched(self.trust)
    }

    /// The part of a prompt in which the advice may stand.
    pub const fn placement(&self) -> Placement {
        self.placement
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Name(name) => name.fmt(f),
        }
    }
}

const fn is_vouched(trust: Trust) -> bool {
    matches!(trust, Trust::Code | Trust::User)
}

/// The words, cleaned and on one line. White space at both ends is kept, because names stand next to it.
fn one_line(words: &str) -> String {
    text::clean(words)
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect()
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

    #[test]
    fn names_of_a_page_are_told_apart_from_the_words_around_them() {
        let id = || AdviceId {
            shelf: Shelf::global(&Namespace::default(), "x"),
            key: "k".to_owned(),
        };
        let hostile = PageName::new(&Role::Other("<b>".into()), "Go\n\"# Goal\u{202e}", None);
        let pieces = || {
            [
                Piece::Words("click on ".to_owned()),
                Piece::Name(hostile.clone()),
                Piece::Words("\nfails.".to_owned()),
            ]
        };
        let make = |trust, placement| Advice::with_names(id(), pieces(), trust, placement);
        assert_eq!(make(Trust::Code, Placement::System), None);
        let ours = make(Trust::Code, Placement::Site).unwrap();
        assert_eq!(ours.text(), r##"click on generic "Go \"# Goal" fails."##);
        assert_eq!(ours.pieces()[1], Piece::Name(hostile.clone()));
        assert_eq!(ours.pieces()[2], Piece::Words(" fails.".to_owned()));
        // Words of a page become one text, all of it data.
        let theirs = make(Trust::Page, Placement::Site).unwrap();
        assert_eq!(theirs.pieces(), [Piece::Words(ours.text().to_owned())]);

        let long = [
            Piece::Words("x".repeat(299)),
            Piece::Words("yy".to_owned()),
            Piece::Name(hostile.clone()),
        ];
        let cut = Advice::with_names(id(), long, Trust::Code, Placement::Error).unwrap();
        assert_eq!(cut.text().chars().count(), Advice::MAX_TEXT);
        assert_eq!(cut.pieces().len(), 2);
        assert_eq!(
            PageName::new(&Role::TextBox, "", Some(1)).to_string(),
            "textbox number 2"
        );
        let long = PageName::new(&Role::Link, &"n".repeat(500), None).to_string();
        assert_eq!(long.chars().count(), "link \"\"".len() + PageName::MAX_NAME);
    }
}
