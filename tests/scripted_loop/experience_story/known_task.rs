//! A task that memory knows: the model is asked only for what is left to decide.

use super::*;
use webwise::{
    RunReport,
    action::{Action, Effect, ErrorClass, Outcome},
    event::Event,
    report::explain::explain,
    working::By,
};

/// A run with what its model was asked, and its events.
struct Known {
    report: RunReport,
    messages: Vec<String>,
    events: Vec<Event>,
}

impl Known {
    /// The numbers of the steps that were taken from memory.
    fn replayed(&self) -> Vec<usize> {
        let numbers = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::StepReplayed { number, of: 4, .. } => Some(*number),
            _ => None,
        });
        numbers.collect()
    }

    /// What the run did, each with its outcome.
    fn done(&self) -> Vec<String> {
        let steps = self.events.iter().filter_map(|event| match &event.kind {
            EventKind::ActionExecuted {
                action: Action::Browser(action),
                outcome,
                ..
            } => Some(format!("{} {}", action.tool().as_str(), outcome.as_str())),
            _ => None,
        });
        steps.collect()
    }
}

async fn run(
    store: &InMemory,
    id: &str,
    goal: &str,
    browser: ScriptedBrowser,
    replies: Vec<ChatResponse>,
    change: impl FnOnce(&mut Options),
) -> Known {
    let model = ScriptedModel::new(replies);
    let recorder = Recorder::new();
    let mut options = Options::default();
    options.approval = ApprovalMode::Auto;
    options.replay = Replay::Known;
    change(&mut options);
    let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .with_sink(recorder.clone())
        .build()
        .unwrap();
    let task = Task::new(goal)
        .unwrap()
        .with_start_url(HOME)
        .unwrap()
        .with_run_id(RunId::parse(id).unwrap());
    let report = agent.run(task).await;
    let requests = model.requests().into_iter();
    Known {
        report,
        messages: requests.map(|request| request.message).collect(),
        events: recorder.events(),
    }
}

/// A desk with a search, of which the first result is closed by a button.
fn desk(typed: &str, row: &str, button: &str) -> ScriptedBrowser {
    desk_with("Go", typed, row, button)
}

