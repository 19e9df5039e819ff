//! What the file store has acknowledged is there: after a kill at any moment and at any system call, after any error of the
//! operating system, after a power cut, and with other processes beside it.
//!
//! The programs that are killed are this one, started again.
//!
//! # Decisions
//!
//! - The simulated power cut follows POSIX and no file system: names not flushed survive in any subset, files not
//!   flushed are old, new, torn, zeroed or empty.
//! - The quick profile has every group and every kind of case. It leaves to the full one most seeds and kills, most
//!   system calls where an update does not find a written shelf, most errors but `EIO`, and three of four places where a file is
//!   torn.
//! - A tracer attaches to a waiting child: it counts calls by thread, and those of the start would hide the store's.

use crate::{profile, random, runner, sim_fs};

pub(crate) mod child;
mod cut;
mod errors;
mod family;
mod kills;
mod model;
mod place;
mod planted;
mod points;
mod runs;
mod shelf;
mod trace;
mod turns;

/// Each rule with its name.
pub(crate) const ALL: [runner::Rule; 11] = [
    (
        "a_kill_at_a_random_moment_loses_nothing",
        kills::at_random_moments,
    ),
    (
        "a_kill_at_any_system_call_loses_nothing",
        points::at_every_call,
    ),
    (
        "the_system_is_asked_in_the_order_that_is_simulated",
        points::order_of_calls,
    ),
    (
        "a_new_folder_is_durable_before_the_answer",
        points::new_folders,
    ),
    (
        "an_error_of_any_system_call_is_told_and_loses_nothing",
        errors::at_every_call,
    ),
    ("a_power_cut_loses_nothing", cut::at_every_change),
    (
        "two_processes_leave_what_one_after_the_other_leaves",
        turns::at_every_call,
    ),
    ("planted_bugs_are_caught", planted::all),
    ("many_processes_lose_nothing", family::all),
    ("runs_that_end_at_once_all_learn", runs::at_once),
    ("a_shelf_is_what_its_model_says", model::all),
];
