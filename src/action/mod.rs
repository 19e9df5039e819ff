//! The agent's actions: typed actions, tool specs, the parsing of a model's calls, and outcomes.
//!
//! Pure. There are two closed enums: a driver carries out a [`BrowserAction`], the loop itself an [`AgentAction`]. A
//! new browser tool needs a variant here, an arm in each driver that declares it, and a check in the conformance suite.

mod agent;
mod arguments;
mod browser;
mod call;
mod declare;
mod error_class;
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
pub use key::Key;
pub use outcome::{Failure, Outcome};
pub use signature::Signature;
pub use spec::{ToolSet, ToolSpec};
pub use target::Target;
pub use text_value::{ParameterName, Parameters, TextValue};
