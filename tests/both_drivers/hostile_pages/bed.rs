//! A browser for one test, and runs of the loop in it. In the full profile every test has one of its own, and nothing of it is
//! left after the test; in the quick one they take turns in two of each driver, except where the browser itself is at stake.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{Semaphore, SemaphorePermit};
use webwise::{
    DecisionLoop, Task,
    agent::{Context, Options},
    browser::BrowserDriver,
    store::InMemory,
    testing::{Recorder, ScriptedModel},
    working::StopReason,
};

use crate::hostile_pages::{
    browsers::{Driver, Wishes},
    played::Played,
    profile::full,
    server::Site,
    shared::{Lent, Shared},
    tally::{End, ended},
    whole,
};

/// Longest time a page may take. Unit: time. Source: the requirements give it 60 s on an idle machine; this is five times that,
/// for a machine that does much else.
const CAP: Duration = Duration::from_mins(5);
/// How long processes and files may outlive their browser. Unit: time. Source: it takes under a second; a loaded machine gets more.
const GONE: Duration = Duration::from_secs(30);
/// Browsers at a time. Source: chosen; most of the time they wait for what the test holds back, or for what never comes.
static BROWSERS: Semaphore = Semaphore::const_new(4);

/// Those of playwright-cli by its socket, and those of the native driver.
static SHARED: [Shared<Arc<dyn BrowserDriver>>; 2] = [Shared::new(), Shared::new()];

/// A site of one test's own, and its browser.
pub(crate) struct Bed {
    pub(crate) site: Site,
    by: Driver,
    driver: Arc<dyn BrowserDriver>,
    browser: Browser,
    _permit: SemaphorePermit<'static>,
}

/// Whose the browser is, with the folder in which its private folder is.
enum Browser {
    Own(tempfile::TempDir),
    Shared(
        Lent<Arc<dyn BrowserDriver>>,
        &'static Shared<Arc<dyn BrowserDriver>>,
    ),
}

impl Bed {
    /// A bed for pages that leave their browser as good as it was.
    pub(crate) async fn start(by: Driver) -> Self {
        let shared = match by {
            _ if full() => return Self::own(by).await,
            Driver::PlaywrightCliByProcesses => return Self::own(by).await,
            Driver::PlaywrightCli => &SHARED[0],
            Driver::Cdp => &SHARED[1],
        };
        let permit = BROWSERS.acquire().await.unwrap();
        let launch = |base: PathBuf| async move { launch(by, Wishes::default(), &base).await };
        let lent = shared.take(launch).await;
        Self {
            site: Site::start(),
            by,
            driver: Arc::clone(&*lent),
            browser: Browser::Shared(lent, shared),
            _permit: permit,
        }
    }

    /// A bed for what its browser may not survive.
    pub(crate) async fn own(by: Driver) -> Self {
        Self::with(by, Wishes::default()).await
    }

    /// A bed for what only the whole Chromium shows.
    pub(crate) async fn whole(by: Driver) -> Self {
        let wishes = Wishes {
            chromium: Some(whole::chromium()),
            ..Wishes::default()
        };
        Self::with(by, wishes).await
    }

    /// A bed whose browser is not like the others'.
    pub(crate) async fn with(by: Driver, wishes: Wishes) -> Self {
        let permit = BROWSERS.acquire().await.unwrap();
        // A folder with a short path: sockets are made in it.
        let base = tempfile::Builder::new()
            .prefix("ww")
            .tempdir_in("/tmp")
            .unwrap();
        let driver = launch(by, wishes, base.path()).await;
        Self {
            site: Site::start(),
            by,
            driver,
            browser: Browser::Own(base),
            _permit: permit,
        }
    }

    /// The folder in which the browser's private folder is.
    pub(crate) fn base(&self) -> &Path {
        match &self.browser {
            Browser::Own(base) => base.path(),
            Browser::Shared(lent, _) => &lent.base,
        }
    }

    pub(crate) fn driver(&self) -> Arc<dyn BrowserDriver> {
        Arc::clone(&self.driver)
    }

    /// Runs a task on a page of the site, or at a whole address; it must end for this reason.
    pub(crate) async fn play(
        &self,
        page: &'static str,
        path: &str,
        model: ScriptedModel,
        stop: StopReason,
    ) -> Played {
        self.play_with(page, path, self.driver(), model, options(), stop)
            .await
    }

