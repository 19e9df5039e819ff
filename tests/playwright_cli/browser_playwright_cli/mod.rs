//! What only the playwright-cli driver promises: nothing is left behind, a lost browser is told, the transport changes by
//! itself, and a secret is in no argument and in no file.
#![cfg(target_os = "linux")]

use crate::{executable, profile, shared};
mod scripts;
mod secrets;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use profile::full;
use webwise::{
    Error, ErrorKind,
    action::{
        BrowserAction, Click, ErrorClass, Eval, Fill, Goto, TabAt, TabNew, Target, TextValue,
    },
    browser::{
        BrowserDriver, ExecuteRequest, Execution, ObserveRequest, PlaywrightCli,
        PlaywrightCliOptions, ProgramPlaces, TransportChoice,
    },
    page::{Notice, Observation},
    testing::conformance::browser::Site,
};

/// How long a browser may live without its owner. Unit: time. Source: it takes under a second; a loaded machine gets more.
const ORPHAN: Duration = Duration::from_mins(1);

fn options(folder: &Path) -> PlaywrightCliOptions {
    PlaywrightCliOptions::from_env()
        .expect("playwright-cli and Chromium are needed: run `cargo run --features full --example test_beds` first")
        .with_folder(folder)
        .with_action_timeout(Duration::from_secs(10))
        .with_settle(Duration::from_millis(200))
}

/// A folder with a short path: sockets are made in it.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .unwrap()
}

/// Processes whose command line names a text.
fn processes(naming: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains(naming))
    })
    .collect()
}

/// Whether a process was started by another, directly or not.
fn descends(mut pid: u32, from: u32) -> bool {
    while pid > 1 {
        if pid == from {
            return true;
        }
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        pid = parent.unwrap_or(0);
    }
    false
}

