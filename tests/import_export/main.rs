//! What version 1 knows is not lost, what is imported twice counts once, and no file does harm.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;

mod folder;
mod hostile;
mod memory;
mod merge;
mod own;
mod round;
