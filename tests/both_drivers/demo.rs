//! The program `webwise` with a real browser on the demo shop, by each driver: what the example
//! `test_beds` installs must be there.

#![cfg(unix)]

use crate::{chromium, profile, shop};

use std::{
    ffi::OsStr,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    os::{fd::OwnedFd, unix::fs::PermissionsExt as _},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use webwise::{
    browser::ProgramPlaces,
    demo::{Shop, ShopOptions},
};

use chromium::Running;
use profile::{full, pick};
use shop::{
    model_server::ModelServer,
    program::{Place, json_lines, text},
};

/// What a run leaves, as `RunFolder` documents it, and its report; reasoning and pictures only where there were some.
const FILES: [&str; 8] = [
    "run_meta.json",
    "actions.jsonl",
    "model.jsonl",
    "observations.jsonl",
    "interpretations.jsonl",
    "memory_events.jsonl",
    "intents.jsonl",
    REPORT,
];
const REPORT: &str = "report.html";
const SEED: u64 = 7;
/// What the machine of the first demo goes without: what runs playwright-cli, and what could install anything.
const NOT_THERE: [&str; 8] = [
    "node",
    "nodejs",
    "npm",
    "npx",
    "playwright-cli",
    "apt-get",
    "apt",
    "sudo",
];

/// Checks a run folder and returns its actions.
fn checked_folder(folder: &Path, secret: &str) -> Vec<Value> {
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    let mut names = Vec::new();
    for entry in folder.read_dir().unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        assert_eq!(mode(&path), 0o600, "{name}");
        assert!(name == REPORT || !json_lines(&path).is_empty(), "{name}");
        let bytes = text(&std::fs::read(&path).unwrap());
        assert!(!bytes.contains(secret), "{name} holds the secret");
        names.push(name);
    }
    for file in FILES {
        assert!(
            names.iter().any(|name| name == file),
            "{file} is missing in {names:?}"
        );
    }
    json_lines(&folder.join("actions.jsonl"))
}

/// A test for each driver of each of these functions, which take a driver and how it reaches its browser.
macro_rules! by_each_driver {
    ($($rule:ident),* $(,)?) => {
        mod cdp {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                super::$rule("cdp", "pipe").await;
            })*
        }

        mod playwright_cli {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                super::$rule("playwright-cli", "socket").await;
            })*
        }
    };
}

by_each_driver! {
    the_demo_buys_what_was_asked_for_and_the_shop_has_the_order,
    the_first_ctrl_c_stops_the_run_and_keeps_what_there_is,
    the_second_ctrl_c_ends_the_program_and_its_browser,
}

