//! Converts a model's reply into typed actions. Parsing is lenient, validation is strict.
//!
//! `reply` finds the places in a text where a call may be, `json` parses JSON as models write it, and `shape` removes
//! the wrappers that models put around a call. This file validates the calls.

mod json;
mod reply;
mod shape;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use super::{
    AgentAction, BrowserAction, BrowserTool, ErrorClass, Failure, Target, ToolSet, ToolSpec,
};
use crate::{page::ElementRef, secret::Redactor};

/// A tool call as the model made it. Its name and arguments are not checked yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RawCall {
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, or a string that contains an object.
    pub arguments: Value,
}

impl RawCall {
    /// Creates a call of this tool.
    pub fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: name.into(),
            arguments,
        }
    }
}

/// A call of a tool of the embedder (the program that uses this crate).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CustomCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments as the model sent them, with two exceptions: arguments sent as one JSON string are parsed, and
    /// missing arguments become an empty object.
    pub arguments: Value,
}

/// One action of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Action {
    /// An action that the browser driver carries out.
    Browser(BrowserAction),
    /// An action that the loop itself carries out.
    Agent(AgentAction),
    /// A call of a tool of the embedder (the program that uses this crate).
    Custom(CustomCall),
}

impl Action {
    /// Returns the references of its targets. `extract` and `read` may have one, tools of the embedder have none.
    pub(crate) fn references(&self) -> Vec<&ElementRef> {
        let targets = match self {
            Self::Browser(action) => action.targets(),
            Self::Agent(AgentAction::Extract(extract)) => extract.target.iter().collect(),
            Self::Agent(AgentAction::Read(read)) => read.target.iter().collect(),
            _ => Vec::new(),
        };
        targets.into_iter().filter_map(Target::as_ref).collect()
    }

    /// Returns the targets that are references, in the order of [`references`](Self::references).
    pub(crate) fn references_mut(&mut self) -> Vec<&mut Target> {
        let mut targets = match self {
            Self::Browser(action) => action.targets_mut(),
            Self::Agent(AgentAction::Extract(extract)) => extract.target.iter_mut().collect(),
            Self::Agent(AgentAction::Read(read)) => read.target.iter_mut().collect(),
            _ => Vec::new(),
        };
        targets.retain(|target| target.as_ref().is_some());
        targets
    }

    /// Returns the tool's name.
    pub fn tool_name(&self) -> &str {
        match self {
            Self::Browser(action) => action.tool().as_str(),
            Self::Agent(action) => action.name(),
            Self::Custom(call) => &call.tool,
        }
    }

    /// Returns the arguments as JSON. In a text to type, a secret or a parameter appears as its placeholder. The
    /// arguments of a custom call are returned as [`CustomCall`] contains them.
    pub fn arguments(&self) -> Value {
        match self {
            Self::Browser(action) => action.arguments(),
            Self::Agent(action) => action.arguments(),
            Self::Custom(call) => call.arguments.clone(),
        }
    }

    /// Returns a copy of the action in which secrets are replaced. If the replacement makes the action invalid, the
    /// copy is an [`Action::Custom`] with the tool's name and the redacted arguments. If even that is impossible, the
    /// copy contains only the tool's name.
    #[must_use]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        if redactor.is_empty() {
            return self.clone();
        }
        let mut value = serde_json::to_value(self).unwrap_or_default();
        redactor.json(&mut value);
        serde_json::from_value(value).unwrap_or_else(|_| {
            Self::Custom(CustomCall {
                tool: self.tool_name().to_owned(),
                arguments: Value::Null,
            })
        })
    }

    /// Returns the action as one line, `tool {"argument":"value"}`, with sorted argument names. If the action has no
    /// arguments, the line is only the tool's name.
    pub fn line(&self) -> String {
        let arguments = crate::base::canonical(&self.arguments());
        if arguments == "{}" {
            self.tool_name().to_owned()
        } else {
            format!("{} {arguments}", self.tool_name())
        }
    }
}

/// A call of the model that cannot be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallProblem {
    /// The tool's name as the model gave it; `None` if it gave no name.
    pub tool: Option<String>,
    /// The reason why the call cannot be carried out. The model is told this reason.
    pub failure: Failure,
}

