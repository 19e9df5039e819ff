//! Tests that every event reads back as it was written.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::{
    action::{
        AgentAction, BrowserAction, CustomCall, ErrorClass, Failure, Fill, Find, Goto, RawCall,
        Target,
    },
    chat::Usage,
    guard::Money,
    memory::{Change, Durable, Namespace, Record, StoreNoticeKind},
    page::{
        Dialog, DialogKind, ElementRef, Node, PageHead, Role, Tab, Tree, ViewOptions, interpret,
    },
    working::{BudgetKind, StopReason},
};

/// Returns a number for each variant. With a new variant, this function does not compile until the variant is listed
/// here. The test then fails until the variant has a sample.
const fn number(kind: &EventKind) -> usize {
    match kind {
        EventKind::RunStarted { .. } => 0,
        EventKind::Observed { .. } => 1,
        EventKind::Interpreted { .. } => 2,
        EventKind::Tier1Loaded { .. } => 3,
        EventKind::ErrorRecall { .. } => 4,
        EventKind::DomainRecall { .. } => 5,
        EventKind::ModelAsked { .. } => 6,
        EventKind::ModelReplied { .. } => 7,
        EventKind::ModelFailed { .. } => 8,
        EventKind::CallRefused { .. } => 9,
        EventKind::CallsDropped { .. } => 10,
        EventKind::Warned { .. } => 11,
        EventKind::ApprovalDecided { .. } => 12,
        EventKind::ActionStarted { .. } => 13,
        EventKind::ActionExecuted { .. } => 14,
        EventKind::PictureTaken { .. } => 15,
        EventKind::Extracted { .. } => 16,
        EventKind::BrowserNoticed { .. } => 17,
        EventKind::FinishChecked { .. } => 18,
        EventKind::HumanAsked { .. } => 19,
        EventKind::FactProposed { .. } => 20,
        EventKind::MemoryUpdated { .. } => 21,
        EventKind::MemoryFailed { .. } => 22,
        EventKind::RunEnded { .. } => 23,
        EventKind::RecordingFailed { .. } => 24,
        EventKind::LessonRecorded { .. } => 25,
        EventKind::LessonDeduplicated { .. } => 26,
        EventKind::LessonPromoted { .. } => 27,
        EventKind::LessonRetired { .. } => 28,
        EventKind::LessonCredited { .. } => 29,
        EventKind::LessonsPruned { .. } => 30,
        EventKind::StoreNoticed { .. } => 31,
        EventKind::LessonDemoted { .. } => 32,
        EventKind::LessonsCompacted { .. } => 33,
        EventKind::MemoryChanged { .. } => 34,
        EventKind::RunResumed {} => 35,
        EventKind::AdviceWithheld { .. } => 36,
        EventKind::StepReplayed { .. } => 37,
        EventKind::ResultShortened { .. } => 38,
        EventKind::Given { .. } => 39,
        EventKind::Instructed { .. } => 40,
    }
}
const VARIANTS: usize = 41;

fn text(text: &str) -> String {
    text.to_owned()
}

fn goto() -> Action {
    Action::Browser(BrowserAction::Goto(Goto {
        url: text("https://shop.example/"),
    }))
}

fn fill() -> Action {
    let target = Target::parse("e2").unwrap();
    Action::Browser(BrowserAction::Fill(Fill {
        target,
        text: "<secret:PASSWORD>".into(),
        submit: true,
    }))
}

fn observation() -> Observation {
    let mut b = Tree::builder();
    b.open(Node::new(Role::Main, ""));
    b.leaf(
        Node::new(Role::TextBox, "User \"name\"\n")
            .with_ref(ElementRef::parse("e2").unwrap())
            .with_value("anna"),
    );
    b.leaf(Node::text("東京"));
    b.close();
    let mut observation = Observation::new("https://shop.example/", "Shop", b.finish());
    observation.dialog = Some(Dialog::new(DialogKind::Confirm, "Really?"));
    observation.tabs = vec![Tab::new(0, true, "Shop", "https://shop.example/")];
    observation
}

fn shelf() -> Shelf {
    let host = Host::of(&url::Url::parse("http://shop.example:8080/").unwrap()).unwrap();
    Shelf::host(&Namespace::default(), "lessons", &host)
}

fn summary(stop: StopReason) -> RunSummary {
    let usage = Usage {
        input: TokenCount(1_200),
        output: TokenCount(34),
        cached: TokenCount(u64::MAX),
    };
    RunSummary::new(stop, 9, 2, 8, usage, true, 12_345).with_cost(Some(Money::micros(250)))
}