async fn the_demo_buys_what_was_asked_for_and_the_shop_has_the_order(
    driver: &str,
    transport: &str,
) {
    let (place, seed) = (Place::new(), SEED.to_string());
    // The same place each time, as the demo has it: memory knows a host by its port, too.
    let port = free_port().to_string();
    let demo = [
        "demo", "--json", "--port", &port, "--seed", &seed, "--driver", driver,
    ];
    let output = place.command(&demo).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{said}\n{}",
        text(&output.stdout)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["driver"], &result["transport"]),
        (&driver.into(), &transport.into()),
        "{said}"
    );
    assert!(
        said.contains(&format!(
            "\nDriver    {driver}, because --driver asks for it\n"
        )),
        "{said}"
    );
    figure!(
        "demo by {driver}: {} steps in {} ms",
        result["steps"],
        result["elapsed_ms"]
    );
    assert_eq!(
        (&result["ok"], &result["stop"], &result["verified"]),
        (&true.into(), &"finished".into(), &true.into())
    );

    // The same seed makes the same shop: its password is the one that was typed.
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let number = result["orders"][0]["number"].as_str().unwrap();
    assert_eq!(result["orders"].as_array().unwrap().len(), 1);
    assert!(
        result["answer"].as_str().unwrap().contains(number),
        "{result}"
    );
    assert!(
        result["evidence"].as_str().unwrap().contains(number),
        "{result}"
    );
    assert!(
        result["tokens"]["usage"]["input"].as_u64().unwrap() > 0
            && result["model_calls"].as_u64().unwrap() > 0
    );

    let actions = checked_folder(&place.only_run(), &shop.password());
    assert!(!said.contains(&shop.password()) && !text(&output.stdout).contains(&shop.password()));
    // It was typed, so there was something to hide.
    assert!(
        actions
            .iter()
            .any(|action| action.to_string().contains("<secret:PASSWORD>"))
    );
    let approved = actions
        .iter()
        .filter(|event| event["event"] == "approval_decided" && event["approved"] == true);
    assert_eq!(approved.count(), 1, "only placing the order needs approval");
    let meta: Value =
        serde_json::from_slice(&std::fs::read(place.only_run().join("run_meta.json")).unwrap())
            .unwrap();
    assert_eq!(
        (&meta["run"], &meta["summary"]["stop"]),
        (&result["run"], &"finished".into())
    );
    place.assert_no_browser();
    // What memory concludes does not depend on the driver: by the native one, and in the full profile by the other one too.
    if driver == "cdp" || full() {
        the_second_demo_does_first_what_the_first_one_had_to_find_out(
            driver, &place, &demo, &result, &said,
        );
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn the_second_demo_does_first_what_the_first_one_had_to_find_out(
    driver: &str,
    place: &Place,
    demo: &[&str],
    first: &Value,
    told: &str,
) {
    let output = place.command(demo).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let second: Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = |result: &Value| {
        ["failed_actions", "model_calls"].map(|name| result[name].as_u64().unwrap())
    };
    let (first, second) = (counts(first), counts(&second));
    assert!(first[0] > 0 && told.contains("     learned: "), "{told}");
    let knows = "\nMemory    it knows this shop from an earlier run, so less may fail; ";
    assert!(!told.contains(knows) && said.contains(knows), "{said}");
    // It begins with the recipe of the first one before its model is asked.
    assert!(said.contains("the next step is step 1 of "), "{said}");
    figure!(
        "demo by {driver}: {} failed actions and {} model calls, then {} and {}",
        first[0],
        first[1],
        second[0],
        second[1]
    );
    assert!(second[0] == 0 && second[1] < first[1]);
    place.assert_no_browser();
}

/// A folder with links to this machine's programs, but for those that are not to be there.
fn without_node(bin: &Path) {
    std::fs::create_dir(bin).unwrap();
    let link = |from: &Path, name: &OsStr| {
        // A program that stands in two folders is linked once.
        let _ = std::os::unix::fs::symlink(from, bin.join(name));
    };
    let browser = ProgramPlaces::from_env()
        .chromium()
        .expect("Chromium is needed: run `cargo run --features full --example test_beds` first");
    link(&browser, OsStr::new("chromium"));
    for folder in ["/usr/bin", "/bin"] {
        for entry in Path::new(folder).read_dir().unwrap().map(Result::unwrap) {
            if !NOT_THERE.iter().any(|name| entry.file_name() == *name) {
                link(&entry.path(), &entry.file_name());
            }
        }
    }
    for name in NOT_THERE {
        let mut look = Command::new("/bin/sh");
        let found = look
            .args(["-c", "command -v \"$0\"", name])
            .env_clear()
            .env("PATH", bin)
            .output()
            .unwrap();
        assert!(
            !found.status.success() && found.stdout.is_empty(),
            "{name} is there"
        );
    }
}

#[test]
fn on_a_machine_with_chromium_and_without_node_the_readmes_first_command_runs_the_demo() {
    let readme = include_str!("../../README.md");
    let first = readme
        .lines()
        .find_map(|line| line.strip_prefix("cargo run --features full -- "))
        .unwrap();
    assert_eq!(first, "demo");
    let dir = tempfile::tempdir().unwrap();
    let folder = |name: &str| dir.path().join(name);
    let (bin, home, temporary) = (folder("bin"), folder("home"), folder("t"));
    without_node(&bin);
    for folder in [&home, &temporary] {
        std::fs::create_dir(folder).unwrap();
    }
    let mut demo = Command::new(env!("CARGO_BIN_EXE_webwise"));
    demo.args(first.split(' '))
        .stdin(Stdio::null())
        .current_dir(&home);
    demo.env_clear()
        .env("PATH", &bin)
        .env("HOME", &home)
        .env("TMPDIR", &temporary);
    let begin = Instant::now();
    let output = demo.output().unwrap();
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        (output.status.code(), told.as_str()),
        (Some(0), ""),
        "{said}"
    );
    for line in [
        "\nDriver    cdp, because it needs only Chromium\n",
        "\nMemory    new folder ",
        "\nBy        stand-in with cdp (by pipe)\n",
        "\nChecked   the shop's own book holds this order: FW-",
    ] {
        assert!(said.contains(line), "{line} in {said}");
    }
    // What `setup` installs for itself would be there; Chromium has files of its own in the same folder.
    assert!(
        !home.join(".cache/webwise").exists(),
        "something was installed"
    );
    assert_eq!(
        temporary.read_dir().unwrap().count(),
        0,
        "a browser is left"
    );
    figure!(
        "demo without Node.js: exit 0 after {} ms, nothing installed",
        begin.elapsed().as_millis()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_uses_the_model_the_secrets_and_the_budgets_it_was_given() {
    let (place, model) = (Place::new(), ModelServer::stand_in().await);
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let origin = shop.url().as_str().trim_end_matches('/').to_owned();
    let goal = "Log in as \"demo\" with the password <secret:PASSWORD>. Open \"Size guide\".";
    let secret = format!("PASSWORD=SHOP_PASSWORD@{origin}");
    let run = [
        "run",
        "--json",
        "--goal",
        goal,
        "--url",
        &origin,
        "--secret",
        &secret,
        "--session-id",
        "s1",
    ];
    let rest = [
        "--max-steps",
        "40",
        "--timeout",
        "2m",
        "--approve",
        "auto",
        "--no-memory",
    ];
    let mut command = place.command(&[&run[..], &rest[..]].concat());
    command
        .env("WEBWISE_LLM_BASE_URL", model.url())
        .env("SHOP_PASSWORD", shop.password());
    let output = command.output().unwrap();

    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        !text(&output.stdout).contains(&shop.password())
            && !text(&output.stderr).contains(&shop.password())
    );
    let actions = checked_folder_without_memory(&place, &shop.password());
    let is_typing = |event: &&Value| {
        event["event"] == "action_executed" && event.to_string().contains("<secret:PASSWORD>")
    };
    let typed = actions.iter().find(is_typing).unwrap();
    assert_eq!(typed["outcome"], "done", "{typed}");
    assert!(
        result["final_url"]
            .as_str()
            .unwrap()
            .ends_with("/info/sizes"),
        "{result}"
    );
    let meta: Value =
        serde_json::from_slice(&std::fs::read(place.only_run().join("run_meta.json")).unwrap())
            .unwrap();
    assert_eq!(
        (&meta["session"], &meta["model"]),
        (&"s1".into(), &"default".into())
    );
    assert_eq!(model.calls().await, result["model_calls"].as_u64().unwrap());
    // The server says 100 for each call.
    assert_eq!(
        result["tokens"]["usage"]["input"],
        100 * model.calls().await
    );
    assert_eq!(
        (output.status.code(), &result["ok"]),
        (Some(0), &true.into()),
        "{result}"
    );
    // All that the tests need is here, and playwright-cli with it: nobody asked for it.
    assert_eq!(result["driver"], "cdp");
    place.assert_no_browser();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_attaches_to_a_browser_and_leaves_it_running() {
    let (place, model, mut browser) = (
        Place::new(),
        ModelServer::stand_in().await,
        Running::start().await,
    );
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let run = [
        "run",
        "--json",
        "--goal",
        "Open \"Size guide\".",
        "--url",
        shop.url().as_str(),
        "--approve",
        "auto",
    ];
    // The quick profile runs only the call that names no driver.
    let drivers = [&[][..], &["--driver", "cdp"]];
    for rest in drivers.into_iter().take(pick(1, 2)) {
        let mut command =
            place.command(&[&run[..], &["--attach", &browser.address()], rest].concat());
        let output = command
            .env("WEBWISE_LLM_BASE_URL", model.url())
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&result["driver"], &result["transport"]),
            (&"cdp".into(), &"websocket".into()),
            "{result}"
        );
        assert!(
            result["final_url"]
                .as_str()
                .unwrap()
                .ends_with("/info/sizes"),
            "{result}"
        );
        assert!(
            said.contains("Driver    cdp, attached to the browser at 127.0.0.1:"),
            "{said}"
        );
        assert!(browser.runs());
        place.assert_no_browser();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_readmes_run_with_the_stand_in_reaches_its_goal() {
    let readme = include_str!("../../README.md");
    let begin =
        "cargo run --features full -- run --model stand-in --url http://127.0.0.1:8080 --goal '";
    let mut lines = readme.lines();
    let goal = lines.find_map(|line| line.strip_prefix(begin)?.strip_suffix('\''));
    let (place, browser) = (Place::new(), Running::start().await);
    let shop = Shop::start(ShopOptions::default()).await.unwrap();
    let (url, address) = (shop.url().as_str(), browser.address());
    let run = [
        "run", "--model", "stand-in", "--url", url, "--attach", &address,
    ];
    let mut command = place.command(&[&run[..], &["--goal", goal.unwrap()]].concat());
    let output = command.output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("\nResult    the goal is reached"), "{said}");
}

fn checked_folder_without_memory(place: &Place, secret: &str) -> Vec<Value> {
    let offered = json_lines(&place.only_run().join("memory_events.jsonl"));
    assert!(
        offered
            .iter()
            .all(|event| event["count"].as_u64().unwrap_or(0) == 0),
        "{offered:?}"
    );
    checked_folder(&place.only_run(), secret)
}

async fn the_first_ctrl_c_stops_the_run_and_keeps_what_there_is(driver: &str, _: &str) {
    is_stopped(driver, "INT").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_signal_that_asks_to_end_stops_the_run_as_ctrl_c_does() {
    // All signals stop the run in the same way. Besides Ctrl-C, the quick profile sends only the first of these.
    for signal in ["TERM", "HUP", "QUIT"].into_iter().take(pick(1, 3)) {
        is_stopped("cdp", signal).await;
    }
}

async fn is_stopped(driver: &str, signal: &str) {
    let (place, model) = (Place::new(), ModelServer::silent().await);
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let run = [
        "run",
        "--json",
        "--goal",
        "Look",
        "--url",
        shop.url().as_str(),
        "--driver",
        driver,
    ];
    let mut command = place.command(&run);
    command.env("WEBWISE_LLM_BASE_URL", model.url());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    model.was_asked().await;
    send(signal, child.id());
    let output = tokio::task::spawn_blocking(|| child.wait_with_output().unwrap())
        .await
        .unwrap();
    assert_eq!(
        output.status.code(),
        Some(1),
        "{signal}: {}",
        text(&output.stderr)
    );
    assert!(text(&output.stderr).contains("Stopping"));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["stop"], &result["ok"]),
        (&"cancelled".into(), &false.into())
    );
    let meta: Value =
        serde_json::from_slice(&std::fs::read(place.only_run().join("run_meta.json")).unwrap())
            .unwrap();
    assert_eq!(
        (&meta["status"], &meta["summary"]["stop"]),
        (&"ended".into(), &"cancelled".into())
    );
    place.assert_no_browser();
}

