//! What the native driver promises beside the suite that every driver passes.
//!
//! ```text
//! bed        a browser and a site for one test
//! life       starting and ending: nothing outlives its owner
//! cycles     many starts and ends
//! kills      many kills of the program that drives it
//! left       what is left of them
//! starts     what cannot be started
//! start_pages  start pages of no use
//! deaths     what dies in the middle
//! attaching  a browser of others
//! restless   pages that are never done
//! frames     every kind of them
//! tabs       tabs and dialogs of pages
//! files      choosers and downloads
//! pictures   pictures and the window
//! storage    cookies and local storage
//! looks      what a look reads, and how much
//! references what they mean, and what a look costs
//! dropped    actions dropped in the middle
//! tenants    runs of several users at once
//! secrets    shown nowhere and written nowhere
//! ```
#![cfg(target_os = "linux")]

use crate::{chromium, executable, processes, profile, random, shared, web, whole};

mod attaching;
mod bed;
mod cycles;
mod deaths;
mod dropped;
mod files;
mod frames;
mod kills;
mod left;
mod life;
mod looks;
mod pictures;
mod references;
mod reports;
mod restless;
mod secrets;
mod start_pages;
mod starts;
mod storage;
mod tabs;
mod tenants;
