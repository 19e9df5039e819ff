//! Runs of the program `webwise` that know one another, with a real browser on two small pages: what continues, forks and resumes
//! a run of the register, what the flags and the file about memory change, and what a run reads of an explored site. The stand-in decides
//! from the prompt alone.

#![cfg(unix)]

use crate::{chromium, shop, web};

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use chromium::Running;
use shop::{
    model_server::ModelServer,
    program::{Place, json_lines, text},
};
use web::{Answer, Web};

/// A desk, and the two pages that its links open.
fn site() -> Web {
    let page = |title: &str| {
        let links = r#"<nav><a href="/sizes">Size guide</a> <a href="/returns">Returns</a></nav>"#;
        Answer::page(format!(
            "<!doctype html><title>{title}</title><h1>{title}</h1><p>{links}</p>"
        ))
    };
    Web::start(move |asked| match asked.path.as_str() {
        "/sizes" => page("All sizes"),
        "/returns" => page("How to return"),
        "/basket" => Answer::page("<title>Basket</title><form><button>Place order</button></form>"),
        _ => page("Desk"),
    })
}

/// Where the runs of a test take place, in tabs of one browser.
struct Desk {
    web: Web,
    place: Place,
    browser: Running,
}

impl Desk {
    async fn open() -> Self {
        Self {
            web: site(),
            place: Place::new(),
            browser: Running::start().await,
        }
    }

    /// A run of the program that ends with this code: its result, and its folder.
    fn run(&self, code: i32, args: &[&str]) -> (Value, PathBuf) {
        let address = self.browser.address();
        let fixed = ["run", "--json", "--model", "stand-in", "--approve", "auto"];
        let fixed = [&fixed[..], &["--attach", &address]].concat();
        let mut command = self.place.command(&[&fixed, args].concat());
        let output = command.output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let folder = self.place.path(result["folder"].as_str().unwrap());
        (result, folder)
    }

    /// The manifests that the register lists, newest first.
    fn runs(&self) -> Vec<Value> {
        let output = self.place.command(&["runs", "--json"]).output().unwrap();
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
        listed["runs"].as_array().unwrap().clone()
    }
}

/// What the run did first.
fn first_done(folder: &Path) -> Value {
    let events = json_lines(&folder.join("actions.jsonl"));
    let mut done = events.iter().filter(|e| e["event"] == "action_executed");
    done.next().unwrap()["action"].clone()
}

/// All that the model was sent, as the run folder keeps it.
fn asked(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("model.jsonl")).unwrap()
}

#[tokio::test]
async fn a_run_is_listed_and_a_later_one_follows_it_forks_it_or_goes_on_with_it() {
    let desk = Desk::open().await;
    let home = desk.web.url("localhost", "/");
    let sizes = desk.web.url("localhost", "/sizes");
    let open = ["--goal", "Open \"Size guide\".", "--session-id", "s1"];
    let (first, _) = desk.run(0, &[&open[..], &["--url", &home]].concat());
    let listed = desk.runs().remove(0);
    assert_eq!(
        (&listed["runId"], &listed["sessionId"], &listed["status"]),
        (&first["run"], &"s1".into(), &"completed".into())
    );
    assert_eq!(listed["finalUrl"], sizes);

    let next = ["--goal", "Open \"Returns\"."];
    let continues = "this run continues another: completed: Open ";
    let (followed, folder) = desk.run(0, &[&next[..], &["--resume-run", "last"]].concat());
    assert_eq!(first_done(&folder)["arguments"]["url"], sizes);
    assert!(asked(&folder).contains(continues), "{}", asked(&folder));
    let listed = desk.runs().remove(0);
    assert_eq!(
        (&listed["runId"], &listed["parentRunId"]),
        (&followed["run"], &first["run"])
    );
    assert_eq!(listed["sessionId"], "s1");

    let of = first["run"].as_str().unwrap();
    let (_, folder) = desk.run(0, &[&next[..], &["--fork-run", of]].concat());
    assert_eq!(first_done(&folder)["arguments"]["url"], sizes);
    assert!(asked(&folder).contains(continues), "{}", asked(&folder));
    let listed = desk.runs().remove(0);
    assert_eq!(listed["parentRunId"], first["run"]);
    let session = listed["sessionId"].as_str().unwrap();
    assert!(session.starts_with("fork_"), "{session}");

    // One answer of the model is not enough for two pages.
    let both = ["--goal", "Open \"Size guide\". Open \"Returns\"."];
    let cut = ["--url", &home, "--max-calls", "1"];
    let (cut, _) = desk.run(6, &[&both[..], &cut].concat());
    let listed = desk.runs().remove(0);
    assert_eq!(
        (&listed["runId"], &listed["status"]),
        (&cut["run"], &"failed".into())
    );
    let (resumed, folder) = desk.run(0, &["--resume-run", "last"]);
    assert_eq!(resumed["run"], cut["run"]);
    let was_told = asked(&folder);
    assert!(was_told.contains("this run was interrupted"), "{was_told}");
    let listed = desk.runs();
    assert_eq!(
        (&listed[0]["runId"], &listed[0]["status"]),
        (&cut["run"], &"completed".into())
    );
    assert_eq!(listed.len(), 4);
    // Memory has the steps before the interruption too.
    let mut shown = desk.place.command(&["memory", "list", "--json"]);
    let known: Value = serde_json::from_slice(&shown.output().unwrap().stdout).unwrap();
    let mut known = known["items"].as_array().unwrap().iter();
    let both = known.find(|item| item["kind"] == "recipes" && item["text"] == both[1]);
    assert_eq!(both.unwrap()["steps"], 2);
}

