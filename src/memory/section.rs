//! The section of a prompt in which a piece of advice is shown.
//!
//! The section determines where in the prompt the advice is shown, and for how long. It also determines what is cut first if
//! the prompt is too long. A kind of memory only names the section; the module `prompt` writes it.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Deserializer, Serialize};

use super::Advice;

/// The time for which advice stays in the prompts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Lasts {
    /// The advice is shown until the run ends.
    Run,
    /// The advice is shown as long as the current page is shown. For the next page, memory is asked for advice again.
    Page,
    /// The advice is shown in the next prompt only.
    Prompt,
}

/// The heading of a section of a prompt. It is a constant of the program, so no page can choose it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Heading(Cow<'static, str>);

impl Heading {
    /// Creates a heading with these words.
    pub const fn new(words: &'static str) -> Self {
        Self(Cow::Borrowed(words))
    }

    pub(super) fn stored(words: &str) -> Self {
        Self(Cow::Owned(Advice::shown(words)))
    }

    /// Returns the words of the heading.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Heading {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|words| Self::stored(&words))
    }
}

/// The section of a prompt in which a piece of advice is shown.
///
/// ```
/// use webwise::memory::{Lasts, Section};
///
/// let notes = Section::custom("Notes for this site", 50, Lasts::Page);
/// assert_eq!((notes.heading(), notes.priority(), notes.lasts()), ("Notes for this site", Some(50), Lasts::Page));
/// assert_eq!(Section::SiteTips.priority(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Section {
    /// The lessons of the system instruction. This section takes only advice with the trust class
    /// [`Trust::Code`](crate::Trust::Code) or [`Trust::User`](crate::Trust::User). The advice must not contain names of page
    /// elements.
    Lessons,
    /// The tips for the site of the page that is shown.
    SiteTips,
    /// The tips for the action that has just failed.
    ErrorTips,
    /// A section of the message that the model gets in each step. A kind of memory chooses the heading and the priority of
    /// the section.
    #[non_exhaustive]
    Custom {
        /// The heading. It must differ from the other headings of the message, such as `Page`, because equal headings would
        /// confuse the model.
        heading: Heading,
        /// The weight of the section. It counts if the message is too long, so that its sections are cut. A section with
        /// twice the priority then keeps twice as many lines. For comparison, the run's history has the priority 50, and a
        /// text that the model has just requested has the priority 120. A priority of 0 counts as 1.
        priority: u8,
        /// The time for which the advice is shown.
        lasts: Lasts,
    },
}

impl Section {
    /// Creates a section in which one kind of memory shows its advice. The section is part of the message that the model
    /// gets in each step.
    pub const fn custom(heading: &'static str, priority: u8, lasts: Lasts) -> Self {
        let heading = Heading::new(heading);
        Self::Custom {
            heading,
            priority,
            lasts,
        }
    }

    /// Returns the heading above the advice of the section. In the section [`Section::ErrorTips`], the heading is a line of
    /// text above the tips.
    pub fn heading(&self) -> &str {
        match self {
            Self::Lessons => "Lessons from experience",
            Self::SiteTips => "Tips for this site: try them first",
            Self::ErrorTips => "Tips from previous experience",
            Self::Custom { heading, .. } => heading.as_str(),
        }
    }

    /// Returns the priority of the section, by which it is cut if the message is too long; `None` if the section is never
    /// cut.
    pub const fn priority(&self) -> Option<u8> {
        match self {
            Self::Lessons | Self::SiteTips | Self::ErrorTips => None,
            Self::Custom { priority, .. } => Some(*priority),
        }
    }

    /// Returns the time for which advice of the section is shown.
    pub const fn lasts(&self) -> Lasts {
        match self {
            Self::Lessons => Lasts::Run,
            Self::SiteTips => Lasts::Page,
            Self::ErrorTips => Lasts::Prompt,
            Self::Custom { lasts, .. } => *lasts,
        }
    }
}
