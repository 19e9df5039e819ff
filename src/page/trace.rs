//! Traces: what answered an action and a tree need not show.

use serde::{Deserialize, Serialize};

/// Something that a document did while an action was under way, and how it stood to the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trace {
    /// What it was.
    pub kind: TraceKind,
    /// Whether it happened in or beside the element that the action met.
    pub near: bool,
    /// Whether it happened while the page handled the action's own events.
    pub within: bool,
    /// Whether it goes on by itself, as a clock or a spinner does.
    pub repeats: bool,
}

/// What a trace is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceKind {
    /// An element, a text or an attribute came, went or changed.
    Markup,
    /// A canvas shows something else.
    Drawing,
    /// Something is scrolled elsewhere.
    Scroll,
    /// The page moved the focus to where the action itself did not.
    Focus,
    /// The page moved the caret or selected something.
    Selection,
    /// Something was copied.
    Clipboard,
    /// A film or a sound began, stopped or changed.
    Media,
    /// The page sent something.
    Request,
}

impl Trace {
    /// A trace of something that happened once and away from the target, some time after the action's events.
    pub const fn new(kind: TraceKind) -> Self {
        Self {
            kind,
            near: false,
            within: false,
            repeats: false,
        }
    }

    /// The same in or beside the target.
    #[must_use]
    pub const fn near(self) -> Self {
        Self { near: true, ..self }
    }

    /// The same while the page handled the action's events.
    #[must_use]
    pub const fn within(self) -> Self {
        Self {
            within: true,
            ..self
        }
    }

    /// The same, going on by itself.
    #[must_use]
    pub const fn repeating(self) -> Self {
        Self {
            repeats: true,
            ..self
        }
    }
}
