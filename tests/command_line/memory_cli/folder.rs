//! The documented folder `.agent-memory/`: its import, and what then reaches a prompt.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, Task,
    agent::Options,
    chat::ChatResponse,
    guard::ApprovalMode,
    memory::Namespace,
    registry::RunStatus,
    store::{JsonFiles, RunRegistry},
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, call},
};

use crate::memory_cli::world::{Machine, copy};

const HOME: &str = "https://www.example.com/";
/// Words of the folder, one of each kind that prompts show.
const WORDS: [&str; 3] = [
    "uses shadow DOM for modals",
    "Search for <search> reviews",
    "Prefer the search box to the menu.",
];

/// A copy of the fixture that a test may change.
fn fixture(machine: &Machine) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/memory/agent-memory");
    let to = machine.path(".agent-memory");
    copy(&from, &to);
    to
}

fn items(machine: &Machine) -> Vec<Value> {
    let items = machine.json(&["list"])["items"].clone();
    items.as_array().unwrap().clone()
}

/// The prompt of a run on the folder's host, in the folder's days.
async fn prompt(machine: &Machine, run: &str) -> String {
    let browser = ScriptedBrowser::new().with_page(
        HOME,
        "Example",
        "searchbox \"Search\" e1\nbutton \"Find\" e2\nheading \"Welcome\" e3",
    );
    let model = ScriptedModel::new([finish()]);
    goes(machine, run, browser, model.clone()).await;
    let first = model.requests().remove(0);
    format!("{}\n{}", first.system, first.message)
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "Welcome", "evidence": "Welcome" }),
    )
}

/// A run on the folder's host, in the folder's days.
async fn goes(machine: &Machine, run: &str, browser: ScriptedBrowser, model: ScriptedModel) {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let store = JsonFiles::open(machine.memory());
    let agent = DecisionLoop::builder(browser, model, store)
        .with_options(options)
        .with_clock(FixedClock::at("2026-03-12T00:00:00Z"))
        .build()
        .unwrap();
    let task = Task::new("Search for smart watch reviews").unwrap();
    let task = task.with_start_url(HOME).unwrap();
    agent
        .run(task.with_run_id(RunId::parse(run).unwrap()))
        .await;
}

#[tokio::test]
async fn nothing_of_a_folder_reaches_a_prompt_before_a_person_trusts_it() {
    let machine = Machine::new();
    let folder = fixture(&machine);
    let done = machine.json(&["import", folder.to_str().unwrap()]);
    assert_eq!(
        (&done["taken"], &done["changed"], &done["waiting"]),
        (&json!(22), &json!(22), &json!(12))
    );
    let again = machine.json(&["import", folder.to_str().unwrap()]);
    assert_eq!(again["changed"], 0);
    let said = machine.says(&["import", folder.to_str().unwrap()]);
    assert!(
        said.contains("12 records must be reviewed by you before any prompt shows them"),
        "{said}"
    );
    let names: Vec<String> = items(&machine)
        .iter()
        .map(|item| {
            assert_eq!(item["state"], "waits for you", "{item}");
            item["name"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(names.len(), 12);
    let before = prompt(&machine, "run_1").await;
    for words in WORDS {
        assert!(!before.contains(words), "{words}: {before}");
    }
    for name in &names {
        machine.says(&["trust", name]);
    }
    let after = prompt(&machine, "run_2").await;
    for words in WORDS {
        assert!(after.contains(words), "{words}: {after}");
    }
    assert!(!after.contains("@s3f51") && !after.contains("Ada"));
    // The field has another name than in the folder, and the same attribute.
    let (browser, model) = (renamed(), ScriptedModel::new([fill(), finish()]));
    goes(&machine, "run_3", browser.clone(), model).await;
    let filled = browser.executed().pop().unwrap();
    assert_eq!(filled, r#"fill {"target":"e1","text":"watch"}"#);
}

#[tokio::test]
async fn the_runs_of_a_folder_are_listed_if_a_person_vouches_for_it() {
    let machine = Machine::new();
    let folder = fixture(&machine);
    let path = folder.to_str().unwrap();
    let run = RunId::parse("run_1741600000000_k3x9ab").unwrap();
    let registry = RunRegistry::new(JsonFiles::open(machine.memory()), Namespace::default());
    let now = "2026-03-12T00:00:00Z".parse().unwrap();
    let told = machine.json(&["import", path])["problems"].to_string();
    assert!(
        told.contains("agent-runs: ") && told.contains("--trust"),
        "{told}"
    );
    assert_eq!(registry.get(&run, now).await.unwrap(), None);
    machine.json(&["import", path, "--trust"]);
    let listed = registry.get(&run, now).await.unwrap().unwrap();
    assert_eq!(
        (&*listed.goal, listed.status),
        ("Search for smart watch reviews", RunStatus::Completed)
    );
}

/// The folder's page after its search field got another name.
fn renamed() -> ScriptedBrowser {
    let page = "searchbox \"Look up\" e1 [testid=search]\nheading \"Welcome\" e3";
    ScriptedBrowser::new().with_page(HOME, "Example", page)
}

fn fill() -> ChatResponse {
    call(
        "fill",
        json!({ "target": "text=\"Search\"", "text": "watch" }),
    )
}

#[test]
fn a_damaged_folder_is_refused_with_the_name_of_the_file_and_nothing_is_imported() {
    let machine = Machine::new();
    let folder = fixture(&machine);
    let path = folder.to_str().unwrap();
    let selectors = folder.join("domains/www.example.com/selectors.json");
    let whole = fs::read(&selectors).unwrap();
    fs::write(&selectors, &whole[..40]).unwrap();
    let said = machine.refuses(&["import", path]);
    assert!(
        said.contains("domains/www.example.com/selectors.json") && said.contains("JSON"),
        "{said}"
    );
    fs::remove_file(&selectors).unwrap();
    symlink("/etc/hostname", &selectors).unwrap();
    assert!(machine.refuses(&["import", path]).contains("not a file"));
    fs::remove_file(&selectors).unwrap();
    fs::write(&selectors, &whole).unwrap();

    let strange = folder.join("domains/co.uk");
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("knowledge.json"), "{}").unwrap();
    let said = machine.refuses(&["import", path]);
    assert!(said.contains("co.uk") && said.contains("host"), "{said}");
    let empty = machine.path("empty");
    fs::create_dir(&empty).unwrap();
    assert!(
        machine
            .refuses(&["import", empty.to_str().unwrap()])
            .contains("no folder `domains`")
    );
    assert!(!machine.memory().exists());
}
