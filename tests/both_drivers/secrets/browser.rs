//! The real browser: five values through whole runs by each way of each driver, and fields that are where they should not be.
//!
//! The tool and Chromium must be there; the example `test_beds` installs them.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use webwise::{
    BrowserDriver, DecisionLoop, Origin, RunReport, Task,
    action::{BrowserAction, ErrorClass, Fill, Goto, Outcome, RawCall, Target, TextValue},
    agent::Options,
    browser::{ExecuteRequest, ObserveRequest, ProgramPlaces},
    chat::ChatResponse,
    event::RunFolder,
    guard::ApprovalMode,
    page::Role,
    secret::{Secret, SecretName, SecretResolver, Vault},
    store::InMemory,
    testing::{Recorder, ScriptedModel},
};

use crate::secrets::{
    browsers::{Driver, Wishes},
    canaries::{PIN, canaries},
    forms::{ENCODINGS, Scanner},
    profile::pick,
    run::As,
    site::Site,
    taps::{Taps, files},
};

/// Sinks of a real run.
const SINKS: usize = 7;
/// Each driver, by each of its ways.
const WAYS: [Driver; 3] = [
    Driver::PlaywrightCliByProcesses,
    Driver::PlaywrightCli,
    Driver::Cdp,
];

fn short_folder() -> TempDir {
    tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .unwrap()
}

fn wishes(base: &Path) -> Wishes {
    Wishes {
        action: Some(Duration::from_secs(5)),
        ..Wishes::default()
    }
    .in_folder(base)
}

/// What the driver starts, behind a script that writes down arguments and environment.
fn watched(by: Driver, tools: &Path) -> PathBuf {
    let places = ProgramPlaces::from_env();
    let real = if by == Driver::Cdp {
        places.chromium()
    } else {
        places.tool()
    };
    let real =
        real.expect("Chromium and playwright-cli are needed: run `cargo run --features full --example test_beds` first");
    let (file, dir) = (tools.join("tool"), tools.display());
    let script = format!(
        "printf '%s\\n' \"$@\" >> {dir}/argv\nenv >> {dir}/env\nexec '{}' \"$@\"",
        real.display()
    );
    crate::secrets::executable::write(&file, &script);
    file
}

fn calls(calls: &[(&str, Value)]) -> ChatResponse {
    ChatResponse::with_calls(
        calls
            .iter()
            .map(|(tool, arguments)| RawCall::new(*tool, arguments.clone())),
    )
}

