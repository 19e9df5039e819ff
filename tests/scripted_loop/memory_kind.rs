//! A kind of memory that this crate does not know: a fact a host, as the model remembered it. Nothing in the crate is
//! made for it, and it reaches the prompt, the events, and everything that a person can do with memory.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use webwise::{
    DecisionLoop, ErrorKind, Host, Result, RunId, Site, Task, Trust,
    action::{Action, AgentAction},
    event::EventKind,
    memory::{
        Advice, AdviceId, Change, Committed, Cue, Described, Edit, Index, Lasts, MemoryKind,
        Moment, Namespace, Note, Occasion, Origin, Record, RunLog, Scope, Section, Shelf,
        ShelfEdit, Standing, apply, archive, kinds,
    },
    report::explain::{StatusChange, explain},
    store::{InMemory, Memory, MemoryBackend as _},
    testing::{Recorder, ScriptedBrowser, ScriptedModel, call},
};

const NOTES: &str = "notes";
const SHOP: &str = "https://shop.example/";
const FACT: &str = "Delivery costs 4 euros. It takes two days.";
/// The section of the notes, with a line for each sentence.
const SECTION: Section = Section::custom("Notes for this site", 40, Lasts::Page);
/// The notes of the fact, as the model reads them.
const SHOWN: &str = "\n## Notes for this site\n- Delivery costs 4 euros.\n  It takes two days.\n";

/// What the model remembers about a host, shown on it in a section of its own once a person accepted it.
#[derive(Debug)]
struct Notes;

impl MemoryKind for Notes {
    fn name(&self) -> &'static str {
        NOTES
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        None
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        match moment.cue {
            Cue::PageShown { host, .. } => vec![Shelf::host(namespace, NOTES, host)],
            _ => Vec::new(),
        }
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(Accepted(shelf.clone(), records.to_vec()))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        5
    }

    fn distill(&self, log: &RunLog) -> Option<Value> {
        let facts: Vec<Value> = log
            .steps
            .iter()
            .filter_map(|step| match &step.action {
                Action::Agent(AgentAction::Remember(fact)) if step.outcome.is_done() => {
                    Some(json!({ "host": step.before.host(), "key": fact.key, "text": fact.value }))
                }
                _ => None,
            })
            .collect();
        (!facts.is_empty()).then(|| json!({ "run": log.run, "facts": facts }))
    }

    fn learn(&self, namespace: &Namespace, distilled: &Value) -> Result<Vec<ShelfEdit>> {
        let run = &distilled["run"];
        let facts = distilled["facts"].as_array().into_iter().flatten();
        let edit = |fact: &Value| {
            let host: Host = serde_json::from_value(fact["host"].clone()).ok()?;
            let key = fact["key"].as_str()?;
            let body = json!({ "text": fact["text"], "run": run, "accepted": false });
            let record = Record::new(key, &body);
            Some(ShelfEdit {
                shelf: Shelf::host(namespace, NOTES, &host),
                edit: Edit::new(move |_| Ok(vec![Change::Put(record.clone())])),
            })
        };
        Ok(facts.filter_map(edit).collect())
    }

    fn describe(&self, record: &Record) -> Result<Described> {
        let Some(text) = record.body["text"].as_str() else {
            return Err(webwise::Error::new(ErrorKind::Corrupt, "notes.describe"));
        };
        let (origin, standing) = if record.body["accepted"] == true {
            (Origin::Person, Standing::Shown)
        } else {
            (Origin::Learned, Standing::WaitsForReview)
        };
        let mut described = Described::new(text, origin, standing);
        described.is.push_str("note");
        Ok(described)
    }

    fn accept(&self, key: &str, shown: &str, _: DateTime<Utc>) -> Result<Edit> {
        let (key, shown) = (key.to_owned(), shown.to_owned());
        Ok(Edit::new(move |records: &[Record]| {
            let said = records.iter().find(|record| record.key == key);
            let Some(record) = said.filter(|record| record.body["text"] == shown) else {
                return Err(webwise::Error::new(ErrorKind::InvalidInput, "notes.accept")
                    .with("why", "it says something else now"));
            };
            let mut body = record.body.clone();
            body["accepted"] = json!(true);
            Ok(vec![Change::Put(Record::new(key.clone(), &body))])
        }))
    }

    fn admit(&self, record: &Record, vouched: bool) -> Result<Record> {
        let mut body = record.body.clone();
        body["accepted"] = json!(vouched && body["accepted"] == true);
        Ok(Record::new(record.key.clone(), &body))
    }

    fn undo(&self, run: &RunId) -> Result<Edit> {
        let run = run.clone();
        Ok(Edit::new(move |records: &[Record]| {
            let of_run = records.iter().filter(|r| r.body["run"] == run.as_str());
            Ok(of_run.map(|r| Change::Remove(r.key.clone())).collect())
        }))
    }

    fn forget(&self, _: &Site, _: Option<&Host>) -> Result<Edit> {
        Ok(Edit::new(|_| Ok(Vec::new())))
    }

    fn notes(
        &self,
        _: Occasion,
        shelf: &Shelf,
        _: &RunId,
        committed: &Committed,
        _: usize,
    ) -> Vec<Note> {
        let put = committed.changes.iter().filter_map(|change| match change {
            Change::Put(record) => Some(Note::Changed {
                id: AdviceId {
                    shelf: shelf.clone(),
                    key: record.key.clone(),
                },
                what: "noted".to_owned(),
                text: record.body["text"].as_str()?.to_owned(),
                data: Value::Null,
            }),
            Change::Remove(_) => None,
        });
        put.collect()
    }
}

