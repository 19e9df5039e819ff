//! What is kept of earlier runs and for how long: the age of a way, the choice among several, and the last runs of a host.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use webwise::{
    LlmClient, Result,
    action::ErrorClass,
    agent::Clock,
    base::TokenCount,
    chat::{ChatRequest, LlmCapabilities},
    memory::{KindOptions, Namespace, Scope, kinds_with},
    store::Memory,
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

/// A model that thinks for so long.
#[derive(Debug)]
struct Slow(ScriptedModel, Duration);

#[async_trait]
impl LlmClient for Slow {
    fn capabilities(&self) -> LlmCapabilities {
        self.0.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        tokio::time::sleep(self.1).await;
        self.0.complete(request).await
    }
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
    /// The time that the model takes for each reply.
    thinks: Duration,
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
            thinks: Duration::ZERO,
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
        let agent = DecisionLoop::builder(browser, Slow(model.clone(), self.thinks), store.clone())
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
    all.any(|(what, ..)| what == "recipe_expired")
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
        let shown = section(&second, "Done here before");
        assert_eq!(
            (shown.is_empty(), has_expired(&second)),
            (!is_known, !is_known),
            "{ttl:?}, {day}: {}",
            second.messages[0]
        );
    }
}

/// The goal of the recipe that is shown first.
fn first(ran: &Ran) -> String {
    section(ran, "Done here before")
        .first()
        .map(|line| (*line).to_owned())
        .unwrap_or_default()
}

#[tokio::test]
async fn of_two_ways_the_nearer_goal_is_first_and_with_scoring_the_newer_one() {
    let other = "Look up red cars and print the first case";
    for (scoring, chosen) in [(false, "close"), (true, "print")] {
        let store = InMemory::new();
        let near = Visit::new("run_1", TimeDelta::zero(), GOAL);
        near.works(&store, "Close").await;
        let new = Visit::new("run_2", TimeDelta::days(28), other);
        new.works(&store, "Print").await;
        let goal = "Look up red cars and close the next case";
        let mut third = Visit::new("run_3", TimeDelta::days(29), goal);
        third.options.trace_scoring = scoring;
        let third = third.works(&store, "Close").await;
        assert!(
            first(&third).contains(chosen),
            "{scoring}: {}",
            third.messages[0]
        );
    }
}

#[tokio::test]
async fn a_goal_reads_the_way_of_one_with_which_it_shares_half_of_the_words() {
    // The goal of the way has nine words; of the eleven of both, these goals share five and six. The other is only listed.
    for (goal, is_near) in [
        ("Look up red cars and archive everything", false),
        ("Look up red cars and close everything today", true),
    ] {
        let store = InMemory::new();
        let first = Visit::new("run_1", TimeDelta::zero(), GOAL);
        first.works(&store, "Close").await;
        let second = Visit::new("run_2", TimeDelta::days(1), goal);
        let second = second.works(&store, "Close").await;
        let shown = section(&second, "Done here before");
        let has_steps = shown.iter().any(|line| line.starts_with("  1. "));
        assert_eq!(
            (shown.is_empty(), has_steps),
            (false, is_near),
            "{goal}: {shown:#?}"
        );
    }
}

/// Two ways with goals that are equally near to that of a third run: which one the third run reads.
async fn chosen(older: Way, newer: Way, trace_scoring: bool) -> String {
    let store = InMemory::new();
    let ways = [(older, "run_1", "Close", 0), (newer, "run_2", "Print", 1)];
    for (way, id, what, day) in ways {
        let goal = format!("Look up red cars and {what} the first case");
        let mut visit = Visit::new(id, TimeDelta::days(day), &goal);
        visit.session = Some(id);
        visit.thinks = way.thinks;
        let mut browser = desk("red cars", "Case of Silva", what);
        if way.is_unclear {
            let fails = Reply::FailOn(LIST, ErrorClass::NotStable);
            browser = browser.on(FILLED, r#"click {"target":"e2"}"#, [fails]);
        }
        visit.run(&store, browser, replies("red cars")).await;
    }
    let keeper = Memory::new(&store, Namespace::default());
    let items = keeper.items().await.unwrap().items;
    for (way, id, ..) in ways {
        let of = |collection: &str| {
            let mut own = items.iter().filter(|item| item.record.body["run"] == id);
            let found = own.find(|item| item.shelf.collection == collection);
            found.unwrap().record.body["duration_ms"].as_u64().unwrap()
        };
        // A reply for each of four steps, and the last one.
        let took = u64::try_from(way.thinks.as_millis()).unwrap() * 5;
        for collection in ["sessions", "recipes"] {
            assert_eq!(of(collection), took, "{id}: {collection}");
        }
    }
    let goal = "Look up red cars and archive the first case";
    let mut third = Visit::new("run_3", TimeDelta::days(2), goal);
    third.options.trace_scoring = trace_scoring;
    let third = third.works(&store, "Close").await;
    first(&third)
}

/// How a run went that left a way.
#[derive(Debug, Clone, Copy)]
struct Way {
    thinks: Duration,
    is_unclear: bool,
}

#[tokio::test(start_paused = true)]
async fn scoring_counts_the_time_of_a_way_and_the_steps_whose_effect_was_seen() {
    let way = |minutes: u64, is_unclear: bool| Way {
        thinks: Duration::from_mins(minutes),
        is_unclear,
    };
    let (old, new) = ("Close", "Print");
    for (older, newer, with_scoring) in [
        (way(0, false), way(0, false), new),
        (way(0, false), way(4, false), old),
        (way(0, false), way(0, true), old),
    ] {
        for (trace_scoring, expected) in [(false, new), (true, with_scoring)] {
            let shown = chosen(older, newer, trace_scoring).await;
            assert!(
                shown.contains(expected),
                "{newer:?}, {trace_scoring}: {shown}"
            );
        }
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
    let keeper = Memory::new(&store, Namespace::default());
    let items = keeper.items().await.unwrap().items;
    let sessions = items
        .iter()
        .filter(|item| item.shelf.collection == "sessions")
        .filter(|item| item.shelf.scope != Scope::Global);
    assert_eq!(sessions.count(), 5);
}

#[tokio::test]
async fn a_run_reads_of_the_last_failure_of_its_goal_and_takes_no_way_from_it() {
    let store = InMemory::new();
    let fails = |n: i64, car: u32| {
        let goal = format!("Look up car number {car} and close the first case");
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
    fails(1, 1).await;
    let second = fails(2, 2).await;
    assert!(section(&second, "Session history").is_empty());
    fails(3, 1).await;
    let fourth = fails(4, 1).await;
    let shown = section(&fourth, "Session history");
    let failure = "- \"1 minute ago, not done: Look up car number 1 and close the first case\"";
    assert_eq!(shown[0], failure);
    assert!(shown[1].contains("It cannot be done"), "{shown:#?}");
    assert_eq!(shown.len(), 3, "{shown:#?}");

    assert!(section(&fourth, "Done here before").is_empty());
    let ways = async || {
        let keeper = Memory::new(&store, Namespace::default());
        let items = keeper.items().await.unwrap().items.into_iter();
        let of = items.filter(|item| item.shelf.collection == "recipes");
        of.count()
    };
    assert_eq!(ways().await, 0, "a failed run leaves no way");
    let done = Visit::new("run_5", TimeDelta::minutes(5), GOAL);
    done.works(&store, "Close").await;
    let sixth = fails(6, 6).await;
    assert!(!section(&sixth, "Done here before").is_empty());
    assert_eq!(ways().await, 1, "nor if it was shown one");
}
