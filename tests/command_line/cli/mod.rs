//! The program `webwise` from outside: exit codes, what it says, and what it leaves behind.
//!
//! Each test has a machine of its own: a home folder and a `PATH` with nothing but the programs put there.

#![cfg(unix)]

mod config;
mod demo;
mod doctor;
mod machine;
mod run;
mod runs;
mod setup;

use machine::{Machine, refusal_of, refused, text};

#[test]
fn no_command_is_refused() {
    assert!(refusal_of(&[]).contains("say what to do: `webwise --help` lists"));
    assert!(refusal_of(&["memory"]).contains("say what to do: `webwise memory --help` lists"));
}

#[test]
fn an_unknown_command_is_refused_and_named() {
    let said = refusal_of(&["fly"]);
    assert!(
        said.contains("'fly'") && said.ends_with("; see `webwise --help`\n"),
        "{said}"
    );
}

#[test]
fn an_unknown_flag_is_refused_with_the_one_that_was_meant() {
    let said = refusal_of(&["setup", "--chekc"]);
    assert!(
        said.contains("'--chekc'") && said.contains("'--check'"),
        "{said}"
    );
    assert!(said.ends_with("; see `webwise setup --help`\n"), "{said}");
}

#[test]
fn a_superfluous_argument_is_refused() {
    assert!(refusal_of(&["doctor", "now"]).contains("'now'"));
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    let run = [
        "run",
        "--goal",
        "Look",
        "--url",
        "https://a.example",
        "--attach",
        "http://127.0.0.1:9222",
    ];
    for args in [
        &["setup", "--yes", "--check"][..],
        &[&run[..], &["--headed"]].concat(),
    ] {
        assert!(refusal_of(args).contains("cannot be used with"), "{args:?}");
    }
    let said = refusal_of(&[&run[..], &["--driver", "playwright-cli"]].concat());
    assert!(
        said.contains("--attach works by the driver cdp: leave out `--driver playwright-cli`"),
        "{said}"
    );
}

#[test]
fn a_driver_that_is_none_is_refused_with_those_that_are() {
    for command in ["setup", "doctor", "demo"] {
        let said = refusal_of(&[command, "--driver", "selenium"]);
        assert!(
            said.contains("'selenium'") && said.contains("cdp, playwright-cli"),
            "{said}"
        );
    }
}

#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;

    let machine = Machine::complete();
    let output = machine
        .command(&["doctor"])
        .arg(std::ffi::OsStr::from_bytes(b"--\xff\x1b[31m"))
        .output()
        .unwrap();
    assert!(!refused(&machine, &output).contains('\u{1b}'));
}

#[test]
fn without_a_home_the_variable_to_set_is_named() {
    let machine = Machine::complete();
    for command in ["setup", "doctor"] {
        let output = machine
            .command(&[command])
            .env_remove("HOME")
            .output()
            .unwrap();
        assert!(refused(&machine, &output).contains("set WEBWISE_HOME"));
    }
}

#[test]
fn a_variable_that_names_no_browser_is_refused() {
    let machine = Machine::complete();
    let output = machine
        .command(&["setup"])
        .env("WEBWISE_CHROMIUM", "/nowhere/chrome")
        .output()
        .unwrap();
    assert!(refused(&machine, &output).contains("WEBWISE_CHROMIUM names /nowhere/chrome"));
}

#[test]
fn help_and_version_are_no_errors() {
    let machine = Machine::with(&[]);
    for (args, word) in [
        (&["--help"][..], "doctor"),
        (&["--help"], "the folder of memory, the model"),
        (&["setup", "--help"], "--check"),
        (&["setup", "--help"], "`doctor` also checks memory"),
        (&["run", "--help"], "--attach"),
        (&["demo", "--help"], "--driver"),
        (&["--version"], "webwise"),
    ] {
        let output = machine.run(args);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains(word) && output.stderr.is_empty());
    }
    assert!(machine.left_nothing());
}