/// The notes of a host.
#[derive(Debug)]
struct Accepted(Shelf, Vec<Record>);

impl Index for Accepted {
    fn advise(&self, _: &Moment<'_>, _: bool) -> Vec<Advice> {
        let accepted = self.1.iter().filter(|r| r.body["accepted"] == true);
        let advice = accepted.filter_map(|record| {
            let id = AdviceId {
                shelf: self.0.clone(),
                key: record.key.clone(),
            };
            let sentences = record.body["text"].as_str()?.split_inclusive(". ");
            let lines = sentences.map(|sentence| [sentence.trim().into()]);
            Advice::with_lines(id, lines, Trust::User, SECTION)
        });
        advice.collect()
    }
}

/// A kind that keeps nothing, and says how much of another kind is known about a host.
#[derive(Debug)]
struct Counts;

impl MemoryKind for Counts {
    fn name(&self) -> &'static str {
        "counts"
    }

    fn upkeep(&self, _: &Shelf, _: &[Record], _: DateTime<Utc>) -> Option<Edit> {
        Some(Edit::new(|_| {
            panic!("a shelf of another kind is not kept up")
        }))
    }

    fn wants(&self, namespace: &Namespace, moment: &Moment<'_>) -> Vec<Shelf> {
        Notes.wants(namespace, moment)
    }

    fn index(&self, shelf: &Shelf, records: &[Record]) -> Arc<dyn Index> {
        Arc::new(Count(shelf.clone(), records.len()))
    }

    fn limit(&self, _: &Moment<'_>) -> usize {
        1
    }

    fn distill(&self, _: &RunLog) -> Option<Value> {
        None
    }

    fn learn(&self, _: &Namespace, _: &Value) -> Result<Vec<ShelfEdit>> {
        Ok(Vec::new())
    }

    fn notes(&self, _: Occasion, _: &Shelf, _: &RunId, _: &Committed, _: usize) -> Vec<Note> {
        Vec::new()
    }
}

#[derive(Debug)]
struct Count(Shelf, usize);

impl Index for Count {
    fn advise(&self, _: &Moment<'_>, _: bool) -> Vec<Advice> {
        let id = AdviceId {
            shelf: self.0.clone(),
            key: "count".to_owned(),
        };
        let text = format!("Notes about this site: {}.", self.1);
        Advice::new(id, &text, Trust::Code, Section::SiteTips)
            .into_iter()
            .collect()
    }
}

