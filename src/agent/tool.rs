//! Tools of the embedder (the program that uses this crate), offered to the model beside the built-in tools.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    action::{Effect, ToolSpec},
    base::Result,
};

/// A tool of the embedder (the program that uses this crate).
///
/// The model gets the tool's result as fenced data, and an error as a failed call. A result of more than 200,000
/// characters is cut. The next message shows at most [`Options::max_result`](super::Options::max_result) tokens of the
/// result; its less important lines are left out. Later messages show the newest results that fit, with at most 500
/// characters each: the first 350 and the last 150 characters of a longer result.
///
/// The tool may use the run's browser. After the call the page is observed again. If the page is out of scope, the
/// browser is led back, and the model does not get the result.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Tool: Debug + Send + Sync {
    /// Returns the name (at most 64 letters, digits, `_` and `-`), description and JSON Schema of the tool. They must not
    /// change during a run. Building the loop fails if a built-in tool has the same name.
    fn spec(&self) -> ToolSpec;

    /// Returns the worst effect that the tool can have. A call of the tool needs approval by the same rules as a call
    /// of a built-in tool.
    fn effect(&self) -> Effect;

    /// Returns true if a [compressor](super::Builder::with_compressor) may shorten a long result. Do not allow it if
    /// each address in the result matters, as in the results of a search. Default: false.
    fn is_compressible(&self) -> bool {
        false
    }

    /// Returns true if the model may quote the first 8,000 characters of a result as evidence for its answer. Return true
    /// only if the results do not repeat the arguments: the model chooses these, and could prove anything by them. Default:
    /// false.
    fn is_evidence(&self) -> bool {
        false
    }

    /// Calls the tool. The arguments come from the model and are not validated.
    ///
    /// # Errors
    /// Any error. The model sees its operation, kind and context, but not its sources.
    async fn call(&self, arguments: &Value) -> Result<String>;
}
