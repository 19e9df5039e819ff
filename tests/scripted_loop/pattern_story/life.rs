//! The life of patterns: of which type they are, which of them are shown first, and when they are no longer shown or are forgotten.

use chrono::{DateTime, Utc};
use webwise::{
    action::ErrorClass,
    memory::pattern::{self, PatternSource},
};

use super::*;

const HALL: &str = "https://desk.example/hall";
const FILLED: &str = "https://desk.example/hall#filled";

fn now() -> DateTime<Utc> {
    "2026-01-02T03:00:05Z".parse().unwrap()
}

fn host() -> Host {
    Host::of_domain("desk.example").unwrap()
}

fn click(target: &str) -> ChatResponse {
    call("click", json!({ "target": target }))
}

fn ends(success: bool) -> ChatResponse {
    let (answer, evidence) = if success {
        ("All done", "All done")
    } else {
        ("no", "")
    };
    call(
        "finish",
        json!({ "answer": answer, "evidence": evidence, "success": success }),
    )
}

/// A hall behind a link, which leads on to three desks: by a link, or by a form that takes the name of a branch.
fn hall(has_form: bool, branch: &str) -> ScriptedBrowser {
    let form = |field: &str| format!("textbox \"Branch\" {field}\nbutton \"Open\" e2");
    let hall = if has_form {
        form("e1")
    } else {
        "link \"Ledger\" e2".to_owned()
    };
    let typed = json!({ "target": "e1", "text": branch });
    let on = |target: &str| format!("click {}", json!({ "target": target }));
    let desks = "navigation\n  link \"Orders\" e1\n  link \"Settings\" e2\n  link \"Reports\" e3";
    let mut browser = ScriptedBrowser::new()
        .with_page(
            DESK.home,
            "Home",
            "navigation\n  link \"News\" e1\n  link \"Help\" e2\n  link \"Staff\" e3",
        )
        .with_page(HALL, "Hall", &hall)
        .with_page(FILLED, "Hall", &form(&format!("e1 = {branch}")))
        .with_page(DESK.desk, "Desk", desks)
        .with_page(DESK.done, "Done", "heading \"All done\" e1")
        .on(DESK.home, &on("e3"), [Reply::Show(HALL)])
        .on(HALL, &format!("fill {typed}"), [Reply::Show(FILLED)])
        .on(FILLED, &on("e2"), [Reply::Show(DESK.desk)]);
    if !has_form {
        browser = browser.on(HALL, &on("e2"), [Reply::Show(DESK.desk)]);
    }
    for link in ["e1", "e2", "e3"] {
        browser = browser.on(DESK.desk, &on(link), [Reply::Show(DESK.done)]);
    }
    browser
}

/// A run of these replies: its messages, and what it changed in memory.
async fn play(
    store: &InMemory,
    browser: ScriptedBrowser,
    (id, goal): (&str, &str),
    replies: Vec<ChatResponse>,
) -> Ran {
    let (model, recorder) = (ScriptedModel::new(replies), Recorder::new());
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = Task::new(goal).unwrap().with_start_url(DESK.home).unwrap();
    agent.run(task.with_run_id(RunId::parse(id).unwrap())).await;
    let changes = recorder.events().into_iter();
    let changes = changes.filter_map(|event| match event.kind {
        EventKind::MemoryChanged { what, data, .. } => Some((what, data)),
        _ => None,
    });
    let (messages, systems) = model
        .requests()
        .into_iter()
        .map(|asked| (asked.message, asked.system))
        .unzip();
    Ran {
        messages,
        systems,
        changes: changes.collect(),
    }
}

/// Two runs with different goals that go through the hall, and what the second changed in memory.
async fn through_the_hall(store: &InMemory, has_form: bool) -> Ran {
    let mut last = None;
    for (id, goal, branch, link) in [
        ("run_1", "Tell how many orders are open", "north", "e1"),
        ("run_2", "Switch the language to German", "south", "e2"),
    ] {
        let typed = call("fill", json!({ "target": "e1", "text": branch }));
        let on = has_form.then_some(typed).into_iter();
        let replies =
            [click("e3")]
                .into_iter()
                .chain(on)
                .chain([click("e2"), click(link), ends(true)]);
        last = Some(play(store, hall(has_form, branch), (id, goal), replies.collect()).await);
    }
    last.unwrap()
}

/// The events of this name.
fn told<'r>(ran: &'r Ran, what: &str) -> Vec<&'r Value> {
    let changes = ran.changes.iter().filter(|(name, _)| name == what);
    changes.map(|(_, data)| data).collect()
}

/// A pattern of two steps from the home page, which a person gave.
fn given(words: &str) -> Pattern {
    let click = |role, name| StoredStep::new(BrowserTool::Click).with_target(role, name);
    let steps = [click(Role::Link, "News"), click(Role::Button, words)];
    Pattern::given(words, &steps, now()).unwrap()
}

async fn put(store: &InMemory, patterns: impl IntoIterator<Item = Pattern>) {
    let keeper = Keeper::new(store, Namespace::default());
    let edits = patterns.into_iter();
    let edits = edits.map(|pattern| pattern.put(&Namespace::default(), &host()));
    keeper.apply(edits.collect()).await.unwrap();
}

