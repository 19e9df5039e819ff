//! What stands in the store's folder is not believed: broken and foreign files, links, rights, hosts that want to be paths,
//! and more of everything than there is room for.

#![cfg(unix)]

#[macro_use]
#[path = "../support/figure.rs"]
mod figure;
mod bed;
mod bytes;
mod disks;
mod growth;
mod hosts;
mod links;
mod modes;
#[path = "../support/profile.rs"]
mod profile;
#[path = "../support/random.rs"]
mod random;
#[path = "../store_crash/sim_fs/mod.rs"]
#[expect(dead_code, reason = "its power cuts are another target's")]
mod sim_fs;
mod versions;
