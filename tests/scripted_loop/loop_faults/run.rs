//! One run of a case, and all that must be true of any run.

use std::{
    collections::BTreeMap,
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, timeout},
};
use webwise::{
    DecisionLoop, MemoryBackend,
    action::Outcome,
    agent::{Options, RunReport},
    event::{Event, EventKind, FanOut, RunFolder},
    guard::ApprovalMode,
    llm::Retrying,
    memory::{Change, MemoryKind, Namespace, Record, RunLog, Shelf},
    store::InMemory,
    testing::{
        FixedClock, Recorder, ScriptedKind, ScriptedModel,
        faults::{BrowserFault, FaultyBrowser, FaultyModel, ModelFault},
    },
    working::StopReason,
};

use crate::loop_faults::{
    case::{Browser, Case},
    club::{Club, Eyes, task},
};

/// Wall time of every run, and what a run may take beyond it.
const BUDGET: Duration = Duration::from_mins(15);
const GRACE: Duration = Duration::from_secs(2);
/// Longer than anything can wait in a run.
const HANG: Duration = Duration::from_hours(24);

/// What must never happen.
#[derive(Debug)]
pub(crate) enum Failure {
    Panic(String),
    Hang,
}

/// What came of a case: model calls over a budget, or what must never happen; and what is wrong beside that.
#[derive(Debug)]
pub(crate) struct Found {
    result: Result<usize, Failure>,
    complaints: Vec<String>,
}

impl Found {
    pub(crate) const fn new(result: Result<usize, Failure>, complaints: Vec<String>) -> Self {
        Self { result, complaints }
    }

    pub(crate) fn into_parts(self) -> (Result<usize, Failure>, Vec<String>) {
        (self.result, self.complaints)
    }
}

/// The model of every case: it decides by what it sees, fails on purpose, and is asked again.
pub(crate) type Model = FaultyModel<ScriptedModel>;

/// A run that came to its end, with everything that was seen of it.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) report: RunReport,
    pub(crate) events: Vec<Event>,
    pub(crate) elapsed: Duration,
    pub(crate) model: Model,
    pub(crate) browser: FaultyBrowser<Club>,
    pub(crate) store: InMemory,
}

pub(crate) fn paused() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
}

/// Runs a future to its end on a clock that stands still, unless it panics or never ends.
pub(crate) fn end<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(|| {
        paused().block_on(async { timeout(HANG, future).await })
    })) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(Failure::Hang),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Err(Failure::Panic(
                text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()))
                    .unwrap_or_default(),
            ))
        }
    }
}

pub(crate) fn options(seed: u32) -> Options {
    let mut options = Options::default();
    options.seed = Some(seed.into());
    options.approval = ApprovalMode::Auto;
    options.budget.max_duration = Some(BUDGET);
    options
}

/// How long the browser of a seed takes for each thing it does.
pub(crate) fn pace(seed: u32) -> Duration {
    Duration::from_millis(u64::from(seed) * 37 % 400)
}

/// Runs the club's task with these parts.
pub(crate) async fn play(
    model: Model,
    browser: FaultyBrowser<Club>,
    eyes: Eyes<FaultyBrowser<Club>>,
    options: Options,
    seed: u32,
    folders: Option<Arc<RunFolder>>,
) -> Played {
    let (recorder, store) = (Recorder::new(), InMemory::new());
    let mut sink = FanOut::new().with(Arc::new(recorder.clone()));
    if let Some(folders) = folders {
        sink = sink.with(folders);
    }
    let kinds = webwise::memory::kinds()
        .into_iter()
        .chain([Arc::new(diary()) as Arc<dyn MemoryKind>])
        .collect();
    let agent = DecisionLoop::builder(
        eyes,
        Retrying::new(model.clone(), seed.into()),
        store.clone(),
    )
    .with_options(options)
    .with_kinds(kinds)
    .with_sink(sink)
    .with_clock(FixedClock::at("2026-01-02T03:04:05Z"))
    .build()
    .unwrap();
    let begin = Instant::now();
    let report = agent.run(task()).await;
    Played {
        report,
        events: recorder.events(),
        elapsed: begin.elapsed(),
        model,
        browser,
        store,
    }
}

/// A browser of one seed, without a fault.
pub(crate) fn browser(seed: u32) -> FaultyBrowser<Club> {
    FaultyBrowser::new(Club::new(seed, pace(seed)))
}

/// A model that decides by what this browser shows, without a fault.
pub(crate) fn model(browser: FaultyBrowser<Club>) -> (Model, Eyes<FaultyBrowser<Club>>) {
    let eyes = Eyes::new(browser);
    let policy = eyes.policy();
    (
        FaultyModel::new(ScriptedModel::deciding(move |_| Ok(policy()))),
        eyes,
    )
}

