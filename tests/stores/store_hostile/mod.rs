//! What stands in the store's folder is not believed: broken and foreign files, links, rights, hosts that want to be paths,
//! and more of everything than there is room for.

#![cfg(unix)]

use crate::{profile, random, sim_fs};

mod bed;
mod bytes;
mod disks;
mod growth;
mod hosts;
mod links;
mod modes;
mod versions;
