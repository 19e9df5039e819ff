//! One canary through whole runs, with and without the vault, and everything that leaves them.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, Error, Origin, RunId, RunReport, Task,
    agent::{Images, Options, StepEnd},
    browser::ExecuteRequest,
    event::{Callback, Event, EventKind, FanOut, Jsonl, RunFolder, Tracing},
    memory::kinds,
    page::Observation,
    secret::{Secret, SecretName, SecretResolver, Vault},
    store::{InMemory, MemoryBackend},
    testing::FixedClock,
    working::StopReason,
};

use crate::secrets::{
    mirror::{Mirror, SITE},
    model::{Model, Script},
    taps::{Echo, Intents, Lines, Person, Taps, diary, files, panic_message},
};

const NAME: &str = "CANARY";

/// Whether the value is a secret of the run or, for the control, ordinary text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    Secret,
    Text,
}

fn vault(value: &str, kept: As) -> Vault {
    let name = SecretName::parse(NAME).unwrap();
    match kept {
        As::Secret => Vault::new()
            .with(name, Secret::new(value), vec![Origin::parse(SITE).unwrap()])
            .unwrap(),
        As::Text => Vault::new(),
    }
}

fn click(target: &str) -> Vec<(&'static str, Value)> {
    vec![("click", json!({ "target": target }))]
}

/// Types the value, visits everything that repeats it, and says it wherever a model can.
fn shopping(value: &str, kept: As) -> Script {
    let typed = if kept == As::Secret {
        format!("<secret:{NAME}>")
    } else {
        value.to_owned()
    };
    let said = |calls| (format!("The word is: {value}"), calls);
    vec![
        said(vec![("fill", json!({ "target": "e2", "text": typed }))]),
        said(click("e3")),
        said(click("e4")),
        said(click("e5")),
        said(vec![
            ("tab_list", json!({})),
            ("extract", json!({ "name": "page" })),
            ("extract", json!({ "name": value, "target": "e20" })),
            ("remember", json!({ "key": "word", "value": value })),
            (
                "ask_human",
                json!({ "question": format!("Is this the word: {value}") }),
            ),
        ]),
        said(vec![
            ("find", json!({ "query": value })),
            ("echo", json!({ "text": value, value: [value] })),
        ]),
        said(vec![("echo", json!({}))]),
        said(click("e7")),
        said(vec![("screenshot", json!({}))]),
        said(click("e6")),
        said(vec![("dialog_dismiss", json!({}))]),
        said(vec![("nonsense", json!({ "text": value }))]),
        said(vec![(
            "finish",
            json!({ "answer": format!("The word is: {value}"), "evidence": format!("Welcome back, user: {value}") }),
        )]),
    ]
}

/// Everything that the runs of one canary let out.
pub(crate) async fn taps_of(value: &str, kept: As) -> Taps {
    let mut taps = Taps::default();
    let report = Box::pin(run(value, kept, shopping(value, kept), &mut taps)).await;
    assert!(
        matches!(
            report.summary.stop,
            StopReason::Finished | StopReason::FinishedUnverified
        ),
        "{value:?} {kept:?}: {report:?}"
    );
    // The two ways in which a run breaks: the provider refuses in words, and the browser is lost in words.
    let first = shopping(value, kept).into_iter().take(1);
    let refused = Box::pin(run(value, kept, first.clone().collect(), &mut taps)).await;
    assert_eq!(refused.summary.stop, StopReason::ModelUnusable);
    let lost = first
        .chain([(String::new(), vec![("reload", json!({}))])])
        .collect();
    let lost = Box::pin(run(value, kept, lost, &mut taps)).await;
    assert_eq!(lost.summary.stop, StopReason::BrowserLost);
    taps
}

