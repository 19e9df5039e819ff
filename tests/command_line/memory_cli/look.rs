//! Looking at memory: list, show, explain, review, trust.

use serde_json::json;
use webwise::{
    RunId,
    memory::Namespace,
    registry::RunManifest,
    store::{JsonFiles, RunRegistry},
};

use crate::memory_cli::world::{Machine, text};

fn imported(words: &str) -> serde_json::Value {
    json!({ "version": 1, "lessons": [{
        "lesson": words, "category": "best_practice", "failed_command": null, "error_pattern": null, "domain": null,
        "use_count": 4, "created_at": "2026-03-12", "last_used": "2026-03-14", "source": "learned",
        "triggered_domains": ["google.com"]
    }] })
}

#[test]
fn an_empty_memory_is_no_error_and_leaves_nothing() {
    let machine = Machine::new();
    let missing = format!("there is no folder {}", machine.memory().display());
    let listed = format!("Nothing is remembered: {missing}.\n");
    assert_eq!(machine.says(&["list"]), listed);
    for args in [&["list", "--json"][..], &["review"], &["export"]] {
        let output = machine.run(args);
        assert_eq!(text(&output.stderr), format!("webwise: {missing}\n"));
    }
    assert_eq!(
        machine.json(&["list"]),
        json!({ "items": [], "unreadable": 0, "unknown": [], "damaged": [] })
    );
    assert_eq!(machine.says(&["review"]), "Nothing waits for you.\n");
    assert!(
        machine
            .refuses(&["show", "x"])
            .contains("nothing is remembered under x")
    );
    assert!(machine.refuses(&["show", "x"]).contains(&missing));
    assert!(!machine.memory().exists() && !machine.path("home").exists());
    std::fs::create_dir(machine.memory()).unwrap();
    assert!(machine.says(&["list"]).contains("Nothing is remembered in"));
}

#[tokio::test]
async fn a_lesson_is_listed_with_its_counts_and_shown_with_where_it_comes_from() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let lessons = machine.lessons();
    assert_eq!(
        lessons.len(),
        5,
        "three seeds, one recovery for the host and one for all: {lessons:?}"
    );
    let site = lessons
        .iter()
        .find(|lesson| lesson["category"] == "site_specific")
        .unwrap();
    assert_eq!(
        (&site["state"], &site["counts"]["used"]),
        (&"shown".into(), &0.into()),
        "the run that taught it does not count"
    );
    assert!(
        site["text"]
            .as_str()
            .unwrap()
            .contains("click button \"Accept all\" first"),
        "{site}"
    );
    let general = lessons
        .iter()
        .find(|lesson| lesson["category"] == "error_recovery")
        .unwrap();
    assert_eq!(general["state"], "seen on one site");

    let listed = machine.says(&["list"]);
    let name = site["name"].as_str().unwrap();
    assert!(
        listed.contains(&format!(
            "{name}  shop.example, site_specific, learned, shown; shown 0, used 0, helped 0, harmed 0"
        )),
        "{listed}"
    );
    machine.shop("run_2", "shop.example").await;
    let again = machine.says(&["list"]);
    assert!(
        again.contains(&format!(
            "{name}  shop.example, site_specific, learned, shown; shown 1, used 1, helped 1, harmed 0"
        )),
        "{again}"
    );
    // Five lessons, the session, the recipe and the fact about the banner, each with its text.
    assert_eq!(listed.lines().count(), 16);
    let shown = machine.says(&["show", name]);
    for part in [
        "Learned in  run_1",
        "Learned on  shop.example",
        "Failure     intercepted",
        "run_1 on shop.example: used, helped",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(
        shown.lines().last().unwrap(),
        format!("Text        {}", site["text"].as_str().unwrap())
    );
    let body = &machine.json(&["show", name])["record"]["body"];
    assert_eq!(
        (&body["source"], &body["created_at"]),
        (&"learned".into(), &"2026-01-02T03:04:05Z".into())
    );
}

