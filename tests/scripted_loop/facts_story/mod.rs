//! Facts and elements of a host, through the whole loop with scripted ports: what a run reads of them, what it is spared by
//! them, and how it finds an element that has another name now. `observed`: what the steps of a run prove, and how it ages.

mod observed;

use std::sync::Arc;

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, Task,
    action::ErrorClass,
    agent::Options,
    chat::ChatResponse,
    event::EventKind,
    guard::ApprovalMode,
    memory::{MemoryKind, Namespace, ShelfFilter, kinds, lesson::Lessons, selector::MAX_SELECTORS},
    store::{InMemory, Memory, MemoryBackend as _},
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

const HOME: &str = "https://desk.example/";
const HOME_OPEN: &str = "https://desk.example/#open";
const BOATS: &str = "https://desk.example/boats";
const BOATS_OPEN: &str = "https://desk.example/boats#open";
const DONE: &str = "https://desk.example/done";
const FIRST_DAY: &str = "2026-01-02T03:04:05Z";
const COVERED: &str = "<div> intercepts pointer events";
/// The fact about the banner, as the model reads it.
const FACT: &str = "\n## Facts about this site\n- e9 is on top of other elements until you click it: click it first.\n";
const BANNER: &str = "button \"Accept all\" e9";

fn click(target: &str) -> ChatResponse {
    call("click", json!({ "target": target }))
}

fn finish() -> ChatResponse {
    call(
        "finish",
        json!({ "answer": "All done", "evidence": "All done" }),
    )
}

/// Two pages whose banner covers everything else, and the page behind their buttons.
fn covered() -> ScriptedBrowser {
    let page = |button: &str| format!("{button}\n{BANNER}");
    let (kayak, canoe) = ("button \"Kayak\" e1", "button \"Canoe\" e2");
    let reveals = |line: &str| format!("click {{\"target\":\"{line}\"}}");
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", &page(kayak))
        .with_page(HOME_OPEN, "Desk", kayak)
        .with_page(BOATS, "Boats", &page(canoe))
        .with_page(BOATS_OPEN, "Boats", canoe)
        .with_page(DONE, "Done", "heading \"All done\" e8")
        .on(
            HOME,
            &reveals("e1"),
            [Reply::Fail(ErrorClass::Intercepted, COVERED)],
        )
        .on(HOME, &reveals("e9"), [Reply::Show(HOME_OPEN)])
        .on(HOME_OPEN, &reveals("e1"), [Reply::Show(DONE)])
        .on(
            BOATS,
            &reveals("e2"),
            [Reply::Fail(ErrorClass::Intercepted, COVERED)],
        )
        .on(BOATS, &reveals("e9"), [Reply::Show(BOATS_OPEN)])
        .on(BOATS_OPEN, &reveals("e2"), [Reply::Show(DONE)])
}

/// A model that clicks one element. It clicks the banner first if the message says so, else after a failure.
fn clicks(target: &'static str) -> ScriptedModel {
    let mut tried = false;
    ScriptedModel::deciding(move |request| {
        let message = &request.message;
        if message.contains("heading \"All done\"") {
            return Ok(finish());
        }
        let is_told = message.contains("e9 is on top of other elements");
        if message.contains("e9 button \"Accept all\"") && (is_told || tried) {
            return Ok(click("e9"));
        }
        tried = true;
        Ok(click(target))
    })
}

struct Ran {
    messages: Vec<String>,
    /// The actions that the browser got, without the first one, which opens the page.
    did: Vec<String>,
    changes: Vec<(String, Value)>,
}

async fn run(
    store: &InMemory,
    kinds: Vec<Arc<dyn MemoryKind>>,
    id: &str,
    start: &str,
    browser: ScriptedBrowser,
    model: ScriptedModel,
) -> Ran {
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    run_with(options, store, kinds, id, start, browser, model).await
}

