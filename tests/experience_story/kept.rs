//! What is kept of earlier runs and for how long: the age of a way, the choice among several, and the last runs of a host.

use chrono::{DateTime, TimeDelta, Utc};
use webwise::{
    agent::Clock,
    base::TokenCount,
    chat::LlmCapabilities,
    memory::{KindOptions, Namespace, kinds_with},
    store::Keeper,
};

use super::*;

/// A clock that stands at this time.
#[derive(Debug)]
struct At(DateTime<Utc>);

impl Clock for At {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

/// The time so long after the first day began.
fn after(time: TimeDelta) -> DateTime<Utc> {
    "2026-01-02T03:04:05Z".parse::<DateTime<Utc>>().unwrap() + time
}

/// A run at this time.
pub(super) struct Visit<'a> {
    id: &'a str,
    at: TimeDelta,
    pub(super) session: Option<&'a str>,
    goal: &'a str,
    options: KindOptions,
    /// The model's window. Unit: tokens.
    pub(super) window: Option<u64>,
}

impl<'a> Visit<'a> {
    pub(super) fn new(id: &'a str, at: TimeDelta, goal: &'a str) -> Self {
        Self {
            id,
            at,
            session: None,
            goal,
            options: KindOptions::default(),
            window: None,
        }
    }

    /// Carries it out: the messages of its model, and what it changed in memory.
    pub(super) async fn run(
        self,
        store: &InMemory,
        browser: ScriptedBrowser,
        replies: Vec<ChatResponse>,
    ) -> Ran {
        let mut capabilities = LlmCapabilities::new("scripted");
        capabilities.context_window = self.window.map(TokenCount);
        let model = ScriptedModel::new(replies).with_capabilities(capabilities);
        let recorder = Recorder::new();
        let mut options = Options::default();
        options.approval = ApprovalMode::Auto;
        options.replay = Replay::Never;
        let agent = DecisionLoop::builder(browser, model.clone(), store.clone())
            .with_options(options)
            .with_kinds(kinds_with(self.options))
            .with_clock(At(after(self.at)))
            .with_sink(recorder.clone())
            .build()
            .unwrap();
        let task = Task::new(self.goal).unwrap().with_start_url(HOME).unwrap();
        let mut task = task.with_run_id(RunId::parse(self.id).unwrap());
        if let Some(session) = self.session {
            task = task.with_session(SessionId::parse(session).unwrap());
        }
        agent.run(task).await;
        let events = recorder.events().into_iter();
        let changes = events.filter_map(|event| match event.kind {
            EventKind::MemoryChanged {
                what, text, data, ..
            } => Some((what, text, data)),
            _ => None,
        });
        Ran {
            messages: model.requests().into_iter().map(|r| r.message).collect(),
            changes: changes.collect(),
        }
    }

    /// The task with this button, which brings the answer.
    async fn works(self, store: &InMemory, button: &str) -> Ran {
        let browser = desk("red cars", "Case of Silva", button);
        self.run(store, browser, replies("red cars")).await
    }

    /// A look at one page, which has the answer.
    async fn looks(self, store: &InMemory) -> Ran {
        let page = ScriptedBrowser::new().with_page(HOME, "Desk", "heading \"All done\" e8");
        let finish = replies("").pop().unwrap();
        self.run(store, page, vec![finish]).await
    }
}

/// The lines of a section of the first message.
pub(super) fn section<'a>(ran: &'a Ran, heading: &str) -> Vec<&'a str> {
    let heading = format!("\n## {heading}\n");
    let found = ran.messages[0].split_once(&heading);
    let rest = found.map_or("", |(_, rest)| rest);
    rest.split("\n## ").next().unwrap_or("").lines().collect()
}

fn has_expired(ran: &Ran) -> bool {
    let mut all = ran.changes.iter();
    all.any(|(what, ..)| what == "trajectory_expired")
}

const GOAL: &str = "Look up red cars and close the first case";

#[tokio::test]
async fn the_way_of_a_run_is_forgotten_after_thirty_days_or_after_as_many_as_a_person_wants() {
    for (ttl, day, is_known) in [
        (None, 15, true),
        (Some(14), 15, false),
        (None, 31, false),
        (Some(60), 31, true),
    ] {
        let store = InMemory::new();
        let first = Visit::new("run_1", TimeDelta::zero(), GOAL);
        first.works(&store, "Close").await;
        let mut second = Visit::new("run_2", TimeDelta::days(day), GOAL);
        second.options.trace_ttl_days = ttl.unwrap_or(second.options.trace_ttl_days);
        let second = second.works(&store, "Close").await;
        let shown = section(&second, "Reference trajectory");
        assert_eq!(
            (shown.is_empty(), has_expired(&second)),
            (!is_known, !is_known),
            "{ttl:?}, {day}: {}",
            second.messages[0]
        );
    }
}

