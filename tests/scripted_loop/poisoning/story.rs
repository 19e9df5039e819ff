//! What the model does on a page: it runs into every trouble there is, finds the way out, and repeats what the page says.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    Error, ErrorKind, LlmClient,
    action::{Effect, RawCall, ToolSpec},
    agent::{Approval, ApprovalRequest, Approver, Tool},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
};

use crate::poisoning::{
    channels::{Channel as C, Story},
    world::Words,
};

/// One reply of the model.
pub(crate) type Reply = Vec<(String, Value)>;

fn reply(calls: impl IntoIterator<Item = (&'static str, Value)>) -> Reply {
    calls
        .into_iter()
        .map(|(tool, arguments)| (tool.to_owned(), arguments))
        .collect()
}

fn on(tool: &'static str, target: &str) -> (&'static str, Value) {
    (tool, json!({ "target": target }))
}

/// A visit of one host, page opened: all of its troubles, or only the first one and its way out.
pub(crate) fn visit(story: Story, whole: bool, words: &Words) -> Vec<Reply> {
    let mut replies = match story {
        Story::Names => names(words),
        Story::Words => others(words),
    };
    if !whole {
        replies.truncate(FIRST);
    }
    replies
}

/// Replies of a visit up to the first way out.
const FIRST: usize = 2;

fn names(words: &Words) -> Vec<Reply> {
    let typed = words.say(C::TypedText, "save ten");
    let option = words.say(C::OptionText, "Large");
    vec![
        reply([on("click", "e2")]),
        reply([
            on("click", "e3"),
            on("click", "e4"),
            on("click", "e5"),
            on("click", "e2"),
        ]),
        reply([("fill", json!({ "target": "e6", "text": typed }))]),
        reply([on("click", "e6"), ("type", json!({ "text": typed }))]),
        reply([("select", json!({ "target": "e7", "values": [option] }))]),
        reply([on("click", "e7"), on("click", "e8"), on("hover", "e10")]),
    ]
}

fn others(words: &Words) -> Vec<Reply> {
    let say = |channel, harmless: &str| words.say(channel, harmless);
    let mut replies = vec![
        reply([on("click", "e2")]),
        reply([("press", json!({ "key": "Enter" }))]),
        reply([("press", json!({ "key": say(C::KeyName, "no such key") }))]),
        vec![(say(C::UnknownTool, "no_such_tool"), json!({ "text": "x" }))],
        reply([(
            "goto",
            json!({ "url": format!("https://{}@alpha-shop.example/", words.coded(C::UserInfo, "bob")) }),
        )]),
        reply([on("click", "e3")]),
        reply([(
            "dialog_accept",
            json!({ "text": say(C::DialogAnswer, "Bob") }),
        )]),
        // An answer that looks like a placeholder is not typed.
        reply([("dialog_dismiss", json!({}))]),
        reply([on("click", "e3")]),
        reply([
            (
                "extract",
                json!({ "name": say(C::ExtractName, "terms"), "target": "e5" }),
            ),
            (
                "remember",
                json!({ "key": say(C::FactKey, "shop"), "value": say(C::FactValue, "no returns") }),
            ),
            (
                "ask_human",
                json!({ "question": say(C::Question, "Shall I go on?") }),
            ),
            ("find", json!({ "query": say(C::FindQuery, "Imprint") })),
        ]),
        reply([("lookup", json!({})), ("lookup", json!({ "again": true }))]),
        reply([on("hover", "e6")]),
        reply([on("click", "e4")]),
        reply([("press", json!({ "key": "Escape" })), on("click", "e4")]),
        reply([on("click", "e2")]),
    ];
    // Said beside a call; a reply is a list, so it travels as a call of no name that `Script` turns into text.
    replies[0].push((
        PROSE.to_owned(),
        Value::from(say(C::Prose, "I will go on.")),
    ));
    replies
}

/// The mark of what is prose and no call.
const PROSE: &str = "";

pub(crate) fn goto(host: &str) -> Reply {
    reply([(
        "goto",
        json!({ "url": format!("https://{host}/shop/list") }),
    )])
}

/// The last reply of a run.
pub(crate) fn finish(words: &Words) -> Reply {
    let answer = words.say(C::FinishAnswer, "done");
    reply([(
        "finish",
        json!({ "answer": answer, "evidence": words.say(C::FinishEvidence, "Goods"), "success": false }),
    )])
}

/// Runs into the troubles and goes no further, so that everything is recalled that can be.
pub(crate) fn probe(story: Story) -> Vec<Reply> {
    let troubles = match story {
        Story::Names => vec![
            on("click", "e2"),
            ("fill", json!({ "target": "e6", "text": "save ten" })),
            ("select", json!({ "target": "e7", "values": ["Large"] })),
        ],
        Story::Words => vec![on("click", "e2"), on("click", "e4"), on("click", "e3")],
    };
    troubles
        .into_iter()
        .map(|trouble| reply([trouble]))
        .chain([finish(&Words::default())])
        .collect()
}

/// Changes a message before the model reads it: a prompt that is put together in another way.
pub(crate) type Rewrite = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// A model that says what is written, and keeps what it was asked; clones share both.
#[derive(Clone, Default)]
pub(crate) struct Script {
    left: Arc<Mutex<std::vec::IntoIter<Reply>>>,
    asked: Arc<Mutex<Vec<(String, String)>>>,
    rewrite: Option<Rewrite>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Script")
    }
}

impl Script {
    pub(crate) fn new(replies: Vec<Reply>, rewrite: Option<Rewrite>) -> Self {
        Self {
            left: Arc::new(Mutex::new(replies.into_iter())),
            asked: Arc::default(),
            rewrite,
        }
    }

    /// System instruction and message of each request.
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl LlmClient for Script {
    fn capabilities(&self) -> LlmCapabilities {
        LlmCapabilities::new("script")
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse, Error> {
        let message = self.rewrite.as_ref().map_or_else(
            || request.message.clone(),
            |rewrite| rewrite(&request.message),
        );
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((request.system.clone(), message));
        let next = self
            .left
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next();
        let calls = next.ok_or_else(|| Error::new(ErrorKind::Unavailable, "script.over"))?;
        let (prose, calls): (Vec<_>, Vec<_>) =
            calls.into_iter().partition(|(tool, _)| tool == PROSE);
        let mut response = ChatResponse::with_calls(
            calls
                .into_iter()
                .map(|(tool, arguments)| RawCall::new(tool, arguments)),
        );
        response.text = prose
            .into_iter()
            .filter_map(|(_, text)| text.as_str().map(str::to_owned))
            .collect();
        Ok(response)
    }
}

/// A person who repeats what the page says.
#[derive(Debug)]
pub(crate) struct Person(pub(crate) String);

#[async_trait]
impl Approver for Person {
    async fn approve(&self, _: &ApprovalRequest) -> Approval {
        Approval::Yes
    }

    async fn answer(&self, _: &str) -> Option<String> {
        Some(self.0.clone())
    }
}

/// A tool of the embedder that reads the page, and breaks when it is asked again.
#[derive(Debug)]
pub(crate) struct Lookup(pub(crate) Words);

#[async_trait]
impl Tool for Lookup {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "lookup".into(),
            description: "Looks.".into(),
            parameters: json!({ "type": "object" }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String, Error> {
        if arguments["again"] == true {
            let said = self.0.say(C::ToolError, "down");
            return Err(Error::new(ErrorKind::Unavailable, "lookup").with("said", said));
        }
        Ok(self.0.say(C::ToolResult, "nothing"))
    }
}