async fn run_with(
    options: Options,
    store: &InMemory,
    kinds: Vec<Arc<dyn MemoryKind>>,
    id: &str,
    start: &str,
    browser: ScriptedBrowser,
    model: ScriptedModel,
) -> Ran {
    let clock = FixedClock::at(FIRST_DAY);
    run_at(clock, options, store, kinds, id, start, browser, model).await
}

#[expect(clippy::too_many_arguments, reason = "each is a part of the story")]
async fn run_at(
    clock: FixedClock,
    options: Options,
    store: &InMemory,
    kinds: Vec<Arc<dyn MemoryKind>>,
    id: &str,
    start: &str,
    browser: ScriptedBrowser,
    model: ScriptedModel,
) -> Ran {
    let recorder = Recorder::new();
    let agent = DecisionLoop::builder(browser.clone(), model.clone(), store.clone())
        .with_options(options)
        .with_kinds(kinds)
        .with_clock(clock)
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let goal = if start == BOATS {
        "See the fleet"
    } else {
        "Book it"
    };
    let task = Task::new(goal).unwrap().with_start_url(start).unwrap();
    let report = agent.run(task.with_run_id(RunId::parse(id).unwrap())).await;
    assert!(report.summary.success, "{report:?}");
    let events = recorder.events().into_iter();
    let changes = events.filter_map(|event| match event.kind {
        EventKind::MemoryChanged { what, data, .. } => Some((what, data)),
        _ => None,
    });
    Ran {
        changes: changes.collect(),
        messages: model.requests().into_iter().map(|r| r.message).collect(),
        did: browser.executed().into_iter().skip(1).collect(),
    }
}

