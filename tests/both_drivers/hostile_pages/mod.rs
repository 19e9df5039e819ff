//! Pages that nobody here would write, in a real browser, through the whole loop: each must end in the outcome that its test
//! names, within its time, and leave nothing behind.
#![cfg(target_os = "linux")]

use crate::{browsers, executable, profile, shared, whole};

mod bed;
mod bounds;
mod crowds;
mod deaths;
mod dialogs;
mod frames;
mod names;
mod network;
pub(crate) mod pages;
mod played;
pub(crate) mod server;
mod tally;
mod windows;