#[tokio::test]
async fn a_recipe_is_shown_with_its_steps_and_with_what_a_prompt_says() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let shown = machine.says(&["show", "r-"]);
    for part in [
        "Is          recipe of 2 steps, shown\n",
        "Run         run_1\n",
        "Step        1. click button \"Accept all\"\nStep        2. click button \"Go\" -> /results\n",
        "Text        Count the results\n\
         Prompt      t1 \"Count the results\" 2 steps, 1 of 1 run reached their goal\n            \
         1. click button \"Accept all\"\n            2. click button \"Go\" -> /results\n            \
         sets nothing\n            if this is your task: follow {\"recipe\":\"t1\"}\n",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let json = machine.json(&["show", "r-"]);
    assert_eq!(json["prompt"].as_array().unwrap().len(), 5, "{json:#}");
    let session = machine.says(&["show", "run_1"]);
    assert!(
        session.contains("succeeded, without a session id") && !session.contains("\nPrompt      "),
        "{session}"
    );
    assert!(session.contains("\nModel calls 4\n"), "{session}");
    // How many seconds a run takes depends on the machine.
    let mut seconds = session
        .lines()
        .filter_map(|line| line.strip_prefix("Seconds     "));
    assert!(seconds.next().unwrap().parse::<u64>().is_ok(), "{session}");
}

#[tokio::test]
async fn the_list_an_explanation_and_a_report_count_alike() {
    let machine = Machine::new();
    for run in ["run_1", "run_2"] {
        machine.shop(run, "shop.example").await;
    }
    machine.shop_following("run_3", "shop.example").await;
    let listed = machine.says(&["list"]);
    let results = |name: &str| {
        let line = listed.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit("; ").next().unwrap().to_owned()
    };
    let lessons = machine.lessons();
    let report = machine.json(&["report"]);
    let count = |item: &serde_json::Value, name: &str| item[name].as_u64().unwrap();
    let mut kinds = Vec::new();
    for item in report["items"].as_array().unwrap() {
        let name = item["name"].as_str().unwrap();
        if item["kind"] == "lessons" || item["kind"] == "recipes" {
            let [shown, used, helped, harmed] =
                ["offered", "used", "helped", "harmed"].map(|field| count(item, field));
            assert_eq!(
                results(name),
                format!("shown {shown}, used {used}, helped {helped}, harmed {harmed}"),
                "{name}"
            );
            if item["kind"] == "lessons" {
                let mut lessons = lessons.iter();
                let counts = &lessons.find(|one| one["name"] == name).unwrap()["counts"];
                let as_json =
                    ["offered", "used", "helped", "harmed"].map(|field| count(counts, field));
                assert_eq!(as_json, [shown, used, helped, harmed], "{name}");
            }
            let mut explained = 0;
            for run in ["run_1", "run_2", "run_3"] {
                let items = machine.json(&["explain", run])["items"].clone();
                let all = items.as_array().unwrap().clone();
                let own = all.iter().filter(|one| {
                    one["id"]["key"] == item["key"] && one["id"]["shelf"] == item["shelf"]
                });
                let credits = own.flat_map(|one| one["credited"].as_array().unwrap().clone());
                explained += credits.filter(|credit| credit["helped"] == true).count();
            }
            assert_eq!(explained, usize::try_from(helped).unwrap(), "{name}");
            kinds.push((item["kind"].as_str().unwrap().to_owned(), used));
        }
    }
    assert!(kinds.contains(&("recipes".to_owned(), 1)), "{kinds:?}");
    assert!(kinds.contains(&("lessons".to_owned(), 1)), "{kinds:?}");
}