async fn the_second_ctrl_c_ends_the_program_and_its_browser(driver: &str, _: &str) {
    let (place, model) = (Place::new(), ModelServer::silent().await);
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let mut command = place.command(&[
        "run",
        "--goal",
        "Look",
        "--url",
        shop.url().as_str(),
        "--driver",
        driver,
    ]);
    command
        .env("WEBWISE_LLM_BASE_URL", model.url())
        .stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    model.was_asked().await;
    assert!(place.has_process());
    interrupt(child.id());
    let status = tokio::task::spawn_blocking(move || {
        // Two signals that arrive together are one: the second goes out when the first was heard.
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains("Stopping")));
        interrupt(child.id());
        said.for_each(drop);
        child.wait().unwrap()
    });
    let status = status.await.unwrap();
    assert_eq!(status.code(), Some(130), "{status}");
    let gone = async {
        // What is left of a folder goes at the next start; playwright-cli's daemon removes it itself.
        while place.has_process() || (driver == "playwright-cli" && place.has_browser()) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(2), gone)
        .await
        .expect("the browser ends with the program");
}

/// Stopped by nothing but what it says to nobody: the model never answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_whose_reader_left_stops_and_asks_the_model_no_more() {
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let run = ["run", "--goal", "Look", "--url", shop.url().as_str()];
    for (json, rest) in [(false, &[][..]), (true, &["--json"])] {
        let (place, model) = (Place::new(), ModelServer::silent().await);
        let mut command =
            place.command(&[&run[..], &["--driver", "cdp", "--approve", "auto"], rest].concat());
        command
            .env("WEBWISE_LLM_BASE_URL", model.url())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        model.was_asked().await;
        // As `| head -1` does: what says how it goes is closed, and the other stays.
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        drop(if json {
            stderr.take().map(OwnedFd::from)
        } else {
            stdout.take().map(OwnedFd::from)
        });
        let status = tokio::task::spawn_blocking(move || child.wait().unwrap());
        let status = tokio::time::timeout(Duration::from_mins(2), status)
            .await
            .expect("it goes on without a reader")
            .unwrap();
        let mut said = String::new();
        if let Some(mut stderr) = stderr {
            stderr.read_to_string(&mut said).unwrap();
            assert!(said.contains("nobody reads the output"), "{said}");
        }
        assert_eq!(status.code(), Some(141), "{said}");
        assert_eq!(model.calls().await, 1);
        let meta: Value =
            serde_json::from_slice(&std::fs::read(place.only_run().join("run_meta.json")).unwrap())
                .unwrap();
        assert_eq!(
            (&meta["status"], &meta["summary"]["stop"]),
            (&"ended".into(), &"cancelled".into())
        );
        place.assert_no_browser();
    }
}

