//! The disk of the run folder is full: the run finishes, one event tells, the report says so, and what is there reads.
//!
//! A file size limit of the process stands for the disk: the operating system refuses the rest of a write in just the same
//! way, and nobody needs to be root for it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use serde_json::{Value, json};
use webwise::{
    DecisionLoop, LlmClient, Result,
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    event::{FanOut, Jsonl, RunFolder},
    guard::ApprovalMode,
    store::InMemory,
    testing::{Recorder, ScriptedModel},
};

use crate::cancel::{
    JOB, PLACE,
    club::{Club, Eyes, task},
    left::{bad_lines, unreadable},
};

/// Limits of a file's size. Unit: 512 bytes, as the shell counts.
const LIMITS: [Option<u32>; 14] = [
    Some(0),
    Some(1),
    Some(2),
    Some(3),
    Some(4),
    Some(5),
    Some(6),
    Some(8),
    Some(10),
    Some(12),
    Some(16),
    Some(24),
    Some(32),
    None,
];
/// What a child's report begins with.
const REPORT: &str = "CHILD-REPORT ";

/// A model that gives the thread that writes time to fail.
#[derive(Debug)]
struct Unhurried<L>(L);

#[async_trait]
impl<L: LlmClient> LlmClient for Unhurried<L> {
    fn capabilities(&self) -> LlmCapabilities {
        self.0.capabilities()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatResponse> {
        tokio::time::sleep(Duration::from_millis(150)).await;
        self.0.complete(request).await
    }
}

/// The child: one run that is recorded twice, and what it came to.
fn child() {
    let place = PathBuf::from(env::var_os(PLACE).expect("the parent says where"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let eyes = Eyes::new(Club::new(0, Duration::ZERO));
        let policy = eyes.policy();
        let model = Unhurried(ScriptedModel::deciding(move |_| Ok(policy())));
        let recorder = Recorder::new();
        let runs = Arc::new(RunFolder::new(place.join("runs")).unwrap());
        let lines = Arc::new(Jsonl::create(place.join("all.jsonl")).unwrap());
        let sinks = FanOut::new()
            .with(Arc::new(recorder.clone()) as _)
            .with(Arc::clone(&runs) as _);
        let agent = DecisionLoop::builder(eyes, model, InMemory::new())
            .with_approval(ApprovalMode::Auto)
            .with_sink(sinks.with(Arc::clone(&lines) as _))
            .build()
            .unwrap();
        let report = agent.run(task()).await;
        let told = recorder
            .names()
            .iter()
            .filter(|name| **name == "recording_failed")
            .count();
        let closed = [runs.close().is_ok(), lines.close().is_ok()];
        let stop = report.summary.stop.as_str();
        println!(
            "{REPORT}{}",
            json!({ "stop": stop, "recording": report.recording, "told": told, "closed": closed })
        );
    });
}

/// Runs a child whose files may not grow past a limit, and gives what it reported.
fn run(place: &Path, limit: Option<u32>) -> Value {
    let limit = limit.map_or_else(|| "unlimited".to_owned(), |blocks| blocks.to_string());
    // The signal that comes with the refusal would end the program; a full disk sends none.
    let script = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$0\" \"$@\"");
    let child = Command::new("sh")
        .args(["-c", &script])
        .arg(env::current_exe().unwrap())
        .args([
            "--exact",
            "cancel::disk::a_full_disk_is_told_once_and_the_run_finishes",
            "--nocapture",
        ])
        .env(JOB, "disk")
        .env(PLACE, place)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    let report = output
        .lines()
        .find_map(|line| line.split_once(REPORT))
        .map(|(_, report)| report);
    let report = report.unwrap_or_else(|| {
        panic!(
            "no report: {output}{}",
            String::from_utf8_lossy(&child.stderr)
        )
    });
    serde_json::from_str(report).unwrap()
}

#[test]
fn a_full_disk_is_told_once_and_the_run_finishes() {
    if env::var(JOB).is_ok_and(|job| job == "disk") {
        return child();
    }
    let mut told = 0;
    for limit in LIMITS {
        let place = tempfile::tempdir().unwrap();
        let report = run(place.path(), limit);
        assert_eq!(report["stop"], "finished", "{limit:?}: {report}");
        let complete = report["closed"] == json!([true, true]);
        let is_told = report["recording"].is_string();
        assert_eq!(
            report["told"],
            json!(u32::from(is_told)),
            "{limit:?}: one event if the report says so: {report}"
        );
        assert!(
            !is_told || !complete,
            "{limit:?}: nothing is told of a complete record: {report}"
        );
        // The last step is written after the report was made; what failed before it is in the report.
        assert!(
            is_told || limit.is_none_or(|blocks| blocks >= 8),
            "{limit:?}: {report}"
        );
        assert_eq!(
            limit.is_none(),
            complete,
            "{limit:?}: the closed sinks say the rest: {report}"
        );
        told += u32::from(is_told);

        assert_eq!(unreadable(&place.path().join("runs")), [""; 0], "{limit:?}");
        assert_eq!(
            bad_lines(&place.path().join("all.jsonl")),
            [""; 0],
            "{limit:?}"
        );
        assert_eq!(temporary(&place.path().join("runs")), [""; 0], "{limit:?}");
    }
    figure!(
        "cancel: {} sizes of a full disk, told by {told} reports, 0 unreadable files",
        LIMITS.len() - 1
    );
}

/// Files and folders that were to become others.
fn temporary(runs: &Path) -> Vec<String> {
    let entries = |folder: &Path| {
        fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .collect::<Vec<_>>()
    };
    let all = entries(runs)
        .into_iter()
        .flat_map(|run| entries(&run).into_iter().chain([run]));
    let names = all.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    names
        .filter(|name| name.starts_with(".new-") || name.contains(".tmp"))
        .collect()
}
