//! Approval: nothing that cannot be undone happens without a yes, and nobody is asked about a login or a search.
//!
//! Small pages in a real Chromium, each with a form or a control that tells the server when it acts. A program presses
//! it through a [`GuardedBrowser`](webwise::GuardedBrowser), as a model would: by its reference, with the mouse and with
//! keys. Without anybody to ask, the server must not hear of it; the same press after a yes must reach the server, so
//! that a page that never worked proves nothing.

use crate::{browsers, profile, web};

mod act;
mod bed;
mod case;

use self::{bed::judged_by, browsers::Driver, profile::pick};

/// Step through the cases for the slower driver in the quick suite.
const QUICK_OF_TOOL: usize = 13;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_grave_happens_unasked_by_cdp() {
    judged_by(Driver::Cdp, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_grave_happens_unasked_by_playwright_cli() {
    judged_by(Driver::PlaywrightCli, pick(QUICK_OF_TOOL, 1)).await;
}