/// Parses the calls of a model's reply. The calls are taken from the reply's tool calls. If the reply has no tool
/// calls, the calls are taken from JSON in the reply's text.
///
/// A model may quote a page, so JSON in a text counts only in the places where a model puts its own calls:
///
/// 1. the whole text, or its last lines if they contain only JSON;
/// 2. otherwise inside `<tool_call>` or `<function_call>` tags;
/// 3. otherwise inside code fences.
///
/// An opening fence must begin a line. An opening tag must begin a line or follow a closing tag. A closing fence must
/// end a line. A closing tag must end a line or be followed by another tag. JSON inside a sentence, before other text,
/// or in a `<think>` block is never a call.
///
/// Trailing commas are accepted, and so are arguments given as a JSON string. A call may have any of these shapes:
/// `{"calls": [...]}`, `{"tool_calls": [...]}`, `{"name": ..., "arguments": ...}`, `{"function": {...}}`,
/// `{"action": "click", "target": ...}` and `{"click": {...}}`. Each call is then validated strictly. In the result, a
/// [`CallProblem`] takes the place of each invalid call.
///
/// # Errors
/// Returns one [`CallProblem`] if the reply contains no call at all, or if its text is too long to be searched.
///
/// ```
/// use webwise::action::{ToolSet, BrowserTool, parse_calls};
///
/// let tools = ToolSet::new(&[BrowserTool::Click].into(), false, []);
/// let calls = parse_calls(&[], "```json\n{\"tool\": \"click\", \"target\": \"@e22\",}\n```", &tools).unwrap();
/// assert_eq!(calls[0].as_ref().unwrap().line(), r#"click {"target":"e22"}"#);
///
/// assert!(parse_calls(&[], r#"The page says {"tool": "click", "target": "e22"}."#, &tools).is_err());
/// ```
pub fn parse_calls(
    tool_calls: &[RawCall],
    content: &str,
    tools: &ToolSet,
) -> Result<Vec<Result<Action, CallProblem>>, CallProblem> {
    let mut raw: Vec<RawCall> = tool_calls.to_vec();
    if raw.is_empty() {
        if content.len() > json::MAX_TEXT {
            return Err(no_call("the reply is too long to be read; give calls"));
        }
        raw = reply::places(content)
            .map(|values| shape::calls(values, tools))
            .find(|c| !c.is_empty())
            .unwrap_or_default();
    }
    if raw.is_empty() {
        return Err(no_call(if content.trim().is_empty() {
            "the reply was empty; give calls"
        } else {
            "the reply held no call; give calls instead of text"
        }));
    }
    Ok(raw
        .into_iter()
        .map(|call| validate(meant(call, tools), tools))
        .collect())
}

/// Returns the inner call if `call` is a call of [`ToolSet::OTHER`] with exactly one call in its arguments. Otherwise
/// returns `call` unchanged.
fn meant(call: RawCall, tools: &ToolSet) -> RawCall {
    if call.name.trim() != ToolSet::OTHER {
        return call;
    }
    let inner = match &call.arguments {
        Value::String(text) => json::only_value(text).unwrap_or_default(),
        inner => inner.clone(),
    };
    let mut found = shape::calls(vec![inner], tools);
    if found.len() == 1 {
        found.remove(0)
    } else {
        call
    }
}

fn no_call(why: &str) -> CallProblem {
    CallProblem {
        tool: None,
        failure: Failure::new(ErrorClass::BadArguments, why),
    }
}

fn validate(call: RawCall, tools: &ToolSet) -> Result<Action, CallProblem> {
    let said = crate::base::text::truncate(&crate::base::text::clean(call.name.trim()), 60);
    let problem = |detail: &str| CallProblem {
        tool: Some(said.clone()),
        failure: Failure::new(ErrorClass::BadArguments, detail),
    };
    let Some(spec) = tools.resolve(&call.name) else {
        return Err(problem("there is no such tool in this run"));
    };
    let name = spec.name.as_str();
    let arguments = match call.arguments {
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        Value::String(text) => {
            json::only_value(&text).ok_or_else(|| problem("the arguments are not JSON"))?
        }
        Value::Null => Value::Object(Map::new()),
        other => other,
    };
    let action = typed(arguments.clone(), spec, tools).map_err(|error| {
        let error = error.to_string();
        problem(&match wrong_value(&error, &arguments, spec, tools) {
            Some(argument) => format!("{argument}: {error}"),
            None => error,
        })
    })?;
    if let Action::Browser(browser) = &action {
        browser.check().map_err(|failure| CallProblem {
            tool: Some(name.to_owned()),
            failure,
        })?;
    }
    Ok(action)
}

