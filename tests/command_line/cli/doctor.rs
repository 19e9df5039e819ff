//! `webwise doctor`: a line for each fact, and the same as JSON.

use std::process::Stdio;

use crate::cli::machine::{Machine, text};

#[test]
fn the_doctor_says_what_is_missing_and_fails() {
    let machine = Machine::with(&[("node", "echo v18.20.4")]);
    let output = machine.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(
        report.contains("note     Node.js: 18.20.4 at ") && report.contains("missing  Chromium"),
        "{report}"
    );
    assert!(report.contains("run `webwise setup`"));
    let output = machine.run(&["doctor", "--driver", "playwright-cli"]);
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(
        report.contains("too old  Node.js: 18.20.4 at ") && report.contains("missing  Chromium"),
        "{report}"
    );
    assert!(
        report.contains("run `webwise setup --driver playwright-cli`"),
        "{report}"
    );
    assert!(machine.left_nothing());
}

#[test]
fn the_doctor_says_which_driver_would_be_used_and_why() {
    let old = ("node", "echo v18.20.4");
    let (tool, chromium) = (
        ("playwright-cli", "echo 0.1.22"),
        ("chromium", "echo Chromium 156.0.1"),
    );
    for (programs, args, code, line) in [
        (
            &[chromium][..],
            &[][..],
            0,
            "ok       driver: cdp, because it needs only Chromium",
        ),
        (
            &[chromium, tool, old],
            &[],
            0,
            "ok       driver: cdp, because it needs only Chromium",
        ),
        (
            &[chromium, tool, ("node", "echo v20.1.0")],
            &[],
            0,
            "ok       driver: cdp, because it needs only Chromium",
        ),
        (
            &[chromium, tool, ("node", "echo v20.1.0")],
            &["--driver", "cdp"],
            0,
            "ok       driver: cdp, because --driver asks",
        ),
        (
            &[chromium],
            &["--driver", "playwright-cli"],
            1,
            "note     driver: playwright-cli, because --driver asks for it",
        ),
        (
            &[],
            &[],
            1,
            "note     driver: cdp, because it needs only Chromium",
        ),
    ] {
        let machine = Machine::with(programs);
        let output = machine.run(&[&["doctor"][..], args].concat());
        let report = text(&output.stdout);
        assert!(report.starts_with(line), "{line}: {report}");
        assert_eq!(output.status.code(), Some(code), "{report}");
        assert!(machine.left_nothing());
    }
}

#[test]
fn who_names_a_tool_is_told_when_it_does_not_run_and_gets_no_other_driver() {
    let machine = Machine::complete();
    for command in ["doctor", "setup", "demo"] {
        let output = machine
            .command(&[command])
            .env("WEBWISE_PLAYWRIGHT_CLI", "/nowhere/cli")
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(0));
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(
            said.contains("correct or unset") && said.contains("/nowhere/cli"),
            "{said}"
        );
    }
    let mut doctor = machine.command(&["doctor", "--driver", "cdp"]);
    assert_eq!(
        doctor
            .env("WEBWISE_PLAYWRIGHT_CLI", "/nowhere/cli")
            .output()
            .unwrap()
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn the_doctor_names_what_configures_a_model_and_never_its_value() {
    let machine = Machine::complete();
    for args in [&["doctor"][..], &["doctor", "--json"]] {
        let output = machine
            .command(args)
            .env("GEMINI_API_KEY", "hunter2")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report = text(&output.stdout);
        assert!(
            report.contains("GEMINI_API_KEY") && !report.contains("hunter2"),
            "{report}"
        );
    }
}

#[test]
fn the_doctor_knows_the_built_in_model_by_its_name() {
    let machine = Machine::complete();
    let output = machine
        .command(&["doctor"])
        .env("WEBWISE_MODEL", "stand-in")
        .env("OPENAI_API_KEY", "o")
        .output()
        .unwrap();
    let report = text(&output.stdout);
    let model = report.lines().find(|line| line.contains(" model: "));
    assert!(
        model
            .unwrap()
            .ends_with("model: stand-in, configured by WEBWISE_MODEL, not used: OPENAI_API_KEY"),
        "{report}"
    );
}

#[test]
fn the_doctor_says_which_of_several_variables_is_used() {
    let machine = Machine::complete();
    let report = |variables: &[(&str, &str)]| {
        let output = machine
            .command(&["doctor"])
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        text(&output.stdout)
            .lines()
            .find(|line| line.contains(" model: "))
            .unwrap()
            .to_owned()
    };
    let keys = [("OPENAI_API_KEY", "o"), ("GEMINI_API_KEY", "g")];
    let two = report(&keys);
    assert!(
        two.ends_with(
            "model: gemini-flash-latest, configured by GEMINI_API_KEY, not used: OPENAI_API_KEY"
        ),
        "{two}"
    );
    let own = [
        ("WEBWISE_LLM_BASE_URL", "https://a.example/v1"),
        ("WEBWISE_LLM_API_KEY", "k"),
        ("WEBWISE_MODEL", "m"),
    ];
    let settings = [
        ("WEBWISE_LLM_MODE", "tools"),
        ("WEBWISE_CONTEXT_WINDOW", "8192"),
    ];
    let server = report(&[&keys[..], &own, &settings].concat());
    let names = own
        .iter()
        .chain(&settings)
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ");
    assert!(
        server.ends_with(&format!(
            "model: m, configured by {names}, not used: GEMINI_API_KEY, OPENAI_API_KEY"
        )),
        "{server}"
    );
}

#[test]
fn the_doctors_json_says_the_same_as_its_lines() {
    let machine = Machine::with(&[("node", "echo v22.0.1")]);
    for (args, driver, tool) in [
        (&[][..], "cdp", "note"),
        (&["--driver", "playwright-cli"], "playwright-cli", "missing"),
    ] {
        let output = machine.run(&[&["doctor", "--json"][..], args].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stderr.is_empty());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&report["ok"], &report["driver"]["name"]),
            (&false.into(), &driver.into())
        );
        assert!(
            report["driver"]["why"]
                .as_str()
                .is_some_and(|why| !why.is_empty())
        );
        let status = |name: &str| {
            let checks = report["checks"].as_array().unwrap();
            checks.iter().find(|check| check["name"] == name).unwrap()["status"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let told = ["driver", "Node.js", "playwright-cli", "Chromium", "model"].map(status);
        assert_eq!(told, ["note", "ok", tool, "missing", "note"]);
    }
}

#[test]
fn a_reader_that_went_away_is_no_reason_to_panic() {
    let machine = Machine::complete();
    let mut child = machine
        .command(&["doctor"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!text(&output.stderr).contains("panicked"));
}
