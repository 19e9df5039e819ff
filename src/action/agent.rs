//! The closed set of actions that the loop itself carries out for the model.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Target, lenient};

macro_rules! agent_actions {
    ($($variant:ident = $name:literal, $description:literal;)*) => {
        /// An action that the loop itself carries out.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(tag = "tool", content = "arguments", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum AgentAction {
            $(#[doc = $description] $variant($variant),)*
        }

        impl AgentAction {
            /// The names and descriptions of all tools. Prompts list the frequent tools first, then the others in this
            /// order.
            pub(super) const TOOLS: &[(&'static str, &'static str)] = &[$(($name, $description),)*];

            /// Returns the tool's name, as models use it.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Returns the arguments as JSON.
            pub fn arguments(&self) -> Value {
                match self { $(Self::$variant(arguments) => serde_json::to_value(arguments).unwrap_or_default(),)* }
            }

            pub(super) fn schema(name: &str) -> Option<schemars::Schema> {
                match name { $($name => Some(schemars::schema_for!($variant)),)* _ => None }
            }

            /// Parses the arguments of the tool with this name. Returns `None` if [`AgentAction`] has no such tool.
            pub(super) fn from_arguments(name: &str, arguments: Value) -> Option<Result<Self, serde_json::Error>> {
                match name { $($name => Some(serde_json::from_value(arguments).map(Self::$variant)),)* _ => None }
            }
        }
    };
}

agent_actions! {
    Finish = "finish", "End the task with words of the page as evidence; success false if the goal cannot be met.";
    Find = "find", "Search this page for words, also in lines left out.";
    Read = "read", "Show lines in full that the page leaves out, of the page or of the group target.";
    Extract = "extract", "Keep the text of an element, or of the page, under a name for the result.";
    Note = "note", "Write down what is needed later in this task; notes stay in every message.";
    Remember = "remember", "Propose a fact about this site for later runs.";
    Follow = "follow", "Do steps of a recipe under Done here before, with your values.";
    GoBackTo = "go_back_to", "Open the page again as it was before a step, with its fields filled.";
    AskHuman = "ask_human", "Ask the person who gave the task.";
}

/// Ends the task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// What the task asked for, or why it cannot be done.
    // Of a task that asks for a value, the answer is JSON, also if the model gives it as an object.
    #[serde(
        alias = "result",
        alias = "message",
        alias = "text",
        deserialize_with = "lenient::text_or_json"
    )]
    #[schemars(with = "String")]
    pub answer: String,
    /// Words of the page that prove it.
    // The comment above is sent to models. They may give several passages as a list; each becomes a line.
    #[serde(default, alias = "quote", deserialize_with = "lenient::text_or_lines")]
    pub evidence: String,
    /// False to give up.
    #[serde(default = "yes")]
    pub success: bool,
}

const fn yes() -> bool {
    true
}

/// Searches the whole page.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    /// Words of the label, role or value.
    #[serde(alias = "text")]
    pub query: String,
}

/// Shows a part of the page in full.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Ref of a group, a text or a list of choices; the page when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref")]
    pub target: Option<Target>,
    /// Number of the first line; 1 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "from")]
    pub line: Option<u32>,
    /// Number of lines; some 30 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "count")]
    pub lines: Option<u32>,
}

/// Keeps a text of the page under a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extract {
    /// What the data is called in the result.
    pub name: String,
    /// Ref such as e12; the page's text when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "ref")]
    pub target: Option<Target>,
}

/// Writes something down for the rest of the run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The note.
    #[serde(alias = "note", alias = "value")]
    pub text: String,
}

/// Proposes a fact about the site for later runs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// Short name of the fact.
    pub key: String,
    /// The fact.
    pub value: String,
}

/// Takes steps of a recipe, which memory recorded in an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Follow {
    /// Name of the recipe, such as t1.
    pub recipe: String,
    /// A value for each name in <> of these steps.
    // A number or a truth value is taken as its text.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "lenient::texts_by_name"
    )]
    pub values: BTreeMap<String, String>,
    /// Number of the first step; 1 when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "from")]
    pub first: Option<u32>,
    /// Number of the last step; the recipe's last when not given.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "to")]
    pub last: Option<u32>,
}

/// Opens the page again as it was before an earlier step, with the values that the run had filled in, chosen or ticked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoBackTo {
    /// Number of the step.
    #[serde(alias = "number")]
    pub step: u32,
}

/// Asks the person who runs the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskHuman {
    /// The question.
    pub question: String,
}
