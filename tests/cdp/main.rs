//! What the native driver promises beside the suite that every driver passes.
//!
//! ```text
//! bed       a browser and a site of one test's own
//! life      starting and ending: nothing outlives its owner
//! ```
#![cfg(target_os = "linux")]

#[path = "../support/chromium.rs"]
mod chromium;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/web.rs"]
mod web;

mod bed;
mod life;
