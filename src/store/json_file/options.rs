//! What can be set about a store of files.

use std::time::Duration;

use crate::memory::MAX_RECORD_BYTES;

/// Limits of a [`JsonFiles`](super::JsonFiles) store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonFilesOptions {
    /// How long an update waits for the shelf's lock before it is `Busy`. Default: 5 s. Source: the requirements.
    pub lock_wait: Duration,
    /// The largest record that is written, key and compact body together; a larger one may only shrink. Unit: bytes.
    /// Default: [`MAX_RECORD_BYTES`].
    pub max_record_bytes: usize,
    /// The largest file that is written; a larger shelf may only shrink. Unit: bytes. Default: 1 MiB. Source: the
    /// requirements.
    pub max_shelf_bytes: usize,
    /// The largest file that is read; a larger one is neither read nor touched. Unit: bytes. Default: 8 MiB. Source: the
    /// requirements.
    pub max_file_bytes: u64,
    /// How many hosts the store keeps. Over it, those that were written least recently are forgotten. Default: 10,000.
    /// Source: the requirements.
    pub max_hosts: usize,
    /// How many hosts of one registrable domain the store keeps. Default: 8. Source: the requirements.
    pub max_hosts_per_site: usize,
    /// How much the store keeps. Unit: bytes. Default: 256 MiB. Source: the requirements.
    pub max_total_bytes: u64,
    /// How many hosts this handle may add before it looks again whether the store is within its caps; it looks at the
    /// first one, too. Default: 64. Source: chosen; a look over 10,000 hosts takes some tenths of a second.
    pub hosts_between_looks: usize,
}

impl Default for JsonFilesOptions {
    fn default() -> Self {
        Self {
            lock_wait: Duration::from_secs(5),
            max_record_bytes: MAX_RECORD_BYTES,
            max_shelf_bytes: 1_024 * 1_024,
            max_file_bytes: 8 * 1_024 * 1_024,
            max_hosts: 10_000,
            max_hosts_per_site: 8,
            max_total_bytes: 256 * 1_024 * 1_024,
            hosts_between_looks: 64,
        }
    }
}