fn desk_with(go: &str, typed: &str, row: &str, button: &str) -> ScriptedBrowser {
    let home = format!("search\n  searchbox \"Value\" e1\n  button \"{go}\" e2");
    let list = format!(
        "list\n  listitem\n    link \"{row}\" e3\n  listitem\n    link \"Another\" e4\n  listitem\n    link \"A third\" e5"
    );
    let item = format!("heading \"Details\" e6\n{button} e7");
    let fill = json!({ "target": "e1", "text": typed });
    ScriptedBrowser::new()
        .with_page(HOME, "Desk", &home)
        .with_page(FILLED, "Desk", &format!("{home}\n\"Ready\""))
        .with_page(LIST, "List", &list)
        .with_page(ITEM, "Item", &item)
        .with_page(DONE, "Done", "heading \"All done\" e8")
        .on(HOME, &format!("fill {fill}"), [Reply::Show(FILLED)])
        .on(FILLED, r#"click {"target":"e2"}"#, [Reply::Show(LIST)])
        .on(LIST, r#"click {"target":"e3"}"#, [Reply::Show(ITEM)])
        .on(ITEM, r#"click {"target":"e7"}"#, [Reply::Show(DONE)])
}

fn goal(what: &str) -> String {
    format!("Look up {what} and close the first case")
}

/// A store that knows how red cars were looked up.
async fn experienced() -> InMemory {
    let store = InMemory::new();
    let browser = desk("red cars", "Case of Silva", r#"button "Close""#);
    let all = replies("red cars");
    let first = run(&store, "run_1", &goal("red cars"), browser, all, |_| ()).await;
    assert!(first.report.summary.success, "{:?}", first.report);
    assert_eq!((first.messages.len(), first.replayed()), (5, vec![]));
    store
}

/// The replies of a model that is asked only for the item of the list, for the button, and for the end.
fn few() -> Vec<ChatResponse> {
    replies("").split_off(2)
}

#[tokio::test]
async fn the_model_is_asked_only_for_what_is_left_to_decide() {
    let store = experienced().await;
    let browser = desk("red cars", "Case of Silva", r#"button "Close""#);
    let second = run(&store, "run_2", &goal("red cars"), browser, few(), |_| ()).await;
    assert!(second.report.summary.success, "{:?}", second.report);
    let summary = &second.report.summary;
    assert_eq!((summary.steps, summary.replayed, summary.calls), (6, 2, 3));
    // The third step chooses a row, whose name the goal does not give, and the last one presses a button.
    assert_eq!((second.messages.len(), second.replayed()), (3, vec![1, 2]));
    assert_eq!(
        second.done(),
        [
            "goto done",
            "fill done",
            "click done",
            "click done",
            "click done"
        ]
    );
    let note = "- the last steps come from memory, as an earlier run with this goal took them (2 steps): check on this page that \
                they did what the goal asks, then go on from here\n";
    assert!(second.messages[0].contains(note), "{}", second.messages[0]);
    assert!(!second.messages[1].contains("from memory"));
    let helped = second.events.iter().any(|event| match &event.kind {
        EventKind::MemoryChanged { what, data, .. } => {
            what == "trajectory_used" && data["result"] == "helped"
        }
        _ => false,
    });
    assert!(helped);
    let items = explain(&second.events);
    let way = items
        .iter()
        .find(|item| item.id.shelf.collection == "trajectories")
        .unwrap();
    assert_eq!(way.replayed, [2, 3]);
    assert_eq!(
        way.then.len(),
        4,
        "its own steps, and those that were decided with it in the prompt: {way:?}"
    );
}

#[tokio::test]
async fn a_step_whose_effect_was_unclear_is_left_to_the_model() {
    let store = InMemory::new();
    let button = r#"button "Close""#;
    // The button brought the next page, but the driver reported a failure.
    let browser = desk("red cars", "Case of Silva", button).on(
        FILLED,
        r#"click {"target":"e2"}"#,
        [Reply::FailOn(LIST, ErrorClass::NotStable)],
    );
    let all = replies("red cars");
    let first = run(&store, "run_1", &goal("red cars"), browser, all, |_| ()).await;
    assert!(first.report.summary.success, "{:?}", first.report);
    assert_eq!(
        first.done(),
        [
            "goto done",
            "fill done",
            "click unclear",
            "click done",
            "click done"
        ]
    );
    let browser = desk("red cars", "Case of Silva", button);
    let rest = replies("").split_off(1);
    let second = run(&store, "run_2", &goal("red cars"), browser, rest, |_| ()).await;
    assert!(second.report.summary.success, "{:?}", second.report);
    assert_eq!((second.messages.len(), second.replayed()), (4, vec![1]));
}

#[tokio::test]
async fn a_run_without_replay_or_that_holds_the_way_back_asks_for_each_step() {
    let without: [fn(&mut Options); 3] = [
        |options| options.replay = Replay::Off,
        |options| options.memory = false,
        |options| options.withheld_share = 1.0,
    ];
    for change in without {
        let store = experienced().await;
        let browser = desk("red cars", "Case of Silva", r#"button "Close""#);
        let all = replies("red cars");
        let second = run(&store, "run_2", &goal("red cars"), browser, all, change).await;
        assert!(second.report.summary.success, "{:?}", second.report);
        assert_eq!((second.messages.len(), second.replayed()), (5, vec![]));
    }
}

#[tokio::test]
async fn what_cannot_be_undone_is_left_to_the_model() {
    let link = r#"link "Delete account""#;
    let store = InMemory::new();
    let goal = "Look up \"red cars\" and delete account 7";
    let page = || desk("red cars", "Case of Meyer", link);
    let first = run(&store, "run_1", goal, page(), replies("red cars"), |_| ()).await;
    assert!(first.report.summary.success, "{:?}", first.report);
    // The goal names the link, which leads to another page; only its words forbid it.
    let second = run(&store, "run_2", goal, page(), few(), |_| ()).await;
    assert!(second.report.summary.success, "{:?}", second.report);
    assert_eq!((second.messages.len(), second.replayed()), (3, vec![1, 2]));
}

#[tokio::test]
async fn what_the_model_has_not_read_yet_comes_before_the_next_step() {
    let page = || {
        let noted = "heading \"Noted\" e9";
        let list = "list\n  listitem\n    link \"Meyer\" e3\n  listitem\n    link \"Silva\" e4";
        ScriptedBrowser::new()
            .with_page(HOME, "Desk", list)
            .with_page(ITEM, "Item", "textbox \"Note\" e6")
            .with_page(DONE, "Item", &format!("textbox \"Note\" e6\n{noted}"))
            .on(HOME, r#"click {"target":"e3"}"#, [Reply::Show(ITEM)])
            .on(
                ITEM,
                r#"fill {"target":"e6","text":"red"}"#,
                [Reply::Show(DONE)],
            )
    };
    let goal = "Open the first case and write the note \"red\"";
    let click = || call("click", json!({ "target": "e3" }));
    let fill = || call("fill", json!({ "target": "e6", "text": "red" }));
    let finish = || call("finish", json!({ "answer": "Noted", "evidence": "Noted" }));
    let store = InMemory::new();
    run(
        &store,
        "run_1",
        goal,
        page(),
        vec![click(), fill(), finish()],
        |_| (),
    )
    .await;
    let second = run(
        &store,
        "run_2",
        goal,
        page(),
        vec![click(), finish()],
        |_| (),
    )
    .await;
    assert!(second.report.summary.success, "{:?}", second.report);
    assert_eq!(
        (second.report.summary.replayed, second.messages.len()),
        (1, 2)
    );

    // It also looks for something, so it reads what was found before anything else is done.
    let mut both = click();
    both.calls
        .extend(call("find", json!({ "text": "Note" })).calls);
    let third = run(
        &store,
        "run_3",
        goal,
        page(),
        vec![both, fill(), finish()],
        |_| (),
    )
    .await;
    assert!(third.report.summary.success, "{:?}", third.report);
    assert_eq!(
        (third.report.summary.replayed, third.messages.len()),
        (0, 3)
    );
}

#[tokio::test]
async fn a_goal_or_page_whose_meaning_changed_is_left_to_the_model() {
    let store = experienced().await;
    let button = r#"button "Close""#;
    let known = goal("red cars");
    for (n, (goal, button, replayed)) in [
        (known.clone(), button, vec![1, 2]),
        (format!("{known}. Ask me before."), button, vec![]),
        (known.replace("and", "and do not"), button, vec![]),
        (goal("blue boats"), button, vec![]),
    ]
    .into_iter()
    .enumerate()
    {
        let typed = if goal.contains("red cars") {
            "red cars"
        } else {
            "blue boats"
        };
        let browser = desk(typed, "Case of Silva", button);
        let replies = replies(typed).split_off(replayed.len());
        let id = format!("run_{}", n + 2);
        let run = run(&store.fork(), &id, &goal, browser, replies, |_| ()).await;
        assert!(run.report.summary.success, "{goal}: {:?}", run.report);
        assert_eq!(run.replayed(), replayed, "{goal}");
    }
    // The form of the field says something else now.
    let page = desk_with("Delete", "red cars", "Case of Silva", button);
    let changed = run(&store, "run_9", &known, page, replies("red cars"), |_| ()).await;
    assert_eq!(changed.replayed(), [0; 0], "{:?}", changed.done());
}

#[tokio::test]
async fn words_of_the_user_beside_the_goal_are_left_to_the_model() {
    let store = experienced().await;
    let browser = desk("red cars", "Case of Silva", r#"button "Close""#);
    let mut options = Options::default();
    (options.approval, options.replay) = (ApprovalMode::Auto, Replay::Known);
    let model = ScriptedModel::new(replies("red cars"));
    let agent = DecisionLoop::builder(browser, model.clone(), store)
        .with_options(options)
        .build()
        .unwrap();
    let task = Task::new(goal("red cars"))
        .unwrap()
        .with_start_url(HOME)
        .unwrap()
        .with_instructions("Ask me before you search.")
        .unwrap();
    let report = agent.run(task).await;
    assert_eq!((report.summary.replayed, model.requests().len()), (0, 5));
}

#[tokio::test]
async fn a_way_that_does_not_work_any_more_is_left_to_the_model_and_retired() {
    let store = experienced().await;
    // The button does nothing now.
    let broken = || {
        let home = "search\n  searchbox \"Value\" e1\n  button \"Go\" e2";
        ScriptedBrowser::new()
            .with_page(HOME, "Desk", home)
            .with_page(FILLED, "Desk", &format!("{home}\n\"Ready\""))
            .on(
                HOME,
                r#"fill {"target":"e1","text":"red cars"}"#,
                [Reply::Show(FILLED)],
            )
    };
    for n in 2..6 {
        let gives_up = vec![call(
            "finish",
            json!({ "success": false, "answer": "Go does nothing" }),
        )];
        let id = format!("run_{n}");
        let run = run(&store, &id, &goal("red cars"), broken(), gives_up, |_| ()).await;
        assert!(!run.report.summary.success);
        // Three failed runs in a row are enough.
        let replayed = if n < 5 { vec![1, 2] } else { vec![] };
        assert_eq!(run.replayed(), replayed, "run {n}: {:?}", run.done());
        assert_eq!(run.messages.len(), 1);
        let retired = run.events.iter().filter(|event| {
            let EventKind::MemoryChanged { what, item, .. } = &event.kind else {
                return false;
            };
            what == "trajectory_retired" && item.shelf.collection == "trajectories"
        });
        assert_eq!(retired.count(), usize::from(n == 4), "run {n}");
        if n < 5 {
            let items = explain(&run.events);
            let way = items.iter().find(|item| !item.replayed.is_empty()).unwrap();
            let credit = &way.credited[0];
            assert!(credit.used && credit.harmed, "{credit:?}");
            assert_eq!(run.done(), ["goto done", "fill done", "click no_effect"]);
        }
    }
}

#[tokio::test]
async fn a_step_from_memory_is_told_as_one() {
    let store = experienced().await;
    let browser = desk("red cars", "Case of Silva", r#"button "Close""#);
    let mut options = Options::default();
    options.replay = Replay::Known;
    let agent = DecisionLoop::builder(browser, ScriptedModel::new(few()), store.clone())
        .with_options(options)
        .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
        .build()
        .unwrap();
    let task = Task::new(goal("red cars"))
        .unwrap()
        .with_start_url(HOME)
        .unwrap();
    let mut run = agent.start(task).await;
    while run.steps().len() < 3 {
        assert_eq!(run.step().await, webwise::agent::StepEnd::Continue);
    }
    let by: Vec<(By, Effect, bool)> = run
        .steps()
        .iter()
        .map(|step| (step.by, step.effect, matches!(step.outcome, Outcome::Done)))
        .collect();
    assert_eq!(
        by,
        [
            (By::Task, Effect::Reversible, true),
            (By::Memory, Effect::Reversible, true),
            (By::Memory, Effect::Reversible, true),
        ]
    );
}
