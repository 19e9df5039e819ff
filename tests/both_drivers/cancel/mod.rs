//! A real browser's run is cut off anywhere. No process and no lock is left behind, and what was written reads.
//!
//! ```text
//! real      the run's future dropped at many moments
//! kill      the program that runs it killed at random moments
//! ```
#![cfg(target_os = "linux")]

use crate::{browsers, left, processes, profile, random};

mod kill;
mod real;

use browsers::Driver;

/// Which work a child of this program does, when it is one.
const JOB: &str = "WEBWISE_CANCEL_JOB";
/// Where it does it.
const PLACE: &str = "WEBWISE_CANCEL_PLACE";

#[test]
fn nothing_is_left_and_all_reads_wherever_a_run_is_cut_off() {
    if kill::is_child() {
        return kill::child();
    }
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
