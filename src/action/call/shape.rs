//! Removes the wrappers that models put around a call, and decides which keys of an object belong to the call.

use serde_json::{Map, Value};

use super::{
    super::spec::{ToolSet, ToolSpec, WRAP},
    RawCall,
};

/// Maximum depth of the search for calls. The object of the call counts too, so there may be at most 5 nested lists and
/// wrappers around a call. Source: chosen; the deepest nesting seen in replies of models is 3 lists and wrappers.
const MAX_WRAPPERS: usize = 6;
/// Keys under which a wrapping object may hold a list of calls.
const LISTS: &[&str] = &["calls", "tool_calls", "actions", "steps"];
/// Keys under which a wrapping object may hold a single call.
const AROUND: &[&str] = &["function", "function_call", "tool_call", "call", "action"];
/// Keys that may hold the tool's name. The keys `tool` and `action` may also hold the name, and are tried first.
const NAMES: &[&str] = &["name", "tool_name", "function"];
/// Keys that may hold the arguments of a call, as an object or a JSON string.
const ARGUMENTS: &[&str] = &[
    WRAP,
    "args",
    "parameters",
    "params",
    "input",
    "action_input",
];
/// Keys under which a model may write notes beside a call. These notes are ignored, unless the tool may take an
/// argument of this name.
const NOTES: &[&str] = &[
    "call_id",
    "comment",
    "description",
    "explanation",
    "id",
    "reason",
    "reasoning",
    "thinking",
    "thought",
    "thoughts",
    "type",
];

/// Returns the calls that these JSON values contain, also inside lists and wrappers, in the order of the text.
pub(super) fn calls(values: Vec<Value>, tools: &ToolSet) -> Vec<RawCall> {
    let mut found = Vec::new();
    for value in values {
        look_into(value, tools, MAX_WRAPPERS, &mut found);
    }
    found
}

fn look_into(value: Value, tools: &ToolSet, depth: usize, found: &mut Vec<RawCall>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items {
                look_into(item, tools, depth - 1, found);
            }
        }
        Value::Object(map) => look_into_object(map, tools, depth, found),
        _ => {}
    }
}

/// Adds the calls in an object to `found`. An object that names a tool of the run is a call of that tool, whatever its
/// other keys are. Any other object may be a wrapper around calls, a call such as `{"click": {...}}`, or a call of an
/// unknown tool. If it is none of these, nothing is added.
fn look_into_object(
    mut map: Map<String, Value>,
    tools: &ToolSet,
    depth: usize,
    found: &mut Vec<RawCall>,
) {
    if let Some((key, spec)) = name_of_tool(&map, tools) {
        map.remove(key);
        found.push(RawCall {
            name: spec.name.clone(),
            arguments: arguments(map, spec),
        });
        return;
    }
    if let Some(inner) = through_other(&map) {
        return look_into(inner, tools, depth - 1, found);
    }
    for wrapper in LISTS {
        if let Some(inner @ Value::Array(_)) = map.remove(*wrapper) {
            return look_into(inner, tools, depth - 1, found);
        }
    }
    for wrapper in AROUND {
        if matches!(map.get(*wrapper), Some(Value::Object(_)))
            && let Some(inner) = map.remove(*wrapper)
        {
            return look_into(inner, tools, depth - 1, found);
        }
    }
    if let Some((tool, given)) = keyed_by_tool(&map, tools) {
        found.push(RawCall {
            name: tool.to_owned(),
            arguments: given.clone(),
        });
        return;
    }
    // No tool of the run has this name. The call is kept, so that validation reports the unknown name to the model.
    let unknown = ["tool", "action"]
        .iter()
        .chain(NAMES)
        .find_map(|key| map.get(*key)?.as_str());
    if let Some(name) = unknown.map(str::to_owned) {
        found.push(RawCall {
            name,
            arguments: Value::Object(map),
        });
    }
}

/// Returns the arguments of a call of [`ToolSet::OTHER`]; `None` for a call of another tool. The arguments are the
/// object under a key such as `args`. If there is no such key, they are all keys except the one with the tool's name.
fn through_other(map: &Map<String, Value>) -> Option<Value> {
    let mut names = ["tool", "action"].iter().chain(NAMES);
    let named = names.find(|key| map.get(**key).is_some_and(|name| name == ToolSet::OTHER))?;
    let inner = ARGUMENTS
        .iter()
        .find_map(|key| map.get(*key).filter(|inner| inner.is_object()))
        .cloned();
    let beside = || {
        map.iter()
            .filter(|(key, _)| key != named)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    Some(inner.unwrap_or_else(|| Value::Object(beside())))
}

/// Returns the key under which the object names a tool of the run, and the spec of that tool.
fn name_of_tool<'t>(
    map: &Map<String, Value>,
    tools: &'t ToolSet,
) -> Option<(&'static str, &'t ToolSpec)> {
    let known = |key: &'static str| Some((key, tools.resolve(map.get(key)?.as_str()?)?));
    match (known("tool"), known("action")) {
        (Some(tool), Some(action)) => {
            let is_argument = action.1.declares("tool") && !tool.1.declares("action");
            Some(if is_argument { action } else { tool })
        }
        (Some(named), None) | (None, Some(named)) => Some(named),
        // `tool` names a tool that the run does not have, so `name` is not the tool's name.
        (None, None) if map.get("tool").is_some_and(Value::is_string) => None,
        (None, None) => NAMES.iter().find_map(|key| known(key)),
    }
}

/// Returns the arguments of a call of the tool `spec`. `map` is the object of the call without the tool's name. If a
/// wrapper such as `args` is the only key besides notes (see [`NOTES`]), the arguments are the content of the wrapper.
fn arguments(mut map: Map<String, Value>, spec: &ToolSpec) -> Value {
    let is_note = |key: &str| NOTES.contains(&key) && !spec.declares(key);
    // A tool whose arguments are unknown may have arguments that are called like notes. Beside them, only an object is a
    // wrapper.
    let is_alone = !map.keys().any(|key| is_note(key) && spec.may_take(key));
    let mut entries = map.iter_mut().filter(|(key, _)| !is_note(key));
    if let (Some((key, inner @ (Value::Object(_) | Value::String(_) | Value::Null))), None) =
        (entries.next(), entries.next())
        && ARGUMENTS.contains(&key.as_str())
        && (!spec.declares(key) || (spec.is_wrapped() && key == WRAP))
        && (is_alone || inner.is_object())
    {
        return inner.take();
    }
    // A tool whose arguments are unknown may also take those that are called like notes.
    map.retain(|key, _| !is_note(key) || spec.may_take(key));
    Value::Object(map)
}

/// Returns the tool's name and the arguments of a call such as `{"click": {...}}`. The name of the tool must be the
/// only key besides notes. Returns `None` if two keys name tools, because the order of the two calls would be unknown.
fn keyed_by_tool<'m>(map: &'m Map<String, Value>, tools: &ToolSet) -> Option<(&'m str, &'m Value)> {
    let is_call = |(key, value): &(&String, &Value)| {
        tools.contains(key) && (value.is_object() || value.is_null())
    };
    let mut called = map.iter().filter(is_call);
    let (Some((tool, given)), None) = (called.next(), called.next()) else {
        return None;
    };
    map.keys()
        .all(|key| key == tool || NOTES.contains(&key.as_str()))
        .then_some((tool, given))
}
