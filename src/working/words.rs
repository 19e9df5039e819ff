//! The words for a step. One renderer writes the actions of a run for its model and for a person, and the steps that
//! memory keeps for the model of a later run.

use super::Piece;
use crate::action::BrowserTool;

/// The reader of a step in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// The model of the step's own run. The words stand inside a fence.
    Model,
    /// A person.
    Person,
    /// The model of a later run. The words stand outside the fence, and each name of a page element is a piece of its
    /// own.
    LaterRun,
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
    /// Puts the parts into words, such as `fill n1 with <1>, then Enter` for [`Audience::LaterRun`].
    pub(crate) fn pieces(self, reader: Audience) -> Vec<Piece> {
        use BrowserTool as T;
        let tool = BrowserTool::parse(self.tool).filter(|_| reader == Audience::LaterRun);
        // `choose <1> in n1`, `press Enter in n1`, but `fill n1 with <1>`.
        let (verb, link) = match tool {
            Some(T::Goto) => ("open", " "),
            Some(T::TabNew) => ("open a new tab", " "),
            Some(T::Select) => ("choose", " in "),
            Some(T::Type | T::Press) => (self.tool, " in "),
            _ => (self.tool, " "),
        };
        let has_target = !self.target.is_empty();
        let target = has_target.then(|| link.into()).into_iter();
        let target = target.chain(self.target).collect();
        let values = self
            .values
            .into_iter()
            .flat_map(|value| [" ".into(), value]);
        let mut parts: [Vec<Piece>; 2] = [target, values.collect()];
        if link == " in " {
            parts.reverse();
        }
        let flags = self.flags.into_iter().map(|flag| match reader {
            Audience::Model => format!(" {flag}").into(),
            Audience::Person => format!(" ({flag})").into(),
            Audience::LaterRun => ", then Enter".into(),
        });
        let words = parts.into_iter().flatten().chain(flags);
        std::iter::once(verb.into()).chain(words).collect()
    }
}
