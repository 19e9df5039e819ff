//! Changing memory: forget, undo, export, import.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use webwise::{
    MemoryBackend as _,
    memory::{Change, Edit, Namespace, Record, Shelf},
    store::JsonFiles,
};

use crate::memory_cli::world::{Machine, text};

/// All that is stored, as one text.
fn stored(machine: &Machine) -> String {
    machine.says(&["export"])
}

#[tokio::test]
async fn a_lesson_can_be_forgotten_and_a_seed_cannot() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let name = machine
        .lessons()
        .iter()
        .find(|l| l["source"] == "learned")
        .unwrap()["name"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        machine.says(&["forget", &name, "--yes"]),
        format!("Forgot {name}.\n")
    );
    assert_eq!(machine.lessons().len(), 4);
    assert!(
        machine
            .refuses(&["forget", "seed-press"])
            .contains("planted again")
    );
}

#[tokio::test]
async fn a_host_that_is_forgotten_leaves_nothing_that_it_taught() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "other.example").await;
    let before = stored(&machine);
    assert!(before.contains("shop.example"));
    let said = machine.says(&["forget", "--host", "https://shop.example/any?path", "--yes"]);
    assert!(said.contains("records of its own, 6 elsewhere"), "{said}");
    let after = stored(&machine);
    assert!(
        !after.contains("shop.example") && after.contains("other.example"),
        "{after}"
    );
    // The general recovery is known from one site only now.
    assert!(
        machine
            .lessons()
            .iter()
            .any(|lesson| lesson["state"] == "seen on one site")
    );
}

#[tokio::test]
async fn a_site_that_is_forgotten_takes_all_its_hosts_along() {
    let machine = Machine::new();
    machine.shop("run_1", "a.shop.example").await;
    machine.shop("run_2", "b.shop.example").await;
    machine.says(&["forget", "--site", "shop.example", "--yes"]);
    assert!(!stored(&machine).contains("shop.example"));
    assert_eq!(machine.lessons().len(), 3, "the seeds are nobody's");
}

#[tokio::test]
async fn a_host_is_its_port_and_its_subdomain_and_no_other_of_its_site() {
    for [gone, kept, site] in [
        ["127.0.0.1:8001", "127.0.0.1:8002", "127.0.0.1"],
        ["a.shop.example", "b.shop.example", "shop.example"],
    ] {
        let machine = Machine::new();
        machine.shop("run_1", kept).await;
        // A run that only showed a seed says nothing of the host.
        let learned = || {
            let mut lessons = machine.lessons();
            lessons.retain(|lesson| lesson["source"] == "learned");
            lessons
        };
        let before = learned();
        machine.shop("run_2", gone).await;
        machine.says(&["forget", "--host", &format!("https://{gone}"), "--yes"]);
        let after = stored(&machine);
        assert!(!after.contains(gone) && after.contains(kept), "{after}");
        assert_eq!(learned(), before, "what {kept} taught is as it was");
        machine.says(&["forget", "--site", site, "--yes"]);
        assert!(!stored(&machine).contains(kept));
    }
}

#[tokio::test]
async fn everything_is_forgotten_only_on_a_clear_word() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    assert!(machine.refuses(&["forget", "--all"]).contains("--yes"));
    assert_eq!(machine.lessons().len(), 5);
    machine.says(&["forget", "--all", "--yes"]);
    assert_eq!(machine.lessons().len(), 0);
}

#[tokio::test]
async fn nothing_is_taken_away_where_nobody_can_be_asked() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let before = stored(&machine);
    let learned = machine
        .lessons()
        .iter()
        .find(|lesson| lesson["source"] == "learned")
        .unwrap()["name"]
        .as_str()
        .unwrap()
        .to_owned();
    for command in [
        &["forget", &learned][..],
        &["forget", "--host", "https://shop.example"],
        &["forget", "--site", "shop.example"],
        &["undo", "run_1"],
    ] {
        assert!(machine.refuses(command).contains("--yes"), "{command:?}");
    }
    let said = machine.refuses(&["undo", "last"]);
    assert!(
        said.contains("Take back what run run_1 (\"Count the results\", "),
        "{said}"
    );
    // Nobody is asked about what is not there.
    let said = machine.refuses(&["undo", "nope"]);
    assert!(said.contains("nothing is remembered of run nope"), "{said}");
    for what in [["--host", "http://nope"], ["--site", "nope.example"]] {
        let said = machine.refuses(&["forget", what[0], what[1]]);
        assert!(
            said.contains("nothing is known of ") && said.contains("nope"),
            "{said}"
        );
    }
    assert_eq!(stored(&machine), before);
}

