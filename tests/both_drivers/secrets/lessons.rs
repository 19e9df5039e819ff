//! What memory keeps of a run with a secret: its files, those it wrote in passing, its backups, its quarantine, the runs that
//! wait; and what a lesson makes a model do with a secret elsewhere.

use std::{
    fmt::Write as _,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, LlmClient, Origin, RunReport, Site, Task,
    action::{ParameterName, RawCall},
    agent::Options,
    chat::ChatResponse,
    guard::ApprovalMode,
    secret::{Secret, SecretName, Vault},
    store::{InMemory, JsonFiles, MemoryBackend},
    testing::{ScriptedModel, call},
};

use crate::secrets::{
    Found, THREADS,
    canaries::tried,
    disk::{Busy, Tapped},
    forms::ENCODINGS,
    mirror::SITE,
    run::As,
    shadow::{FIRST, Shadow, names},
    taps::Taps,
};

const NAME: &str = "CANARY";

fn vault(value: &str) -> Vault {
    let name = SecretName::parse(NAME).unwrap();
    Vault::new()
        .with(name, Secret::new(value), vec![Origin::parse(SITE).unwrap()])
        .unwrap()
}

fn agent<L: LlmClient, M: MemoryBackend + 'static>(
    browser: &Shadow,
    model: L,
    memory: M,
) -> DecisionLoop<Shadow, L, M> {
    let mut options = Options::default();
    options.settle = Duration::ZERO;
    options.approval = ApprovalMode::Auto;
    options.budget.max_steps = 100;
    // One run meets a store that is always busy.
    options.learning_timeout = Duration::from_secs(3);
    DecisionLoop::builder(browser.clone(), model, memory)
        .with_options(options)
        .build()
        .unwrap()
}

/// Runs into a field that is none, types the value all the same, and finds a way past everything that is named after it.
fn shopping(kept: As, names: usize) -> Vec<ChatResponse> {
    // What a model types literally is left out of names that repeat it, so the control is a parameter.
    let typed = if kept == As::Secret {
        format!("<secret:{NAME}>")
    } else {
        format!("<param:{NAME}>")
    };
    let click = |at: usize| call("click", json!({ "target": format!("e{at}") }));
    let mut replies = vec![
        call("fill", json!({ "target": "e2", "text": typed })),
        click(2),
        call("type", json!({ "text": typed })),
    ];
    replies.push(click(FIRST));
    for n in 0..names {
        // The way past one, and into the next.
        let at = [FIRST + 2 * n + 1, FIRST + 2 * n, FIRST + 2 * n + 2].map(|at| format!("e{at}"));
        replies.push(ChatResponse::with_calls(
            at.map(|at| RawCall::new("click", json!({ "target": at }))),
        ));
    }
    replies.push(call(
        "finish",
        json!({ "answer": "done", "evidence": "Account" }),
    ));
    replies
}

async fn run(
    value: &str,
    kept: As,
    names: usize,
    memory: impl MemoryBackend + 'static,
    taps: &mut Taps,
) {
    let (browser, model) = (Shadow::default(), ScriptedModel::new(shopping(kept, names)));
    let mut task = Task::new("See the account")
        .unwrap()
        .with_start_url(SITE)
        .unwrap();
    if kept == As::Secret {
        task = task.with_secrets(vault(value));
    } else {
        task = task.with_parameter(ParameterName::parse(NAME).unwrap(), value);
    }
    let report = agent(&browser, model.clone(), memory).run(task).await;
    assert!(report.is_success(), "{value:?} {kept:?}: {report:?}");
    assert_eq!(
        browser.value().as_deref(),
        Some(value),
        "the page got something else"
    );
    // The names in what memory says stand before the page, its words behind the fences.
    let requests = model.requests();
    let said = |message: &str| {
        let before = message.split_once("## Page");
        let names = before.and_then(|(before, _)| before.rsplit_once("<<<"));
        let words = message.rsplit_once(">>>\n");
        format!(
            "{}{}",
            names.map_or("", |(_, names)| names),
            words.map_or("", |(_, after)| after)
        )
    };
    let mut said: Vec<String> = requests
        .iter()
        .map(|request| said(&request.message))
        .collect();
    // The number of the fence is another in each message.
    said.sort_by_key(|said| said.split_once('\n').map(|(_, said)| said.to_owned()));
    said.dedup_by_key(|said| said.split_once('\n').map(|(_, said)| said.to_owned()));
    taps.add(
        "memory in prompts",
        format!("{}\n{}", requests[0].system, said.join("\n")),
    );
}

