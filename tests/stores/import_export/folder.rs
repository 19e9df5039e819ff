//! The import of the documented folder `.agent-memory/`.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use webwise::{
    ErrorKind, Host,
    action::BrowserAction,
    memory::{
        MAX_RECORD_BYTES, Namespace, Record, Shelf, Standing, agent_memory,
        archive::{self, Archive},
        kinds,
        knowledge::Fact,
        recipe::{Given, Left, Recipe},
        session::Session,
    },
};

use crate::import_export::{
    memory::{Memory, now},
    profile::pick,
};

const WWW: &str = "domains/www.example.com";

type Files = BTreeMap<String, Vec<u8>>;

fn fixture() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/memory/agent-memory");
    let (mut files, mut dirs) = (Files::new(), vec![root.clone()]);
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                dirs.push(path);
            } else {
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                files.insert(name.to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    assert_eq!(files.len(), 9);
    files
}

fn read(files: &Files) -> Archive {
    let folder = agent_memory::parse(files).unwrap();
    agent_memory::archive(&folder, &kinds(), &Namespace::default(), now())
}

/// Imports into a memory, and says how many records changed and how many wait.
fn import(memory: &mut Memory, archive: &Archive, trust: bool) -> (usize, usize) {
    let done = archive::import(archive, &kinds(), None, trust);
    let mut changed = 0;
    for edit in &done.edits {
        let records = memory.0.entry(edit.shelf.clone()).or_default();
        let changes = edit.edit.changes(records).unwrap();
        changed += changes.len();
        *records = webwise::memory::apply(records, &changes);
    }
    (changed, done.waiting)
}

/// The shelf that keeps what the folder tells of its host. Recipes and sessions are kept for all hosts of the site.
fn shelf(collection: &str) -> Shelf {
    let host = match collection {
        "recipes" | "sessions" => "example.com",
        _ => "www.example.com",
    };
    let host = Host::of_domain(host).unwrap();
    Shelf::host(&Namespace::default(), collection, &host)
}

fn of<'a>(shelves: &'a [(Shelf, Vec<Record>)], collection: &str) -> &'a [Record] {
    let found = shelves
        .iter()
        .find(|(known, _)| *known == shelf(collection));
    &found.unwrap().1
}

fn everything(shelves: &[(Shelf, Vec<Record>)]) -> String {
    archive::export(shelves).unwrap()
}

#[test]
fn every_kind_takes_its_items_and_what_cannot_be_kept_is_told() {
    let archive = read(&fixture());
    let counts: Vec<(String, usize)> = archive
        .shelves
        .iter()
        .map(|(shelf, records)| (shelf.to_string(), records.len()))
        .collect();
    let expected = [
        ("default/lessons", 1),
        ("default/knowledge@http://localhost:5173", 1),
        ("default/knowledge@www.example.com", 3),
        ("default/sessions@example.com", 2),
        // Three headers, with three, three and four steps.
        ("default/recipes@example.com", 13),
        ("default/selectors@www.example.com", 2),
    ];
    assert_eq!(counts, expected.map(|(shelf, n)| (shelf.to_owned(), n)));
    let parts = [
        "fact 4: left out: it names a reference",
        "fact 5: another fact has the same key",
        "fact 6: left out: unknown variant `rumour`",
        "session 2: it ended on another host",
        "2 elements left out: no test id",
        "1 suite in runs is left out",
    ];
    assert_eq!(
        archive.problems.len(),
        parts.len(),
        "{:#?}",
        archive.problems
    );
    for (problem, part) in archive.problems.iter().zip(parts) {
        assert!(problem.contains(part), "{problem}: {part}");
    }
}

