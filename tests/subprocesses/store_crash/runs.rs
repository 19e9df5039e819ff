//! Many runs that end at once, each in a process of its own, learn the same lesson on the same shelves.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::Child,
    time::Instant,
};

use serde_json::{Value, json};
use webwise::{
    DecisionLoop, RunId, Task,
    action::ErrorClass,
    base::Host,
    event::{Event, EventKind},
    memory::{
        MemoryKind as _, Namespace, Shelf,
        lesson::{Lesson, LessonSource, Lessons},
    },
    store::MemoryBackend as _,
    testing::{Recorder, ScriptedBrowser, ScriptedModel, ScriptedReply as Reply, call},
};

use crate::store_crash::{
    child::{self, tell},
    place,
    profile::pick,
    shelf::{open, wait},
};

const QUICK: usize = 16;
const FULL: usize = 50;
/// Begins the job of such a child.
const JOB: &str = "run-";
const READY: &str = "ready";

const HOME: &str = "https://shop.example/";
const OPEN: &str = "https://shop.example/#open";
const DONE: &str = "https://shop.example/results";

/// Reports whether this module does the job.
pub(crate) fn does(job: &str) -> bool {
    job.starts_with(JOB)
}

/// A shop whose button is covered until another button is clicked.
fn shop() -> ScriptedBrowser {
    let covered = Reply::Fail(ErrorClass::Intercepted, "intercepts pointer events");
    ScriptedBrowser::new()
        .with_page(HOME, "Shop", "button \"Go\" e3\nbutton \"Accept all\" e5")
        .with_page(OPEN, "Shop", "button \"Go\" e3\n\"Thank you.\"")
        .with_page(DONE, "Results", "heading \"2 results\" e1")
        .on(HOME, r#"click {"target":"e3"}"#, [covered])
        .on(HOME, r#"click {"target":"e5"}"#, [Reply::Show(OPEN)])
        .on(OPEN, r#"click {"target":"e3"}"#, [Reply::Show(DONE)])
}

/// The child: says that it is ready, runs when it is told to, and tells each failure of its memory.
pub(crate) fn child(job: &str, place: &Path) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .expect("a runtime");
    tell(READY);
    io::stdin()
        .read_exact(&mut [0])
        .expect("the parent says when");
    child::end_with_parent();
    let recorder = Recorder::new();
    let click = |target: &str| call("click", json!({ "target": target }));
    let finish = call("finish", json!({ "answer": "2", "evidence": "2 results" }));
    let model = ScriptedModel::new([click("e3"), click("e5"), click("e3"), finish]);
    let agent = DecisionLoop::builder(shop(), model, open(place))
        .with_sink(recorder.clone())
        .build()
        .expect("the options are the default ones");
    let task = Task::new("Count the results")
        .and_then(|task| task.with_start_url(HOME))
        .expect("a task")
        .with_run_id(RunId::parse(job).expect("the name of a job is an id"));
    let report = runtime.block_on(agent.run(task));
    assert!(report.is_success(), "{report:?}");
    let failed = |event: Event| match event.kind {
        EventKind::MemoryFailed { error, .. } => Some(error),
        _ => None,
    };
    let failures: Vec<String> = recorder.events().into_iter().filter_map(failed).collect();
    tell(&json!({ "failures": failures }).to_string());
}

pub(crate) fn at_once() {
    let runs = pick(QUICK, FULL);
    let place = place::on_disk();
    let root = place.path().join("store");
    let mut children: Vec<Child> = (0..runs)
        .map(|run| {
            let child = child::command(&format!("{JOB}{run}"), &root).spawn();
            child.expect("this program can be started again")
        })
        .collect();
    let mut outputs: Vec<_> = children
        .iter_mut()
        .map(|child| BufReader::new(child.stdout.take().expect("it is piped")).lines())
        .collect();
    for lines in &mut outputs {
        let line = lines.next().expect("a line").expect("text");
        assert_eq!(line, READY);
    }
    let began = Instant::now();
    for child in &mut children {
        let stdin = child.stdin.as_mut().expect("it is piped");
        stdin.write_all(b"g").expect("the child waits");
    }
    let mut failures = Vec::new();
    for (mut child, mut lines) in children.into_iter().zip(outputs) {
        let line = lines.next().map(|line| line.expect("text"));
        let status = child.wait().expect("it is our child");
        let said: Option<Value> = line.and_then(|line| serde_json::from_str(&line).ok());
        let said = said.unwrap_or_else(|| panic!("a run says what failed: {status}"));
        let failed = said["failures"].as_array().expect("a list");
        failures.extend(failed.iter().map(ToString::to_string));
    }
    let took = began.elapsed();
    let (on_host, everywhere) = (uses(&root, true), uses(&root, false));
    let busy = failures.iter().filter(|error| error.contains("busy"));
    figure!(
        "C5 runs at once: {runs} processes, {} ended learning with busy, {on_host} and {everywhere} uses counted on the host and \
         everywhere, {:.1} s",
        busy.count(),
        took.as_secs_f64()
    );
    assert_eq!(failures, Vec::<String>::new());
    assert_eq!((on_host, everywhere), (runs as u64, runs as u64));
}

/// Returns how many uses the learned lesson of a shelf counts.
fn uses(root: &Path, on_host: bool) -> u64 {
    let namespace = Namespace::default();
    let shelf = if on_host {
        let host = Host::of_domain("shop.example").expect("a host");
        Shelf::host(&namespace, Lessons.name(), &host)
    } else {
        Shelf::global(&namespace, Lessons.name())
    };
    let state = wait(open(root).load(&shelf)).expect("it can be loaded");
    let lessons = state
        .records
        .iter()
        .map(|record| Lesson::from_record(record).expect("a lesson"));
    lessons
        .filter(|lesson| lesson.source == LessonSource::Learned)
        .map(|lesson| lesson.counts.used)
        .sum()
}