#[tokio::test]
async fn a_beginning_is_enough_if_it_fits_one_only() {
    let machine = Machine::new();
    machine.shop("run_1", "a.example").await;
    machine.shop("run_2", "b.example").await;
    let names: Vec<String> = machine
        .lessons()
        .iter()
        .map(|lesson| lesson["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        names.iter().any(|name| name.ends_with("@a.example"))
            && names.iter().any(|name| name.ends_with("@b.example"))
    );
    let said = machine.refuses(&["show", "seed-"]);
    assert!(
        said.contains("seed-fill-fallback, seed-press-enter")
            || said.contains("seed-escape-overlay"),
        "{said}"
    );
    assert!(
        machine
            .says(&["show", "seed-f"])
            .contains("seed-fill-fallback")
    );
    // Both hosts taught the same, so they have one key; the host tells them apart.
    let at_a = names
        .iter()
        .find(|name| name.ends_with("@a.example"))
        .unwrap();
    assert!(
        machine
            .refuses(&["show", at_a.split('@').next().unwrap()])
            .contains("@b.example")
    );
    assert!(machine.says(&["show", at_a]).contains("a.example"));
}

#[tokio::test]
async fn a_run_is_explained_item_by_item() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "shop.example").await;
    let said = machine.says(&["explain", "run_1"]);
    for part in [
        "seed-escape-overlay",
        "recalled  when the run started",
        "recalled  after step 2, because click ended with intercepted",
        "became    new: this run taught it",
    ] {
        assert!(said.contains(part), "{part} in\n{said}");
    }
    assert!(!said.contains('\u{1b}'));
    // What was only shown is one line, and has no actions.
    let enter: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("seed-press-enter"))
        .collect();
    assert!(
        enter.len() == 1
            && enter[0].contains("only shown, in ")
            && enter[0].contains("press Enter"),
        "{said}"
    );
    let overlay = machine.says(&["explain", "run_1", "seed-escape-overlay"]);
    assert!(
        overlay.contains("no use of it was seen") && !overlay.contains("    then "),
        "{overlay}"
    );
    let second = machine.json(&["explain", "run_2"]);
    let items = second["items"].as_array().unwrap();
    let site = items
        .iter()
        .find(|item| item["id"]["shelf"]["scope"]["host"] == "shop.example")
        .unwrap();
    assert_eq!(
        site["recalled"][0]["host_shown"],
        json!({ "host": "shop.example" }),
        "{site}"
    );
    assert_eq!(site["credited"][0]["helped"], true, "{site}");
    assert!(
        !site["stood_in"].as_array().unwrap().is_empty()
            && !site["then"].as_array().unwrap().is_empty()
    );
    let key = site["id"]["key"].as_str().unwrap();
    let only = machine.says(&["explain", "run_2", &key[..12]]);
    assert!(
        only.starts_with(key) && only.contains("because a page of shop.example was shown"),
        "{only}"
    );
    assert!(
        only.contains("then      step ") && only.contains("credited  it was used on shop.example"),
        "{only}"
    );
    assert!(
        machine
            .refuses(&["explain", "run_"])
            .contains("could be run_2 or run_1")
    );
    assert!(
        machine
            .refuses(&["explain", "run_9"])
            .contains("there is no run run_9")
    );
    assert!(
        machine
            .refuses(&["explain", "run_1", "no-such"])
            .contains("did not speak of no-such")
    );
    assert!(
        machine
            .refuses(&["explain", "x", "--runs-dir", "/nowhere"])
            .contains("--runs-dir")
    );
}

#[test]
fn words_of_another_program_wait_and_are_accepted_exactly_as_shown() {
    let machine = Machine::new();
    let file = machine.write(
        "memory.json",
        &imported("Press \u{1b}[2JEscape \u{202e} first."),
    );
    let said = machine.says(&["import", &file]);
    assert!(
        said.contains("Took 1 record; new or changed: 1") && said.contains("webwise memory review"),
        "{said}"
    );
    let review = machine.json(&["review"]);
    let waiting = &review["items"][0];
    assert_eq!(
        (&waiting["state"], &waiting["text"]),
        (&"waits for you".into(), &"Press Escape first.".into())
    );
    let name = waiting["name"].as_str().unwrap();
    let said = machine.says(&["trust", &name[..10]]);
    assert!(
        said.ends_with("with exactly this text:\nPress Escape first.\n"),
        "{said}"
    );
    let record = &machine.json(&["show", name])["record"]["body"];
    assert_eq!(
        (&record["text"]["words"], &record["source"]),
        (&"Press Escape first.".into(), &"user".into())
    );
    assert!(
        machine
            .refuses(&["trust", name])
            .contains("accepted before")
    );
    assert_eq!(machine.says(&["review"]), "Nothing waits for you.\n");
}