/// As the run above: the model never answers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_evaluation_whose_progress_nobody_reads_stops() {
    let shop = Shop::start(ShopOptions::default().with_seed(SEED))
        .await
        .unwrap();
    let (place, model) = (Place::new(), ModelServer::silent().await);
    let case = json!({ "name": "look", "goal": "Look", "url": shop.url().as_str(), "success": { "text": "Desk" } });
    let mut file = tempfile::NamedTempFile::new().unwrap();
    write!(file, "{}", json!({ "version": 1, "cases": [case] })).unwrap();
    let mut command = place.command(&["eval", "--driver", "cdp", "--approve", "auto"]);
    command
        .arg("--cases")
        .arg(file.path())
        .env("WEBWISE_LLM_BASE_URL", model.url())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    model.was_asked().await;
    drop(child.stderr.take());
    let status = tokio::task::spawn_blocking(move || child.wait().unwrap());
    let status = tokio::time::timeout(Duration::from_mins(2), status)
        .await
        .expect("it goes on without a reader")
        .unwrap();
    assert_eq!(status.code(), Some(141));
    assert_eq!(model.calls().await, 1);
    place.assert_no_browser();
}

fn interrupt(pid: u32) {
    send("INT", pid);
}

fn send(signal: &str, pid: u32) {
    assert!(
        Command::new("kill")
            .args([&format!("-{signal}"), &pid.to_string()])
            .status()
            .unwrap()
            .success()
    );
}
