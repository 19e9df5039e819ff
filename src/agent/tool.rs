//! Tools of the embedder (the program that uses this crate), offered to the model beside the built-in tools.

use std::{
    fmt::{self, Debug},
    marker::PhantomData,
};

use async_trait::async_trait;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    action::{Effect, ToolSpec},
    base::{Error, ErrorKind, Result},
    prompt::ContentType,
};

/// A tool of the embedder (the program that uses this crate).
///
/// The model gets the tool's result as data between marks, and an error as a failed call. A result of more than 200,000
/// characters is cut. The next message to the model shows at most [`Options::max_result`](super::Options::max_result)
/// tokens of the result; less important lines are left out. Later messages show the newest results, as far as there is
/// room. They show only the first 350 and the last 150 characters of a long result.
///
/// The tool may use the run's browser. After the call the page is observed again. If the run may not visit the site of
/// that page, the browser is led back, and the model does not get the result.
///
/// The module documentation of [`agent`](crate::agent) has an example.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Tool: Debug + Send + Sync + 'static {
    /// Returns the name, the description and the JSON Schema of the tool. They must not change during a run. The name
    /// has at most 64 letters, digits, `_` and `-`. Building the loop fails if a built-in tool has the same name.
    fn spec(&self) -> ToolSpec;

    /// Returns the worst effect that the tool can have. It decides whether a call needs approval.
    fn effect(&self) -> Effect;

    /// Returns true if a [compressor](super::Builder::with_compressor) may shorten a long result of the tool. Return
    /// false if each address in the result matters, as in the results of a search. Default: false.
    fn is_compressible(&self) -> bool {
        false
    }

    /// Returns the kind of content of the tool's results. It decides which lines of a long result the prompt shows. If
    /// it is `None`, which is the default, the kind is recognised from each result.
    fn content_type(&self) -> Option<ContentType> {
        None
    }

    /// Returns true if the model may quote from the first 8,000 characters of a result as evidence for its answer.
    /// Return true only if the results do not repeat the arguments. The model chooses the arguments, so it could
    /// prove anything by a result that repeats them. Default: false.
    fn is_evidence(&self) -> bool {
        false
    }

    /// Calls the tool. The arguments come from the model and are not validated.
    ///
    /// # Errors
    /// Any error may be returned. The model sees the error's operation, kind and context, but not the error's
    /// sources. A panic fails the call too, and the model sees the first 400 characters of its message.
    async fn call(&self, arguments: &Value) -> Result<String>;
}

/// Makes a tool of an async function whose argument is a type with a schema. The doc comments of its fields are sent to the model.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use webwise::{action::Effect, agent::tool};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Article {
///     /// As in the catalogue.
///     number: u32,
/// }
///
/// let price = tool("price", "Returns our price of an article.", Effect::Read, async |article: Article| {
///     Ok(format!("{}.50 EUR", article.number))
/// });
/// # let _ = price;
/// ```
pub fn tool<A, F, R>(name: &str, about: &str, effect: Effect, call: F) -> impl Tool
where
    A: JsonSchema + DeserializeOwned + Send + 'static,
    F: Fn(A) -> R + Send + Sync + 'static,
    R: Future<Output = Result<String>> + Send,
{
    let mut parameters = SchemaGenerator::default()
        .into_root_schema_for::<A>()
        .to_value();
    if let Some(schema) = parameters.as_object_mut() {
        schema.retain(|key, _| key != "$schema" && key != "title");
    }
    Function {
        spec: ToolSpec {
            name: name.to_owned(),
            description: about.to_owned(),
            parameters,
        },
        effect,
        call,
        arguments: PhantomData,
    }
}

/// A tool made by [`tool`].
struct Function<A, F> {
    spec: ToolSpec,
    effect: Effect,
    call: F,
    arguments: PhantomData<fn(A)>,
}

impl<A, F> Debug for Function<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Function").field(&self.spec).finish()
    }
}

#[async_trait]
impl<A, F, R> Tool for Function<A, F>
where
    A: JsonSchema + DeserializeOwned + Send + 'static,
    F: Fn(A) -> R + Send + Sync + 'static,
    R: Future<Output = Result<String>> + Send,
{
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn effect(&self) -> Effect {
        self.effect
    }

    async fn call(&self, arguments: &Value) -> Result<String> {
        let arguments = serde_json::from_value(arguments.clone()).map_err(|error| {
            Error::new(ErrorKind::InvalidInput, "tool.arguments").with("why", error)
        })?;
        (self.call)(arguments).await
    }
}
