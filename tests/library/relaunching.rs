//! `Relaunching`: a browser that dies costs one run, and no run goes on in another browser than its own.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use webwise::{
    BrowserDriver, DecisionLoop, Error, ErrorKind, GuardedBrowser, Result, RunReport, Task,
    action::{BrowserAction, Goto},
    agent::Options,
    browser::{ObserveRequest, Relaunching},
    chat::ChatResponse,
    store::InMemory,
    testing::{
        ScriptedBrowser, ScriptedModel, call,
        faults::{BrowserFault, FaultyBrowser, When},
    },
    working::StopReason,
};

const PAGE: &str = "https://shop.example/";

type Browser = FaultyBrowser<ScriptedBrowser>;

fn browser() -> Browser {
    let page = "heading \"Open from 9 to 17\"\nbutton \"More\" e1";
    FaultyBrowser::new(ScriptedBrowser::new().with_page(PAGE, "Shop", page))
}

/// A browser that dies when it carries out this action, counted from 1.
fn mortal(action: u32) -> Browser {
    browser().with(When::once(action), BrowserFault::Dead)
}

/// Launches browsers by this function, which is given the number of the launch. Also returns the number of launches.
async fn launch(
    make: impl Fn(u32) -> Result<Browser> + Send + Sync + 'static,
) -> (Relaunching<Browser>, Arc<AtomicU32>) {
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let launched = Relaunching::launch(move || {
        let made = make(counted.fetch_add(1, Ordering::SeqCst) + 1);
        async move { made }
    });
    (launched.await.unwrap(), count)
}

fn click() -> ChatResponse {
    call("click", json!({ "target": "e1" }))
}

fn finish() -> ChatResponse {
    let evidence = "Open from 9 to 17";
    call(
        "finish",
        json!({ "answer": "9 to 17", "evidence": evidence }),
    )
}

fn task() -> Task {
    Task::new("Find the opening hours")
        .unwrap()
        .with_start_url(PAGE)
        .unwrap()
}

fn agent<B: BrowserDriver>(
    browser: B,
    replies: impl IntoIterator<Item = ChatResponse>,
) -> DecisionLoop<B, ScriptedModel, InMemory> {
    DecisionLoop::builder(browser, ScriptedModel::new(replies), InMemory::new())
        .build()
        .unwrap()
}

async fn kind_of_observation(browser: &impl BrowserDriver) -> Option<ErrorKind> {
    let seen = browser.observe(&ObserveRequest::default()).await;
    seen.err().map(|error| error.kind())
}

fn lost(report: &RunReport) -> bool {
    report.summary.stop == StopReason::BrowserLost
}

