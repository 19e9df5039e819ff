//! Tool specs: the tools as the model sees them, with JSON Schemas derived from the action types.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    AgentAction, BrowserTool,
    declare::{bare, declared, rest_as_one, signature},
};
use crate::base::{TokenCount, sorted, tokens::estimate};

/// The key under which a call in a reply gives the tool's name. It must be the first key of the call, because some
/// servers make the model write the keys in the order of the schema. If a key such as `name` or `text` came first, the
/// model would write the tool's name there.
const NAME: &str = "action";
/// The key under which a call in a reply gives the arguments as one object. This key is used only if the arguments
/// cannot be keys beside the tool's name (`is_wrapped`).
pub(super) const WRAP: &str = "arguments";
/// A tool as it is declared to a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name by which the model calls the tool.
    pub name: String,
    /// The description of the tool for the model, in one sentence.
    pub description: String,
    /// The JSON Schema of the tool's arguments: an object with sorted keys.
    pub parameters: Value,
}

impl ToolSpec {
    /// Returns one line that shows how the tool is called, such as `click(target, button?)`. A `?` marks an argument
    /// that may be left out.
    pub fn signature(&self) -> String {
        signature(self)
    }

    pub(super) fn declares(&self, argument: &str) -> bool {
        self.arguments()
            .is_some_and(|arguments| arguments.contains_key(argument))
    }

    /// Returns true if the argument may have values of this JSON type, such as `integer`.
    pub(super) fn takes(&self, argument: &str, json_type: &str) -> bool {
        let schema = self.arguments().and_then(|all| all.get(argument));
        let types = schema.map(|schema| &schema["type"]);
        types.is_some_and(|types| match types {
            Value::Array(all) => all.iter().any(|one| one == json_type),
            one => one == json_type,
        })
    }

    /// Returns true if the tool may take this argument. If the tool's schema has no `properties`, the tool may take
    /// any.
    pub(super) fn may_take(&self, argument: &str) -> bool {
        self.arguments()
            .is_none_or(|arguments| arguments.contains_key(argument))
    }

    /// Returns true if a reply must give the arguments in an object of their own. This is so if an argument does not
    /// come after [`NAME`] in alphabetical order, or if the arguments are unknown. No tool of this crate needs such an
    /// object.
    pub(super) fn is_wrapped(&self) -> bool {
        self.arguments()
            .is_none_or(|arguments| arguments.keys().any(|argument| argument.as_str() <= NAME))
    }

    fn arguments(&self) -> Option<&Map<String, Value>> {
        self.parameters.get("properties").and_then(Value::as_object)
    }
}

/// The tools of a run. Their order is fixed, so that every request of the run begins with the same bytes and the
/// provider can cache this beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSet {
    /// The specs of all tools: first the crate's, then the embedder's.
    specs: Vec<ToolSpec>,
    /// Number of the crate's tools in `specs`.
    ours: usize,
    declared: Vec<ToolSpec>,
    declared_tokens: TokenCount,
}

impl ToolSet {
    /// Name of the declaration that stands for all tools without a declaration of their own. No tool may have this
    /// name.
    pub const OTHER: &'static str = "other";

    /// Creates the set. It contains the browser tools in `supported`, then the loop's own tools, then the tools in
    /// `custom`, which the program that uses this crate adds.
    ///
    /// The tools `eval` and `run_code` are included only if `scripts` is true, because a script can get around every
    /// safety measure.
    pub fn new(
        supported: &BTreeSet<BrowserTool>,
        scripts: bool,
        custom: impl IntoIterator<Item = ToolSpec>,
    ) -> Self {
        let allowed = |tool: &BrowserTool| {
            supported.contains(tool)
                && (scripts || !matches!(tool, BrowserTool::Eval | BrowserTool::RunCode))
        };
        let browser = BrowserTool::ALL
            .iter()
            .filter(|tool| allowed(tool))
            .map(|tool| ToolSpec {
                name: tool.as_str().to_owned(),
                description: tool.description().to_owned(),
                parameters: plain(&tool.schema().to_value()),
            });
        let agent = AgentAction::TOOLS.iter().filter_map(|(name, description)| {
            Some(ToolSpec {
                name: (*name).to_owned(),
                description: (*description).to_owned(),
                parameters: plain(&AgentAction::schema(name)?.to_value()),
            })
        });
        let mut specs: Vec<ToolSpec> = browser.chain(agent).collect();
        let ours = specs.len();
        specs.extend(custom);
        Self::of(specs, ours)
    }

