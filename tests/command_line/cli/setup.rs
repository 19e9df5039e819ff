//! `webwise setup`: what it installs, where it stops, and what it says.

use crate::cli::machine::{Machine, debian, read, refused, root, text};

#[test]
fn where_nothing_can_be_installed_setup_says_what_to_install() {
    let machine = Machine::with(&[]);
    let said = refused(&machine, &machine.run(&["setup"]));
    assert!(
        said.contains(
            "install Chromium with its own package manager, then run `webwise setup` again"
        ),
        "{said}"
    );
    let said = refused(
        &machine,
        &machine.run(&["setup", "--driver", "playwright-cli"]),
    );
    assert!(
        said.contains("install Node.js, npm and Chromium with its own package manager"),
        "{said}"
    );
    assert!(
        said.contains("run `webwise setup --driver playwright-cli` again"),
        "{said}"
    );
}

#[test]
fn a_home_that_cannot_be_made_is_refused() {
    let machine = Machine::with(&[
        ("node", "echo v20.1.0"),
        ("npm", "exit 0"),
        ("chromium", "echo Chromium 156.0"),
    ]);
    let mut setup = machine.command(&["setup", "--driver", "playwright-cli"]);
    let output = setup.env("WEBWISE_HOME", "/dev/null/x").output().unwrap();
    assert!(refused(&machine, &output).contains("set WEBWISE_HOME to another folder"));
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

#[test]
fn chromium_alone_is_enough_unless_more_is_asked_for() {
    let machine = Machine::with_chromium_alone();
    for args in [
        &["setup"][..],
        &["setup", "--check"],
        &["setup", "--driver", "cdp"],
    ] {
        let output = machine.run(args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stdout);
        assert!(
            said.contains("ok       driver: cdp, because ")
                && said.contains("note     Node.js: not found"),
            "{said}"
        );
        assert!(output.stderr.is_empty() && machine.left_nothing());
    }
    let output = machine.run(&["setup", "--check", "--driver", "playwright-cli"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn setup_installs_only_chromium_on_a_bare_machine_and_then_nothing_more() {
    let machine = debian("v18.20.4");
    let output = machine.run(&["setup"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("ok       driver: cdp, because it needs only Chromium"),
        "{said}"
    );
    assert!(said.ends_with("Next: webwise demo\n"), "{said}");
    assert!(text(&output.stderr).contains("[1/1] Install Chromium from the system's packages"));
    let told = read(&machine.bin().join("apt-was-told"));
    assert!(
        told.contains("install -y --no-install-recommends chromium -q"),
        "{told}"
    );
    assert!(!root(&machine).exists());

    let again = machine.run(&["setup"]);
    assert_eq!(
        (again.status.code(), text(&again.stderr)),
        (Some(0), String::new())
    );
    assert!(text(&again.stdout).starts_with("Nothing to do"));
    assert_eq!(read(&machine.bin().join("apt-was-told")), told);
}

/// What brings playwright-cli.
const WITH_TOOL: [&str; 3] = ["setup", "--driver", "playwright-cli"];

#[test]
fn setup_installs_the_other_driver_when_asked_and_then_nothing_more() {
    let machine = debian("v18.20.4");
    let output = machine.run(&WITH_TOOL);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("ok       Node.js: 22.1.0 at "),
        "{}",
        text(&output.stdout)
    );
    assert!(
        text(&output.stderr).contains("[2/2] Install @playwright/cli@0.1.22 and node@22 with npm")
    );
    assert!(
        read(&machine.bin().join("apt-was-told"))
            .contains("install -y --no-install-recommends nodejs npm chromium")
    );
    let told = read(&root(&machine).join("npm-was-told"));

    for (args, driver) in [(&["setup"][..], "cdp"), (&WITH_TOOL, "playwright-cli")] {
        let again = machine.run(args);
        assert_eq!(again.status.code(), Some(0));
        let said = text(&again.stdout);
        assert!(
            said.starts_with("Nothing to do")
                && said.contains(&format!("driver: {driver}, because ")),
            "{said}"
        );
    }
    assert_eq!(read(&root(&machine).join("npm-was-told")), told);
    assert_eq!(read(&machine.bin().join("apt-was-told")).lines().count(), 2);
}

#[test]
fn a_distribution_with_a_new_node_gets_no_second_one() {
    let machine = debian("v20.9.0");
    assert_eq!(machine.run(&WITH_TOOL).status.code(), Some(0));
    let told = read(&root(&machine).join("npm-was-told"));
    assert!(
        told.contains("@playwright/cli@0.1.22") && !told.contains("node@22"),
        "{told}"
    );
}

#[test]
fn a_check_installs_nothing_and_lists_what_would_be_done() {
    let machine = debian("v18.20.4");
    for (args, sentence) in [
        (
            &["setup", "--check"][..],
            "1. Install Chromium from the system's packages",
        ),
        (
            &["setup", "--check", "--driver", "playwright-cli"],
            "1. Install Node.js, npm and Chromium from the system's",
        ),
    ] {
        let output = machine.run(args);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stdout).contains(sentence),
            "{}",
            text(&output.stdout)
        );
        let command = format!(
            "run `webwise {}` to",
            args.join(" ").replace(" --check", "")
        );
        assert!(
            text(&output.stderr).contains(&command),
            "{}",
            text(&output.stderr)
        );
    }
    assert!(machine.left_nothing() && !machine.bin().join("apt-was-told").exists());
}

#[test]
fn what_setup_starts_sees_no_key_and_what_it_needs_to_reach_the_registry() {
    let machine = Machine::with(&[
        ("node", "echo v20.1.0"),
        ("chromium", "echo Chromium 156.0"),
        ("npm", "/usr/bin/env >&2; exit 3"),
    ]);
    let mut command = machine.command(&WITH_TOOL);
    let keys = [
        "GEMINI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "WEBWISE_LLM_API_KEY",
        "SHOP_PASSWORD",
    ];
    command.envs(keys.map(|name| (name, "hunter2")));
    let needed = [
        ("https_proxy", "http://127.0.0.1:3128"),
        ("npm_config_loglevel", "silent"),
        ("LC_ALL", "C"),
    ];
    let output = command.envs(needed).output().unwrap();
    let said = text(&output.stderr);
    assert!(
        said.contains("`npm` failed (exit status: 3)") && !said.contains("hunter2"),
        "{said}"
    );
    for (name, value) in needed
        .into_iter()
        .chain([("DEBIAN_FRONTEND", "noninteractive")])
    {
        assert!(
            said.contains(&format!("\n  {name}={value}\n")),
            "{name} in {said}"
        );
    }
}

#[test]
fn a_failed_installation_shows_what_the_program_said() {
    let machine = Machine::with(&[
        ("node", "echo v20.1.0"),
        ("chromium", "echo Chromium 156.0"),
        ("npm", "echo 'registry is \u{1b}[31mon fire' >&2; exit 3"),
    ]);
    let output = machine.run(&WITH_TOOL);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("`npm` failed (exit status: 3)")
            && said.contains("\n  registry is on fire\n"),
        "{said}"
    );
}

#[test]
fn an_installation_that_brings_nothing_is_not_called_a_success() {
    let machine = Machine::with(&[
        ("node", "echo v20.1.0"),
        ("chromium", "echo Chromium 156.0"),
        ("npm", "exit 0"),
    ]);
    let output = machine.run(&WITH_TOOL);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("what it should bring is not there"));
}
