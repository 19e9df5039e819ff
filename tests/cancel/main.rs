//! Cut off anywhere: a dropped future, a killed program, a full disk. Nothing is left behind, and what was written reads.
//!
//! ```text
//! points    the run's future dropped, a step dropped, and a cancel asked for, at every await point
//! real      a real browser's run dropped at many moments
//! kill      the program that runs it killed at random moments
//! intent    the program killed in the middle of an action: its folder says of which
//! disk      the run folder's disk is full
//! left      what is left: processes, locks, folders, files that cannot be read
//! ```
#![cfg(target_os = "linux")]

#[macro_use]
#[path = "../support/browsers.rs"]
mod browsers;
#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/club.rs"]
mod club;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;

mod disk;
mod intent;
mod kill;
mod left;
mod points;
mod real;

use browsers::Driver;

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
fn nothing_is_left_and_all_reads_wherever_a_run_is_cut_off() {
    if kill::is_child() {
        return kill::child();
    }
    let (points, unreadable) = points::dropped_everywhere();
    figure!("cancel: {points} await points, {unreadable} unreadable files");
    assert!(points >= 50, "it was cut off often enough");
    assert_eq!(unreadable, 0);
    for by in Driver::EACH {
        let killed = kill::at_random_moments(by);
        figure!(
            "cancel: {}: {} kills, {} processes, {} locks, {} unreadable files \
             ({} kills in a run, the last process ended {} ms after its kill at most)",
            by.name(),
            killed.kills,
            killed.processes,
            killed.locks,
            killed.unreadable,
            killed.in_a_run,
            killed.slowest.as_millis()
        );
        let (kills, least) = kill::kills(by);
        assert!(
            killed.kills == kills && killed.in_a_run >= least,
            "it was killed often enough, and in runs"
        );
        assert_eq!(
            (
                killed.processes,
                killed.locks,
                killed.folders,
                killed.unreadable
            ),
            (0, 0, 0, 0)
        );
    }
}
