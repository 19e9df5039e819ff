//! Options of a store of JSON files.

use std::time::Duration;

/// Limits of a [`JsonFiles`](super::JsonFiles) store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonFilesOptions {
    /// Longest time that an update waits for the lock of a shelf before it fails with `Busy`. Default: 5 s. Source: chosen.
    pub lock_wait: Duration,
    /// Maximum size of a shelf's file when it is written. A file that is already larger can only be made smaller. Unit:
    /// bytes. Default: 1 MiB. Source: chosen.
    pub max_shelf_bytes: usize,
    /// Maximum size of a file that is read. A larger file is neither read nor changed. Unit: bytes. Default: 8 MiB. Source:
    /// chosen.
    pub max_file_bytes: u64,
    /// Maximum number of hosts in the store. If less than 1/32 of this number is free, a clean-up deletes the shelves
    /// of the hosts that were written least recently. Default: 10,000. Source: chosen.
    pub max_hosts: usize,
    /// Maximum number of hosts of one registrable domain in each namespace. If there are more, a clean-up takes the hosts
    /// of the domain that were written least recently, and deletes their shelves. Default: 8. Source: chosen.
    pub max_hosts_per_site: usize,
    /// Maximum size of the store. If less than 1/32 of this size is free, a clean-up deletes the shelves of the hosts
    /// that were written least recently. Unit: bytes. Default: 256 MiB. Source: chosen.
    pub max_total_bytes: u64,
    /// Minimum number of new hosts after which a handle checks the limits on hosts and bytes again. Far below the
    /// limits, the number is larger: an eighth of the hosts that can still be added before a clean-up starts. A handle
    /// also checks after it has added many bytes (at least 1 MiB). A handle that has not checked yet checks after its
    /// first new host. Default: 64. Source: chosen; a check of 10,000 hosts takes some tenths of a second.
    pub hosts_between_checks: usize,
}

impl Default for JsonFilesOptions {
    fn default() -> Self {
        Self {
            lock_wait: Duration::from_secs(5),
            max_shelf_bytes: 1_024 * 1_024,
            max_file_bytes: 8 * 1_024 * 1_024,
            max_hosts: 10_000,
            max_hosts_per_site: 8,
            max_total_bytes: 256 * 1_024 * 1_024,
            hosts_between_checks: 64,
        }
    }
}