/// The patterns that the first message of a new run shows, in their order.
async fn shown(store: &InMemory) -> Vec<String> {
    let story = ("run_9", "Look");
    let ran = play(
        &store.fork(),
        hall(false, "north"),
        story,
        vec![ends(false)],
    )
    .await;
    let lines = section(&ran.messages[0], "Patterns of this site").lines();
    let heads = lines.filter_map(|line| line.strip_prefix("- ")?.split_once(" ("));
    heads.map(|(words, _)| words.to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn steps_without_a_password_are_a_way_on_or_a_form_that_is_filled_in() {
    for (has_form, kind, steps, words) in [
        (
            false,
            "navigation",
            2,
            "How earlier tasks went on from here",
        ),
        (
            true,
            "form_fill",
            3,
            "How earlier tasks filled in a form here",
        ),
    ] {
        let store = InMemory::new();
        let ran = through_the_hall(&store, has_form).await;
        let recorded = json!({ "type": kind, "steps": steps, "tasks": 2 });
        assert_eq!(
            told(&ran, "pattern_recorded"),
            [&recorded],
            "{:?}",
            ran.changes
        );
        assert_eq!(shown(&store).await, [words]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pattern_that_fails_in_three_runs_in_a_row_is_no_longer_shown() {
    let store = InMemory::new();
    through_the_hall(&store, false).await;
    for n in 0..3 {
        assert_eq!(shown(&store).await.len(), 1, "{n}");
        let fails = Reply::Fail(ErrorClass::Timeout, "it moves");
        let browser = hall(false, "north").on(HALL, r#"click {"target":"e2"}"#, [fails]);
        let (id, goal) = (format!("run_1{n}"), format!("Print the report of year {n}"));
        let replies = vec![click("e3"), click("e2"), ends(false)];
        let ran = play(&store, browser, (&id, &goal), replies).await;
        let used = told(&ran, "pattern_used");
        assert!(
            used.len() == 1 && used[0]["result"] == "failed",
            "{:?}",
            ran.changes
        );
        let retired = told(&ran, "pattern_retired").len();
        assert_eq!(retired, usize::from(n == 2), "{n}");
    }
    assert_eq!(shown(&store).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn uses_that_another_program_counts_retire_a_pattern_too() {
    let store = InMemory::new();
    let pattern = given("Read the news");
    put(&store, [pattern.clone()]).await;
    let keeper = Keeper::new(&store, Namespace::default());
    for n in 0..3 {
        assert_eq!(shown(&store).await, ["Read the news"], "{n}");
        // A use with a known id is counted once.
        for _ in 0..2 {
            let run = RunId::parse(format!("use_{n}")).unwrap();
            let counted = pattern::credit(
                &Namespace::default(),
                &host(),
                &pattern.key(),
                &run,
                false,
                now(),
            );
            keeper.apply(vec![counted]).await.unwrap();
        }
    }
    assert_eq!(shown(&store).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn of_several_patterns_those_are_shown_that_helped_most_often() {
    let store = InMemory::new();
    let used = |words: &str, succeeded, failed| {
        let mut pattern = given(words);
        (pattern.header.succeeded, pattern.header.failed) = (succeeded, failed);
        pattern
    };
    let patterns = [
        ("Worst", 0, 2),
        ("New", 0, 0),
        ("Best", 9, 1),
        ("Good", 3, 1),
    ];
    put(
        &store,
        patterns.map(|(words, succeeded, failed)| used(words, succeeded, failed)),
    )
    .await;
    assert_eq!(shown(&store).await, ["Best", "Good"]);
}

#[tokio::test(start_paused = true)]
async fn of_more_than_a_hundred_patterns_eighty_stay_and_the_worst_and_least_recent_go_first() {
    let store = InMemory::new();
    let learned = |n: usize| {
        let mut pattern = given(&format!("Button {n}"));
        let header = &mut pattern.header;
        header.source = PatternSource::Learned;
        header.created = "2026-01-01T00:00:00Z".parse().unwrap();
        // The first have only failed, and the others have helped. Of these, some were used long ago.
        let fails = n <= 10;
        (header.succeeded, header.failed) = if fails { (0, 2) } else { (2, 0) };
        let used = if n <= 21 {
            "2026-01-01T00:00:00Z"
        } else {
            "2026-01-02T00:00:00Z"
        };
        header.last_used = used.parse().unwrap();
        pattern
    };
    let mut of_person = given("A person's");
    of_person.header.failed = 3;
    put(&store, (1..100).map(learned).chain([of_person.clone()])).await;
    let kept = async || -> Vec<String> {
        let keeper = Keeper::new(&store, Namespace::default());
        let items = keeper.items().await.unwrap().items.into_iter();
        let patterns = items.filter(|item| item.shelf.collection == "patterns");
        patterns.map(|item| item.record.key).collect()
    };
    assert_eq!(kept().await.len(), 100);
    let ran = through_the_hall(&store, false).await;
    assert_eq!(told(&ran, "pattern_recorded").len(), 1, "{:?}", ran.changes);
    assert_eq!(told(&ran, "pattern_evicted").len(), 21);
    let kept = kept().await;
    assert_eq!(kept.len(), 80);
    assert!(kept.contains(&of_person.key()));
    for n in 1..100 {
        let pattern = learned(n);
        assert_eq!(kept.contains(&pattern.key()), n > 21, "{n}");
    }
}
