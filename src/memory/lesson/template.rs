//! The only texts that may reach a system prompt: our sentences over closed vocabularies.

use serde::{Deserialize, Serialize};

use crate::action::{BrowserTool, ErrorClass};

/// A way out of a failure, as a closed kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Recovery {
    /// Click the field, then type key by key.
    ClickThenType,
    /// Press Enter instead of clicking the submit button.
    PressEnter,
    /// Press Escape to close what covers the page.
    PressEscape,
}

/// When it goes wrong in this way, do that: nothing in it can come from a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Template {
    /// The command that fails.
    pub command: BrowserTool,
    /// How it fails; `None` means any way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<ErrorClass>,
    /// What helps.
    pub recovery: Recovery,
}

impl Template {
    /// The sentence for the prompt.
    pub fn render(&self) -> String {
        let when = match self.class {
            Some(class) => format!("{} fails because {}", self.command.as_str(), class.sentence()),
            None => format!("{} fails", self.command.as_str()),
        };
        match self.recovery {
            Recovery::ClickThenType => format!("If {when}: click the field to focus it, then type the text."),
            Recovery::PressEnter => {
                "After filling a search box, press Enter to submit; suggestions often cover the button.".to_owned()
            }
            Recovery::PressEscape => format!("If {when}: press Escape to close the overlay, then try again."),
        }
    }
}
