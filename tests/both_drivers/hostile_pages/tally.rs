//! The figures of this target, each printed when the last page of a driver has ended.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::hostile_pages::{browsers::Driver, profile::full};

/// Every page of this target that both drivers play, by the name under which its test plays it.
pub(crate) const PAGES: &[&str] = &[
    "alert on click",
    "prompt",
    "confirm",
    "confirm that deletes",
    "alert on load",
    "alert in a timer",
    "popup",
    "link to a new tab",
    "download refused",
    "download kept",
    "download without end",
    "rewrites itself",
    "no headers ever",
    "connection reset",
    "half a body",
    "dead link",
    "no host",
    "browser killed",
    "hostile names",
    "speaks like the tool",
    "speaks like the model",
];

/// Pages that show nothing of the driver which another page or another target does not show: the native one plays them, and in the
/// full profile the other one too.
const OF_ANY: &[&str] = &[
    "spins",
    "document removed",
    "picture",
    "alerts without end",
    "alert during a snapshot",
    "many popups",
    "window closes itself",
    "thousands of buttons",
    "open shadow",
    "closed shadow",
    "frame of the same origin",
    "frame of another origin",
    "frames in frames",
    "infinite scroll",
    "never settles",
    "redirect loop",
    "status 204",
    "empty reply",
    "not HTTP",
    "broken gzip",
    "reset in the middle",
    "shorter than it says",
    "status 500",
    "status 404",
    "invalid bytes",
    "link to nowhere",
    "beforeunload",
    "beforeunload, stayed",
    "renderer killed",
    "folder removed",
    "title of 100 kB",
];

/// Pages that both drivers play in the full profile only.
const IN_FULL: &[&str] = &["download of 300 MiB"];

/// Pages that are played by the native driver alone: the other one's tool does not get away from them.
const OF_THE_BROWSER: &[&str] = &[
    "spins while it loads",
    "grows without end",
    "exhausts memory",
];
/// The same in the full profile only.
const OF_THE_BROWSER_IN_FULL: &[&str] = &[
    "pushes states without end",
    "opens windows without end",
    "thousands of elements in each other",
    "exhausts memory while it loads",
];

/// A page that can be played only by a driver with a tool of its own: its death.
const OF_THE_TOOL: &[&str] = &["daemon killed, by processes"];
/// The same in the full profile, and pages that both ways show.
const OF_THE_TOOL_IN_FULL: &[&str] = &[
    "alert on load, by processes",
    "alert in a timer, by processes",
    "renderer killed, by processes",
    "browser killed, by processes",
    "daemon killed",
];

/// The pages that this size of the suite plays by a driver.
fn pages(by: Driver) -> Vec<&'static str> {
    let (own, own_in_full) = match by {
        Driver::Cdp => (OF_THE_BROWSER, OF_THE_BROWSER_IN_FULL),
        Driver::PlaywrightCli | Driver::PlaywrightCliByProcesses => {
            (OF_THE_TOOL, OF_THE_TOOL_IN_FULL)
        }
    };
    let mut pages = [PAGES, own].concat();
    if full() || by == Driver::Cdp {
        pages.extend(OF_ANY);
    }
    if full() {
        pages.extend([IN_FULL, own_in_full].concat());
    }
    pages
}

/// The ways by which a page is played that both ways of a driver show: by one of them, except in the full profile.
pub(crate) fn ways(
    by: Driver,
    ordinary: &'static str,
    by_processes: &'static str,
) -> Vec<(&'static str, Driver)> {
    let mut ways = by.ways(ordinary, by_processes);
    ways.truncate(if full() { ways.len() } else { 1 });
    ways
}

/// How a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As its test says.
    AsExpected,
    /// In another typed outcome.
    Otherwise,
    /// Not within its time.
    Hung,
}

static ENDED: Mutex<BTreeMap<(&str, &str), End>> = Mutex::new(BTreeMap::new());

/// Notes how a page ended, and prints it; after the last one of a driver also the sum.
pub(crate) fn ended(by: Driver, page: &'static str, end: End, how: &str, after: Duration) {
    let driver = match by {
        Driver::Cdp => "cdp",
        Driver::PlaywrightCli | Driver::PlaywrightCliByProcesses => "playwright-cli",
    };
    let pages = pages(by);
    assert!(
        pages.contains(&page),
        "{page:?} is missing in the list of pages"
    );
    let mut all = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = all.insert((driver, page), end);
    assert_eq!(before, None, "{page:?} was played twice by {driver}");
    figure!(
        "hostile_pages: {driver}: {page}: {how} after {:.1} s",
        after.as_secs_f64()
    );
    let ended: Vec<End> = all
        .iter()
        .filter(|((of, _), _)| *of == driver)
        .map(|(_, end)| *end)
        .collect();
    if ended.len() == pages.len() {
        let count = |wanted| ended.iter().filter(|end| **end == wanted).count();
        let (good, hung) = (count(End::AsExpected), count(End::Hung));
        figure!(
            "hostile_pages: {driver}: {good} of {} ended in a typed outcome, {hung} hung",
            pages.len()
        );
    }
}
