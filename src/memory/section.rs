//! The section of a prompt in which a piece of advice is shown.
//!
//! A section determines where in the prompt its advice is shown, for how long, and what is cut first if the prompt is too
//! long.

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
    /// The advice is shown until the page is observed again, as after each action of the run. Memory is then asked
    /// again, even if the page is still the same.
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
    /// The lessons of the system instruction. This section takes only advice of the trust class
    /// [`Trust::Code`](crate::Trust::Code) or [`Trust::User`](crate::Trust::User) without names of page elements.
    Lessons,
    /// The tips for the site of the current page.
    SiteTips,
    /// The tips for the action that has just failed.
    ErrorTips,
    /// The recipes: recorded steps, with names that pages wrote. They stand in the run's fence until the run ends.
    Recipes,
    /// A section of the message that the model gets in each step, with a heading and a priority that a kind of memory chose.
    #[non_exhaustive]
    Custom {
        /// The heading. It must differ from the other headings of the message, such as `Page`.
        heading: Heading,
        /// The weight of the section if the message is too long. A section with twice the priority keeps about twice as
        /// many lines. For comparison, the run's history has the priority 50, the result of a tool that the model has
        /// just called has 120, and lines that it has just read have 240. A priority of 0 counts as 1.
        priority: u8,
        /// The time for which the advice is shown.
        lasts: Lasts,
    },
}

impl Section {
    /// Creates a section for the advice of one kind of memory.
    pub const fn custom(heading: &'static str, priority: u8, lasts: Lasts) -> Self {
        let heading = Heading::new(heading);
        Self::Custom {
            heading,
            priority,
            lasts,
        }
    }

    /// Returns the heading above the advice. For [`Section::ErrorTips`], prompts show it as a plain line of text. If
    /// the words of advice for [`Section::SiteTips`] or [`Section::ErrorTips`] come from a page or a model, the advice
    /// stands under another heading, with other quoted data.
    pub fn heading(&self) -> &str {
        match self {
            Self::Lessons => "Lessons from experience",
            Self::SiteTips => "Tips for this site: try them first",
            Self::ErrorTips => "Tips from previous experience",
            Self::Recipes => "Done here before",
            Self::Custom { heading, .. } => heading.as_str(),
        }
    }

    /// Returns the section's priority, which counts when a message is too long; `None` if the section is never cut.
    pub const fn priority(&self) -> Option<u8> {
        match self {
            Self::Lessons | Self::SiteTips | Self::ErrorTips => None,
            Self::Recipes => Some(45),
            Self::Custom { priority, .. } => Some(*priority),
        }
    }

    /// Returns the time for which advice of the section is shown.
    pub const fn lasts(&self) -> Lasts {
        match self {
            Self::Lessons | Self::Recipes => Lasts::Run,
            Self::SiteTips => Lasts::Page,
            Self::ErrorTips => Lasts::Prompt,
            Self::Custom { lasts, .. } => *lasts,
        }
    }
}