/// Types the value and reads what the page makes of it; if `sends`, also sends it, answers the dialog, and reads the page
/// after it.
fn model(value: &str, kept: As, sends: bool) -> ScriptedModel {
    let typed = if kept == As::Secret {
        "<secret:WORD>"
    } else {
        value
    };
    let mut replies = vec![
        calls(&[(
            "fill",
            json!({ "target": r#"label="Word""#, "text": typed }),
        )]),
        calls(&[("extract", json!({ "name": "typed" }))]),
        calls(&[("screenshot", json!({}))]),
    ];
    let sending = [
        calls(&[("click", json!({ "target": r#"role=button[name="Send"]"# }))]),
        calls(&[("dialog_accept", json!({}))]),
        calls(&[("extract", json!({ "name": "sent" }))]),
    ];
    replies.extend(sending.into_iter().filter(|_| sends));
    replies.push(calls(&[(
        "finish",
        json!({ "answer": format!("It is: {value}"), "success": false }),
    )]));
    ScriptedModel::new(replies)
}

struct Real {
    by: Driver,
    site: Site,
    base: TempDir,
    tools: TempDir,
    driver: Arc<dyn BrowserDriver>,
}

impl Real {
    async fn start(by: Driver) -> Self {
        let (base, tools) = (short_folder(), short_folder());
        let wishes = Wishes {
            program: Some(watched(by, tools.path())),
            ..wishes(base.path())
        };
        let driver = by.launch(&wishes).await;
        Self {
            by,
            site: Site::start(),
            base,
            tools,
            driver,
        }
    }

    async fn run(&self, value: &str, kept: As, sends: bool) -> (RunReport, Taps) {
        let folder = tempfile::tempdir().unwrap();
        let (recorder, model) = (Recorder::new(), model(value, kept, sends));
        let kept_runs = Arc::new(RunFolder::new(folder.path().join("runs")).unwrap());
        let sinks = webwise::event::FanOut::new()
            .with(Arc::new(recorder.clone()))
            .with(Arc::clone(&kept_runs) as _);
        let mut options = Options::default();
        // A process a command takes long where much else runs.
        options.command_timeout = Duration::from_mins(2);
        options.approval = ApprovalMode::Auto;
        options.screenshots = true;
        let agent = DecisionLoop::builder(Arc::clone(&self.driver), model.clone(), InMemory::new())
            .with_options(options)
            .with_sink(sinks)
            .build()
            .unwrap();
        let start = self.site.url("login");
        let mut task = Task::new("Send the word")
            .unwrap()
            .with_start_url(&start)
            .unwrap();
        if kept == As::Secret {
            let name = SecretName::parse("WORD").unwrap();
            let origin = Origin::parse(&start).unwrap();
            task = task.with_secrets(
                Vault::new()
                    .with(name, Secret::new(value), vec![origin])
                    .unwrap(),
            );
        }
        let report = agent.run(task).await;
        kept_runs.close().unwrap();
        let mut taps = Taps::default();
        let asked = model
            .requests()
            .into_iter()
            .flat_map(|r| [r.system, r.message])
            .collect::<Vec<_>>()
            .join("\n");
        taps.add("prompt", asked);
        taps.add("events", format!("{:?}", recorder.events()));
        taps.add("run folder", files(&folder.path().join("runs")));
        taps.add("report", format!("{report:?}"));
        taps.add("debug", format!("{agent:?}"));
        (report, taps)
    }

    fn wrote(&self, file: &str) -> Vec<u8> {
        fs::read(self.tools.path().join(file)).unwrap_or_default()
    }

    /// Whatever lies in the driver's folder can be read by its owner only.
    fn is_private(&self) {
        for entry in fs::read_dir(self.base.path()).unwrap().map(Result::unwrap) {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o077;
            assert_eq!(mode, 0, "{} is open to others", entry.path().display());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_page_that_repeats_a_secret_shows_it_to_nobody() {
    // A quote, a percent sign, a backslash, letters of another script, and the short one; all on one line.
    let all = canaries();
    let one_line = |value: &&String| !value.contains(char::is_control);
    let find = |sign: &str| {
        all.iter()
            .filter(one_line)
            .find(|value| value.contains(sign))
            .unwrap()
            .clone()
    };
    let values = [
        find("\""),
        find("%"),
        find("\\"),
        find("密"),
        PIN.to_owned(),
    ];
    let (mut runs, mut bytes, mut leaks, mut controls) = (0, 0, Vec::new(), (0, 0));
    // The quick suite leaves the way by processes to `browser_playwright_cli`.
    let ways = &WAYS[pick(1, 0)..];
    let runs_of = ways
        .iter()
        .map(|by| tokio::spawn(repeated(*by, values.clone())));
    for way in runs_of.collect::<Vec<_>>() {
        let of_way = way.await.expect("the runs of one way");
        runs += of_way.runs;
        bytes += of_way.bytes;
        leaks.extend(of_way.leaks);
        controls = (
            controls.0 + of_way.controls.0,
            controls.1 + of_way.controls.1,
        );
    }
    assert!(
        leaks.is_empty(),
        "{} leaks:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    assert_eq!(
        controls,
        pick((10, 10), (16, 16)),
        "a sink that did not show the value as ordinary text was not watched"
    );
    figure!(
        "secrets: {runs} runs of {} canaries in a real browser by {} ways x {} encodings x {SINKS} sinks: 0 hits in {bytes} \
         bytes; controls {} of {}",
        values.len(),
        ways.len(),
        ENCODINGS.len(),
        controls.0,
        controls.1
    );
}

/// What the runs of one way let out.
#[derive(Default)]
struct Repeated {
    runs: usize,
    bytes: usize,
    leaks: Vec<String>,
    /// Sinks that showed the value as ordinary text, of how many that could.
    controls: (usize, usize),
}

/// Has these values repeated by a page, by one way.
async fn repeated(by: Driver, values: [String; 5]) -> Repeated {
    let mut found = Repeated::default();
    let (real, way) = (Real::start(by).await, by.name());
    // A process a command is slow, so by that way the first value alone takes the whole way. The quick suite tries three values
    // by the native driver and one by the other.
    let tried = match by {
        Driver::Cdp => pick(3, values.len()),
        _ => pick(1, values.len()),
    };
    for value in &values[..tried] {
        let scanner = Scanner::new(value);
        let sends = by != Driver::PlaywrightCliByProcesses || *value == values[0];
        let (report, mut taps) = real.run(value, As::Secret, sends).await;
        for name in ["typed", "sent"].into_iter().take(1 + usize::from(sends)) {
            let repeated = report
                .extracted
                .get(name)
                .is_some_and(|text| text.contains("<secret:WORD>"));
            assert!(
                repeated,
                "{value:?} was not {name}, so nothing was repeated, {way}: {report:?}"
            );
        }
        real.is_private();
        taps.add("arguments", real.wrote("argv"));
        taps.add("environment", real.wrote("env"));
        found.runs += 1;
        found.bytes += taps.bytes();
        for (sink, hits) in taps.hits(&scanner) {
            found.leaks.extend(
                hits.iter()
                    .map(|e| format!("{value:?} as {} in {sink}, {way}", ENCODINGS[*e])),
            );
        }
    }
    found.controls = real.control(&values[0]).await;
    real.driver.close().await.unwrap();
    let left: Vec<_> = fs::read_dir(real.base.path()).unwrap().collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    found
}

impl Real {
    /// The same with the value as ordinary text: how many sinks show it, of how many that could.
    async fn control(&self, value: &str) -> (usize, usize) {
        let scanner = Scanner::new(value);
        let (report, mut taps) = self.run(value, As::Text, true).await;
        assert!(report.extracted.contains_key("sent"), "{report:?}");
        taps.add("arguments", self.wrote("argv"));
        let mut hits = taps.hits(&scanner);
        let (arguments, environment) = if self.by == Driver::Cdp {
            ("--remote-debugging-pipe", "TMPDIR=")
        } else {
            ("open", "WEBWISE_FOLDER=")
        };
        // Where no process is started for an action, only what the browser is started with becomes an argument.
        if self.by != Driver::PlaywrightCliByProcesses {
            assert_eq!(hits.remove("arguments").map(|found| found.len()), Some(0));
            assert!(
                String::from_utf8_lossy(&self.wrote("argv")).contains(arguments),
                "arguments were not watched"
            );
        }
        assert!(
            String::from_utf8_lossy(&self.wrote("env")).contains(environment),
            "the environment was not watched"
        );
        // The driver does not know what is secret, so its description tells nothing of any page.
        assert!(
            scanner
                .hits(format!("{:?}", self.driver).as_bytes())
                .is_empty(),
            "{:?}",
            self.driver
        );
        (
            hits.values().filter(|found| !found.is_empty()).count(),
            hits.len(),
        )
    }
}

async fn fill(driver: &dyn BrowserDriver, target: Target, origin: &str) -> Outcome {
    let name = SecretName::parse("WORD").unwrap();
    let origin = Origin::parse(origin).unwrap();
    let vault = Vault::new()
        .with(name.clone(), Secret::new("place-canary-5e1d"), vec![origin])
        .unwrap();
    let fill = Fill {
        target,
        text: TextValue::Secret(name),
        submit: false,
    };
    let request = ExecuteRequest::new(BrowserAction::Fill(fill))
        .with_secrets(SecretResolver::new(Arc::new(vault)));
    driver.execute(&request).await.unwrap().outcome
}

async fn open(driver: &dyn BrowserDriver, url: String) {
    let execution = driver
        .execute(&ExecuteRequest::new(BrowserAction::Goto(Goto { url })))
        .await
        .unwrap();
    assert!(execution.outcome.is_done(), "{execution:?}");
}

/// The field as the page shows it now; frames load late.
async fn field(driver: &dyn BrowserDriver) -> Target {
    let begin = Instant::now();
    loop {
        let seen = driver.observe(&ObserveRequest::default()).await.unwrap();
        let found = seen
            .tree
            .nodes()
            .iter()
            .find(|node| node.role == Role::TextBox && &*node.name == "Word");
        if let Some(reference) = found.and_then(|node| node.reference.clone()) {
            return Target::Ref(reference);
        }
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "no field on {}: {:?}",
            seen.url,
            seen.tree
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

on_each_driver! {
    a_real_field_in_the_wrong_place_gets_nothing,
}

async fn a_real_field_in_the_wrong_place_gets_nothing(by: Driver) {
    let (base, site) = (short_folder(), Site::start());
    let driver = by.launch(&wishes(base.path())).await;
    let ours = site.url("");
    let wrong = [
        site.foreign("field"),
        site.url("redirect"),
        site.url("foreign-frame"),
        site.foreign("right-frame"),
        site.url("sandbox"),
        site.url("sandbox-without-scripts"),
        site.url("sandboxed"),
        site.url("sandboxed-liar"),
        site.url("srcdoc"),
        site.url("data"),
        site.url("blank"),
    ];
    // Of the other driver the quick suite tries one of each kind: another site, a frame, a sandbox, no origin.
    let every = if by == Driver::Cdp { 1 } else { pick(3, 1) };
    let wrong: Vec<_> = wrong.iter().step_by(every).collect();
    for url in &wrong {
        open(&driver, (*url).clone()).await;
        let target = field(&driver).await;
        let outcome = fill(&driver, target, &ours).await;
        assert_eq!(
            outcome.class(),
            Some(ErrorClass::SecretRefused),
            "{url}: {outcome:?}"
        );
    }
    // Seen in the right place, and elsewhere by the time it is typed into.
    open(&driver, site.url("moves")).await;
    let target = field(&driver).await;
    let begin = Instant::now();
    while driver
        .observe(&ObserveRequest::default())
        .await
        .unwrap()
        .url
        != site.foreign("field")
    {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "the page did not move"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let outcome = fill(&driver, target, &ours).await;
    assert!(
        !outcome.is_done(),
        "by a reference of the page before: {outcome:?}"
    );
    let outcome = fill(&driver, Target::parse(r#"label="Word""#).unwrap(), &ours).await;
    assert_eq!(
        outcome.class(),
        Some(ErrorClass::SecretRefused),
        "after it moved: {outcome:?}"
    );
    for (url, origin) in [
        (site.url("field"), ours.clone()),
        (site.url("right-frame"), ours),
        (site.foreign("field"), site.foreign("")),
    ] {
        open(&driver, url.clone()).await;
        let target = field(&driver).await;
        let outcome = fill(&driver, target, &origin).await;
        assert!(outcome.is_done(), "{url}: {outcome:?}");
    }
    driver.close().await.unwrap();
    let name = by.name();
    figure!(
        "secrets: {name}: {} wrong places in a real browser, 0 typed; 3 right ones, 3 typed",
        wrong.len() + 1
    );
}
