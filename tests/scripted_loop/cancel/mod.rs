//! A run is cut off anywhere: a dropped future, a killed program, a full disk. What was written reads.
//!
//! ```text
//! points    the run's future dropped, a step dropped, and a cancel asked for, at every await point
//! intent    the program killed in the middle of an action: its folder says of which
//! disk      the run folder's disk is full
//! ```
#![cfg(target_os = "linux")]

use crate::{club, left, profile};

mod disk;
mod intent;
mod points;

/// Which work a child of this program does, when it is one.
const JOB: &str = "WEBWISE_CANCEL_JOB";
/// Where it does it.
const PLACE: &str = "WEBWISE_CANCEL_PLACE";

#[test]
fn a_killed_run_says_which_action_was_under_way() {
    if intent::is_child() {
        return intent::child();
    }
    let (kills, told) = intent::in_mid_action();
    figure!("cancel: {told} of {kills} kills in mid-action told by the run folder");
    assert_eq!((kills, told), (8, 8));
}

#[test]
fn all_reads_wherever_a_run_is_dropped() {
    let (points, unreadable) = points::dropped_everywhere();
    figure!("cancel: {points} await points, {unreadable} unreadable files");
    assert!(points >= 50, "it was cut off often enough");
    assert_eq!(unreadable, 0);
}