#[tokio::test]
async fn two_kinds_read_one_shelf_each_in_its_own_way() {
    let store = InMemory::new();
    run(&store, "run_1", true).await;
    let keeper = keeper(&store);
    let read = keeper.items().await.unwrap();
    let note = read.find("delivery").unwrap();
    keeper.accept(note, Utc::now()).await.unwrap();
    let kinds: [Vec<Arc<dyn MemoryKind>>; 2] = [
        vec![Arc::new(Notes), Arc::new(Counts)],
        vec![Arc::new(Counts), Arc::new(Notes)],
    ];
    for kinds in kinds {
        let (messages, _) = run_with(&store, kinds, "run_2", false).await;
        let count = "\n## Tips for this site: try them first\n- Notes about this site: 1.\n";
        assert!(messages[0].contains(SHOWN), "{}", messages[0]);
        assert!(messages[0].contains(count), "{}", messages[0]);
    }
}

fn all_kinds() -> Vec<Arc<dyn MemoryKind>> {
    let mut all = kinds();
    all.push(Arc::new(Notes));
    all
}

fn keeper(store: &InMemory) -> Memory<&InMemory> {
    Memory::new(store, Namespace::default()).with_kinds(all_kinds())
}

/// A run on the shop that remembers the fact if it is told to; returns what the model read and the events.
async fn run(store: &InMemory, id: &str, remembers: bool) -> (Vec<String>, Recorder) {
    run_with(store, all_kinds(), id, remembers).await
}

async fn run_with(
    store: &InMemory,
    kinds: Vec<Arc<dyn MemoryKind>>,
    id: &str,
    remembers: bool,
) -> (Vec<String>, Recorder) {
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", "button \"Buy\" e1");
    let remember = call("remember", json!({ "key": "delivery", "value": FACT }));
    let give_up = call("finish", json!({ "answer": "no", "success": false }));
    let replies = remembers.then_some(remember).into_iter().chain([give_up]);
    let model = ScriptedModel::new(replies);
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
        .with_kinds(kinds)
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = Task::new("Look around")
        .unwrap()
        .with_start_url(SHOP)
        .unwrap()
        .with_run_id(RunId::parse(id).unwrap());
    agent.run(task).await;
    let messages = model.requests().into_iter().map(|r| r.message).collect();
    (messages, recorder)
}

/// The notes, each with its standing.
async fn listed(store: &InMemory) -> Vec<(String, String, Standing)> {
    let read = keeper(store).items().await.unwrap();
    assert_eq!((read.unreadable, read.unknown), (0, Vec::new()));
    let notes = read.items.into_iter();
    notes
        .filter(|item| item.shelf.collection == NOTES)
        .map(|item| (item.name(), item.described.text, item.described.standing))
        .collect()
}

#[tokio::test]
async fn what_a_run_remembers_waits_and_what_a_person_accepts_is_shown_in_a_section_of_its_own() {
    let store = InMemory::new();
    let (_, recorder) = run(&store, "run_1", true).await;
    let noted = recorder
        .events()
        .into_iter()
        .find_map(|event| match event.kind {
            EventKind::MemoryChanged {
                item, what, text, ..
            } if item.shelf.collection == NOTES => Some((item, what, text)),
            _ => None,
        });
    let (item, what, text) = noted.expect("the kind's own event");
    assert_eq!((&*item.key, &*what, &*text), ("delivery", "noted", FACT));
    let told = explain(&recorder.events());
    let of_note = told.iter().find(|one| one.id == item).expect("explained");
    assert_eq!(of_note.became, [StatusChange::Changed("noted".to_owned())]);

    let name = "delivery@shop.example".to_owned();
    let waiting = (name.clone(), FACT.to_owned(), Standing::WaitsForReview);
    assert_eq!(listed(&store).await, [waiting]);
    let (messages, _) = run(&store, "run_2", false).await;
    assert!(!messages[0].contains("Delivery"), "{}", messages[0]);

    let keeper = keeper(&store);
    let read = keeper.items().await.unwrap();
    let note = read.find("delivery").unwrap();
    keeper.accept(note, Utc::now()).await.unwrap();
    assert_eq!(listed(&store).await[0].2, Standing::Shown);
    let (messages, recorder) = run(&store, "run_3", false).await;
    assert!(messages[0].contains(SHOWN), "{}", messages[0]);
    let told = explain(&recorder.events());
    let of_note = told.iter().find(|one| one.id == item).expect("explained");
    assert!(!of_note.recalled.is_empty());
}