#[tokio::test]
async fn a_host_that_cannot_be_is_refused_and_one_nobody_knows_is_not_called_forgotten() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let before = stored(&machine);
    let long = format!("https://{}.example", "a".repeat(64));
    for host in [
        "https://a..b",
        "https://.",
        "https://*.example",
        "https://shop!.example",
        &long,
        "no host",
        "a..b",
        "mailto:a@b.c",
    ] {
        let said = machine.refuses(&["forget", "--host", host, "--yes"]);
        assert!(said.contains("--host"), "{host}: {said}");
    }
    for (flag, name) in [
        ("--host", "other.example"),
        ("--host", "127.0.0.1:9950"),
        ("--site", "other.example"),
    ] {
        let said = machine.refuses(&["forget", flag, name, "--yes"]);
        let told = format!(
            "nothing is known of {name}, so nothing was forgotten: known here: shop.example"
        );
        assert!(said.contains(&told) && !said.contains("--site"), "{said}");
    }
    let said = machine.refuses(&["forget", "--host", "https://www.shop.example", "--yes"]);
    assert!(
        said.contains("known here: shop.example; --site shop.example takes all its ports"),
        "{said}"
    );
    assert_eq!(stored(&machine), before);
}

#[tokio::test]
async fn what_a_run_taught_is_taken_back_on_all_shelves() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let before = machine.lessons();
    machine.shop("run_2", "other.example").await;
    assert!(
        machine
            .says(&["undo", "run_2", "--yes"])
            .contains("Took back what run_2 taught")
    );
    assert_eq!(machine.lessons(), before);
    assert!(
        machine
            .refuses(&["undo", "run_2", "--yes"])
            .contains("nothing is remembered of run run_2")
    );
}

#[tokio::test]
async fn what_another_run_taught_too_is_kept_and_listed() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "shop.example").await;
    let items = |kind: &str| {
        let mut items = machine.json(&["list"])["items"].as_array().unwrap().clone();
        items.retain(|item| item["kind"] == kind);
        items
    };
    let way = items("recipes").remove(0);
    // The steps are those of the first run, and the later ones took them too.
    machine.shop("run_3", "shop.example").await;
    machine.says(&["undo", "run_3", "--yes"]);
    assert_eq!(
        items("recipes")
            .iter()
            .map(|left| (&left["run"], &left["runs"]))
            .collect::<Vec<_>>(),
        [(&json!("run_1"), &json!(["run_1", "run_2"]))]
    );

    let said = machine.says(&["undo", "run_1", "--yes"]);
    let name = way["name"].as_str().unwrap();
    assert!(
        said.contains("Kept, because another run or this program taught it too, but without the part of run_1:\n")
            && said.contains(&format!("    {name}  Count the results\n")),
        "{said}"
    );
    let [left] = &items("recipes")[..] else {
        panic!("the way of run_2 is kept");
    };
    assert_eq!(
        (&left["run"], &left["runs"]),
        (&json!("run_2"), &json!(["run_2"]))
    );
    assert_eq!(items("sessions").len(), 1);

    let said = machine.says(&["undo", "run_2", "--yes"]);
    assert!(!said.contains(name), "{said}");
    assert!(items("recipes").is_empty() && items("sessions").is_empty());
}