async fn run(value: &str, kept: As, script: Script, taps: &mut Taps) -> RunReport {
    let folder = tempfile::tempdir().unwrap();
    let browser = Mirror::default();
    let model = Model::following(script, format!("the prompt holds \"{value}\"")).await;
    let (told, heard, lines) = (
        Arc::new(Mutex::new(String::new())),
        Arc::new(Mutex::new(String::new())),
        Lines::default(),
    );
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let intents = Arc::new(Mutex::new(String::new()));
    let _traced = tracing::subscriber::set_default(lines.clone());

    let jsonl = Arc::new(Jsonl::create(folder.path().join("events.jsonl")).unwrap());
    let kept_runs = Arc::new(RunFolder::new(folder.path().join("runs")).unwrap());
    let keep = Arc::clone(&events);
    let sinks = FanOut::new()
        .with(Arc::clone(&jsonl) as _)
        .with(Arc::clone(&kept_runs) as _)
        .with(Arc::new(Tracing))
        .with(Arc::new(Callback::new(move |event| {
            keep.lock().unwrap().push(event.clone());
        })));
    let mut options = Options::default();
    options.settle = std::time::Duration::ZERO;
    // However busy the machine is: what is refused would leave nothing to search.
    options.journal_timeout = std::time::Duration::from_mins(1);
    options.screenshots = true;
    options.images = Images::Always;
    options.seed = Some(7);
    let mut all_kinds = kinds();
    all_kinds.push(Arc::new(diary(value.to_owned())));
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new())
        .with_options(options)
        .with_kinds(all_kinds)
        .with_approver(Person {
            told: Arc::clone(&told),
            answer: format!("yes: {value}"),
        })
        .with_tool(Echo {
            told: Arc::clone(&heard),
            browser: browser.clone(),
        })
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .with_sink(sinks)
        .with_journal(Intents {
            told: Arc::clone(&intents),
            folder: Arc::clone(&kept_runs),
        })
        .build()
        .unwrap();

    // A person may well write it into the goal and into the address.
    let coded: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let task = Task::new(format!("Sign in with: {value}"))
        .unwrap()
        .with_start_url(&format!("{SITE}/?q={coded}"))
        .unwrap()
        .with_run_id(RunId::parse("run_canary").unwrap())
        .with_secrets(vault(value, kept));
    let mut debug = format!("{task:?}\n");
    let mut run = agent.start(task).await;
    while let StepEnd::Continue = run.step().await {
        let state = serde_json::to_string(&run.state().unwrap()).unwrap();
        writeln!(debug, "{run:?}\n{state}").unwrap();
    }
    writeln!(debug, "{run:?}\n{:?}\n{:?}", run.page(), run.steps()).unwrap();
    let report = run.finish().await;
    writeln!(debug, "{agent:?}\n{}", browser.asked().join("\n")).unwrap();
    debug.push_str(&of_the_vault(value, kept));

    assert_eq!(
        browser.typed().as_deref(),
        Some(value),
        "the page got something else"
    );
    if kept == As::Secret {
        assert_eq!(
            browser.pictures(),
            0,
            "a picture was taken of a page that shows the secret"
        );
    }
    jsonl.close().unwrap();
    kept_runs.close().unwrap();
    taps.add("prompt", model.prompts());
    taps.add("wire", model.wire().await);
    taps.add("callback", of_events(&events.lock().unwrap()));
    taps.add(
        "json lines",
        std::fs::read(folder.path().join("events.jsonl")).unwrap(),
    );
    taps.add("journal", intents.lock().unwrap().as_str());
    taps.add("run folder", files(&folder.path().join("runs")));
    taps.add("tracing", lines.0.lock().unwrap().as_str());
    taps.add(
        "report",
        format!(
            "{report:?}\n{:?} {:?} {:?}",
            report.answer, report.evidence, report.extracted
        ),
    );
    taps.add(
        "errors",
        errors(&report, &events.lock().unwrap(), value, kept),
    );
    taps.add("debug", debug);
    taps.add("memory", shelves(agent.memory()).await);
    taps.add("approver", told.lock().unwrap().as_str());
    taps.add("tool", heard.lock().unwrap().as_str());
    let last_words = report.clone();
    taps.add("panic", panic_message(move || panic!("{last_words:?}")));
    report
}