#[test]
fn an_answer_is_kept_only_with_an_address_of_its_host() {
    let long = "x".repeat(250);
    let told = |id: &str, url: Option<String>| {
        let mut session = json!({
            "id": id, "goal": id, "outcome": format!("Answer {id}"), "success": true, "timestamp": now()
        });
        if let Some(url) = url {
            session["finalUrl"] = json!(url);
        }
        session
    };
    let sessions = [
        told("long", Some(format!("https://evil.example/{long}"))),
        told("none", None),
        told("data", Some("data:text/html,x".to_owned())),
        told("own", Some(format!("https://www.example.com/{long}"))),
    ];
    let mut files = fixture();
    let knowledge = json!({ "domain": "www.example.com", "facts": [], "sessions": sessions });
    files.insert(
        format!("{WWW}/knowledge.json"),
        knowledge.to_string().into_bytes(),
    );
    let archive = read(&files);
    let mut kept: Vec<(String, Option<String>)> = of(&archive.shelves, "sessions")
        .iter()
        .map(|record| Session::from_record(record).unwrap())
        .map(|session| (session.goal, session.outcome))
        .collect();
    kept.sort();
    let expected = [
        ("data", None),
        ("long", None),
        ("none", None),
        ("own", Some("Answer own".to_owned())),
    ];
    assert_eq!(
        kept,
        expected.map(|(goal, answer)| (goal.to_owned(), answer))
    );
    let lost = archive.problems.iter();
    let lost = lost.filter(|problem| problem.contains("answer and address are left out"));
    assert_eq!(lost.count(), 3, "{:?}", archive.problems);
}

/// The recipe of a folder with this recorded run alone, and what is told of it.
fn way(way: &Value) -> (Option<Recipe>, Vec<String>) {
    let mut files = fixture();
    files.retain(|path, _| !path.contains("/trajectories/"));
    files.insert(
        format!("{WWW}/trajectories/traj_1.json"),
        way.to_string().into_bytes(),
    );
    let archive = read(&files);
    let mut shelves = archive.shelves.iter();
    let kept = shelves.find(|(known, _)| *known == shelf("recipes"));
    let recipe = kept.map(|(_, records)| Recipe::all(records).remove(0).1);
    let told = archive.problems.into_iter();
    (
        recipe,
        told.filter(|problem| problem.contains("traj_1.json"))
            .collect(),
    )
}

fn recorded(origin: &str, steps: &Value) -> Value {
    json!({ "goal": "Send the form", "origin": origin, "success": true, "timestamp": now(), "steps": steps })
}

#[test]
fn a_run_of_another_host_is_left_out_whatever_its_steps_say() {
    let click = json!({ "action": "click", "selector": "button \"Send\"" });
    let steps = json!([{ "url": "https://www.example.com/", "action": click }]);
    let (kept, told) = way(&recorded("https://www.example.com", &steps));
    assert!(kept.is_some() && told.is_empty(), "{told:?}");
    for other in ["https://evil.example", "nowhere"] {
        let (kept, told) = way(&recorded(other, &steps));
        assert!(kept.is_none(), "{other}");
        assert!(told[0].contains("left out: its origin"), "{told:?}");
    }
}

#[test]
fn a_run_without_a_page_is_left_out_because_no_host_would_show_it() {
    let click = json!({ "action": "click", "selector": "button \"Send\"" });
    let steps = json!([{ "action": click }]);
    let (kept, told) = way(&recorded("https://www.example.com", &steps));
    assert!(kept.is_none());
    assert!(
        told[0].contains("none of its steps names its page"),
        "{told:?}"
    );
}

#[test]
fn the_hosts_of_a_site_share_the_shelf_of_its_recipes() {
    let mut files = fixture();
    let ways: Vec<(String, Vec<u8>)> = files
        .iter()
        .filter(|(path, _)| path.starts_with(WWW) && path.contains("/trajectories/"))
        .map(|(path, bytes)| {
            let told = String::from_utf8(bytes.clone()).unwrap();
            let [path, told] = [path, &told].map(|text| text.replace("www.", "app."));
            (path, told.into_bytes())
        })
        .collect();
    files.extend(ways);
    let archive = read(&files);
    let shelves = archive.shelves.iter();
    let shelves = shelves.filter(|(shelf, _)| shelf.collection == "recipes");
    let [(_, records)] = &shelves.collect::<Vec<_>>()[..] else {
        panic!("one shelf: {:?}", archive.shelves);
    };
    assert_eq!(Recipe::all(records).len(), 6, "{:?}", archive.problems);
    let mut memory = Memory::default();
    import(&mut memory, &archive, true);
    assert_eq!(memory.0[&shelf("recipes")].len(), records.len());
}

