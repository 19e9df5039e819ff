//! A task that memory knows: the model is asked only for what is left to decide.

use super::*;
use webwise::{
    RunReport,
    action::{Action, Effect, Outcome},
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

fn goal(what: &str) -> String {
    format!("Look up {what} and close the first case")
}

/// A store that knows how blue boats were looked up.
async fn experienced(button: &str) -> InMemory {
    let store = InMemory::new();
    let browser = desk("blue boats", "Case of Meyer", button);
    let first = run(
        &store,
        "run_1",
        &goal("blue boats"),
        browser,
        replies("blue boats"),
        |_| (),
    )
    .await;
    assert!(first.report.summary.success, "{:?}", first.report);
    assert_eq!((first.messages.len(), first.replayed()), (5, vec![]));
    store
}

/// The replies of a model that is asked only for the item of the list and the end.
fn few() -> Vec<ChatResponse> {
    let all = replies("");
    vec![all[2].clone(), all[4].clone()]
}

#[tokio::test]
async fn the_model_is_asked_only_for_what_is_left_to_decide() {
    let store = experienced("Close").await;
    let browser = desk("red cars", "Case of Silva", "Close");
    let second = run(&store, "run_2", &goal("red cars"), browser, few(), |_| ()).await;
    assert!(second.report.summary.success, "{:?}", second.report);
    let summary = &second.report.summary;
    assert_eq!((summary.steps, summary.replayed, summary.calls), (6, 3, 2));
    // The third step chooses a row, whose name the goal does not give.
    assert_eq!(
        (second.messages.len(), second.replayed()),
        (2, vec![1, 2, 4])
    );
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
    let note = "- the last steps were taken from memory, as an earlier run with such a task took them (2 steps): check on this page that \
                they did what the goal asks, then go on from here\n";
    assert!(second.messages[0].contains(note), "{}", second.messages[0]);
    assert!(
        second.messages[1].contains("- the last step was taken from memory"),
        "{}",
        second.messages[1]
    );
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
    assert_eq!(way.replayed, [2, 3, 5]);
    assert_eq!(
        way.then.len(),
        4,
        "its own steps, and the one that was decided with it in the prompt: {way:?}"
    );
}

#[tokio::test]
async fn a_run_without_replay_or_that_holds_the_way_back_asks_for_each_step() {
    let without: [fn(&mut Options); 3] = [
        |options| options.replay = Replay::Never,
        |options| options.memory = false,
        |options| options.withheld_share = 1.0,
    ];
    for change in without {
        let store = experienced("Close").await;
        let browser = desk("red cars", "Case of Silva", "Close");
        let all = replies("red cars");
        let second = run(&store, "run_2", &goal("red cars"), browser, all, change).await;
        assert!(second.report.summary.success, "{:?}", second.report);
        assert_eq!((second.messages.len(), second.replayed()), (5, vec![]));
    }
}

#[tokio::test]
async fn what_cannot_be_undone_is_left_to_the_model() {
    let store = experienced("Delete this case").await;
    let browser = desk("red cars", "Case of Silva", "Delete this case");
    let mut asked = few();
    asked.insert(1, replies("")[3].clone());
    let second = run(&store, "run_2", &goal("red cars"), browser, asked, |_| ()).await;
    assert!(second.report.summary.success, "{:?}", second.report);
    assert_eq!((second.messages.len(), second.replayed()), (3, vec![1, 2]));
}

#[tokio::test]
async fn a_way_that_does_not_work_any_more_is_left_to_the_model_and_retired() {
    let store = experienced("Close").await;
    // The button does nothing now.
    let broken = || {
        let home = "textbox \"Value\" e1\nbutton \"Go\" e2";
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
        if n < 5 {
            assert_eq!(run.done(), ["goto done", "fill done", "click no_effect"]);
        }
    }
}

#[tokio::test]
async fn a_step_from_memory_is_told_as_one() {
    let store = experienced("Close").await;
    let browser = desk("red cars", "Case of Silva", "Close");
    let agent = DecisionLoop::builder(browser, ScriptedModel::new(few()), store.clone())
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