#[tokio::test]
async fn only_what_waits_can_be_accepted_and_only_as_a_prompt_shows_it() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    assert!(
        machine
            .refuses(&["trust", "seed-fill-fallback"])
            .contains("does not wait for you")
    );
    // Somebody edited the file by hand: what would be shown is not what stands there.
    let path = machine.memory().join("default/lessons.json");
    let mut shelf: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut body = shelf["records"]["seed-press-enter"].clone();
    (body["text"], body["source"]) = (json!({ "words": "Two\nlines" }), json!("imported"));
    shelf["records"]["by-hand"] = body;
    shelf["records"]["seed-fill-fallback"]["retired_by"] = json!("run_9");
    shelf["records"]["seed-fill-fallback"]["counts"]["harmed"] = json!(3);
    std::fs::write(&path, shelf.to_string()).unwrap();
    assert!(
        machine
            .refuses(&["trust", "by-hand"])
            .contains("line breaks")
    );
    assert!(machine.says(&["list"]).contains("    Two lines\n"));
    // A retired item comes back on the same word, and stays what it was.
    let show = |word: &str| machine.says(&["show", "seed-fill-fallback"]).contains(word);
    assert!(show("retired") && show("harmed 3"));
    assert!(
        machine
            .says(&["trust", "seed-fill-fallback"])
            .starts_with("Brought seed-fill-fallback back.")
    );
    assert!(!show("retired") && show("harmed 0") && show("seed"));
}

#[test]
fn what_is_wrong_with_the_arguments_is_said_in_one_sentence() {
    let machine = Machine::new();
    assert!(machine.refuses(&["forget"]).contains("--host"));
    assert!(
        machine
            .refuses(&["forget", "x", "--all"])
            .contains("cannot be used with")
    );
    assert!(
        machine
            .refuses(&["forget", "--host", "ftp://x"])
            .contains("--host")
    );
    assert!(
        machine
            .refuses(&["undo", "../x"])
            .contains("letters, digits")
    );
    assert!(
        machine
            .refuses(&["list", "--namespace", "a b"])
            .contains("--namespace")
    );
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_webwise"))
        .env_clear()
        .args(["memory", "list"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("set WEBWISE_HOME or name one with --memory-dir"));
}

#[tokio::test]
async fn what_cannot_be_read_is_not_taken_for_forgotten() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let file = machine.memory().join("default/lessons.json");
    for broken in [&file, &file.with_added_extension("bak")] {
        std::fs::write(broken, "{broken").unwrap();
    }
    let host = machine
        .memory()
        .join("default/domains/shop.example/recipes.json");
    std::fs::write(host, "[]").unwrap();
    let listed = machine.lists_the_rest("2 files");
    assert!(listed.contains("shop.example, site_specific"), "{listed}");
    for part in [
        "lessons cannot be read (default/lessons.json: it is not JSON). Repair",
        "(default/domains/shop.example/recipes.json: it is not an object). Repair",
    ] {
        assert!(listed.contains(part), "{part} in {listed}");
    }
    let review = machine.says(&["review"]);
    assert!(
        review.contains("default/lessons.json: it is not JSON")
            && review.ends_with("in what can be read. Something may wait in the rest.\n"),
        "{review}"
    );
    let said = machine.refuses(&["show", "seed"]);
    assert!(said.contains("default/lessons.json"), "{said}");
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "{broken",
        "nothing was overwritten"
    );
    for command in [&["export"][..], &["undo", "run_1", "--yes"]] {
        let output = machine.run(command);
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let said = text(&output.stderr);
        assert!(
            said.contains("default/lessons.json: it is not JSON)"),
            "{said}"
        );
        assert!(said.contains("Repair the file or delete it"), "{said}");
    }
}

