//! Sentences that this crate builds from fixed sets of words. They may enter a system instruction without review. Free text
//! may enter one only if a person wrote or accepted the text.

use serde::{Deserialize, Serialize};

use super::{FailureKind, Form, Move};
use crate::action::{BrowserTool, ErrorClass};

/// Maximum number of moves (actions) in one recovery. Source: chosen; more moves are a task of their own, not a recovery.
pub const MAX_MOVES: usize = 3;

/// The description of [`Recovery::TypeThenChoose`] in a prompt.
pub(super) const TYPE_THEN_CHOOSE: &str =
    "click it, type the text to open its list, then click the choice.";

/// A kind of recovery: a way to do what a failed action was meant to do. It contains no free text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Recovery {
    /// Clicks the field, then types the text key by key.
    ClickThenType,
    /// Clicks the list to open it, then clicks the choice.
    ClickThenChoose,
    /// Clicks the field, types the value to open its list, then clicks the choice.
    TypeThenChoose,
    /// Makes these moves (actions), at most [`MAX_MOVES`], then repeats the failed action.
    First(Vec<Move>),
    /// Makes this move (action) in place of the failed action.
    Instead(Move),
    /// Writes the value in this form, such as a date format.
    WriteAs(Form),
    /// Makes this move (action) on another element, which differs from the target of the failed action only in its icon or
    /// position.
    Another(Move),
    /// Makes this move (action) on another element to open the choices of a field, then clicks the choice.
    OpenThenChoose(Move),
}

/// A rule: the recovery to use if a command fails in a certain way. It contains no text of a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Template {
    /// The command that fails.
    pub command: BrowserTool,
    /// The kind of failure.
    pub trouble: FailureKind,
    /// The recovery to use.
    pub recovery: Recovery,
}

impl Template {
    /// Creates a rule with these parts.
    pub const fn new(command: BrowserTool, trouble: FailureKind, recovery: Recovery) -> Self {
        Self {
            command,
            trouble,
            recovery,
        }
    }

    /// Returns the rule as a sentence for a prompt.
    pub fn render(&self) -> String {
        let press_enter = Recovery::Instead(Move::press(super::NamedKey::Enter));
        if self.trouble == FailureKind::Any
            && self.command == BrowserTool::Click
            && self.recovery == press_enter
        {
            return "After filling a search box, press Enter, not its button.".to_owned();
        }
        let what = match &self.recovery {
            Recovery::ClickThenType => "click it, then type the text.".to_owned(),
            Recovery::ClickThenChoose => {
                "click it to open its list, then click the choice.".to_owned()
            }
            Recovery::TypeThenChoose => TYPE_THEN_CHOOSE.to_owned(),
            Recovery::First(steps) => {
                let steps: Vec<String> = steps
                    .iter()
                    .map(|step| first(*step, self.trouble))
                    .collect();
                format!("first {}.", steps.join(", then "))
            }
            Recovery::Instead(step) => format!("{} instead.", step.sentence("it")),
            Recovery::WriteAs(form) => format!("write {}.", form.sentence()),
            Recovery::Another(step) => {
                let on = step.on.map_or("element", super::Thing::as_str);
                format!(
                    "{} instead.",
                    step.sentence(&format!("another {on} beside it"))
                )
            }
            Recovery::OpenThenChoose(step) => {
                let on = step.on.map_or("element", super::Thing::as_str);
                let open = step.sentence(&format!("the {on} beside it"));
                format!("{open} to open its choices, then click the choice.")
            }
        };
        format!("If {}: {what}", self.when())
    }

    /// Returns the first half of the rule's sentence, such as `fill fails because …`.
    pub(super) fn when(&self) -> String {
        self.trouble.sentence(self.command.as_str())
    }
}

fn is_covered(trouble: FailureKind) -> bool {
    trouble == FailureKind::Failed(ErrorClass::Intercepted)
}

/// Returns the instruction to make a move before the failed action is repeated. If the failed action's target was covered
/// and the move is a click, the instruction reads like `click the button that closes what covers it`.
fn first(step: Move, trouble: FailureKind) -> String {
    match (step.tool, step.on) {
        (BrowserTool::Click, Some(on)) if is_covered(trouble) => {
            format!("click the {} that closes what covers it", on.as_str())
        }
        _ => step.before(),
    }
}
