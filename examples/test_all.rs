//! Runs all tests of this crate, several groups at a time, and prints the time that each group took.
//!
//! `cargo run --features full --example test_all`
//!
//! `cargo test` runs one target after the other, and none that needs a browser. Most tests spend their time waiting for one, so
//! this program runs the groups of a target, which are its modules, in processes of their own side by side. It also runs
//! `examples/test_beds`, which installs what the tests need. A group fails if any of its tests did not run.

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

/// Number of groups at a time. Source: measured, two cores: one at a time leaves a fifth of the processors' time idle. The
/// third fills the time in which another group is down to its last long test.
const AT_A_TIME: usize = 3;
/// Number of tests at a time in each group. Source: chosen; what they start must fit into 4 GB, and with more of them, tests
/// that wait for pages begin to wait for each other.
const THREADS: &str = "2";
/// Groups that take long, the longest first, so that only short ones start last. `cdp::driver` is behind `secrets`, because
/// pages of `hostile_pages` take a whole processor and some of `cdp::driver` are large.
const LONG: [&str; 23] = [
    "both_drivers::hostile_pages",
    "both_drivers::secrets",
    "cdp::driver",
    "both_drivers::browser_conformance",
    "both_drivers::tree_parity",
    "both_drivers::lessons_story",
    "subprocesses::store_crash",
    "both_drivers::navigation",
    "both_drivers::demo",
    "both_drivers::lean",
    "cdp::acting",
    "playwright_cli::browser_playwright_cli",
    "both_drivers::sight",
    "both_drivers::real_apps",
    "both_drivers::effects",
    "both_drivers::approval",
    "both_drivers::cancel",
    "subprocesses::argv",
    "playwright_cli::read_back",
    "cdp::settle",
    "scripted_loop::poisoning",
    "both_drivers::eval",
    "lib webwise",
];
/// Groups that check the drivers as a whole, and where secrets are left. They use the Chromium that users have. All others
/// use Chromium's headless shell if it is installed in the same version, because it takes a third less processor time; a test
/// of theirs in which the two differ asks `tests/support/whole.rs` for the whole Chromium. The full size uses nothing else. Source:
/// measured, 34 to 20 s in `settle`, 58 to 40 s in `acting`, 99 to 77 s in `hostile_pages`.
const WHOLE_CHROMIUM: [&str; 3] = [
    "both_drivers::browser_conformance",
    "playwright_cli::browser_playwright_cli",
    "both_drivers::secrets",
];
/// The examples with tests.
const EXAMPLES: [&str; 9] = [
    "test_all",
    "first_run",
    "axum_service",
    "typed_extract",
    "own_model",
    "own_store",
    "own_tool",
    "memory_only",
    "unit_test",
];
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
    let programs = built();
    // Nothing is left running, whatever went wrong.
    if !beds.wait()?.success() {
        return Err("what the tests need is not there".into());
    }
    let mut waiting = Vec::new();
    for program in programs? {
        waiting.extend(program.groups()?);
    }
    waiting.push(Group {
        name: "doc".to_owned(),
        program: None,
        tests: Vec::new(),
    });
    let mut names = LONG.iter().chain(&WHOLE_CHROMIUM);
    if let Some(unknown) = names.find(|name| waiting.iter().all(|group| group.name != **name)) {
        return Err(format!("there is no group of tests {unknown}").into());
    }
    let browsers = Browsers::find();
    let place = |group: &Group| LONG.iter().position(|name| *name == group.name);
    waiting.sort_by_key(|group| place(group).unwrap_or(LONG.len()));
    println!(
        "{} groups of tests, built after {}",
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
        while let Some(group) = next() {
            let ran = group.run(browsers.as_ref())?;
            ran.tell();
            done.lock().expect("no thread panics with it").push(ran);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_A_TIME).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut done = done.into_inner().expect("no thread panicked with it");
    done.sort_by_key(|ran| std::cmp::Reverse(ran.took));
    println!("\n{:>8} {:>6}  group", "seconds", "tests");
    for ran in &done {
        let passed = ran.counts.map_or(0, |counts| counts.passed);
        println!(
            "{:>8.1} {passed:>6}  {}",
            ran.took.as_secs_f64(),
            ran.group.name
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
        println!("FAILED {}: {why}", ran.group.name);
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
    let built = cargo(&["build", "--example", "test_beds"]).status()?;
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

/// Builds every target that contains tests, also those that a plain `cargo test` leaves out, and returns their programs.
fn built() -> Result<Vec<Program>, Failed> {
    let mut build = cargo(&["test", "--no-run", "--lib", "--test", "*"]);
    for example in EXAMPLES {
        build.args(["--example", example]);
    }
    build.arg("--message-format=json-render-diagnostics");
    let output = build.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the tests cannot be built".into());
    }
    let messages = String::from_utf8(output.stdout)?;
    Ok(messages.lines().filter_map(Program::told).collect())
}

/// The program of a target that contains tests.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    /// True if it is a target of `tests`: its modules are groups.
    has_groups: bool,
    path: PathBuf,
}

impl Program {
    /// Returns the program that a message of cargo reports.
    fn told(message: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(message).ok()?;
        let is_it = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        let target = &message["target"];
        let kind = target["kind"][0].as_str()?;
        let name = target["name"].as_str()?;
        let path = message["executable"].as_str().filter(|_| is_it)?;
        let has_groups = kind == "test";
        Some(Self {
            name: if has_groups {
                name.to_owned()
            } else {
                format!("{kind} {name}")
            },
            has_groups,
            path: path.into(),
        })
    }

    /// Returns the groups of its tests.
    fn groups(&self) -> Result<Vec<Group>, Failed> {
        let output = Command::new(&self.path)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .arg("--list")
            .output()?;
        let listed = String::from_utf8(output.stdout)?;
        let tests: Vec<&str> = (listed.lines())
            .filter_map(|line| line.strip_suffix(": test"))
            .collect();
        if !output.status.success() || tests.is_empty() {
            return Err(format!("{} lists no tests", self.name).into());
        }
        let mut groups: Vec<Group> = Vec::new();
        for test in tests {
            let name = match test.split_once("::") {
                Some((module, _)) if self.has_groups => format!("{}::{module}", self.name),
                _ => self.name.clone(),
            };
            match groups.iter_mut().find(|group| group.name == name) {
                Some(group) => group.tests.push(test.to_owned()),
                None => groups.push(Group {
                    name,
                    program: Some(self.path.clone()),
                    tests: vec![test.to_owned()],
                }),
            }
        }
        Ok(groups)
    }
}

/// Tests that run in a process of their own.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    name: String,
    /// The program; `None` for the examples in the documentation, which cargo runs.
    program: Option<PathBuf>,
    /// The tests; none for the examples in the documentation.
    tests: Vec<String>,
}

