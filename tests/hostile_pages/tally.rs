//! The figures of this target, each printed when the last page of a driver has ended.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{browsers::Driver, profile::full};

/// Every page of this target, by the name under which its test plays it.
pub(crate) const PAGES: &[&str] = &[
    "alert on click",
    "prompt",
    "confirm",
    "beforeunload",
    "beforeunload, stayed",
    "alerts without end",
    "confirm that deletes",
    "alert on load",
    "alert in a timer",
    "alert during a snapshot",
    "popup",
    "link to a new tab",
    "download refused",
    "download kept",
    "download of 300 MiB",
    "download without end",
    "rewrites itself",
    "spins",
    "redirect loop",
    "no headers ever",
    "half a body",
    "connection reset",
    "status 204",
    "empty reply",
    "not HTTP",
    "broken gzip",
    "reset in the middle",
    "shorter than it says",
    "status 500",
    "status 404",
    "invalid bytes",
    "window closes itself",
    "link to nowhere",
    "picture",
    "document removed",
    "renderer killed",
    "browser killed",
    "folder removed",
    "hostile names",
    "title of 100 kB",
    "speaks like the tool",
    "speaks like the model",
];

/// Pages that differ by size and number alone, or that other targets compare between the drivers: the native one plays them, and in
/// the full profile the other one too.
const OF_ANY: &[&str] = &[
    "many popups",
    "thousands of buttons",
    "open shadow",
    "closed shadow",
    "frame of the same origin",
    "frame of another origin",
    "frames in frames",
    "infinite scroll",
    "never settles",
];

/// Pages that are played by the native driver alone: the other one's tool does not get away from them.
const OF_THE_BROWSER: &[&str] = &[
    "spins while it loads",
    "pushes states without end",
    "opens windows without end",
    "thousands of elements in each other",
    "grows without end",
    "exhausts memory while it loads",
    "exhausts memory",
];

/// Pages that can be played only by a driver with a tool of its own: its death, by each way to talk to it.
const OF_THE_TOOL: &[&str] = &["daemon killed", "daemon killed, by processes"];
/// The same in the full profile: pages that both ways show.
const OF_THE_TOOL_IN_FULL: &[&str] = &[
    "alert on load, by processes",
    "alert in a timer, by processes",
    "renderer killed, by processes",
    "browser killed, by processes",
    "daemon killed",
    "daemon killed, by processes",
];

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
    let (driver, own, of_any) = match by {
        Driver::Cdp => ("cdp", OF_THE_BROWSER, OF_ANY),
        _ if full() => ("playwright-cli", OF_THE_TOOL_IN_FULL, OF_ANY),
        Driver::PlaywrightCli | Driver::PlaywrightCliByProcesses => {
            ("playwright-cli", OF_THE_TOOL, &[][..])
        }
    };
    assert!(
        [PAGES, own, of_any].concat().contains(&page),
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
    let pages = PAGES.len() + own.len() + of_any.len();
    if ended.len() == pages {
        let count = |wanted| ended.iter().filter(|end| **end == wanted).count();
        let (good, hung) = (count(End::AsExpected), count(End::Hung));
        figure!("hostile_pages: {driver}: {good} of {pages} ended in a typed outcome, {hung} hung");
    }
}