    /// The same with another driver around the browser, and with other options.
    pub(crate) async fn play_with<B: BrowserDriver>(
        &self,
        page: &'static str,
        path: &str,
        driver: B,
        model: ScriptedModel,
        options: Options,
        stop: StopReason,
    ) -> Played {
        self.play_to(page, path, driver, model, options, &[stop])
            .await
    }

    /// The same with an end for one of several reasons.
    pub(crate) async fn play_to<B: BrowserDriver>(
        &self,
        page: &'static str,
        path: &str,
        driver: B,
        model: ScriptedModel,
        options: Options,
        stops: &[StopReason],
    ) -> Played {
        let recorder = Recorder::new();
        let agent = DecisionLoop::builder(driver, model.clone(), InMemory::new())
            .with_options(options)
            .with_sink(recorder.clone())
            .build()
            .unwrap();
        // Frames of the second host are shown: it is a site that a person named.
        let other = webwise::Site::of(&"http://there.localhost/".parse().unwrap()).unwrap();
        let start = if path.starts_with("http:") {
            path.to_owned()
        } else {
            self.site.url(path)
        };
        let task = Task::new("Look at this page")
            .unwrap()
            .with_start_url(&start)
            .unwrap();
        let task = if path.starts_with("frame") {
            task.with_allowed(other)
        } else {
            task
        };
        let begin = Instant::now();
        let Ok(report) = tokio::time::timeout(CAP, agent.run(task)).await else {
            ended(self.by, page, End::Hung, "hung", begin.elapsed());
            panic!(
                "{page} hung by {}; so far: {:?}",
                self.by.name(),
                recorder.names()
            );
        };
        let played = Played::new(report, recorder.events(), model.requests());
        let end = if stops.contains(&played.report.summary.stop) {
            End::AsExpected
        } else {
            End::Otherwise
        };
        ended(
            self.by,
            page,
            end,
            played.report.summary.stop.as_str(),
            begin.elapsed(),
        );
        assert_eq!(
            end,
            End::AsExpected,
            "{page} should end with one of {stops:?} by {}: {played:?}",
            self.by.name()
        );
        played
    }

    /// The daemon of the tool.
    pub(crate) fn daemon(&self) -> u32 {
        fs::read_to_string(self.private_folder().join("browser.pid"))
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    }

    /// The browser's first process: the one that was given its folder and has no part to play.
    pub(crate) fn browser(&self) -> u32 {
        let of_ours = processes(self.base().to_str().unwrap());
        let lines = of_ours.into_iter().map(|pid| (pid, command_line(pid)));
        let mut first = lines
            .filter(|(_, line)| line.contains("--user-data-dir=") && !line.contains("--type="));
        first.next().expect("the browser runs").0
    }

    /// The processes that show pages.
    pub(crate) fn renderers(&self) -> Vec<u32> {
        let browser = self.browser();
        processes("--type=renderer")
            .into_iter()
            .filter(|pid| descends(*pid, browser))
            .collect()
    }

    /// The browser's private folder.
    pub(crate) fn private_folder(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.base())
            .unwrap()
            .flatten()
            .map(|entry| entry.path());
        entries
            .find(|path| path.join("browser.pid").exists())
            .expect("the browser's folder")
    }

    /// Ends the browser if it is the test's own: no process of it and no file of it may be left. Others must be as good as new.
    pub(crate) async fn close(self) {
        match self.browser {
            Browser::Own(base) => {
                self.driver.close().await.unwrap();
                nothing_is_left(base.path()).await;
            }
            Browser::Shared(lent, shared) => shared.give_back(lent).await,
        }
    }
}

async fn launch(by: Driver, wishes: Wishes, base: &Path) -> Arc<dyn BrowserDriver> {
    let wishes = Wishes {
        launch: Some(CAP),
        action: Some(Duration::from_secs(4)),
        navigation: Some(Duration::from_secs(5)),
        settle: Some(Duration::from_millis(200)),
        ..wishes.in_folder(base)
    };
    by.launch(&wishes).await
}

/// How runs of this target behave: the ordinary way, with little patience.
pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.context = Context::Shared;
    options.budget.max_steps = 25;
    options.command_timeout = Duration::from_secs(45);
    options
}

async fn nothing_is_left(folder: &Path) {
    let name = folder.to_str().unwrap();
    let begin = Instant::now();
    loop {
        let files: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        let left = (processes(name), files);
        if left.0.is_empty() && left.1.is_empty() {
            return;
        }
        assert!(begin.elapsed() < GONE, "left behind: {left:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Processes whose command line names a text.
fn processes(naming: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| command_line(*pid).contains(naming))
        .collect()
}

fn command_line(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default()
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
