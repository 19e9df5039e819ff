//! The declarations of tools for a provider. Each frequent tool and each tool of the embedder has a declaration. One
//! more declaration, `other`, takes the name and the arguments of any other tool.
//!
//! Separate schemas for all tools would take more tokens of every request than a usual page. A tool without a
//! declaration can still be called by its own name.
//!
//! The declarations stay the same for a whole run. Providers put them before everything else, so a change would
//! invalidate the provider's cache of all that follows.

use serde_json::{Map, Value, json};

use super::{ToolSet, ToolSpec};
use crate::base::sorted;

/// The tools that are declared one by one, each with the arguments in its declaration. The most used tool comes first.
/// Source: chosen.
const FREQUENT: &[(&str, &[&str])] = &[
    ("click", &["target"]),
    ("fill", &["target", "text", "submit"]),
    ("press", &["key", "target", "times"]),
    ("select", &["target", "values"]),
    ("check", &["target"]),
    ("find", &["query"]),
    ("read", &["target", "line", "lines"]),
    ("finish", &["answer", "evidence", "success"]),
];
/// Notes on tools whose names and arguments do not explain enough. The description of the tool `other` contains these
/// notes.
const NOTES: &[(&str, &str)] = &[
    ("click", "other buttons"),
    ("click_at", "pixels from its top left corner"),
    ("click_xy", "pixels of the picture, or of target"),
    ("hover_xy", "likewise"),
    ("drag_xy", "likewise; via: [[x, y], ...] on the way"),
    (
        "drag_by",
        "pixels right and down, from a point or its middle",
    ),
    ("select_text", "all, or these words"),
    ("type", "where the focus is; a line break is Enter"),
    (
        "scroll",
        "the page, or inside target; without direction until target is in view",
    ),
    ("wait", "exactly one; seconds to 30"),
    (
        "screenshot",
        "without refs; the last 4 of a reply are shown",
    ),
    ("extract", "keep its text, or the page's, under name"),
    ("note", "kept in view, as find and read are not"),
    ("remember", "for later runs"),
    (
        "follow",
        "steps of t1, t2 ... under Done here before, with your values: {name: text}",
    ),
    ("go_back_to", "fields filled as before it"),
];

/// Returns the declarations in a fixed order: the frequent tools, the embedder's tools (the last `custom` items of
/// `specs`), and the tool that stands for all others.
pub(super) fn declared(specs: &[ToolSpec], custom: usize) -> Vec<ToolSpec> {
    let (ours, theirs) = specs.split_at(specs.len() - custom);
    let frequent = FREQUENT.iter().filter_map(|(name, arguments)| {
        let spec = ours.iter().find(|spec| spec.name == *name)?;
        Some(ToolSpec {
            parameters: lean(spec, arguments),
            ..spec.clone()
        })
    });
    let rest: Vec<String> = rest(ours).map(line).collect();
    let other = (!rest.is_empty()).then(|| ToolSpec {
        name: ToolSet::OTHER.to_owned(),
        description: format!("Any of:\n{}", rest.join("\n")),
        parameters: sorted(&json!({
            "type": "object",
            "properties": { "action": { "type": "string" }, "arguments": { "type": "object" } },
            "required": ["action"],
        })),
    });
    frequent
        .chain(theirs.iter().cloned())
        .chain(other)
        .collect()
}

/// Returns the crate's own tools, except the tools that are declared one by one with all their arguments.
fn rest(ours: &[ToolSpec]) -> impl Iterator<Item = &ToolSpec> {
    ours.iter().filter(|spec| !is_covered(spec))
}

/// Returns the names of the tools that [`rest`] returns, and the arguments of all these tools in one map. A reply
/// schema describes these tools together, as one form of call.
pub(super) fn rest_as_one(ours: &[ToolSpec]) -> Option<(Vec<&str>, Map<String, Value>)> {
    let names: Vec<&str> = rest(ours).map(|spec| spec.name.as_str()).collect();
    let mut arguments = Map::new();
    for spec in rest(ours) {
        let own = spec.parameters.get("properties").and_then(Value::as_object);
        for (name, schema) in own.into_iter().flatten() {
            arguments
                .entry(name.clone())
                .or_insert_with(|| bare(schema));
        }
    }
    (!names.is_empty()).then_some((names, arguments))
}

