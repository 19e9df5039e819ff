//! The driver `cdp` with a real Chromium.

#![allow(
    clippy::too_many_lines,
    reason = "a story is told in one function, and some are tables"
)]

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/chromium.rs"]
mod chromium;
#[path = "../support/executable.rs"]
mod executable;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/shared.rs"]
mod shared;
#[path = "../support/web.rs"]
mod web;
#[path = "../support/whole.rs"]
mod whole;

mod acting;
mod driver;
mod settle;
