//! Where a run may be: addresses against scopes, and a real browser that is led astray in every way a page has.

use crate::{browsers, profile, web};

mod courses;
mod drive;
mod forms;
mod verdicts;
mod world;

use std::{sync::Arc, time::Duration};

use browsers::{Driver, Wishes};
use courses::{Course, End, TOO_LATE};
use drive::{Do, Trace};
use profile::full;
use serde_json::json;
use webwise::{
    action::{BrowserAction, DialogAccept, ErrorClass, Goto, TabAt},
    browser::{BrowserDriver, ExecuteRequest, ObserveRequest},
    working::StopReason,
};
use world::{OFF, START, World};

async fn launch(by: Driver, folder: &std::path::Path) -> Arc<dyn BrowserDriver> {
    let (action, settle) = (
        Some(Duration::from_secs(10)),
        Some(Duration::from_millis(150)),
    );
    by.launch(
        &Wishes {
            action,
            settle,
            ..Wishes::default()
        }
        .in_folder(folder),
    )
    .await
}

/// One tab, no dialog, a page where runs may be.
async fn tidy(browser: &Arc<dyn BrowserDriver>, world: &World) {
    let act = async |action| {
        browser
            .execute(&ExecuteRequest::new(action))
            .await
            .expect("the browser answers")
    };
    for _ in 0..10 {
        let seen = browser
            .observe(&ObserveRequest::default())
            .await
            .expect("the page can be seen");
        if seen.dialog.is_some() {
            act(BrowserAction::DialogAccept(DialogAccept { text: None })).await;
        } else if seen.tabs.len() > 1 {
            act(BrowserAction::TabClose(TabAt {
                index: seen.tabs.len().try_into().unwrap_or(u32::MAX) - 1,
            }))
            .await;
        } else if act(BrowserAction::Goto(Goto {
            url: world.home("/"),
        }))
        .await
        .outcome
        .is_done()
        {
            return;
        }
    }
    let seen = browser.observe(&ObserveRequest::default()).await;
    panic!("the browser could not be brought back to its first page: {seen:?}");
}

/// What is wrong with a guarded run of a course.
fn wrong(course: &Course, trace: &Trace, typed: usize, reached: bool) -> Option<String> {
    let stopped = trace.stop == StopReason::OutOfScope;
    let dealt_with = match course.end {
        End::Left => trace.was_blocked() || stopped,
        End::Gone => {
            stopped
                || trace
                    .outcomes
                    .iter()
                    .any(|name| TOO_LATE.iter().any(|class| class.as_str() == *name))
        }
        End::Stopped => stopped,
        End::Hidden => trace.stop == StopReason::GaveUp,
    };
    let problems = [
        (!trace.found.is_empty(), "the canary was seen"),
        (typed > 0, "keys reached the page"),
        (!dealt_with, "nothing says that the page was left"),
        (
            !reached,
            "the page was never asked for, so this proves nothing",
        ),
    ];
    let said: Vec<&str> = problems
        .iter()
        .filter(|(is_so, _)| *is_so)
        .map(|(_, why)| *why)
        .collect();
    let broke = trace.error.as_deref().unwrap_or("nothing");
    (!said.is_empty()).then(|| {
        let said = said.join(", ");
        format!("{}: {said}: {trace:?}; what broke: {broke}", course.name)
    })
}

/// Of so many forms of addresses a browser meets one in the quick profile. Source: chosen, prime to the three forms of a host, so
/// that each kind comes.
const QUICK: usize = 29;

on_each_driver! {
    no_page_off_scope_is_observed_by_the_model,
}

async fn no_page_off_scope_is_observed_by_the_model(by: Driver) {
    let browsers = browsers_of(by);
    let shares = (0..browsers).map(|share| in_a_runtime(move || take_share(by, share, browsers)));
    let shares: Vec<_> = shares.collect();
    let mut found = Found::default();
    for share in shares {
        found += share.await.expect("a share of the courses");
    }
    let Found {
        forms,
        courses,
        controls,
        observed,
        problems,
    } = found;
    let name = by.name();
    figure!(
        "navigation: {name}: {forms} URL forms, {courses} courses, {controls} with a control, {observed} off-scope pages observed by the model"
    );
    assert!(problems.is_empty(), "{problems:#?}");
    let (least, taken, controlled) = match by {
        _ if full() => (300, 40, courses),
        Driver::Cdp => (300 / QUICK, 16, courses / 10),
        _ => (300 / QUICK, 3, courses),
    };
    assert!(forms >= least && courses >= taken && controls >= controlled && observed == 0);
}

