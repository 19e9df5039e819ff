//! Pages that nobody here would write, in a real browser, through the whole loop: each must end in the outcome that its test
//! names, within its time, and leave nothing behind.
#![cfg(target_os = "linux")]

mod bed;
#[macro_use]
#[path = "../support/browsers.rs"]
mod browsers;
mod bounds;
mod crowds;
mod deaths;
mod dialogs;
#[path = "../support/executable.rs"]
mod executable;
#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
mod frames;
mod names;
mod network;
mod pages;
mod played;
#[path = "../support/profile.rs"]
mod profile;
mod server;
#[path = "../support/shared.rs"]
mod shared;
mod tally;
#[path = "../support/whole.rs"]
mod whole;
mod windows;
