//! The parts of a line about elements of a page. Words are apart from names, because a page wrote the names.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{base::text, page::Role};

/// The name of a page element that a piece of advice mentions. The page wrote the name, so it is untrusted, even if the
/// words around it have another [trust class](crate::Trust).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PageName {
    role: Role,
    name: String,
    ordinal: Option<u32>,
    /// The name of a group around the element, if the element's own name is not unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<String>,
}

impl PageName {
    /// Maximum length of a name. Unit: characters. Source: chosen.
    pub const MAX_NAME: usize = 60;

    /// Creates the name of an element with this role. The name is cleaned, put on one line and cut to
    /// [`PageName::MAX_NAME`]. For an element without a name, `ordinal` is its position among the nameless elements of
    /// the same role in the same frame, counted from 0.
    pub fn new(role: &Role, name: &str, ordinal: Option<u32>) -> Self {
        Self {
            // A role that a page made up is page text, so the generic role replaces it.
            role: match role {
                Role::Other(_) => Role::Generic,
                role => role.clone(),
            },
            name: Self::plain(name),
            ordinal,
            within: None,
        }
    }

    /// Adds the name of the group that contains the element, cleaned and cut like the element's own name. An empty name
    /// is ignored.
    #[must_use]
    pub fn within(mut self, group: &str) -> Self {
        self.within = Some(Self::plain(group)).filter(|group| !group.is_empty());
        self
    }

    pub(crate) fn is_of(&self, role: &Role) -> bool {
        self.role == *role
    }

    pub(crate) fn without_group(&self) -> Self {
        Self {
            within: None,
            ..self.clone()
        }
    }

    pub(crate) fn group(&self) -> Option<&str> {
        self.within.as_deref()
    }

    pub(crate) fn plain(name: &str) -> String {
        text::truncate(&text::squeeze(&text::clean(name)), Self::MAX_NAME)
    }
}

impl fmt::Display for PageName {
    /// Formats a named element as `button "Accept all"`, an element without a name as `textbox number 2`, and an
    /// element in a group as `button "Save" in "Draft"`. Names are written as JSON strings.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.role.as_str())?;
        match self.ordinal {
            _ if !self.name.is_empty() => {
                write!(f, " {}", serde_json::Value::from(self.name.as_str()))?;
            }
            Some(at) => write!(f, " number {}", at.saturating_add(1))?,
            None => {}
        }
        match &self.within {
            Some(group) => write!(f, " in {}", serde_json::Value::from(group.as_str())),
            None => Ok(()),
        }
    }
}

/// A part of a line, such as a line of advice: words, or the name of a page element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// Words. In advice, their [trust class](crate::Trust) is that of the whole advice.
    Words(String),
    /// The name of a page element. The page wrote the name, so it is always untrusted.
    Name(PageName),
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl From<&str> for Piece {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Piece {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<PageName> for Piece {
    fn from(name: PageName) -> Self {
        Self::Name(name)
    }
}
