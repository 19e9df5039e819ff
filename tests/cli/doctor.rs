//! `webwise doctor`: a line for each fact, and the same as JSON.

use std::process::Stdio;

use crate::machine::{Machine, text};

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