    fn of(specs: Vec<ToolSpec>, ours: usize) -> Self {
        let declared = declared(&specs, specs.len() - ours);
        let tokens =
            |spec: &ToolSpec| estimate(&spec.description) + estimate(&spec.parameters.to_string());
        Self {
            declared_tokens: declared.iter().map(tokens).sum(),
            specs,
            ours,
            declared,
        }
    }

    pub(crate) fn only(tool: ToolSpec) -> Self {
        Self::of(vec![tool], 0)
    }

    /// Returns this set without the built-in tool of this name. Remove a tool only if it cannot work on any page of the
    /// run.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        let ours = self.specs.iter().take(self.ours);
        if let Some(at) = ours.into_iter().position(|spec| spec.name == name) {
            self.specs.remove(at);
            self.ours -= 1;
        }
        Self::of(self.specs, self.ours)
    }

    /// Returns this set with another schema of the answer that `finish` takes.
    #[must_use]
    pub(crate) fn returning(mut self, schema: &Value) -> Self {
        let finish = self.specs.iter_mut().find(|spec| spec.name == "finish");
        if let Some(finish) = finish {
            finish.parameters["properties"]["answer"] = plain(schema);
        }
        Self::of(self.specs, self.ours)
    }

    /// Returns the declarations for a provider. They are identical, byte for byte, in every step. Each frequent
    /// built-in tool has its own declaration, and so has each tool of the program that uses this crate. All other
    /// tools share the declaration [`OTHER`](Self::OTHER), whose description lists them.
    pub fn declared(&self) -> &[ToolSpec] {
        &self.declared
    }

    pub(crate) const fn declared_tokens(&self) -> TokenCount {
        self.declared_tokens
    }

    /// Returns the specs of all tools: first the built-in tools, then those of the program that uses this crate.
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Returns true if the set contains a tool of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.specs.iter().any(|spec| spec.name == name)
    }

    /// Finds a tool by its exact name or, failing that, by the name with every `-` replaced by `_`.
    pub(super) fn resolve(&self, name: &str) -> Option<&ToolSpec> {
        let find = |name: &str| self.specs.iter().find(|spec| spec.name == name);
        let name = name.trim();
        find(name).or_else(|| find(&name.replace('-', "_")))
    }

    /// Returns the JSON Schema of a whole reply, for models that follow a schema better than tool calls. A reply has
    /// the form `{"calls": [{"action": "click", "target": "e12"}, ...]}`.
    ///
    /// The schema lists the forms that a call may have. Each tool with a declaration of its own in
    /// [`declared`](Self::declared) has a form; tools with equal arguments share one form. One more form covers all
    /// other built-in tools, and the frequent tools that are declared with only some of their arguments. This form
    /// accepts the name of each of these tools as its `action`, and every argument of these tools.
    ///
    /// The keys of a call are sorted. The first key must be `action`, which contains the tool's name. If a tool has
    /// an argument that does not sort after `action`, or if its schema has no `properties`, all arguments of the tool
    /// are in an object of their own: `{"action": "pay", "arguments": {"account": 7}}`.
    pub fn reply_schema(&self, max_calls: usize) -> Value {
        let mut alone: Vec<(Vec<&str>, &ToolSpec)> = Vec::new();
        for spec in self.declared.iter().filter(|spec| spec.name != Self::OTHER) {
            let same = alone
                .iter_mut()
                .find(|(_, first)| first.parameters == spec.parameters);
            match same {
                Some((names, _)) => names.push(&spec.name),
                None => alone.push((vec![&spec.name], spec)),
            }
        }
        let alone = alone
            .into_iter()
            .map(|(names, spec)| call_schema(&names, spec));
        let rest = rest_as_one(&self.specs[..self.ours]).map(|(names, arguments)| {
            let mut properties = Map::new();
            properties.insert(NAME.to_owned(), json!({ "enum": names }));
            properties.extend(arguments);
            call_with(&properties, &[json!(NAME)])
        });
        let variants: Vec<Value> = alone.chain(rest).collect();
        sorted(&json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["calls"],
            "properties": {
                "calls": { "type": "array", "minItems": 1, "maxItems": max_calls, "items": { "anyOf": variants } }
            }
        }))
    }
}

