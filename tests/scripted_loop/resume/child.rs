//! The process that carries out a run, or goes on with one. Its browser, the person and the end of its thoughts are in the
//! test's process.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use webwise::{
    BrowserDriver, DecisionLoop, Error, ErrorKind, MemoryBackend as _, Result, Task,
    action::Action,
    agent::{Approval, ApprovalRequest, Approver, Clock, Options, Replay, StepEnd},
    base::Host,
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    event::RunFolder,
    guard::ApprovalMode,
    memory::{
        Namespace, Shelf,
        recipe::{self, Recipe},
    },
    page::{Observation, Scene},
    registry::RunFilter,
    store::{JsonFiles, RunRegistry},
    testing::ScriptedModel,
};

use crate::resume::club::{Club, Eyes, HOME, task};

/// What a child does, when this program is one.
pub(crate) const JOB: &str = "WEBWISE_RESUME_JOB";
/// Where it keeps its files.
pub(crate) const PLACE: &str = "WEBWISE_RESUME_PLACE";
/// Where its browser is.
pub(crate) const PORT: &str = "WEBWISE_RESUME_PORT";
/// How often the run was killed before.
pub(crate) const LATER: &str = "WEBWISE_RESUME_LATER";

pub(crate) fn is_child() -> bool {
    env::var_os(JOB).is_some()
}

/// A clock that shows two minutes more for each kill, so that the run before counts as abandoned.
#[derive(Debug)]
struct Later(TimeDelta);

impl Clock for Later {
    fn now(&self) -> DateTime<Utc> {
        Utc::now() + self.0
    }
}

/// The connection to the test; clones share it.
#[derive(Debug, Clone)]
struct Line(Arc<Mutex<BufReader<TcpStream>>>);

impl Line {
    fn ask(&self, name: &str, said: &Value) -> Result<Value> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lost =
            |error: std::io::Error| Error::new(ErrorKind::BrowserLost, "remote").with_source(error);
        writeln!(stream.get_mut(), "{}", json!({ name: said })).map_err(lost)?;
        let mut line = String::new();
        stream.read_line(&mut line).map_err(lost)?;
        serde_json::from_str(&line)
            .map_err(|error| Error::new(ErrorKind::BrowserLost, "remote").with_source(error))
    }
}

#[derive(Debug)]
struct Remote(Line, webwise::browser::Lease);

#[async_trait]
impl BrowserDriver for Remote {
    fn capabilities(&self) -> BrowserCapabilities {
        Club::new(0, std::time::Duration::ZERO).capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        &self.1
    }

    async fn observe(&self, _: &ObserveRequest) -> Result<Observation> {
        let page = self.0.ask("observe", &Value::Null)?;
        Ok(serde_json::from_value(page).unwrap())
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        let action = serde_json::to_value(Action::Browser(request.action.clone())).unwrap();
        let outcome = self.0.ask("execute", &action)?;
        Ok(Execution::new(serde_json::from_value(outcome).unwrap()))
    }

    async fn screenshot(&self, _: &ScreenshotRequest) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    async fn scene(&self, _: &SceneRequest) -> Result<Scene> {
        Ok(Scene::default())
    }

    async fn close(&self) -> Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct Person(Line);

#[async_trait]
impl Approver for Person {
    async fn approve(&self, request: &ApprovalRequest) -> Approval {
        match self.0.ask("approve", &json!(request.doubt)) {
            Ok(Value::Bool(true)) => Approval::Yes,
            _ => Approval::No,
        }
    }

    async fn answer(&self, _: &str) -> Option<String> {
        None
    }
}

pub(crate) fn run() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work());
}

/// The steps of the recipe that memory holds, in words; none if it holds no recipe.
async fn way(store: &JsonFiles) -> Vec<String> {
    let host = Host::of(&HOME.parse().unwrap()).unwrap();
    let shelf = Shelf::host(&Namespace::default(), recipe::COLLECTION, &host);
    let records = store.load(&shelf).await.unwrap().records;
    let known = Recipe::all(&records).into_iter();
    let steps = known.flat_map(|(_, known)| known.steps);
    steps.map(|step| step.to_string()).collect()
}

async fn work() {
    let place = PathBuf::from(env::var_os(PLACE).unwrap());
    let port: u16 = env::var(PORT).unwrap().parse().unwrap();
    let kills: i64 = env::var(LATER).unwrap().parse().unwrap();
    let clock = Later(TimeDelta::minutes(2 * kills));
    let now = clock.now();
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let line = Line(Arc::new(Mutex::new(BufReader::new(stream))));
    let store = JsonFiles::open(place.join("memory"));
    let folder = Arc::new(RunFolder::new(place.join("runs")).unwrap());
    let eyes = Eyes::new(Remote(line.clone(), webwise::browser::Lease::new()));
    let policy = eyes.policy();
    let thinks = line.clone();
    let model = ScriptedModel::deciding(move |_| {
        thinks.ask("think", &Value::Null)?;
        Ok(policy())
    });
    let mut options = Options::default();
    // Only an action in doubt is asked about.
    options.approval = ApprovalMode::Auto;
    options.replay = Replay::Full;
    let agent = DecisionLoop::builder(eyes, model, store.clone())
        .with_options(options)
        .with_clock(clock)
        .with_approver(Person(line.clone()))
        .with_registry(store.clone())
        .with_sink(Arc::clone(&folder))
        .with_journal(Arc::clone(&folder))
        .build()
        .unwrap();
    let runs = RunRegistry::new(store.clone(), Namespace::default());
    let known = runs.list(&RunFilter::default(), now).await.unwrap();
    let mut run = match known.first() {
        Some(known) if kills > 0 => {
            let checkpoint = runs.checkpoint(&known.run).await.unwrap();
            let task = Task::of_checkpoint(&checkpoint).unwrap();
            agent.resume_run(task).await.unwrap()
        }
        _ => agent.start(task()).await,
    };
    while run.step().await == StepEnd::Continue {}
    let steps: Vec<u32> = run.steps().iter().map(|step| step.number).collect();
    let report = run.finish().await;
    folder.close().unwrap();
    let end = json!({
        "stop": report.summary.stop.as_str(),
        "answer": report.answer,
        "recording": report.recording,
        "steps": steps,
        "way": way(&store).await,
    });
    let mut stream = line.0.lock().unwrap();
    writeln!(stream.get_mut(), "{}", json!({ "end": end })).unwrap();
}