#[tokio::test]
async fn of_two_ways_the_nearer_goal_is_chosen_and_with_scoring_the_newer_one() {
    let other = "Look up red cars and print the first case";
    for (scoring, chosen) in [(false, "29 days ago"), (true, "1 day ago")] {
        let store = InMemory::new();
        let near = Visit::new("run_1", TimeDelta::zero(), GOAL);
        near.works(&store, "Close").await;
        let new = Visit::new("run_2", TimeDelta::days(28), other);
        new.works(&store, "Print").await;
        let goal = "Look up red cars and close the next case";
        let mut third = Visit::new("run_3", TimeDelta::days(29), goal);
        third.options.trace_scoring = scoring;
        let third = third.works(&store, "Close").await;
        let shown = section(&third, "Reference trajectory").join("\n");
        assert!(
            shown.contains(&format!("was done here {chosen}")),
            "{scoring}: {}",
            third.messages[0]
        );
    }
}

#[tokio::test]
async fn of_seven_runs_of_a_session_the_last_five_are_shown_two_of_them_in_full() {
    let store = InMemory::new();
    for n in 1..=8 {
        let (id, goal) = (
            format!("run_{n}"),
            format!("Tell how many boats of type {n} there are"),
        );
        let mut visit = Visit::new(&id, TimeDelta::minutes(n), &goal);
        visit.session = Some("proj");
        let ran = visit.looks(&store).await;
        if n < 8 {
            continue;
        }
        let shown = section(&ran, "Session history");
        let of = |part: &str| shown.iter().filter(|line| line.contains(part)).count();
        assert_eq!((of("answer: "), of("done: ")), (2, 5), "{shown:#?}");
        let newest = shown.iter().position(|line| line.contains("type 7"));
        let oldest = shown.iter().position(|line| line.contains("type 3"));
        assert!(newest == Some(0) && oldest.is_some(), "{shown:#?}");
    }
    let keeper = Keeper::new(&store, Namespace::default());
    let items = keeper.items().await.unwrap().items;
    let sessions = items
        .iter()
        .filter(|item| item.shelf.collection == "sessions");
    assert_eq!(sessions.count(), 5);
}

#[tokio::test]
async fn a_run_reads_of_the_last_two_runs_that_failed_and_takes_no_way_from_them() {
    let store = InMemory::new();
    let fails = |n: i64| {
        let goal = format!("Look up car number {n} and close the first case");
        let store = store.clone();
        async move {
            let id = format!("run_{n}");
            let visit = Visit::new(&id, TimeDelta::minutes(n), &goal);
            let mut steps = replies("red cars");
            steps[4] = call(
                "finish",
                json!({ "answer": "It cannot be done", "success": false }),
            );
            let browser = desk("red cars", "Case of Silva", "Close");
            visit.run(&store, browser, steps).await
        }
    };
    fails(1).await;
    let second = fails(2).await;
    let expected = "- \"1 minute ago, not done: Look up car number 1 and close the first case\"";
    assert_eq!(section(&second, "Session history"), [expected]);
    fails(3).await;
    let fourth = fails(4).await;
    let shown = section(&fourth, "Session history");
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(
        shown[0].contains("number 3") && shown[1].contains("number 2"),
        "{shown:#?}"
    );

    assert!(section(&fourth, "Reference trajectory").is_empty());
    let ways = async || {
        let keeper = Keeper::new(&store, Namespace::default());
        let items = keeper.items().await.unwrap().items.into_iter();
        let of = items.filter(|item| item.shelf.collection == "trajectories");
        of.count()
    };
    assert_eq!(ways().await, 0, "a failed run leaves no way");
    let done = Visit::new("run_5", TimeDelta::minutes(5), GOAL);
    done.works(&store, "Close").await;
    let sixth = fails(6).await;
    assert!(!section(&sixth, "Reference trajectory").is_empty());
    assert_eq!(ways().await, 1, "nor if it was shown one");
}
