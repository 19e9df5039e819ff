//! The words of the documented file `memory.json`: they reach the prompt after a person trusts them, each at its own place.

use serde_json::json;
use webwise::{
    DecisionLoop, RunId, Task,
    action::ErrorClass,
    store::JsonFiles,
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::memory_cli::world::Machine;

const HOME: &str = "https://shop.example/";
const ALWAYS: &str = "Read the whole page before pressing anything.";
const HERE: &str = "The cart opens from the picture of the bag.";
const AFTER: &str = "Close the survey by its cross, then press the button.";

/// The file of another program with words of each kind that prompts show.
fn document() -> serde_json::Value {
    let lesson = |words: &str, category: &str, command: Option<&str>, domain: Option<&str>| {
        json!({
            "lesson": words, "category": category, "failed_command": command,
            "error_pattern": command.map(|_| "intercepts pointer events"), "domain": domain, "use_count": 3,
            "created_at": "2026-03-12", "last_used": "2026-05-01", "source": "learned", "triggered_domains": ["shop.example"]
        })
    };
    json!({ "version": 1, "lessons": [
        lesson(ALWAYS, "best_practice", None, None),
        lesson(HERE, "site_specific", None, Some("shop.example")),
        lesson(AFTER, "error_recovery", Some("click"), None),
    ] })
}

/// A run whose first click fails: the system instruction, then its messages before and after the failure.
async fn told(machine: &Machine, run: &str) -> [String; 3] {
    let covered = Reply::Fail(ErrorClass::Intercepted, "<div> intercepts pointer events");
    let browser = ScriptedBrowser::new()
        .with_page(HOME, "Shop", "button \"Go\" e3")
        .on(HOME, r#"click {"target":"e3"}"#, [covered]);
    let model = ScriptedModel::new([
        call("click", json!({ "target": "e3" })),
        call("finish", json!({ "answer": "no", "success": false })),
    ]);
    let store = JsonFiles::open(machine.memory());
    let agent = DecisionLoop::builder(browser, model.clone(), store)
        .with_clock(FixedClock::at("2026-05-02T00:00:00Z"))
        .build()
        .unwrap();
    let task = Task::new("Press Go").unwrap();
    let task = task.with_start_url(HOME).unwrap();
    agent
        .run(task.with_run_id(RunId::parse(run).unwrap()))
        .await;
    let requests = model.requests();
    let [before, after] = &requests[..] else {
        panic!("the model is asked twice, not {}", requests.len());
    };
    [&before.system, &before.message, &after.message].map(String::clone)
}

#[tokio::test]
async fn the_words_of_a_documented_file_stand_at_their_places_once_a_person_trusts_them() {
    let machine = Machine::new();
    let file = machine.write("memory.json", &document());
    machine.says(&["import", &file]);
    for part in told(&machine, "run_1").await {
        for words in [ALWAYS, HERE, AFTER] {
            assert!(!part.contains(words), "nobody trusts it yet: {part}");
        }
    }
    let mut names = Vec::new();
    for lesson in machine.lessons() {
        if lesson["state"] == "waits for you" {
            names.push(lesson["name"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(names.len(), 3);
    for name in &names {
        machine.says(&["trust", name]);
    }
    let parts = told(&machine, "run_2").await;
    for (words, places) in [
        (ALWAYS, [true, false, false]),
        (HERE, [false, true, true]),
        (AFTER, [false, false, true]),
    ] {
        let found = parts.each_ref().map(|part| part.contains(words));
        assert_eq!(found, places, "{words}: {parts:?}");
    }
    let tips = parts[2].split("Tips from previous experience").nth(1);
    assert!(tips.unwrap().contains(AFTER), "{}", parts[2]);
}
