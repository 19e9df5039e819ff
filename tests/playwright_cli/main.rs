//! The driver `playwright-cli` with the real tool.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/executable.rs"]
mod executable;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/shared.rs"]
mod shared;
#[path = "../subprocesses/argv/values.rs"]
mod values;
#[path = "../support/web.rs"]
mod web;

mod browser_playwright_cli;
mod read_back;