/// Converts the arguments of a call of the tool `spec` to an action.
fn typed(arguments: Value, spec: &ToolSpec, tools: &ToolSet) -> Result<Action, serde_json::Error> {
    let name = spec.name.as_str();
    if let Some(tool) = BrowserTool::parse(name) {
        let action = BrowserAction::from_arguments(tool, tidied(arguments, spec))?;
        let takes_distance = tools.contains(BrowserTool::DragBy.as_str());
        return Ok(Action::Browser(if takes_distance {
            action.or_by_distance()
        } else {
            action
        }));
    }
    if let Some(action) = AgentAction::from_arguments(name, tidied(arguments.clone(), spec)) {
        return action.map(Action::Agent);
    }
    Ok(Action::Custom(CustomCall {
        tool: name.to_owned(),
        arguments,
    }))
}

/// Returns the name of the argument whose value led to this error of [`typed`]; `None` if the error is about a missing, an
/// unknown or a repeated argument, which it names itself.
fn wrong_value<'a>(
    error: &str,
    arguments: &'a Value,
    spec: &ToolSpec,
    tools: &ToolSet,
) -> Option<&'a str> {
    if error.contains(" field `") {
        return None;
    }
    // A wrong value leads to the same error without the other arguments.
    let is_wrong = |(name, value): &(&String, &Value)| {
        let alone = Map::from_iter([((*name).clone(), (*value).clone())]);
        typed(alone.into(), spec, tools).is_err_and(|alone| alone.to_string() == error)
    };
    let (name, _) = arguments.as_object()?.iter().find(is_wrong)?;
    Some(name)
}

/// Names of the arguments that are rounded to whole pixels: positions and distances.
const PIXELS: [&str; 7] = ["x", "y", "to_x", "to_y", "from_x", "from_y", "pixels"];

/// Corrects the arguments of a call of one of the crate's tools. Removes nulls, which models write for arguments that
/// they leave out. Converts `"3"` and `3.0` to `3` where the tool takes a whole number, and `"0.3"` to `0.3` where it
/// takes any number. Rounds positions and distances in pixels, such as `96.5`, to the nearest pixel.
fn tidied(mut arguments: Value, spec: &ToolSpec) -> Value {
    if let Value::Object(map) = &mut arguments {
        map.retain(|_, value| !value.is_null());
        for (name, value) in map {
            if spec.takes(name, "integer") {
                if let Some(number) = whole(value, PIXELS.contains(&name.as_str())) {
                    *value = number.into();
                }
            } else if name == "via" {
                for length in value.as_array_mut().into_iter().flatten() {
                    for place in length.as_array_mut().into_iter().flatten() {
                        if let Some(number) = whole(place, true) {
                            *place = number.into();
                        }
                    }
                }
            } else if spec.takes(name, "number")
                && let Some(number) = quoted_number(value)
            {
                *value = number.into();
            }
        }
    }
    arguments
}

/// Returns the whole number in a JSON number or in a text such as `"3"`. If the number has a fraction, it is rounded if
/// `rounds` is true; otherwise the result is `None`.
fn whole(value: &Value, rounds: bool) -> Option<i64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_f64()?,
    };
    // Beyond this, a number with a fraction does not tell whole numbers apart.
    let is_exact = number.abs() < 9e15 && (rounds || number.fract() == 0.0);
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    is_exact.then(|| number.round() as i64)
}

/// Returns the number in a text such as `"0.3"`; `None` if it is infinite or no number, or if the value is no text.
fn quoted_number(value: &Value) -> Option<Number> {
    Number::from_f64(value.as_str()?.trim().parse().ok()?)
}