/// Browsers that share the courses. Source: chosen; most of the time they wait for pages that leave.
fn browsers_of(by: Driver) -> usize {
    if full() || by == Driver::Cdp { 2 } else { 1 }
}

/// Returns n if the driver takes every n-th course in the quick profile. The full one takes all.
fn every(by: Driver) -> usize {
    match by {
        _ if full() => 1,
        Driver::Cdp => 3,
        _ => 14,
    }
}

/// Of how many courses that the native driver takes one has its control in the quick profile.
const CONTROL_EVERY: usize = 8;

/// Runs in a runtime of its own: a model that thinks while its page leaves holds a thread up.
fn in_a_runtime<F: Future<Output = Found>>(
    work: impl FnOnce() -> F + Send + 'static,
) -> tokio::task::JoinHandle<Found> {
    let runtime = || tokio::runtime::Runtime::new().expect("a runtime");
    tokio::task::spawn_blocking(move || runtime().block_on(work()))
}

/// What came out.
#[derive(Default)]
struct Found {
    forms: usize,
    courses: usize,
    controls: usize,
    /// Off-scope pages that the model saw something of.
    observed: usize,
    problems: Vec<String>,
}

impl std::ops::AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.forms += other.forms;
        self.courses += other.courses;
        self.controls += other.controls;
        self.observed += other.observed;
        self.problems.extend(other.problems);
    }
}

/// Takes one share of the courses, in a browser of its own. In the first one, the model opens every form of an address before, and
/// begins on a page where it may not be.
async fn take_share(by: Driver, share: usize, browsers: usize) -> Found {
    let folder = folder();
    let (world, browser) = (World::start(), launch(by, folder.path()).await);
    let mut found = Found::default();
    if share == 0 {
        (found.forms, found.problems) = opened_by_the_model(&browser, &world).await;
        found.problems.extend(first_page(&browser, &world).await);
    }
    let courses = courses::all(|path| world.home(path));
    let taken = courses.iter().enumerate().step_by(every(by));
    for (nth, (number, course)) in taken.skip(share).step_by(browsers).enumerate() {
        let has_no_control = !nth.is_multiple_of(CONTROL_EVERY);
        let mut scopes = [START, OFF].map(|host| format!("http://{host}/"));
        let page = |run: &str| world.home(&format!("{}?{run}{number}", course.path));
        let typed = || {
            world
                .off
                .asked()
                .iter()
                .filter(|asked| asked.path.starts_with("/typed"))
                .count()
        };

        tidy(&browser, &world).await;
        let (before, typed_before) = (world.off.asked().len(), typed());
        let guarded = drive::run(
            &browser,
            &world.gate,
            Some(&page("a")),
            &[&scopes[0]],
            &course.script,
        )
        .await;
        let reached = world.off.asked().len() > before;
        found
            .problems
            .extend(wrong(course, &guarded, typed() - typed_before, reached));
        found.observed += usize::from(!guarded.found.is_empty());
        found.courses += 1;

        // The same with both hosts in scope: there the model sees the page, so the canary could have been seen.
        if !full() && by == Driver::Cdp && has_no_control {
            continue;
        }
        found.controls += 1;
        tidy(&browser, &world).await;
        let typed_before = typed();
        scopes.reverse();
        let open = drive::run(
            &browser,
            &world.gate,
            Some(&page("b")),
            &[&scopes[0], &scopes[1]],
            &course.script,
        )
        .await;
        let is_control =
            open.found.contains(&"prompt") && (!course.types || typed() > typed_before);
        if !is_control {
            found.problems.push(format!(
                "{}: the control shows nothing: {open:?}",
                course.name
            ));
        }
    }
    browser.close().await.expect("the browser ends");
    found
}

/// A folder with a short path: sockets are made in it.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("ww")
        .tempdir_in("/tmp")
        .expect("a folder")
}

/// Forms that are no addresses by themselves, and that the address of the page completes: they lead to its own site.
const OF_THE_PAGE: [&str; 3] = ["/", "/x", "?x"];

