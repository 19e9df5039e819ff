//! Traces: reactions of a page to an action. Some of them do not show in the page's tree.

use serde::{Deserialize, Serialize};

/// A reaction of a page to an action, and how the reaction relates to the action. Some reactions do not show in the page's
/// tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trace {
    /// The kind of reaction.
    pub kind: TraceKind,
    /// True if the reaction happened near the target of the action: in the target, or in the largest part of the page
    /// that contains the target, begins at most 4 levels above it, and has at most 80 elements. Scrolling of any
    /// element around the target is near too. Drivers of this crate always set it for the focus, the selection, the
    /// clipboard and media, and never for requests.
    pub near: bool,
    /// True if the reaction happened while the page was handling the events that the action itself caused. Scrolling
    /// may also begin up to 150 ms after the last of these events. Drivers of this crate always set it for the focus,
    /// the selection, the clipboard and media.
    pub within: bool,
    /// True if the reaction repeats without further actions, like a clock or a spinner.
    pub repeats: bool,
}

/// The kind of reaction that a trace describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceKind {
    /// An element, a text or an attribute was added, removed or changed.
    Markup,
    /// A canvas was drawn on.
    Drawing,
    /// The page or a part of it was scrolled.
    Scroll,
    /// The focus moved to a place where the action itself did not put it. After a key, every move of the focus counts.
    Focus,
    /// The page moved the caret or changed the selection. After a key, every such change counts.
    Selection,
    /// Part of the page was copied or cut.
    Clipboard,
    /// A video or sound started, stopped or changed, or the page entered or left full screen or a pointer lock.
    Media,
    /// The page sent a request.
    Request,
}

impl Trace {
    /// Creates a trace of this kind. Its fields `near`, `within` and `repeats` are false.
    pub const fn new(kind: TraceKind) -> Self {
        Self {
            kind,
            near: false,
            within: false,
            repeats: false,
        }
    }

    /// Returns the trace with `near` set to true: the reaction happened in or beside the target of the action.
    #[must_use]
    pub const fn near(self) -> Self {
        Self { near: true, ..self }
    }

    /// Returns the trace with `within` set to true: the reaction happened while the page handled the action's own
    /// events.
    #[must_use]
    pub const fn within(self) -> Self {
        Self {
            within: true,
            ..self
        }
    }

    /// Returns the trace with `repeats` set to true: the reaction goes on by itself, like a clock.
    #[must_use]
    pub const fn repeating(self) -> Self {
        Self {
            repeats: true,
            ..self
        }
    }
}
