//! Everything that leaves a run, by sink.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
    sync::{Arc, Mutex, Once},
};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    Error, ErrorKind, Trust,
    action::{Effect, ToolSpec},
    agent::{Approval, ApprovalRequest, Approver, Tool},
    event::{Intent, Journal, RunFolder},
    memory::{Advice, AdviceId, Change, Cue, Record, RunLog, Section},
    testing::ScriptedKind,
    working::Step,
};

use crate::secrets::{forms::Scanner, mirror::Mirror};

/// What was recorded, by sink.
#[derive(Debug, Default)]
pub(crate) struct Taps(pub(crate) BTreeMap<&'static str, Vec<u8>>);

impl Taps {
    pub(crate) fn add(&mut self, sink: &'static str, bytes: impl AsRef<[u8]>) {
        let tap = self.0.entry(sink).or_default();
        tap.extend_from_slice(bytes.as_ref());
        tap.push(b'\n');
    }

    /// The encodings of the value in each sink.
    pub(crate) fn hits(&self, scanner: &Scanner) -> BTreeMap<&'static str, BTreeSet<usize>> {
        self.0
            .iter()
            .map(|(sink, bytes)| (*sink, scanner.hits(bytes)))
            .collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

/// Every file below a folder: its name and what is in it.
pub(crate) fn files(folder: &Path) -> Vec<u8> {
    let mut out = Vec::new();
    let Ok(entries) = folder.read_dir() else {
        return out;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        out.extend_from_slice(path.file_name().unwrap().as_encoded_bytes());
        out.push(b'\n');
        if path.is_dir() {
            out.extend(files(&path));
        } else if path.is_file() {
            out.extend(std::fs::read(&path).unwrap());
        }
    }
    out
}

/// A person who is told everything and answers with the value.
#[derive(Clone, Default)]
pub(crate) struct Person {
    pub(crate) told: Arc<Mutex<String>>,
    pub(crate) answer: String,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Person")
    }
}

#[async_trait]
impl Approver for Person {
    async fn approve(&self, request: &ApprovalRequest) -> Approval {
        let mut told = self.told.lock().unwrap();
        let title = &request.title;
        writeln!(
            told,
            "{request:?}\n{} {title}\n{}",
            request.url,
            request.action.line()
        )
        .unwrap();
        Approval::Yes
    }

    async fn answer(&self, question: &str) -> Option<String> {
        writeln!(self.told.lock().unwrap(), "{question}").unwrap();
        Some(self.answer.clone())
    }
}

/// A journal that shows all it is told, and has it kept in the folder of the run too.
#[derive(Debug)]
pub(crate) struct Intents {
    pub(crate) told: Arc<Mutex<String>>,
    pub(crate) folder: Arc<RunFolder>,
}

#[async_trait]
impl Journal for Intents {
    async fn intent(&self, intent: &Intent) -> Result<(), Error> {
        let json = serde_json::to_string(intent).unwrap();
        writeln!(self.told.lock().unwrap(), "{intent:?}\n{json}").unwrap();
        self.folder.intent(intent).await
    }
}

/// A tool of the embedder that gives the value back, and fails with it at the second call.
#[derive(Clone)]
pub(crate) struct Echo {
    pub(crate) told: Arc<Mutex<String>>,
    pub(crate) browser: Mirror,
}

impl std::fmt::Debug for Echo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Echo")
    }
}

#[async_trait]
impl Tool for Echo {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "echo".into(),
            description: "Says it again.".into(),
            parameters: json!({ "type": "object" }),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String, Error> {
        let mut told = self.told.lock().unwrap();
        let again = !told.is_empty();
        writeln!(told, "{arguments}").unwrap();
        let value = self.browser.typed().unwrap_or_default();
        if again {
            let cause = std::io::Error::other(value.clone());
            return Err(Error::new(ErrorKind::Io, "echo")
                .with("value", value)
                .with_source(cause));
        }
        Ok(format!("you typed: {value}"))
    }
}

/// A kind of memory that writes down all it is told, knows the value from elsewhere, and says it on every occasion.
pub(crate) fn diary(value: String) -> ScriptedKind {
    let distills = |log: &RunLog| {
        let step = |step: &Step| {
            json!({
                "action": step.action, "outcome": step.outcome, "targets": step.targets, "signature": step.signature,
                "step": step, "debug": format!("{step:?}"),
            })
        };
        Some(json!({ "about": log.about, "steps": log.steps.iter().map(step).collect::<Vec<_>>() }))
    };
    ScriptedKind::new("diary")
        .learning(distills, |said| vec![Change::Put(Record::new("log", said))])
        .saying(move |shelf, _, moment| {
            let section = match moment.cue {
                Cue::RunStarted => Section::Lessons,
                Cue::PageShown { .. } => Section::SiteTips,
                _ => Section::ErrorTips,
            };
            let id = AdviceId {
                shelf: shelf.clone(),
                key: "a".to_owned(),
            };
            let text = format!("the word is: {value}");
            Advice::new(id, &text, Trust::User, section)
                .into_iter()
                .collect()
        })
}

static PANICS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// What the hook prints when a program ends on one of these errors or values.
pub(crate) fn panic_message(what: impl FnOnce() + Send + 'static) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current().name().unwrap_or_default().to_owned();
            if thread.starts_with("meant-") {
                PANICS.lock().unwrap().push((thread, info.to_string()));
            } else {
                before(info);
            }
        }));
    });
    let name = format!("meant-{}", uuid::Uuid::new_v4());
    let thread = std::thread::Builder::new()
        .name(name.clone())
        .spawn(what)
        .unwrap();
    assert!(thread.join().is_err(), "it did not panic");
    let panics = PANICS.lock().unwrap();
    panics
        .iter()
        .filter(|(thread, _)| *thread == name)
        .map(|(_, said)| said.as_str())
        .collect()
}

/// Where the `genai` crate traces a provider's reply as it came. It is the provider's own text, which never held the value;
/// only this test's provider is told it, and then the loop replaces it.
const PROVIDER_SAID: &str = "genai::webc::web_client";

/// Records every field of every `tracing` span and event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(pub(crate) Arc<Mutex<String>>);

impl tracing::Subscriber for Lines {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() != PROVIDER_SAID
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        span.record(&mut Fields(&mut self.0.lock().unwrap()));
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

struct Fields<'a>(&'a mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        writeln!(self.0, "{field}={value}").unwrap();
    }

    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0, "{field}={value:?}").unwrap();
    }
}