/// Every form of an address that the loop must refuse, as the model writes it: none is asked for.
async fn opened_by_the_model(
    browser: &Arc<dyn BrowserDriver>,
    world: &World,
) -> (usize, Vec<String>) {
    let port = world.off.port();
    let start = format!("http://{START}/");
    let listed = forms::FORMS
        .iter()
        .filter(|(verdicts, _)| *verdicts != "iii+")
        .flat_map(|(_, forms)| forms.iter())
        .filter(|form| !OF_THE_PAGE.contains(form));
    let mut urls: Vec<String> = listed.map(|&form| form.to_owned()).collect();
    urls.extend(
        forms::LOOPBACK
            .iter()
            .flat_map(|host| forms::addresses(host, port)),
    );
    if !full() {
        // Each is judged without a browser too; here it matters that the judgement is asked for.
        urls = urls.into_iter().step_by(QUICK).collect();
    }
    tidy(browser, world).await;
    let mut problems = Vec::new();
    // Five failures in a row would end a run.
    for urls in urls.chunks(4) {
        let tool = |url: &String| {
            if url.len().is_multiple_of(5) {
                "tab_new"
            } else {
                "goto"
            }
        };
        let script: Vec<Do> = urls
            .iter()
            .map(|url| Do::Call(tool(url), json!({ "url": url })))
            .collect();
        let trace = drive::run(browser, &world.gate, None, &[&start], &script).await;
        let refused = trace
            .outcomes
            .iter()
            .filter(|name| **name == ErrorClass::Blocked.as_str())
            .count();
        if refused != urls.len() || !trace.found.is_empty() || trace.stop != StopReason::GaveUp {
            problems.push(format!("{urls:?}: {trace:?}"));
        }
    }
    let asked = world.off.asked();
    if !asked.is_empty() {
        problems.push(format!(
            "the server off scope was asked {} times: {asked:?}",
            asked.len()
        ));
    }
    // The control: by the same way a page in scope is opened, and the server off scope is one that can be reached.
    let home = drive::run(
        browser,
        &world.gate,
        None,
        &[&start],
        &[Do::Call(
            "goto",
            json!({ "url": format!(" HTTP:\\\\{START}:{}\\article ", world.start.port()) }),
        )],
    )
    .await;
    if home.outcomes != ["done"] || !home.addresses.contains(&world.home("/article")) {
        problems.push(format!("an address in scope is not opened: {home:?}"));
    }
    let paths = OF_THE_PAGE.map(|path| Do::Call("goto", json!({ "url": path })));
    let within = drive::run(browser, &world.gate, None, &[&start], &paths).await;
    let stayed = |url: &String| url.starts_with(&world.home("/"));
    let led = ["/x", "/x?x"].map(|path| within.addresses.contains(&world.home(path)));
    if within.outcomes != ["done"; OF_THE_PAGE.len()]
        || !within.addresses.iter().all(stayed)
        || led.contains(&false)
    {
        problems.push(format!("a path of the page is not opened: {within:?}"));
    }
    let away = format!("http://{OFF}/");
    let open = drive::run(
        browser,
        &world.gate,
        None,
        &[&start, &away],
        &[Do::Call("goto", json!({ "url": world.away("/page") }))],
    )
    .await;
    if !open.found.contains(&"prompt") {
        problems.push(format!("with the scope opened nothing is seen: {open:?}"));
    }
    (urls.len(), problems)
}

/// A run that begins where it may not be shows its model nothing.
async fn first_page(browser: &Arc<dyn BrowserDriver>, world: &World) -> Option<String> {
    tidy(browser, world).await;
    let goto = BrowserAction::Goto(Goto {
        url: world.away("/page"),
    });
    browser
        .execute(&ExecuteRequest::new(goto))
        .await
        .expect("the browser answers");
    let trace = drive::run(
        browser,
        &world.gate,
        None,
        &[&format!("http://{START}/")],
        &[Do::Call("snapshot", json!({}))],
    )
    .await;
    let fine =
        trace.found.is_empty() && trace.stop == StopReason::OutOfScope && trace.pictures == 0;
    (!fine).then(|| format!("a first page off scope: {trace:?}"))
}
