//! Effects: an action that worked is told as done, and the same action on the same page without its handler as no effect.
//!
//! Small pages, each with one widget: of our own, and unmodified ones of component libraries. Every page has a twin that looks
//! the same and is dead. A scripted model does the same on both through a [`DecisionLoop`](webwise::DecisionLoop) in a real
//! Chromium, and what the loop concludes is counted.

use crate::{browsers, profile, web};

mod bed;
mod widget;

use self::{bed::told_by, browsers::Driver, profile::pick};

/// Step through the widgets, in the order of library and name. In the quick suite the native driver runs one widget in
/// this many.
const QUICK: usize = 4;
/// The same for the slower driver.
const QUICK_OF_TOOL: usize = 20;

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_by_cdp() {
    told_by(Driver::Cdp, pick(QUICK, 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_by_playwright_cli() {
    told_by(Driver::PlaywrightCli, pick(QUICK_OF_TOOL, 1)).await;
}