/// Every file below a folder by what it is to the store.
fn sort_files(folder: &Path, taps: &mut Taps, wanted: &[&'static str]) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            sort_files(&path, taps, wanted);
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let sink = match &name {
            name if name.contains("quarantine") => "memory quarantine",
            name if name.contains(".bak") => "memory backup",
            name if name.contains("pending") => "memory pending",
            _ => "memory files",
        };
        if wanted.contains(&sink) {
            taps.add(sink, &name);
            taps.add(sink, std::fs::read(&path).unwrap());
        }
    }
}

/// Cuts the end off every file of lessons, as a broken disk would.
fn cut(folder: &Path) {
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            cut(&path);
        } else if path.file_name().is_some_and(|name| name == "lessons.json") {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        }
    }
}

/// Everything that memory lets out of a canary.
async fn taps_of(value: &str, kept: As) -> Taps {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("memory");
    let (tapped, written) = Tapped::new(&root);
    let store = JsonFiles::with_fs(Arc::new(tapped));
    let (mut taps, all) = (Taps::default(), names(value).len());
    // Learned; known, so that the file has a backup; unreadable, so that there is a quarantine.
    run(value, kept, all, store.clone(), &mut taps).await;
    run(value, kept, 1, store.clone(), &mut taps).await;
    sort_files(&root, &mut taps, &["memory backup"]);
    cut(&root);
    run(value, kept, 1, store.clone(), &mut taps).await;
    // What cannot be stored waits, and is learned by the next run.
    run(value, kept, all, Busy(store.clone()), &mut taps).await;
    sort_files(&root, &mut taps, &["memory quarantine", "memory pending"]);
    run(value, kept, 1, store.clone(), &mut taps).await;
    sort_files(&root, &mut taps, &["memory files"]);
    taps.add("memory as it was written", &*written.lock().unwrap());
    let mut shown = format!("{store:?}");
    for shelf in store
        .shelves(&webwise::memory::ShelfFilter::default())
        .await
        .unwrap()
    {
        writeln!(shown, "{shelf} {:?}", store.load(&shelf).await.unwrap()).unwrap();
    }
    taps.add("memory as it is read", shown);
    taps
}

#[test]
fn a_secret_stands_in_no_file_that_memory_ever_writes() {
    let canaries = tried();
    let mut found = Found::default();
    std::thread::scope(|scope| {
        let share = |nth: usize| {
            let canaries = &canaries;
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                let mut found = Found::default();
                for (value, is_control) in canaries.iter().skip(nth).step_by(THREADS) {
                    let hidden = runtime.block_on(taps_of(value, As::Secret));
                    let control = is_control.then(|| runtime.block_on(taps_of(value, As::Text)));
                    found.search(value, &hidden, control.as_ref());
                }
                found
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|nth| scope.spawn(share(nth))).collect();
        for thread in threads {
            found.add(thread.join().expect("a run of a canary ends"));
        }
    });
    assert_eq!(found.sinks(), 7, "a sink of memory was never filled");
    found.tell("memory");
}