/// Events as a program sees them; of pages also what a reader would put together.
fn of_events(events: &[Event]) -> String {
    let mut out = String::new();
    for event in events {
        writeln!(out, "{event:?}").unwrap();
        if let EventKind::Observed { observation, .. } = &event.kind {
            writeln!(out, "{}", read_together(observation)).unwrap();
        }
    }
    out
}

/// All values of a page in a row, and all names: what stands letter by letter can be read there.
fn read_together(page: &Observation) -> String {
    let values = page
        .tree
        .nodes()
        .iter()
        .filter_map(|node| node.value.as_deref());
    let names = page.tree.nodes().iter().map(|node| &*node.name);
    format!(
        "{}\n{}",
        values.collect::<String>(),
        names.collect::<String>()
    )
}

fn errors(report: &RunReport, events: &[Event], value: &str, kept: As) -> String {
    let mut out = report.error.clone().unwrap_or_default();
    for event in events {
        match &event.kind {
            EventKind::ModelFailed { error, .. } | EventKind::MemoryFailed { error, .. } => {
                out.push_str(error);
            }
            EventKind::ActionExecuted { outcome, .. } => write!(out, "{outcome:?}").unwrap(),
            EventKind::CallRefused { problem } => write!(out, "{problem:?}").unwrap(),
            _ => {}
        }
    }
    for error in refusals(value, kept) {
        let mut source: Option<&dyn std::error::Error> = Some(&error);
        while let Some(cause) = source {
            write!(out, "\n{cause} {cause:?}").unwrap();
            source = cause.source();
        }
        out.push_str(&panic_message(move || panic!("it was no {error:?}")));
    }
    out
}

/// The errors that a caller gets about a secret.
fn refusals(value: &str, kept: As) -> Vec<Error> {
    let (shop, evil) = (
        Origin::parse(SITE).unwrap(),
        Origin::parse("https://evil.test").unwrap(),
    );
    let (name, other) = (
        SecretName::parse(NAME).unwrap(),
        SecretName::parse("OTHER").unwrap(),
    );
    let resolver = SecretResolver::new(Arc::new(vault(value, kept)));
    let bind = |origins| {
        Vault::new()
            .with(name.clone(), Secret::new(value), origins)
            .unwrap_err()
    };
    vec![
        resolver.resolve(&name, &shop, &evil).unwrap_err(),
        resolver.resolve(&other, &shop, &shop).unwrap_err(),
        bind(Vec::new()),
        bind(vec![Origin::parse("http://shop.example").unwrap()]),
    ]
}

/// The types that hold the value itself, and a request that a driver would log.
fn of_the_vault(value: &str, kept: As) -> String {
    let vault = vault(value, kept);
    let resolver = SecretResolver::new(Arc::new(vault.clone()));
    let secret = Secret::new(value);
    let typed = webwise::action::BrowserAction::Fill(webwise::action::Fill {
        target: webwise::action::Target::parse("e2").unwrap(),
        text: value.into(),
        submit: false,
    });
    let request = ExecuteRequest::new(typed).with_secrets(resolver.clone());
    format!(
        "{vault:?} {vault:#?} {resolver:?} {secret:?} {:?} {request:?} {request:#?}",
        vault.redactor()
    )
}

async fn shelves(memory: &InMemory) -> String {
    let mut out = format!("{memory:?}\n");
    for shelf in memory
        .shelves(&webwise::memory::ShelfFilter::default())
        .await
        .unwrap()
    {
        let state = memory.load(&shelf).await.unwrap();
        writeln!(
            out,
            "{} {}",
            serde_json::to_string(&shelf).unwrap(),
            serde_json::to_string(&state.records).unwrap()
        )
        .unwrap();
    }
    out
}