fn action_samples() -> Vec<EventKind> {
    let targets = vec![TargetIdentity::new(Role::TextBox, "Password")];
    let failed = Outcome::failed(ErrorClass::Intercepted, "<div> covers it");
    let find = Action::Agent(AgentAction::Find(Find {
        query: text("price"),
    }));
    let custom = Action::Custom(CustomCall {
        tool: text("rate"),
        arguments: json!({ "stars": 5, "why": null }),
    });
    let executed = |action: Action, outcome: Outcome| EventKind::ActionExecuted {
        action,
        targets: targets.clone(),
        outcome,
        url_before: text("https://shop.example/"),
        url_after: text("https://shop.example/done"),
        changed: vec![text("+ heading \"Done\"")],
        elapsed_ms: 41,
    };
    vec![
        EventKind::CallRefused {
            problem: CallProblem {
                tool: None,
                failure: Failure::new(ErrorClass::BadArguments, "empty"),
            },
        },
        EventKind::CallsDropped {
            count: 2,
            why: text("the page changed"),
        },
        EventKind::Warned {
            guard: text("stuck"),
            text: text("line\nbreak"),
        },
        EventKind::ApprovalDecided {
            action: fill(),
            effect: Effect::Irreversible,
            approved: false,
            why: text("no"),
        },
        EventKind::ActionStarted {
            action: fill(),
            targets: targets.clone(),
        },
        executed(fill(), Outcome::Done),
        executed(find, Outcome::NoEffect),
        executed(custom, failed),
        EventKind::PictureTaken { png: Vec::new() },
        EventKind::Extracted {
            name: text("price"),
            text: text("29.99 €"),
        },
        EventKind::Given {
            name: text("customer"),
            text: Some(text("A-17")),
        },
        EventKind::ResultShortened {
            label: text("offers"),
            tokens_before: TokenCount(3_000),
            tokens_after: TokenCount(200),
            addresses: 12,
            recovered: 2,
            confidence: 0.9,
        },
        EventKind::BrowserNoticed {
            notice: Notice::Download {
                suggested_name: text("a.pdf"),
                kept: false,
            },
        },
        EventKind::FinishChecked {
            answer: text("42"),
            evidence: text("it is 42"),
            verified: true,
            earlier: true,
            unverified: vec![text("43")],
        },
        EventKind::HumanAsked {
            question: text("may I?"),
            answer: None,
        },
    ]
}

fn item() -> AdviceId {
    AdviceId {
        shelf: shelf(),
        key: text("k"),
    }
}

fn memory_samples() -> Vec<EventKind> {
    let url = url::Url::parse("https://shop.example/").unwrap();
    let (host, site) = (Host::of(&url).unwrap(), Site::of(&url).unwrap());
    let changes = vec![
        Change::Put(Record::new("k", &json!({ "n": 1 }))),
        Change::Remove(text("old")),
    ];
    vec![
        EventKind::Tier1Loaded {
            count: 1,
            lessons: vec![text("press Enter")],
            items: vec![item()],
            elapsed_ms: 2,
        },
        EventKind::ErrorRecall {
            command: text("click"),
            error_snippet: text("timeout"),
            matched: 0,
            lessons: Vec::new(),
            items: Vec::new(),
            elapsed_ms: 1,
        },
        EventKind::DomainRecall {
            domain: host,
            matched: 0,
            lessons: Vec::new(),
            items: Vec::new(),
            elapsed_ms: 0,
        },
        EventKind::AdviceWithheld {
            lessons: vec![text("press Enter")],
            items: vec![item()],
        },
        EventKind::StepReplayed {
            item: item(),
            number: 2,
            of: 9,
        },
        EventKind::LessonRecorded {
            lesson: text("press Enter"),
            category: text("error_recovery"),
            failed_command: Some(text("click")),
            error_pattern: Some(text("intercepted")),
            item: item(),
        },
        EventKind::LessonDeduplicated {
            lesson: text("press Enter"),
            new_use_count: 4,
            item: item(),
        },
        EventKind::LessonPromoted {
            lesson: text("press Enter"),
            use_count: 5,
            triggered_domains: vec![site.clone()],
            item: item(),
        },
        EventKind::LessonDemoted {
            lesson: text("press Enter"),
            helped: 5,
            harmed: 1,
            item: item(),
        },
        EventKind::MemoryChanged {
            item: item(),
            what: text("recorded"),
            text: text("a note"),
            data: serde_json::json!({ "uses": 2 }),
        },
        EventKind::LessonRetired {
            lesson: text("press Enter"),
            helped: 0,
            harmed: 4,
            item: item(),
        },
        EventKind::LessonCredited {
            item: item(),
            site: Some(site),
            used: true,
            followed: true,
            helped: true,
            harmed: false,
        },
        EventKind::LessonsPruned {
            pruned_count: 1,
            remaining_count: 3,
        },
        EventKind::LessonsCompacted {
            removed_count: 1,
            remaining_count: 300,
        },
        EventKind::StoreNoticed {
            notice: StoreNotice {
                shelf: Some(shelf()),
                kind: StoreNoticeKind::Salvaged { records: 2 },
            },
        },
        EventKind::FactProposed {
            key: text("k"),
            value: text("v"),
        },
        EventKind::MemoryUpdated {
            shelf: shelf(),
            committed: Committed {
                generation: 3,
                durable: Durable::InProcess,
                changes,
            },
            elapsed_ms: 4,
        },
        EventKind::MemoryFailed {
            operation: text("store.load"),
            error: text("gone"),
        },
    ]
}