/// Returns the schema of a call whose name is one of `names`. All tools in `names` take the arguments of `spec`.
fn call_schema(names: &[&str], spec: &ToolSpec) -> Value {
    let mut properties = Map::new();
    let name = match names {
        [name] => json!({ "const": name }),
        names => json!({ "enum": names }),
    };
    properties.insert(NAME.to_owned(), name);
    let mut required = vec![json!(NAME)];
    if spec.is_wrapped() {
        properties.insert(WRAP.to_owned(), spec.parameters.clone());
        required.push(json!(WRAP));
    } else {
        let arguments = spec.arguments().into_iter().flatten();
        properties.extend(arguments.map(|(name, schema)| (name.clone(), bare(schema))));
        required.extend(
            spec.parameters
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    call_with(&properties, &required)
}

fn call_with(properties: &Map<String, Value>, required: &[Value]) -> Value {
    json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
}

/// Returns the schema without the parts that cost tokens and that a model does not need, such as titles, null types and
/// number formats.
fn plain(schema: &Value) -> Value {
    fn strip(value: &mut Value) {
        if let Value::Object(map) = value {
            for key in ["$schema", "title", "format", "minimum", "default"] {
                map.remove(key);
            }
            if let Some(Value::Array(types)) = map.get("type") {
                let kept: Vec<_> = types.iter().filter(|t| *t != "null").cloned().collect();
                if let [one] = kept.as_slice() {
                    map.insert("type".to_owned(), one.clone());
                }
            }
            // `schemars` writes an optional enum or newtype as `anyOf: [it, null]`.
            if let Some(Value::Array(options)) = map.get("anyOf") {
                let kept: Vec<_> = options
                    .iter()
                    .filter(|o| o.get("type") != Some(&json!("null")))
                    .cloned()
                    .collect();
                if let [Value::Object(one)] = kept.as_slice() {
                    let one = one.clone();
                    map.remove("anyOf");
                    map.extend(one.into_iter().filter(|(key, _)| key != "description"));
                }
            }
            // `schemars` writes a documented enum as one constant with a description for each value.
            let constants = map.get("oneOf").and_then(Value::as_array).map(|options| {
                options
                    .iter()
                    .filter_map(|option| option.get("const").cloned())
                    .collect::<Vec<_>>()
            });
            if let Some(constants) = constants.filter(|c| !c.is_empty()) {
                map.remove("oneOf");
                map.insert("type".to_owned(), json!("string"));
                map.insert("enum".to_owned(), Value::Array(constants));
            }
            for value in map.values_mut() {
                strip(value);
            }
        } else if let Value::Array(items) = value {
            items.iter_mut().for_each(strip);
        }
    }
    let mut schema = inline(schema);
    strip(&mut schema);
    if let Value::Object(map) = &mut schema {
        map.remove("description");
        map.entry("properties").or_insert_with(|| json!({}));
    }
    sorted(&schema)
}

/// Returns the schema with each reference replaced by the local definition that it refers to, because not every
/// provider resolves `$ref`.
fn inline(schema: &Value) -> Value {
    fn walk(value: &Value, definitions: &Map<String, Value>) -> Value {
        match value {
            Value::Object(map) => {
                let named = map
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|r| r.strip_prefix("#/$defs/"));
                if let Some(definition) = named.and_then(|name| definitions.get(name)) {
                    return walk(definition, definitions);
                }
                let pairs = map.iter().filter(|(key, _)| *key != "$defs");
                Value::Object(
                    pairs
                        .map(|(key, value)| (key.clone(), walk(value, definitions)))
                        .collect(),
                )
            }
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| walk(item, definitions)).collect())
            }
            other => other.clone(),
        }
    }
    let definitions = schema
        .get("$defs")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    walk(schema, &definitions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> ToolSet {
        ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), true, [])
    }

    #[test]
    fn a_schema_says_names_types_and_what_is_required_and_no_more() {
        let tools = all();
        let click = tools
            .specs()
            .iter()
            .find(|spec| spec.name == "click")
            .unwrap();
        assert_eq!(
            crate::base::canonical(&click.parameters),
            r#"{"additionalProperties":false,"properties":{"button":{"description":"Which button; left when not given.","enum":["left","right","middle"],"type":"string"},"target":{"description":"Ref, exact text, or role \"name\".","type":"string"}},"required":["target"],"type":"object"}"#
        );
    }

    #[test]
    fn no_schema_needs_a_resolver() {
        for spec in all().specs() {
            let text = spec.parameters.to_string();
            assert!(
                !text.contains("$ref") && !text.contains("$defs") && !text.contains("null"),
                "{}: {text}",
                spec.name
            );
            assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        }
    }

    #[test]
    fn scripts_are_offered_only_when_allowed() {
        let supported = BrowserTool::ALL.iter().copied().collect();
        let tools = ToolSet::new(&supported, false, []);
        assert!(!tools.contains("eval") && !tools.contains("run_code") && tools.contains("click"));
    }

    fn custom(name: &str, parameters: Value) -> ToolSpec {
        ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters,
        }
    }

    fn with_custom() -> ToolSet {
        let customs = [
            custom(
                "pay",
                json!({ "type": "object", "properties": { "account": { "type": "string" } } }),
            ),
            custom(
                "rate",
                json!({ "type": "object", "properties": { "stars": { "type": "integer" } } }),
            ),
            custom("anything", json!({ "type": "object" })),
        ];
        ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), true, customs)
    }

    fn variants(tools: &ToolSet) -> Vec<Value> {
        tools.reply_schema(5)["properties"]["calls"]["items"]["anyOf"]
            .as_array()
            .unwrap()
            .clone()
    }

    fn names_of(variant: &Value) -> Vec<String> {
        let name = &variant["properties"][NAME];
        let one = name["const"].as_str();
        let many = name["enum"].as_array().into_iter().flatten();
        one.into_iter()
            .chain(many.filter_map(Value::as_str))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn the_reply_schema_allows_what_is_declared_and_no_more() {
        let tools = with_custom();
        let variants = variants(&tools);
        let named: BTreeSet<String> = variants.iter().flat_map(names_of).collect();
        let specs = tools.specs().iter().map(|spec| spec.name.clone());
        assert_eq!(named, specs.collect());
        assert_eq!(tools.reply_schema(5)["properties"]["calls"]["maxItems"], 5);
        let (rest, alone) = variants.split_last().unwrap();
        let (other, declared) = tools.declared().split_last().unwrap();
        assert_eq!(other.name, ToolSet::OTHER);
        for spec in declared {
            let variant = alone
                .iter()
                .find(|variant| names_of(variant).contains(&spec.name))
                .unwrap();
            if !spec.is_wrapped() {
                let arguments: BTreeSet<&String> = spec.arguments().unwrap().keys().collect();
                let allowed = variant["properties"].as_object().unwrap().keys();
                assert_eq!(
                    allowed
                        .filter(|name| *name != NAME)
                        .collect::<BTreeSet<_>>(),
                    arguments,
                    "{}",
                    spec.name
                );
            }
        }
        assert_eq!(
            alone.iter().flat_map(names_of).count(),
            declared.len(),
            "each once"
        );
        // Arguments of the same name must be equal in all these tools; otherwise one schema could not stand for them.
        for spec in tools
            .specs()
            .iter()
            .filter(|spec| names_of(rest).contains(&spec.name))
        {
            for (name, schema) in spec.arguments().unwrap() {
                assert_eq!(
                    rest["properties"][name],
                    bare(schema),
                    "{} {name}",
                    spec.name
                );
            }
        }
    }

    #[test]
    fn a_tool_that_cannot_work_in_a_run_is_in_none_of_its_lists() {
        let tools = with_custom().without("ask_human").without("pay");
        assert!(!tools.contains("ask_human") && tools.contains("pay"));
        let other = &tools.declared().last().unwrap().description;
        assert!(!other.contains("ask_human") && other.contains("remember"));
        assert!(!tools.reply_schema(5).to_string().contains("ask_human"));
        assert!(
            !tools
                .clone()
                .without("click")
                .reply_schema(5)
                .to_string()
                .contains("\"click\"")
        );
    }

    #[test]
    fn the_name_of_the_tool_is_the_first_key_of_every_call_as_serialised() {
        for variant in variants(&with_custom()) {
            let text = variant.to_string();
            let properties = text.split_once(r#""properties":{"#).unwrap().1;
            assert!(properties.starts_with(r#""action":{"#), "{text}");
            assert_eq!(variant["required"][0], "action", "{text}");
        }
    }

    #[test]
    fn only_arguments_that_cannot_stand_beside_the_name_are_wrapped() {
        let tools = with_custom();
        let wrapped: Vec<_> = tools
            .specs()
            .iter()
            .filter(|s| s.is_wrapped())
            .map(|s| s.name.as_str())
            .collect();
        assert_eq!(wrapped, ["pay", "anything"]);
        let pay = variants(&tools)
            .into_iter()
            .find(|v| v["properties"][NAME]["const"] == "pay")
            .unwrap();
        assert_eq!(
            pay["properties"][WRAP]["properties"]["account"]["type"],
            "string"
        );
    }

    #[test]
    fn a_name_with_a_hyphen_is_tried_as_written_first() {
        let tools = ToolSet::new(
            &[BrowserTool::GoBack].into(),
            false,
            [
                custom("order-now", json!({})),
                custom("order_now", json!({})),
            ],
        );
        let resolved = |name: &str| tools.resolve(name).map(|spec| spec.name.as_str());
        assert_eq!(resolved("go-back"), Some("go_back"));
        assert_eq!(resolved("order-now"), Some("order-now"));
        assert_eq!(resolved("order_now"), Some("order_now"));
        assert_eq!(resolved("order now"), None);
    }
}
