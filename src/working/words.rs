//! The words for a step. One renderer writes the actions of a run for its model and for a person, and the steps of a recipe for
//! the model of a later run.

use super::Piece;

/// The reader of a step in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A model: that of the step's own run, or that of a run which may follow the step. The words stand inside a fence.
    Model,
    /// A person.
    Person,
}

/// The parts of a step that its words consist of.
#[derive(Debug)]
pub(crate) struct StepWords<'a> {
    pub(crate) tool: &'a str,
    /// The pieces that name the targets; empty if there are none.
    pub(crate) target: Vec<Piece>,
    /// The values that the step uses, such as a key, an address or a text.
    pub(crate) values: Vec<Piece>,
    /// Names of the arguments that are true, such as `submit`.
    pub(crate) flags: Vec<String>,
}

impl StepWords<'_> {
    /// Puts the parts into words, such as `fill textbox "Name" "Ann" submit`.
    pub(crate) fn pieces(self, reader: Audience) -> Vec<Piece> {
        let has_target = !self.target.is_empty();
        let target = has_target.then(|| " ".into()).into_iter();
        let target = target.chain(self.target);
        let values = self.values.into_iter();
        let values = values.flat_map(|value| [" ".into(), value]);
        let flags = self.flags.into_iter().map(|flag| match reader {
            Audience::Model => format!(" {flag}").into(),
            Audience::Person => format!(" ({flag})").into(),
        });
        let words = target.chain(values).chain(flags);
        std::iter::once(self.tool.into()).chain(words).collect()
    }
}
