//! The loop under faults at every seam: each run ends in the right typed reason, within its budgets, without a panic.
//!
//! ```text
//! case      faults, where they strike, and the reason in which the run must end
//! run       one run of a case, and all that must be true of any run
//! matrix    every model fault x every driver fault, alone and in pairs, once and for ever
//! budgets   every budget under faults
//! waits     waits before a model is asked again, to the millisecond
//! ```

use crate::{club, profile};

mod budgets;
mod case;
mod matrix;
mod run;
mod waits;

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use run::Failure;

/// What was seen over all cases.
#[derive(Debug, Default)]
struct Tally {
    runs: AtomicUsize,
    panics: AtomicUsize,
    hangs: AtomicUsize,
    /// Maximum number of model calls made after a budget was used up.
    over: AtomicUsize,
}

impl Tally {
    fn count(&self, result: Result<usize, Failure>) -> Option<String> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        match result {
            Ok(over) => {
                self.over.fetch_max(over, Ordering::Relaxed);
                None
            }
            Err(Failure::Panic(text)) => {
                self.panics.fetch_add(1, Ordering::Relaxed);
                Some(format!("panic: {text}"))
            }
            Err(Failure::Hang) => {
                self.hangs.fetch_add(1, Ordering::Relaxed);
                Some("it hangs".to_owned())
            }
        }
    }
}

#[test]
fn every_fault_ends_in_the_right_reason_within_the_budget() {
    let tally = Tally::default();
    let combinations = thread::scope(|scope| {
        let budgets = scope.spawn(|| budgets::run(&tally));
        matrix::run(&tally) + budgets.join().expect("the budgets hold")
    });
    let [runs, panics, hangs, over] = [&tally.runs, &tally.panics, &tally.hangs, &tally.over]
        .map(|count| count.load(Ordering::Relaxed));
    figure!(
        "loop_faults: {combinations} cases, {panics} panics, {hangs} hangs, at most {over} calls over a budget \
         ({runs} runs, {} seeds)",
        matrix::seeds()
    );
    assert!(combinations >= 120 && panics == 0 && hangs == 0 && over <= 1);
}
