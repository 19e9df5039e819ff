//! What memory says and learns by the whole loop, with scripted ports: a person's words, and a lesson that loses its rank.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tokio::{sync::Barrier, task::JoinSet};
use webwise::{
    DecisionLoop, MemoryBackend, Result, RunId, Site, Task,
    action::{BrowserTool, ErrorClass, RawCall},
    base::Host,
    chat::ChatResponse,
    memory::{
        Change, Committed, Edit, MemoryKind as _, Namespace, Shelf, ShelfFilter, ShelfState,
        StoreNotice,
        lesson::{
            Category, Lesson, LessonSource, LessonText, Lessons, Move, NamedKey, Recovery,
            Template, Trouble,
        },
    },
    store::InMemory,
    testing::{FixedClock, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
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
    let model = ScriptedModel::new(replies);
    let agent = DecisionLoop::builder(browser, model.clone(), memory.clone())
        .with_clock(FixedClock::at(NOW))
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
    assert!(
        here[0][1].contains(WORDS) && !here[0][0].contains(WORDS),
        "{here:?}"
    );
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
}

#[tokio::test(start_paused = true)]
async fn a_promoted_lesson_that_is_followed_in_vain_leaves_the_system_instruction() {
    let template = Template::new(
        BrowserTool::Click,
        Trouble::Failed(ErrorClass::NotVisible),
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
    let first = told(
        failing(ErrorClass::NotVisible, "it is hidden"),
        &memory,
        SHOP,
        in_vain,
    )
    .await;
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