#[tokio::test]
async fn a_browser_killed_in_a_run_ends_that_run_and_the_next_run_has_a_new_one() {
    let (browser, launches) = launch(|nth| Ok(if nth == 1 { mortal(2) } else { browser() })).await;
    let agent = agent(browser, [click(), finish(), finish()]);
    let killed = agent.run(task()).await;
    assert!(lost(&killed), "{killed:?}");
    assert_eq!(launches.load(Ordering::SeqCst), 1, "nobody needs it yet");
    for _ in 0..2 {
        let next = agent.run(task()).await;
        assert!(next.is_success(), "{next:?}");
        assert_eq!(launches.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn twenty_kills_are_twenty_lost_runs_and_twenty_launches() {
    let (browser, launches) = launch(|nth| Ok(if nth <= 20 { mortal(2) } else { browser() })).await;
    let replies = (0..20).map(|_| click()).chain([finish()]);
    let agent = agent(browser, replies);
    for killed in 1..=20 {
        let report = agent.run(task()).await;
        assert!(lost(&report), "{report:?}");
        assert_eq!(launches.load(Ordering::SeqCst), killed);
    }
    let report = agent.run(task()).await;
    assert!(report.is_success(), "{report:?}");
}

#[tokio::test]
async fn a_failed_launch_ends_its_run_with_the_reason_and_the_run_after_tries_again() {
    let (browser, launches) = launch(|nth| match nth {
        1 => Ok(mortal(2)),
        2 => Err(Error::new(ErrorKind::Unavailable, "test.launch")),
        _ => Ok(browser()),
    })
    .await;
    let agent = agent(browser, [click(), finish()]);
    assert!(lost(&agent.run(task()).await));
    let failed = agent.run(task()).await;
    assert!(lost(&failed), "{failed:?}");
    assert_eq!(failed.summary.calls, 0, "the model was not asked");
    let error = failed.error.unwrap();
    assert!(error.contains("test.launch: unavailable"), "{error}");
    assert_eq!(launches.load(Ordering::SeqCst), 2);
    let report = agent.run(task()).await;
    assert!(report.is_success(), "{report:?}");
    assert_eq!(launches.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_launch_that_takes_longer_than_a_command_may_ends_its_run_only() {
    let launches = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&launches);
    let browser = Relaunching::launch(move || {
        let nth = count.fetch_add(1, Ordering::SeqCst) + 1;
        async move {
            match nth {
                1 => Ok(mortal(1)),
                2 => pending().await,
                _ => Ok(browser()),
            }
        }
    });
    let mut options = Options::default();
    options.command_timeout = Duration::from_secs(5);
    let model = ScriptedModel::new([finish()]);
    let agent = DecisionLoop::builder(browser.await.unwrap(), model, InMemory::new())
        .with_options(options)
        .build()
        .unwrap();
    assert!(lost(&agent.run(task()).await));
    let late = agent.run(task()).await;
    assert!(lost(&late), "{late:?}");
    assert_eq!(launches.load(Ordering::SeqCst), 2, "one launch for the run");
    let report = agent.run(task()).await;
    assert!(report.is_success(), "{report:?}");
}

#[tokio::test]
async fn a_lost_browser_stays_lost_for_as_long_as_its_run_has_the_lease() {
    let (browser, launches) = launch(|nth| Ok(if nth == 1 { mortal(1) } else { browser() })).await;
    let guarded = GuardedBrowser::builder(browser).build_guarded().unwrap();
    let mut run = guarded.start(task()).await;
    assert_eq!(kind_of_observation(guarded.browser()).await, None);
    let goto = BrowserAction::Goto(Goto {
        url: PAGE.to_owned(),
    });
    let stop = run.carry_out(goto).await.unwrap_err();
    assert_eq!(stop, StopReason::BrowserLost);
    for _ in 0..2 {
        let kind = kind_of_observation(guarded.browser()).await;
        assert_eq!(kind, Some(ErrorKind::BrowserLost));
    }
    assert_eq!(launches.load(Ordering::SeqCst), 1);
    drop(run);
    assert_eq!(kind_of_observation(guarded.browser()).await, None);
    assert_eq!(launches.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn the_lost_browser_is_closed_before_the_next_and_a_closed_driver_launches_none() {
    let scripts = [ScriptedBrowser::new(), ScriptedBrowser::new()];
    let given = scripts.clone();
    let (driver, launches) = launch(move |nth| {
        if nth == 2 {
            assert!(given[0].is_closed());
        }
        let script = given[nth as usize - 1].clone();
        let browser = FaultyBrowser::new(script);
        Ok(if nth == 1 {
            browser.with(When::once(1), BrowserFault::Dead)
        } else {
            browser
        })
    })
    .await;
    let guarded = GuardedBrowser::builder(driver).build_guarded().unwrap();
    let mut run = guarded.start(task()).await;
    run.open_start_page().await.unwrap_err();
    drop(run);
    let driver = guarded.browser();
    assert_eq!(kind_of_observation(driver).await, None);
    assert!(!scripts[1].is_closed());
    for _ in 0..2 {
        driver.close().await.unwrap();
    }
    assert!(scripts[1].is_closed());
    let kind = kind_of_observation(driver).await;
    assert_eq!(kind, Some(ErrorKind::BrowserLost));
    assert_eq!(launches.load(Ordering::SeqCst), 2);
}