fn samples() -> Vec<EventKind> {
    let page = observation();
    let view = interpret(
        &PageHead::new(&*page.url, &*page.title),
        &page.tree,
        &ViewOptions::default(),
    );
    let mut response = ChatResponse::with_calls([RawCall::new(
        "goto",
        json!({ "url": "https://shop.example/" }),
    )]);
    response.usage = Some(Usage::default());
    let mut samples = vec![
        EventKind::RunStarted {
            goal: text("buy"),
            start_url: Some(text("https://shop.example/")),
            session: Some(SessionId::parse("s1").unwrap()),
            driver: text("scripted"),
            attached: true,
            model: text("scripted"),
            seed: format!("{:032x}", u128::MAX),
            tools: vec![text("click")],
            mode: text("tools"),
            max_steps: 50,
            approval: text("hybrid"),
        },
        EventKind::RunResumed {},
        EventKind::Instructed {
            text: text("the blue one"),
        },
        EventKind::Observed {
            observation: Arc::new(page),
            elapsed_ms: 12,
        },
        EventKind::Interpreted {
            view: Arc::new(view),
        },
        EventKind::ModelAsked {
            system: None,
            message: text("## Page"),
            estimated_tokens: TokenCount(900),
            offered: vec![AdviceId {
                shelf: shelf(),
                key: text("k"),
            }],
        },
        EventKind::ModelReplied {
            response,
            elapsed_ms: 800,
        },
        EventKind::ModelFailed {
            kind: ErrorKind::RateLimited,
            error: text("slow down"),
        },
        EventKind::RecordingFailed {
            error: text("disk full"),
        },
    ];
    samples.extend(action_samples());
    samples.extend(memory_samples());
    for stop in [
        StopReason::Finished,
        StopReason::Budget(BudgetKind::Money),
        StopReason::BrowserLost,
    ] {
        samples.push(EventKind::RunEnded {
            answer: Some(text("42")),
            evidence: None,
            extracted: BTreeMap::from([(text("price"), text("29.99"))]),
            final_url: Some(text("https://shop.example/done")),
            error: Some(text("gone")),
            summary: summary(stop),
        });
    }
    samples
}

fn event(kind: EventKind) -> Event {
    Event::new(
        kind,
        RunId::parse("run_1").unwrap(),
        7,
        "2026-01-02T03:04:05.678Z".parse().unwrap(),
    )
}

#[test]
fn every_event_reads_back_as_it_was_written() {
    let samples = samples();
    let numbers: BTreeSet<usize> = samples.iter().map(number).collect();
    assert_eq!(
        numbers,
        (0..VARIANTS).collect(),
        "every variant has a sample"
    );
    for sample in samples {
        let written = event(sample);
        let line = serde_json::to_string(&written).unwrap();
        let read: Event =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(read, written, "{line}");
    }
}

#[test]
fn the_field_event_is_the_name_of_the_kind() {
    for sample in samples() {
        let name = sample.name();
        assert_eq!(serde_json::to_value(event(sample)).unwrap()["event"], name);
    }
}

#[test]
fn a_picture_is_no_part_of_the_json() {
    let json = serde_json::to_value(event(EventKind::PictureTaken { png: vec![1, 2, 3] })).unwrap();
    let keys: BTreeSet<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(keys, BTreeSet::from(["at", "event", "run", "step"]));
}

#[test]
fn an_action_reads_back_as_the_kind_of_action_it_was() {
    for action in [goto(), fill()] {
        let read: Action = serde_json::from_value(serde_json::to_value(&action).unwrap()).unwrap();
        assert!(matches!(read, Action::Browser(_)), "{read:?}");
    }
}