/// Runs one case with one seed.
pub(crate) fn case(case: &Case, seed: u32, folders: Option<Arc<RunFolder>>) -> Found {
    let played = end(async {
        let mut browser = browser(seed);
        match case.browser {
            Some((Browser::Act(fault), place)) => browser = browser.with(case.when(place), fault),
            Some((Browser::Look(fault), place)) => {
                browser = browser.with_look(case.when(place), fault);
            }
            None => {}
        }
        let (mut model, eyes) = model(browser.clone());
        if let Some((fault, place)) = case.model {
            model = model.with(case.when(place), fault);
        }
        play(model, browser, eyes, options(seed), seed, folders).await
    });
    match played {
        Ok(played) => {
            let mut complaints = Vec::new();
            check_case(case, &played, &mut complaints);
            check(&played, &mut complaints);
            Found::new(Ok(0), complaints)
        }
        Err(failure) => Found::new(Err(failure), Vec::new()),
    }
}

/// What is true of this case: the faults happened, and the run ended as it must.
fn check_case(case: &Case, played: &Played, wrong: &mut Vec<String>) {
    let (report, model, browser) = (&played.report, &played.model, &played.browser);
    let expected = case.expected();
    if report.summary.stop != expected {
        wrong.push(format!(
            "it ended with {}, not {expected}: {:?}",
            report.summary.stop, report.error
        ));
    }
    if case
        .model
        .is_some_and(|(fault, _)| !model.struck().iter().any(|(_, struck)| *struck == fault))
    {
        wrong.push("the model's fault never happened".to_owned());
    }
    let struck = case.browser.is_none_or(|(fault, _)| match fault {
        Browser::Act(fault) => browser.struck().iter().any(|(_, struck)| *struck == fault),
        Browser::Look(fault) => browser
            .looks_struck()
            .iter()
            .any(|(_, struck)| *struck == fault),
    });
    if !struck {
        wrong.push("the browser's fault never happened".to_owned());
    }
    if expected == StopReason::Finished
        && (browser.get_ref().sent(), report.answer.as_deref()) != (1, Some("M-4711"))
    {
        wrong.push(format!(
            "sent {} times, answer {:?}",
            browser.get_ref().sent(),
            report.answer
        ));
    }
    let breaks = matches!(
        expected,
        StopReason::ModelUnusable | StopReason::BrowserLost
    );
    if breaks && report.error.is_none() {
        wrong.push("the report does not say what broke".to_owned());
    }
    if played.elapsed > BUDGET + GRACE {
        wrong.push(format!("it took {:?}", played.elapsed));
    }
}

/// What is true of every run, whatever struck.
pub(crate) fn check(played: &Played, wrong: &mut Vec<String>) {
    let Played {
        report,
        events,
        model,
        browser,
        ..
    } = played;
    let count = |name: &str| {
        events
            .iter()
            .filter(|event| event.kind.name() == name)
            .count()
    };
    let ends: Vec<&str> = [events.first(), events.last()]
        .into_iter()
        .flatten()
        .map(|e| e.kind.name())
        .collect();
    if ends != ["run_started", "run_ended"] || count("run_started") + count("run_ended") != 2 {
        wrong.push(format!("no single start and end: {ends:?}"));
    }
    match events.last().map(|event| &event.kind) {
        Some(EventKind::RunEnded { summary, .. }) if *summary == report.summary => {}
        last => wrong.push(format!(
            "the report tells {:?}, the last event {last:?}",
            report.summary
        )),
    }
    let elapsed_ms = u64::try_from(played.elapsed.as_millis()).unwrap();
    if report.summary.elapsed_ms != elapsed_ms {
        wrong.push(format!(
            "the report tells {} ms of {elapsed_ms}",
            report.summary.elapsed_ms
        ));
    }
    check_calls(report, events, model, wrong);
    check_actions(report, events, browser, wrong);
    let memory = remembered(&played.store);
    let steps = count("action_executed") + count("finish_checked");
    let expected = json!({ "run": report.run, "success": report.is_success(), "steps": steps });
    if memory != [expected] {
        wrong.push(format!("memory holds {memory:?}"));
    }
}

/// The counts of calls are what the model saw.
fn check_calls(report: &RunReport, events: &[Event], model: &Model, wrong: &mut Vec<String>) {
    let (mut asked, mut failed, mut answered, mut retries) = (0, 0, 0, 0);
    for event in events {
        match &event.kind {
            EventKind::ModelAsked { .. } => asked += 1,
            EventKind::ModelFailed { .. } => failed += 1,
            EventKind::ModelReplied { response, .. } => {
                answered += 1;
                retries += response.retries;
            }
            _ => {}
        }
    }
    let calls = report.summary.calls;
    if (asked, calls) != (failed + answered, asked)
        && report.summary.stop != StopReason::Budget(webwise::working::BudgetKind::Time)
    {
        wrong.push(format!(
            "{calls} calls told, {asked} asked, {answered} answered, {failed} failed"
        ));
    }
    let passing = |fault: &ModelFault| {
        matches!(
            fault,
            ModelFault::RateLimited(_) | ModelFault::Silent | ModelFault::ServerError
        )
    };
    let again = model
        .struck()
        .iter()
        .filter(|(_, fault)| passing(fault))
        .count();
    let seen = model.calls();
    let told = calls + retries;
    if seen < told
        || (failed == 0 && asked == answered && seen != told)
        || (again == 0 && seen != calls)
    {
        wrong.push(format!(
            "the model was asked {seen} times, {calls} calls and {retries} retries are told"
        ));
    }
}

