//! `webwise run`: what is refused before a browser starts, and a browser that does not start.

use std::process::Output;

use crate::cli::machine::{Machine, refusal_of, refused, text};

/// A run on a machine where it could start, but for what is added.
fn run_with(args: &[&str], variables: &[(&str, &str)]) -> String {
    let machine = Machine::complete();
    let fine = ["run", "--goal", "Look", "--url", "https://a.example"];
    let output = machine
        .command(&fine)
        .args(args)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    refused(&machine, &output)
}

const MODEL: (&str, &str) = ("WEBWISE_MODEL", "stand-in");

#[test]
fn a_run_without_a_model_says_what_to_set() {
    let said = run_with(&[], &[]);
    assert!(
        said.contains("GEMINI_API_KEY")
            && said.contains("WEBWISE_LLM_BASE_URL")
            && said.contains("`--model stand-in`"),
        "{said}"
    );
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
        ("--driver", "selenium"),
        ("--attach", "9222"),
        ("--attach", "file:///tmp/x"),
    ] {
        let said = run_with(&[&format!("{flag}={value}")], &[MODEL]);
        assert!(said.contains(flag), "{said}");
    }
}

#[test]
fn a_bad_schema_is_refused_and_a_program_gets_an_object_also_then() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("schema.json");
    for (schema, why) in [
        ("{", "EOF"),
        (r#"{"type": "objekt"}"#, "not a valid JSON Schema"),
    ] {
        std::fs::write(&file, schema).unwrap();
        let machine = Machine::with(&[]);
        let args = ["--json", "--schema", file.to_str().unwrap()];
        let output = run(&machine, &args, &[("WEBWISE_MODEL", "stand-in")]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error_kind"], "usage");
        let problem = object["problem"].as_str().unwrap();
        assert!(
            problem.contains("--schema") && problem.contains(why),
            "{problem}"
        );
    }
}

#[test]
fn a_name_that_is_given_twice_is_refused() {
    for flag in ["--param", "--given", "--file"] {
        let said = run_with(&[flag, "a=b", flag, "a=c"], &[MODEL]);
        assert!(said.contains(&format!("{flag} a is given twice")), "{said}");
    }
}

#[test]
fn a_secret_comes_from_a_variable_that_must_be_set() {
    let said = run_with(
        &["--secret", "PASSWORD=SHOP_PASSWORD@https://a.example"],
        &[MODEL],
    );
    assert!(said.contains("SHOP_PASSWORD"), "{said}");
    let open = run_with(
        &["--secret", "PASSWORD=PW@http://a.example"],
        &[MODEL, ("PW", "hunter2")],
    );
    assert!(
        open.contains("https") && !open.contains("hunter2"),
        "{open}"
    );
}

#[test]
fn a_secret_that_is_not_text_is_not_called_unset() {
    use std::os::unix::ffi::OsStrExt as _;

    let machine = Machine::complete();
    let args = [
        "run",
        "--goal",
        "g",
        "--url",
        "https://a.example",
        "--secret",
        "PASSWORD=PW@https://a.example",
    ];
    let value = std::ffi::OsStr::from_bytes(b"hunter2\xff");
    let said = refused(
        &machine,
        &machine.command(&args).env("PW", value).output().unwrap(),
    );
    assert!(
        said.contains("PW is set, but not to UTF-8 text") && !said.contains("hunter2"),
        "{said}"
    );
}

#[test]
fn a_model_that_cannot_be_used_is_named_by_its_flag_or_variable() {
    assert!(run_with(&["--model", "qwen3"], &[]).contains("--model"));
    assert!(run_with(&[], &[("WEBWISE_MODEL", "claude-opus-4-6")]).contains("ANTHROPIC_API_KEY"));
    let said = run_with(
        &[],
        &[("WEBWISE_LLM_BASE_URL", "https://me:hunter2@a.example")],
    );
    assert!(
        said.contains("WEBWISE_LLM_BASE_URL") && !said.contains("hunter2"),
        "{said}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_starts() {
    assert!(run_with(&["--runs-dir", "/dev/null/runs"], &[MODEL]).contains("--runs-dir"));
    assert!(run_with(&["--memory-dir", "/dev/null/memory"], &[MODEL]).contains("--memory-dir"));
    let machine = Machine::with(&[]);
    for flag in ["--runs-dir", "--memory-dir"] {
        let output = machine.run(&["demo", flag, "/dev/null/here"]);
        let said = refused(&machine, &output);
        assert!(
            said.contains("kept in /dev/null/here") && said.contains(flag),
            "{said}"
        );
    }
}

/// A run that nobody has to be asked for, which says no word before its browser is there.
fn run(machine: &Machine, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let run = [
        "run",
        "--goal",
        "Look",
        "--url",
        "https://a.example",
        "--approve",
        "auto",
    ];
    machine
        .command(&run)
        .args(args)
        .envs([MODEL])
        .envs(variables.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn a_run_without_a_browser_is_refused_and_leaves_nothing() {
    for (args, program, setup) in [
        (
            &[][..],
            "chromium",
            "run `webwise setup`, or set WEBWISE_CHROMIUM",
        ),
        (
            &["--driver", "cdp"],
            "chromium",
            "run `webwise setup`, or set WEBWISE_CHROMIUM",
        ),
        (
            &["--driver", "playwright-cli"],
            "playwright-cli",
            "run `webwise setup --driver playwright-cli`, or set",
        ),
    ] {
        let machine = Machine::with(&[]);
        let said = refused(&machine, &run(&machine, args, &[]));
        assert!(
            said.contains(&format!("missing: {program}: {setup}")),
            "{said}"
        );
    }
}

#[test]
fn no_program_is_started_to_choose_a_driver() {
    let note = ": >\"$0.started\"";
    let machine = Machine::with(&[("node", note), ("playwright-cli", note)]);
    refused(&machine, &run(&machine, &[], &[]));
    for name in ["node.started", "playwright-cli.started"] {
        assert!(!machine.bin().join(name).exists(), "{name}");
    }
}

#[test]
fn a_wrong_path_of_the_browser_is_refused_by_both_drivers() {
    for driver in ["cdp", "playwright-cli"] {
        let machine = Machine::complete();
        let output = run(
            &machine,
            &["--driver", driver],
            &[("WEBWISE_CHROMIUM", "/nowhere/chrome")],
        );
        let said = refused(&machine, &output);
        let way_out =
            "WEBWISE_CHROMIUM names /nowhere/chrome, which is no program: correct or unset it";
        assert!(said.contains(way_out), "{said}");
    }
}

#[test]
fn a_program_that_was_named_and_is_no_browser_is_a_failure_with_a_way_out() {
    for driver in ["cdp", "playwright-cli"] {
        let machine = Machine::complete();
        let output = run(
            &machine,
            &["--driver", driver],
            &[("WEBWISE_CHROMIUM", "/bin/false")],
        );
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        let first = said.lines().next().unwrap();
        assert!(
            first.ends_with("; WEBWISE_CHROMIUM names the browser: correct or unset it"),
            "{said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_window_without_a_screen_is_refused_before_anything_starts() {
    let machine = Machine::with(&[]);
    for command in [
        &["demo", "--headed"][..],
        &[
            "run",
            "--goal",
            "x",
            "--url",
            "https://a.example",
            "--headed",
        ],
    ] {
        let said = refused(
            &machine,
            &machine.command(command).envs([MODEL]).output().unwrap(),
        );
        assert!(
            said.contains("--headed needs a screen") && said.contains("DISPLAY"),
            "{said}"
        );
    }
}

#[test]
fn a_browser_that_does_not_start_is_a_failure_with_what_it_said() {
    let dying = ("chromium", "echo 'FATAL: no usable sandbox' >&2; exit 1");
    let tool = ("playwright-cli", "echo 0.1.22");
    for (args, word) in [
        (&["--driver", "playwright-cli"][..], "0.1.22"),
        (&[], "FATAL: no usable sandbox"),
    ] {
        let machine = Machine::with(&[("node", "echo v20.1.0"), tool, dying]);
        let output = run(&machine, args, &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(
            said.starts_with(
                "webwise: the browser cannot be started: `webwise doctor` says what is there\n"
            ),
            "{said}"
        );
        assert!(said.contains(word) && !said.contains("panicked"), "{said}");
        assert!(output.stdout.is_empty() && machine.left_nothing());
    }
}

#[test]
fn a_browser_that_is_not_there_cannot_be_attached_to() {
    // Nobody listens at port 1. A port that was free a moment ago may be another test's by now.
    let free = "127.0.0.1:1";
    // Neither a browser nor anything else of the machine is needed for it.
    let machine = Machine::with(&[]);
    let output = run(&machine, &["--attach", &format!("http://{free}")], &[]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with(&format!(
            "webwise: no browser can be attached to at {free}: start one with"
        )),
        "{said}"
    );
    assert!(output.stdout.is_empty() && machine.left_nothing());
}

/// A server that answers every request with this status and body.
async fn server(status: u16, body: serde_json::Value) -> wiremock::MockServer {
    let server = wiremock::MockServer::start().await;
    let answer = wiremock::ResponseTemplate::new(status).set_body_json(body);
    let any = wiremock::Mock::given(wiremock::matchers::any());
    any.respond_with(answer).mount(&server).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_server_and_a_wrong_key_are_told_before_a_browser_starts() {
    let wrong = server(
        401,
        serde_json::json!({ "error": { "message": "no such key" } }),
    )
    .await;
    for (url, why) in [
        (
            "http://127.0.0.1:9/v1".to_owned(),
            "start the server, such as Ollama",
        ),
        (format!("{}/v1", wrong.uri()), "no such key"),
    ] {
        let machine = Machine::with(&[("chromium", ": >\"$0.started\"")]);
        let variables = [
            ("WEBWISE_MODEL", "m"),
            ("WEBWISE_LLM_BASE_URL", &url),
            ("WEBWISE_LLM_API_KEY", "sk-hunter2"),
        ];
        let output = run(&machine, &["--json"], &variables);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["error_kind"], "model");
        assert!(
            said.contains(object["problem"].as_str().unwrap()),
            "{object}"
        );
        assert!(
            said.starts_with("webwise: the model cannot be asked: ") && said.contains(why),
            "{said}"
        );
        assert!(!said.contains("hunter2"), "{said}");
        assert!(!machine.bin().join("chromium.started").exists());
        assert!(machine.left_nothing());
    }
    let asked = wrong.received_requests().await.unwrap();
    let paths: Vec<_> = asked.iter().map(|asked| asked.url.path()).collect();
    assert_eq!(
        paths,
        ["/v1/models"],
        "once, and the model itself is not asked"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_asks_the_model_only_online_and_reports_its_answer() {
    let call = serde_json::json!({ "name": "finish", "arguments": "{\"answer\":\"here\"}" });
    let message = serde_json::json!({ "tool_calls": [{ "type": "function", "function": call }] });
    let fine = server(
        200,
        serde_json::json!({
            "choices": [{ "message": message }],
            "usage": { "prompt_tokens": 90, "completion_tokens": 7 },
        }),
    )
    .await;
    let wrong = server(
        401,
        serde_json::json!({ "error": { "message": "no such key" } }),
    )
    .await;
    let machine = Machine::with_chromium_alone();
    let report = |server: &wiremock::MockServer, args: &[&str]| {
        let mut command = machine.command(&[&["doctor"], args].concat());
        let url = format!("{}/v1", server.uri());
        let output = command
            .envs([("WEBWISE_LLM_BASE_URL", &*url), ("WEBWISE_MODEL", "m")])
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = report(&fine, &["--online"]);
    let line = "ok       model online: m answered, 90 tokens read, 7 written\n";
    assert!(code == Some(0) && said.contains(line), "{said}");
    let (code, said) = report(&wrong, &["--online"]);
    assert_eq!(code, Some(1), "{said}");
    let line = said
        .lines()
        .find(|line| line.starts_with("broken   model online: "));
    assert!(
        line.is_some_and(|line| line.contains("no such key")),
        "{said}"
    );
    let (code, said) = report(&wrong, &[]);
    assert!(code == Some(0) && !said.contains("online"), "{said}");
    assert_eq!(fine.received_requests().await.unwrap().len(), 1);
    assert_eq!(wrong.received_requests().await.unwrap().len(), 1);
    let output = machine.run(&["doctor", "--online"]);
    assert!(text(&output.stdout).contains("note     model online: there is no server to ask\n"));
}