#[tokio::test]
async fn a_run_is_taken_back_by_its_beginning_or_as_the_last_one() {
    let machine = Machine::new();
    for run in ["next_3", "run_1a", "run_1b", "run_2"] {
        machine.shop(run, "shop.example").await;
    }
    assert!(
        machine
            .refuses(&["undo", "run_1", "--yes"])
            .contains("could be run_1")
    );
    assert!(
        machine
            .refuses(&["undo", "last"])
            .contains("what run run_2 (")
    );
    assert!(
        machine
            .refuses(&["undo", "next"])
            .contains("what run next_3 (")
    );
    // Without a question, a beginning is not enough.
    assert!(
        machine
            .refuses(&["undo", "next", "--yes"])
            .contains("give the whole id: next_3")
    );
    let undone = |run: &str| machine.says(&["undo", run, "--yes"]);
    assert!(undone("last").starts_with("Took back what run_2 taught (\"Count the results\", "));
    // The last run stays the last one, and no other is taken back in its place.
    let before = stored(&machine);
    let said = machine.refuses(&["undo", "last", "--yes"]);
    let nothing = "nothing is remembered of the last run, run_2 (\"Count the results\", ";
    assert!(
        said.contains(nothing) && said.contains("so nothing was taken back"),
        "{said}"
    );
    assert_eq!(stored(&machine), before);
    assert!(undone("run_1a").starts_with("Took back what run_1a taught"));
    assert!(undone("run_1b").starts_with("Took back what run_1b taught"));
}

#[tokio::test]
async fn memory_moves_to_another_machine_and_loses_nothing() {
    let (here, there) = (Machine::new(), Machine::new());
    here.shop("run_1", "shop.example").await;
    of_another_kind(&here).await;
    let file = there.path("export.json");
    here.says(&["export", "-o", file.to_str().unwrap()]);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        here.refuses(&["export", "-o", file.to_str().unwrap()])
            .contains("not there yet")
    );
    there.says(&["import", file.to_str().unwrap(), "--trust"]);
    assert_eq!(stored(&there), stored(&here));
    let again = there.json(&["import", file.to_str().unwrap(), "--trust"]);
    assert_eq!(
        (&again["changed"], &again["problems"]),
        (&0.into(), &json!([]))
    );
    let problems = &Machine::new().json(&["import", file.to_str().unwrap()])["problems"];
    assert!(
        problems
            .to_string()
            .contains("vouch for the file (--trust)"),
        "{problems}"
    );
}

