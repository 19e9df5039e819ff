//! The figure of this target, printed when the last page has ended.

use std::{
    collections::BTreeMap,
    io::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

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
    "alert on load, by processes",
    "alert in a timer",
    "alert in a timer, by processes",
    "alert during a snapshot",
    "popup",
    "link to a new tab",
    "many popups",
    "download refused",
    "download kept",
    "download of 300 MiB",
    "download without end",
    "open shadow",
    "closed shadow",
    "frame of the same origin",
    "frame of another origin",
    "frames in frames",
    "20,000 buttons",
    "infinite scroll",
    "rewrites itself",
    "never settles",
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
    "renderer killed, by processes",
    "browser killed",
    "browser killed, by processes",
    "daemon killed",
    "daemon killed, by processes",
    "folder removed",
    "hostile names",
    "title of 100 kB",
    "speaks like the tool",
    "speaks like the model",
];

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

static ENDED: Mutex<BTreeMap<&str, End>> = Mutex::new(BTreeMap::new());

/// Notes how a page ended, and prints it; after the last one also the sum.
pub(crate) fn ended(page: &'static str, end: End, how: &str, after: Duration) {
    assert!(PAGES.contains(&page), "{page:?} is missing in the list of pages");
    let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
    let before = ended.insert(page, end);
    assert_eq!(before, None, "{page:?} was played twice");
    // Not by `println`: the figures belong to the output of the test command, also when the tests pass.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "hostile_pages: {page}: {how} after {:.1} s", after.as_secs_f64());
    if ended.len() == PAGES.len() {
        let count = |wanted| ended.values().filter(|end| **end == wanted).count();
        let (good, hung) = (count(End::AsExpected), count(End::Hung));
        let _ = writeln!(out, "hostile_pages: {good} of {} ended in a typed outcome, {hung} hung", PAGES.len());
    }
}