/// Returns an argument's schema, shortened for use in a reply schema. The description is left out, because the model
/// does not read it there. The minimum and the format are left out, because they differ between tools. The type is left
/// out if the schema lists the allowed values.
pub(super) fn bare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        for part in ["description", "minimum", "format"] {
            map.remove(part);
        }
        if map.contains_key("enum") {
            map.remove("type");
        }
    }
    schema
}

fn is_covered(spec: &ToolSpec) -> bool {
    let declared = FREQUENT.iter().find(|(name, _)| *name == spec.name);
    declared.is_some_and(|(_, arguments)| {
        names(spec, "properties")
            .iter()
            .all(|name| arguments.contains(&name.as_str()))
    })
}

/// Returns the schema of the arguments in `arguments`. Their descriptions are left out, because that of the tool names what is
/// not clear without them.
fn lean(spec: &ToolSpec, arguments: &[&str]) -> Value {
    let required = names(spec, "required");
    let mut properties = Map::new();
    for name in arguments {
        let Some(mut schema) = spec.parameters["properties"].get(*name).cloned() else {
            continue;
        };
        if let Some(map) = schema.as_object_mut() {
            map.remove("description");
        }
        properties.insert((*name).to_owned(), schema);
    }
    sorted(&json!({ "type": "object", "properties": properties, "required": required }))
}

/// Returns the line about a tool in the description of the tool `other`, such as
/// `wait(gone?, seconds?, text?): exactly one`.
fn line(spec: &ToolSpec) -> String {
    let signature = signature_of(spec, true);
    match NOTES.iter().find(|(name, _)| *name == spec.name) {
        Some((_, note)) => format!("{signature}: {note}"),
        None => signature,
    }
}

/// Returns the form of a call of the tool as a line, such as `hover(target)` or `wait(gone?, seconds?, text?)`. A `?`
/// marks an argument that may be left out.
pub(super) fn signature(spec: &ToolSpec) -> String {
    signature_of(spec, false)
}

/// Returns the line of [`signature`]. If `values` is true, the line also lists the allowed values of each optional
/// argument that has more than three, as in `scroll(direction? up|down|left|right)`.
fn signature_of(spec: &ToolSpec, values: bool) -> String {
    let required = names(spec, "required");
    let optional = names(spec, "properties")
        .into_iter()
        .filter(|name| !required.contains(name))
        .map(|name| {
            let few = spec.parameters["properties"][&name].get("enum");
            let few = few
                .and_then(Value::as_array)
                .filter(|few| values && few.len() > 3);
            let few: Vec<&str> = few
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let space = if few.is_empty() { "" } else { " " };
            format!("{name}?{space}{}", few.join("|"))
        });
    let arguments: Vec<String> = required.iter().cloned().chain(optional).collect();
    if arguments.is_empty() {
        spec.name.clone()
    } else {
        format!("{}({})", spec.name, arguments.join(", "))
    }
}

