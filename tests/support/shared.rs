//! Browsers that the tests of one program take in turns: a start costs more than most tests. Include it with `#[path]`.
//!
//! A browser is given back with one new tab, no dialog and an empty past. One whose test fails ends with the test. Those that
//! are left when the program ends, end with it.
#![allow(dead_code, reason = "each test target uses its own part")]

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener},
    ops::Deref,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        LazyLock, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use tokio::runtime::Runtime;
use webwise::{
    action::{BrowserAction, DialogAccept, Outcome, TabAt, TabNew},
    browser::{BrowserDriver, ExecuteRequest, ObserveRequest},
};

/// Maximum number of actions that bring a browser back. Source: chosen; the page that opens most has 14 tabs.
const ACTIONS: u32 = 40;

/// Runs what shared browsers do by themselves: the runtime of a test ends with the test.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

/// The folder of all shared browsers, with a short path: sockets are made in it.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .expect("a folder")
        .keep();
    // No code of ours runs at the end of a test program. A shell does: its input ends with the program, however that ends.
    // The last processes of a browser still write for a moment.
    let remove =
        "cat > /dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- \"$0\"; sleep 0.2; done";
    let mut shell = Command::new("sh");
    shell.args(["-c", remove]).arg(&folder);
    shell
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    std::mem::forget(shell.spawn().expect("a shell"));
    folder
});

/// The address of an empty page. A tab without an address would do, but the native driver waits for one to come.
static REST: LazyLock<String> = LazyLock::new(|| {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("its address"));
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // A thread a client: browsers open connections that they never use.
            thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            });
        }
    });
    url
});

/// How many shared browsers were started.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// Browsers that were started alike and that nobody uses now.
#[derive(Debug)]
pub(crate) struct Shared<D>(Mutex<Vec<Lent<D>>>);

/// A browser that one test uses.
#[derive(Debug)]
pub(crate) struct Lent<D> {
    driver: D,
    /// The folder in which its private folder is.
    pub(crate) base: PathBuf,
}

impl<D> Lent<D> {
    /// A browser that is not shared.
    pub(crate) fn own(driver: D, base: &Path) -> Self {
        Self {
            driver,
            base: base.to_owned(),
        }
    }
}

impl<D> Deref for Lent<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.driver
    }
}

impl<D: BrowserDriver> Shared<D> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// A browser that nobody uses, or a new one, whose private folder is made in the folder that `launch` is given.
    pub(crate) async fn take<F>(&self, launch: impl FnOnce(PathBuf) -> F) -> Lent<D>
    where
        F: Future<Output = D> + Send + 'static,
    {
        let idle = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(lent) = idle {
            return lent;
        }
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let base = FOLDER.join(number.to_string());
        std::fs::create_dir(&base).expect("a new folder");
        let driver = RUNTIME.spawn(launch(base.clone())).await;
        Lent {
            driver: driver.expect("the browser starts"),
            base,
        }
    }

    /// Brings a browser back to one new tab, and keeps it for the next test.
    pub(crate) async fn give_back(&self, lent: Lent<D>) {
        bring_back(&lent.driver).await;
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(lent);
    }
}

/// Answers what is open, opens a new tab, and closes all others: history, focus and pointer are those of a tab.
async fn bring_back(browser: &dyn BrowserDriver) {
    let new = || {
        BrowserAction::TabNew(TabNew {
            url: Some(REST.clone()),
        })
    };
    let (mut is_new, mut last) = (false, None);
    for _ in 0..ACTIONS {
        // The first look is at the new tab: the page that the test left may be slow to see. Only a dialog stands in its way.
        let action = if last.is_none() {
            new()
        } else {
            let seen = browser.observe(&ObserveRequest::default()).await;
            let seen = seen.expect("the page can be seen");
            if seen.dialog.is_some() {
                BrowserAction::DialogAccept(DialogAccept { text: None })
            } else if !is_new {
                new()
            } else if seen.tabs.len() > 1 {
                BrowserAction::TabClose(TabAt { index: 0 })
            } else {
                return;
            }
        };
        let opens = matches!(action, BrowserAction::TabNew(_));
        let done = browser.execute(&ExecuteRequest::new(action)).await;
        let done = done.expect("the browser answers");
        is_new |= opens && done.outcome == Outcome::Done;
        last = Some(done);
    }
    panic!("the browser could not be brought back after this test: {last:?}");
}
