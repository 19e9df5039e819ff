//! A browser on a site whose answers are held back until the test lets them go. Tests take turns in two browsers of each time for
//! settling.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{sleep, timeout},
};
use webwise::{
    action::{BrowserAction, Click, Goto, Target},
    browser::{BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, Execution, ObserveRequest},
    page::Observation,
};

use crate::settle::{
    shared::{Lent, Shared},
    web::{Answer, Asked, Web},
};

/// Longest time anything may take. Unit: time. Source: chosen; it takes well under a second on an idle machine.
pub(crate) const CAP: Duration = Duration::from_mins(2);
/// A time for settling that no test could wait for: who ends before did not end because of it.
pub(crate) const FOREVER: Duration = Duration::from_mins(10);
/// A time for settling after which an action is over, whatever the page does.
pub(crate) const SHORT: Duration = Duration::from_millis(300);
/// How long a wait is watched. Unit: time. Source: chosen; several times the quiet time and the short time for settling, so
/// that a driver that does not wait is done by then.
const WATCHED: Duration = Duration::from_secs(1);

/// Browsers at a time. Source: chosen; most of the time they wait for what the test holds back, or for what never comes.
static BROWSERS: Semaphore = Semaphore::const_new(4);

/// What the server holds back.
#[derive(Debug, Default)]
struct Gate {
    open: Mutex<(HashSet<String>, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self, path: &str) {
        let open = self.open.lock().expect("nobody panics with it");
        let held = |(free, ended): &mut (HashSet<String>, bool)| !*ended && !free.contains(path);
        drop(
            self.changed
                .wait_while(open, held)
                .expect("nobody panics with it"),
        );
    }

    fn free(&self, path: &str) {
        self.open
            .lock()
            .expect("nobody panics with it")
            .0
            .insert(path.to_owned());
        self.changed.notify_all();
    }

    fn end(&self) {
        self.open.lock().expect("nobody panics with it").1 = true;
        self.changed.notify_all();
    }
}

/// Those that settle for ever, and those that settle for a short time.
static SHARED: [Shared<Cdp>; 2] = [Shared::new(), Shared::new()];

