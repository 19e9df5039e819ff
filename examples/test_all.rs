//! Runs all tests of this crate, several targets at a time, and prints the time that each target took.
//!
//! `cargo run --features full --example test_all`
//!
//! `cargo test` runs one target after the other, although most tests spend their time waiting for a browser. This
//! program also runs `examples/test_beds`, which installs what the tests need. A target fails if any of its tests did
//! not run.

use std::{
    collections::VecDeque,
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use webwise::browser::ProgramPlaces;

/// Number of targets at a time. Source: measured, two cores: one at a time leaves a fifth of the processors' time idle. The
/// third fills the time in which another target is down to its last long test.
const TARGETS: usize = 3;
/// Number of tests at a time in each target. Source: chosen; what they start must fit into 4 GB, and with more of them, tests
/// that wait for pages begin to wait for each other.
const THREADS: &str = "2";
/// Targets that take long, the longest first, so that only short ones start last. `cdp` is behind `secrets`, because pages of
/// `hostile_pages` take a whole processor and some of `cdp` are large.
const LONG: [&str; 22] = [
    "hostile_pages",
    "secrets",
    "cdp",
    "browser_conformance",
    "tree_parity",
    "lessons_story",
    "store_crash",
    "navigation",
    "demo",
    "argv",
    "lean",
    "acting",
    "browser_playwright_cli",
    "sight",
    "real_apps",
    "effects",
    "approval",
    "cancel",
    "settle",
    "poisoning",
    "eval",
    "lib webwise",
];
/// Targets that check the drivers as a whole, and where secrets are left. They use the Chromium that users have. All others
/// use Chromium's headless shell if it is installed in the same version, because it takes a third less processor time; a test
/// of theirs in which the two differ asks `tests/support/whole.rs` for the whole Chromium. The full size uses nothing else. Source:
/// measured, 34 to 20 s in `settle`, 58 to 40 s in `acting`, 99 to 77 s in `hostile_pages`.
const WHOLE_CHROMIUM: [&str; 3] = ["browser_conformance", "browser_playwright_cli", "secrets"];
const SHELL: &str = "chromium-headless-shell";
/// Names the program that the drivers start as Chromium.
const CHROMIUM_VARIABLE: &str = "WEBWISE_CHROMIUM";
/// Names the whole Chromium for the tests that need it, where [`CHROMIUM_VARIABLE`] names the headless shell.
const WHOLE_VARIABLE: &str = "WEBWISE_WHOLE_CHROMIUM";
/// The size of the tests, as in `tests/support/profile.rs`.
const SIZE_VARIABLE: &str = "WEBWISE_TESTS";

type Failed = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    match run_all() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs everything. Returns true if all tests passed.
fn run_all() -> Result<bool, Failed> {
    let begin = Instant::now();
    let mut beds = beds()?;
    let waiting = built();
    // Nothing is left running, whatever went wrong.
    if !beds.wait()?.success() {
        return Err("what the tests need is not there".into());
    }
    let mut waiting = waiting?;
    waiting.push(Target {
        name: "doc".to_owned(),
        is_tests: true,
        program: None,
    });
    let mut names = LONG.iter().chain(&WHOLE_CHROMIUM);
    if let Some(unknown) = names.find(|name| waiting.iter().all(|target| target.name != **name)) {
        return Err(format!("there is no test target {unknown}").into());
    }
    let browsers = Browsers::find();
    let place = |target: &Target| LONG.iter().position(|name| *name == target.name);
    waiting.sort_by_key(|target| place(target).unwrap_or(LONG.len()));
    println!(
        "{} targets, built after {}",
        waiting.len(),
        seconds(begin.elapsed())
    );
    let waiting = Mutex::new(VecDeque::from(waiting));
    let done = Mutex::new(Vec::new());
    let next = || {
        waiting
            .lock()
            .expect("no thread panics with it")
            .pop_front()
    };
    let work = || -> io::Result<()> {
        while let Some(target) = next() {
            let ran = target.run(browsers.as_ref())?;
            ran.tell();
            done.lock().expect("no thread panics with it").push(ran);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..TARGETS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut done = done.into_inner().expect("no thread panicked with it");
    done.sort_by_key(|ran| std::cmp::Reverse(ran.took));
    println!("\n{:>8} {:>6}  target", "seconds", "tests");
    for ran in &done {
        let passed = ran.counts.map_or(0, |counts| counts.passed);
        println!(
            "{:>8.1} {passed:>6}  {}",
            ran.took.as_secs_f64(),
            ran.target.name
        );
    }
    let all: u32 = done
        .iter()
        .filter_map(|ran| ran.counts)
        .map(|counts| counts.passed)
        .sum();
    println!("\n{all} tests passed, {} in all", seconds(begin.elapsed()));
    let wrong: Vec<_> = done
        .iter()
        .filter_map(|ran| Some((ran, ran.wrong()?)))
        .collect();
    for (ran, why) in &wrong {
        println!("FAILED {}: {why}", ran.target.name);
    }
    Ok(wrong.is_empty())
}

/// Two programs of the same version of Chromium.
struct Browsers {
    shell: PathBuf,
    whole: PathBuf,
}

impl Browsers {
    /// Returns the programs; `None` if the headless shell is not installed in the version of Chromium, or if the user named a
    /// browser for all tests or asked for the full size.
    fn find() -> Option<Self> {
        let places = ProgramPlaces::from_env();
        let is_full = env::var_os(SIZE_VARIABLE).is_some_and(|size| size == "full");
        let found = (places.on_path(SHELL).zip(places.chromium()))
            .filter(|_| !places.names_chromium() && !is_full)
            .filter(|(shell, whole)| version(whole).is_some_and(|of| version(shell) == Some(of)))
            .map(|(shell, whole)| Self { shell, whole });
        match &found {
            Some(Self { shell, .. }) => println!(
                "{} for all tests but {}",
                shell.display(),
                WHOLE_CHROMIUM.join(", ")
            ),
            None => println!("the same browser for all tests"),
        }
        found
    }
}

/// Returns the version that a browser prints, such as `156.0.8078.108`.
fn version(browser: &Path) -> Option<String> {
    let output = Command::new(browser).arg("--version").output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let mut words = said.split_whitespace();
    let number = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number.map(str::to_owned)
}

fn seconds(time: Duration) -> String {
    format!("{:.0} s", time.as_secs_f64())
}

fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words);
    command
}

/// Starts to install what the tests need. It mostly waits for the network, so the tests are built meanwhile.
fn beds() -> Result<Child, Failed> {
    let built = cargo(&["build", "--features", "full", "--example", "test_beds"]).status()?;
    if !built.success() {
        return Err("the program that installs what the tests need cannot be built".into());
    }
    let program = format!("test_beds{}", env::consts::EXE_SUFFIX);
    let mut beds = Command::new(env::current_exe()?.with_file_name(program));
    let beds = beds
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    Ok(beds.spawn()?)
}

/// Builds every target that contains tests, and returns the targets.
fn built() -> Result<Vec<Target>, Failed> {
    let mut build = cargo(&["test", "--features", "full", "--no-run"]);
    build.arg("--message-format=json-render-diagnostics");
    let output = build.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the tests cannot be built".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    Ok(messages.lines().filter_map(Target::told).collect())
}

/// A target that contains tests.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    name: String,
    /// True if the target exists for its tests, so that it must have some.
    is_tests: bool,
    /// The program; `None` for the examples in the documentation, which cargo runs.
    program: Option<PathBuf>,
}

