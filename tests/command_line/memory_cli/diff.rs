//! `webwise memory diff`.

use serde_json::{Value, json};

use crate::memory_cli::world::{Machine, copy, text};

#[tokio::test]
async fn two_memories_are_compared_item_by_item() {
    let (here, there) = (Machine::new(), Machine::new());
    here.shop("run_1", "shop.example").await;
    copy(&here.memory(), &there.memory());
    let [a, b] = [&here, &there].map(|machine| machine.memory().to_str().unwrap().to_owned());
    let same = here.json(&["diff", &a, &b]);
    assert_eq!(same["items"], json!([]));
    assert!(same["same"].as_u64().unwrap() > 5, "{same}");

    here.shop("run_2", "shop.example").await;
    there.shop("run_3", "other.example").await;
    let told = here.json(&["diff", &a, &b]);
    let names = |difference: &str, kind: &str| -> Vec<String> {
        let items = told["items"].as_array().unwrap().iter();
        let of = items.filter(|item| item["difference"] == difference && item["kind"] == kind);
        of.map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names("only_in_a", "sessions"), ["run_2@shop.example"]);
    assert_eq!(names("only_in_b", "sessions"), ["run_3@other.example"]);
    assert_eq!(names("changed", "recipes").len(), 1);
    let items = told["items"].as_array().unwrap();
    let way = items
        .iter()
        .find(|item| item["difference"] == "changed" && item["kind"] == "recipes");
    let fields = way.unwrap()["fields"].as_array().unwrap();
    assert!(fields.contains(&json!("runs")), "{fields:?}");
    let listed = here.json(&["list"]).to_string();
    for name in names("only_in_a", "sessions") {
        assert!(listed.contains(&name), "{name}");
    }
    let [only_in_a, only_in_b, changed] =
        ["only_in_a", "only_in_b", "changed"].map(|count| told[count].as_u64().unwrap());
    let all = told["items"].as_array().unwrap().len() as u64;
    assert_eq!(only_in_a + only_in_b + changed, all);

    // An exported document stands for its memory.
    let file = there.path("b.json");
    let file = file.to_str().unwrap();
    there.says(&["export", "-o", file]);
    assert_eq!(here.json(&["diff", &a, file])["items"], told["items"]);
    assert_eq!(here.json(&["diff", &b, file])["items"], json!([]));

    let said = here.says(&["diff", &a, &b]);
    for line in [
        "sessions, shop.example:",
        "    only in A  run_2@shop.example",
        "    only in B  run_3@other.example",
        "        Count the results; done",
    ] {
        assert!(said.lines().any(|told| told == line), "{line}: {said}");
    }
    let last = format!("Only in A: {only_in_a}. Only in B: {only_in_b}. Changed: {changed}.");
    assert!(said.lines().last().unwrap().starts_with(&last), "{said}");
    assert!(
        here.refuses(&["diff", &a, "/nowhere"])
            .contains("cannot be read")
    );
}

#[tokio::test]
async fn data_that_cannot_be_read_is_told_and_a_folder_without_memory_is_refused() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let a = machine.memory();
    let a = a.to_str().unwrap();
    let mut document: Value = serde_json::from_str(&machine.says(&["export"])).unwrap();
    let shelves = document["shelves"].as_array_mut().unwrap();
    shelves[0] = json!(7);
    let b = machine.write("b.json", &document);
    let told = machine.json(&["diff", a, &b]);
    assert_eq!(told["problems"], json!(["B: shelf 1: it cannot be read"]));
    let output = machine.run(&["diff", &b, a]);
    assert_eq!(
        text(&output.stderr),
        "webwise: A: shelf 1: it cannot be read\n"
    );

    // A shelf that was read from its backup.
    machine.shop("run_2", "shop.example").await;
    let sessions = machine
        .memory()
        .join("default/domains/shop.example/sessions.json");
    std::fs::write(sessions, "{").unwrap();
    let output = machine.run(&["diff", a, &b]);
    let said = text(&output.stderr);
    assert!(said.contains("webwise: memory "), "{said}");

    let empty = machine.path("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    let said = machine.says(&["diff", empty, empty]);
    assert!(said.ends_with("The same: 0.\n"), "an empty memory: {said}");
    std::fs::write(machine.path("empty/notes.txt"), "").unwrap();
    let said = machine.refuses(&["diff", &b, empty]);
    assert!(said.contains("no memory"), "{said}");
}

#[tokio::test]
async fn a_document_that_cannot_be_compared_is_refused_with_what_can_be_done() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let a = machine.memory();
    let a = a.to_str().unwrap();
    let file = &machine.write("v1.json", &json!({ "version": 1, "lessons": [] }));
    let other = machine.write("other.json", &json!({ "format": "other" }));
    for (path, part) in [
        (
            file,
            format!("`webwise memory import {file} --trust --memory-dir DIR`, and compare DIR"),
        ),
        (&other, "it is not an export of this program".to_owned()),
    ] {
        for said in [
            machine.refuses(&["diff", a, path]),
            machine.refuses(&["diff", path, a]),
        ] {
            let speaks = said.contains(&format!("{path} cannot be compared"));
            assert!(speaks && said.contains(&part), "{said}");
        }
    }
}
