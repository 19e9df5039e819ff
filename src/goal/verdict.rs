//! The verdict on a goal: accepted with its values, in need of an answer from a person, or refused with a reason.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::record::Field;

/// The answer to whether a goal is a recorded task, perhaps with other values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The goal is the recorded task. The recorded steps can be replayed with the changes that [`Accepted`] contains.
    Accept(Accepted),
    /// The meaning of the goal is unclear, so a person should be asked. If nobody can be asked, this counts as a refusal.
    Ask(Question),
    /// The goal is not the recorded task, it is unclear whether it is, or the recorded steps cannot be replayed for it.
    Refuse {
        /// The reason for the refusal.
        reason: Reason,
    },
}

impl Verdict {
    /// Returns the changes to the recorded steps; `None` if the goal was not accepted.
    pub const fn accepted(&self) -> Option<&Accepted> {
        match self {
            Self::Accept(accepted) => Some(accepted),
            _ => None,
        }
    }

    /// Returns the reason of a refusal or of a question; `None` if the goal was accepted.
    pub const fn reason(&self) -> Option<Reason> {
        match self {
            Self::Accept(_) => None,
            Self::Ask(question) => Some(question.reason),
            Self::Refuse { reason } => Some(*reason),
        }
    }
}

/// The result for a goal that is the recorded task: the changes to make before the steps are replayed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Accepted {
    /// The changes that the new goal makes to the texts of steps.
    pub args: Vec<Arg>,
    /// Indexes (counted from 0) of the steps whose target the model must choose anew. In these steps, the recorded run
    /// picked the target from several elements, and the goal does not name the target.
    pub open_steps: Vec<usize>,
    /// The slots whose values in the new goal differ from the recorded ones.
    pub slots: Vec<Change>,
    /// True if, for every changed slot, either the user declared the slot or a second run confirmed it.
    pub confirmed: bool,
    /// True if a person must approve the changes before the first irreversible step.
    pub needs_approval: bool,
}

/// A step's text that the new goal changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Arg {
    /// Index of the step in the recorded run, counted from 0.
    pub step: usize,
    /// The part of the step whose text changes.
    pub field: ArgField,
    /// The label of the form field that takes the text, shown to the person who approves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The recorded text.
    pub old: String,
    /// The text that replaces the recorded text.
    pub new: String,
}

/// The part of a recorded step in which a text of the new goal replaces the recorded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgField {
    /// The typed text.
    Text,
    /// The chosen option.
    Option,
    /// The accessible name of the target, to be compared without regard to case.
    Name,
    /// The whole URL.
    Url,
}

impl From<Field> for ArgField {
    fn from(field: Field) -> Self {
        match field {
            Field::Text => Self::Text,
            Field::Option => Self::Option,
            Field::Name => Self::Name,
            Field::Path(_) | Field::Query(_) => Self::Url,
        }
    }
}

/// A slot whose value in the new goal differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The name of the slot.
    pub slot: String,
    /// The evidence that the slot's value may change.
    pub state: State,
    /// The recorded value.
    pub old: String,
    /// The new value, which is copied from the goal or given as a parameter.
    pub new: String,
}

/// The evidence that the value of a slot may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The user declared the slot's value as a parameter.
    Declared,
    /// Two runs had different values in the slot.
    Confirmed,
    /// The user did not declare the slot, and either no two runs had different values in it, or its words may be the
    /// verb of the goal.
    Tentative,
}

/// A question about the meaning of a goal, for a person to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Question {
    /// The reason for asking.
    pub reason: Reason,
    /// Index of the step whose text is unclear; `None` if the question is not about a single step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The label of the field that the unclear text belongs to. For [`Reason::Extension`], the name of the slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The texts that may be meant. If there is only one text, a person is asked whether this text is meant.
    pub choices: Vec<String>,
}

