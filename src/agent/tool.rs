//! Tools of the embedder: offered to the model beside ours.

use std::fmt::Debug;

use async_trait::async_trait;
use serde_json::Value;

use crate::{
    action::{Effect, ToolSpec},
    base::Result,
};

/// A tool that the embedder brings.
///
/// Its result reaches the model as fenced data, the first 800 characters of it. Its errors reach the model as a failed
/// call. It may use the run's browser: the page is looked at anew afterwards, and left if it is out of scope.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Tool: Debug + Send + Sync {
    /// Name (letters, digits, `_`, `-`, at most 64), description and JSON Schema; does not change during a run. Names of our
    /// own tools are refused at build.
    fn spec(&self) -> ToolSpec;

    /// What it can do to the world; the approval mode applies to it as to our own tools.
    fn effect(&self) -> Effect;

    /// Calls it; the arguments are what the model sent, unchecked.
    ///
    /// # Errors
    /// Whatever went wrong; its kind and context are shown to the model.
    async fn call(&self, arguments: &Value) -> Result<String>;
}
