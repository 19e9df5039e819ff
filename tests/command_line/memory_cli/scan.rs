//! `webwise memory scan`: a secret in memory is found in every form that the program names.

use serde_json::{Value, json};
use webwise::{
    Host, MemoryBackend as _, RunId,
    memory::{Change, Edit, Namespace, Record, Shelf},
    registry::RunManifest,
    secret::Redactor,
    store::{JsonFiles, RunRegistry},
};

use crate::memory_cli::world::{Machine, text};

const SECRET: &str = "Correct-Horse7";

/// Stores a text in a record of an unknown kind.
async fn store(machine: &Machine, key: &str, said: &str) {
    let record = Record::new(key, &json!({ "text": said }));
    let edit = Edit::new(move |_| Ok(vec![Change::Put(record.clone())]));
    let host = Host::of_domain("shop.example").unwrap();
    let shelf = Shelf::host(&Namespace::default(), "notes", &host);
    let store = JsonFiles::open(machine.memory());
    store.update(&shelf, edit).await.unwrap();
}

/// The exit code, and everything that was printed.
fn scan(machine: &Machine, args: &[&str]) -> (Option<i32>, String) {
    let variables = [("SHOP_PASSWORD", SECRET), ("PIN", "1234")];
    let output = machine.run_with(&[&["scan"], args].concat(), &variables);
    let said = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), said)
}

