//! A browser and a site for one test, and short words for what tests do all the time.
#![allow(dead_code, reason = "each module uses its own part")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use tempfile::TempDir;
use webwise::{
    Result,
    action::{
        BrowserAction, Click, ErrorClass, Eval, Fill, Goto, NoArguments, Outcome, TabAt, Target,
        TextValue,
    },
    browser::{BrowserDriver as _, Cdp, CdpOptions, ExecuteRequest, Execution, ObserveRequest},
    page::{Node, Observation},
};

use crate::driver::{
    profile::full,
    shared::{Lent, Shared},
    web::{Answer, Asked, Web},
    whole,
};

/// How long an element may take to become ready. Unit: time. Source: chosen: the pages here answer at once, and many actions
/// must fail.
const ACTION: Duration = Duration::from_secs(2);
/// How long what may not hang may take. Unit: time. Source: chosen: the longest time-out of a command and as much again, for a
/// machine that does much else.
pub(crate) const NEVER: Duration = Duration::from_secs(90);

/// A folder with a short path: sockets are made in it.
pub(crate) fn folder() -> TempDir {
    tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .expect("a folder")
}

/// Options of a browser whose private folder is made in this one.
pub(crate) fn options(folder: &Path) -> CdpOptions {
    CdpOptions::from_env()
        .expect("Chromium is needed: run `cargo run --features full --example test_beds` first")
        .with_folder(folder)
        .with_action_timeout(ACTION)
}

/// A site of pages by path. `HERE` in a page is its own origin on 127.0.0.1, `THERE` another one, on localhost.
pub(crate) fn site(pages: &[(&str, &str)]) -> Web {
    let pages: BTreeMap<String, String> = pages
        .iter()
        .map(|(path, html)| ((*path).to_owned(), (*html).to_owned()))
        .collect();
    serve(
        move |asked| match pages.get(asked.path.split('?').next().unwrap_or_default()) {
            Some(html) => Answer::page(format!("<!doctype html><meta charset=utf-8>{html}")),
            None => Answer {
                status: 404,
                ..Answer::page("<h1>404</h1>")
            },
        },
    )
}