impl Group {
    /// Runs the tests, with the headless shell unless they need the whole Chromium.
    fn run(self, browsers: Option<&Browsers>) -> io::Result<Ran> {
        let mut command = match &self.program {
            Some(program) => {
                let mut command = Command::new(program);
                command.arg("--exact").args(&self.tests);
                command
            }
            None => cargo(&["test", "--doc"]),
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
            group: self,
            is_success: status.success(),
            took: begin.elapsed(),
            counts: said.lines().rev().find_map(Counts::of),
            said,
        })
    }
}

/// The result of a group.
struct Ran {
    group: Group,
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
            self.group.name,
            seconds(self.took),
            self.said.trim_end()
        );
    }

    /// Returns the reason why the group failed; `None` if it passed.
    fn wrong(&self) -> Option<&'static str> {
        match self.counts {
            _ if !self.is_success => Some("a test failed"),
            None => Some("it told of no tests"),
            Some(Counts { passed, ignored }) => {
                let wanted = self.group.tests.len();
                let is_whole = wanted == 0 && passed > 0 || wanted == passed as usize;
                (!is_whole || ignored > 0).then_some("some tests did not run")
            }
        }
    }
}

/// Number of tests of a group, by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    passed: u32,
    ignored: u32,
}

impl Counts {
    /// Parses the line in which a program summarises its tests.
    fn of(line: &str) -> Option<Self> {
        let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |what: &str| -> Option<u32> {
            let part = parts.split("; ").find_map(|part| part.strip_suffix(what))?;
            part.trim().parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            ignored: count("ignored")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_by_both_runners() {
        let of = |passed, ignored| Some(Counts { passed, ignored });
        for (line, counts) in [
            (
                "test result: ok. 6 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.34s",
                of(6, 1),
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
    fn only_programs_with_tests_are_taken() {
        let message = |kind: &str, test: bool| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"kind":["{kind}"],"name":"cdp"}},"profile":{{"test":{test}}},"executable":"/t/cdp"}}"#
            )
        };
        let told = |kind: &str, test| {
            Program::told(&message(kind, test)).map(|program| (program.name, program.has_groups))
        };
        assert_eq!(told("test", true), Some(("cdp".to_owned(), true)));
        assert_eq!(
            told("example", true),
            Some(("example cdp".to_owned(), false))
        );
        assert_eq!(told("bin", false), None);
        assert_eq!(
            Program::told(r#"{"reason":"build-finished","success":true}"#),
            None
        );
    }
}