impl Target {
    /// Returns the target that a message of cargo reports.
    fn told(message: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(message).ok()?;
        let is_it = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let target = &message["target"];
        let kind = target["kind"][0].as_str()?;
        let name = target["name"].as_str()?;
        let program = message["executable"].as_str().filter(|_| is_it)?;
        Some(Self {
            name: if kind == "test" {
                name.to_owned()
            } else {
                format!("{kind} {name}")
            },
            is_tests: matches!(kind, "test" | "lib"),
            program: Some(program.into()),
        })
    }

    /// Runs the tests, with the headless shell unless they need the whole Chromium.
    fn run(self, browsers: Option<&Browsers>) -> io::Result<Ran> {
        let mut command = match &self.program {
            Some(program) => Command::new(program),
            None => cargo(&["test", "--features", "full", "--doc"]),
        };
        if let Some(Browsers { shell, whole }) = browsers
            && !WHOLE_CHROMIUM.contains(&self.name.as_str())
        {
            command
                .env(CHROMIUM_VARIABLE, shell)
                .env(WHOLE_VARIABLE, whole);
        }
        let log = tempfile::NamedTempFile::new()?;
        let append = || fs::OpenOptions::new().append(true).open(log.path());
        let begin = Instant::now();
        let status = command
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("RUST_TEST_THREADS", THREADS)
            .stdin(Stdio::null())
            .stdout(append()?)
            .stderr(append()?)
            .status()?;
        let said = String::from_utf8_lossy(&fs::read(log.path())?).into_owned();
        Ok(Ran {
            target: self,
            is_success: status.success(),
            took: begin.elapsed(),
            counts: said.lines().rev().find_map(Counts::of),
            said,
        })
    }
}

