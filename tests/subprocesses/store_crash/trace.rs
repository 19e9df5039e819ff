//! One update under `strace`, which lists its system calls, kills it at one of them, or lets one of them fail.
//!
//! The child waits until the tracer has attached to its threads. From then on it makes the calls of one update and no others,
//! so the n-th call of a thread is the store's.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    os::{fd::OwnedFd, unix::net::UnixStream, unix::process::ExitStatusExt as _},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::store_crash::child::{self, ACKNOWLEDGED, REFUSED};

/// How long an update may take, with a wait for a lock in it. Source: chosen; it takes milliseconds.
const PATIENCE: Duration = Duration::from_mins(5);
/// What a person has to do where there is no tracer.
const NO_STRACE: &str = "strace is not there: run `cargo run --features full --example test_beds`, or install the package `strace`";

/// How a traced update ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Acknowledged,
    /// With what the child said of it.
    Refused(String),
    Killed,
    /// Nothing that may happen: a panic, an exit code of somebody else, no end at all.
    Otherwise(String),
}

/// A system call as the tracer saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) thread: String,
    pub(crate) name: String,
    /// Arguments and result, with the paths of file descriptors.
    pub(crate) text: String,
}

/// What the tracer does to which call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Injection<'a> {
    pub(crate) call: &'a str,
    /// As `strace` has it: `signal=KILL`, `error=ENOSPC`.
    pub(crate) what: &'a str,
    /// As `strace` has it: `3` for the third call of a thread, `3+` for this and all later ones.
    pub(crate) when: &'a str,
}

/// A traced update: its end, its calls, and whether the injection met one.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) end: End,
    pub(crate) calls: Vec<Call>,
    pub(crate) hit: bool,
}

/// Runs one update of the store at this place.
pub(crate) fn update(place: &Path, injection: Option<&Injection<'_>>) -> Traced {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair of sockets");
    let mut child = child::command("once", place)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .spawn()
        .expect("this program can be started again");
    ours.read_exact(&mut [0]).expect("the child is ready");
    let log = tempfile::NamedTempFile::new().expect("a place for the log");
    let mut tracer = attach(&child, injection, log.path());
    match ours.write_all(b"g") {
        // The child's reading begins anew when the machine paused, and may be the call that it is killed at.
        Err(error) if error.kind() == ErrorKind::BrokenPipe && injection.is_some() => {}
        sent => sent.expect("the child waits"),
    }
    let status = wait(&mut child);
    let mut said = String::new();
    child
        .stderr
        .take()
        .expect("it is piped")
        .read_to_string(&mut said)
        .expect("it is text");
    // It ends with the last process it traces.
    tracer.wait().expect("the tracer ends");
    let calls = calls(&fs::read_to_string(log.path()).expect("the log is text"));
    let killed = status.is_some_and(|status| status.signal() == Some(9));
    let hit = killed || calls.iter().any(|call| call.text.contains("(INJECTED)"));
    let end = match status {
        None => End::Otherwise("it did not end".to_owned()),
        Some(_) if killed => End::Killed,
        Some(status) => match status.code() {
            Some(ACKNOWLEDGED) => End::Acknowledged,
            Some(REFUSED) => End::Refused(said.trim().to_owned()),
            _ => End::Otherwise(format!("{status}: {said}")),
        },
    };
    Traced { end, calls, hit }
}

fn attach(child: &Child, injection: Option<&Injection<'_>>, log: &Path) -> Child {
    let mut strace = Command::new("strace");
    strace
        .args(["-f", "-y", "-s", "32", "-p", &child.id().to_string()])
        .arg("-o")
        .arg(log);
    if let Some(Injection { call, what, when }) = injection {
        strace.args([
            "-e",
            &format!("trace={call}"),
            "-e",
            &format!("inject={call}:{what}:when={when}"),
        ]);
    }
    strace
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut tracer = strace
        .spawn()
        .unwrap_or_else(|error| panic!("{NO_STRACE} ({error})"));
    let mut said = BufReader::new(tracer.stderr.take().expect("it is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("the tracer speaks text");
    if !line.contains("attached") {
        said.read_to_string(&mut line)
            .expect("the tracer speaks text");
        panic!(
            "strace may not trace here, so the kernel or the container must allow ptrace: {}",
            line.trim()
        );
    }
    // Nobody reads on, and nobody has to: it says little more, and not to a closed pipe.
    thread::spawn(move || said.read_to_string(&mut line));
    tracer
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return Some(status);
        }
        if Instant::now() > until {
            child.kill().expect("it is our child");
            child.wait().expect("it is our child");
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The calls of a log; one that another thread's call interrupts stands in two lines there.
fn calls(log: &str) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished: BTreeMap<String, usize> = BTreeMap::new();
    for line in log.lines() {
        let Some((thread, text)) = line.split_once(' ') else {
            continue;
        };
        let text = text.trim_start();
        if text.starts_with("<...") {
            if let Some(at) = unfinished.remove(thread) {
                calls[at].text.push_str(text);
            }
            continue;
        }
        let Some((name, _)) = text.split_once('(') else {
            continue;
        };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        if text.contains("<unfinished ...>") {
            unfinished.insert(thread.to_owned(), calls.len());
        }
        calls.push(Call {
            thread: thread.to_owned(),
            name: name.to_owned(),
            text: text.to_owned(),
        });
    }
    calls
}

/// How often the thread that makes a call most often makes it, for each call.
pub(crate) fn counts(calls: &[Call]) -> BTreeMap<String, usize> {
    let mut by_thread: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for call in calls {
        *by_thread.entry((&call.name, &call.thread)).or_default() += 1;
    }
    let mut counts = BTreeMap::new();
    for ((name, _), count) in by_thread {
        let most: &mut usize = counts.entry(name.to_owned()).or_default();
        *most = count.max(*most);
    }
    counts
}
