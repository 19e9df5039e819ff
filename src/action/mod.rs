//! The agent's actions: typed actions, tool specs, the parsing of a model's calls, and outcomes.
//!
//! Pure. There are two closed enums: a driver carries out a [`BrowserAction`], the loop itself an [`AgentAction`]. A
//! new browser tool needs a variant here, an arm in each driver that declares it, and a check in the conformance suite.
//!
//! # Decisions
//!
//! - Seven frequent tools are declared with their usual arguments, one named `other` takes the rest by name: thirty
//!   schemas cost 1,780 tokens a request, these 460; any tool can still be called directly.
//! - `schemars` derives the schemas, `action/spec.rs` inlines and trims them: models get the same types that the
//!   parser checks; not every provider resolves `$ref`; titles and formats cost tokens.
//! - JSON in a reply is a call only as its last lines, in tags, or in a fence: a model that quotes a page's JSON in a
//!   sentence must not be taken at the page's word.

mod agent;
mod arguments;
mod browser;
mod call;
mod declare;
mod error_class;
mod failure_kind;
mod key;
mod lenient;
mod outcome;
mod signature;
mod spec;
mod spoken;
mod target;
mod text_value;

pub use agent::{AgentAction, AskHuman, Extract, Find, Finish, Note, Read, Remember};
pub use arguments::{
    Click, ClickAt, ClickXy, DialogAccept, Drag, DragXy, Eval, Fill, Goto, MouseButton,
    NoArguments, OnTarget, Press, RunCode, Screenshot, Scroll, ScrollDirection, Select, StateFile,
    TabAt, TabNew, Type, Upload, Wait,
};
pub use browser::{BrowserAction, BrowserTool, Effect};
pub use call::{Action, CallProblem, CustomCall, RawCall, parse_calls};
pub use error_class::ErrorClass;
pub use failure_kind::FailureKind;
pub use key::Key;
pub use outcome::{Failure, Outcome};
pub use signature::Signature;
pub use spec::{ToolSet, ToolSpec};
pub use target::Target;
pub use text_value::{ParameterName, Parameters, TextValue};