#[test]
fn confidence_sources_and_days_are_kept_and_references_and_typed_texts_are_not() {
    let archive = read(&fixture());
    let facts: Vec<Fact> = of(&archive.shelves, "knowledge")
        .iter()
        .map(|record| Fact::from_record(record).unwrap())
        .collect();
    let mut told: Vec<(f64, u64, String)> = facts
        .iter()
        .map(|fact| {
            let confidence = fact.slot().unwrap().value.confidence;
            (confidence, fact.runs(), fact.last_seen.to_rfc3339())
        })
        .collect();
    told.sort_by(|a, b| a.0.total_cmp(&b.0));
    let day = |day: &str| format!("2026-03-{day}+00:00");
    assert_eq!(
        told,
        [
            (0.6, 1, day("09T08:30:00")),
            (0.68, 2, day("10T12:00:00")),
            (0.8, 3, day("10T12:00:00"))
        ]
    );

    let ways = Recipe::all(of(&archive.shelves, "recipes"));
    let find = |goal: &str| {
        let mut ways = ways.iter().map(|(_, way)| way);
        ways.find(|way| way.header.goal.starts_with(goal)).unwrap()
    };
    let way = find("Search");
    let tools: Vec<&str> = way.steps.iter().map(|step| step.tool.as_str()).collect();
    assert_eq!(tools, ["fill", "click", "fill", "goto"]);
    let slots: Vec<(usize, &str, Option<&str>)> = way
        .slots()
        .map(|(at, slot)| {
            let goal = &way.header.goal;
            (at, &*slot.name, slot.at.map(|(from, to)| &goal[from..to]))
        })
        .collect();
    assert_eq!(
        slots,
        [(0, "search", Some("smart watch")), (2, "your_name", None)],
        "a typed text is a slot, also if the goal does not contain it"
    );
    let Some(BrowserAction::Fill(fill)) = &way.steps[0].form else {
        panic!("it fills: {way:?}");
    };
    assert!(fill.submit, "Enter followed");
    assert!(matches!(&way.steps[2].text, Some(Given::Slot(slot)) if slot.default.is_none()));
    let target = &way.steps[0].targets[0];
    assert_eq!(
        (target.role.as_str(), &*target.name),
        ("searchbox", "Search")
    );
    let leads_to = way.steps[0].leads_to.as_ref().unwrap();
    assert_eq!(leads_to.path(), "/results");
    // The model takes the steps itself whose target is a reference of one load of a page.
    let left = |goal: &str| -> Vec<Option<Left>> {
        let steps = find(goal).steps.iter();
        steps.map(|step| step.left).collect()
    };
    assert_eq!(left("Search"), [None; 4]);
    assert_eq!(
        left("Open"),
        [Some(Left::Unnamed), Some(Left::Unnamed), None]
    );
    assert!(ways.iter().all(|(_, way)| !way.header.own));

    let all = everything(&archive.shelves);
    for gone in [
        "@s3f51",
        "@b39a5",
        "@l0a11",
        "@b51c2",
        "Ada L.",
        "token=x",
        "login.example.net",
        "partner",
    ] {
        assert!(!all.contains(gone), "{gone}");
    }
}

#[test]
fn everything_waits_for_a_person_unless_the_person_vouches_for_the_folder() {
    let archive = read(&fixture());
    let standings = |memory: &Memory| {
        let mut all = Vec::new();
        for (shelf, records) in &memory.0 {
            let kind = kinds();
            let kind = kind.iter().find(|kind| kind.name() == shelf.collection);
            let kind = kind.unwrap();
            let items = records
                .iter()
                .filter(|record| kind.item(&record.key) == record.key);
            all.extend(items.map(|record| kind.describe(record).unwrap().standing));
        }
        all
    };
    let mut memory = Memory::default();
    let (changed, waiting) = import(&mut memory, &archive, false);
    assert_eq!((changed, waiting), (22, 12));
    assert_eq!(standings(&memory), [Standing::WaitsForReview; 12]);
    assert_eq!(import(&mut memory, &archive, false).0, 0, "nothing twice");

    let mut memory = Memory::default();
    assert_eq!(import(&mut memory, &archive, true), (22, 0));
    assert!(!standings(&memory).contains(&Standing::WaitsForReview));
    assert_eq!(import(&mut memory, &archive, true).0, 0, "nothing twice");
}

