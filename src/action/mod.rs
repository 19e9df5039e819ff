//! The actions of the agent. This module defines the types of actions and of their outcomes, describes the tools to
//! the model, and parses the model's calls into actions.
//!
//! This module does no I/O. There are two closed enums of actions. A driver carries out each [`BrowserAction`], and
//! the loop itself carries out each [`AgentAction`]. A new browser tool needs a variant here, an arm in each driver
//! that supports it, and a check in the conformance suite.
//!
//! # Decisions
//!
//! - Each frequent tool is declared to the provider with its usual arguments. All other tools share one declaration,
//!   named `other`, which takes the name and the arguments of the tool that the model wants. Separate schemas for all
//!   tools would take more than 2,300 tokens of each request. Without the tools for pictures and uploads, these
//!   declarations take at most 800, as a test in `declare.rs` checks. Any tool can still be called directly.
//! - `schemars` derives the schemas from the types into which calls are parsed, so that models are told the rules
//!   that the parser applies. `action/spec.rs` replaces each `$ref` in a schema by the schema that it refers to,
//!   because not every provider resolves `$ref`. It also removes titles and formats, which cost tokens.
//! - JSON in the text of a reply is a call in three places only: in the last lines of the text, inside a tag such as
//!   `<tool_call>`, or inside a code fence. So JSON that a model quotes from a page within a sentence is not carried out.

mod agent;
mod arguments;
mod browser;
mod call;
mod declare;
mod error_class;
pub(crate) mod execution;
mod failure_kind;
mod key;
mod lenient;
mod outcome;
mod seconds;
mod signature;
mod spec;
mod spoken;
mod target;
mod text_value;

pub use agent::{
    AgentAction, AskHuman, Extract, Find, Finish, Follow, GoBackTo, Note, Read, Remember,
};
pub use arguments::{
    Click, ClickAt, ClickXy, DialogAccept, Drag, DragBy, DragXy, Eval, Fill, Goto, HoverXy,
    MouseButton, NoArguments, OnTarget, Press, RunCode, Screenshot, Scroll, ScrollDirection,
    Select, SelectText, StateFile, TabAt, TabNew, Type, Upload, Wait,
};
pub use browser::{BrowserAction, BrowserTool, Effect};
pub use call::{Action, CallProblem, CustomCall, RawCall, parse_calls};
pub use error_class::ErrorClass;
pub use failure_kind::FailureKind;
pub use key::Key;
pub use outcome::{Failure, Outcome};
pub use seconds::Seconds;
pub use signature::Signature;
pub use spec::{ToolSet, ToolSpec};
pub use target::Target;
pub use text_value::{ParameterName, Parameters, TextValue};
