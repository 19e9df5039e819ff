//! What memory says and learns by the whole loop, with scripted ports: a person's words, and a lesson that loses its rank. `own`: what a
//! run remembers of itself, and its bounds. `results`: what a message keeps of a long result of a tool. `modes`: what it keeps in each mode. `record`: what the
//! record of a run answers.

mod modes;
mod own;
mod record;
mod results;

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::{sync::Barrier, task::JoinSet};
use webwise::{
    DecisionLoop, MemoryBackend, Result, RunId, Site, Task, Trust,
    action::{BrowserTool, ErrorClass, FailureKind, ParameterName, RawCall},
    agent::{Options, StepEnd},
    base::Host,
    chat::ChatResponse,
    event::EventKind,
    memory::{
        Advice, AdviceId, Aim, Change, Committed, Cue, Edit, Lasts, MemoryKind as _, Namespace,
        Piece, Section, Shelf, ShelfFilter, ShelfState, StoreNotice,
        lesson::{
            AimedMove, Category, Lesson, LessonSource, LessonText, Lessons, MAX_LEARNED, Move,
            NamedKey, Recovery, SiteRecovery, Template, Thing,
        },
    },
    page::{Role, TargetIdentity},
    store::InMemory,
    testing::{
        FixedClock, Recorder, ScriptedBrowser, ScriptedKind, ScriptedModel, ScriptedReply as Reply,
        call,
    },
};

const SHOP: &str = "https://shop.example/";
const OTHER: &str = "https://other.example/";
const PAGE: &str = "heading \"Welcome\" e1\nbutton \"Go\" e3";
/// How another program's element stands in the way.
const COVERED: &str = "<div id=\"x\"> intercepts pointer events";
const NOW: &str = "2026-01-02T03:04:05Z";

fn now() -> DateTime<Utc> {
    NOW.parse().unwrap()
}

/// A page on two sites whose button fails in this way.
fn failing(class: ErrorClass, detail: &'static str) -> ScriptedBrowser {
    let browser = ScriptedBrowser::new()
        .with_page(SHOP, "Shop", PAGE)
        .with_page(OTHER, "Other", PAGE);
    let fails = |browser: ScriptedBrowser, page| {
        browser
            .on(
                page,
                r#"click {"target":"e3"}"#,
                [Reply::Fail(class, detail)],
            )
            .on(page, r#"press {"key":"Enter"}"#, [Reply::Nothing])
    };
    fails(fails(browser, SHOP), OTHER)
}

fn does(tool: &str, arguments: Value) -> ChatResponse {
    ChatResponse::with_calls([RawCall::new(tool, arguments)])
}

fn give_up() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "it does not work", "success": false }),
    )
}

async fn keep(memory: &InMemory, shelf: &Shelf, lesson: &Lesson) {
    let record = lesson.to_record(lesson.text.key()).unwrap();
    memory
        .update(
            shelf,
            Edit::new(move |_| Ok(vec![Change::Put(record.clone())])),
        )
        .await
        .unwrap();
}

/// A run of these replies from this page; gives what the model was sent.
async fn told(
    browser: ScriptedBrowser,
    memory: &InMemory,
    from: &str,
    replies: Vec<ChatResponse>,
) -> Vec<[String; 2]> {
    watched(browser, memory, from, replies, &Recorder::new()).await
}

/// The same, with a recorder of the events.
async fn watched(
    browser: ScriptedBrowser,
    memory: &InMemory,
    from: &str,
    replies: Vec<ChatResponse>,
    recorder: &Recorder,
) -> Vec<[String; 2]> {
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(browser, model.clone(), memory.clone())
        .with_clock(FixedClock::at(NOW))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    agent
        .run(Task::new("Press Go").unwrap().with_start_url(from).unwrap())
        .await;
    model
        .requests()
        .into_iter()
        .map(|request| [request.system, request.message])
        .collect()
}

/// The events of this name.
fn kinds(recorder: &Recorder, name: &str) -> Vec<EventKind> {
    let events = recorder.events().into_iter().map(|event| event.kind);
    events.filter(|kind| kind.name() == name).collect()
}

/// What a person wrote, about everything or about one domain.
fn words(text: &str, category: Category) -> Lesson {
    Lesson::new(
        LessonText::Words(text.to_owned()),
        category,
        LessonSource::User,
        now(),
    )
}