/// Every value of a document replaced by each of these, one at a time.
fn replaced(document: &Value) -> Vec<Value> {
    let values = [
        json!(null),
        json!(7),
        json!(-1e300),
        json!("x\u{202e}\n@s3f51"),
        json!("w".repeat(10_000)),
        json!([]),
        json!({ "a": [1] }),
    ];
    let mut paths = vec![(String::new(), document)];
    let mut at = 0;
    while at < paths.len() {
        let (path, value) = paths[at].clone();
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    paths.push((format!("{path}/{key}"), value));
                }
            }
            Value::Array(items) => {
                for (n, value) in items.iter().enumerate() {
                    paths.push((format!("{path}/{n}"), value));
                }
            }
            _ => {}
        }
        at += 1;
    }
    let mut out = Vec::new();
    for (path, _) in &paths {
        for value in &values {
            let mut changed = document.clone();
            *changed.pointer_mut(path).unwrap() = value.clone();
            out.push(changed);
        }
    }
    out
}

#[test]
fn a_damaged_folder_is_an_error_that_names_the_file_or_stays_within_bounds() {
    let whole = fixture();
    let (mut cases, mut refused) = (0, 0);
    let mut check = |files: &Files, changed: &str| {
        cases += 1;
        let folder = match agent_memory::parse(files) {
            Ok(folder) => folder,
            Err(error) => {
                refused += 1;
                assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error:?}");
                let file = error.said("file").unwrap();
                assert!(changed.starts_with(file), "{file}: {changed}");
                return;
            }
        };
        let archive = agent_memory::archive(&folder, &kinds(), &Namespace::default(), now());
        for problem in &archive.problems {
            let is_short = problem.len() < 400;
            let is_clean = !problem.chars().any(webwise::base::text::is_deceptive);
            assert!(is_short && is_clean, "{problem:?}");
        }
        assert!(!everything(&archive.shelves).contains("@s3f51"));
        for trust in [false, true] {
            let mut memory = Memory::default();
            import(&mut memory, &archive, trust);
            for record in memory.0.values().flatten() {
                assert!(record.size() <= MAX_RECORD_BYTES, "{}", record.key);
            }
        }
    };
    for (path, bytes) in whole.iter().filter(|(path, _)| agent_memory::is_read(path)) {
        let document: Value = serde_json::from_slice(bytes).unwrap();
        let all = replaced(&document);
        for changed in all.iter().step_by(pick(7, 1)) {
            let mut files = whole.clone();
            files.insert(path.clone(), changed.to_string().into_bytes());
            check(&files, path);
        }
        for end in (0..bytes.len() - 2).step_by(pick(97, 7)) {
            let mut files = whole.clone();
            files.insert(path.clone(), bytes[..end].to_vec());
            check(&files, path);
        }
    }
    assert!(refused > 0 && refused < cases, "{refused} of {cases}");
    figure!("import_export: {cases} damaged folders, {refused} refused");
}

#[test]
fn who_vouches_later_gets_what_who_vouches_at_once_gets() {
    let archive = read(&fixture());
    let (mut at_once, mut later) = (Memory::default(), Memory::default());
    import(&mut at_once, &archive, true);
    let (_, waiting) = import(&mut later, &archive, false);
    assert!(waiting > 0);
    // A run here has used them while they waited.
    for record in later.0.get_mut(&shelf("selectors")).unwrap() {
        record.body["last_used"] = json!("2027-01-01T00:00:00Z");
    }
    import(&mut later, &archive, true);
    assert_eq!(later, at_once);
    assert_eq!(import(&mut later, &archive, true).0, 0);
    import(&mut later, &archive, false);
    assert_eq!(later, at_once, "nothing waits again");
}