/// A site that a function answers for; see [`site`] for what stands for its origins.
pub(crate) fn serve(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Web {
    let port = Arc::<OnceLock<u16>>::default();
    let told = Arc::clone(&port);
    let web = Web::start(move |asked| {
        let mut given = answer(asked);
        let port = told.wait();
        for (word, host) in [("THERE", "localhost"), ("HERE", "127.0.0.1")] {
            let origin = format!("http://{host}:{port}");
            given.body = given.body.replace(word, &origin);
            given
                .headers
                .iter_mut()
                .for_each(|header| *header = header.replace(word, &origin));
        }
        given
    });
    port.set(web.port()).expect("it is set once");
    web
}

/// Those that tests take in turns.
static SHARED: Shared<Cdp> = Shared::new();

/// A browser with a site.
#[derive(Debug)]
pub(crate) struct Bed {
    pub(crate) driver: Lent<Cdp>,
    pub(crate) web: Web,
    of: Of,
}

/// Owner of the browser.
#[derive(Debug)]
enum Of {
    /// This test's own, with its folder.
    Test(TempDir),
    /// That of all tests that take it in turns.
    All(&'static Shared<Cdp>),
}

impl Bed {
    /// A browser that allows scripts, with these pages to go to. The next test gets it, except in the full profile.
    pub(crate) async fn start(pages: &[(&str, &str)]) -> Self {
        Self::of(&SHARED, site(pages), |options| options.with_scripts(true)).await
    }

    /// A browser that the next test gets, one of those that were started with these options. In the full profile it is the test's own.
    pub(crate) async fn of(
        shared: &'static Shared<Cdp>,
        web: Web,
        change: impl FnOnce(CdpOptions) -> CdpOptions + Send + 'static,
    ) -> Self {
        if full() {
            return Self::with(web, change).await;
        }
        let launch = |base: PathBuf| async move { launch(&change(options(&base))).await };
        Self {
            driver: shared.take(launch).await,
            web,
            of: Of::All(shared),
        }
    }

    /// A browser of one test's own, with these pages to go to.
    pub(crate) async fn own(pages: &[(&str, &str)]) -> Self {
        Self::with(site(pages), |options| options).await
    }

    /// A browser of one test's own, for what only the whole Chromium shows.
    pub(crate) async fn whole(pages: &[(&str, &str)]) -> Self {
        Self::with(site(pages), |options| {
            options.with_chromium(whole::chromium())
        })
        .await
    }

    /// A browser that is not like the others.
    pub(crate) async fn with(web: Web, change: impl FnOnce(CdpOptions) -> CdpOptions) -> Self {
        let base = folder();
        let driver = launch(&change(options(base.path()))).await;
        Self {
            driver: Lent::own(driver, base.path()),
            web,
            of: Of::Test(base),
        }
    }

    /// The folder in which the browser's private folder is.
    pub(crate) fn base(&self) -> &Path {
        &self.driver.base
    }

    /// The address of a page.
    pub(crate) fn url(&self, path: &str) -> String {
        self.web.url("127.0.0.1", path)
    }

    /// Acts.
    pub(crate) async fn act(&self, action: BrowserAction) -> Execution {
        self.try_act(action)
            .await
            .unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// Acts, with the error if the machinery broke.
    pub(crate) async fn try_act(&self, action: BrowserAction) -> Result<Execution> {
        act(&self.driver, action).await
    }

    /// Acts, and the action must be done.
    pub(crate) async fn does(&self, action: BrowserAction) -> Execution {
        let name = format!("{action:?}");
        let execution = self.act(action).await;
        assert_eq!(execution.outcome, Outcome::Done, "{name}");
        execution
    }

    /// Acts, and the action must fail with this class; gives its words.
    pub(crate) async fn fails(&self, action: BrowserAction, class: ErrorClass) -> String {
        let name = format!("{action:?}");
        match self.act(action).await.outcome {
            Outcome::Failed(failure) if failure.class == class => failure.detail,
            other => panic!("{name} should fail with {class} and gave {other:?}"),
        }
    }

    /// Opens a page of the site.
    pub(crate) async fn open(&self, path: &str) -> Execution {
        self.does(goto(self.url(path))).await
    }

    pub(crate) async fn see(&self) -> Observation {
        see(&self.driver).await
    }

    /// Sees a page that is so large that a busy machine takes its time.
    pub(crate) async fn see_all(&self) -> Observation {
        let request = ObserveRequest::default().with_timeout(NEVER);
        let seen = self.driver.observe(&request).await;
        seen.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// All text of the page.
    pub(crate) async fn text(&self) -> String {
        text_of(&self.see().await)
    }

    /// Waits until the page shows a text.
    pub(crate) async fn shows(&self, text: &str) {
        let wait = webwise::action::Wait {
            text: Some(text.to_owned()),
            gone: None,
            seconds: None,
        };
        let execution = self.act(BrowserAction::Wait(wait)).await;
        assert!(
            execution.outcome.is_done(),
            "the page should show {text:?} and shows {:?}",
            self.text().await
        );
    }

    /// The reference of the only element with this name.
    pub(crate) async fn find(&self, name: &str) -> Target {
        let seen = self.see().await;
        reference(&seen, name)
    }

    /// What a script in the page gives; for beds with scripts.
    pub(crate) async fn eval(&self, function: &str) -> String {
        self.does(eval(function))
            .await
            .text
            .expect("a script gives a text")
    }

    /// Ends the browser if it is the test's own, and nothing of it is left. Others must be as good as new.
    pub(crate) async fn close(self) {
        let base = match self.of {
            Of::Test(base) => base,
            Of::All(shared) => return shared.give_back(self.driver).await,
        };
        self.driver.close().await.expect("it closes");
        // Chromium's note taker of crashes may be a moment behind it.
        assert_eq!(
            crate::driver::processes::gone(base.path(), &[].into()).1,
            [].into()
        );
        assert_eq!(
            std::fs::read_dir(base.path()).expect("the folder").count(),
            0
        );
    }
}

async fn launch(options: &CdpOptions) -> Cdp {
    Cdp::launch(options).await.expect("the browser starts")
}

pub(crate) async fn act(driver: &Cdp, action: BrowserAction) -> Result<Execution> {
    driver.execute(&ExecuteRequest::new(action)).await
}

pub(crate) async fn see(driver: &Cdp) -> Observation {
    driver
        .observe(&ObserveRequest::default())
        .await
        .unwrap_or_else(|error| panic!("{error:?}"))
}

/// All text of a page.
pub(crate) fn text_of(seen: &Observation) -> String {
    seen.tree
        .roots()
        .map(|root| seen.tree.text_of(root))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The only element with this name that has a reference.
pub(crate) fn element<'a>(seen: &'a Observation, name: &str) -> &'a Node {
    let mut found = seen
        .tree
        .nodes()
        .iter()
        .filter(|node| &*node.name == name && node.reference.is_some());
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no element {name:?} in {:?}", seen.tree));
    assert_eq!(found.next(), None, "one element {name:?}");
    first
}

pub(crate) fn reference(seen: &Observation, name: &str) -> Target {
    Target::Ref(element(seen, name).reference.clone().expect("it has one"))
}

pub(crate) fn target(text: &str) -> Target {
    Target::parse(text).expect("a target")
}

pub(crate) fn goto(url: impl Into<String>) -> BrowserAction {
    BrowserAction::Goto(Goto { url: url.into() })
}

pub(crate) const fn click(target: Target) -> BrowserAction {
    BrowserAction::Click(Click {
        target,
        button: None,
    })
}

/// Clicks the only button of this name.
pub(crate) fn button(name: &str) -> BrowserAction {
    click(target(&format!("role=button[name={name:?}]")))
}

pub(crate) fn fill(target: Target, text: &str) -> BrowserAction {
    BrowserAction::Fill(Fill {
        target,
        text: TextValue::Literal(text.to_owned()),
        submit: false,
    })
}

pub(crate) fn eval(function: &str) -> BrowserAction {
    BrowserAction::Eval(Eval {
        function: function.to_owned(),
        target: None,
    })
}

pub(crate) const fn accept() -> BrowserAction {
    BrowserAction::DialogAccept(webwise::action::DialogAccept { text: None })
}

pub(crate) const fn dismiss() -> BrowserAction {
    BrowserAction::DialogDismiss(NoArguments {})
}

pub(crate) const fn tab_select(index: u32) -> BrowserAction {
    BrowserAction::TabSelect(TabAt { index })
}

pub(crate) const fn tab_close(index: u32) -> BrowserAction {
    BrowserAction::TabClose(TabAt { index })
}