#[tokio::test]
async fn the_documented_file_comes_in_once() {
    let machine = Machine::new();
    let file = format!(
        "{}/tests/fixtures/memory/version_1.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let done = machine.json(&["import", &file]);
    let told = json!(["lesson 10: its text is shown as far as 300 characters; all of it is kept"]);
    assert_eq!(
        (&done["problems"], &done["taken"], &done["changed"]),
        (&told, &11.into(), &11.into())
    );
    assert_eq!(machine.json(&["import", &file])["changed"], 0);
}

#[test]
fn a_file_that_is_none_is_refused_and_a_bad_lesson_is_told() {
    let machine = Machine::new();
    let bad = machine.write(
        "bad.json",
        &json!({ "version": 1, "lessons": [7, { "lesson": "x", "category": "\u{1b}[1m" }] }),
    );
    let output = machine.run(&["import", &bad]);
    let said = crate::memory_cli::world::text(&output.stderr);
    assert_eq!(
        (output.status.code(), said.lines().count()),
        (Some(0), 2),
        "{said}"
    );
    assert!(
        said.contains("lesson 1: it is not an object") && !said.contains('\u{1b}'),
        "{said}"
    );
    for (name, document, part) in [
        ("a.json", json!([1]), "it is not an object"),
        (
            "b.json",
            json!({ "version": 9, "lessons": [] }),
            "has version 9",
        ),
        (
            "c.json",
            json!({ "format": "webwise-memory", "version": 3, "shelves": [] }),
            "has version 3",
        ),
        (
            "d.json",
            json!({ "format": "other" }),
            "not an export of this program",
        ),
    ] {
        let path = machine.write(name, &document);
        assert!(machine.refuses(&["import", &path]).contains(part), "{name}");
    }
    // Sparse: large to read, small on the disk.
    let large = machine.path("large.json");
    std::fs::File::create(&large)
        .unwrap()
        .set_len(100 * 1_024 * 1_024)
        .unwrap();
    assert!(
        machine
            .refuses(&["import", large.to_str().unwrap()])
            .contains("is too large")
    );
    assert!(
        machine
            .refuses(&["import", "/nowhere.json"])
            .contains("cannot be read")
    );
    assert!(!machine.memory().exists());
}

/// A shelf that another program wrote, of a kind that this one does not know.
async fn of_another_kind(machine: &Machine) {
    let record = Record::new("n1", &json!({ "run": "run_1", "text": "a note" }));
    let edit = Edit::new(move |_| Ok(vec![Change::Put(record.clone())]));
    let shelf = Shelf::global(&Namespace::default(), "notes");
    let store = JsonFiles::open(machine.memory());
    store.update(&shelf, edit).await.unwrap();
}

#[tokio::test]
async fn what_is_of_an_unknown_kind_is_not_taken_for_undone_or_forgotten() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    of_another_kind(&machine).await;
    for args in [
        ["undo", "run_1", "--yes"].as_slice(),
        &["forget", "--host", "https://shop.example", "--yes"],
    ] {
        let output = machine.run(args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(
            said.contains("cannot tell what to take back") && said.contains("notes"),
            "{said}"
        );
        assert!(
            !stored(&machine).contains("shop.example"),
            "the rest is gone"
        );
    }
    assert!(stored(&machine).contains("a note"));
}

#[tokio::test]
async fn a_shelf_that_cannot_be_told_is_named_also_if_nothing_else_is_known_of_the_host() {
    let machine = Machine::new();
    of_another_kind(&machine).await;
    let output = machine.run(&["forget", "--site", "shop.example", "--yes"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot tell") && said.contains("notes"),
        "{said}"
    );
}

#[test]
fn a_site_that_only_an_imported_lesson_names_is_forgotten() {
    let machine = Machine::new();
    let lesson = json!({
        "lesson": "Press Escape.", "category": "best_practice", "failed_command": null, "error_pattern": null,
        "domain": null, "use_count": 3, "created_at": "2026-03-12", "last_used": "2026-05-01",
        "source": "learned", "triggered_domains": ["google.com", "other.example"],
    });
    let file = machine.write("v1.json", &json!({ "version": 1, "lessons": [lesson] }));
    machine.says(&["import", &file]);
    assert!(stored(&machine).contains("google.com"));
    let said = machine.says(&["forget", "--site", "google.com", "--yes"]);
    assert!(said.starts_with("Forgot google.com"), "{said}");
    let left = stored(&machine);
    assert!(
        !left.contains("google.com") && left.contains("other.example"),
        "{left}"
    );
}

#[tokio::test]
async fn a_host_whose_folder_is_gone_is_forgotten_where_it_is_still_named() {
    for host in ["shop.example", "other.example"] {
        let machine = Machine::new();
        machine.shop("run_1", "shop.example").await;
        machine.shop("run_2", "other.example").await;
        // The folders of hosts that are not used for long are removed, and the register forgets old runs. Lessons for all sites stay.
        let folder = machine.memory().join("default");
        std::fs::remove_dir_all(folder.join("domains")).unwrap();
        for file in ["agent-runs.json", "agent-runs.json.bak"] {
            std::fs::remove_file(folder.join(file)).unwrap();
        }
        assert!(stored(&machine).contains(host));
        let said = machine.says(&["forget", "--host", host, "--yes"]);
        assert!(said.starts_with(&format!("Forgot {host}")), "{said}");
        assert!(!stored(&machine).contains(host));
    }
}

#[tokio::test]
async fn an_address_without_a_scheme_means_the_host_by_http_too() {
    let machine = Machine::new();
    machine.shop("run_1", "127.0.0.1:8000").await;
    let folder = machine.memory().join("default");
    let export = machine.path("export.json");
    machine.says(&["export", "-o", export.to_str().unwrap()]);
    let by_http = std::fs::read_to_string(&export)
        .unwrap()
        .replace("\"127.0.0.1:8000\"", "\"http://127.0.0.1:8000\"");
    std::fs::remove_dir_all(folder).unwrap();
    std::fs::write(&export, by_http).unwrap();
    machine.says(&["import", export.to_str().unwrap(), "--trust"]);
    let said = machine.says(&["forget", "--host", "127.0.0.1:8000", "--yes"]);
    assert!(
        said.starts_with("Forgot 127.0.0.1:8000") && !said.contains(" 0 records of its own"),
        "{said}"
    );
    assert!(!stored(&machine).contains("http://127.0.0.1:8000\""));
}

#[tokio::test]
async fn a_file_that_is_no_shelf_of_this_program_stops_nothing() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let folder = machine.memory().join("default");
    std::fs::copy(folder.join("lessons.json"), folder.join("lessons-old.json")).unwrap();
    std::fs::write(folder.join("export.json"), "[]").unwrap();
    assert_eq!(machine.json(&["list"])["damaged"], json!([]));
    stored(&machine);
    machine.says(&["undo", "run_1", "--yes"]);
}

#[tokio::test]
async fn a_damaged_shelf_of_one_host_stops_no_command_on_another() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "other.example").await;
    let shelf = |host: &str| {
        machine
            .memory()
            .join(format!("default/domains/{host}/recipes.json"))
    };
    let break_shelf = |host: &str| {
        std::fs::write(shelf(host), "[]").unwrap();
        let _ = std::fs::remove_file(shelf(host).with_added_extension("bak"));
    };
    break_shelf("other.example");
    machine.says(&["forget", "--host", "https://shop.example", "--yes"]);
    assert!(!shelf("shop.example").exists());
    let output = machine.run(&["export"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("the export is incomplete") && said.contains("other.example"),
        "{said}"
    );
    let exported: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        exported.to_string().contains("run_2"),
        "what can be read is exported"
    );
    let output = machine.run(&["undo", "run_2", "--yes"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot be read and stays as it is") && !said.contains("records changed: 0"),
        "{said}"
    );
    // The damaged shelf of a host that is forgotten goes with the host.
    let said = machine.says(&["forget", "--host", "https://other.example", "--yes"]);
    assert!(
        said.contains("1 file could not be read and was deleted"),
        "{said}"
    );
    assert!(!shelf("other.example").exists());
}