fn did(lines: &[&str]) -> Vec<String> {
    let click = |target: &&str| format!("click {}", json!({ "target": target }));
    lines.iter().map(click).collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_in_the_way_on_one_page_is_cleared_away_first_on_another() {
    let store = InMemory::new();
    let cold = run(&store, kinds(), "run_1", HOME, covered(), clicks("e1")).await;
    assert_eq!(cold.did, did(&["e1", "e9", "e1"]));
    let recorded = (
        "fact_recorded".to_owned(),
        json!({ "kind": "obstacle", "confidence": 0.6 }),
    );
    assert!(cold.changes.contains(&recorded), "{:?}", cold.changes);

    let warm = run(&store, kinds(), "run_2", BOATS, covered(), clicks("e2")).await;
    assert_eq!(warm.did, did(&["e9", "e2"]));
    assert!(warm.messages[0].ends_with(FACT), "{}", warm.messages[0]);

    // A lesson is about the button of the first page, so lessons alone do not help on the second one.
    let store = InMemory::new();
    let lessons = || -> Vec<Arc<dyn MemoryKind>> { vec![Arc::new(Lessons)] };
    run(&store, lessons(), "run_1", HOME, covered(), clicks("e1")).await;
    let taught = run(&store, lessons(), "run_2", BOATS, covered(), clicks("e2")).await;
    assert_eq!(taught.did, did(&["e2", "e9", "e2"]));
    figure!(
        "facts_story: obstacle on another page of the host: failed actions 1 with lessons alone, 0 with facts"
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_in_the_way_is_cleared_away_first_on_the_next_page_of_the_same_run() {
    let browser = covered().on(HOME_OPEN, r#"click {"target":"e1"}"#, [Reply::Show(BOATS)]);
    let mut clicked = 0;
    let model = ScriptedModel::deciding(move |request| {
        let message = &request.message;
        if message.contains("heading \"All done\"") {
            return Ok(finish());
        }
        let is_told = message.contains("e9 is on top of other elements");
        if message.contains("e9 button \"Accept all\"") && (is_told || clicked == 1) {
            clicked = 0;
            return Ok(click("e9"));
        }
        clicked += 1;
        let button = if message.contains("e1 button \"Kayak\"") {
            "e1"
        } else {
            "e2"
        };
        Ok(click(button))
    });
    let store = InMemory::new();
    let ran = run(&store, kinds(), "run_1", HOME, browser, model).await;
    // The banner of the second page is never run into.
    assert_eq!(ran.did, did(&["e1", "e9", "e1", "e9", "e2"]));
    assert!(ran.messages[3].contains(FACT), "{}", ran.messages[3]);
    let told = ran.messages[..3]
        .iter()
        .any(|message| message.contains(FACT));
    assert!(!told, "nothing has proven it before");
    // It is stored once, with one observation.
    let facts: Vec<_> = ran
        .changes
        .iter()
        .filter(|(what, _)| what.starts_with("fact_"))
        .collect();
    assert_eq!(facts.len(), 1, "{facts:?}");
    assert_eq!(facts[0].1, json!({ "kind": "obstacle", "confidence": 0.6 }));
}

#[tokio::test(start_paused = true)]
async fn a_fact_is_not_repeated_where_a_lesson_names_its_element() {
    let store = InMemory::new();
    run(&store, kinds(), "run_1", HOME, covered(), clicks("e1")).await;
    let replies = ["e9", "e1"].map(click).into_iter().chain([finish()]);
    let model = ScriptedModel::new(replies);
    let again = run(&store, kinds(), "run_2", HOME, covered(), model).await;
    let message = &again.messages[0];
    assert!(message.contains("click e9 first."), "{message}");
    assert!(!message.contains("## Facts about this site"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_fact_that_a_run_contradicts_leaves_the_prompt() {
    let store = InMemory::new();
    run(&store, kinds(), "run_1", HOME, covered(), clicks("e1")).await;
    // The banner is still there, but nothing is behind it.
    let harmless = || {
        let page = format!("button \"Canoe\" e2\n{BANNER}");
        let chosen = format!("{page}\nbutton \"Next\" e3");
        ScriptedBrowser::new()
            .with_page(BOATS, "Boats", &page)
            .with_page(BOATS_OPEN, "Boats", &chosen)
            .with_page(DONE, "Done", "heading \"All done\" e8")
            .on(BOATS, r#"click {"target":"e2"}"#, [Reply::Show(BOATS_OPEN)])
            .on(BOATS_OPEN, r#"click {"target":"e3"}"#, [Reply::Show(DONE)])
    };
    let model = || ScriptedModel::new(["e2", "e3"].map(click).into_iter().chain([finish()]));
    let second = run(&store, kinds(), "run_2", BOATS, harmless(), model()).await;
    assert!(second.messages[0].contains(FACT), "{}", second.messages[0]);
    let doubted = (
        "fact_contradicted".to_owned(),
        json!({ "kind": "obstacle", "confidence": 0.3 }),
    );
    assert!(second.changes.contains(&doubted), "{:?}", second.changes);
    let third = run(&store, kinds(), "run_3", BOATS, harmless(), model()).await;
    assert!(
        third
            .messages
            .iter()
            .all(|message| !message.contains("## Facts"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_proposed_fact_is_shown_as_data_after_a_second_run_or_as_words_of_the_person_who_accepted_it()
 {
    let remember = || {
        call(
            "remember",
            json!({ "key": "delivery", "value": "It takes two days." }),
        )
    };
    let page = || ScriptedBrowser::new().with_page(DONE, "Done", "heading \"All done\" e8");
    let proposes = || ScriptedModel::new([remember(), finish()]);
    let looks = || ScriptedModel::new([finish()]);
    let data = "\n## Facts about this site\n- \"delivery: It takes two days.\"\n";
    let words = "\n## Facts about this site\n- delivery: It takes two days.\n";

    let store = InMemory::new();
    run(&store, kinds(), "run_1", DONE, page(), proposes()).await;
    let second = run(&store, kinds(), "run_2", DONE, page(), proposes()).await;
    assert!(
        !second.messages[0].contains("delivery:"),
        "{}",
        second.messages[0]
    );
    let third = run(&store, kinds(), "run_3", DONE, page(), looks()).await;
    assert!(third.messages[0].contains(data), "{}", third.messages[0]);
    assert!(!third.messages[0].contains(words));

    let store = InMemory::new();
    run(&store, kinds(), "run_1", DONE, page(), proposes()).await;
    let keeper = Memory::new(&store, Namespace::default());
    let read = keeper.items().await.unwrap();
    let item = read
        .items
        .iter()
        .find(|item| item.shelf.collection == "knowledge")
        .unwrap();
    let now = "2026-01-02T03:04:05Z".parse().unwrap();
    keeper.accept(item, now).await.unwrap();
    let second = run(&store, kinds(), "run_2", DONE, page(), looks()).await;
    assert!(
        second.messages[0].ends_with(words),
        "{}",
        second.messages[0]
    );
}

/// A page with one button that leads to the last page, and that the page draws anew under another reference and name before
/// the second click on it.
fn details(name: &str) -> ScriptedBrowser {
    let anew = format!("button \"{name} (2)\" e11 [testid=more]\n\"Ready\"");
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", &format!("button \"{name}\" e1 [testid=more]"))
        .with_page(HOME_OPEN, "Desk", &anew)
        .with_page(DONE, "Done", "heading \"All done\" e8")
        .on(HOME, r#"click {"target":"e1"}"#, [Reply::Show(DONE)])
        .on(HOME_OPEN, r#"click {"target":"e11"}"#, [Reply::Show(DONE)])
        .on(
            HOME_OPEN,
            &format!(
                "click {}",
                json!({ "target": format!("role=button[name=\"{name} (2)\" exact]") })
            ),
            [Reply::Show(DONE)],
        )
}

#[tokio::test(start_paused = true)]
async fn of_the_elements_that_runs_used_a_host_keeps_twenty_and_the_most_used_among_them() {
    // Each button leads on to the same page with the number of clicks.
    let buttons = |count: u32| {
        let line = |n| format!("button \"Button {n}\" e{n} [testid=b{n}]\n");
        let lines: String = (1..=count).map(line).collect();
        let urls: Vec<&str> = (0..=count).map(|n| &*format!("{HOME}{n}").leak()).collect();
        let page = |browser: ScriptedBrowser, n: usize| {
            let lines = format!("{lines}\"All done\"\n\"{n} clicks\"");
            let click = format!("click {{\"target\":\"e{}\"}}", n + 1);
            let next = urls.get(n + 1).map(|next| Reply::Show(next));
            let browser = browser.with_page(urls[n], "Desk", &lines);
            browser.on(urls[n], &click, next)
        };
        (0..urls.len()).fold(ScriptedBrowser::new(), page)
    };
    let home = format!("{HOME}0");
    let clicks = |which: std::ops::RangeInclusive<u32>| {
        let clicks = which.map(|n| click(&format!("e{n}")));
        ScriptedModel::new(clicks.chain([finish()]))
    };
    let store = InMemory::new();
    // The first button is used by two runs, the others by one.
    run(&store, kinds(), "run_1", &home, buttons(25), clicks(1..=1)).await;
    run(&store, kinds(), "run_2", &home, buttons(25), clicks(1..=25)).await;
    let filter = ShelfFilter {
        collection: Some("selectors".into()),
        ..ShelfFilter::default()
    };
    let shelves = store.shelves(&filter).await.unwrap();
    let [shelf] = &shelves[..] else {
        panic!("{shelves:?}")
    };
    let kept = store.load(shelf).await.unwrap().records;
    assert_eq!(kept.len(), MAX_SELECTORS);
    let kept: Vec<String> = kept.iter().map(|record| record.body.to_string()).collect();
    assert!(
        kept.iter().any(|body| body.contains("\"Button 1\"")),
        "{kept:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_element_that_has_another_name_now_is_found_by_what_earlier_runs_know_of_it() {
    let named = |words: &str| click(&format!("text={}", Value::from(words)));
    let store = InMemory::new();
    let first = ScriptedModel::new([click("e1"), finish()]);
    run(
        &store,
        kinds(),
        "run_1",
        HOME,
        details("Show details"),
        first,
    )
    .await;

    let by_words = || ScriptedModel::new([named("Show details"), finish()]);
    let healed = run(&store, kinds(), "run_2", HOME, details("More"), by_words()).await;
    assert_eq!(healed.did, did(&["e1"]));
    let note =
        "the target of the last click has another name than in earlier runs; it was found as e1";
    assert!(healed.messages[1].contains(note), "{}", healed.messages[1]);
    let used = (
        "selector_used".to_owned(),
        json!({ "done": true, "used": true, "followed": true, "helped": true, "harmed": false }),
    );
    assert!(healed.changes.contains(&used), "{:?}", healed.changes);

    // Without memory, the words go to the driver as they are.
    let lost = ScriptedModel::new([named("Show details"), click("e1"), finish()]);
    let cold = run(
        &InMemory::new(),
        kinds(),
        "run_1",
        HOME,
        details("More"),
        lost,
    )
    .await;
    assert_eq!(cold.did, did(&["text=\"Show details\"", "e1"]));

    // A run that holds all of memory back as a control uses no remembered element either.
    let lost = ScriptedModel::new([named("Show details"), click("e1"), finish()]);
    let mut control = Options::default();
    control.approval = ApprovalMode::Auto;
    control.withheld_share = 1.0;
    let held = run_with(
        control,
        &store,
        kinds(),
        "run_4",
        HOME,
        details("More"),
        lost,
    )
    .await;
    assert_eq!(held.did, did(&["text=\"Show details\"", "e1"]));

    // What cannot be taken back is not decided by memory.
    let refused = ScriptedModel::new([named("Show details"), click("e1"), finish()]);
    let other = run(
        &store,
        kinds(),
        "run_3",
        HOME,
        details("Delete account"),
        refused,
    )
    .await;
    assert_eq!(other.did[0], did(&["text=\"Show details\""])[0]);
}

#[tokio::test(start_paused = true)]
async fn a_button_that_was_drawn_anew_with_another_text_is_found_in_the_same_step() {
    let anew = || {
        details("Show details").on(
            HOME,
            r#"click {"target":"e1"}"#,
            [Reply::FailOn(HOME_OPEN, ErrorClass::RefNotFound)],
        )
    };
    let by_words = r#"role=button[name="Show details (2)" exact]"#;
    let store = InMemory::new();
    let first = ScriptedModel::new([click("e1"), finish()]);
    run(
        &store,
        kinds(),
        "run_1",
        HOME,
        details("Show details"),
        first,
    )
    .await;
    let model = ScriptedModel::new([click("e1"), finish()]);
    let healed = run(&store, kinds(), "run_2", HOME, anew(), model).await;
    assert_eq!(healed.did, did(&["e1", by_words]));
    let model = ScriptedModel::new([click("e1"), click("e11"), finish()]);
    let cold = run(&InMemory::new(), kinds(), "run_1", HOME, anew(), model).await;
    assert_eq!(cold.did, did(&["e1", "e11"]));
    assert_eq!(cold.messages.len(), healed.messages.len() + 1);
    // A person approved the name that was shown, and no other.
    let delete = || {
        details("Delete draft").on(
            HOME,
            r#"click {"target":"e1"}"#,
            [Reply::FailOn(HOME_OPEN, ErrorClass::RefNotFound)],
        )
    };
    let first = ScriptedModel::new([click("e1"), finish()]);
    let known = details("Delete draft");
    run(&store, kinds(), "run_3", HOME, known, first).await;
    let model = ScriptedModel::new([click("e1"), click("e11"), finish()]);
    let asked = run(&store, kinds(), "run_4", HOME, delete(), model).await;
    assert_eq!(asked.did, did(&["e1", "e11"]));
    figure!(
        "facts_story: a renamed element: {} calls of the model without memory, {} with it",
        cold.messages.len(),
        healed.messages.len()
    );
}