/// Waits until no process and no file of a browser is left.
async fn gone(folder: &Path) {
    let name = folder.to_str().unwrap();
    let begin = Instant::now();
    loop {
        let left = (processes(name), fs::read_dir(folder).unwrap().count());
        if left == (Vec::new(), 0) {
            return;
        }
        assert!(begin.elapsed() < ORPHAN, "left behind: {left:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The transports by which something is tried that both show: by the first of them, except in the full profile.
fn each(transports: [TransportChoice; 2]) -> impl Iterator<Item = TransportChoice> {
    transports.into_iter().take(if full() { 2 } else { 1 })
}

async fn act(driver: &PlaywrightCli, action: BrowserAction) -> Result<Execution, Error> {
    driver.execute(&ExecuteRequest::new(action)).await
}

async fn goto(driver: &PlaywrightCli, url: String) -> Execution {
    let execution = act(driver, BrowserAction::Goto(Goto { url }))
        .await
        .unwrap();
    assert!(execution.outcome.is_done(), "{execution:?}");
    execution
}

fn target(text: &str) -> Target {
    Target::parse(text).unwrap()
}

fn click(text: &str) -> BrowserAction {
    BrowserAction::Click(Click {
        target: target(text),
        button: None,
    })
}

fn fill(text: &str, value: &str) -> BrowserAction {
    BrowserAction::Fill(Fill {
        target: target(text),
        text: TextValue::Literal(value.to_owned()),
        submit: false,
    })
}

async fn see(driver: &PlaywrightCli) -> Observation {
    driver.observe(&ObserveRequest::default()).await.unwrap()
}

/// A program that does something before or after the real tool.
fn wrapper(folder: &Path, script: &str) -> PathBuf {
    let real = ProgramPlaces::from_env()
        .tool()
        .expect("playwright-cli is there")
        .display()
        .to_string();
    let file = folder.join("wrapper");
    executable::write(&file, &script.replace("REAL", &real));
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untested_version_of_the_daemon_is_spoken_to_by_processes_and_this_is_told() {
    let (base, tools, site) = (folder(), folder(), Site::start().unwrap());
    let script = r#""REAL" "$@"; code=$?
sed -i 's/"version": "[^"]*"/"version": "0.0.1"/' "$PWTEST_DAEMON_SESSION_DIR"/*/*.session 2>/dev/null; exit $code"#;
    let options = options(base.path()).with_program(wrapper(tools.path(), script));
    let refused =
        PlaywrightCli::launch(&options.clone().with_transport(TransportChoice::Socket)).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unavailable);

    let driver = PlaywrightCli::launch(&options).await.unwrap();
    assert_eq!(driver.transport(), "process");
    let execution = goto(&driver, site.url("article")).await;
    let told = execution.notices.iter().find_map(|notice| match notice {
        Notice::TransportChanged { from, to, why } => {
            Some((from.as_str(), to.as_str(), why.contains("0.0.1")))
        }
        _ => None,
    });
    assert_eq!(told, Some(("socket", "process", true)));
    let again = goto(&driver, site.url("form")).await;
    assert!(again.notices.is_empty(), "told once: {:?}", again.notices);
    assert_eq!(
        driver
            .observe(&ObserveRequest::default())
            .await
            .unwrap()
            .title,
        "Form"
    );
    driver.close().await.unwrap();
    gone(base.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_goes_away_is_a_lost_browser_by_either_transport() {
    for transport in each([TransportChoice::Auto, TransportChoice::Process]) {
        let (base, site) = (folder(), Site::start().unwrap());
        let driver = PlaywrightCli::launch(&options(base.path()).with_transport(transport))
            .await
            .unwrap();
        goto(&driver, site.url("article")).await;
        let pid = fs::read_to_string(entry(base.path()).join("browser.pid")).unwrap();
        assert!(
            Command::new("kill")
                .args(["-9", pid.trim()])
                .status()
                .unwrap()
                .success()
        );
        for _ in 0..2 {
            let error = driver
                .observe(&ObserveRequest::default())
                .await
                .unwrap_err();
            assert_eq!(
                error.kind(),
                ErrorKind::BrowserLost,
                "{transport:?}: {error:?}"
            );
        }
        assert_eq!(
            act(&driver, click("e1")).await.unwrap_err().kind(),
            ErrorKind::BrowserLost
        );
        driver.close().await.unwrap();
        gone(base.path()).await;
    }
}

/// The only entry of a folder.
fn entry(folder: &Path) -> PathBuf {
    fs::read_dir(folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_that_dies_is_a_lost_browser_and_not_a_blank_page() {
    let (base, site) = (folder(), Site::start().unwrap());
    let driver = PlaywrightCli::launch(&options(base.path())).await.unwrap();
    goto(&driver, site.url("article")).await;
    let daemon = fs::read_to_string(entry(base.path()).join("browser.pid"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let renderers = processes("--type=renderer")
        .into_iter()
        .filter(|pid| descends(*pid, daemon));
    let killed = renderers
        .filter(|pid| {
            Command::new("kill")
                .args(["-9", &pid.to_string()])
                .status()
                .is_ok()
        })
        .count();
    assert!(killed > 0, "no renderer was found");
    tokio::time::sleep(Duration::from_millis(300)).await;
    for _ in 0..2 {
        assert_eq!(
            driver
                .observe(&ObserveRequest::default())
                .await
                .unwrap_err()
                .kind(),
            ErrorKind::BrowserLost
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_gives_no_answer_is_told_also_if_a_picture_is_wanted() {
    let (base, site) = (folder(), Site::start().unwrap());
    let options = options(base.path()).with_scripts(true);
    let driver = PlaywrightCli::launch(&options).await.unwrap();
    goto(&driver, site.url("article")).await;
    let spin = Eval {
        function: "() => { for (;;); }".into(),
        target: None,
    };
    let spin = ExecuteRequest::new(BrowserAction::Eval(spin)).with_timeout(Duration::from_secs(2));
    let spun = driver.execute(&spin).await.unwrap();
    assert_eq!(spun.outcome.class(), Some(ErrorClass::Timeout), "{spun:?}");
    let request = ObserveRequest::default()
        .with_screenshot(true)
        .with_timeout(Duration::from_secs(4));
    let seen = driver.observe(&request).await.unwrap();
    assert!(seen.unresponsive && seen.screenshot.is_none(), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_driver_or_its_launch_leaves_nothing_behind() {
    let base = folder();
    let driver = PlaywrightCli::launch(&options(base.path())).await.unwrap();
    assert!(!processes(base.path().to_str().unwrap()).is_empty());
    drop(driver);
    gone(base.path()).await;

    // The quick profile gives up two launches: one that has just begun, and one that is nearly done.
    let moments = [150, 900, 10, 400];
    for after in moments.into_iter().take(if full() { 4 } else { 2 }) {
        let (limit, options) = (Duration::from_millis(after), options(base.path()));
        // Either it was given up in the middle, or it was quick and is dropped now.
        let _ = tokio::time::timeout(limit, PlaywrightCli::launch(&options)).await;
        gone(base.path()).await;
    }
}

/// Set for the process that is to be killed; its value is the folder.
const OWNER: &str = "WEBWISE_TEST_OWNER_FOLDER";

#[test]
fn a_browser_does_not_outlive_a_killed_owner() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(folder) = std::env::var_os(OWNER) {
        // This is the owner: it starts a browser and waits to be killed.
        let driver = runtime
            .block_on(PlaywrightCli::launch(&options(Path::new(&folder))))
            .unwrap();
        fs::write(Path::new(&folder).join("ready"), "").unwrap();
        std::thread::sleep(Duration::from_mins(2));
        drop(driver);
        return;
    }
    let base = folder();
    let mut owner = Owner(
        Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "browser_playwright_cli::a_browser_does_not_outlive_a_killed_owner",
            ])
            .env(OWNER, base.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let begin = Instant::now();
    while !base.path().join("ready").exists() {
        assert!(
            begin.elapsed() < Duration::from_mins(1),
            "the owner did not start a browser"
        );
        assert!(owner.0.try_wait().unwrap().is_none(), "the owner ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(processes(base.path().to_str().unwrap()).len() > 2);
    owner.0.kill().unwrap();
    owner.0.wait().unwrap();
    fs::remove_file(base.path().join("ready")).unwrap();
    runtime.block_on(gone(base.path()));
}

/// A child that does not outlive the test.
struct Owner(Child);

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_are_kept_under_names_of_ours() {
    let (base, own, site) = (folder(), folder(), Site::start().unwrap());
    let kept = own.path().join("downloads");
    let options = options(base.path()).with_downloads(&kept);
    let driver = PlaywrightCli::launch(&options).await.unwrap();

    goto(&driver, site.url("windows")).await;
    let mut notices = act(&driver, click(r#"role=link[name="Download"]"#))
        .await
        .unwrap()
        .notices;
    for _ in 0..20 {
        if notices
            .iter()
            .any(|notice| matches!(notice, Notice::Download { kept: true, .. }))
        {
            break;
        }
        notices = goto(&driver, site.url("windows")).await.notices;
    }
    let names: Vec<_> = fs::read_dir(&kept)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(names.len(), 1);
    assert_eq!(fs::read_to_string(&names[0]).unwrap(), "a,b\n");
    let name = names[0].file_name().unwrap().to_str().unwrap();
    assert!(
        name.strip_prefix("download-")
            .is_some_and(|rest| rest.split_once('.').is_some_and(|(_, end)| end == "bin")),
        "{name}"
    );
    driver.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_stays_known_when_its_tab_is_chosen_again_or_another_tab_is_closed() {
    let (base, site) = (folder(), Site::start().unwrap());
    let driver = PlaywrightCli::launch(&options(base.path())).await.unwrap();
    let open = BrowserAction::TabNew(TabNew {
        url: Some(site.url("article")),
    });
    let at = |index| TabAt { index };
    assert!(act(&driver, open).await.unwrap().outcome.is_done());
    goto(&driver, site.url("dialogs")).await;
    let opened = act(&driver, click(r#"role=button[name="Alert"]"#)).await;
    assert!(opened.unwrap().dialog.is_some());
    for action in [
        BrowserAction::TabSelect(at(1)),
        BrowserAction::TabClose(at(0)),
    ] {
        let execution = act(&driver, action).await.unwrap();
        assert!(
            execution.outcome.is_done() && execution.dialog.is_some(),
            "{execution:?}"
        );
        let url = site.url("form");
        let left = act(&driver, BrowserAction::Goto(Goto { url }))
            .await
            .unwrap();
        assert_eq!(left.outcome.class(), Some(ErrorClass::DialogOpen));
    }
    driver.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_cannot_start_says_why() {
    let (base, tools) = (folder(), folder());
    let missing = options(base.path()).with_program("/nonexistent/playwright-cli");
    assert_eq!(
        PlaywrightCli::launch(&missing).await.unwrap_err().kind(),
        ErrorKind::Unavailable
    );

    let broken = options(base.path()).with_program(wrapper(
        tools.path(),
        "echo 'needs Node.js 20 or higher' >&2; exit 1",
    ));
    let error = PlaywrightCli::launch(&broken).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.to_string().contains("needs Node.js 20"), "{error}");

    let slow = wrapper(tools.path(), "sleep 60");
    let slow = options(base.path())
        .with_program(slow)
        .with_launch_timeout(Duration::from_millis(300));
    assert_eq!(
        PlaywrightCli::launch(&slow).await.unwrap_err().kind(),
        ErrorKind::Timeout
    );
    gone(base.path()).await;
}