#[tokio::test(start_paused = true)]
async fn instructions_stand_in_the_system_instruction_and_notes_on_the_pages_of_their_host_alone() {
    let browser = failing(ErrorClass::Disabled, "");
    let replies = [does("goto", json!({ "url": OTHER })), give_up()];
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Press Go")
        .unwrap()
        .with_start_url(SHOP)
        .unwrap()
        .with_instructions("Prefer the cheapest.\nNever subscribe.")
        .unwrap()
        .with_site_note(
            Host::of_domain("shop.example").unwrap(),
            "Prices\nexclude tax.",
        )
        .unwrap();
    agent.run(task).await;
    let requests = model.requests();
    let system = &requests[0].system;
    assert!(
        system.ends_with(
            "\n## Instructions\nPrefer the cheapest.\nNever subscribe.\n\n## Goal\nPress Go\n"
        ),
        "{system}"
    );
    let note = "\n## Notes of the user for this site\n- Prices exclude tax.\n";
    let outside = |at: usize| {
        requests[at]
            .message
            .rsplit_once(">>>\n")
            .unwrap()
            .1
            .to_owned()
    };
    assert!(outside(0).contains(note), "{}", requests[0].message);
    assert!(
        !requests[1].message.contains("exclude tax"),
        "{}",
        requests[1].message
    );
    assert!(
        Task::new("x")
            .unwrap()
            .with_instructions("x".repeat(8_001))
            .is_err()
    );
    let host = Host::of_domain("shop.example").unwrap();
    for wrong in [" ".to_owned(), "x".repeat(301)] {
        assert!(
            Task::new("x")
                .unwrap()
                .with_site_note(host.clone(), wrong)
                .is_err()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_parameters_of_a_task_are_listed_and_a_placeholder_types_the_value() {
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", "textbox \"Town\" e2");
    let typed = json!({ "target": "e2", "text": "<param:city>" });
    let model = ScriptedModel::new([call("fill", typed), give_up()]);
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), InMemory::new());
    let city = ParameterName::parse("city").unwrap();
    let task = Task::new("Deliver to <param:city>").unwrap();
    let task = task.with_start_url(SHOP).unwrap();
    let task = task.with_parameter(city, "Bonn \"am\" Rhein");
    agent.build().unwrap().run(task).await;
    let listed = "\n## Parameters\nType the placeholder or the value.\n<param:city> = \"Bonn \\\"am\\\" Rhein\"\n\n## Goal\n";
    let system = &model.requests()[0].system;
    assert!(system.contains(listed), "{system}");
    let value = json!({ "target": "e2", "text": "Bonn \"am\" Rhein" });
    let filled = browser.executed().pop().unwrap();
    assert_eq!(filled, format!("fill {value}"));
}