#[tokio::test]
async fn a_shelf_that_is_too_large_has_advice_of_its_own() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let file = machine.memory().join("default/lessons.json");
    let mut large = std::fs::read(&file).unwrap();
    large.resize(64 << 20, b' ');
    std::fs::write(&file, large).unwrap();
    let listed = machine.lists_the_rest("1 file");
    assert!(
        listed.contains("lessons cannot be read")
            && listed.contains("Shorten the file")
            && !listed.contains("puts it aside"),
        "{listed}"
    );
}

#[tokio::test]
async fn a_backup_is_told_as_read_until_a_change_restores_it() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "shop.example").await;
    std::fs::write(machine.memory().join("default/lessons.json"), "[]").unwrap();
    let said = |args: &[&str]| text(&machine.run(args).stderr);
    let found = "webwise: memory found the file of default/lessons missing or broken";
    for _ in 0..2 {
        let told = said(&["list"]);
        assert!(told.contains(found) && !told.contains("restored"), "{told}");
    }
    let told = said(&["undo", "run_1", "--yes"]);
    assert!(!told.contains(found), "{told}");
    assert_eq!(
        told.matches("restored the backup of default/lessons")
            .count(),
        1,
        "{told}"
    );
    assert_eq!(said(&["list"]), "");
}

#[test]
fn a_memory_folder_that_is_a_file_is_named_with_a_way_out() {
    let machine = Machine::new();
    std::fs::write(machine.memory(), "mine").unwrap();
    for command in [
        &["list"][..],
        &["undo", "run_1", "--yes"],
        &["forget", "--all", "--yes"],
    ] {
        let said = machine.refuses(command);
        let path = machine.memory().display().to_string();
        assert!(
            said.contains(&path) && said.contains("is a file") && said.contains("--memory-dir"),
            "{command:?}: {said}"
        );
    }
    assert_eq!(std::fs::read_to_string(machine.memory()).unwrap(), "mine");
}

#[tokio::test]
async fn what_is_forgotten_is_in_no_backup() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.says(&["forget", "--host", "https://shop.example", "--yes"]);
    let default = machine.memory().join("default");
    for name in ["lessons.json", "lessons.json.bak"] {
        let kept = std::fs::read_to_string(default.join(name)).unwrap();
        assert!(!kept.contains("shop.example"), "{name}: {kept}");
    }
}

#[tokio::test]
async fn a_report_compares_the_runs_that_were_shown_an_item_with_those_that_held_it_back() {
    let machine = Machine::new();
    assert!(machine.refuses(&["report"]).contains("--runs-dir"));
    for (run, share) in [
        ("run_1", 0.0),
        ("run_2", 0.0),
        ("run_3", 1.0),
        ("run_4", 0.0),
        ("run_5", 1.0),
    ] {
        machine.shop_withholding(run, "shop.example", share).await;
    }
    let report = machine.json(&["report"]);
    assert_eq!(
        (&report["runs"], &report["unreadable"]),
        (&5.into(), &0.into())
    );
    let items = report["items"].as_array().unwrap();
    let of_host = |item: &&serde_json::Value| {
        item["kind"] == "lessons" && item["name"].as_str().unwrap().contains('@')
    };
    let item = items.iter().find(of_host).expect("what run_1 taught");
    // The first run did not know it yet. The model clicks the covered button each time, so it helps each time it is shown.
    let of_runs = ["offered", "withheld", "harmed"].map(|name| item[name].as_u64().unwrap());
    assert_eq!(of_runs, [2, 2, 0], "{item:#}");
    assert_eq!(item["withheld_share"], json!(0.5));
    assert_eq!(item["differences"]["steps"]["interval"], json!([0.0, 0.0]));
    let words = machine.says(&["report"]);
    assert!(
        words.contains("shown in 2, held back in 2 (50 %)"),
        "{words}"
    );
    let explained = machine.says(&["explain", "run_3"]);
    assert!(explained.contains("held back as a control"), "{explained}");
}