/// A reason for refusing a goal, or for asking a person about it.
///
/// In the variants, a value is the text that the new goal has in a slot. The recorded value is the text that the
/// recorded goal has in the same slot. [`TooLong`](Self::TooLong), [`Empty`](Self::Empty) and
/// [`ControlCharacters`](Self::ControlCharacters) can also be about the recorded goal. Then every new goal is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The goal is longer than [`MAX_GOAL`](super::MAX_GOAL).
    TooLong,
    /// The goal contains nothing but white space and punctuation.
    Empty,
    /// The goal contains invisible characters or characters that change the direction of text.
    ControlCharacters,
    /// The frame of the goal (the goal without its values) differs from that of the recorded goal.
    Frame,
    /// A value changed, but apart from its values, the recorded goal has only function words, signs and hiragana.
    NoFrame,
    /// The goal can be read in more than one way.
    TwoReadings,
    /// A value is of another type than the recorded one: for example a word in place of a number, a date with other
    /// parts, or an identifier with another pattern of letters, digits and signs.
    Type,
    /// A number has a separator or a leading zero that the recorded number does not have, or it begins with a zero and
    /// has another length.
    NumberForm,
    /// A value contains a sign, punctuation, an address or a line break, or has quotes around some of its words.
    Signs,
    /// A value contains a word of the frame.
    FrameWord,
    /// A value contains a word that may change the meaning of the goal, such as "not" or "all".
    ClosedClass,
    /// A value contains an article at a place where the recorded value has none.
    Determiner,
    /// A value has other numbers than the recorded one: more, fewer or of another kind, such as a date in place of a
    /// plain number.
    Numbers,
    /// A value is the recorded one with words added, left out or reordered.
    Extension,
    /// A value is longer or shorter than is allowed. If the recorded steps cannot be undone, one word more or less can
    /// be too much. A quoted value must not contain a line break.
    Length,
    /// The language of the goal is unknown, and a value has more or fewer words than the recorded one.
    UnknownLanguage,
    /// Every word of the recorded value begins with a capital, as in a name, but at least one word of the new value does
    /// not.
    NotAName,
    /// A value mixes scripts in one word. Or the new value contains Hiragana and the recorded one does not, or one of
    /// them contains Hangul and the other does not.
    Script,
    /// The recorded value, or a word of it, occurs more than once in the recorded goal, and it is unclear which
    /// occurrence a step uses.
    WhichOccurrence,
    /// The recorded value is so short that the text of a step may contain it by chance.
    ShortValue,
    /// The new goal gives different texts for one text of a step. Several programs (transformations such as a change of
    /// case) or several slots explain the recorded text, or the new value is a date that can be read in two ways.
    ProgramsDisagree,
    /// A program that explains the recorded text cannot be applied to the new value. For a date, this means that no
    /// program can be applied. For example, the step writes the name of a month in English, and the new goal names a
    /// month in German.
    NoProgram,
    /// A step's text contains a changed value among other text, or only a part of it.
    Composed,
    /// A step's text comes neither from the goal nor from the page.
    Unexplained,
    /// A step contains a date or time that the goal does not give. If the recorded goal has a relative time such as
    /// "tomorrow", any number that the goal does not give is refused too.
    StaleTime,
    /// A value, or a part of a date, changed, and no step uses it.
    Unused,
    /// A step would put a value into an address, but the value cannot be a part of an address.
    Address,
    /// A given parameter belongs to no slot of the template, or the goal has a different value in the parameter's slot.
    Parameter,
}

impl Reason {
    /// Returns the reason as a lower-case word with underscores, as JSON contains it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::Empty => "empty",
            Self::ControlCharacters => "control_characters",
            Self::Frame => "frame",
            Self::NoFrame => "no_frame",
            Self::TwoReadings => "two_readings",
            Self::Type => "type",
            Self::NumberForm => "number_form",
            Self::Signs => "signs",
            Self::FrameWord => "frame_word",
            Self::ClosedClass => "closed_class",
            Self::Determiner => "determiner",
            Self::Numbers => "numbers",
            Self::Extension => "extension",
            Self::Length => "length",
            Self::UnknownLanguage => "unknown_language",
            Self::NotAName => "not_a_name",
            Self::Script => "script",
            Self::WhichOccurrence => "which_occurrence",
            Self::ShortValue => "short_value",
            Self::ProgramsDisagree => "programs_disagree",
            Self::NoProgram => "no_program",
            Self::Composed => "composed",
            Self::Unexplained => "unexplained",
            Self::StaleTime => "stale_time",
            Self::Unused => "unused",
            Self::Address => "address",
            Self::Parameter => "parameter",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_written_as_it_is_serialized() {
        for reason in [
            Reason::TooLong,
            Reason::ControlCharacters,
            Reason::NotAName,
            Reason::StaleTime,
        ] {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.to_string());
        }
    }
}
