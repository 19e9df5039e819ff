//! Tools of the embedder, offered to the model beside the built-in ones.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    action::{Effect, ToolSpec},
    base::Result,
};

/// A tool of the embedder.
///
/// Its result reaches the model as fenced data, cut to the first 800 characters. Its errors reach the model as a failed
/// call. It may use the run's browser: afterwards the page is looked at again, and left if it is out of scope.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Tool: Debug + Send + Sync {
    /// Returns the name (letters, digits, `_`, `-`, at most 64), description and JSON Schema, which do not change
    /// during a run. The names of built-in tools are refused when the loop is built.
    fn spec(&self) -> ToolSpec;

    /// Returns the worst effect of the tool. The approval mode applies to it as to the built-in tools.
    fn effect(&self) -> Effect;

    /// Calls the tool. The arguments come from the model, unchecked.
    ///
    /// # Errors
    /// Any error. Its kind and context are shown to the model.
    async fn call(&self, arguments: &Value) -> Result<String>;
}
