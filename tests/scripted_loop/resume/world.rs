//! The club's site with its browser. It lives in the test's own process and outlives the process of the run.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use webwise::{
    BrowserDriver as _,
    action::Action,
    browser::{ExecuteRequest, ObserveRequest},
};

use crate::resume::{
    child::{JOB, LATER, PLACE, PORT},
    club::Club,
};

/// On which side of a message's effect the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// A kill of the process of a run.
#[derive(Debug)]
pub(crate) struct Kill {
    /// The message of the process at which it is killed, from 0.
    pub(crate) at: usize,
    pub(crate) side: Side,
    /// The message at which the process that goes on is killed too.
    pub(crate) again_at: Option<usize>,
}

/// What came of a run.
#[derive(Debug, Default)]
pub(crate) struct World {
    /// What the first process said, in order.
    pub(crate) messages: Vec<String>,
    /// How often the form was sent.
    pub(crate) sent: u32,
    /// How often a person was asked.
    pub(crate) asked: usize,
    /// True if the first process was killed while its browser acted.
    pub(crate) killed_in_action: bool,
    /// The steps that the killed processes reported as done.
    pub(crate) told: Vec<Value>,
    /// How the last process says that the run ended.
    pub(crate) end: Value,
}

impl World {
    /// A run that nobody kills. If memory is taught, an earlier run did the same task, and this one follows its recipe.
    pub(crate) fn unbroken(is_taught: bool) -> Self {
        Self::run(&[None], is_taught)
    }

    /// A run whose process is killed, and that goes on in another one.
    pub(crate) fn broken(kill: &Kill, is_taught: bool) -> Self {
        let first = Some((kill.at, kill.side));
        match kill.again_at {
            None => Self::run(&[first, None], is_taught),
            Some(at) => Self::run(&[first, Some((at, Side::After)), None], is_taught),
        }
    }

    /// The steps of the way that memory has learned.
    pub(crate) fn way(&self) -> &[Value] {
        self.end["way"].as_array().unwrap()
    }

    /// A run in so many processes, each killed at a message unless it is `None`.
    fn run(kills: &[Option<(usize, Side)>], is_taught: bool) -> Self {
        let place = tempfile::tempdir().unwrap();
        if is_taught {
            let club = Club::new(0, std::time::Duration::ZERO);
            Self::default().process(place.path(), &club, 0, None);
        }
        let club = Club::new(0, std::time::Duration::ZERO);
        let mut world = Self::default();
        for (nth, kill) in kills.iter().enumerate() {
            club.restart();
            let messages = world.process(place.path(), &club, nth, *kill);
            if nth == 0 {
                world.killed_in_action =
                    kill.is_some() && messages.last().is_some_and(|last| last == "execute");
                world.messages = messages;
            }
            if kill.is_some() {
                world.told = told(&place.path().join("runs"));
            }
        }
        world.sent = club.sent();
        world
    }

    /// One process of the run. Returns what it said until its end.
    fn process(
        &mut self,
        place: &Path,
        club: &Club,
        nth: usize,
        kill: Option<(usize, Side)>,
    ) -> Vec<String> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let mut child = spawn(place, listener.local_addr().unwrap().port(), nth);
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut messages = Vec::new();
        while let Some(Ok(line)) = lines.next() {
            let message: Value = serde_json::from_str(&line).unwrap();
            let (name, said) = message.as_object().unwrap().iter().next().unwrap();
            if name == "end" {
                self.end = said.clone();
                break;
            }
            let side = kill
                .filter(|(at, _)| *at == messages.len())
                .map(|(_, side)| side);
            messages.push(name.clone());
            if side == Some(Side::Before) {
                child.kill().unwrap();
                break;
            }
            let reply = self.reply(club, name, said);
            if side == Some(Side::After) {
                child.kill().unwrap();
                break;
            }
            answer(&stream, &reply);
        }
        child.wait().unwrap();
        messages
    }

    fn reply(&mut self, club: &Club, name: &str, said: &Value) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        match name {
            "observe" => {
                let page = runtime.block_on(club.observe(&ObserveRequest::default()));
                serde_json::to_value(page.unwrap()).unwrap()
            }
            "execute" => {
                let Action::Browser(action) = serde_json::from_value(said.clone()).unwrap() else {
                    panic!("{said}");
                };
                let done = runtime.block_on(club.execute(&ExecuteRequest::new(action)));
                serde_json::to_value(done.unwrap().outcome).unwrap()
            }
            // The person looks whether the form was sent.
            "approve" => {
                self.asked += 1;
                json!(club.sent() == 0)
            }
            "think" => Value::Null,
            other => panic!("{other}"),
        }
    }
}

fn answer(mut stream: &TcpStream, reply: &Value) {
    let mut line = reply.to_string();
    line.push('\n');
    // The process may have ended by itself; its end is then missing.
    let _ = stream.write_all(line.as_bytes());
}

fn spawn(place: &Path, port: u16, nth: usize) -> Child {
    let said = fs::File::create(place.join(format!("said-{nth}"))).unwrap();
    Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "resume::a_killed_run_goes_on_to_its_end_and_sends_nothing_twice",
            "--nocapture",
        ])
        .env(JOB, if nth == 0 { "start" } else { "resume" })
        .env(PLACE, place)
        .env(PORT, port.to_string())
        .env(LATER, nth.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        .spawn()
        .unwrap()
}

/// The numbers of the steps that the run's folder tells as done.
fn told(runs: &Path) -> Vec<Value> {
    let all = fs::read_dir(runs).into_iter().flatten().flatten();
    // The id of a run begins with its time.
    let Some(run) = all.map(|run| run.path()).max() else {
        return Vec::new();
    };
    let actions = fs::read_to_string(run.join("actions.jsonl"));
    let events = actions.unwrap_or_default();
    let events = events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events
        .filter(|event| event["event"] == "action_executed" && event["outcome"] == "done")
        .map(|event| event["step"].clone())
        .collect()
}