/// What was decided reached the browser once, and each action has one start and one end.
fn check_actions(
    report: &RunReport,
    events: &[Event],
    browser: &FaultyBrowser<Club>,
    wrong: &mut Vec<String>,
) {
    let (mut started, mut open, mut errors) = (Vec::new(), None, 0);
    for event in events {
        match &event.kind {
            EventKind::ActionStarted { action, .. } => {
                if let Some(before) = open.replace(action.line()) {
                    wrong.push(format!("{before} started and never ended"));
                }
                started.push(action.line());
            }
            EventKind::ActionExecuted {
                action, outcome, ..
            } => {
                let is_error = matches!(outcome, Outcome::NoEffect | Outcome::Failed(_));
                errors += u32::from(is_error);
                if open.take().is_some_and(|line| line != action.line()) {
                    wrong.push(format!("{} ended and was not begun", action.line()));
                }
            }
            _ => {}
        }
    }
    if let Some(line) = open {
        wrong.push(format!("{line} started and never ended"));
    }
    if errors != report.summary.errors {
        wrong.push(format!("{} errors told of {errors}", report.summary.errors));
    }
    let last = events.last().map_or(0, |event| event.step);
    if last != report.summary.steps {
        wrong.push(format!("{} steps told of {last}", report.summary.steps));
    }
    // A page that was lost is left by a navigation of the loop's own.
    let lost = browser
        .struck()
        .iter()
        .filter(|(_, fault)| *fault == BrowserFault::PageLost)
        .count();
    let (mut next, mut own) = (started.iter().peekable(), 0);
    for line in browser.sent() {
        if next.next_if(|started| **started == line).is_none() {
            own += 1;
            if !line.starts_with("goto ") {
                wrong.push(format!("{line} was sent and not decided"));
            }
        }
    }
    if next.next().is_some() || own > lost {
        wrong.push(format!("decided {started:?}, sent {:?}", browser.sent()));
    }
    if browser.get_ref().sent() > 1 {
        wrong.push("the form was sent twice".to_owned());
    }
}

/// A memory of runs: one record for each, of which it is seen whether it was written whole and once.
pub(crate) fn diary() -> ScriptedKind {
    let distills = |log: &RunLog| {
        Some(json!({ "run": log.run, "success": log.success, "steps": log.steps.len() }))
    };
    ScriptedKind::new("diary").learning(distills, |said| {
        let run = said["run"].as_str().unwrap_or_default();
        vec![Change::Put(Record::new(run, said))]
    })
}

fn remembered(store: &InMemory) -> Vec<Value> {
    let shelf = Shelf::global(&Namespace::default(), "diary");
    let records = paused().block_on(store.load(&shelf)).unwrap().records;
    records
        .into_iter()
        .map(|record| serde_json::to_value(&record.body).unwrap())
        .collect()
}

/// What is wrong with the folders of the runs that were written.
pub(crate) fn incomplete_folders(parent: &Path, count: usize) -> Vec<String> {
    let folders: Vec<_> = fs::read_dir(parent)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let mut wrong = Vec::new();
    if folders.len() != count {
        wrong.push(format!("{} folders of {count} runs", folders.len()));
    }
    for folder in folders {
        let meta: Value =
            serde_json::from_slice(&fs::read(folder.join("run_meta.json")).unwrap()).unwrap();
        let mut events: BTreeMap<String, usize> = BTreeMap::new();
        for file in fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if file
                .extension()
                .is_some_and(|extension| extension == "jsonl")
                && !file.ends_with("reasoning.jsonl")
            {
                for event in RunFolder::read(&file).unwrap() {
                    let event = event.unwrap();
                    *events.entry(event.kind.name().to_owned()).or_default() += 1;
                }
            }
        }
        let ends = ["run_started", "run_ended"].map(|name| events.get(name).copied());
        if meta["status"] != "ended" || ends != [Some(1), Some(1)] {
            wrong.push(format!(
                "{}: {}, {events:?}",
                folder.display(),
                meta["status"]
            ));
        }
        let calls = events.get("model_asked").copied().unwrap_or_default();
        if meta["summary"]["calls"] != calls {
            wrong.push(format!(
                "{}: {calls} calls, {}",
                folder.display(),
                meta["summary"]
            ));
        }
    }
    wrong
}