#[tokio::test]
async fn a_note_is_undone_and_forgotten_and_a_changed_one_is_not_accepted() {
    let store = InMemory::new();
    run(&store, "run_1", true).await;
    // Also the lessons that were shown in the run lose that count.
    let run_1 = RunId::parse("run_1").unwrap();
    assert!(keeper(&store).undo(&run_1).await.unwrap().removed >= 1);
    assert_eq!(listed(&store).await, []);

    run(&store, "run_2", true).await;
    let read = keeper(&store).items().await.unwrap();
    let note = read.find("delivery").unwrap();
    let other = json!({ "text": "Delivery is free.", "run": "run_9", "accepted": false });
    let other = Record::new("delivery", &other);
    let edit = Edit::new(move |_| Ok(vec![Change::Put(other.clone())]));
    store.update(&note.shelf, edit).await.unwrap();
    let refused = keeper(&store).accept(note, Utc::now()).await.unwrap_err();
    assert_eq!(refused.said("why"), Some("it says something else now"));
    keeper(&store).forget(note).await.unwrap();
    assert_eq!(listed(&store).await, []);

    run(&store, "run_3", true).await;
    let host = Host::of_domain("shop.example").unwrap();
    let forgotten = keeper(&store).forget_host(&host).await.unwrap();
    assert!(forgotten.own >= 1);
    assert_eq!(listed(&store).await, []);
}

#[tokio::test]
async fn notes_move_to_another_store_and_wait_there_unless_vouched_for() {
    let store = InMemory::new();
    run(&store, "run_1", true).await;
    let from = keeper(&store);
    let read = from.items().await.unwrap();
    from.accept(read.find("delivery").unwrap(), Utc::now())
        .await
        .unwrap();
    let written = archive::export(&from.read(None).await.unwrap()).unwrap();
    let archive = archive::parse(written.as_bytes()).unwrap();
    for (vouched, standing) in [(false, Standing::WaitsForReview), (true, Standing::Shown)] {
        let other = InMemory::new();
        let to = keeper(&other);
        let done = archive::import(&archive, to.kinds(), None, vouched);
        // The crate's own kind of facts keeps the same words. Nobody accepted them there, so they wait in any case. The run's
        // session waits like the note.
        let waiting = 1 + 2 * usize::from(!vouched);
        assert_eq!(done.waiting, waiting, "{:?}", done.problems);
        to.apply(done.edits).await.unwrap();
        assert_eq!(listed(&other).await[0].2, standing);
    }
    // Without its kind, a shelf is known to be there, and is not taken for anything else.
    let other = InMemory::new();
    let without = Memory::new(&other, Namespace::default());
    let done = archive::import(&archive, without.kinds(), None, false);
    assert!(
        done.problems[0].contains("no memory that a person can review here"),
        "{:?}",
        done.problems
    );
    let unknown = Memory::new(&store, Namespace::default())
        .items()
        .await
        .unwrap()
        .unknown;
    let scopes: Vec<&Scope> = unknown.iter().map(|shelf| &shelf.scope).collect();
    assert_eq!(
        scopes,
        [&Scope::Host(Host::of_domain("shop.example").unwrap())]
    );
    assert_eq!(unknown[0].collection, NOTES);
    let keeper = Memory::new(&store, Namespace::default());
    let error = keeper
        .undo(&RunId::parse("run_1").unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error
            .said("shelves")
            .is_some_and(|left| left.contains(NOTES))
    );
    let records = store.load(&unknown[0]).await.unwrap().records;
    assert_eq!(apply(&records, &[]).len(), 1, "it stays as it is");
}