/// The gate of one test; it is open when the test is over.
struct Held(Arc<Gate>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A site of one test's own, with a browser.
pub(crate) struct Bed {
    driver: Lent<Cdp>,
    shared: &'static Shared<Cdp>,
    pub(crate) web: Web,
    gate: Held,
    pages: Arc<Mutex<HashMap<String, String>>>,
    _permit: SemaphorePermit<'static>,
}

impl Bed {
    /// With this time for settling.
    pub(crate) async fn start(settle: Duration) -> Self {
        let permit = BROWSERS.acquire().await.expect("it is never closed");
        let (gate, pages) = (
            Arc::<Gate>::default(),
            Arc::<Mutex<HashMap<String, String>>>::default(),
        );
        let web = {
            let (gate, pages) = (Arc::clone(&gate), Arc::clone(&pages));
            Web::start(move |asked| answer(asked, &gate, &pages))
        };
        let options = CdpOptions::from_env().expect(
            "Chromium is needed: run `cargo run --features full --example test_beds` first",
        );
        let launch = |base| async move {
            let options = options.with_settle(settle).with_folder(base);
            Cdp::launch(&options).await.expect("the browser starts")
        };
        let shared = &SHARED[usize::from(settle == SHORT)];
        Self {
            driver: shared.take(launch).await,
            shared,
            web,
            gate: Held(gate),
            pages,
            _permit: permit,
        }
    }

    /// Goes to a page with this body.
    pub(crate) async fn open(&self, body: &str) {
        let path = format!(
            "/page/{}",
            self.pages.lock().expect("nobody panics with it").len()
        );
        self.pages
            .lock()
            .expect("nobody panics with it")
            .insert(path.clone(), body.to_owned());
        let done = self.act(goto(&self.web.url("127.0.0.1", &path))).await;
        assert!(done.outcome.is_done(), "{done:?}");
    }

    /// Serves a body at a path, for pages that lead there.
    pub(crate) fn serve(&self, path: &str, body: &str) {
        self.pages
            .lock()
            .expect("nobody panics with it")
            .insert(path.to_owned(), body.to_owned());
    }

    /// Lets the answers of a path go.
    pub(crate) fn free(&self, path: &str) {
        self.gate.0.free(path);
    }

    /// Carries an action out, which must end, however it ends.
    pub(crate) async fn act(&self, action: BrowserAction) -> Execution {
        let request = ExecuteRequest::new(action);
        let execution = timeout(CAP, self.driver.execute(&request))
            .await
            .expect("the action ends");
        execution.expect("the browser goes on")
    }

    /// The same for one that is carried out.
    pub(crate) async fn done(&self, action: BrowserAction) -> Execution {
        let execution = self.act(action).await;
        assert!(execution.outcome.is_done(), "{execution:?}");
        execution
    }

    /// Carries an action out that must wait for each of these paths in turn; each answer is held back until it was asked for
    /// and the action was seen to wait.
    pub(crate) async fn done_once_answered(
        &self,
        action: BrowserAction,
        paths: &[&str],
    ) -> Execution {
        let request = ExecuteRequest::new(action).with_timeout(CAP * 2);
        let mut work = std::pin::pin!(self.driver.execute(&request));
        for path in paths {
            let asked = async {
                while !self
                    .web
                    .asked()
                    .iter()
                    .any(|asked| asked.path.split('?').next() == Some(path))
                {
                    sleep(Duration::from_millis(5)).await;
                }
                sleep(WATCHED).await;
            };
            tokio::select! {
                biased;
                done = &mut work => panic!("it did not wait for {path}: {done:?}"),
                asked = timeout(CAP, asked) => asked.unwrap_or_else(|_| panic!("{path} was never asked for")),
            }
            self.free(path);
        }
        let execution = timeout(CAP, work)
            .await
            .expect("the action ends")
            .expect("the browser goes on");
        assert!(execution.outcome.is_done(), "{execution:?}");
        execution
    }

    /// Waits until a path was asked for.
    pub(crate) async fn asked(&self, path: &str) {
        let asked = async {
            while !self.web.asked().iter().any(|asked| asked.path == path) {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(CAP, asked)
            .await
            .unwrap_or_else(|_| panic!("{path} was never asked for"));
    }

    pub(crate) async fn seen(&self) -> Observation {
        let seen = timeout(CAP, self.driver.observe(&ObserveRequest::default()))
            .await
            .expect("the look ends");
        seen.expect("the browser goes on")
    }

    /// All that the page shows, as one text.
    pub(crate) async fn shown(&self) -> String {
        let seen = self.seen().await;
        let words = seen
            .tree
            .nodes()
            .iter()
            .flat_map(|node| [Some(&*node.name), node.value.as_deref()]);
        words
            .flatten()
            .filter(|words| !words.is_empty())
            .collect::<Vec<_>>()
            .join(" | ")
    }

    /// Leaves the browser to the next test.
    pub(crate) async fn close(self) {
        self.shared.give_back(self.driver).await;
    }
}

/// A click on the button, or whatever it is, that is called so.
pub(crate) fn click(name: &str) -> BrowserAction {
    let target = Target::parse(&format!("text=\"{name}\" exact")).expect("a locator");
    BrowserAction::Click(Click {
        target,
        button: None,
    })
}

pub(crate) fn goto(url: &str) -> BrowserAction {
    BrowserAction::Goto(Goto {
        url: url.to_owned(),
    })
}

fn answer(asked: &Asked, gate: &Gate, pages: &Mutex<HashMap<String, String>>) -> Answer {
    let path = asked.path.split('?').next().unwrap_or_default();
    if path.starts_with("/held/") {
        gate.pass(path);
    }
    let known = pages
        .lock()
        .expect("nobody panics with it")
        .get(path)
        .cloned();
    let of_type = |kind: &str, body: String| Answer {
        status: 200,
        headers: vec![format!("Content-Type: {kind}")],
        body,
    };
    let nothing = |status: u16, header: &str| Answer {
        status,
        headers: vec![header.to_owned()],
        body: String::new(),
    };
    match (known, path) {
        (Some(body), _) => Answer::page(format!("<!doctype html><title>{path}</title>{body}")),
        (None, "/nothing") => nothing(204, "X-Nothing: 1"),
        (None, "/away") => nothing(302, "Location: /held/away"),
        (None, "/file") => Answer {
            headers: vec!["Content-Disposition: attachment; filename=list.csv".to_owned()],
            ..of_type("text/csv", "a,b".to_owned())
        },
        (None, path) if path.strip_suffix(".js").is_some() => of_type(
            "text/javascript",
            "document.querySelector('output').textContent = 'the script ran';".to_owned(),
        ),
        (None, path) => Answer::page(format!(
            "<!doctype html><title>{path}</title><h1>this is {path}</h1>"
        )),
    }
}