/// Returns the names under a key of the tool's schema: the items of a list such as `required`, or the keys of an object
/// such as `properties`.
fn names(spec: &ToolSpec, key: &str) -> Vec<String> {
    match spec.parameters.get(key) {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        Some(Value::Object(map)) => map.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{BrowserTool, RawCall, parse_calls};

    /// Maximum size of all tool declarations in a request. Unit: tokens of `o200k`. Source: measured; the declarations
    /// of a run take 762 tokens if the run has the tools for saved states and one tool of an embedder.
    const MAX_DECLARED: usize = 800;

    fn tools() -> ToolSet {
        let pay = ToolSpec {
            name: "pay".to_owned(),
            description: "Pay.".to_owned(),
            parameters: json!({}),
        };
        ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, [pay])
    }

    #[test]
    fn every_tool_is_declared_in_full_or_listed_in_the_one_for_the_rest() {
        let tools = tools();
        let (other, frequent) = tools.declared().split_last().unwrap();
        assert_eq!(other.name, ToolSet::OTHER);
        for spec in tools.specs() {
            let alone = frequent.iter().find(|declared| declared.name == spec.name);
            let left_out = |declared: &ToolSpec| {
                names(spec, "properties").len() > names(declared, "properties").len()
            };
            let listed = other.description.lines().any(|listed| listed == line(spec));
            assert!(
                listed == alone.is_none_or(left_out),
                "{}: {}",
                spec.name,
                other.description
            );
        }
        assert_eq!(frequent.last().unwrap().name, "pay");
        assert!(
            !other.description.contains("eval")
                && other
                    .description
                    .contains("\nclick(target, button?): other buttons\n")
        );
    }

    #[test]
    fn arguments_that_their_names_do_not_explain_are_explained_at_a_small_cost() {
        let pictures = ["screenshot", "click_xy", "hover_xy", "drag_xy", "upload"];
        let tools = pictures.into_iter().fold(tools(), ToolSet::without);
        let other = &tools.declared().last().unwrap().description;
        for line in [
            "drag(from, to)",
            "drag_by(target, from_x?, from_y?, x?, y?): pixels right and down, from a point or its middle",
            "select_text(target, text?): all, or these words",
            "wait(gone?, seconds?, text?): exactly one; seconds to 30",
            "scroll(direction? up|down|left|right, pixels?, target?): the page, or inside target; without direction until target is in view",
            "goto(url)",
            "go_back",
        ] {
            assert!(
                other.lines().any(|listed| listed == line),
                "{line}: {other}"
            );
        }
        let tokens: usize = tools
            .declared()
            .iter()
            .map(|tool| {
                let told = json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
                tiktoken_rs::o200k_base_singleton().encode_ordinary(&told.to_string()).len()
            })
            .sum();
        assert!(tokens <= MAX_DECLARED, "{tokens}");
    }

    #[test]
    fn what_is_called_through_the_one_for_the_rest_is_the_tool_itself() {
        let tools = tools();
        let line = |arguments: Value| {
            let calls =
                parse_calls(&[RawCall::new(ToolSet::OTHER, arguments)], "", &tools).unwrap();
            calls[0]
                .as_ref()
                .map(super::super::Action::line)
                .map_err(|problem| problem.failure.detail.clone())
        };
        let hover = r#"hover {"target":"e5"}"#;
        assert_eq!(
            line(json!({ "action": "hover", "arguments": { "target": "e5" } })).unwrap(),
            hover
        );
        assert_eq!(
            line(json!({ "action": "hover", "target": "e5" })).unwrap(),
            hover
        );
        assert_eq!(
            line(json!(
                r#"{"action":"hover","arguments":"{\"target\":\"e5\"}"}"#
            ))
            .unwrap(),
            hover
        );
        assert_eq!(line(json!({ "action": "go_back" })).unwrap(), "go_back");
        assert_eq!(
            line(json!({ "action": "fly" })).unwrap_err(),
            "there is no such tool in this run"
        );
        let named = r#"extract {"name":"other"}"#;
        assert_eq!(
            line(json!({ "action": "extract", "name": "other" })).unwrap(),
            named
        );
        let text = r#"{"calls": [{"action": "extract", "name": "other"}]}"#;
        assert_eq!(
            parse_calls(&[], text, &tools).unwrap()[0]
                .as_ref()
                .unwrap()
                .line(),
            named
        );
        assert!(line(json!({})).is_err());
        let text =
            r#"{"name": "other", "arguments": {"action": "hover", "arguments": {"target": "e5"}}}"#;
        assert_eq!(
            parse_calls(&[], text, &tools).unwrap()[0]
                .as_ref()
                .unwrap()
                .line(),
            hover
        );
    }
}