#[tokio::test]
async fn a_secret_is_found_in_every_form_that_the_program_names_and_never_printed() {
    let forms = [
        "my word is correct-HORSE7.",
        "7esroH-tcerroC",
        "C o r r e c t H o r s e 7",
        "q=Correct%2DHorse7&amp;x",
        "Correct=2DHorse7",
        "436f72726563742d486f72736537",
        "key INXXE4TFMN2C2SDPOJZWKNY",
        "Basic dTpDb3JyZWN0LUhvcnNlNw==",
    ];
    assert_eq!(forms.len(), Redactor::FORMS.len());
    for form in forms {
        let machine = Machine::new();
        machine.shop("run_1", "shop.example").await;
        let (code, clean) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
        assert_eq!(code, Some(0), "{clean}");
        assert!(clean.ends_with("No secret was found.\n"), "{clean}");
        for named in Redactor::FORMS {
            assert!(clean.contains(named), "{clean}");
        }
        store(&machine, "n1", form).await;
        let (code, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
        assert_eq!(code, Some(1), "{form}: {said}");
        assert!(
            said.contains("Found in the item n1@shop.example (default/notes)"),
            "{said}"
        );
        assert!(
            said.contains("Found in the file default/domains/"),
            "{said}"
        );
        assert!(!said.contains(form) && !said.contains(SECRET), "{said}");
        // The flag of `run` does the same.
        let run = "PASSWORD=SHOP_PASSWORD@https://shop.example";
        assert_eq!(scan(&machine, &["--secret", run]).0, Some(1));
        // Another secret is not there.
        assert_eq!(scan(&machine, &["--secret-env", "PIN"]).0, Some(0));
    }
}

#[tokio::test]
async fn an_entry_of_the_register_is_named_with_the_command_that_removes_it() {
    let machine = Machine::new();
    let runs = RunRegistry::new(JsonFiles::open(machine.memory()), Namespace::default());
    let run = RunId::parse("run_1").unwrap();
    let manifest = RunManifest::new(run, SECRET, chrono::Utc::now());
    let manifest = manifest.starting_at("https://shop.example/");
    runs.start(&manifest).await.unwrap();
    let by_key = "`webwise memory forget KEY` removes an item";
    let by_host = "`webwise memory forget --host URL`, with the host where a run began";
    let (code, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(by_host) && !said.contains(by_key), "{said}");
    store(&machine, "n1", SECRET).await;
    let (_, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
    assert!(said.contains(by_host) && said.contains(by_key), "{said}");
    machine.says(&["forget", "--host", "https://shop.example", "--yes"]);
    let (_, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
    assert!(!said.contains("Found in the item"), "{said}");
}

#[tokio::test]
async fn backups_are_searched_and_numbers_are_told() {
    let machine = Machine::new();
    store(&machine, "n1", SECRET).await;
    store(&machine, "n1", "nothing").await;
    let (code, said) = scan(&machine, &["--json", "--secret-env", "SHOP_PASSWORD"]);
    assert_eq!(code, Some(1), "{said}");
    let json: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!((&json["items"], &json["hits"]), (&json!(1), &json!([])));
    let [file] = &json["file_hits"].as_array().unwrap()[..] else {
        panic!("the backup: {json}");
    };
    assert!(file.as_str().unwrap().contains(".json.bak"), "{file}");
    assert!(json["bytes"].as_u64().unwrap() > 10 && json["file_bytes"].as_u64().unwrap() > 10);
    // A name that shows the secret is printed without it.
    store(&machine, &format!("key-{SECRET}"), "nothing").await;
    let (_, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD", "PIN"]);
    assert!(
        said.contains("key-<secret:SHOP_PASSWORD>@shop.example"),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
    assert!(said.contains("PIN has fewer than 6 characters"), "{said}");
}

#[tokio::test]
async fn a_shelf_that_cannot_be_read_is_named_and_is_no_success() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let file = machine.memory().join("default/lessons.json");
    for broken in [&file, &file.with_added_extension("bak")] {
        std::fs::write(broken, "{broken").unwrap();
    }
    let (code, said) = scan(&machine, &["--secret-env", "SHOP_PASSWORD"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("lessons cannot be read (default/lessons.json: it is not JSON). Repair"),
        "{said}"
    );
    assert!(
        said.contains("1 file of memory cannot be read") && !said.contains("No secret was found"),
        "{said}"
    );
    let (code, said) = scan(&machine, &["--json", "--secret-env", "SHOP_PASSWORD"]);
    assert_eq!(code, Some(1), "{said}");
    let json: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!(
        json["damaged"][0]["shelf"]["collection"], "lessons",
        "{json}"
    );
}

#[tokio::test]
async fn a_secret_is_found_across_the_parts_of_a_waiting_run_also_in_a_backup() {
    let machine = Machine::new();
    let store = JsonFiles::open(machine.memory());
    let shelf = Shelf::global(&Namespace::default(), "pending");
    let parts = ["\"my word is Correct-", "Horse7\""];
    let parts = parts.iter().enumerate().map(|(n, said)| {
        let body = json!({ "kind": "notes", "run": "run_1", "part": n, "of": 2, "said": said });
        Record::new(format!("run_1.notes.000{n}"), &body)
    });
    let parts: Vec<Record> = parts.collect();
    let keys: Vec<String> = parts.iter().map(|part| part.key.clone()).collect();
    let put = Edit::new(move |_| Ok(parts.iter().cloned().map(Change::Put).collect()));
    store.update(&shelf, put).await.unwrap();
    let hits = || {
        let (code, said) = scan(&machine, &["--json", "--secret-env", "SHOP_PASSWORD"]);
        assert_eq!(code, Some(1), "{said}");
        let told: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        (told["hits"].clone(), told["file_hits"].clone())
    };
    let names = keys.iter().map(|key| format!("{key} (default/pending)"));
    let names: Vec<String> = names.collect();
    assert_eq!(hits(), (json!(names), json!(["default/pending.json"])));
    let other = Record::new("run_2.notes.0000", &json!({ "run": "run_2" }));
    let gone = Edit::new(move |_| {
        let gone = keys.iter().cloned().map(Change::Remove);
        Ok(gone.chain([Change::Put(other.clone())]).collect())
    });
    store.update(&shelf, gone).await.unwrap();
    assert_eq!(hits(), (json!([]), json!(["default/pending.json.bak"])));
    // Nothing is kept of a run that was the last to wait.
    let all = Edit::new(|now: &[Record]| {
        let keys = now.iter().map(|record| record.key.clone());
        Ok(keys.map(Change::Remove).collect())
    });
    store.update(&shelf, all).await.unwrap();
    assert_eq!(
        scan(&machine, &["--secret-env", "SHOP_PASSWORD"]).0,
        Some(0)
    );
}

#[test]
fn a_scan_without_a_secret_or_its_value_is_refused() {
    let machine = Machine::new();
    assert!(machine.refuses(&["scan"]).contains("--secret"));
    let said = machine.refuses(&["scan", "--secret-env", "MISSING"]);
    assert!(said.contains("environment variable MISSING"), "{said}");
    let blank = machine.run_with(&["scan", "--secret-env", "BLANK"], &[("BLANK", " \t")]);
    assert_eq!(blank.status.code(), Some(2), "{}", text(&blank.stdout));
}
