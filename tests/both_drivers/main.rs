//! What holds for every driver, with real browsers: pages, applications, the loop, and the program `webwise`.

#![allow(
    clippy::too_many_lines,
    reason = "a story is told in one function, and some are tables"
)]

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
#[macro_use]
#[path = "../support/browsers.rs"]
mod browsers;

#[path = "../support/apps.rs"]
mod apps;
#[path = "../support/chromium.rs"]
mod chromium;
#[path = "../support/executable.rs"]
mod executable;
#[cfg(target_os = "linux")]
#[path = "../support/left.rs"]
mod left;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/shared.rs"]
mod shared;
#[path = "../support/shopping.rs"]
mod shopping;
#[path = "../support/web.rs"]
mod web;
#[path = "../support/whole.rs"]
mod whole;

mod approval;
mod browser_conformance;
mod cancel;
mod demo;
mod effects;
mod eval;
mod foreign;
mod hostile_pages;
mod lean;
mod lessons_story;
mod miniwob;
mod navigation;
mod pictures;
mod program_runs;
mod real_apps;
mod secrets;
mod shop;
mod sight;
mod tree_parity;
mod upload;
