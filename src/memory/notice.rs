//! Notices of a store about things that nobody asked for, reported as events of the run.

use serde::{Deserialize, Serialize};

use super::Shelf;

/// A notice for a person who relies on the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoreNotice {
    /// The shelf that it is about, if any.
    pub shelf: Option<Shelf>,
    /// The kind of notice.
    pub kind: StoreNoticeKind,
}

/// The kinds of notices.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreNoticeKind {
    /// A file that could not be understood was kept whole in quarantine.
    Quarantined {
        /// Its path now, below the store's root.
        file: String,
    },
    /// The shelf's file is missing or broken. The state before its last change is used.
    RestoredFromBackup,
    /// The shelf's file and its backup are broken. These records could still be read one by one.
    Salvaged {
        /// Number of records.
        records: usize,
    },
    /// The shelf's file and its backup are broken, and no record could be read. The shelf starts empty.
    StartedEmpty,
    /// The shelf is read as far as it is understood, and never written.
    ReadOnly {
        /// The reason.
        why: ReadOnly,
    },
    /// A file or folder was open to other users and is now private.
    ModesTightened {
        /// Its path below the store's root; empty for the root itself.
        path: String,
    },
    /// The store was over its caps. The hosts that were written least recently were forgotten.
    Compacted {
        /// Number of hosts.
        hosts: usize,
        /// Total size of the files of the forgotten hosts. Unit: bytes.
        bytes: u64,
    },
    /// The store is over its caps, and nothing more may be forgotten.
    OverCaps,
}

/// The reason why a shelf is never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadOnly {
    /// A newer version of the program wrote it.
    NewerVersion,
    /// It is larger, or nested more deeply, than the reader allows.
    OverCap,
    /// It is broken, and quarantine already holds the largest number of broken files of this shelf.
    QuarantineFull,
    /// It is broken and could not be put into quarantine.
    QuarantineFailed,
}
