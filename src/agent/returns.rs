//! The form of the answer that a task asks for.

use std::{fmt, sync::Arc};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The form of an answer: a schema for the model, and the check of what it gave.
#[derive(Clone)]
pub(super) struct Returns {
    pub(super) schema: Value,
    check: Arc<Check>,
}

type Check = dyn Fn(&Value) -> Result<(), String> + Send + Sync;

impl fmt::Debug for Returns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Returns").field(&self.schema).finish()
    }
}

impl Returns {
    /// Returns the form of a type.
    pub(super) fn of<T: JsonSchema + DeserializeOwned>() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            // In the declaration of a tool, references would lead to another place.
            settings.inline_subschemas = true;
        });
        let schema = settings.into_generator().into_root_schema_for::<T>();
        Self::new(schema.to_value(), |value| {
            let read = serde_json::from_value::<T>(value.clone());
            read.map(drop).map_err(|error| error.to_string())
        })
    }

    pub(super) fn new(
        schema: Value,
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let check = Arc::new(check);
        Self { schema, check }
    }

    /// Returns the answer as a value, or why it has another form.
    pub(super) fn read(&self, answer: &str) -> Result<Value, String> {
        let value = serde_json::from_str(answer);
        let value = value.unwrap_or_else(|_| Value::String(answer.to_owned()));
        (self.check)(&value).map(|()| value)
    }
}
