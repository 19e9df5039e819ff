//! The program that runs an agent is killed while its browser acts: the folder of the run says which action that was.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use async_trait::async_trait;
use serde_json::Value;
use webwise::{
    BrowserDriver, DecisionLoop, Result,
    action::Action,
    agent::Options,
    browser::{
        BrowserCapabilities, ExecuteRequest, Execution, ObserveRequest, SceneRequest,
        ScreenshotRequest,
    },
    event::{Intent, RunFolder},
    guard::ApprovalMode,
    page::{Observation, Scene},
    store::InMemory,
    testing::ScriptedModel,
};

use crate::cancel::{
    JOB, PLACE,
    club::{Club, Eyes, task},
};

const KILLS: usize = 8;
/// Actions of a run in the club: goto, click, fill, check, click.
const ACTIONS: usize = 5;
/// In which action a child waits to be killed.
const AT: &str = "WEBWISE_CANCEL_AT";
/// What a child says before the action.
const ACTING: &str = "CHILD-ACTING ";

/// A browser that says what it is about to do, and never comes back from one action.
#[derive(Debug)]
struct Stuck {
    inner: Club,
    at: usize,
    actions: Arc<AtomicUsize>,
}

#[async_trait]
impl BrowserDriver for Stuck {
    fn capabilities(&self) -> BrowserCapabilities {
        self.inner.capabilities()
    }

    fn lease(&self) -> &webwise::browser::Lease {
        self.inner.lease()
    }

    async fn observe(&self, request: &ObserveRequest) -> Result<Observation> {
        self.inner.observe(request).await
    }

    async fn execute(&self, request: &ExecuteRequest) -> Result<Execution> {
        if self.actions.fetch_add(1, Ordering::Relaxed) == self.at {
            println!("{ACTING}{}", Action::Browser(request.action.clone()).line());
            return std::future::pending().await;
        }
        self.inner.execute(request).await
    }

    async fn screenshot(&self, request: &ScreenshotRequest) -> Result<Vec<u8>> {
        self.inner.screenshot(request).await
    }

    async fn scene(&self, request: &SceneRequest) -> Result<Scene> {
        self.inner.scene(request).await
    }

    async fn close(&self) -> Result<()> {
        self.inner.close().await
    }
}

/// Whether this program is a child that is going to be killed.
pub(crate) fn is_child() -> bool {
    env::var(JOB).is_ok_and(|job| job == "intent")
}

/// The child: one run that stops in the middle of an action.
pub(crate) fn child() {
    let place = PathBuf::from(env::var_os(PLACE).expect("the parent says where"));
    let at = env::var(AT).unwrap().parse().expect("the parent says when");
    // Its input ends with the parent: a child that nobody is going to kill any more ends by itself.
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let runs = Arc::new(RunFolder::new(place).unwrap());
        let eyes = Eyes::new(Stuck {
            inner: Club::new(0, Duration::ZERO),
            at,
            actions: Arc::default(),
        });
        let policy = eyes.policy();
        let model = ScriptedModel::deciding(move |_| Ok(policy()));
        let mut options = Options::default();
        options.approval = ApprovalMode::Auto;
        // However busy the machine is.
        options.journal_timeout = Duration::from_mins(1);
        let agent = DecisionLoop::builder(eyes, model, InMemory::new())
            .with_options(options)
            .with_sink(Arc::clone(&runs))
            .with_journal(runs)
            .build()
            .unwrap();
        agent.run(task()).await;
    });
}

/// Kills children in the middle of an action: how many, and after how many the folder told of that action.
pub(crate) fn in_mid_action() -> (usize, usize) {
    let mut told = 0;
    for kill in 0..KILLS {
        let place = tempfile::tempdir().unwrap();
        let action = killed_in(kill % ACTIONS, place.path());
        let found = under_way(place.path());
        if found.as_ref() == Some(&action) {
            told += 1;
        } else {
            println!("killed in {action:?}, told: {found:?}");
        }
    }
    (KILLS, told)
}

fn killed_in(at: usize, place: &Path) -> String {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "cancel::a_killed_run_says_which_action_was_under_way",
            "--nocapture",
        ])
        .env(JOB, "intent")
        .env(PLACE, place)
        .env(AT, at.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let said = output
        .lines()
        .map_while(std::result::Result::ok)
        .find_map(|line| Some(line.split_once(ACTING)?.1.to_owned()));
    child.kill().unwrap();
    child.wait().unwrap();
    said.expect("the child says what it does")
}

/// The last intent of the one run, if no action of its step is told to have ended.
fn under_way(place: &Path) -> Option<String> {
    let run = fs::read_dir(place).ok()?.next()?.ok()?.path();
    let lines = |file: &str| fs::read_to_string(run.join(file)).unwrap_or_default();
    let intents = lines("intents.jsonl");
    let last: Intent = serde_json::from_str(intents.lines().last()?).ok()?;
    let has_ended = lines("actions.jsonl").lines().any(|line| {
        let event: Value = serde_json::from_str(line).expect("whole lines");
        event["event"] == "action_executed" && event["step"] == last.step
    });
    (!has_ended).then(|| last.action.line())
}
