//! A real browser whose run is dropped at many moments, and one that is dropped while it starts.

use std::{fs, path::Path, sync::Arc, time::Duration};

use serde_json::json;
use tokio::time::timeout;
use webwise::{
    BrowserDriver, DecisionLoop, Task,
    event::RunFolder,
    store::InMemory,
    testing::{ScriptedModel, call, conformance::browser::Site},
};

use crate::cancel::{
    browsers::{Driver, Wishes},
    left::{locks, unreadable},
    processes::{ORPHAN, family, gone},
    profile::full,
};

/// Moments at which it is dropped: while it starts, and from the start of the run on. Unit: milliseconds. The quick profile takes
/// the first ones, and of the slower driver half as many.
const MOMENTS: [(bool, u64); 12] = [
    (true, 250),
    (false, 60),
    (true, 600),
    (false, 700),
    (true, 30),
    (true, 1_100),
    (false, 5),
    (false, 130),
    (false, 330),
    (false, 1_200),
    (false, 1_900),
    (false, 2_700),
];
const QUICK: usize = 4;

pub(crate) fn wishes(folder: &Path) -> Wishes {
    Wishes {
        settle: Some(Duration::from_millis(100)),
        ..Wishes::default()
    }
    .in_folder(folder)
}

/// A folder with a short path: sockets are made in it.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix("wwc")
        .tempdir_in("/tmp")
        .unwrap()
}

/// A model that never comes to an end of its own.
pub(crate) fn restless(site: &str) -> ScriptedModel {
    let site = site.to_owned();
    let mut turn = 0;
    ScriptedModel::deciding(move |_| {
        turn += 1;
        let goto = |page: &str| call("goto", json!({ "url": format!("{site}{page}") }));
        Ok(match turn % 4 {
            0 => goto("article"),
            1 => goto("form"),
            2 => call(
                "click",
                json!({ "target": "role=button[name=\"Press me\"]" }),
            ),
            _ => call("press", json!({ "key": "Tab" })),
        })
    })
}

pub(crate) fn task(site: &str) -> Task {
    Task::new("Go round and round")
        .unwrap()
        .with_start_url(&format!("{site}start"))
        .unwrap()
}

on_each_driver! {
    a_real_browser_ends_with_the_run_that_is_dropped,
}

async fn a_real_browser_ends_with_the_run_that_is_dropped(by: Driver) {
    let site = Site::start().unwrap();
    let (base, runs) = (folder(), tempfile::tempdir().unwrap());
    let mut slowest = Duration::ZERO;
    let moments = if full() {
        &MOMENTS[..]
    } else {
        &MOMENTS[..if by == Driver::Cdp { QUICK } else { QUICK / 2 }]
    };
    for &(starting, ms) in moments {
        let moment = Duration::from_millis(ms);
        let (wishes, url) = (wishes(base.path()), site.url(""));
        let known = if starting {
            let launched = timeout(moment, by.try_launch(&wishes)).await;
            let known = family(base.path(), 0);
            drop(launched);
            known
        } else {
            let folders = Arc::new(RunFolder::new(runs.path()).unwrap());
            let browser = by.launch(&wishes).await;
            let agent = DecisionLoop::builder(browser, restless(&url), InMemory::new())
                .with_sink(Arc::clone(&folders))
                .build()
                .unwrap();
            let ended = timeout(moment, async {
                loop {
                    agent.run(task(&url)).await;
                }
            })
            .await;
            assert!(ended.is_err(), "it was dropped");
            let known = family(base.path(), 0);
            assert!(known.len() > 2, "a browser was there: {known:?}");
            drop(agent);
            folders.close().unwrap();
            known
        };
        let folder = base.path().to_owned();
        let (took, left) = tokio::task::spawn_blocking(move || gone(&folder, &known))
            .await
            .unwrap();
        assert!(
            left.is_empty(),
            "{ms} ms: {left:?} lives {ORPHAN:?} after its owner"
        );
        slowest = slowest.max(took);
        assert_eq!(locks(base.path()), 0);
    }
    let next = by.launch(&wishes(base.path())).await;
    assert_eq!(
        fs::read_dir(base.path()).unwrap().count(),
        1,
        "the next start finds its own folder alone"
    );
    next.close().await.unwrap();
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    assert_eq!(unreadable(runs.path()), [""; 0]);
    let (name, count, ms) = (by.name(), moments.len(), slowest.as_millis());
    figure!(
        "cancel: {name}: a real browser dropped at {count} moments, the last process ended {ms} ms later at most"
    );
}
