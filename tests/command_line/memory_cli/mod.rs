//! `webwise memory` from outside, on a memory that real runs of the loop have filled.

#![cfg(unix)]

mod diff;
mod events;
mod folder;
mod look;
mod moves;
mod scan;
mod tracing;
mod words;
mod world;
