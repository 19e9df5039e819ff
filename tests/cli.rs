//! The program `webwise` from outside: exit codes, what it says, and what it leaves behind.
//!
//! Each test has a machine of its own: a home folder and a `PATH` with nothing but the programs put there.

#![cfg(unix)]

use std::{
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

struct Machine {
    dir: TempDir,
}

impl Machine {
    /// A machine with these programs; each is a shell script.
    fn with(programs: &[(&str, &str)]) -> Self {
        let machine = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(machine.bin()).unwrap();
        std::fs::create_dir_all(machine.home()).unwrap();
        for (name, script) in programs {
            // Written by a child: a file that this process holds open for writing, also through the fork of another test,
            // cannot be started.
            let write = "printf '#!/bin/sh\\nPATH=/usr/bin:/bin\\n%s\\n' \"$2\" >\"$1\" && chmod 755 \"$1\"";
            let mut sh = Command::new("sh");
            assert!(sh.args(["-c", write, "sh"]).arg(machine.bin().join(name)).arg(script).status().unwrap().success());
        }
        machine
    }

    fn complete() -> Self {
        Self::with(&[
            ("node", "echo v20.1.0"),
            ("playwright-cli", "echo 0.1.22"),
            ("chromium", "echo Chromium 156.0.8078.79 built on Debian"),
        ])
    }

    fn bin(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_webwise"));
        command.env_clear().env("PATH", self.bin()).env("HOME", self.home()).current_dir(self.home());
        command.args(args).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn left_nothing(&self) -> bool {
        self.home().read_dir().unwrap().next().is_none()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Asserts the contract of a bad input: exit code 2 and one sentence on stderr. Returns the sentence.
fn refused(machine: &Machine, output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("webwise: ") && !said.contains("panicked"), "{said}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
    assert!(machine.left_nothing());
    said
}

fn refusal_of(args: &[&str]) -> String {
    let machine = Machine::complete();
    refused(&machine, &machine.run(args))
}

#[test]
fn no_command_is_refused() {
    assert!(refusal_of(&[]).contains("say what to do"));
}

#[test]
fn an_unknown_command_is_refused_and_named() {
    assert!(refusal_of(&["fly"]).contains("'fly'"));
}

#[test]
fn an_unknown_flag_is_refused_with_the_one_that_was_meant() {
    let said = refusal_of(&["setup", "--chekc"]);
    assert!(said.contains("'--chekc'") && said.contains("'--check'"), "{said}");
}

#[test]
fn a_superfluous_argument_is_refused() {
    assert!(refusal_of(&["doctor", "now"]).contains("'now'"));
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    assert!(refusal_of(&["setup", "--yes", "--check"]).contains("cannot be used with"));
}

#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;

    let machine = Machine::complete();
    let output = machine.command(&["doctor"]).arg(std::ffi::OsStr::from_bytes(b"--\xff\x1b[31m")).output().unwrap();
    assert!(!refused(&machine, &output).contains('\u{1b}'));
}

#[test]
fn without_a_home_the_variable_to_set_is_named() {
    let machine = Machine::complete();
    for command in ["setup", "doctor"] {
        let output = machine.command(&[command]).env_remove("HOME").output().unwrap();
        assert!(refused(&machine, &output).contains("set WEBWISE_HOME"));
    }
}

#[test]
fn a_variable_that_names_no_browser_is_refused() {
    let machine = Machine::complete();
    let output = machine.command(&["setup"]).env("WEBWISE_CHROMIUM", "/nowhere/chrome").output().unwrap();
    assert!(refused(&machine, &output).contains("WEBWISE_CHROMIUM names /nowhere/chrome"));
}

#[test]
fn where_nothing_can_be_installed_setup_says_what_to_install() {
    let machine = Machine::with(&[]);
    let said = refused(&machine, &machine.run(&["setup"]));
    assert!(said.contains("install Node.js, npm and Chromium with its own package manager"), "{said}");
}

#[test]
fn a_home_that_cannot_be_made_is_refused() {
    let machine = Machine::with(&[("node", "echo v20.1.0"), ("npm", "exit 0"), ("chromium", "echo 156.0")]);
    let output = machine.command(&["setup"]).env("WEBWISE_HOME", "/dev/null/x").output().unwrap();
    assert!(refused(&machine, &output).contains("set WEBWISE_HOME to another folder"));
}

#[test]
fn help_and_version_are_no_errors() {
    let machine = Machine::with(&[]);
    for (args, word) in
        [(&["--help"][..], "doctor"), (&["setup", "--help"][..], "--check"), (&["--version"][..], "webwise")]
    {
        let output = machine.run(args);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(word) && output.stderr.is_empty());
    }
    assert!(machine.left_nothing());
}

#[test]
fn setup_does_nothing_where_all_is_there() {
    let machine = Machine::complete();
    for args in [&["setup"][..], &["setup", "--yes"], &["setup", "--check"]] {
        let output = machine.run(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("ok       Chromium: 156.0.8078 at "));
        assert!(output.stderr.is_empty() && machine.left_nothing());
    }
}

/// A Debian in which apt-get and npm do nothing but put scripts where the real ones put programs.
fn debian(node_version: &str) -> Machine {
    let put = |path: &str, says: &str| format!("printf '#!/bin/sh\\necho {says}\\n' >{path} && chmod 755 {path}");
    let npm = [
        "case \" $* \" in *' --prefix '*) ;; *) exit 9;; esac",
        "for word in \"$@\"; do case $last in --prefix) root=$word;; esac; last=$word; done",
        "test -f \"$root/package.json\" || exit 8",
        "bin=$root/node_modules/.bin; mkdir -p \"$bin\"",
        &format!("for word in \"$@\"; do case $word in node@22) {};; esac; done", put("\"$bin/node\"", "v22.1.0")),
        &put("\"$bin/playwright-cli\"", "0.1.22"),
        "echo \"$*\" >\"$root/npm-was-told\"",
    ]
    .join("\n");
    let machine = Machine::with(&[("sudo", "shift; exec \"$@\""), ("npm.later", &npm)]);
    let bin = machine.bin().display().to_string();
    let apt_get = [
        &format!("echo \"$*\" >>{bin}/apt-was-told"),
        "test \"$DEBIAN_FRONTEND\" = noninteractive || exit 7",
        "test \"$1\" = update && exit 0",
        &put(&format!("{bin}/node"), node_version),
        &put(&format!("{bin}/chromium"), "Chromium 156.0.1"),
        &format!("mv {bin}/npm.later {bin}/npm"),
    ]
    .join("\n");
    let other = Machine::with(&[("apt-get", &apt_get)]);
    std::fs::rename(other.bin().join("apt-get"), machine.bin().join("apt-get")).unwrap();
    machine
}

fn root(machine: &Machine) -> PathBuf {
    machine.home().join(".cache/webwise/playwright-cli")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn setup_installs_everything_on_a_bare_machine_and_then_nothing_more() {
    let machine = debian("v18.20.4");
    let output = machine.run(&["setup"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("ok       Node.js: 22.1.0 at "), "{}", text(&output.stdout));
    assert!(text(&output.stderr).contains("[2/2] Install @playwright/cli@0.1.22 and node@22 with npm"));
    assert!(
        read(&machine.bin().join("apt-was-told")).contains("install -y --no-install-recommends nodejs npm chromium")
    );
    let told = read(&root(&machine).join("npm-was-told"));

    let again = machine.run(&["setup"]);
    assert_eq!(again.status.code(), Some(0));
    assert!(text(&again.stdout).starts_with("Nothing to do"));
    assert_eq!(read(&root(&machine).join("npm-was-told")), told);
    assert_eq!(read(&machine.bin().join("apt-was-told")).lines().count(), 2);
}

#[test]
fn a_distribution_with_a_new_node_gets_no_second_one() {
    let machine = debian("v20.9.0");
    assert_eq!(machine.run(&["setup"]).status.code(), Some(0));
    let told = read(&root(&machine).join("npm-was-told"));
    assert!(told.contains("@playwright/cli@0.1.22") && !told.contains("node@22"), "{told}");
}

#[test]
fn a_check_installs_nothing_and_lists_what_would_be_done() {
    let machine = debian("v18.20.4");
    let output = machine.run(&["setup", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("1. Install Node.js, npm and Chromium from the system's packages"));
    assert!(machine.left_nothing() && !machine.bin().join("apt-was-told").exists());
}

#[test]
fn what_the_tests_need_is_checked_only_when_asked_and_a_wrong_wheel_is_not_unpacked() {
    let machine = Machine::complete();
    let output = machine.run(&["setup", "--check", "--tests"]);
    assert_eq!(output.status.code(), Some(2), "there is no pip and no way to install it");
    assert!(text(&output.stderr).contains("install pip for Python and strace with its own package manager"));

    // A pip that brings something else under the right name, and a Python that would unpack it.
    let python = [
        "test \"$3\" = --version && echo 'pip 23.0.1 from /usr/lib' && exit 0",
        "for word in \"$@\"; do case $last in --dest) new=$word;; esac; last=$word; done",
        "case $2 in pip) echo else >\"$new/miniwob-1.1.0-py3-none-any.whl\";; zipfile) mkdir -p \"$4/miniwob/html/miniwob\";; esac",
    ];
    let other = Machine::with(&[("python3", &python.join("\n")), ("strace", "echo strace -- version 6.1")]);
    for name in ["python3", "strace"] {
        std::fs::rename(other.bin().join(name), machine.bin().join(name)).unwrap();
    }
    let output = machine.run(&["setup", "--check", "--tests"]);
    assert_eq!(output.status.code(), Some(1));
    for step in ["1. Get MiniWoB++ 1.1.0 with pip", "2. Get Django 5.2.19 with pip", "3. Get Roundup 2.6.0 with pip"] {
        assert!(text(&output.stdout).contains(step), "{step}: {}", text(&output.stdout));
    }
    assert!(machine.left_nothing());

    let output = machine.run(&["setup", "--tests"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("is not the expected file"), "{}", text(&output.stderr));
    assert!(!machine.home().join(".cache/webwise/miniwob/1.1.0").exists());
    assert_eq!(machine.run(&["setup"]).status.code(), Some(0));
}

#[test]
fn what_setup_starts_sees_no_key_and_what_it_needs_to_reach_the_registry() {
    let machine =
        Machine::with(&[("node", "echo v20.1.0"), ("chromium", "echo 156.0"), ("npm", "/usr/bin/env >&2; exit 3")]);
    let mut command = machine.command(&["setup"]);
    let keys = ["GEMINI_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "WEBWISE_LLM_API_KEY", "SHOP_PASSWORD"];
    command.envs(keys.map(|name| (name, "hunter2")));
    let needed = [("https_proxy", "http://127.0.0.1:3128"), ("npm_config_loglevel", "silent"), ("LC_ALL", "C")];
    let output = command.envs(needed).output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("`npm` failed (exit status: 3)") && !said.contains("hunter2"), "{said}");
    for (name, value) in needed.into_iter().chain([("DEBIAN_FRONTEND", "noninteractive")]) {
        assert!(said.contains(&format!("\n  {name}={value}\n")), "{name} in {said}");
    }
}

#[test]
fn a_failed_installation_shows_what_the_program_said() {
    let machine = Machine::with(&[
        ("node", "echo v20.1.0"),
        ("chromium", "echo 156.0"),
        ("npm", "echo 'registry is \u{1b}[31mon fire' >&2; exit 3"),
    ]);
    let output = machine.run(&["setup"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("`npm` failed (exit status: 3)") && said.contains("\n  registry is on fire\n"), "{said}");
}

#[test]
fn an_installation_that_brings_nothing_is_not_called_a_success() {
    let machine = Machine::with(&[("node", "echo v20.1.0"), ("chromium", "echo 156.0"), ("npm", "exit 0")]);
    let output = machine.run(&["setup"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("what it should bring is not there"));
}

#[test]
fn the_doctor_says_what_is_missing_and_fails() {
    let machine = Machine::with(&[("node", "echo v18.20.4")]);
    let output = machine.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(report.contains("too old  Node.js: 18.20.4 at ") && report.contains("missing  Chromium"), "{report}");
    assert!(report.contains("run `webwise setup`"));
    assert!(machine.left_nothing());
}

#[test]
fn the_doctor_names_what_configures_a_model_and_never_its_value() {
    let machine = Machine::complete();
    for args in [&["doctor"][..], &["doctor", "--json"]] {
        let output = machine.command(args).env("GEMINI_API_KEY", "hunter2").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = text(&output.stdout);
        assert!(report.contains("GEMINI_API_KEY") && !report.contains("hunter2"), "{report}");
    }
}

#[test]
fn the_doctor_says_which_of_several_variables_is_used() {
    let machine = Machine::complete();
    let report = |variables: &[(&str, &str)]| {
        let output = machine.command(&["doctor"]).envs(variables.iter().copied()).output().unwrap();
        text(&output.stdout).lines().find(|line| line.contains(" model: ")).unwrap().to_owned()
    };
    let keys = [("OPENAI_API_KEY", "o"), ("GEMINI_API_KEY", "g")];
    let two = report(&keys);
    assert!(
        two.ends_with("model: gemini-flash-latest, configured by GEMINI_API_KEY, not used: OPENAI_API_KEY"),
        "{two}"
    );
    let own = [("WEBWISE_LLM_BASE_URL", "https://a.example/v1"), ("WEBWISE_LLM_API_KEY", "k"), ("WEBWISE_MODEL", "m")];
    let settings = [("WEBWISE_LLM_MODE", "tools"), ("WEBWISE_CONTEXT_WINDOW", "8192")];
    let server = report(&[&keys[..], &own, &settings].concat());
    let names = own.iter().chain(&settings).map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    assert!(
        server.ends_with(&format!("model: m, configured by {names}, not used: GEMINI_API_KEY, OPENAI_API_KEY")),
        "{server}"
    );
}

#[test]
fn the_doctors_json_says_the_same_as_its_lines() {
    let machine = Machine::with(&[("node", "echo v22.0.1")]);
    let output = machine.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], false);
    let status = |name: &str| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == name).unwrap()["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (status("Node.js").as_str(), status("Chromium").as_str(), status("model").as_str()),
        ("ok", "missing", "note")
    );
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_panic() {
    let machine = Machine::complete();
    let mut child = machine.command(&["doctor"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!text(&output.stderr).contains("panicked"));
}

/// A run on a machine where it could start, but for what is added.
fn run_with(args: &[&str], variables: &[(&str, &str)]) -> String {
    let machine = Machine::complete();
    let fine = ["run", "--goal", "Look", "--url", "https://a.example"];
    let output = machine.command(&fine).args(args).envs(variables.iter().copied()).output().unwrap();
    refused(&machine, &output)
}

const MODEL: (&str, &str) = ("WEBWISE_LLM_BASE_URL", "http://127.0.0.1:9/v1");

#[test]
fn a_run_without_a_model_says_what_to_set() {
    let said = run_with(&[], &[]);
    assert!(said.contains("GEMINI_API_KEY") && said.contains("WEBWISE_LLM_BASE_URL"), "{said}");
}

#[test]
fn a_run_needs_a_goal_and_an_address() {
    assert!(refusal_of(&["run"]).contains("--goal"));
    assert!(refusal_of(&["run", "--goal", "x"]).contains("--url"));
    assert!(refusal_of(&["run", "--goal", " ", "--url", "https://a.example"]).contains("goal"));
}

#[test]
fn a_bad_value_of_a_run_is_named_with_its_flag() {
    for (flag, value) in [
        ("--max-steps", "0"),
        ("--max-calls", "x"),
        ("--max-input-tokens", "-1"),
        ("--max-output-tokens", "1.5"),
        ("--timeout", "soon"),
        ("--approve", "maybe"),
        ("--allow", "a b"),
        ("--param", "novalue"),
        ("--secret", "PASSWORD=hunter2"),
        ("--session-id", "../x"),
        ("--base-url", "localhost"),
    ] {
        let said = run_with(&[&format!("{flag}={value}")], &[MODEL]);
        assert!(said.contains(flag), "{said}");
    }
}

#[test]
fn a_secret_comes_from_a_variable_that_must_be_set() {
    let said = run_with(&["--secret", "PASSWORD=SHOP_PASSWORD@https://a.example"], &[MODEL]);
    assert!(said.contains("SHOP_PASSWORD"), "{said}");
    let open = run_with(&["--secret", "PASSWORD=PW@http://a.example"], &[MODEL, ("PW", "hunter2")]);
    assert!(open.contains("https") && !open.contains("hunter2"), "{open}");
}

#[test]
fn a_secret_that_is_not_text_is_not_called_unset() {
    use std::os::unix::ffi::OsStrExt as _;

    let machine = Machine::complete();
    let args = ["run", "--goal", "g", "--url", "https://a.example", "--secret", "PASSWORD=PW@https://a.example"];
    let value = std::ffi::OsStr::from_bytes(b"hunter2\xff");
    let said = refused(&machine, &machine.command(&args).env("PW", value).output().unwrap());
    assert!(said.contains("PW is set, but not to UTF-8 text") && !said.contains("hunter2"), "{said}");
}

#[test]
fn a_model_that_cannot_be_used_is_named_by_its_flag_or_variable() {
    assert!(run_with(&["--model", "qwen3"], &[]).contains("--model"));
    assert!(run_with(&[], &[("WEBWISE_MODEL", "claude-opus-4-6")]).contains("ANTHROPIC_API_KEY"));
    let said = run_with(&[], &[("WEBWISE_LLM_BASE_URL", "https://me:hunter2@a.example")]);
    assert!(said.contains("WEBWISE_LLM_BASE_URL") && !said.contains("hunter2"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_starts() {
    assert!(run_with(&["--runs-dir", "/dev/null/runs"], &[MODEL]).contains("--runs-dir"));
    let machine = Machine::with(&[]);
    let output = machine.run(&["demo", "--runs-dir", "/dev/null/runs"]);
    assert!(refused(&machine, &output).contains("/dev/null/runs"));
}

#[test]
fn a_run_without_a_browser_is_refused_and_leaves_nothing() {
    let machine = Machine::with(&[]);
    let run = ["run", "--goal", "Look", "--url", "https://a.example", "--approve", "auto"];
    let output = machine.command(&run).envs([MODEL]).output().unwrap();
    assert!(refused(&machine, &output).contains("webwise setup"));
}

#[test]
fn a_browser_that_does_not_start_is_a_failure_with_what_it_said() {
    let machine = Machine::complete();
    let run = ["run", "--goal", "Look", "--url", "https://a.example", "--approve", "auto"];
    let output = machine.command(&run).envs([MODEL]).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("webwise doctor") && said.contains("0.1.22"), "{said}");
    assert!(machine.left_nothing());
}

#[test]
fn a_bad_value_of_the_demo_is_refused() {
    for (flag, value) in [("--port", "70000"), ("--port", "x"), ("--seed", "-1"), ("--base-url", "ftp://a.example")] {
        assert!(refusal_of(&["demo", &format!("{flag}={value}")]).contains(flag));
    }
    assert!(refusal_of(&["demo", "--goal", "x"]).contains("--goal"));
}

#[test]
fn a_port_in_use_is_refused_before_anything_is_installed() {
    let machine = debian("v18.20.4");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let said = refused(&machine, &machine.run(&["demo", "--port", &port]));
    assert!(said.contains(&port) && said.contains("--port"), "{said}");
    assert!(!machine.bin().join("apt-was-told").exists());
}

#[test]
fn the_demo_installs_what_is_missing_first() {
    let machine = debian("v18.20.4");
    let output = machine.run(&["demo", "--json"]);
    let said = text(&output.stderr);
    // The scripts that play the programs cannot open a browser.
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("`webwise setup` runs first") && said.contains("[2/2] Install @playwright/cli@0.1.22"),
        "{said}"
    );
    assert!(root(&machine).join("npm-was-told").exists() && output.stdout.is_empty());
    assert!(!machine.home().join("runs").exists());
}

#[test]
fn the_demo_is_refused_where_nothing_can_be_installed() {
    let machine = Machine::with(&[]);
    let said = refused(&machine, &machine.run(&["demo"]));
    assert!(said.contains("install Node.js, npm and Chromium with its own package manager"), "{said}");
}