/// The result of a target.
struct Ran {
    target: Target,
    is_success: bool,
    took: Duration,
    counts: Option<Counts>,
    said: String,
}

impl Ran {
    fn tell(&self) {
        let mut out = io::stdout().lock();
        // The reader may have closed the output, which changes nothing about the tests.
        let _ = writeln!(
            out,
            "\n     Running {} ({})\n{}",
            self.target.name,
            seconds(self.took),
            self.said.trim_end()
        );
    }

    /// Returns the reason why the target failed; `None` if it passed.
    fn wrong(&self) -> Option<&'static str> {
        match self.counts {
            _ if !self.is_success => Some("a test failed"),
            None => Some("it told of no tests"),
            Some(counts) if counts.left_out > 0 => Some("some tests did not run"),
            Some(counts) if counts.passed == 0 && self.target.is_tests => Some("no test ran"),
            Some(_) => None,
        }
    }
}

/// Number of tests of a target, by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u32,
    /// Number of ignored and filtered-out tests.
    left_out: u32,
}

impl Counts {
    /// Parses the line in which a target summarises its tests.
    fn of(line: &str) -> Option<Self> {
        let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |what: &str| -> Option<u32> {
            let part = parts.split("; ").find_map(|part| part.strip_suffix(what))?;
            part.trim().parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            left_out: count("ignored")? + count("filtered out")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_by_both_runners() {
        let of = |passed, left_out| Some(Counts { passed, left_out });
        for (line, counts) in [
            (
                "test result: ok. 6 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.34s",
                of(6, 3),
            ),
            (
                "test result: FAILED. 9 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
                of(9, 0),
            ),
            ("test a::b ... ok", None),
            ("test result: well", None),
        ] {
            assert_eq!(Counts::of(line), counts, "{line}");
        }
    }

    #[test]
    fn only_programs_with_tests_are_targets() {
        let message = |kind: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"kind":["{kind}"],"name":"cdp"}},"profile":{{"test":{test}}},"executable":"/t/cdp"}}"#
            )
        };
        let told = |kind: &str, test| {
            Target::told(&message(kind, test)).map(|target| (target.name, target.is_tests))
        };
        assert_eq!(told("test", true), Some(("cdp".to_owned(), true)));
        assert_eq!(
            told("example", true),
            Some(("example cdp".to_owned(), false))
        );
        assert_eq!(told("bin", false), None);
        assert_eq!(
            Target::told(r#"{"reason":"build-finished","success":true}"#),
            None
        );
    }
}