#[tokio::test(start_paused = true)]
async fn a_persons_words_about_an_error_reach_the_prompt_after_that_error_and_no_other() {
    const WORDS: &str = "Close the survey by its cross, then press Go.";
    let memory = InMemory::new();
    let mut lesson = words(WORDS, Category::ErrorRecovery);
    (lesson.failed_command, lesson.error_pattern) = (
        Some("click".to_owned()),
        Some("Intercepts Pointer Events".to_owned()),
    );
    keep(
        &memory,
        &Shelf::global(&Namespace::default(), Lessons.name()),
        &lesson,
    )
    .await;
    let script = || vec![does("click", json!({ "target": "e3" })), give_up()];

    let [before, after] = &told(
        failing(ErrorClass::Intercepted, COVERED),
        &memory,
        SHOP,
        script(),
    )
    .await[..] else {
        panic!("the model is asked twice");
    };
    assert!(after[1].contains(WORDS), "{}", after[1]);
    assert!(
        !before[1].contains(WORDS) && !before[0].contains(WORDS),
        "before the error nobody needs it"
    );
    let other = told(
        failing(ErrorClass::Intercepted, "something else covers it"),
        &memory,
        SHOP,
        script(),
    )
    .await;
    assert!(
        other.len() == 2 && other.iter().flatten().all(|text| !text.contains(WORDS)),
        "{other:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_persons_words_about_a_domain_reach_the_prompt_there_and_nowhere_else() {
    const WORDS: &str = "Log in by the small door in the footer.";
    let memory = InMemory::new();
    let mut lesson = words(WORDS, Category::SiteSpecific);
    lesson.domain = Some("shop.example".to_owned());
    let host = Host::of(&SHOP.parse().unwrap()).unwrap();
    keep(
        &memory,
        &Shelf::host(&Namespace::default(), Lessons.name(), &host),
        &lesson,
    )
    .await;

    let here = told(
        ScriptedBrowser::new().with_page(SHOP, "Shop", PAGE),
        &memory,
        SHOP,
        vec![give_up()],
    )
    .await;
    let (inside, outside) = here[0][1].rsplit_once(">>>\n").unwrap();
    assert!(
        outside.contains(&format!(
            "## Tips for this site: try them first\n- {WORDS}\n"
        )) && !inside.contains(WORDS),
        "the fence says not to follow what is in it: {here:?}"
    );
    assert!(!here[0][0].contains(WORDS), "{here:?}");
    let there = told(
        ScriptedBrowser::new().with_page(OTHER, "Other", PAGE),
        &memory,
        OTHER,
        vec![give_up()],
    )
    .await;
    assert!(
        there.len() == 1 && there.iter().flatten().all(|text| !text.contains(WORDS)),
        "{there:?}"
    );
    for (url, is_told) in [
        ("https://www.shop.example/", true),
        ("https://othershop.example/", false),
    ] {
        let browser = ScriptedBrowser::new().with_page(url, "Shop", PAGE);
        let messages = told(browser, &memory, url, vec![give_up()]).await;
        assert_eq!(
            messages[0][1].contains(WORDS),
            is_told,
            "{url}: {messages:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn ten_lessons_stand_in_the_system_instruction_the_most_used_first_and_then_the_seeds() {
    const MOST: &str = "Words that helped three times.";
    let (memory, shelf) = (
        InMemory::new(),
        Shelf::global(&Namespace::default(), Lessons.name()),
    );
    for n in 1..=12 {
        let lesson = words(&format!("Words number {n}."), Category::BestPractice);
        keep(&memory, &shelf, &lesson).await;
    }
    let mut most = words(MOST, Category::BestPractice);
    most.counts.used = 3;
    keep(&memory, &shelf, &most).await;
    let recorder = Recorder::new();
    let page = || ScriptedBrowser::new().with_page(SHOP, "Shop", PAGE);
    let asked = watched(page(), &memory, SHOP, vec![give_up()], &recorder).await;
    let (_, section) = asked[0][0]
        .split_once("## Lessons from experience")
        .unwrap();
    let listed: Vec<&str> = section
        .split("\n## ")
        .next()
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .collect();
    assert_eq!((listed.len(), listed[0]), (10, MOST), "{listed:#?}");
    assert!(
        listed[1..4].iter().all(|line| !line.contains("Words")) && listed[4].contains("Words"),
        "{listed:#?}"
    );
    let loaded = kinds(&recorder, "tier1_loaded");
    let [EventKind::Tier1Loaded { count: 10, .. }] = &loaded[..] else {
        panic!("{loaded:?}");
    };
}

#[tokio::test(start_paused = true)]
async fn a_promoted_lesson_that_is_followed_in_vain_leaves_the_system_instruction() {
    let template = Template::new(
        BrowserTool::Click,
        FailureKind::Failed(ErrorClass::NotVisible),
        Recovery::Instead(Move::press(NamedKey::Enter)),
    );
    let mut lesson = Lesson::new(
        LessonText::Template(template),
        Category::BestPractice,
        LessonSource::Learned,
        now(),
    );
    // As five runs on five sites leave it that it helped.
    let counts = &mut lesson.counts;
    (counts.offered, counts.used, counts.followed, counts.helped) = (5, 5, 5, 5);
    lesson.runs = 5;
    let site = |n: u32| Site::of(&format!("https://site{n}.example/").parse().unwrap()).unwrap();
    lesson.triggered_domains = (1..=5).map(site).collect::<BTreeSet<_>>();
    lesson.promoted_by = Some(RunId::parse("run_before").unwrap());
    let (memory, shelf) = (
        InMemory::new(),
        Shelf::global(&Namespace::default(), Lessons.name()),
    );
    keep(&memory, &shelf, &lesson).await;
    let text = lesson.text.render();

    let in_vain = vec![
        does("click", json!({ "target": "e3" })),
        does("press", json!({ "key": "Enter" })),
        give_up(),
    ];
    let recorder = Recorder::new();
    let first = watched(
        failing(ErrorClass::NotVisible, "it is hidden"),
        &memory,
        SHOP,
        in_vain,
        &recorder,
    )
    .await;
    let demoted = EventKind::LessonDemoted {
        item: AdviceId {
            shelf: shelf.clone(),
            key: lesson.text.key(),
        },
        lesson: text.clone(),
        helped: 5,
        harmed: 1,
    };
    assert_eq!(kinds(&recorder, "lesson_demoted"), [demoted]);
    assert!(
        first.iter().all(|[system, _]| system.contains(&text)),
        "a run has one system instruction: {first:?}"
    );

    let records = memory.load(&shelf).await.unwrap().records;
    let record = records
        .iter()
        .find(|record| record.key == lesson.text.key())
        .expect("it is still known");
    let kept = Lesson::from_record(record).unwrap();
    assert_eq!(
        (kept.category, kept.promoted_by, kept.retired_by),
        (Category::ErrorRecovery, None, None)
    );
    assert_eq!((kept.counts.helped, kept.counts.harmed), (5, 1));

    // It is no rule any more, and still a tip for its own failure.
    let again = vec![does("click", json!({ "target": "e3" })), give_up()];
    let second = told(
        failing(ErrorClass::NotVisible, "it is hidden"),
        &memory,
        OTHER,
        again,
    )
    .await;
    assert!(
        second.iter().all(|[system, _]| !system.contains(&text)),
        "{second:?}"
    );
    assert!(
        !second[0][1].contains(&text) && second[1][1].contains(&text),
        "{second:?}"
    );
}

/// A store that several runs read before any of them writes, as at the first start of several at once.
#[derive(Debug, Clone)]
struct ReadTogether {
    store: InMemory,
    lessons: Shelf,
    all: Arc<Barrier>,
    loads: Arc<AtomicUsize>,
    runs: usize,
}

#[async_trait]
impl MemoryBackend for ReadTogether {
    async fn load(&self, shelf: &Shelf) -> Result<ShelfState> {
        let state = self.store.load(shelf).await;
        if *shelf == self.lessons && self.loads.fetch_add(1, Ordering::Relaxed) < self.runs {
            self.all.wait().await;
        }
        state
    }

    async fn update(&self, shelf: &Shelf, edit: Edit) -> Result<Committed> {
        self.store.update(shelf, edit).await
    }

    async fn shelves(&self, filter: &ShelfFilter) -> Result<Vec<Shelf>> {
        self.store.shelves(filter).await
    }

    async fn remove(&self, shelf: &Shelf) -> Result<()> {
        self.store.remove(shelf).await
    }

    fn notices(&self) -> Vec<StoreNotice> {
        Vec::new()
    }
}

#[tokio::test(start_paused = true)]
async fn every_run_of_ten_that_start_at_once_on_an_empty_memory_is_told_the_seeds() {
    const RUNS: usize = 10;
    let lessons = Shelf::global(&Namespace::default(), Lessons.name());
    let memory = ReadTogether {
        store: InMemory::new(),
        lessons: lessons.clone(),
        all: Arc::new(Barrier::new(RUNS)),
        loads: Arc::default(),
        runs: RUNS,
    };
    let mut runs = JoinSet::new();
    for _ in 0..RUNS {
        let (memory, model) = (memory.clone(), ScriptedModel::new([give_up()]));
        runs.spawn(async move {
            let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", PAGE);
            let agent = DecisionLoop::builder(browser, model.clone(), memory)
                .with_clock(FixedClock::at(NOW))
                .build()
                .unwrap();
            let task = Task::new("Press Go").unwrap().with_start_url(SHOP).unwrap();
            agent.run(task).await;
            model.requests()[0].system.clone()
        });
    }
    let told = runs.join_all().await;
    let seeds: Vec<String> = memory
        .load(&lessons)
        .await
        .unwrap()
        .records
        .iter()
        .map(|record| Lesson::from_record(record).unwrap().text.render())
        .collect();
    assert_eq!((told.len(), seeds.len()), (RUNS, 3));
    let without = told
        .iter()
        .filter(|system| !seeds.iter().all(|seed| system.contains(seed)))
        .count();
    assert_eq!(without, 0, "runs that were not told all seeds");
}

/// What clicking a covered button taught: another button takes away what covers it.
fn recovery(covered: &str, closes: &str) -> Lesson {
    let aim = |name: &str| Some(Aim::of(&TargetIdentity::new(Role::Button, name)));
    let step = Move {
        tool: BrowserTool::Click,
        on: Some(Thing::Button),
        key: None,
    };
    let text = LessonText::Site(SiteRecovery {
        command: BrowserTool::Click,
        trouble: FailureKind::Failed(ErrorClass::Intercepted),
        aim: aim(covered),
        recovery: Recovery::First(vec![step]),
        moves: vec![AimedMove {
            step,
            aim: aim(closes),
        }],
    });
    Lesson::new(text, Category::SiteSpecific, LessonSource::Learned, now())
}

#[tokio::test(start_paused = true)]
async fn a_run_that_adds_a_lesson_to_a_full_shelf_tells_how_many_it_removed() {
    const OPEN: &str = "https://shop.example/#open";
    const DONE: &str = "https://shop.example/done";
    let (memory, host) = (InMemory::new(), Host::of(&SHOP.parse().unwrap()).unwrap());
    let shelf = Shelf::host(&Namespace::default(), Lessons.name(), &host);
    for at in 0..MAX_LEARNED {
        let mut lesson = recovery(&format!("Go {at}"), "Close");
        // The first one helped least often.
        lesson.counts.helped = u64::try_from(at).unwrap();
        keep(&memory, &shelf, &lesson).await;
    }
    let in_the_way = Reply::Fail(ErrorClass::Intercepted, COVERED);
    let browser = ScriptedBrowser::new()
        .with_page(SHOP, "Shop", "button \"Go\" e3\nbutton \"Accept all\" e5")
        .with_page(OPEN, "Shop", PAGE)
        .with_page(DONE, "Done", PAGE)
        .on(SHOP, r#"click {"target":"e3"}"#, [in_the_way])
        .on(SHOP, r#"click {"target":"e5"}"#, [Reply::Show(OPEN)])
        .on(OPEN, r#"click {"target":"e3"}"#, [Reply::Show(DONE)]);
    let click = |target: &str| does("click", json!({ "target": target }));
    let replies = vec![click("e3"), click("e5"), click("e3"), give_up()];
    let recorder = Recorder::new();
    watched(browser, &memory, SHOP, replies, &recorder).await;

    let compacted = EventKind::LessonsCompacted {
        removed_count: 1,
        remaining_count: MAX_LEARNED,
    };
    assert_eq!(kinds(&recorder, "lessons_compacted"), [compacted]);
    let kept = memory.load(&shelf).await.unwrap().records;
    let is_kept = |name: &str| {
        let key = recovery(name, "Close").text.key();
        kept.iter().any(|record| record.key == key)
    };
    assert_eq!(
        (kept.len(), is_kept("Go 0"), is_kept("Go 1")),
        (MAX_LEARNED, false, true)
    );
}

#[tokio::test(start_paused = true)]
async fn only_a_failure_that_the_page_caused_teaches_a_lesson() {
    const OPEN: &str = "https://shop.example/#open";
    const DONE: &str = "https://shop.example/done";
    for (class, lessons) in [
        (ErrorClass::Intercepted, 2),
        (ErrorClass::BadArguments, 0),
        (ErrorClass::RefNotFound, 0),
    ] {
        let browser = ScriptedBrowser::new()
            .with_page(SHOP, "Shop", "button \"Go\" e3\nbutton \"Accept all\" e5")
            .with_page(OPEN, "Shop", PAGE)
            .with_page(DONE, "Done", PAGE)
            .on(
                SHOP,
                r#"click {"target":"e3"}"#,
                [Reply::Fail(class, "it did not work")],
            )
            .on(SHOP, r#"click {"target":"e5"}"#, [Reply::Show(OPEN)])
            .on(OPEN, r#"click {"target":"e3"}"#, [Reply::Show(DONE)]);
        let click = |target: &str| does("click", json!({ "target": target }));
        let replies = vec![click("e3"), click("e5"), click("e3"), give_up()];
        let recorder = Recorder::new();
        watched(browser, &InMemory::new(), SHOP, replies, &recorder).await;
        let recorded = kinds(&recorder, "lesson_recorded");
        assert_eq!(recorded.len(), lessons, "{class:?}: {recorded:?}");
    }
}

/// How many buttons of a host have each a way out of their own.
const BUTTONS: usize = 10;

/// A memory of the ways out of all of them.
async fn ways_out() -> InMemory {
    let memory = InMemory::new();
    let host = Host::of(&SHOP.parse().unwrap()).unwrap();
    let shelf = Shelf::host(&Namespace::default(), Lessons.name(), &host);
    for at in 0..BUTTONS {
        let mut lesson = recovery(&format!("Go {at}"), &format!("Close {at}"));
        // The first three are used most.
        lesson.counts.used = u64::try_from(BUTTONS - at).unwrap();
        keep(&memory, &shelf, &lesson).await;
    }
    memory
}

/// A page with these of the buttons, all of them covered.
fn covered(shown: impl Iterator<Item = usize>) -> ScriptedBrowser {
    let shown: Vec<usize> = shown.collect();
    let buttons = shown
        .iter()
        .map(|at| format!("button \"Go {at}\" e1{at}\nbutton \"Close {at}\" e2{at}\n"));
    let page = format!("heading \"Welcome\" e1\n{}", buttons.collect::<String>());
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", &page);
    shown.iter().fold(browser, |browser, at| {
        let click = format!("click {}", json!({ "target": format!("e1{at}") }));
        browser.on(
            SHOP,
            &click,
            [Reply::Fail(ErrorClass::Intercepted, COVERED)],
        )
    })
}

/// The tips under a heading outside of the fence, with what their names and references stand for inside of it.
fn tips(message: &str, heading: &str) -> Vec<String> {
    let (inside, outside) = message.rsplit_once(">>>\n").unwrap();
    let names: Vec<(&str, &str)> = inside
        .lines()
        .skip_while(|line| *line != "## Names in the tips")
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .map(|line| line.split_once(' ').unwrap())
        .collect();
    let parts = inside.lines().flat_map(|line| line.trim().split(" | "));
    let shown: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once(' ')).collect();
    let lines = outside.lines().skip_while(|line| *line != heading).skip(1);
    let tips = lines.map_while(|line| line.strip_prefix("- "));
    let in_full = |tip: &str| -> String {
        let words = tip.split_inclusive(|c: char| !c.is_alphanumeric());
        let word = |word: &str| {
            let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            let mut all = names.iter().chain(&shown);
            let named = all.find(|(name, _)| *name == bare && !bare.is_empty());
            let what = named.map_or(bare, |(_, what)| what);
            format!("{what}{}", &word[bare.len()..])
        };
        words.map(word).collect()
    };
    tips.map(in_full).collect()
}

#[tokio::test(start_paused = true)]
async fn each_of_ten_recoveries_of_a_host_answers_its_own_failure() {
    let memory = ways_out().await;
    let mut answered = 0;
    for at in 0..BUTTONS {
        let target = json!({ "target": format!("e1{at}") });
        let [before, after] = &told(
            covered(0..BUTTONS),
            &memory,
            SHOP,
            vec![does("click", target), give_up()],
        )
        .await[..] else {
            panic!("the model is asked twice");
        };
        let own = recovery(&format!("Go {at}"), &format!("Close {at}"))
            .text
            .render();
        let said = tips(&after[1], "Tips from previous experience:");
        assert_eq!(said.first(), Some(&own), "{}", after[1]);
        // Three of the site, whatever fails; what answers the failure is not said twice.
        let of_site =
            |[_, message]: &[String; 2]| tips(message, "## Tips for this site: try them first");
        assert_eq!(of_site(before).len(), 3, "{}", before[1]);
        assert!(!of_site(after).contains(&own), "{}", after[1]);
        for [system, message] in [before, after] {
            let (_, outside) = message.rsplit_once(">>>\n").unwrap();
            let is_named = |text: &str| text.contains("Close ") || text.contains("Go ");
            assert!(
                !is_named(outside) && !system.contains("Close "),
                "{message}"
            );
        }
        answered += 1;
    }
    println!("{answered} of {BUTTONS} recoveries answered their own failure");
}

#[tokio::test(start_paused = true)]
async fn a_tip_is_shown_only_where_its_target_is_on_the_page() {
    let memory = ways_out().await;
    for at in 0..BUTTONS {
        let only = covered(std::iter::once(at));
        let asked = told(only, &memory, SHOP, vec![give_up()]).await;
        let own = recovery(&format!("Go {at}"), &format!("Close {at}"));
        assert_eq!(
            tips(&asked[0][1], "## Tips for this site: try them first"),
            [own.text.render()]
        );
    }
    let none = covered(std::iter::empty());
    let asked = told(none, &memory, SHOP, vec![give_up()]).await;
    assert!(
        !asked[0][1].contains("## Tips") && !asked[0][1].contains("## Names"),
        "{}",
        asked[0][1]
    );
}

#[tokio::test]
async fn a_section_of_its_own_lasts_for_the_run_the_page_or_one_prompt() {
    const NEXT: &str = "https://shop.example/next";
    let kind = ScriptedKind::new("plans").saying(|shelf, _, moment| {
        let advice = |key: &str, lines: &[&str], trust, section| {
            let id = AdviceId {
                shelf: shelf.clone(),
                key: key.to_owned(),
            };
            let lines = lines.iter().map(|line| [Piece::from(*line)]);
            Advice::with_lines(id, lines, trust, section)
        };
        let own = |heading, lasts| Section::custom(heading, 40, lasts);
        let found = match moment.cue {
            Cue::RunStarted => [
                advice(
                    "plan",
                    &["buy", "pay"],
                    Trust::Model,
                    own("Plan", Lasts::Run),
                ),
                advice(
                    "start",
                    &["begin"],
                    Trust::User,
                    own("Start", Lasts::Prompt),
                ),
            ],
            Cue::PageShown { page, .. } => {
                let is_first = page
                    .as_ref()
                    .is_some_and(|page| !page.as_str().contains("next"));
                let page =
                    |is_here: bool| is_here.then_some("here").into_iter().collect::<Vec<_>>();
                [
                    advice(
                        "page",
                        &page(is_first),
                        Trust::User,
                        own("Page notes", Lasts::Page),
                    ),
                    None,
                ]
            }
            _ => [None, None],
        };
        found.into_iter().flatten().collect()
    });
    let browser = ScriptedBrowser::new()
        .with_page(SHOP, "Shop", PAGE)
        .with_page(NEXT, "Next", PAGE);
    let model = ScriptedModel::new([call("goto", json!({ "url": NEXT })), give_up()]);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .with_kinds(vec![Arc::new(kind)])
        .build()
        .unwrap();
    let task = Task::new("Buy").unwrap().with_start_url(SHOP).unwrap();
    agent.run(task).await;
    let messages: Vec<String> = model.requests().into_iter().map(|r| r.message).collect();
    let plan = "\n## Plan\n- \"buy\"\n  \"pay\"\n";
    let shown = |message: &String| {
        ["\n## Start\n- begin\n", "\n## Page notes\n- here\n"]
            .map(|section| message.contains(section))
    };
    assert!(
        messages.iter().all(|message| message.contains(plan)),
        "{messages:?}"
    );
    assert_eq!(
        messages.iter().map(shown).collect::<Vec<_>>(),
        [[true, true], [false, false]]
    );
}

#[tokio::test]
async fn a_step_keeps_what_the_model_thought_and_what_the_action_gave() {
    let mut first = ChatResponse::with_calls([
        RawCall::new("extract", json!({ "name": "all" })),
        RawCall::new("extract", json!({ "name": "button", "target": "e3" })),
    ]);
    first.text = "The page is short.".to_owned();
    let mut second = give_up();
    second.reasoning = Some("Nothing to buy.".to_owned());
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", PAGE);
    let model = ScriptedModel::new([first, second]);
    let agent = DecisionLoop::builder(browser, model.clone(), InMemory::new())
        .build()
        .unwrap();
    let task = Task::new("Buy").unwrap().with_start_url(SHOP).unwrap();
    let mut run = agent.start(task).await;
    while run.step().await == StepEnd::Continue {}
    // The model reads at its step what it wrote.
    let section = "## Your last thoughts\n2: \"The page is short.\"\n";
    let message = &model.requests()[1].message;
    assert!(message.contains(section), "{message}");
    let kept: Vec<_> = run
        .steps()
        .iter()
        .map(|step| {
            (
                step.action.tool_name(),
                step.thought.as_deref(),
                step.gave.is_some(),
            )
        })
        .collect();
    assert_eq!(
        kept,
        [
            ("goto", None, false),
            ("extract", Some("The page is short."), true),
            ("extract", None, true),
            ("finish", Some("Nothing to buy."), false),
        ]
    );
    let gave = run.steps()[1].gave.as_deref().unwrap();
    assert!(gave.contains("Welcome") && gave.contains("Go"), "{gave}");
    let gave = run.steps()[2].gave.as_deref().unwrap();
    assert!(gave.contains("Go") && !gave.contains("Welcome"), "{gave}");
}

/// A run that gives up at once, with this share held back: what the model was sent, the events, and the advice that was offered and
/// held back as the run's log has it.
async fn with_share(
    memory: &InMemory,
    share: f64,
) -> (String, Recorder, Vec<AdviceId>, Vec<AdviceId>) {
    let log = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&log);
    let keeps = ScriptedKind::new("log").learning(
        move |log| {
            *seen.lock().unwrap() = Some((log.offered.clone(), log.withheld.clone()));
            None
        },
        |_| Vec::new(),
    );
    let (model, recorder) = (ScriptedModel::new([give_up()]), Recorder::new());
    let mut options = Options::default();
    (options.withheld_share, options.seed) = (share, Some(7));
    let browser = ScriptedBrowser::new().with_page(SHOP, "Shop", PAGE);
    let agent = DecisionLoop::builder(browser, model.clone(), memory.clone())
        .with_kinds(vec![Arc::new(Lessons), Arc::new(keeps)])
        .with_options(options)
        .with_clock(FixedClock::at(NOW))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = Task::new("Press Go").unwrap().with_start_url(SHOP).unwrap();
    agent.run(task).await;
    let request = model.requests().remove(0);
    let (offered, withheld) = log.lock().unwrap().take().unwrap();
    let sent = format!("{}\n{}", request.system, request.message);
    (sent, recorder, offered, withheld)
}

#[tokio::test(start_paused = true)]
async fn advice_that_is_held_back_is_told_and_neither_shown_nor_offered() {
    const RULE: &str = "Look for the sale first.";
    const TIP: &str = "Log in by the small door in the footer.";
    let memory = InMemory::new();
    let everywhere = Shelf::global(&Namespace::default(), Lessons.name());
    let here = Shelf::host(
        &Namespace::default(),
        Lessons.name(),
        &Host::of(&SHOP.parse().unwrap()).unwrap(),
    );
    let rule = words(RULE, Category::BestPractice);
    let mut tip = words(TIP, Category::SiteSpecific);
    tip.domain = Some("shop.example".to_owned());
    keep(&memory, &everywhere, &rule).await;
    keep(&memory, &here, &tip).await;
    let ids: BTreeSet<AdviceId> = [(&everywhere, &rule), (&here, &tip)]
        .map(|(shelf, lesson)| AdviceId {
            shelf: shelf.clone(),
            key: lesson.text.key(),
        })
        .into();

    let (sent, recorder, offered, withheld) = with_share(&memory, 0.0).await;
    assert!(sent.contains(RULE) && sent.contains(TIP), "{sent}");
    assert!(kinds(&recorder, "advice_withheld").is_empty() && withheld.is_empty());
    assert!(ids.iter().all(|id| offered.contains(id)), "{offered:?}");

    let (sent, recorder, offered, withheld) = with_share(&memory, 1.0).await;
    assert!(!sent.contains(RULE) && !sent.contains(TIP), "{sent}");
    assert!(offered.is_empty(), "{offered:?}");
    assert!(ids.iter().all(|id| withheld.contains(id)), "{withheld:?}");
    let mut told = Vec::new();
    for kind in kinds(&recorder, "advice_withheld") {
        let EventKind::AdviceWithheld { lessons, items } = kind else {
            unreachable!("it has that name");
        };
        assert_eq!(lessons.len(), items.len());
        told.extend(items);
    }
    assert_eq!(told, withheld, "each item once, as the log has it");
    for name in ["tier1_loaded", "domain_recall"] {
        let shown = kinds(&recorder, name)
            .into_iter()
            .filter(|kind| match kind {
                EventKind::Tier1Loaded { items, .. } | EventKind::DomainRecall { items, .. } => {
                    !items.is_empty()
                }
                _ => true,
            });
        assert_eq!(shown.count(), 0, "{name}");
    }

    // With half of it held back, each item is either offered or held back.
    let (_, _, offered, withheld) = with_share(&memory, 0.5).await;
    let all: BTreeSet<&AdviceId> = offered.iter().chain(&withheld).collect();
    assert_eq!(all.len(), offered.len() + withheld.len());
    assert!(ids.iter().all(|id| all.contains(id)), "{all:?}");
    assert!(!offered.is_empty() && !withheld.is_empty(), "{all:?}");
}

#[test]
fn a_share_beyond_the_whole_is_refused() {
    for share in [-0.1, 1.1, f64::NAN] {
        let mut options = Options::default();
        options.withheld_share = share;
        let built = DecisionLoop::builder(
            ScriptedBrowser::new(),
            ScriptedModel::new([]),
            InMemory::new(),
        )
        .with_options(options)
        .build();
        let error = built.unwrap_err();
        assert!(format!("{error:?}").contains("withheld_share"), "{error:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn escape_is_not_advised_for_a_dialog_that_the_run_has_opened_nor_after_it_was_pressed_in_vain()
 {
    let opened = "https://shop.example/#opened";
    let page = "heading \"Welcome\" e1\nbutton \"Go\" e2\nbutton \"New\" e3";
    let dialog = format!("dialog \"New item\" e7\n  textbox \"Name\" e8\n{page}");
    let covered = || [Reply::Fail(ErrorClass::Intercepted, COVERED)];
    let go = || does("click", json!({ "target": "e2" }));
    let advised = async |browser: ScriptedBrowser, replies: Vec<ChatResponse>| {
        let memory = InMemory::new();
        let told = told(browser, &memory, SHOP, replies).await;
        told.last().unwrap()[1].contains("press Escape")
    };
    let browser = |content: &str| {
        ScriptedBrowser::new()
            .with_page(SHOP, "Shop", content)
            .with_page(opened, "Shop", &dialog)
            .on(SHOP, r#"click {"target":"e2"}"#, covered())
            .on(opened, r#"click {"target":"e2"}"#, covered())
            .on(SHOP, r#"click {"target":"e3"}"#, [Reply::Show(opened)])
            .on(SHOP, r#"press {"key":"Escape"}"#, [Reply::Nothing])
    };
    // The page came with it.
    assert!(advised(browser(&dialog), vec![go(), give_up()]).await);
    let new = does("click", json!({ "target": "e3" }));
    assert!(!advised(browser(page), vec![new, go(), give_up()]).await);
    let escape = does("press", json!({ "key": "Escape" }));
    assert!(!advised(browser(page), vec![escape, go(), give_up()]).await);
}
