//! What a run reads of earlier runs on its site, through the whole loop with scripted ports: the way of a similar task, and the
//! results of its session. `kept`: what is kept for how long.
//! `turns`: the turns of a session on other hosts. `mapped`: the map of an explored site.

mod kept;
mod mapped;
mod room;
mod turns;

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, SessionId, Task,
    agent::Options,
    chat::ChatResponse,
    event::EventKind,
    guard::ApprovalMode,
    store::InMemory,
    testing::{FixedClock, Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

const HOME: &str = "https://desk.example/";
const FILLED: &str = "https://desk.example/#filled";
const LIST: &str = "https://desk.example/list";
const ITEM: &str = "https://desk.example/item/7";
const DONE: &str = "https://desk.example/done";

/// A desk on which a value is typed, one of the rows is opened, and a button ends the task.
fn desk(typed: &str, row: &str, button: &str) -> ScriptedBrowser {
    let home = "textbox \"Value\" e1\nbutton \"Go\" e2";
    let list = format!(
        "list\n  listitem\n    link \"{row}\" e3\n  listitem\n    link \"Another\" e4\n  listitem\n    link \"A third\" e5"
    );
    let item = format!("heading \"Details\" e6\nbutton \"{button}\" e7");
    let fill = json!({ "target": "e1", "text": typed });
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", home)
        .with_page(FILLED, "Desk", &format!("{home}\n\"Ready\""))
        .with_page(LIST, "List", &list)
        .with_page(ITEM, "Item", &item)
        .with_page(DONE, "Done", "heading \"All done\" e8")
        .on(HOME, &format!("fill {fill}"), [Reply::Show(FILLED)])
        .on(FILLED, r#"click {"target":"e2"}"#, [Reply::Show(LIST)])
        .on(LIST, r#"click {"target":"e3"}"#, [Reply::Show(ITEM)])
        .on(ITEM, r#"click {"target":"e7"}"#, [Reply::Show(DONE)])
}

/// The replies of a model that does the whole task, and says so again if it is told that the goal names more.
fn replies(typed: &str) -> Vec<ChatResponse> {
    let click = |target: &str| call("click", json!({ "target": target }));
    let finish = || {
        call(
            "finish",
            json!({ "answer": "All done", "evidence": "All done" }),
        )
    };
    vec![
        call("fill", json!({ "target": "e1", "text": typed })),
        click("e2"),
        click("e3"),
        click("e7"),
        finish(),
        finish(),
    ]
}

struct Ran {
    messages: Vec<String>,
    changes: Vec<(String, String, Value)>,
}

impl Ran {
    /// The sections about earlier runs in the first message, names in tips included.
    fn said(&self) -> String {
        let message = &self.messages[0];
        let mut out = String::new();
        for section in message.split("## ") {
            let of_memory = ["Done here before", "Session history", "Names in the tips"];
            if of_memory.iter().any(|heading| section.starts_with(heading)) {
                out.push_str(section);
            }
        }
        out
    }
}

async fn run(
    store: &InMemory,
    id: &str,
    session: Option<&str>,
    goal: &str,
    typed: &str,
    row: &str,
    button: &str,
) -> Ran {
    let model = ScriptedModel::new(replies(typed));
    let recorder = Recorder::new();
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    let agent = DecisionLoop::builder(desk(typed, row, button), model.clone(), store.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let mut task = Task::new(goal)
        .unwrap()
        .with_start_url(HOME)
        .unwrap()
        .with_run_id(RunId::parse(id).unwrap());
    if let Some(session) = session {
        task = task.with_session(SessionId::parse(session).unwrap());
    }
    let report = agent.run(task).await;
    assert!(report.summary.success, "{report:?}");
    let changes = recorder
        .events()
        .into_iter()
        .filter_map(|event| match event.kind {
            EventKind::MemoryChanged {
                what, text, data, ..
            } => Some((what, text, data)),
            _ => None,
        });
    Ran {
        messages: model
            .requests()
            .into_iter()
            .map(|request| request.message)
            .collect(),
        changes: changes.collect(),
    }
}

#[tokio::test]
async fn a_similar_task_reads_the_steps_of_the_earlier_one() {
    let store = InMemory::new();
    let goal = |what: &str| format!("Look up {what} and close the first case");
    let cold = run(
        &store,
        "run_1",
        None,
        &goal("blue boats"),
        "blue boats",
        "Case of Meyer",
        "Close",
    )
    .await;
    assert_eq!(cold.said(), "");
    let recorded = (
        "recipe_recorded".to_owned(),
        goal("blue boats"),
        json!({ "steps": 4, "runs": 1 }),
    );
    assert!(cold.changes.contains(&recorded), "{:?}", cold.changes);

    let warm = run(
        &store,
        "run_2",
        None,
        &goal("red cars"),
        "red cars",
        "Case of Silva",
        "Close",
    )
    .await;
    let expected = "## Done here before\n\
        - t1 \"Look up <value> and close the first case\" 4 steps, 1 of 1 run reached their goal\n  1. fill textbox \"Value\" <value>\n  \
        2. click button \"Go\" -> /list\n  3. click link -> /item/:n (choose it yourself from what the page shows)\n  \
        4. click button \"Close\" -> /done\n";
    // It stays where it is, so that a provider can cache it.
    for message in &warm.messages {
        assert!(message.contains(expected), "{message}");
    }
    let ignored = warm
        .changes
        .iter()
        .any(|(what, _, data)| what == "recipe_used" && data["used"] == false);
    assert!(ignored, "{:?}", warm.changes);
}

#[tokio::test]
async fn no_value_of_another_task_is_shown_and_it_is_never_called_the_same_task() {
    // Each pair: the goal that was recorded with its typed value, and another goal. The words that only the first has.
    let pairs: [(&str, &str, &str, &[&str]); 9] = [
        (
            "Transfer the balance of account A",
            "A",
            "Transfer the balance of account B",
            &["account A"],
        ),
        (
            "Delete item 5 from the list",
            "5",
            "Delete item 7 from the list",
            &["item 5", "5 from"],
        ),
        (
            "Print the report for March",
            "March",
            "Print the report for April",
            &["March"],
        ),
        (
            "Delete the oldest entry",
            "oldest",
            "Delete the newest entry",
            &["oldest"],
        ),
        (
            "東京のホテルを予約する",
            "東京",
            "大阪のホテルを予約する",
            &["東京"],
        ),
        ("احجز فندقا في دبي", "دبي", "احجز فندقا في عمان", &["دبي"]),
        (
            "Pay invoice 88 to Nordwind",
            "88",
            "Pay invoice 89 to Nordwind",
            &["88"],
        ),
        (
            "Send \"see you\" to Ann",
            "see you",
            "Send \"good bye\" to Ann",
            &["see you"],
        ),
        ("Отмени заказ 12", "12", "Отмени заказ 21", &["12"]),
    ];
    for (n, (known, typed, goal, gone)) in pairs.into_iter().enumerate() {
        let store = InMemory::new();
        let row = format!("Row of {typed}");
        run(&store, "run_1", None, known, typed, &row, "Close").await;
        let said = run(&store, "run_2", None, goal, goal, "Another row", "Close")
            .await
            .said();
        for word in gone.iter().chain([&&*row]) {
            assert!(!said.contains(*word), "{n} shows {word}: {said}");
        }
    }
}

#[tokio::test]
async fn the_next_run_of_a_session_knows_what_the_last_one_did() {
    let store = InMemory::new();
    let first = run(
        &store,
        "run_1",
        Some("proj"),
        "File an issue about the roof",
        "roof",
        "A",
        "File",
    )
    .await;
    let recorded = (
        "session_recorded".to_owned(),
        "File an issue about the roof".to_owned(),
        json!({ "success": true }),
    );
    assert!(first.changes.contains(&recorded), "{:?}", first.changes);
    let next = run(
        &store,
        "run_2",
        Some("proj"),
        "Set its status to done",
        "done",
        "A",
        "Set",
    )
    .await;
    let expected = "## Session history\n- \"just now, done: File an issue about the roof\"\n  \"answer: All done\"\n  \
        \"ended at https://desk.example/done\"\n";
    assert!(next.messages[0].contains(expected), "{}", next.messages[0]);
    let stranger = run(&store, "run_3", None, "Water the plants", "x", "A", "Pour").await;
    let said = stranger.said();
    assert!(
        !said.contains("Session history") && !said.contains("File an issue about the roof"),
        "{said}"
    );
}

#[tokio::test]
async fn a_session_that_moves_to_another_host_knows_what_was_asked_there() {
    let store = InMemory::new();
    let finish = json!({ "answer": "Paid 9", "evidence": "Paid" });
    let bank = "https://bank.example/";
    let pays = async |goal: &str| {
        let model = ScriptedModel::new([call("finish", finish.clone())]);
        let browser = ScriptedBrowser::new().with_page(bank, "Bank", "heading \"Paid\" e1");
        let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
            .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
            .build()
            .unwrap();
        let task = Task::new(goal)
            .unwrap()
            .with_start_url(bank)
            .unwrap()
            .with_session(SessionId::parse("proj").unwrap());
        assert!(agent.run(task).await.summary.success);
        model.requests().remove(0).message
    };
    pays("Pay the roofer").await;

    let next = run(
        &store,
        "run_2",
        Some("proj"),
        "File an issue about the roof",
        "roof",
        "A",
        "File",
    )
    .await;
    let expected = "- \"just now, done: Pay the roofer\"\n";
    assert!(
        next.messages
            .iter()
            .all(|message| message.contains(expected)),
        "{}",
        next.messages[0]
    );
    let last = run(
        &store,
        "run_3",
        Some("proj"),
        "Set its status to done",
        "done",
        "A",
        "Set",
    )
    .await;
    let said = &last.messages[0];
    assert!(
        said.contains(expected) && said.contains("done: File an issue about the roof"),
        "{said}"
    );
    let stranger = run(&store, "run_4", None, "Water the plants", "x", "A", "Pour").await;
    assert!(
        !stranger.messages[0].contains("roofer"),
        "{}",
        stranger.messages[0]
    );
    // No page shows the number of the answer.
    let again = pays("Pay the painter").await;
    let expected = "\"just now, done: Pay the roofer\"\n  \"answer (unverified: 9): Paid 9\"";
    assert!(again.contains(expected), "{again}");
}
