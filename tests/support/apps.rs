//! Real applications on loopback for tests: Django's admin and the issue tracker Roundup, with the same rows at every
//! start. Include it with `#[path]`; it needs the feature `playwright-cli`.
//!
//! the example `test_beds` brings their code, `tests/fixtures/apps` starts it. What an application stores is in a database
//! file, so a test can say exactly what a browser did.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Child,
    time::timeout,
};
use webwise::browser::ProgramPlaces;

/// How long a start may take. Source: chosen; an idle machine needs 3 s, the first time twice as many.
const START: Duration = Duration::from_mins(3);
/// How long a killed one may take to be gone. Source: chosen.
const END: Duration = Duration::from_secs(20);
/// How often it is looked for. Source: chosen.
const LOOK: Duration = Duration::from_millis(5);

/// Answers a question to a database file that nothing here writes to: an array of rows, each an array of columns.
const ASK: &str = "import json, sqlite3, sys; \
                   print(json.dumps(sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True).execute(sys.argv[2]).fetchall()))";

/// An application that runs; it ends when it is dropped, and also when this process is killed.
#[derive(Debug)]
pub(crate) struct App {
    port: u16,
    /// Its standard input is open: when that ends, so does the application.
    child: Child,
    /// The file that holds its rows.
    rows: PathBuf,
    /// The file with a line for each request.
    requests: PathBuf,
    folder: TempDir,
}

impl App {
    /// Who may do everything, in each of them.
    pub(crate) const USER: &str = "admin";
    /// Its password.
    pub(crate) const PASSWORD: &str = "two rooms with a view";

    /// Django's admin over 8 rooms and 52 bookings (tables `booking_room` and `booking_booking`), at `/admin/`, under
    /// `127.0.0.1` or any name below `localhost`.
    pub(crate) async fn django() -> Self {
        Self::start("django/5.2.19", "django_bed.py", "booking.sqlite3").await
    }

    /// Roundup's classic tracker with 60 issues (table `_issue`), at `/`, under `127.0.0.1` alone.
    pub(crate) async fn roundup() -> Self {
        Self::start("roundup/2.6.0", "roundup_bed.py", "db/db").await
    }

    async fn start(source: &str, script: &str, rows: &str) -> Self {
        let places = ProgramPlaces::from_env();
        let own = places
            .installation_folder()
            .and_then(Path::parent)
            .expect("HOME or WEBWISE_HOME is set");
        let source = own.join(source);
        let bring = "run `cargo run --features full --example test_beds` first";
        assert!(
            source.is_dir(),
            "{} is not there: {bring}",
            source.display()
        );
        let folder = tempfile::tempdir().expect("a folder for its data");
        let script = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/apps")
            .join(script);
        let said = folder.path().join("said.txt");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("a folder of its own");
        let mut command = tokio::process::Command::new("python3");
        // What Python compiles is kept for the next start, but neither beside the code that was verified nor beside ours.
        command
            .arg("-X")
            .arg(format!("pycache_prefix={}", own.join("pycache").display()));
        command.args([&script, &source, &data]).arg(Self::PASSWORD);
        let requests = folder.path().join("requests.txt");
        command.env("WEBWISE_REQUESTS", &requests);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command.stderr(File::create(&said).expect("a file for what it says"));
        let mut child = command
            .spawn()
            .unwrap_or_else(|error| panic!("python3 cannot be started ({error}): {bring}"));
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let first = timeout(START, lines.next_line()).await;
        let port = first
            .ok()
            .and_then(Result::ok)
            .flatten()
            .and_then(|line| line.strip_prefix("serving ")?.parse().ok());
        let Some(port) = port else {
            let said = fs::read_to_string(&said).unwrap_or_default();
            panic!("{} did not start: {said}", script.display());
        };
        Self {
            port,
            child,
            rows: data.join(rows),
            requests,
            folder,
        }
    }

    /// The address of a path, which begins with a slash.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Lets go of its standard input, as the end of this process does; says whether the application has ended then.
    pub(crate) async fn ends_without_us(mut self) -> bool {
        drop(self.child.stdin.take());
        timeout(END, self.child.wait()).await.is_ok()
    }

    /// Method and path of each request so far, as the application itself has written them down.
    pub(crate) fn requests(&self) -> Vec<String> {
        let lines = fs::read_to_string(&self.requests).unwrap_or_default();
        lines.lines().map(str::to_owned).collect()
    }

    /// What the application stores now, as SQL is asked.
    pub(crate) fn rows(&self, sql: &str) -> Vec<Vec<Value>> {
        let output = Command::new("python3")
            .args(["-c", ASK])
            .arg(&self.rows)
            .arg(sql)
            .output();
        let output = output.expect("python3 runs, it has started the application");
        let said = String::from_utf8_lossy(&output.stderr);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("`{sql}` cannot be answered: {said}"))
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed.
        let _ = self.child.start_kill();
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < END {
            thread::sleep(LOOK);
        }
    }
}
