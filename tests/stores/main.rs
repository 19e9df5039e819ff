//! The stores of memory, what is taken in and given out, and the register of runs.

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;

#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[cfg(unix)]
#[allow(dead_code, reason = "each test target uses its own part")]
#[path = "../support/sim_fs/mod.rs"]
mod sim_fs;

mod import_export;
mod registry;
mod store_conformance;
mod store_hostile;