/// Pages that are not where the secret belongs; each is allowed, so that only the binding of the secret stands in the way.
const WRONG: [&str; 20] = [
    "https://sh0p.example/",
    "https://shop-example.test/",
    "https://shop.examp1e.test/",
    "https://shop.example.evil.test/",
    "https://evil.test/shop.example",
    "https://evil.test/?u=https://shop.example/",
    "https://xshop.example/",
    "https://shоp.example/",
    "https://www.shop.example/login",
    "https://login.shop.example/",
    "https://a.b.shop.example/",
    "https://shop.shop.example/",
    "https://shop.example:8443/login",
    "https://shop.example:444/",
    "https://shop.example:80/",
    "http://shop.example/login",
    "http://shop.example:443/",
    "http://www.shop.example/",
    "https://other.example/",
    "https://shop.example./login",
];

/// Pages that are.
const RIGHT: [&str; 4] = [
    "https://shop.example/",
    "https://shop.example/login",
    "https://shop.example:443/a?b#c",
    "https://SHOP.example/",
];

/// A run that teaches, then one whose model does what the lesson says, with the secret. Whether it was told, and the counts of
/// the browser.
async fn obeyed(url: &str) -> (bool, usize, usize) {
    let memory = InMemory::new();
    let task = |url: &str| {
        let site = Site::of(&url.parse().unwrap()).unwrap();
        Task::new("Sign in")
            .unwrap()
            .with_start_url(url)
            .unwrap()
            .with_allowed(site)
    };
    let finish = || call("finish", json!({ "answer": "done", "evidence": "Account" }));
    let field = |tool: &'static str, arguments: Value| call(tool, arguments);
    let taught = ScriptedModel::new([
        field("fill", json!({ "target": "e2", "text": "hello" })),
        field("click", json!({ "target": "e2" })),
        field("type", json!({ "text": "hello" })),
        finish(),
    ]);
    let report: RunReport = agent(&Shadow::default(), taught, memory.clone())
        .run(task(url))
        .await;
    assert!(report.is_success(), "{url}: {report:?}");

    let (told, browser) = (Arc::new(Mutex::new(false)), Shadow::default());
    let heard = Arc::clone(&told);
    let mut step = 0;
    let obedient = ScriptedModel::deciding(move |request| {
        step += 1;
        Ok(match step {
            1 => {
                let said = request
                    .message
                    .split_once("## Tips for this site")
                    .map_or("", |(_, tips)| tips);
                *heard.lock().unwrap() = said.contains("click it, then type the text");
                field("click", json!({ "target": "e2" }))
            }
            2 => field("type", json!({ "text": format!("<secret:{NAME}>") })),
            _ => finish(),
        })
    });
    let report = agent(&browser, obedient, memory)
        .run(task(url).with_secrets(vault("lesson-canary-51c0")))
        .await;
    assert!(report.is_success(), "{url}: {report:?}");
    let (typed, refused) = browser.counts();
    let told = *told.lock().unwrap();
    (told, typed, refused)
}

#[tokio::test]
async fn a_lesson_does_not_make_a_secret_be_typed_where_it_does_not_belong() {
    let (mut told, mut resolved, mut right) = (0, Vec::new(), 0);
    for url in WRONG {
        let (was_told, typed, refused) = obeyed(url).await;
        told += usize::from(was_told);
        if typed > 0 || refused != 1 {
            resolved.push(format!("{url}: typed {typed}, refused {refused}"));
        }
    }
    for url in RIGHT {
        let (was_told, typed, refused) = obeyed(url).await;
        assert!(
            was_told && (typed, refused) == (1, 0),
            "{url}: told {was_told}, typed {typed}, refused {refused}"
        );
        right += typed;
    }
    assert!(resolved.is_empty(), "{resolved:?}");
    assert_eq!(told, WRONG.len(), "the lesson was not recalled everywhere");
    figure!(
        "secrets: {told} lessons obeyed on wrong origins, {} resolved; {right} on the right one, {right} resolved",
        resolved.len()
    );
}

/// The encodings are eight, and a name is made of each.
#[test]
fn a_page_names_things_after_every_encoding() {
    assert!(names("a-Value_5").len() > ENCODINGS.len());
}