#[tokio::test]
async fn only_runs_of_this_memory_are_reported_and_explained() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    std::fs::rename(machine.memory(), machine.path("another")).unwrap();
    machine.shop("run_0", "shop.example").await;
    let report = machine.json(&["report"]);
    assert_eq!(
        (&report["runs"], &report["left_out"]),
        (&1.into(), &1.into())
    );
    let words = machine.says(&["report"]);
    let left_out = "Left out 1 run folder in runs, not in this memory's register, which keeps the last 100 runs:";
    assert!(words.contains(left_out), "{words}");
    let all = machine.json(&["report", "--runs-dir", "runs"]);
    assert_eq!((&all["runs"], &all["left_out"]), (&2.into(), &0.into()));
    let explained = |run: &str| {
        let output = machine.run(&["explain", run, "--json"]);
        let folder: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (
            folder["folder"].as_str().unwrap().to_owned(),
            text(&output.stderr),
        )
    };
    let (folder, said) = explained("last");
    assert!(
        folder.ends_with("run_0") && said.is_empty(),
        "{folder}: {said}"
    );
    let (folder, said) = explained("run_1");
    assert!(
        folder.ends_with("run_1")
            && said.contains("not in this memory's register, which keeps the last 100 runs"),
        "{folder}: {said}"
    );
    // A run is known by its id, whatever path leads to its folder.
    let own = machine.path("runs/run_0");
    std::os::unix::fs::symlink(&own, machine.path("link")).unwrap();
    std::fs::create_dir(machine.path("copy")).unwrap();
    for file in std::fs::read_dir(&own).unwrap().map(Result::unwrap) {
        if file.path().is_file() {
            let copy = machine.path("copy").join(file.file_name());
            std::fs::copy(file.path(), copy).unwrap();
        }
    }
    for path in ["./runs/../runs/run_0", "./link", "./copy"] {
        assert_eq!(explained(path).1, "", "{path}");
    }
    let register = machine.memory().join("default/agent-runs.json");
    for broken in [&register, &register.with_added_extension("bak")] {
        std::fs::write(broken, "{broken").unwrap();
    }
    let output = machine.run(&["explain", "./copy"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("default/agent-runs.json"), "{said}");
    std::fs::remove_dir_all(machine.memory()).unwrap();
    assert!(
        machine
            .refuses(&["explain", "last"])
            .contains("which keeps the last 100 runs, has none of the 2 run folders in runs")
    );
    assert!(
        machine
            .refuses(&["undo", "last", "--yes"])
            .contains("no run is known")
    );
    assert_eq!(machine.json(&["report"])["runs"], 0);
}

#[tokio::test]
async fn runs_are_found_where_they_were_written_and_a_refusal_says_where_it_looked() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "shop.example").await;
    let [here, kept] = ["runs", "kept"].map(|name| machine.path(name));
    std::fs::rename(&here, &kept).unwrap();
    let named = |said: &str, folder: &std::path::Path| said.contains(folder.to_str().unwrap());
    for command in [&["report"][..], &["explain", "last"]] {
        let said = machine.refuses(command);
        assert!(named(&said, &here) && said.contains("--runs-dir"), "{said}");
    }
    // The register is written anew, with the folders.
    std::fs::remove_dir_all(machine.memory()).unwrap();
    let runs = RunRegistry::new(JsonFiles::open(machine.memory()), Namespace::default());
    for run in ["run_1", "run_2"] {
        let id = RunId::parse(run).unwrap();
        let mut manifest = RunManifest::new(id, "Count the results", chrono::Utc::now());
        manifest.artifact_paths = vec![kept.join(run).display().to_string()];
        runs.start(&manifest).await.unwrap();
    }
    assert_eq!(machine.json(&["report"])["runs"], 2);
    let said = machine.says(&["report"]);
    assert!(
        said.starts_with("2 runs in ") && named(&said, &kept),
        "{said}"
    );
    let explained = machine.json(&["explain", "last"]);
    assert_eq!(explained["folder"], json!(kept.join("run_2")));
    let said = machine.refuses(&["explain", "run_9"]);
    assert!(named(&said, &here) && said.contains("register"), "{said}");
    // A folder that was named is the only one.
    let said = machine.refuses(&["report", "--runs-dir", here.to_str().unwrap()]);
    assert!(named(&said, &here) && !said.contains("register"), "{said}");
}