#[tokio::test]
async fn a_file_that_the_system_refuses_to_read_is_named_and_the_others_are_listed() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    machine.shop("run_2", "other.example").await;
    let file = "default/domains/other.example/recipes.json";
    let path = machine.memory().join(file);
    std::fs::rename(&path, path.with_added_extension("bak")).unwrap();
    // A folder is no file to anyone, whereas a file without rights could still be read by root.
    std::fs::create_dir(&path).unwrap();
    let listed = machine.lists_the_rest("1 file");
    let named = format!(
        "default/recipes@other.example cannot be read ({file} is not a file). Make it a file that this user can read.\n"
    );
    assert!(listed.contains(&named), "{listed}");
    assert!(listed.contains("@shop.example"), "{listed}");
    let output = machine.run(&["undo", "run_2", "--yes"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let advice = "Make it a file that this user can read, and give the command again";
    assert!(said.contains(advice) && said.contains(file), "{said}");
    assert!(!said.contains("delete it"), "{said}");
}

#[tokio::test]
async fn everything_is_forgotten_with_what_cannot_be_read() {
    let machine = Machine::new();
    machine.shop("run_1", "shop.example").await;
    let lessons = machine.memory().join("default/lessons.json");
    std::fs::write(&lessons, "{broken").unwrap();
    let _ = std::fs::remove_file(lessons.with_added_extension("bak"));
    machine.says(&["forget", "--all", "--yes"]);
    assert!(!lessons.exists());
    assert_eq!(machine.json(&["list"])["items"], json!([]));
}