#[tokio::test]
async fn the_last_line_of_a_run_says_what_kept_it_from_its_goal() {
    let desk = Desk::open().await;
    let address = desk.browser.address();
    let basket = desk.web.url("localhost", "/basket");
    for (url, cause) in [
        (
            basket.as_str(),
            "the action click button \"Place order\" was refused (nobody is there to approve it), and the run ended",
        ),
        // No browser opens this port.
        (
            "http://localhost:1/",
            "the start page could not be opened: net::ERR_UNSAFE_PORT",
        ),
    ] {
        let fixed = ["run", "--model", "stand-in", "--attach", &address];
        let goal = ["--goal", "Press \"Place order\".", "--url", url];
        let mut command = desk.place.command(&[&fixed[..], &goal].concat());
        let said = text(&command.output().unwrap().stderr);
        let last = format!("webwise: the goal was not reached: {cause}\n");
        assert!(said.ends_with(&last), "{said}");
    }
}

#[tokio::test]
async fn the_flags_and_the_file_about_memory_decide_what_a_run_keeps_of_earlier_ones() {
    let desk = Desk::open().await;
    let home = desk.web.url("localhost", "/");
    let file = |name: &str, text: &str| {
        let path = desk.place.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let short = file("short.toml", "[memory]\ntraceTtlDays = 0\n");
    let off = file("off.toml", "[memory]\nenabled = false\n");
    let events = |args: &[&str]| {
        let goal = ["--task", "Open \"Size guide\".", "--start-url", &home];
        let (_, folder) = desk.run(0, &[&goal[..], args].concat());
        json_lines(&folder.join("memory_events.jsonl"))
    };
    let expired = |events: &[Value]| events.iter().any(|e| e["what"] == "recipe_expired");
    assert!(!expired(&events(&[])), "nothing is known yet");
    assert!(!expired(&events(&[])), "it is kept for thirty days");
    assert!(expired(&events(&["--trace-ttl-days", "0"])));
    assert!(expired(&events(&["--config", &short])));
    let without = events(&["--config", &off]);
    let used = without.iter().any(|e| e["count"].as_u64() > Some(0));
    assert!(!used, "{without:?}");
}

#[tokio::test]
async fn the_flag_about_scoring_decides_which_of_two_ways_is_shown_first() {
    let desk = Desk::open().await;
    let home = desk.web.url("localhost", "/");
    let run = |args: &[&str]| {
        let goal = ["--goal", "Open \"Size guide\".", "--url", &home];
        desk.run(0, &[&goal[..], args].concat()).1
    };
    run(&[]);
    // The same way once more: a day older, but faster.
    let hosts = std::fs::read_dir(desk.place.path("memory/default/domains")).unwrap();
    let mut files = hosts.map(|host| host.unwrap().path().join("recipes.json"));
    let path = files.find(|path| path.exists()).unwrap();
    let mut shelf: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let records = shelf["records"].as_object_mut().unwrap();
    for (key, mut record) in records.clone() {
        if let Some(end) = record["timestamp"].as_str() {
            let end: chrono::DateTime<chrono::Utc> = end.parse().unwrap();
            record["timestamp"] = (end - chrono::TimeDelta::days(1)).to_rfc3339().into();
            record["run"] = "run_0".into();
            record["runs"] = json!(["run_00", "run_0"]);
            records[&key]["duration_ms"] = 3_600_000.into();
        }
        records.insert(format!("r-0{}", key.strip_prefix("r-").unwrap()), record);
    }
    for (flags, is_older) in [(&["--trace-scoring"][..], true), (&[], false)] {
        // Each run changes what is kept.
        std::fs::write(&path, shelf.to_string()).unwrap();
        let asked = asked(&run(flags)).replace("\\n", "\n");
        let mut lines = asked.lines();
        let first = lines.find(|line| line.trim_start().starts_with("- t1 "));
        let first = first.unwrap_or_else(|| panic!("a recipe is shown: {asked}"));
        let is_first_older = first.ends_with("2 of 2 runs reached their goal");
        assert_eq!(is_first_older, is_older, "{asked}");
    }
}

#[tokio::test]
async fn a_text_that_the_flag_gives_reaches_the_model() {
    let desk = Desk::open().await;
    let home = desk.web.url("localhost", "/");
    let letter = desk.place.path("letter.txt");
    std::fs::write(&letter, "The order is A-17.\n").unwrap();
    let given = format!("letter={}", letter.display());
    let goal = ["--goal", "Open \"Size guide\".", "--url", &home];
    let (_, folder) = desk.run(0, &[&goal[..], &["--given", &given]].concat());
    let asked = json_lines(&folder.join("model.jsonl"));
    let message = asked[0]["message"].as_str().unwrap();
    let told = "## Given\n\"letter\"\n \"The order is A-17.\"\n";
    assert!(message.contains(told), "{message}");
}

#[tokio::test]
async fn a_site_that_was_explored_is_listed_and_shown_to_the_next_run() {
    let desk = Desk::open().await;
    let (home, address) = (desk.web.url("localhost", "/"), desk.browser.address());
    let explore = |args: &[&str]| {
        let fixed = ["explore", &home, "--attach", &address];
        let mut command = desk.place.command(&[&fixed[..], args].concat());
        let output = command.output().unwrap();
        let said = text(&output.stderr);
        assert!(output.status.success(), "{args:?}: {said}");
        text(&output.stdout)
    };
    let listed = || -> Vec<Value> {
        let mut command = desk.place.command(&["memory", "list", "--json"]);
        let listed: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let items = listed["items"].as_array().unwrap().iter();
        let pages = items.filter(|item| item["kind"] == "site_map");
        pages.map(|page| page["text"].clone()).collect()
    };
    // A depth of 0 is the start page alone, and this map is only printed.
    let map = explore(&["--depth", "0", "--no-memory", "--json"]);
    let map: Value = serde_json::from_str(&map).unwrap();
    let urls: Vec<&Value> = map["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| &page["url"])
        .collect();
    assert_eq!(urls, [&home]);
    assert_eq!(listed(), [""; 0]);
    let few = explore(&["--pages", "2", "--no-memory"]);
    assert!(few.contains("2 pages; there is more."), "{few}");

    let all = explore(&[]);
    let whole = "3 pages; apart from pages of the same kind, that is the site to this depth.";
    assert!(all.contains(whole), "{all}");
    assert!(all.contains("/sizes  All sizes"), "{all}");
    let mut pages = listed();
    pages.sort_by_key(Value::to_string);
    assert_eq!(
        pages,
        ["/ Desk", "/returns How to return", "/sizes All sizes"]
    );

    let goal = ["--goal", "Open \"Size guide\".", "--url", &home];
    let (_, folder) = desk.run(0, &goal);
    let asked = json_lines(&folder.join("model.jsonl"));
    let message = asked[0]["message"].as_str().unwrap();
    assert!(
        message.contains("## Pages of this site\n- \"/sizes All sizes\"\n"),
        "{message}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn extract_prints_the_data_of_a_list_over_two_pages_and_what_no_page_proves() {
    let web = Web::start(|asked| {
        let row = |name: &str, price: &str| format!("<tr><td>{name}<td>{price} EUR");
        let (rows, more) = match asked.path.as_str() {
            "/2" => (row("Sloop", "990.00"), ""),
            _ => (row("Kayak", "1,299.50"), "<a href=/2>More</a>"),
        };
        Answer::page(format!("<title>Boats</title><table>{rows}</table>{more}"))
    });
    let place = Place::new();
    let schema = json!({ "type": "array", "items": { "type": "object", "required": ["name", "price"],
        "properties": { "name": { "type": "string" }, "price": { "type": "number" } } } });
    std::fs::write(place.path("boats.json"), schema.to_string()).unwrap();
    let boats = json!([{ "name": "Kayak", "price": 1299.5 }, { "name": "Sloop", "price": 991 }]);
    let finish =
        |answer: Value| json!({ "action": "finish", "answer": answer, "evidence": "990.00 EUR" });
    let model = ModelServer::calling([
        json!({ "action": "click", "target": "link \"More\"" }),
        finish(json!([{ "name": "Kayak" }])),
        finish(boats.clone()),
    ])
    .await;
    let url = web.url("127.0.0.1", "/");
    let mut command = place.without_memory(&["extract", &url, "--schema", "boats.json"]);
    let output = command.env("WEBWISE_LLM_BASE_URL", model.url()).output();
    let output = output.unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let data = text(&output.stdout);
    let data: Value = serde_json::from_str(&data).unwrap_or_else(|_| panic!("{data}: {said}"));
    assert_eq!(data, boats);
    let unproven: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("not proven"))
        .collect();
    assert_eq!(unproven, ["not proven by a page: [1].price: 991"]);
    let noise = ["approv", "memory:"].map(|word| said.contains(word));
    assert_eq!(noise, [false; 2], "{said}");
    // A failure is no data.
    let model = ModelServer::calling([
        json!({ "action": "finish", "answer": "no boats", "success": false }),
    ])
    .await;
    let mut command = place.without_memory(&["extract", &url, "--schema", "boats.json"]);
    let output = command.env("WEBWISE_LLM_BASE_URL", model.url()).output();
    let output = output.unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}
