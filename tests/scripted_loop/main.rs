//! The loop with a scripted browser and a scripted model.

#![allow(
    clippy::too_many_lines,
    reason = "a story is told in one function, and some are tables"
)]

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/club.rs"]
mod club;
#[cfg(target_os = "linux")]
#[path = "../support/left.rs"]
mod left;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/stand_in_server.rs"]
mod stand_in_server;

mod cancel;
mod experience_story;
mod facts_story;
mod late_pages;
mod long_run;
mod loop_faults;
mod loop_golden;
mod loop_memory;
mod loop_pictures;
mod memory_kind;
mod poisoning;
mod reading;
mod recipe_story;
mod resume;
mod stand_in;
